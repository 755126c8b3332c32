// How a compiler unrolls loops. Needs LLVM, hence C++.
#ifndef BANKLINE_TRACE_OCLGRIND_LOOPS_HPP
#define BANKLINE_TRACE_OCLGRIND_LOOPS_HPP

#include <cstdint>
#include <unordered_set>

#include "trace/llvm_c.hpp"
#include "trace/oclgrind_blocks.hpp"
#include "trace/oclgrind_costs.hpp"
#include "trace/oclgrind_instructions.hpp"
#include "trace/wire.h"

namespace loops
{
// Call before a kernel runs: a new program may reuse the addresses of one that was released. Also
// calls blocks::forget().
void forget();

// Whether the phi is at the beginning of a loop, and the operand with this index comes from the
// loop's end.
bool isFromEnd(LLVMValueRef phi, unsigned index);

// Whether a load is in a loop that a compiler does not unroll. A compiler unrolls a loop, and keeps
// loads of several iterations in flight, if the number of iterations can be computed before the
// first one. This number may differ between work-items.
bool isInRolledLoop(LLVMValueRef load);

// Whether a value is the same for all work-items of a group that execute the instruction together:
// it is computed from arguments of the kernel, functions that return the same for all work-items of
// a group, counters of loops around the instruction, and elements of arrays at such indices.
bool isSameForAll(LLVMValueRef value, LLVMValueRef instruction);

// Whether a branch can leave its innermost loop.
bool leaves(LLVMValueRef branch);

// Whether the address of a load in a loop depends only on counters, on functions that return the
// same for all work-items, and on what was computed before the loop. False if the load is in no
// loop.
bool hasEarlyAddress(LLVMValueRef load);

// Whether a branch can leave its innermost loop, and its condition depends only on the same values
// as in hasEarlyAddress(). A device then knows early whether the loop goes on. In both functions, a
// counter may also be doubled or halved, or have a step that is not constant.
bool endsEarly(LLVMValueRef branch);

// How many iterations of an instruction's innermost loop a compiler runs at once; INT64_MAX if it
// unrolls the loop completely, 0 if the instruction is in no loop. That a short loop is unrolled
// twice counts only in copiesAtOnce().
int64_t iterationsAtOnce(LLVMValueRef instruction);

// The innermost loop around an instruction that a compiler does not unroll completely; empty if
// there is none.
blocks::Body rolledAround(LLVMValueRef instruction);

// Whether the innermost loop of an instruction calls a function, or makes a division, that has
// branches (Effort).
bool callsSerial(LLVMValueRef instruction);

// How many copies of an instruction a compiler runs at once: iterations of its innermost loop and,
// if that is unrolled completely, of the loops around it; at most UINT8_MAX. 0 if it is in no loop.
uint32_t copiesAtOnce(LLVMValueRef instruction);

// Whether a phi is the counter of a loop that contains no other loop and no barrier, and whose
// number of iterations can be computed before the first one. A compiler runs several iterations of
// such a loop at once, after it has run the remainder one at a time.
bool countsSeveral(LLVMValueRef phi);

// What the loop of such a counter costs when it is entered (costs::ofLoopEntry), and by how much
// the chain is longer if it has a fourth iteration.
costs::Effort entryOf(LLVMValueRef counter);
uint32_t chainOfFourth(LLVMValueRef counter);

// Whether an instruction is in a loop that is not unrolled, has one exit, and contains neither
// loops nor loads. (A loop that loads counts and compares while the loads are in flight.)
bool isInRolledArithmetic(LLVMValueRef instruction);

// Whether the loop of such a counter compares it before the first iteration.
bool isTestedFirst(LLVMValueRef counter);

// If the instruction counts the iterations of a loop for whose counter countsSeveral() is true,
// compares the counter with the loop's end, or branches accordingly: how many iterations of the
// loop run at once; only one of these executes the instruction. Otherwise 1.
int64_t iterationsCounted(LLVMValueRef instruction);

// A loop for whose counter countsSeveral() is true. It continues while the counter compares with
// `end` as `predicate` says.
struct Counted {
    std::unordered_set<LLVMBasicBlockRef> body; // empty: there is no such loop
    LLVMBasicBlockRef exiting;                  // the block that may leave it
    LLVMValueRef counter, end;                  // counter: a phi
    int64_t step;
    int predicate;
    bool comparesNext; // compares the counter after its step
    bool isUnrolled;   // completely
};

// The loop that begins with this block.
Counted countedOf(LLVMBasicBlockRef header);

// Whether the end is computed before the loop begins. Otherwise each iteration computes it again,
// with the same result.
bool isEndKnownBefore(const Counted &loop);

// The number of iterations of a loop with these values of its counter and its end.
uint64_t iterationsOf(const Counted &loop, int64_t begin, int64_t end);
} // namespace loops

#endif
