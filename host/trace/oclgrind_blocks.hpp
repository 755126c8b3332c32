// The loops and branches of a function, as blocks of its control flow. Needs LLVM, hence C++.
#ifndef BANKLINE_TRACE_OCLGRIND_BLOCKS_HPP
#define BANKLINE_TRACE_OCLGRIND_BLOCKS_HPP

#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "trace/llvm_c.hpp"

namespace blocks
{
using Body = std::unordered_set<LLVMBasicBlockRef>;

struct Edges {
    std::unordered_map<LLVMBasicBlockRef, std::vector<LLVMBasicBlockRef>> before; // predecessors
    std::vector<std::pair<LLVMBasicBlockRef, LLVMBasicBlockRef>> all;
};

// This and the references that follow are valid until forget().
const Edges &edgesOf(LLVMValueRef function);

// The loop that jumps back from `last` to `header`; empty if it has another entry.
Body bodyOf(LLVMBasicBlockRef header, LLVMBasicBlockRef last, const Edges &edges);

// The loop that begins with this block, with any number of jumps back; empty if none does.
const Body &loopFrom(LLVMBasicBlockRef header);

// The innermost loop that contains a block; empty if there is none.
const Body &loopOf(LLVMBasicBlockRef block);

// The innermost loop around another one; empty if there is none.
Body around(const Body &body);

// Call before a kernel runs: a new program may reuse the addresses of one that was released.
void forget();

// Whether an instruction is on only one of the two ways of a branch in its innermost loop, and a
// device executes this branch (isBranching). Branches that leave the loop do not count.
bool isBehindBranch(LLVMValueRef instruction);

// Whether a device executes a conditional branch or a switch. If a branch skips only a few
// instructions, a compiler makes each of them conditional and removes the branch. True for a branch
// that leaves its innermost loop.
bool isBranching(LLVMValueRef end);

// The conditions of branches that decide whether an iteration of the innermost loop executes an
// instruction; without branches that leave the loop. Empty if the instruction is in no loop.
const std::vector<LLVMValueRef> &conditionsOf(LLVMValueRef instruction);

// Whether an instruction is executed in every iteration of its innermost loop, and a device
// executes no branch of this loop. Branches of inner loops and those that leave the loop do not
// count. True if the instruction is in no loop.
bool isInStraightLine(LLVMValueRef instruction);

// Whether only addresses depend on a value; false if more than `depth` instructions lead to one.
bool leadsOnlyToAddresses(LLVMValueRef value, unsigned depth = 16);

// Whether a value is computed before the loop.
bool isInvariant(LLVMValueRef value, const Body &body);

// Whether an instruction is in a loop, and a value is computed before its innermost loop.
bool isKnownBefore(LLVMValueRef value, LLVMValueRef instruction);

// Whether an instruction is executed in every iteration of its innermost loop. True if it is in no
// loop.
bool isUnconditional(LLVMValueRef instruction);
} // namespace blocks

#endif
