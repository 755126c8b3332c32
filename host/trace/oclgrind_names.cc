// Finds the array that an instruction accesses, the size of its rows, and where the instruction was
// inlined. The compiler does not record the array of an access, so the address is followed back to
// an argument or a variable.
#include "trace/oclgrind_names.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trace/oclgrind_addresses.hpp"
#include "trace/oclgrind_blocks.hpp"
#include "trace/oclgrind_constants.hpp"
#include "trace/oclgrind_instructions.hpp"
#include "trace/oclgrind_loops.hpp"

namespace
{
constexpr size_t mostValues = 64; // max values to visit on the way to a pointer's origin

std::string nameOf(LLVMValueRef value)
{
    size_t length = 0;
    const char *name = LLVMGetValueName2(value, &length);
    return std::string(name ? name : "", length);
}

// Clang calls a variable in local memory KERNEL.NAME, and the copy of an argument NAME.addr.
std::string ownName(LLVMValueRef value)
{
    std::string name = nameOf(value);
    const size_t dot = name.find('.');
    if (LLVMIsAGlobalVariable(value) && dot != std::string::npos)
        return name.substr(dot + 1);
    return name.substr(0, dot);
}

// Adds what the function's callers pass for an argument; returns false for a kernel's argument.
bool addPassed(LLVMValueRef argument, std::vector<LLVMValueRef> &pending)
{
    const std::vector<LLVMValueRef> passed = constants::passedFor(argument);
    pending.insert(pending.end(), passed.begin(), passed.end());
    return !passed.empty();
}

// Adds the pointers that are stored in a variable; returns false if it holds none.
bool addStored(LLVMValueRef variable, std::vector<LLVMValueRef> &pending)
{
    if (LLVMGetTypeKind(LLVMGetAllocatedType(variable)) != kPointer)
        return false;
    const size_t before = pending.size();
    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == variable)
            pending.push_back(LLVMGetOperand(user, 0));
    }
    return pending.size() > before;
}

// Adds the pointers from which a pointer is computed; returns false if there are none.
bool addSources(LLVMValueRef pointer, std::vector<LLVMValueRef> &pending)
{
    if (LLVMIsAGetElementPtrInst(pointer) || LLVMIsACastInst(pointer) ||
        LLVMIsAConstantExpr(pointer)) {
        pending.push_back(LLVMGetOperand(pointer, 0));
    } else if (LLVMIsASelectInst(pointer)) {
        pending.push_back(LLVMGetOperand(pointer, 1));
        pending.push_back(LLVMGetOperand(pointer, 2));
    } else if (LLVMIsAPHINode(pointer)) {
        for (unsigned i = 0; i < LLVMCountIncoming(pointer); i++)
            pending.push_back(LLVMGetIncomingValue(pointer, i));
    } else if (LLVMIsALoadInst(pointer) && LLVMIsAAllocaInst(LLVMGetOperand(pointer, 0))) {
        pending.push_back(LLVMGetOperand(pointer, 0)); // a variable that holds the pointer
    } else {
        return false;
    }
    return true;
}

LLVMTypeRef typeOf(LLVMValueRef access)
{
    return LLVMTypeOf(LLVMIsAStoreInst(access) ? LLVMGetOperand(access, 0) : access);
}

// The accessed type, or the type of a component if the accessed type is a vector.
LLVMTypeRef scalarOf(LLVMValueRef access)
{
    LLVMTypeRef type = typeOf(access);
    return LLVMGetTypeKind(type) == kVector ? LLVMGetElementType(type) : type;
}

// The index that stands for all components. A store of a whole vector needs an index of its own,
// because an optimizer may store constant components a second time, one by one.
constexpr unsigned wholeVector = 63;

// Whether two instructions may be parts of one access. Loads must have the same type; stores must
// have the same scalar type and the same place in the source.
bool areAlike(LLVMValueRef instruction, LLVMValueRef access)
{
    if (LLVMIsALoadInst(access))
        return LLVMIsALoadInst(instruction) && LLVMTypeOf(instruction) == LLVMTypeOf(access);
    return LLVMIsAStoreInst(instruction) && scalarOf(instruction) == scalarOf(access) &&
           LLVMInstructionGetDebugLoc(access) &&
           LLVMInstructionGetDebugLoc(instruction) == LLVMInstructionGetDebugLoc(access);
}

bool mayWrite(LLVMValueRef instruction)
{
    const std::string name = nameOfCalled(instruction);
    return LLVMIsAStoreInst(instruction) || name.find("barrier") != std::string::npos ||
           name.find("fence") != std::string::npos || name.find("atom") != std::string::npos;
}

// The size of a type in memory; 0 for structures.
unsigned bytesOf(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case kVector: {
        const unsigned components = LLVMGetVectorSize(type);
        return bytesOf(LLVMGetElementType(type)) * (components == 3 ? 4 : components);
    }
    case kArray:
        return bytesOf(LLVMGetElementType(type)) * LLVMGetArrayLength(type);
    default:
        return bytesOfScalar(type);
    }
}

// The size of an innermost array if that array is an element of another array, else 0.
// isOneOfSeveral: the type itself is an element of an array.
unsigned bytesOfRow(LLVMTypeRef type, bool isOneOfSeveral)
{
    unsigned dimensions = isOneOfSeveral, bytes = 0;
    for (; LLVMGetTypeKind(type) == kArray; type = LLVMGetElementType(type)) {
        dimensions++;
        bytes = bytesOf(type);
    }
    return dimensions > 1 ? bytes : 0;
}

bool hasLine(LLVMValueRef value)
{
    return value && LLVMIsAInstruction(value) && LLVMGetDebugLocLine(value) > 0;
}

// The vector that contains a component, and the component's index in it.
struct Component {
    LLVMValueRef base = nullptr;  // the pointer
    std::vector<LLVMValueRef> at; // the indices that lead to the vector
    LLVMTypeRef vector = nullptr; // null if the pointer is not known to lead to a vector
    unsigned index = 0;
};

bool isZero(LLVMValueRef value)
{
    return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == 0;
}

// Follows a pointer through elements of vectors and of arrays of vectors.
Component componentAt(LLVMValueRef pointer)
{
    while (LLVMIsACastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    Component found;
    found.base = pointer;
    if (!LLVMIsAGetElementPtrInst(pointer))
        return found;
    const unsigned operands = static_cast<unsigned>(LLVMGetNumOperands(pointer));
    LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
    std::vector<LLVMValueRef> at = {LLVMGetOperand(pointer, 1)};
    for (unsigned i = 2; i < operands && LLVMGetTypeKind(type) == kArray; i++) {
        type = LLVMGetElementType(type);
        at.push_back(LLVMGetOperand(pointer, i));
    }
    if (LLVMGetTypeKind(type) != kVector)
        return found;
    const bool isOfVector = at.size() + 2 == operands;
    LLVMValueRef index = LLVMGetOperand(pointer, operands - 1);
    if (isOfVector && !LLVMIsAConstantInt(index))
        return found;
    if (isOfVector && at.size() == 1 && isZero(at[0])) {
        found = componentAt(LLVMGetOperand(pointer, 0));
    } else {
        found.base = LLVMGetOperand(pointer, 0);
        found.at = at;
    }
    found.vector = isOfVector ? type : nullptr;
    found.index = isOfVector ? static_cast<unsigned>(LLVMConstIntGetZExtValue(index)) : 0;
    return found;
}

Component componentOf(LLVMValueRef access)
{
    Component found = componentAt(LLVMGetOperand(access, LLVMIsAStoreInst(access) ? 1 : 0));
    LLVMTypeRef type = typeOf(access);
    if (LLVMGetTypeKind(type) == kVector) {
        found.vector = type;
        found.index = wholeVector;
    }
    return found;
}
} // namespace

unsigned rowBytesOf(LLVMValueRef instruction)
{
    std::vector<LLVMValueRef> pending = {pointerOf(instruction)};
    for (size_t i = 0; i < pending.size() && i < mostValues && pending[i]; i++) {
        LLVMValueRef at = pending[i];
        unsigned bytes = 0;
        if (LLVMIsAGetElementPtrInst(at))
            bytes = bytesOfRow(LLVMGetGEPSourceElementType(at), !isZero(LLVMGetOperand(at, 1)));
        else if (LLVMIsAGlobalVariable(at))
            bytes = bytesOfRow(LLVMGlobalGetValueType(at), false);
        else if (LLVMIsAAllocaInst(at))
            bytes = bytesOfRow(LLVMGetAllocatedType(at), false);
        if (bytes > 0)
            return bytes;
        if (std::find(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(i), at) ==
            pending.begin() + static_cast<std::ptrdiff_t>(i))
            addSources(at, pending);
    }
    return 0;
}

bool isGathered(LLVMValueRef instruction)
{
    std::vector<LLVMValueRef> pending = {pointerOf(instruction)};
    for (size_t i = 0; i < pending.size() && i < 4 * mostValues && pending[i]; i++) {
        LLVMValueRef at = pending[i];
        const auto end = pending.begin() + static_cast<std::ptrdiff_t>(i);
        if (std::find(pending.begin(), end, at) != end)
            continue;
        if (LLVMIsAArgument(at))
            addPassed(at, pending);
        if (LLVMIsAAllocaInst(at)) {
            for (LLVMUseRef use = LLVMGetFirstUse(at); use; use = LLVMGetNextUse(use))
                if (LLVMIsAStoreInst(LLVMGetUser(use)))
                    pending.push_back(LLVMGetOperand(LLVMGetUser(use), 0));
            continue;
        }
        const bool isLoad = LLVMIsALoadInst(at),
                   isPrivate = isLoad && spaceOf(at) == BL_WIRE_PRIVATE;
        if (isLoad && !isPrivate && !loops::isSameForAll(at, at))
            return true;
        if (!LLVMIsAInstruction(at) || LLVMIsACallInst(at) || (isLoad && !isPrivate))
            continue;
        for (unsigned k = 0; LLVMIsAPHINode(at) && k < LLVMCountIncoming(at); k++)
            pending.push_back(LLVMGetIncomingValue(at, k));
        for (int k = 0; !LLVMIsAPHINode(at) && k < LLVMGetNumOperands(at); k++)
            pending.push_back(LLVMGetOperand(at, static_cast<unsigned>(k)));
    }
    return false;
}

bool isOfImage(LLVMValueRef instruction)
{
    const std::string name = nameOfCalled(instruction);
    return name.find("read_image") != std::string::npos ||
           name.find("write_image") != std::string::npos;
}

bool isPrintf(LLVMValueRef instruction) { return nameOfCalled(instruction) == "printf"; }

Parts partsOf(LLVMValueRef access)
{
    Parts parts;
    const bool isStore = LLVMIsAStoreInst(access);
    if (!isStore && (!LLVMIsALoadInst(access) || LLVMGetTypeKind(LLVMTypeOf(access)) == kVector))
        return parts;
    const Component own = componentOf(access);
    uint64_t indices = 0; // bits of the indices accessed since `first`
    bool isMet = false;   // whether `access` itself was reached
    LLVMValueRef first = nullptr;
    LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetInstructionParent(access));
    for (; at; at = LLVMGetNextInstruction(at)) {
        const bool isLike = areAlike(at, access);
        const Component other = isLike ? componentOf(at) : Component{};
        const bool isPart = isLike && other.base == own.base && other.at == own.at;
        const uint64_t bit = isPart ? uint64_t{1} << other.index % 64 : 0;
        if ((!isStore && mayWrite(at)) || (indices & bit)) { // the rest is another access
            if (isMet)
                break;
            first = nullptr;
            indices = 0;
            parts.vector = nullptr;
        }
        if (!isPart)
            continue;
        first = first ? first : at;
        parts.vector = other.vector ? other.vector : parts.vector;
        indices |= bit;
        isMet |= at == access;
    }
    const bool isSeveral = (indices & (indices - 1)) != 0;
    if (isSeveral && parts.vector && LLVMGetElementType(parts.vector) == scalarOf(access)) {
        const uint64_t whole = uint64_t{1} << wholeVector;
        unsigned from = 0, end = LLVMGetVectorSize(parts.vector);
        if (isStore && !(indices & whole)) {
            while (!(indices & uint64_t{1} << from))
                from++;
            while (!(indices & uint64_t{1} << (end - 1)))
                end--;
        }
        parts.first = first;
        parts.count = end - from;
        parts.index = own.index == wholeVector ? 0 : own.index - from;
    }
    return parts;
}

// What a compiler knows of an address's base. It inlines functions that are passed private arrays.
static bl_wire_index knowledgeOfBase(LLVMValueRef base)
{
    if (LLVMIsAArgument(base)) {
        const bool isOfKernel =
            LLVMGetFunctionCallConv(LLVMGetParamParent(base)) == kernelConvention;
        const bool isPrivate = LLVMGetPointerAddressSpace(LLVMTypeOf(base)) == BL_WIRE_PRIVATE;
        return isOfKernel || isPrivate ? BL_WIRE_INDEX_CONSTANT : BL_WIRE_INDEX_DYNAMIC;
    }
    if (LLVMIsAPHINode(base))
        return BL_WIRE_INDEX_UNSURE;
    return LLVMIsAConstant(base) || LLVMIsAAllocaInst(base) ? BL_WIRE_INDEX_CONSTANT
                                                            : BL_WIRE_INDEX_DYNAMIC;
}

bl_wire_index indexOf(LLVMValueRef instruction, bool *isIndexed)
{
    bl_wire_index known = BL_WIRE_INDEX_CONSTANT;
    LLVMValueRef at = pointerOf(instruction);
    const bool isOfArray = spaceOf(instruction) == BL_WIRE_PRIVATE;
    while (at && (LLVMIsAGetElementPtrInst(at) || LLVMIsACastInst(at))) {
        for (int i = 1; LLVMIsAGetElementPtrInst(at) && i < LLVMGetNumOperands(at); i++) {
            LLVMValueRef index = LLVMGetOperand(at, static_cast<unsigned>(i));
            known = std::max(known, constants::knowledgeOf(index, isOfArray));
        }
        at = LLVMGetOperand(at, 0);
    }
    *isIndexed = known != BL_WIRE_INDEX_CONSTANT;
    known = at ? std::max(known, knowledgeOfBase(at)) : known;
    const bool isAtomic = nameOfCalled(instruction).find("atom") != std::string::npos;
    if (!isAtomic || known == BL_WIRE_INDEX_CONSTANT)
        return known;
    // Lanes may have left the loop of a counter at different times.
    const bool isUniform = loops::isSameForAll(pointerOf(instruction), instruction);
    return !isUniform                       ? BL_WIRE_INDEX_DYNAMIC
           : known == BL_WIRE_INDEX_DYNAMIC ? BL_WIRE_INDEX_UNIFORM
                                            : known;
}

// The arguments and variables that a pointer may be computed from; empty if one of them is unknown.
// isPassed: a function's argument stands for what its callers pass, and a variable for what it
// holds.
static std::vector<LLVMValueRef> originsOf(LLVMValueRef pointer, bool isPassed)
{
    std::vector<LLVMValueRef> origins, pending = {pointer};
    for (size_t i = 0; i < pending.size() && i < mostValues; i++) {
        LLVMValueRef at = pending[i];
        if (std::find(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(i), at) !=
            pending.begin() + static_cast<std::ptrdiff_t>(i))
            continue;
        if (isPassed && LLVMIsAArgument(at) && addPassed(at, pending))
            continue;
        if (isPassed && LLVMIsAAllocaInst(at) && addStored(at, pending))
            continue;
        const bool isNamed =
            LLVMIsAArgument(at) || LLVMIsAGlobalVariable(at) || LLVMIsAAllocaInst(at);
        if (!isNamed && addSources(at, pending))
            continue;
        if (!isNamed)
            return {};
        origins.push_back(at);
    }
    return pending.size() <= mostValues ? origins : std::vector<LLVMValueRef>();
}

bool isOfDeclared(LLVMValueRef instruction)
{
    LLVMValueRef pointer = pointerOf(instruction);
    if (!pointer || spaceOf(instruction) != BL_WIRE_CONSTANT)
        return false;
    const std::vector<LLVMValueRef> origins = originsOf(pointer, true);
    return !origins.empty() && std::all_of(origins.begin(), origins.end(), [](LLVMValueRef at) {
        return LLVMIsAGlobalVariable(at);
    });
}

// The sorted names of the origins; empty if one has no name.
static std::vector<std::string> namesOf(const std::vector<LLVMValueRef> &origins)
{
    std::vector<std::string> names;
    for (LLVMValueRef origin : origins) {
        names.push_back(ownName(origin));
        if (names.back().empty())
            return {};
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

std::string arrayOf(LLVMValueRef instruction)
{
    constexpr size_t mostNames = 4;
    LLVMValueRef pointer = pointerOf(instruction);
    if (!pointer)
        return "";
    std::vector<std::string> origins = namesOf(originsOf(pointer, true));
    if (origins.size() != 1) {
        const std::vector<std::string> own = namesOf(originsOf(pointer, false));
        origins = own.empty() ? origins : own;
    }
    std::string names;
    for (size_t i = 0; i < origins.size() && origins.size() <= mostNames; i++)
        names += (i ? BL_WIRE_OR : "") + origins[i];
    return names;
}

LLVMValueRef placeOf(LLVMValueRef access)
{
    std::vector<LLVMValueRef> candidates = {access, pointerOf(access)};
    if (LLVMIsAStoreInst(access))
        candidates.push_back(LLVMGetOperand(access, 0));
    for (size_t i = 0; i < candidates.size() && i < mostValues; i++) {
        LLVMValueRef at = candidates[i];
        if (hasLine(at))
            return at;
        if (at && LLVMIsAPHINode(at))
            for (unsigned k = 0; k < LLVMCountIncoming(at); k++)
                candidates.push_back(LLVMGetIncomingValue(at, k));
    }
    LLVMValueRef near = nullptr; // the nearest earlier instruction with a line, else a later one
    bool isBehind = false;
    LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetInstructionParent(access));
    for (; at && !(isBehind && near); at = LLVMGetNextInstruction(at)) {
        isBehind |= at == access;
        near = hasLine(at) ? at : near;
    }
    return near ? near : access;
}

std::string callSitesOf(LLVMValueRef instruction)
{
    std::string sites;
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(instruction);
    for (at = at ? LLVMDILocationGetInlinedAt(at) : nullptr; at;
         at = LLVMDILocationGetInlinedAt(at))
        sites += (sites.empty() ? "" : ",") + std::to_string(LLVMDILocationGetLine(at)) + ":" +
                 std::to_string(LLVMDILocationGetColumn(at));
    return sites;
}

// Whether a loop goes on or ends depending on a value, possibly after a few operations.
bool decidesLoop(LLVMValueRef value, unsigned depth = 4)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use && depth > 0; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user) && LLVMGetInstructionOpcode(user) == kBranch
                ? loops::leaves(user)
                : decidesLoop(user, depth - 1))
            return true;
    }
    return false;
}

// Whether one lane can do an atomic for all lanes (bl_wire_instruction).
bool isCombined(LLVMValueRef atomic, const std::string &called)
{
    const size_t begin = called.find("atom");
    if (begin == std::string::npos)
        return false;
    for (const char *operation : {"_add", "_sub", "_inc", "_dec"})
        if (called.find(operation, begin) != std::string::npos)
            return true;
    for (const char *operation : {"_min", "_max", "_and", "_or", "_xor"})
        if (called.find(operation, begin) != std::string::npos)
            return !LLVMGetFirstUse(atomic);
    return false;
}

// Whether an atomic adds 1 and its result is not used.
bool countsLanes(LLVMValueRef atomic, const std::string &called)
{
    const size_t begin = called.find("atom");
    if (begin == std::string::npos || LLVMGetFirstUse(atomic))
        return false;
    if (called.find("_inc", begin) != std::string::npos)
        return true;
    LLVMValueRef added = called.find("_add", begin) != std::string::npos
                             ? LLVMIsAConstantInt(LLVMGetOperand(atomic, 1))
                             : nullptr;
    return added && LLVMConstIntGetSExtValue(added) == 1;
}

// The alignment that the compiler knows (bl_wire_instruction). vloadn and vstoren are calls here.
uint32_t alignmentOf(LLVMValueRef instruction, const std::string &called,
                     const bl_wire_instruction &told)
{
    constexpr uint32_t mostBytes = 16; // which a work-item accesses at once
    const bool isVector =
        called.find("vload") != std::string::npos || called.find("vstore") != std::string::npos;
    if (isVector)
        return called.find("half") == std::string::npos ? told.component_bytes : 0;
    if (!LLVMIsALoadInst(instruction) && !LLVMIsAStoreInst(instruction))
        return 0;
    const uint32_t components = told.components == 3 ? 4 : told.components,
                   natural = std::min(mostBytes, components * told.component_bytes),
                   known = LLVMGetAlignment(instruction);
    return known < natural ? known : 0;
}

bl_wire_instruction describe(LLVMValueRef instruction, const Parts &parts)
{
    bl_wire_instruction told = {};
    LLVMValueRef place = placeOf(instruction);
    told.line = LLVMGetDebugLocLine(place);
    told.column = LLVMGetDebugLocColumn(place);
    LLVMTypeRef type = parts.first ? parts.vector : LLVMTypeOf(instruction);
    if (!parts.first && LLVMIsAStoreInst(instruction))
        type = LLVMTypeOf(LLVMGetOperand(instruction, 0));
    else if (!parts.first && !LLVMIsALoadInst(instruction) && bytesOfScalar(type) == 0 &&
             LLVMGetTypeKind(type) != kVector && LLVMGetNumOperands(instruction) > 1)
        type = LLVMTypeOf(LLVMGetOperand(instruction, 0)); // vstoren: the stored value
    told.components = 1;
    if (LLVMGetTypeKind(type) == kVector) {
        told.components = parts.first ? parts.count : LLVMGetVectorSize(type);
        type = LLVMGetElementType(type);
    }
    told.component_bytes = bytesOfScalar(type);
    const std::string called = nameOfCalled(instruction);
    told.alignment = parts.first ? 0 : alignmentOf(instruction, called, told);
    told.exchange = called.find("cmpxchg") == std::string::npos ? BL_WIRE_NO_EXCHANGE
                    : decidesLoop(instruction)                  ? BL_WIRE_EXCHANGE_RETRIED
                                                                : BL_WIRE_EXCHANGE_ONCE;
    told.is_combined = isCombined(instruction, called);
    told.counts_lanes = told.component_bytes == 4 && countsLanes(instruction, called);
    told.row_bytes = rowBytesOf(instruction);
    told.is_gathered = isGathered(instruction);
    told.aligned_bytes = parts.first ? 0 : addresses::alignedBytesOf(instruction);
    told.at_once = loops::copiesAtOnce(instruction);
    const bool isLoad = LLVMIsALoadInst(instruction) != nullptr,
               isAccess = isLoad || LLVMIsAStoreInst(instruction) != nullptr;
    told.is_once = isAccess && addresses::isOnce(instruction);
    told.may_change = isLoad && addresses::mayChange(instruction);
    told.passes_stores = isLoad && addresses::passesStores(instruction);
    told.is_irregular = isAccess && addresses::isIrregular(instruction);
    told.is_volatile = isAccess && LLVMGetVolatile(instruction);
    return told;
}
