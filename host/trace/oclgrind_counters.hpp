// The counters of loops: which values count, and which stay the same. Needs LLVM, hence C++.
#ifndef BANKLINE_TRACE_OCLGRIND_COUNTERS_HPP
#define BANKLINE_TRACE_OCLGRIND_COUNTERS_HPP

#include <cstdint>

#include "trace/llvm_c.hpp"
#include "trace/oclgrind_blocks.hpp"

namespace counters
{
// Whether a call returns the same value to all work-items of a group that pass the same arguments.
bool isUniformCallee(LLVMValueRef call);

// Whether a value is computed without loads, atomics, the work-item's ids, or functions that the
// program defines. It is then taken to be the same for all work-items of a group, and each time it
// is computed. (The value of a phi also depends on branches, which is ignored.)
bool isUniform(LLVMValueRef value);

// The phi from which a value is computed by additions and conversions alone; null if there is none.
LLVMValueRef phiOf(LLVMValueRef value);

// The phi of the counter with which a comparison ends a loop; null if there is none, or if the
// counter may wrap around before it reaches the end.
LLVMValueRef counterOf(LLVMValueRef condition);

// Whether a value is this phi, possibly converted.
bool isCopy(LLVMValueRef value, LLVMValueRef phi);

// Whether a value is the same in all iterations of a loop: it is computed before, or by arithmetic
// from such values and the work-item's and group's ids and sizes, which compilers compute before.
bool isFixed(LLVMValueRef value, const blocks::Body &body);

// Whether a counter has 32 bits, and what is computed from it does not wrap around: the counter is
// signed, or only extended to 64 bits.
bool hasKnownSteps(LLVMValueRef counter, const blocks::Body &body);

// The constant that each iteration of the loop adds to the counter; 0 if there is none.
int64_t stepOf(LLVMValueRef counter, const blocks::Body &body);

// Whether a value is a counter of the loop, or the result of an operation whose first operand is
// one, such as its step. The counter's step must be constant, or computed before the loop if
// the counter is signed: NVIDIA's compiler unrolls `i += step` if `step` is an argument, but
// neither `i += get_global_size(0)` nor the same loop with an unsigned counter, which may wrap
// around.
bool isCounter(LLVMValueRef value, const blocks::Body &body);

// Whether a phi begins the loop with a value from before the loop, and each iteration changes it by
// one operation with another such value, or with one that is the same for all work-items.
bool isProgression(LLVMValueRef phi, const blocks::Body &body);
} // namespace counters

#endif
