// Addresses are compared as LLVM's values, and as sums of them.
//
// Alignment: for a load from an array in local memory, finds which power of two divides its
// address, as far as a compiler knows. Loads of neighbouring words are joined into one of 8 or 16
// bytes (stream_build.c) only if this is known.
//
// NVIDIA's compiler joins loads from an array in local memory that the kernel declares, if it knows
// that the address of the first one is divisible by the size of the joined load. (An array that is
// passed to the kernel may begin anywhere.) The constants in an index do not matter, because they
// only decide which loads are joined. The counter of a loop that is unrolled completely is a
// constant; if a compiler runs n iterations at once, the counter is a multiple of n steps, plus a
// constant. This agrees with what NVIDIA's driver 580.159.04 makes of some thirty kernels.
#include "trace/oclgrind_addresses.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>

#include "trace/oclgrind_blocks.hpp"
#include "trace/oclgrind_constants.hpp"
#include "trace/oclgrind_instructions.hpp"
#include "trace/oclgrind_loops.hpp"
#include "trace/wire.h"

using blocks::Body;
using blocks::isBehindBranch;
using blocks::isUnconditional;
using blocks::loopOf;

namespace
{
// A factor is 0 or a power of two up to this one, which also stands for a constant.
constexpr uint64_t mostFactor = 1 << 16;

uint64_t factorOf(uint64_t number)
{
    return number == 0 ? mostFactor : std::min(mostFactor, number & (~number + 1));
}

uint64_t productOf(uint64_t factor, uint64_t other) { return std::min(mostFactor, factor * other); }

constexpr unsigned mostDepth = 24; // of an expression; deeper ones count as unknown values

uint64_t factorOf(LLVMValueRef value, unsigned depth);

// The constant that `next` adds to a phi, counted in elements if the phi is a pointer; null if it
// does anything else.
LLVMValueRef addedBy(LLVMValueRef next, LLVMValueRef phi)
{
    const int opcode = LLVMIsAInstruction(next) ? LLVMGetInstructionOpcode(next) : 0;
    const bool isSum = (opcode == kAdd || opcode == kGetElementPtr) &&
                       LLVMGetNumOperands(next) == 2 && LLVMGetOperand(next, 0) == phi;
    return isSum ? LLVMIsAConstantInt(LLVMGetOperand(next, 1)) : nullptr;
}

// The factor of a loop's counter. 0 if its beginning is not known when the kernel is compiled, or
// if its step is not constant and the loop is not unrolled completely: the compiler then does not
// know the alignment, even if the index multiplies the counter by a power of two. 1 if the phi is
// not a counter.
uint64_t factorOfPhi(LLVMValueRef phi)
{
    const int64_t atOnce = loops::iterationsAtOnce(phi);
    uint64_t factor = mostFactor;
    bool isCounter = false;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, i);
        if (!loops::isFromEnd(phi, i)) {
            factor = constants::isKnown(next) ? factor : 0;
            continue;
        }
        isCounter = true;
        if (atOnce == INT64_MAX)
            continue;
        LLVMValueRef step = addedBy(next, phi);
        const uint64_t added = step ? LLVMConstIntGetZExtValue(step) : 1;
        const uint64_t each = productOf(factorOf(added), static_cast<uint64_t>(atOnce));
        factor = step ? std::min(factor, each) : 0;
    }
    return isCounter ? factor : 1;
}

// The factor of a product or a shift.
uint64_t factorOfScaled(LLVMValueRef product, unsigned depth)
{
    LLVMValueRef constant = LLVMIsAConstantInt(LLVMGetOperand(product, 1));
    const uint64_t factor = factorOf(LLVMGetOperand(product, 0), depth);
    if (!constant)
        return LLVMGetInstructionOpcode(product) == kMultiply
                   ? std::min(factor, factorOf(LLVMGetOperand(product, 1), depth))
                   : 1;
    const uint64_t number = LLVMConstIntGetZExtValue(constant);
    return productOf(factor, LLVMGetInstructionOpcode(product) == kMultiply
                                 ? factorOf(number)
                                 : factorOf(uint64_t{1} << std::min<uint64_t>(number, 63)));
}

// The largest power of two that divides a value after some constant is subtracted.
uint64_t factorOf(LLVMValueRef value, unsigned depth)
{
    if (LLVMIsAConstant(value))
        return mostFactor;
    if (!LLVMIsAInstruction(value) || ++depth > mostDepth)
        return 1;
    switch (LLVMGetInstructionOpcode(value)) {
    case kAdd:
    case kSubtract:
    case kOr: // the low bits of both operands are constant, so those of the result are, too
        return std::min(factorOf(LLVMGetOperand(value, 0), depth),
                        factorOf(LLVMGetOperand(value, 1), depth));
    case kMultiply:
    case kShiftLeft:
        return factorOfScaled(value, depth);
    case kAnd: {
        LLVMValueRef mask = LLVMIsAConstantInt(LLVMGetOperand(value, 1));
        return mask ? factorOf(LLVMConstIntGetZExtValue(mask)) : 1;
    }
    case kPhi:
        return factorOfPhi(value);
    case kTruncate:
    case kZeroExtend:
    case kSignExtend:
    case kFreeze:
        return factorOf(LLVMGetOperand(value, 0), depth);
    default:
        return 1;
    }
}

uint64_t roundUp(uint64_t bytes, uint64_t to) { return to ? (bytes + to - 1) / to * to : bytes; }

struct Size {
    uint64_t bytes, alignment;
};

// The size of a type in memory, 0 if not known, and its alignment.
Size sizeOf(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case kArray: {
        const Size element = sizeOf(LLVMGetElementType(type));
        return {element.bytes * LLVMGetArrayLength(type), element.alignment};
    }
    case kVector: {
        const uint64_t count = LLVMGetVectorSize(type),
                       bytes = sizeOf(LLVMGetElementType(type)).bytes * (count == 3 ? 4 : count);
        return {bytes, bytes};
    }
    case kStruct: {
        Size all = {0, 1};
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
            const Size one = sizeOf(LLVMStructGetTypeAtIndex(type, i));
            const uint64_t alignment = LLVMIsPackedStruct(type) ? 1 : one.alignment;
            all.bytes = roundUp(all.bytes, alignment) + one.bytes;
            all.alignment = std::max(all.alignment, alignment);
        }
        return {roundUp(all.bytes, all.alignment), all.alignment};
    }
    default: {
        const uint64_t bytes = bytesOfScalar(type);
        return {bytes, std::max<uint64_t>(1, bytes)};
    }
    }
}

// The factor of what the indices of an address add to its base.
uint64_t factorOfIndices(LLVMValueRef address)
{
    uint64_t factor = mostFactor;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
    for (int i = 1; i < LLVMGetNumOperands(address); i++) {
        const int kind = LLVMGetTypeKind(type);
        LLVMValueRef index = LLVMGetOperand(address, static_cast<unsigned>(i));
        if (i > 1 && kind == kStruct) { // a constant
            type = LLVMStructGetTypeAtIndex(type,
                                            static_cast<unsigned>(LLVMConstIntGetZExtValue(index)));
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        const uint64_t bytes = sizeOf(type).bytes;
        factor = std::min(factor, productOf(factorOf(index, 0), bytes ? factorOf(bytes) : 1));
    }
    return factor;
}

// Whether a phi is the counter of a loop that is unrolled completely, and so a constant.
bool isOfUnrolled(LLVMValueRef phi)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (loops::isFromEnd(phi, i) ? !addedBy(LLVMGetIncomingValue(phi, i), phi)
                                     : !constants::isKnown(LLVMGetIncomingValue(phi, i)))
            return false;
    return loops::iterationsAtOnce(phi) == INT64_MAX;
}

// Whether a value of the loop is the same in each iteration: it is computed without loads from what
// was computed before the loop, and from ids and sizes of the grid. takesUnrolled: also true if it
// is computed from counters of loops that are unrolled completely.
bool isRepeated(LLVMValueRef value, const Body &body, std::unordered_set<LLVMValueRef> &seen,
                bool takesUnrolled = false)
{
    constexpr size_t mostValues = 1000; // of an expression that is followed
    if (blocks::isInvariant(value, body) || !seen.insert(value).second)
        return true;
    const int opcode = LLVMGetInstructionOpcode(value);
    if (seen.size() > mostValues)
        return false;
    if (opcode == kPhi)
        return takesUnrolled && isOfUnrolled(value);
    if (opcode == kLoad || opcode == kAlloca ||
        (opcode == kCall && nameOfCalled(value).find("get_") == std::string::npos))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        if (!isRepeated(LLVMGetOperand(value, static_cast<unsigned>(i)), body, seen, takesUnrolled))
            return false;
    return true;
}

// Whether two values of a function are computed by the same operations from the same values.
bool isSameValue(LLVMValueRef one, LLVMValueRef other)
{
    if (one == other)
        return true;
    if (!LLVMIsAInstruction(one) || !LLVMIsAInstruction(other))
        return false;
    const int opcode = LLVMGetInstructionOpcode(one);
    if (opcode != LLVMGetInstructionOpcode(other) || opcode == kPhi || opcode == kLoad ||
        opcode == kAlloca || LLVMTypeOf(one) != LLVMTypeOf(other) ||
        LLVMGetNumOperands(one) != LLVMGetNumOperands(other))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(one); i++)
        if (!isSameValue(LLVMGetOperand(one, static_cast<unsigned>(i)),
                         LLVMGetOperand(other, static_cast<unsigned>(i))))
            return false;
    return true;
}

// Whether a base is an array that the program declares.
bool isArray(LLVMValueRef base) { return LLVMIsAGlobalVariable(base) || LLVMIsAAllocaInst(base); }

// Whether a base is an argument of the function that has this attribute of LLVM's.
bool isArgumentThatIs(const char *attribute, LLVMValueRef base)
{
    if (!LLVMIsAArgument(base))
        return false;
    LLVMValueRef function = LLVMGetParamParent(base);
    unsigned number = 0;
    while (LLVMGetParam(function, number) != base)
        number++;
    const unsigned kind = LLVMGetEnumAttributeKindForName(attribute, std::strlen(attribute));
    return LLVMGetEnumAttributeAtIndex(function, number + 1, kind) != nullptr;
}

// Whether a base is an argument that is declared with `restrict`.
bool isUnaliased(LLVMValueRef base) { return isArgumentThatIs("noalias", base); }

// Whether a call may access memory that several work-items share, or waits for other work-items.
bool mayAccess(LLVMValueRef call)
{
    const std::string called = nameOfCalled(call);
    if (called.empty() || !LLVMIsDeclaration(LLVMGetCalledValue(call)))
        return true;
    for (const char *accessing :
         {"barrier", "fence", "atom", "vload", "vstore", "async", "llvm.mem"})
        if (called.find(accessing) != std::string::npos)
            return true;
    return false;
}

// An address or index as a sum: for each value that is not a constant, its factor. The second part
// of a key stands for the size of the elements that an index counts.
using Sum = std::map<std::pair<LLVMValueRef, uint64_t>, int64_t>;

// Whether a bitwise or adds its constant: the other operand is shifted beyond its bits.
bool isSumOfBits(LLVMValueRef value, uint64_t constant)
{
    LLVMValueRef shift = LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == kShiftLeft
                             ? LLVMIsAConstantInt(LLVMGetOperand(value, 1))
                             : nullptr;
    return shift && constant >> std::min<uint64_t>(LLVMConstIntGetZExtValue(shift), 63) == 0;
}

void addTerms(LLVMValueRef value, int64_t factor, uint64_t unit, unsigned depth, Sum &sum)
{
    const int opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : 0;
    LLVMValueRef left = opcode ? LLVMGetOperand(value, 0) : nullptr,
                 right =
                     opcode && LLVMGetNumOperands(value) > 1 ? LLVMGetOperand(value, 1) : nullptr,
                 constant = right ? LLVMIsAConstantInt(right) : nullptr;
    const uint64_t number = constant ? LLVMConstIntGetZExtValue(constant) : 0;
    if (LLVMIsAConstant(value))
        return;
    if (depth == mostDepth) {
        sum[{value, unit}] += factor;
    } else if (opcode == kAdd || opcode == kSubtract) {
        addTerms(left, factor, unit, depth + 1, sum);
        addTerms(right, opcode == kAdd ? factor : -factor, unit, depth + 1, sum);
    } else if (constant && opcode == kMultiply) {
        addTerms(left, factor * LLVMConstIntGetSExtValue(constant), unit, depth + 1, sum);
    } else if (constant && opcode == kShiftLeft) {
        addTerms(left, factor * (int64_t{1} << (number & 31)), unit, depth + 1, sum);
    } else if ((constant && opcode == kOr && isSumOfBits(left, number)) ||
               (opcode && loops::isRenaming(opcode))) {
        addTerms(left, factor, unit, depth + 1, sum);
    } else {
        sum[{value, unit}] += factor;
    }
}

// What a pointer adds to its base.
Sum sumOf(LLVMValueRef pointer)
{
    Sum sum;
    for (; LLVMIsAGetElementPtrInst(pointer) || LLVMIsACastInst(pointer);
         pointer = LLVMGetOperand(pointer, 0))
        for (int i = 1; LLVMIsAGetElementPtrInst(pointer) && i < LLVMGetNumOperands(pointer); i++)
            addTerms(LLVMGetOperand(pointer, static_cast<unsigned>(i)), 1,
                     reinterpret_cast<uintptr_t>(LLVMGetGEPSourceElementType(pointer)) +
                         static_cast<unsigned>(i),
                     0, sum);
    return sum;
}

// Whether each iteration of the loop changes a value by the same constant, or not at all.
bool isSteady(LLVMValueRef value, const Body &body)
{
    std::unordered_set<LLVMValueRef> seen;
    if (isRepeated(value, body, seen))
        return true;
    bool isCounter = LLVMIsAPHINode(value) != nullptr;
    for (unsigned i = 0; isCounter && i < LLVMCountIncoming(value); i++)
        isCounter = !body.count(LLVMGetIncomingBlock(value, i)) ||
                    addedBy(LLVMGetIncomingValue(value, i), value);
    return isCounter;
}

bool isRepeatedOrUnrolled(LLVMValueRef value, const Body &body)
{
    std::unordered_set<LLVMValueRef> seen;
    return isRepeated(value, body, seen, true);
}

// Whether each iteration of the loop adds the same to a phi.
bool addsTheSame(LLVMValueRef phi, const Body &body)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, i);
        if (!body.count(LLVMGetIncomingBlock(phi, i)))
            continue;
        const int opcode = LLVMIsAInstruction(next) ? LLVMGetInstructionOpcode(next) : 0;
        if ((opcode != kAdd && opcode != kSubtract && opcode != kGetElementPtr) ||
            LLVMGetNumOperands(next) != 2)
            return false;
        LLVMValueRef left = LLVMGetOperand(next, 0), right = LLVMGetOperand(next, 1);
        const bool isStepped = left == phi || (right == phi && opcode == kAdd);
        if (!isStepped || !isRepeatedOrUnrolled(left == phi ? right : left, body))
            return false;
    }
    return true;
}

// Whether a value is computed from counters of the loop by additions and multiplications alone, so
// that a compiler knows by how much each iteration changes it. seen: values visited before, which
// are assumed to be. False for expressions of more than mostValues values.
bool isLinear(LLVMValueRef value, const Body &body, std::unordered_set<LLVMValueRef> &seen)
{
    constexpr size_t mostValues = 200;
    if (!seen.insert(value).second || isRepeatedOrUnrolled(value, body))
        return true;
    if (seen.size() > mostValues)
        return false;
    const int opcode = LLVMGetInstructionOpcode(value);
    if (opcode == kPhi)
        return addsTheSame(value, body);
    const bool isScaled = opcode == kMultiply || opcode == kShiftLeft;
    LLVMValueRef left = LLVMGetOperand(value, 0),
                 right = LLVMGetNumOperands(value) > 1 ? LLVMGetOperand(value, 1) : nullptr;
    if (isScaled && isRepeatedOrUnrolled(right, body))
        return isLinear(left, body, seen);
    if (opcode == kMultiply)
        return isRepeatedOrUnrolled(left, body) && isLinear(right, body, seen);
    if (opcode == kOr &&
        (!LLVMIsAConstantInt(right) || !isSumOfBits(left, LLVMConstIntGetZExtValue(right))))
        return false;
    if (!loops::isRenaming(opcode) && opcode != kAdd && opcode != kSubtract && opcode != kOr &&
        opcode != kGetElementPtr)
        return false;
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        if (!isLinear(LLVMGetOperand(value, static_cast<unsigned>(i)), body, seen))
            return false;
    return true;
}

// Whether the distance between two addresses in one array is constant, also if one of them is of
// another iteration.
bool isConstantDistance(LLVMValueRef one, LLVMValueRef other, const Body &body)
{
    Sum sum = sumOf(one);
    bool isConstant = isSteady(baseOf(one), body);
    for (const auto &term : sum)
        isConstant &= term.second == 0 || isSteady(term.first.first, body);
    for (const auto &term : sumOf(other))
        sum[term.first] -= term.second;
    for (const auto &term : sum)
        isConstant &= term.second == 0;
    return isConstant;
}
} // namespace

uint32_t addresses::alignedBytesOf(LLVMValueRef access)
{
    if (!LLVMIsALoadInst(access) || spaceOf(access) != BL_WIRE_LOCAL ||
        bytesOfScalar(LLVMTypeOf(access)) < 4 || !blocks::isInStraightLine(access))
        return 0;
    uint64_t factor = BL_WIRE_MOST_ALIGNED;
    LLVMValueRef at = pointerOf(access);
    for (; LLVMIsAGetElementPtrInst(at) || LLVMIsACastInst(at); at = LLVMGetOperand(at, 0))
        if (LLVMIsAGetElementPtrInst(at))
            factor = std::min(factor, factorOfIndices(at));
    return LLVMIsAGlobalVariable(at) || LLVMIsAConstantExpr(at) ? static_cast<uint32_t>(factor) : 0;
}

bool addresses::isOnce(LLVMValueRef access)
{
    const Body body = loopOf(LLVMGetInstructionParent(access));
    LLVMValueRef pointer = pointerOf(access);
    std::unordered_set<LLVMValueRef> seen;
    if (body.empty() || LLVMGetVolatile(access) || !isRepeated(pointer, body, seen) ||
        isBehindBranch(access))
        return false;
    for (LLVMBasicBlockRef block : body)
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at;
             at = LLVMGetNextInstruction(at)) {
            const int opcode = LLVMGetInstructionOpcode(at);
            // A load matters only if a store is to be moved.
            const bool matters = opcode == kStore || (opcode == kLoad && LLVMIsAStoreInst(access));
            if ((opcode == kCall && mayAccess(at)) ||
                (matters && spaceOf(at) == spaceOf(access) && !isSameValue(pointerOf(at), pointer)))
                return false;
        }
    return true;
}

bool addresses::mayChange(LLVMValueRef load)
{
    const Body body = loopOf(LLVMGetInstructionParent(load));
    LLVMValueRef pointer = pointerOf(load), base = baseOf(pointer);
    for (LLVMBasicBlockRef block : body)
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at;
             at = LLVMGetNextInstruction(at)) {
            const int opcode = LLVMGetInstructionOpcode(at);
            const bool writes = opcode == kStore || (opcode == kCall && mayAccess(at));
            if (!writes || spaceOf(at) != spaceOf(load) || isUnconditional(at))
                continue;
            LLVMValueRef other = baseOf(pointerOf(at));
            const bool isApart = base != other && (isUnaliased(base) || isUnaliased(other) ||
                                                   (isArray(base) && isArray(other)));
            if (!isApart && !isSameValue(pointerOf(at), pointer))
                return true;
        }
    return false;
}

bool addresses::passesStores(LLVMValueRef load)
{
    const Body body = loopOf(LLVMGetInstructionParent(load));
    LLVMValueRef pointer = pointerOf(load), base = baseOf(pointer);
    const bool isOnlyRead = isUnaliased(base) && isArgumentThatIs("readonly", base);
    bool hasStores = false;
    for (LLVMBasicBlockRef block : body)
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at;
             at = LLVMGetNextInstruction(at)) {
            const int opcode = LLVMGetInstructionOpcode(at);
            if (opcode == kCall && mayAccess(at))
                return false;
            if (opcode != kStore || spaceOf(at) != spaceOf(load))
                continue;
            hasStores = true;
            if (!isOnlyRead && (baseOf(pointerOf(at)) != base ||
                                !isConstantDistance(pointer, pointerOf(at), body)))
                return false;
        }
    return hasStores;
}

bool addresses::isIrregular(LLVMValueRef access)
{
    const Body body = loops::rolledAround(access);
    std::unordered_set<LLVMValueRef> seen;
    return !body.empty() && !isLinear(pointerOf(access), body, seen);
}
