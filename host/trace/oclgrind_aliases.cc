// Addresses are compared as LLVM's values and as sums of them.
#include "trace/oclgrind_aliases.hpp"

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>

#include "trace/oclgrind_blocks.hpp"
#include "trace/oclgrind_instructions.hpp"

using blocks::Body;
using blocks::isBehindBranch;
using blocks::isUnconditional;
using blocks::loopOf;

namespace
{
// Whether a value of the loop is the same in each iteration: it is computed without loads from what
// was computed before the loop, and from ids and sizes of the grid.
bool isRepeated(LLVMValueRef value, const Body &body, std::unordered_set<LLVMValueRef> &seen)
{
    if (!LLVMIsAInstruction(value) || !body.count(LLVMGetInstructionParent(value)) ||
        !seen.insert(value).second)
        return true;
    const int opcode = LLVMGetInstructionOpcode(value);
    if (opcode == kPhi || opcode == kLoad || opcode == kAlloca ||
        (opcode == kCall && nameOfCalled(value).find("get_") == std::string::npos))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        if (!isRepeated(LLVMGetOperand(value, static_cast<unsigned>(i)), body, seen))
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

// The array, or the pointer that the function was given, into which a pointer leads.
LLVMValueRef baseOf(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsACastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
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

constexpr unsigned mostDepth = 24; // of an expression; deeper ones count as one value

void addTerms(LLVMValueRef value, int64_t factor, uint64_t unit, unsigned depth, Sum &sum)
{
    const int opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : 0;
    LLVMValueRef left = opcode ? LLVMGetOperand(value, 0) : nullptr,
                 right =
                     opcode && LLVMGetNumOperands(value) > 1 ? LLVMGetOperand(value, 1) : nullptr,
                 constant = right ? LLVMIsAConstantInt(right) : nullptr;
    if (LLVMIsAConstant(value))
        return;
    if (depth == mostDepth)
        sum[{value, unit}] += factor;
    else if (opcode == kAdd || opcode == kSubtract) {
        addTerms(left, factor, unit, depth + 1, sum);
        addTerms(right, opcode == kAdd ? factor : -factor, unit, depth + 1, sum);
    } else if (constant && opcode == kMultiply)
        addTerms(left, factor * LLVMConstIntGetSExtValue(constant), unit, depth + 1, sum);
    else if (constant && opcode == kShiftLeft)
        addTerms(left, factor << (LLVMConstIntGetZExtValue(constant) & 31), unit, depth + 1, sum);
    else if ((constant && opcode == kOr) || (opcode && loops::isRenaming(opcode)))
        addTerms(left, factor, unit, depth + 1, sum);
    else
        sum[{value, unit}] += factor;
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
    for (unsigned i = 0; isCounter && i < LLVMCountIncoming(value); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(value, i);
        isCounter = !body.count(LLVMGetIncomingBlock(value, i)) ||
                    (LLVMIsAInstruction(next) && LLVMGetNumOperands(next) == 2 &&
                     (LLVMGetInstructionOpcode(next) == kAdd || LLVMIsAGetElementPtrInst(next)) &&
                     LLVMGetOperand(next, 0) == value && LLVMIsAConstant(LLVMGetOperand(next, 1)));
    }
    return isCounter;
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

bool aliases::isOnce(LLVMValueRef access)
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

bool aliases::mayChange(LLVMValueRef load)
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

bool aliases::passesStores(LLVMValueRef load)
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
