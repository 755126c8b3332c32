// Decides by the rules of NVIDIA's compiler, as far as kernels that it had compiled showed them: it
// must be able to compute the number of iterations before the first one, and how many it runs at
// once depends on how many instructions remain when counters are constants.
#include "trace/oclgrind_loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <unordered_set>

#include "trace/oclgrind_blocks.hpp"
#include "trace/oclgrind_constants.hpp"
#include "trace/oclgrind_costs.hpp"

using blocks::Body;
using blocks::bodyOf;
using blocks::Edges;
using blocks::edgesOf;
using blocks::isInvariant;
using blocks::loopFrom;
using blocks::loopOf;
using loops::handsOn;
using loops::isFree;

namespace
{
// Whether a call returns the same value to all work-items of a group that pass the same arguments.
bool isUniformCallee(LLVMValueRef call)
{
    const std::string name = nameOfCalled(call);
    for (const char *own : {"_local_id", "_global_id", "_linear_id", "vload", "atom"})
        if (name.find(own) != std::string::npos)
            return false;
    return !name.empty() && LLVMIsDeclaration(LLVMGetCalledValue(call));
}

// Whether a value is computed without loads, atomics, the work-item's ids, or functions that the
// program defines. It is then taken to be the same for all work-items of a group, and each time it
// is computed. (The value of a phi also depends on branches, which is ignored.)
bool isUniform(LLVMValueRef value, std::unordered_set<LLVMValueRef> &seen)
{
    if (!LLVMIsAInstruction(value) || !seen.insert(value).second)
        return true;
    const int opcode = LLVMGetInstructionOpcode(value);
    if (opcode == kLoad)
        return false;
    if (opcode == kCall && !isUniformCallee(value))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        if (!isUniform(LLVMGetOperand(value, static_cast<unsigned>(i)), seen))
            return false;
    return true;
}

// The phi from which a value is computed by additions and conversions alone; null if there is none.
LLVMValueRef phiOf(LLVMValueRef value)
{
    while (LLVMIsAInstruction(value) && !LLVMIsAPHINode(value) &&
           (handsOn(LLVMGetInstructionOpcode(value)) || LLVMGetInstructionOpcode(value) == kAdd))
        value = LLVMGetOperand(value, 0);
    return LLVMIsAInstruction(value) && LLVMIsAPHINode(value) ? value : nullptr;
}

// Whether an addition may wrap around, as those of unsigned numbers may.
bool mayWrap(LLVMValueRef addition)
{
    char *text = LLVMPrintValueToString(addition);
    const std::string flags(text);
    LLVMDisposeMessage(text);
    return flags.find(" nuw ") == std::string::npos && flags.find(" nsw ") == std::string::npos;
}

// Whether the loop's comparison widens a counter that may wrap around before it reaches the end, as
// in `for (uint i = 0; i < get_local_size(0); i++)`. If so, a compiler cannot compute the number of
// iterations.
bool mayWrapEarly(LLVMValueRef compared)
{
    LLVMValueRef phi = phiOf(compared);
    while (LLVMIsAInstruction(compared) && LLVMGetInstructionOpcode(compared) != kZeroExtend &&
           handsOn(LLVMGetInstructionOpcode(compared)) && compared != phi)
        compared = LLVMGetOperand(compared, 0);
    if (!phi || LLVMGetInstructionOpcode(compared) != kZeroExtend)
        return false;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, i);
        if (LLVMIsAInstruction(next) && LLVMGetInstructionOpcode(next) == kAdd && mayWrap(next))
            return true;
    }
    return false;
}

// The comparison that ends a loop; null if the loop has several exits or another condition.
LLVMValueRef onlyExitOf(const Body &body)
{
    unsigned exits = 0;
    LLVMValueRef condition = nullptr;
    for (LLVMBasicBlockRef block : body) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        bool leaves = false;
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
            leaves |= !body.count(LLVMGetSuccessor(end, i));
        exits += leaves;
        condition = leaves ? LLVMGetOperand(end, 0) : condition;
    }
    const bool isComparison = exits == 1 && condition && LLVMIsAInstruction(condition) &&
                              LLVMGetInstructionOpcode(condition) == kCompare;
    return isComparison ? condition : nullptr;
}

bool hasBarrier(const Body &body)
{
    for (LLVMBasicBlockRef block : body)
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
            if (nameOfCalled(at).find("barrier") != std::string::npos)
                return true;
    return false;
}

// The phi of the counter with which a comparison ends a loop; null if there is none, or if the
// counter may wrap around before it reaches the end.
LLVMValueRef counterOf(LLVMValueRef condition)
{
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef compared = LLVMGetOperand(condition, i);
        if (phiOf(compared))
            return mayWrapEarly(compared) ? nullptr : phiOf(compared);
    }
    return nullptr;
}

int64_t sizeOf(const Body &body)
{
    int64_t size = 0;
    for (LLVMBasicBlockRef block : body)
        size += costs::sizeOfBlock(block);
    return size;
}

// How many instructions remain of this one if its loop is unrolled, so that `counter` is a
// constant, and private arrays are in registers.
int64_t remainsOf(LLVMValueRef instruction, LLVMValueRef counter)
{
    const int opcode = LLVMGetInstructionOpcode(instruction);
    const std::string called = nameOfCalled(instruction);
    LLVMValueRef pointer = opcode == kLoad    ? LLVMGetOperand(instruction, 0)
                           : opcode == kStore ? LLVMGetOperand(instruction, 1)
                                              : nullptr;
    if (isFree(opcode) || opcode == kGetElementPtr || opcode == kBranch ||
        (pointer && LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == BL_WIRE_PRIVATE) ||
        called.compare(0, 8, "llvm.dbg") == 0 || constants::isKnownFrom(instruction, counter))
        return 0;
    if (called.compare(0, 9, "llvm.fmul") == 0)
        return 2; // llvm.fmuladd: a product and a sum
    return costs::sizeOf(instruction);
}

// The number of instructions that remain of an iteration. Those of an inner loop count as often as
// it is repeated, at most fewIterations times.
int64_t remainsOf(const Body &body, LLVMValueRef counter)
{
    int64_t size = 0;
    for (LLVMBasicBlockRef block : body) {
        const Body inner = loopOf(block);
        LLVMValueRef condition = onlyExitOf(inner),
                     ofInner =
                         inner.size() < body.size() && condition ? counterOf(condition) : nullptr;
        const int64_t rounds =
            ofInner ? std::min(constants::iterationsOf(ofInner), constants::fewIterations) : 1;
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
            size += remainsOf(at, counter) * std::max<int64_t>(1, rounds);
    }
    return std::max<int64_t>(1, size);
}

// Whether a compiler knows a counter's value before the loop.
bool isBeginKnown(LLVMValueRef counter, const Body &body)
{
    for (unsigned i = 0; i < LLVMCountIncoming(counter); i++)
        if (!body.count(LLVMGetIncomingBlock(counter, i)) &&
            !constants::isKnown(LLVMGetIncomingValue(counter, i)))
            return false;
    return true;
}

// Whether a value is this phi, possibly converted.
bool isCopy(LLVMValueRef value, LLVMValueRef phi)
{
    while (value != phi && LLVMIsAInstruction(value) && !LLVMIsAPHINode(value) &&
           handsOn(LLVMGetInstructionOpcode(value)))
        value = LLVMGetOperand(value, 0);
    return value == phi;
}

// Whether a value is the result of a function that returns the same for all work-items.
bool isUniformCall(LLVMValueRef value)
{
    std::unordered_set<LLVMValueRef> seen;
    while (LLVMIsAInstruction(value) && loops::isRenaming(LLVMGetInstructionOpcode(value)))
        value = LLVMGetOperand(value, 0);
    return LLVMIsACallInst(value) && isUniform(value, seen);
}

// The constant that each iteration of the loop adds to the counter; 0 if there is none.
int64_t stepOf(LLVMValueRef counter, const Body &body)
{
    int64_t step = 0;
    for (unsigned i = 0; i < LLVMCountIncoming(counter); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(counter, i);
        if (!body.count(LLVMGetIncomingBlock(counter, i)))
            continue;
        if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != kAdd ||
            LLVMGetOperand(next, 0) != counter || !LLVMIsAConstantInt(LLVMGetOperand(next, 1)))
            return 0;
        const int64_t added = LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1));
        if (step != 0 && step != added)
            return 0;
        step = added;
    }
    return step;
}

// The predicate that is true for b and a where `predicate` is true for a and b.
int exchanged(int predicate)
{
    switch (predicate) {
    case kUnsignedAbove:
    case kSignedAbove:
    case kUnsignedAtLeast:
    case kSignedAtLeast:
        return predicate + 2;
    case kUnsignedBelow:
    case kSignedBelow:
    case kUnsignedAtMost:
    case kSignedAtMost:
        return predicate - 2;
    default:
        return predicate;
    }
}

// The predicate that is true where `predicate` is false.
int negated(int predicate)
{
    switch (predicate) {
    case kEqual:
        return kUnequal;
    case kUnequal:
        return kEqual;
    case kUnsignedAbove:
    case kSignedAbove:
        return predicate + 3;
    case kUnsignedAtLeast:
    case kSignedAtLeast:
        return predicate + 1;
    case kUnsignedBelow:
    case kSignedBelow:
        return predicate - 1;
    default:
        return predicate - 3;
    }
}

// Whether a value is a counter of the loop, or the result of an operation whose first operand is
// one, such as its step. The counter's step must be constant, or computed before the loop if
// the counter is signed: NVIDIA's compiler unrolls `i += step` if `step` is an argument, but
// neither `i += get_global_size(0)` nor the same loop with an unsigned counter, which may wrap
// around.
bool isCounter(LLVMValueRef value, const Body &body)
{
    if (mayWrapEarly(value))
        return false;
    while (LLVMIsAInstruction(value) && handsOn(LLVMGetInstructionOpcode(value)) &&
           LLVMGetInstructionOpcode(value) != kPhi)
        value = LLVMGetOperand(value, 0);
    if (!LLVMIsAInstruction(value) || !body.count(LLVMGetInstructionParent(value)))
        return false;
    LLVMValueRef phi = value;
    if (!LLVMIsAPHINode(phi))
        phi = LLVMGetOperand(value, 0);
    if (!LLVMIsAInstruction(phi) || !LLVMIsAPHINode(phi))
        return false;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, i);
        const int opcode = LLVMIsAInstruction(next) ? LLVMGetInstructionOpcode(next) : 0;
        const bool isSum =
            (opcode == kAdd || opcode == kGetElementPtr) && LLVMGetNumOperands(next) == 2;
        const unsigned ofStep = isSum && LLVMGetOperand(next, 0) == phi ? 1 : 0;
        LLVMValueRef step = isSum ? LLVMGetOperand(next, ofStep) : nullptr;
        const bool isStep = isSum && LLVMGetOperand(next, 1 - ofStep) == phi &&
                            (LLVMIsAConstant(step) || (isInvariant(step, body) && !mayWrap(next)));
        if (body.count(LLVMGetIncomingBlock(phi, i)) && !isStep)
            return false;
    }
    return true;
}

// Whether a phi begins the loop with a value from before the loop, and each iteration changes it by
// one operation with another such value, or with one that is the same for all work-items.
bool isProgression(LLVMValueRef phi, const Body &body)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, i);
        if (!body.count(LLVMGetIncomingBlock(phi, i)) || next == phi)
            continue;
        const int opcode = LLVMIsAInstruction(next) ? LLVMGetInstructionOpcode(next) : kPhi;
        const bool isOperation = opcode == kGetElementPtr || (opcode >= kAdd && opcode <= kXor);
        if (!isOperation || LLVMGetNumOperands(next) != 2)
            return false;
        LLVMValueRef left = LLVMGetOperand(next, 0), right = LLVMGetOperand(next, 1),
                     other = left == phi ? right : left;
        std::unordered_set<LLVMValueRef> seen;
        if ((left != phi && right != phi) || !(isInvariant(other, body) || isUniform(other, seen)))
            return false;
    }
    return true;
}

// Whether a value of the loop is computed, by arithmetic, comparisons and selections alone, from
// progressions, from calls for which isUniformCall() is true, and from what was computed before the
// loop.
bool isEarly(LLVMValueRef value, const Body &body, std::unordered_set<LLVMValueRef> &seen)
{
    if (!LLVMIsAInstruction(value) || !body.count(LLVMGetInstructionParent(value)) ||
        !seen.insert(value).second)
        return true;
    if (LLVMIsAPHINode(value))
        return isProgression(value, body);
    if (isUniformCall(value))
        return true;
    const int opcode = LLVMGetInstructionOpcode(value);
    const bool isOfIntegers = opcode == kCompare || opcode == kSelect || opcode == kTruncate ||
                              opcode == kZeroExtend || opcode == kSignExtend ||
                              opcode == kGetElementPtr || (opcode >= kAdd && opcode <= kXor);
    for (int i = 0; isOfIntegers && i < LLVMGetNumOperands(value); i++)
        if (!isEarly(LLVMGetOperand(value, static_cast<unsigned>(i)), body, seen))
            return false;
    return isOfIntegers;
}

// isSameForAll() for an instruction in the block `at`.
bool isSame(LLVMValueRef value, LLVMBasicBlockRef at, std::unordered_set<LLVMValueRef> &seen)
{
    if (LLVMIsAArgument(value))
        return LLVMGetFunctionCallConv(LLVMGetParamParent(value)) == kernelConvention;
    if (!LLVMIsAInstruction(value) || !seen.insert(value).second)
        return true;
    const int opcode = LLVMGetInstructionOpcode(value);
    if (opcode == kAlloca || (opcode == kCall && !isUniformCallee(value)))
        return false;
    // Branches decide the value of a phi, unless it begins a loop around the instruction.
    LLVMBasicBlockRef block = LLVMGetInstructionParent(value);
    if (opcode == kPhi && !loopFrom(block, edgesOf(LLVMGetBasicBlockParent(block))).count(at))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        if (!isSame(LLVMGetOperand(value, static_cast<unsigned>(i)), at, seen))
            return false;
    return true;
}
} // namespace

bool loops::isSameForAll(LLVMValueRef value, LLVMValueRef instruction)
{
    std::unordered_set<LLVMValueRef> seen;
    return isSame(value, LLVMGetInstructionParent(instruction), seen);
}

bool loops::isFromEnd(LLVMValueRef phi, unsigned index)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(phi);
    const Edges edges = edgesOf(LLVMGetBasicBlockParent(block));
    return !bodyOf(block, LLVMGetIncomingBlock(phi, index), edges).empty();
}

bool loops::isInRolledLoop(LLVMValueRef load)
{
    const Body body = loopOf(LLVMGetInstructionParent(load));
    if (body.empty())
        return false;
    LLVMValueRef condition = onlyExitOf(body);
    if (!condition)
        return true;
    const auto isEnd = [&body](LLVMValueRef value) {
        std::unordered_set<LLVMValueRef> seen;
        return isInvariant(value, body) || isUniform(value, seen);
    };
    LLVMValueRef left = LLVMGetOperand(condition, 0), right = LLVMGetOperand(condition, 1);
    return !(isCounter(left, body) && isEnd(right)) && !(isCounter(right, body) && isEnd(left));
}

bool loops::leaves(LLVMValueRef branch)
{
    const Body &body = loopOf(LLVMGetInstructionParent(branch));
    for (unsigned i = 0; !body.empty() && i < LLVMGetNumSuccessors(branch); i++)
        if (!body.count(LLVMGetSuccessor(branch, i)))
            return true;
    return false;
}

bool loops::hasEarlyAddress(LLVMValueRef load)
{
    const Body body = loopOf(LLVMGetInstructionParent(load));
    std::unordered_set<LLVMValueRef> seen;
    return !body.empty() && isEarly(LLVMGetOperand(load, 0), body, seen);
}

bool loops::endsEarly(LLVMValueRef branch)
{
    const Body body = loopOf(LLVMGetInstructionParent(branch));
    std::unordered_set<LLVMValueRef> seen;
    return leaves(branch) && isEarly(LLVMGetOperand(branch, 0), body, seen);
}

bool loops::isInUnrolledLoop(LLVMValueRef load)
{
    // NVIDIA's compiler unrolled loops of up to some 250 instructions, in all iterations together,
    // but not one of 420.
    constexpr int64_t mostInstructions = 300;
    const Body body = loopOf(LLVMGetInstructionParent(load));
    LLVMValueRef condition = onlyExitOf(body);
    if (!condition || !constants::isKnown(LLVMGetOperand(condition, 0)) ||
        !constants::isKnown(LLVMGetOperand(condition, 1)))
        return false;
    LLVMValueRef phi = counterOf(condition);
    return phi &&
           constants::iterationsOf(phi) <= mostInstructions / std::max<int64_t>(1, sizeOf(body));
}

int64_t loops::iterationsAtOnce(LLVMValueRef instruction)
{
    // NVIDIA's compiler unrolls a loop completely if few instructions are left. The limit is higher
    // if unrolling removes a larger part of them. Otherwise it unrolls the loop in part.
    constexpr int64_t most = 300, mostInPart = 190, ofCounting = 3, mostIfUnknown = 4;
    const Body body = loopOf(LLVMGetInstructionParent(instruction));
    LLVMValueRef condition = onlyExitOf(body), counter = condition ? counterOf(condition) : nullptr;
    if (body.empty())
        return 0;
    if (!counter)
        return 1;
    const int64_t left = remainsOf(body, counter), size = left + ofCounting;
    const bool isKnown =
        constants::isKnown(LLVMGetOperand(condition, 1)) && isBeginKnown(counter, body);
    const int64_t rounds = isKnown ? constants::iterationsOf(counter) : INT64_MAX;
    if (rounds <= most * size / (left * left))
        return INT64_MAX;
    if (loops::isInRolledLoop(instruction))
        return 1;
    int64_t count = 1;
    while (2 * count <= mostInPart / size && (rounds < INT64_MAX || count < mostIfUnknown))
        count *= 2;
    return count;
}

loops::Counted loops::countedOf(LLVMBasicBlockRef header)
{
    const Edges edges = edgesOf(LLVMGetBasicBlockParent(header));
    const Body body = loopFrom(header, edges);
    unsigned inside = 0; // number of loops in the body, this one included
    for (const auto &edge : edges.all)
        inside += body.count(edge.first) && body.count(edge.second) &&
                  !bodyOf(edge.second, edge.first, edges).empty();
    LLVMValueRef condition = onlyExitOf(body), counter = condition ? counterOf(condition) : nullptr;
    if (!counter || LLVMGetInstructionParent(counter) != header || inside != 1 || hasBarrier(body))
        return {};
    const unsigned ofEnd = phiOf(LLVMGetOperand(condition, 0)) == counter ? 1 : 0;
    LLVMValueRef end = LLVMGetOperand(condition, ofEnd);
    LLVMBasicBlockRef exiting = LLVMGetInstructionParent(condition);
    int predicate = LLVMGetICmpPredicate(condition);
    if (ofEnd == 0)
        predicate = exchanged(predicate);
    if (!body.count(LLVMGetSuccessor(LLVMGetBasicBlockTerminator(exiting), 0)))
        predicate = negated(predicate);
    const int64_t step = stepOf(counter, body);
    if (step == 0 || !(isInvariant(end, body) || isUniformCall(end)))
        return {};
    const bool comparesNext = !isCopy(LLVMGetOperand(condition, 1 - ofEnd), counter);
    return {body, exiting, counter, end, step, predicate, comparesNext};
}

int64_t loops::iterationsCounted(LLVMValueRef instruction)
{
    const int opcode = LLVMGetInstructionOpcode(instruction);
    LLVMUseRef use = LLVMGetFirstUse(instruction);
    LLVMValueRef user = use ? LLVMGetUser(use) : nullptr;
    const bool mayCount = opcode == kAdd || opcode == kSubtract,
               mayEnd = opcode == kBranch
                            ? leaves(instruction)
                            : opcode == kCompare && user &&
                                  LLVMGetInstructionOpcode(user) == kBranch && leaves(user);
    const bool isOfPhi = mayCount && LLVMIsAInstruction(LLVMGetOperand(instruction, 0)) &&
                         LLVMIsAPHINode(LLVMGetOperand(instruction, 0));
    if (!mayEnd && !isOfPhi) // true for most instructions; what follows takes long
        return 1;
    const Body body = loopOf(LLVMGetInstructionParent(instruction));
    for (LLVMBasicBlockRef block : body) {
        const Counted loop = countedOf(block);
        if (loop.body.empty())
            continue;
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(loop.exiting);
        bool is = instruction == branch || instruction == LLVMGetOperand(branch, 0);
        for (unsigned i = 0; i < LLVMCountIncoming(loop.counter); i++)
            is |= instruction == LLVMGetIncomingValue(loop.counter, i);
        return is ? iterationsAtOnce(instruction) : 1;
    }
    return 1;
}

bool loops::countsSeveral(LLVMValueRef phi)
{
    return countedOf(LLVMGetInstructionParent(phi)).counter == phi;
}

bool loops::isEndKnownBefore(const Counted &loop) { return isInvariant(loop.end, loop.body); }

uint64_t loops::iterationsOf(const Counted &loop, int64_t begin, int64_t end)
{
    // distance: from the counter's first compared value to the end, in the direction of the step.
    // Doubles do not overflow, and are exact for numbers up to 2^53.
    constexpr double most = 1e15;
    const double step = static_cast<double>(loop.step), size = std::abs(step),
                 first = static_cast<double>(begin) + (loop.comparesNext ? step : 0),
                 distance = (static_cast<double>(end) - first) * (step > 0 ? 1 : -1);
    const bool includesEnd = loop.predicate == kUnsignedAtMost || loop.predicate == kSignedAtMost ||
                             loop.predicate == kUnsignedAtLeast || loop.predicate == kSignedAtLeast;
    const double compared =
        includesEnd ? std::floor(distance / size) + 1 : std::ceil(distance / size);
    const uint64_t rounds = static_cast<uint64_t>(std::min(most, std::max(0.0, compared)));
    const bool isTestedFirst =
        loop.exiting == LLVMGetInstructionParent(loop.counter) && loop.body.size() > 1;
    return isTestedFirst ? rounds : rounds + 1;
}
