// What a compiler knows of addresses before a kernel runs: their alignment, and which accesses of a
// loop may touch the same memory. Needs LLVM, hence C++.
#ifndef BANKLINE_TRACE_OCLGRIND_ADDRESSES_HPP
#define BANKLINE_TRACE_OCLGRIND_ADDRESSES_HPP

#include <cstdint>

#include "trace/llvm_c.hpp"

namespace addresses
{
// bl_wire_instruction.aligned_bytes of an access.
uint32_t alignedBytesOf(LLVMValueRef access);

// Whether a compiler moves a load or a store out of its innermost loop: every iteration executes it
// with the same address, and the loop writes nothing else that a load may read, or accesses nothing
// else that a store may write.
bool isOnce(LLVMValueRef access);

// Whether a compiler cannot keep what a load read for the next iteration of its innermost loop: in
// some iterations, a store or an atomic behind a branch may write to the same memory.
bool mayChange(LLVMValueRef load);

// Whether a compiler that runs several iterations of a load's innermost loop at once moves the load
// of a later iteration above the stores of earlier ones. It does if the loop's stores to this kind
// of memory are to the same array, at constant distances from the load. Loads of global memory also
// move if their pointer is declared with `restrict` and the kernel writes nothing through it.
// NVIDIA's driver 580.159.04 did so for some ten loops; it did not move loads above stores to
// another array in local memory, even if the kernel declares both. False if the load is in no loop,
// or if its loop stores nothing to this kind of memory.
bool passesStores(LLVMValueRef load);

// bl_wire_instruction.is_irregular of an access.
bool isIrregular(LLVMValueRef access);
} // namespace addresses

#endif
