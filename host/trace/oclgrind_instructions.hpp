// What single instructions do. Needs LLVM, hence C++.
#ifndef BANKLINE_TRACE_OCLGRIND_INSTRUCTIONS_HPP
#define BANKLINE_TRACE_OCLGRIND_INSTRUCTIONS_HPP

#include <string>

#include "trace/llvm_c.hpp"

namespace loops
{
// Whether an operation only converts an integer or a pointer, so that a device needs no instruction
// for it.
inline bool isRenaming(int opcode)
{
    switch (opcode) {
    case kTruncate:
    case kZeroExtend:
    case kSignExtend:
    case kPointerToInt:
    case kIntToPointer:
    case kBitCast:
    case kAddressSpaceCast:
    case kFreeze:
        return true;
    default:
        return false;
    }
}

// Whether a device needs no instruction for an operation.
inline bool isFree(int opcode)
{
    switch (opcode) {
    case kReturn:
    case kUnreachable:
    case kAlloca:
    case kPhi:
    case kExtractElement:
    case kInsertElement:
    case kShuffleVector:
    case kExtractValue:
    case kInsertValue:
        return true;
    default:
        return isRenaming(opcode);
    }
}

// Whether an operation passes a value on without waiting for it.
inline bool handsOn(int opcode) { return isFree(opcode) && opcode != kReturn; }
} // namespace loops

// The name of the function that an instruction calls; empty if it calls none.
inline std::string nameOfCalled(LLVMValueRef instruction)
{
    size_t length = 0;
    LLVMValueRef called = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : nullptr;
    const char *name =
        called && LLVMIsAFunction(called) ? LLVMGetValueName2(called, &length) : nullptr;
    return std::string(name ? name : "", length);
}

#endif
