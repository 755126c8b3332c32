// What a compiler knows of the values of integers and indices before a kernel runs, if it inlines
// functions and unrolls short loops. Needs LLVM, hence C++.
#ifndef BANKLINE_TRACE_OCLGRIND_CONSTANTS_HPP
#define BANKLINE_TRACE_OCLGRIND_CONSTANTS_HPP

#include <cstdint>
#include <vector>

#include "trace/llvm_c.hpp"
#include "trace/wire.h"

namespace constants
{
// What the callers of a function pass for one of its arguments; empty for an argument of a kernel.
std::vector<LLVMValueRef> passedFor(LLVMValueRef argument);

// What a compiler knows of a value that is used as an index. isOfArray: of a private array. To keep
// such an array in registers, it also unrolls loops of more than fewIterations.
bl_wire_index knowledgeOf(LLVMValueRef value, bool isOfArray);

// Whether a value is a constant, or becomes one when a compiler inlines functions and unrolls short
// loops whose counters have a constant beginning, step and end.
bool isKnown(LLVMValueRef value);

// Whether an instruction's result becomes a constant if `counter` does.
bool isKnownFrom(LLVMValueRef instruction, LLVMValueRef counter);

// About how often the loop with the counter `phi` repeats: the distance from the counter's
// beginning to the constant with which it is compared, divided by its step. INT64_MAX if there is
// no such constant, or if the step is not constant. A beginning that is not constant counts as 0. A
// loop whose counter changes by an operation other than an addition counts as short.
int64_t iterationsOf(LLVMValueRef phi);

// The largest number of iterations of a loop that counts as short, whatever its size. This is an
// assumption: in the kernels that were examined, NVIDIA's compiler unrolled loops of up to 32
// iterations, and, for private arrays, of up to 256 iterations of 8 instructions.
constexpr int64_t fewIterations = 32;
} // namespace constants

#endif
