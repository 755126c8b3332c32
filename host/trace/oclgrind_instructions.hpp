// What single instructions do, and what they access. Needs LLVM, hence C++.
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

// The operand through which an instruction accesses memory; null if there is none.
inline LLVMValueRef pointerOf(LLVMValueRef instruction)
{
    if (LLVMIsALoadInst(instruction))
        return LLVMGetOperand(instruction, 0);
    if (LLVMIsAStoreInst(instruction))
        return LLVMGetOperand(instruction, 1);
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, static_cast<unsigned>(i));
        if (LLVMGetTypeKind(LLVMTypeOf(operand)) == kPointer)
            return operand;
    }
    return nullptr;
}

// The array, or the pointer that the function was given, into which a pointer leads.
inline LLVMValueRef baseOf(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsACastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

// The address space of an access; 0 if it has no pointer.
inline unsigned spaceOf(LLVMValueRef instruction)
{
    LLVMValueRef pointer = pointerOf(instruction);
    return pointer ? LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) : 0;
}

// The size of a scalar in bytes; 0 for other types.
inline unsigned bytesOfScalar(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case kHalf:
        return 2;
    case kFloat:
        return 4;
    case kDouble:
        return 8;
    case kInteger:
        return (LLVMGetIntTypeWidth(type) + 7) / 8;
    case kPointer:
        return 8;
    default:
        return 0;
    }
}

#endif
