// Follows a value back to what it is computed from, through arguments of inlined functions and the
// counters of short loops. Oclgrind runs the program as LLVM has optimized it; a device's compiler
// unrolls more loops, and thereby knows more indices.
#include "trace/oclgrind_constants.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>

#include "trace/oclgrind_blocks.hpp"
#include "trace/oclgrind_costs.hpp"
#include "trace/oclgrind_instructions.hpp"

namespace
{
constexpr int64_t unknown = INT64_MAX;

// Whether an operation is arithmetic of integers or floats, a bitwise operation, a conversion
// between integers, or a freeze.
bool isArithmetic(int opcode)
{
    return (opcode >= kAdd && opcode <= kXor) || (opcode >= kTruncate && opcode <= kSignExtend) ||
           opcode == kFreeze;
}

// The result of an operation on two constants; `unknown` for large numbers, for division by 0, for
// shifts by a negative number or by more than 31, for unsigned operations on a negative `left`, and
// for operations that are not listed here.
int64_t resultOf(int opcode, int64_t left, int64_t right)
{
    constexpr int64_t most = INT32_MAX;
    const bool isShift = right >= 0 && right < 32;
    const bool isUnsigned = opcode == kUnsignedDivision || opcode == kLogicalShiftRight;
    if (left < -most || left > most || right < -most || right > most || (isUnsigned && left < 0))
        return unknown;
    switch (opcode) {
    case kAdd:
        return left + right;
    case kSubtract:
        return left - right;
    case kMultiply:
        return left * right;
    case kUnsignedDivision:
    case kSignedDivision:
        return right != 0 ? left / right : unknown;
    case kShiftLeft:
        return isShift ? left * (int64_t{1} << right) : unknown;
    case kLogicalShiftRight:
    case kArithmeticShiftRight:
        return isShift ? left >> right : unknown;
    default:
        return unknown;
    }
}

// The value of an integer that is computed from constants; `unknown` if it is not. If a function's
// callers pass several values for an argument, uses the largest of them if `isLargest`, otherwise
// the smallest.
int64_t constantOf(LLVMValueRef value, bool isLargest, unsigned depth = 0)
{
    constexpr unsigned deepest = 6;
    if (LLVMIsAConstantInt(value))
        return LLVMConstIntGetSExtValue(value);
    if (depth == deepest)
        return unknown;
    if (LLVMIsAArgument(value)) {
        int64_t least = unknown, most = INT64_MIN;
        for (LLVMValueRef passed : constants::passedFor(value)) {
            const int64_t one = constantOf(passed, isLargest, depth + 1);
            least = std::min(least, one);
            most = std::max(most, one);
        }
        return most == INT64_MIN || most == unknown ? unknown : isLargest ? most : least;
    }
    const int opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : kPhi;
    if (loops::isRenaming(opcode))
        return constantOf(LLVMGetOperand(value, 0), isLargest, depth + 1);
    if (!isArithmetic(opcode) || LLVMGetNumOperands(value) != 2)
        return unknown;
    const int64_t left = constantOf(LLVMGetOperand(value, 0), isLargest, depth + 1);
    return left == unknown
               ? unknown
               : resultOf(opcode, left, constantOf(LLVMGetOperand(value, 1), isLargest, depth + 1));
}

// Whether a pointer points into a constant array of the program. Arrays in local memory are global
// variables, too.
bool isOfTable(LLVMValueRef pointer)
{
    LLVMValueRef base = baseOf(pointer);
    return LLVMIsAGlobalVariable(base) &&
           LLVMGetPointerAddressSpace(LLVMTypeOf(base)) != BL_WIRE_LOCAL;
}

// Whether a call computes integers from its arguments alone.
bool isComputing(LLVMValueRef call)
{
    const std::string name = nameOfCalled(call);
    for (const char *one : {"llvm.", "_Z3min", "_Z3max", "_Z5clamp", "_Z5mul24", "_Z5mad24"})
        if (name.compare(0, std::string(one).size(), one) == 0)
            return true;
    return false;
}

// How often an inner loop that contains a block repeats; 1 if `body` is the block's innermost loop,
// or if the number is not known: a compiler that unrolls the outer loop leaves such a loop as it
// is.
int64_t repeatsOf(LLVMBasicBlockRef block, const blocks::Body &body)
{
    const blocks::Body inner = blocks::loopOf(block);
    int64_t repeats = unknown;
    for (LLVMBasicBlockRef one : inner)
        for (LLVMValueRef phi = LLVMGetFirstInstruction(one);
             inner.size() < body.size() && phi && LLVMIsAPHINode(phi);
             phi = LLVMGetNextInstruction(phi))
            repeats = std::min(repeats, constants::iterationsOf(phi));
    return repeats == unknown ? 1 : std::max<int64_t>(1, repeats);
}

// Whether all iterations of a loop together have so few instructions that a compiler unrolls it to
// keep a private array in registers.
bool isUnrolledForArray(LLVMValueRef phi)
{
    constexpr int64_t mostInstructions = 2100;
    const int64_t iterations = constants::iterationsOf(phi);
    LLVMBasicBlockRef header = LLVMGetInstructionParent(phi);
    if (iterations > mostInstructions)
        return false;
    const blocks::Body &body = blocks::loopFrom(header);
    int64_t size = 0;
    for (LLVMBasicBlockRef block : body)
        size += repeatsOf(block, body) * costs::sizeOfBlock(block);
    return size > 0 && size <= mostInstructions / std::max<int64_t>(1, iterations);
}

// Whether a phi counts the iterations of a short loop: its next value is the result of an operation
// on it. isOfArray: it is part of an index of a private array.
bool isShort(LLVMValueRef phi, bool isOfArray)
{
    bool isStepped = false;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, i);
        const bool isOperation = LLVMIsAInstruction(next) && !LLVMIsAPHINode(next);
        for (int j = 0; isOperation && j < LLVMGetNumOperands(next); j++)
            isStepped |= LLVMGetOperand(next, static_cast<unsigned>(j)) == phi;
    }
    return isStepped && (constants::iterationsOf(phi) <= constants::fewIterations ||
                         (isOfArray && isUnrolledForArray(phi)));
}

// Whether a phi counts the iterations of a short loop, or is in the same block as one that does.
bool isInShortLoop(LLVMValueRef phi, bool isOfArray)
{
    for (LLVMValueRef other = LLVMGetFirstInstruction(LLVMGetInstructionParent(phi));
         other && LLVMIsAPHINode(other); other = LLVMGetNextInstruction(other))
        if (isShort(other, isOfArray))
            return true;
    return false;
}

// Whether a value is a phi of two constants. At the beginning of a loop, it is one of them in the
// first iteration and the other one in all later iterations.
bool isOfConstants(LLVMValueRef phi)
{
    bool isConstant = LLVMIsAPHINode(phi) && LLVMCountIncoming(phi) == 2;
    for (unsigned i = 0; isConstant && i < 2; i++)
        isConstant = LLVMIsAConstantInt(LLVMGetIncomingValue(phi, i));
    return isConstant;
}

// Whether a phi of constants is in a loop whose end depends on such a phi, too: the program has
// unrolled the loop completely.
bool isUnrolledByProgram(LLVMValueRef phi)
{
    LLVMBasicBlockRef header = LLVMGetInstructionParent(phi);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(header);
    return isOfConstants(phi) && LLVMGetNumSuccessors(end) == 2 &&
           isOfConstants(LLVMGetOperand(end, 0)) && !blocks::loopFrom(header).empty();
}

// Whether a comparison decides whether the loop that begins with this block goes on.
bool endsLoop(LLVMValueRef comparison, LLVMBasicBlockRef header)
{
    LLVMUseRef use = LLVMGetFirstUse(comparison);
    LLVMValueRef branch = use ? LLVMGetUser(use) : nullptr;
    if (!branch || !LLVMIsAInstruction(branch) || LLVMGetInstructionOpcode(branch) != kBranch)
        return false;
    const blocks::Body &body = blocks::loopFrom(header);
    bool leaves = false;
    for (unsigned i = 0; i < LLVMGetNumSuccessors(branch); i++)
        leaves |= !body.count(LLVMGetSuccessor(branch, i));
    return leaves && body.count(LLVMGetInstructionParent(branch));
}

// The value with which the counter of a loop, or the sum of the counter and a constant, is compared
// at the loop's end; null if there is none, or if the counter's step is not constant.
LLVMValueRef endOf(LLVMValueRef phi)
{
    std::vector<LLVMValueRef> counters{phi};
    LLVMValueRef end = nullptr;
    for (size_t i = 0; i < counters.size() && i < 3; i++)
        for (LLVMUseRef use = LLVMGetFirstUse(counters[i]); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            const int opcode = LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : 0;
            if (opcode == kCompare && !end && endsLoop(user, LLVMGetInstructionParent(phi)))
                end = LLVMGetOperand(user, LLVMGetOperand(user, 0) == counters[i] ? 1 : 0);
            else if (loops::isRenaming(opcode) ||
                     (opcode == kAdd && LLVMIsAConstantInt(LLVMGetOperand(user, 1))))
                counters.push_back(user);
        }
    bool isStepped = false;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        for (size_t j = 1; j < counters.size(); j++)
            isStepped |= counters[j] == LLVMGetIncomingValue(phi, i);
    return isStepped ? end : nullptr;
}

// Whether a compiler that unrolls short loops can compute an instruction whose operands it knows.
bool isFoldable(LLVMValueRef instruction, bool isOfArray)
{
    const int opcode = LLVMGetInstructionOpcode(instruction);
    switch (opcode) {
    case kPhi:
        return isInShortLoop(instruction, isOfArray) || isUnrolledByProgram(instruction);
    case kLoad:
        return isOfTable(LLVMGetOperand(instruction, 0));
    case kCall:
        return isComputing(instruction);
    case kGetElementPtr:
    case kCompare:
    case kSelect:
        return true;
    default:
        return isArithmetic(opcode);
    }
}

bl_wire_index knowledgeOf(LLVMValueRef value, bool isOfArray,
                          std::unordered_set<LLVMValueRef> &seen)
{
    if (LLVMIsAConstant(value) && !LLVMIsAGlobalVariable(value))
        return BL_WIRE_INDEX_CONSTANT;
    if (!seen.insert(value).second || LLVMIsAGlobalVariable(value) || LLVMIsAAllocaInst(value))
        return BL_WIRE_INDEX_KNOWN; // a variable stands for the beginning of an array
    const bool isPointer = LLVMGetTypeKind(LLVMTypeOf(value)) == kPointer;
    bl_wire_index known = BL_WIRE_INDEX_KNOWN;
    std::vector<LLVMValueRef> sources;
    if (LLVMIsAArgument(value) && !isPointer)
        sources = constants::passedFor(value);
    else if (LLVMIsAInstruction(value) && (isPointer && LLVMIsAPHINode(value)))
        known = BL_WIRE_INDEX_UNSURE;
    else if (LLVMIsAInstruction(value) && LLVMIsAPHINode(value) && !isFoldable(value, isOfArray) &&
             constants::iterationsOf(value) == unknown && endOf(value))
        sources.push_back(endOf(value)); // a loop up to a known number is short, too
    else if (!LLVMIsAInstruction(value) || !isFoldable(value, isOfArray))
        return BL_WIRE_INDEX_DYNAMIC;
    for (int i = 0; LLVMIsAInstruction(value) && i < LLVMGetNumOperands(value); i++)
        sources.push_back(LLVMGetOperand(value, static_cast<unsigned>(i)));
    for (LLVMValueRef source : sources)
        known = std::max(known, knowledgeOf(source, isOfArray, seen));
    return sources.empty() ? BL_WIRE_INDEX_DYNAMIC : known;
}
} // namespace

std::vector<LLVMValueRef> constants::passedFor(LLVMValueRef argument)
{
    std::vector<LLVMValueRef> passed;
    LLVMValueRef function = LLVMGetParamParent(argument);
    if (LLVMGetFunctionCallConv(function) == kernelConvention)
        return passed;
    unsigned index = 0;
    while (LLVMGetParam(function, index) != argument)
        index++;
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
        if (LLVMIsACallInst(LLVMGetUser(use)) && LLVMGetCalledValue(LLVMGetUser(use)) == function &&
            LLVMGetNumOperands(LLVMGetUser(use)) > static_cast<int>(index) + 1)
            passed.push_back(LLVMGetOperand(LLVMGetUser(use), index));
    return passed;
}

bl_wire_index constants::knowledgeOf(LLVMValueRef value, bool isOfArray)
{
    std::unordered_set<LLVMValueRef> seen;
    return ::knowledgeOf(value, isOfArray, seen);
}

bool constants::isKnown(LLVMValueRef value)
{
    return knowledgeOf(value, false) <= BL_WIRE_INDEX_KNOWN;
}

bool constants::isKnownFrom(LLVMValueRef instruction, LLVMValueRef counter)
{
    std::unordered_set<LLVMValueRef> seen{counter};
    return isFoldable(instruction, false) &&
           ::knowledgeOf(instruction, false, seen) <= BL_WIRE_INDEX_KNOWN;
}

int64_t constants::iterationsOf(LLVMValueRef phi)
{
    int64_t begin = 0, step = 0, bound = unknown;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        const int64_t constant = constantOf(LLVMGetIncomingValue(phi, i), false);
        begin = constant != unknown ? constant : begin;
    }
    for (LLVMUseRef use = LLVMGetFirstUse(phi); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const int64_t constant = LLVMIsAInstruction(user) && LLVMGetNumOperands(user) == 2
                                     ? constantOf(LLVMGetOperand(user, 1), true)
                                     : unknown;
        if (constant == unknown)
            continue;
        const int opcode = LLVMGetInstructionOpcode(user);
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
            if (LLVMGetIncomingValue(phi, i) == user)
                step = opcode == kAdd ? constant : unknown;
        for (LLVMUseRef next = opcode == kCompare ? nullptr : LLVMGetFirstUse(user); next;
             next = LLVMGetNextUse(next)) {
            LLVMValueRef compared = LLVMGetUser(next);
            if (LLVMIsAInstruction(compared) && LLVMGetInstructionOpcode(compared) == kCompare &&
                constantOf(LLVMGetOperand(compared, 1), true) != unknown)
                bound = constantOf(LLVMGetOperand(compared, 1), true);
        }
        if (opcode == kCompare)
            bound = constant;
    }
    if (step == 0 || bound == unknown)
        return unknown;
    constexpr double most = 1e18; // far more than a short loop has; fits in int64_t
    const double iterations =
        (static_cast<double>(bound) - static_cast<double>(begin)) / static_cast<double>(step);
    return static_cast<int64_t>(std::min(most, std::abs(iterations)));
}
