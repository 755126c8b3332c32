// The alignment of accesses to local memory, as far as a compiler knows it. Needs LLVM, hence C++.
#ifndef BANKLINE_TRACE_OCLGRIND_ALIGNMENT_HPP
#define BANKLINE_TRACE_OCLGRIND_ALIGNMENT_HPP

#include <cstdint>

#include "trace/llvm_c.hpp"

// bl_wire_instruction.aligned_bytes of an access.
uint32_t alignedBytesOf(LLVMValueRef access);

#endif
