// Decides by the rules of NVIDIA's compiler, as far as kernels that it had compiled showed them: it
// must be able to compute the number of iterations before the first one, and how many it runs at
// once depends on how many instructions remain when counters are constants.
#include "trace/oclgrind_loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_set>

#include "trace/oclgrind_blocks.hpp"
#include "trace/oclgrind_constants.hpp"
#include "trace/oclgrind_costs.hpp"
#include "trace/oclgrind_counters.hpp"

using blocks::Body;
using blocks::edgesOf;
using blocks::isInvariant;
using blocks::loopFrom;
using blocks::loopOf;
using counters::counterOf;
using counters::isCounter;
using counters::isFixed;
using loops::isFree;

namespace
{
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

// How many instructions a load or a store takes: several if it is aligned to less than a component,
// as in packed structures.
int64_t piecesOf(LLVMValueRef access)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMIsAStoreInst(access) ? LLVMGetOperand(access, 0) : access);
    const unsigned bytes = bytesOfScalar(LLVMGetTypeKind(type) == kVector ? LLVMGetElementType(type)
                                                                          : type),
                   alignment = LLVMGetAlignment(access);
    return alignment > 0 && alignment < bytes
               ? static_cast<int64_t>(costs::componentsOf(type)) * bytes / alignment
               : 1;
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
    return pointer ? piecesOf(instruction) : costs::sizeOf(instruction);
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

// Whether a compiler knows the number of iterations of the loop of a counter that this comparison
// ends.
bool isCountKnown(LLVMValueRef counter, LLVMValueRef condition, const Body &body)
{
    return constants::isKnown(LLVMGetOperand(condition, 1)) && isBeginKnown(counter, body);
}

bool hasLoads(const Body &body)
{
    for (LLVMBasicBlockRef block : body)
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
            if (LLVMGetInstructionOpcode(at) == kLoad)
                return true;
    return false;
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

// Whether a value of the loop is computed, by arithmetic, comparisons and selections alone, from
// progressions and from values that are the same in all iterations.
bool isEarly(LLVMValueRef value, const Body &body, std::unordered_set<LLVMValueRef> &seen)
{
    if (!LLVMIsAInstruction(value) || !body.count(LLVMGetInstructionParent(value)) ||
        !seen.insert(value).second)
        return true;
    if (LLVMIsAPHINode(value))
        return counters::isProgression(value, body);
    if (isFixed(value, body))
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

bool testsFirst(const loops::Counted &loop)
{
    return loop.exiting == LLVMGetInstructionParent(loop.counter) && loop.body.size() > 1;
}

// Whether a compiler does not unroll a loop (isInRolledLoop).
bool isRolled(const Body &body)
{
    LLVMValueRef condition = onlyExitOf(body);
    if (!condition)
        return true;
    const auto isEnd = [&body](LLVMValueRef value) {
        return isFixed(value, body) || counters::isUniform(value);
    };
    LLVMValueRef left = LLVMGetOperand(condition, 0), right = LLVMGetOperand(condition, 1);
    return !(isCounter(left, body) && isEnd(right)) && !(isCounter(right, body) && isEnd(left));
}

constexpr int64_t mostIfUnknown = 4; // iterations that run at once if their number is not known

// What is known of a loop since forget().
struct Known {
    int64_t atOnce = -1; // -1: not known yet
    int callsSerial = -1;
};

std::map<std::set<LLVMBasicBlockRef>, Known> knownLoops; // by the blocks of each loop

Known &knownOf(const Body &body) { return knownLoops[{body.begin(), body.end()}]; }

int64_t atOnce(const Body &body);

// Whether a loop contains another one that a compiler does not unroll completely.
bool hasInner(const Body &body)
{
    for (LLVMBasicBlockRef block : body) {
        const Body &inner = loopFrom(block);
        if (!inner.empty() && inner.size() < body.size() && atOnce(inner) < INT64_MAX)
            return true;
    }
    return false;
}

int64_t findAtOnce(const Body &body)
{
    // NVIDIA's compiler unrolls a loop completely if few instructions are left. The limit is higher
    // if unrolling removes a larger part of them. Otherwise it unrolls the loop in part.
    constexpr int64_t most = 300, mostInPart = 190, ofCounting = 3;
    LLVMValueRef condition = onlyExitOf(body), counter = condition ? counterOf(condition) : nullptr;
    if (!counter)
        return 1;
    const int64_t left = remainsOf(body, counter), size = left + ofCounting;
    const int64_t rounds =
        isCountKnown(counter, condition, body) ? constants::iterationsOf(counter) : INT64_MAX;
    if (rounds <= most * size / (left * left))
        return INT64_MAX;
    if (isRolled(body) || hasInner(body))
        return 1;
    int64_t count = 1;
    while (2 * count <= mostInPart / size && (rounds < INT64_MAX || count < mostIfUnknown))
        count *= 2;
    return count;
}

// How many iterations of a loop a compiler runs at once; INT64_MAX if it unrolls it completely.
int64_t atOnce(const Body &body)
{
    Known &loop = knownOf(body);
    if (loop.atOnce < 0)
        loop.atOnce = findAtOnce(body);
    return loop.atOnce;
}

// Whether an instruction divides by a number that is neither constant nor computed before its loop.
bool divides(LLVMValueRef instruction)
{
    const int opcode = LLVMGetInstructionOpcode(instruction);
    if (opcode < kUnsignedDivision || opcode > kFloatRemainder)
        return false;
    LLVMValueRef divisor = LLVMGetOperand(instruction, 1);
    return !constants::isKnown(divisor) && !blocks::isKnownBefore(divisor, instruction);
}

// Whether NVIDIA's compiler, if it has unrolled a loop with an unknown number of iterations four
// times, unrolls the result four times again. It did so with iterations of up to 10 instructions,
// but not with 12 to 17 instructions, nor if they divided. Of 60 loops with counters of five types,
// it did so with all signed counters of 32 bits, and with unsigned ones that were extended before
// they were added to an index, but not with counters of 16 and 64 bits.
bool isUnrolledTwice(const Body &body)
{
    constexpr int64_t mostUnrolledTwice = 10;
    for (LLVMBasicBlockRef block : body)
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
            if (divides(at))
                return false;
    LLVMValueRef condition = onlyExitOf(body), counter = condition ? counterOf(condition) : nullptr;
    return counter && counters::hasKnownSteps(counter, body) &&
           !isCountKnown(counter, condition, body) && remainsOf(body, counter) <= mostUnrolledTwice;
}

// isSameForAll() for an instruction in the block `at`.
bool isSame(LLVMValueRef value, LLVMBasicBlockRef at, std::unordered_set<LLVMValueRef> &seen)
{
    if (LLVMIsAArgument(value))
        return LLVMGetFunctionCallConv(LLVMGetParamParent(value)) == kernelConvention;
    if (!LLVMIsAInstruction(value) || !seen.insert(value).second)
        return true;
    const int opcode = LLVMGetInstructionOpcode(value);
    if (opcode == kAlloca || (opcode == kCall && !counters::isUniformCallee(value)))
        return false;
    // Branches decide the value of a phi, unless it begins a loop around the instruction.
    LLVMBasicBlockRef block = LLVMGetInstructionParent(value);
    if (opcode == kPhi && !loopFrom(block).count(at))
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
    return loopFrom(block).count(LLVMGetIncomingBlock(phi, index)) > 0;
}

bool loops::isInRolledLoop(LLVMValueRef load)
{
    const Body body = loopOf(LLVMGetInstructionParent(load));
    return !body.empty() && isRolled(body);
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

int64_t loops::iterationsAtOnce(LLVMValueRef instruction)
{
    const Body body = loopOf(LLVMGetInstructionParent(instruction));
    return body.empty() ? 0 : atOnce(body);
}

Body loops::rolledAround(LLVMValueRef instruction)
{
    Body body = loopOf(LLVMGetInstructionParent(instruction));
    while (!body.empty() && atOnce(body) == INT64_MAX)
        body = blocks::around(body);
    return body;
}

bool loops::callsSerial(LLVMValueRef instruction)
{
    const Body body = loopOf(LLVMGetInstructionParent(instruction));
    if (body.empty())
        return false;
    Known &loop = knownOf(body);
    if (loop.callsSerial < 0) {
        loop.callsSerial = 0;
        for (LLVMBasicBlockRef block : body)
            for (LLVMValueRef at = LLVMGetFirstInstruction(block); at;
                 at = LLVMGetNextInstruction(at))
                loop.callsSerial |= costs::isSerial(at);
    }
    return loop.callsSerial > 0;
}

void loops::forget()
{
    blocks::forget();
    knownLoops.clear();
}

uint32_t loops::copiesAtOnce(LLVMValueRef instruction)
{
    Body body = loopOf(LLVMGetInstructionParent(instruction));
    int64_t copies = body.empty() ? 0 : 1, of = INT64_MAX;
    while (!body.empty() && of == INT64_MAX && copies < UINT8_MAX) {
        of = atOnce(body);
        copies *= of < INT64_MAX ? of : constants::iterationsOf(counterOf(onlyExitOf(body)));
        if (of == mostIfUnknown && isUnrolledTwice(body))
            copies *= of;
        body = blocks::around(body);
    }
    return static_cast<uint32_t>(std::min<int64_t>(copies, UINT8_MAX));
}

loops::Counted loops::countedOf(LLVMBasicBlockRef header)
{
    const Body &body = loopFrom(header);
    unsigned inside = 0; // number of jumps back in the body, its own included
    for (LLVMBasicBlockRef block : body)
        for (LLVMBasicBlockRef before : edgesOf(LLVMGetBasicBlockParent(header)).before.at(block))
            inside += body.count(before) && loopFrom(block).count(before);
    LLVMValueRef condition = onlyExitOf(body), counter = condition ? counterOf(condition) : nullptr;
    if (!counter || LLVMGetInstructionParent(counter) != header || inside != 1 || hasBarrier(body))
        return {};
    const unsigned ofEnd = counters::phiOf(LLVMGetOperand(condition, 0)) == counter ? 1 : 0;
    LLVMValueRef end = LLVMGetOperand(condition, ofEnd);
    LLVMBasicBlockRef exiting = LLVMGetInstructionParent(condition);
    int predicate = LLVMGetICmpPredicate(condition);
    if (ofEnd == 0)
        predicate = exchanged(predicate);
    if (!body.count(LLVMGetSuccessor(LLVMGetBasicBlockTerminator(exiting), 0)))
        predicate = negated(predicate);
    const int64_t step = counters::stepOf(counter, body);
    if (step == 0 || !isFixed(end, body))
        return {};
    const bool comparesNext = !counters::isCopy(LLVMGetOperand(condition, 1 - ofEnd), counter);
    const bool isUnrolled = atOnce(body) == INT64_MAX;
    return {body, exiting, counter, end, step, predicate, comparesNext, isUnrolled};
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

costs::Effort loops::entryOf(LLVMValueRef counter)
{
    const Body body = loopOf(LLVMGetInstructionParent(counter));
    LLVMValueRef condition = onlyExitOf(body);
    if (condition && isCountKnown(counter, condition, body))
        return {2, 1}; // sets the counter
    return {costs::ofLoopEntry, costs::chainOfEntry, 0, 0, true};
}

uint32_t loops::chainOfFourth(LLVMValueRef counter)
{
    const Body body = loopOf(LLVMGetInstructionParent(counter));
    if (!isUnrolledTwice(body))
        return 0;
    return hasLoads(body) ? costs::chainOfFourthWithLoads : costs::chainOfFourth;
}

bool loops::isEndKnownBefore(const Counted &loop) { return isInvariant(loop.end, loop.body); }

bool loops::isInRolledArithmetic(LLVMValueRef instruction)
{
    const Body body = loopOf(LLVMGetInstructionParent(instruction));
    return !body.empty() && onlyExitOf(body) && atOnce(body) == 1 && !hasInner(body) &&
           !hasLoads(body);
}

bool loops::isTestedFirst(LLVMValueRef counter)
{
    return testsFirst(countedOf(LLVMGetInstructionParent(counter)));
}

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
    return testsFirst(loop) ? rounds : rounds + 1;
}
