/* Declares the part of LLVM's C interface that the plugin uses. The C interface is stable over many
 * versions, whereas LLVM's C++ headers would have to be of exactly the version that Oclgrind was
 * built with. For C++ only. */
#ifndef BANKLINE_TRACE_LLVM_C_H
#define BANKLINE_TRACE_LLVM_C_H

#include <cstddef>

// The kinds of types that the plugin distinguishes, with the numbers of LLVM's C interface.
enum LLVMKind {
    kHalf = 1,
    kFloat = 2,
    kDouble = 3,
    kInteger = 8,
    kStruct = 10,
    kArray = 11,
    kPointer = 12,
    kVector = 13
};

// Opcodes of instructions, with the numbers of LLVM's C interface.
enum LLVMOpcode {
    kReturn = 1,
    kBranch = 2,
    kSwitch = 3,
    kUnreachable = 7,
    kAdd = 8,
    kFloatAdd = 9,
    kSubtract = 10,
    kFloatSubtract = 11,
    kMultiply = 12,
    kFloatMultiply = 13,
    kUnsignedDivision = 14,
    kSignedDivision = 15,
    kFloatDivision = 16,
    kUnsignedRemainder = 17,
    kSignedRemainder = 18,
    kFloatRemainder = 19,
    kShiftLeft = 20,
    kLogicalShiftRight = 21,
    kArithmeticShiftRight = 22,
    kAnd = 23,
    kOr = 24,
    kXor = 25,
    kAlloca = 26,
    kLoad = 27,
    kStore = 28,
    kGetElementPtr = 29,
    kTruncate = 30,
    kZeroExtend = 31,
    kSignExtend = 32,
    kFloatToUnsigned = 33,
    kSignedToFloat = 36,
    kFloatTruncate = 37,
    kFloatExtend = 38,
    kPointerToInt = 39,
    kIntToPointer = 40,
    kBitCast = 41,
    kCompare = 42,
    kFloatCompare = 43,
    kPhi = 44,
    kCall = 45,
    kSelect = 46,
    kExtractElement = 50,
    kInsertElement = 51,
    kShuffleVector = 52,
    kExtractValue = 53,
    kInsertValue = 54,
    kAddressSpaceCast = 60,
    kFloatNegate = 66,
    kFreeze = 68
};

constexpr unsigned kernelConvention = 76; // the calling convention of kernels, SPIR_KERNEL

// Predicates of integer comparisons, with the numbers of LLVM's C interface.
enum LLVMPredicate {
    kEqual = 32,
    kUnequal,
    kUnsignedAbove,
    kUnsignedAtLeast,
    kUnsignedBelow,
    kUnsignedAtMost,
    kSignedAbove,
    kSignedAtLeast,
    kSignedBelow,
    kSignedAtMost
};

extern "C" {
using LLVMValueRef = const void *;
using LLVMTypeRef = const void *;
using LLVMModuleRef = const void *;
using LLVMBasicBlockRef = const void *;
using LLVMMetadataRef = const void *;
using LLVMUseRef = const void *;
using LLVMAttributeRef = const void *;
unsigned LLVMGetDebugLocLine(LLVMValueRef value);
unsigned LLVMGetDebugLocColumn(LLVMValueRef value);
const char *LLVMGetDebugLocFilename(LLVMValueRef value, unsigned *length);
LLVMTypeRef LLVMTypeOf(LLVMValueRef value);
int LLVMGetTypeKind(LLVMTypeRef type);
LLVMTypeRef LLVMGetElementType(LLVMTypeRef type);
unsigned LLVMGetVectorSize(LLVMTypeRef type);
unsigned LLVMGetIntTypeWidth(LLVMTypeRef type);
unsigned LLVMGetPointerAddressSpace(LLVMTypeRef type);
int LLVMGetNumOperands(LLVMValueRef value);
LLVMValueRef LLVMGetOperand(LLVMValueRef value, unsigned index);
LLVMValueRef LLVMIsALoadInst(LLVMValueRef value);
LLVMValueRef LLVMIsAStoreInst(LLVMValueRef value);
LLVMValueRef LLVMIsAGetElementPtrInst(LLVMValueRef value);
LLVMValueRef LLVMIsAConstant(LLVMValueRef value);
LLVMValueRef LLVMIsACastInst(LLVMValueRef value);
LLVMValueRef LLVMIsACallInst(LLVMValueRef value);
LLVMValueRef LLVMIsAFunction(LLVMValueRef value);
LLVMValueRef LLVMGetCalledValue(LLVMValueRef call);
int LLVMGetVolatile(LLVMValueRef access);
unsigned LLVMGetAlignment(LLVMValueRef access);
int LLVMIsDeclaration(LLVMValueRef global);
unsigned LLVMGetFunctionCallConv(LLVMValueRef function);
LLVMValueRef LLVMGetParamParent(LLVMValueRef argument);
LLVMValueRef LLVMGetParam(LLVMValueRef function, unsigned index);
LLVMModuleRef LLVMGetGlobalParent(LLVMValueRef global);
LLVMValueRef LLVMGetFirstGlobal(LLVMModuleRef module);
LLVMValueRef LLVMGetNextGlobal(LLVMValueRef variable);
LLVMValueRef LLVMIsAAllocaInst(LLVMValueRef value);
LLVMValueRef LLVMIsAArgument(LLVMValueRef value);
LLVMValueRef LLVMIsAConstantExpr(LLVMValueRef value);
LLVMValueRef LLVMIsAGlobalVariable(LLVMValueRef value);
LLVMValueRef LLVMIsAConstantInt(LLVMValueRef value);
unsigned long long LLVMConstIntGetZExtValue(LLVMValueRef constant);
long long LLVMConstIntGetSExtValue(LLVMValueRef constant);
LLVMValueRef LLVMIsAConstantFP(LLVMValueRef value);
double LLVMConstRealGetDouble(LLVMValueRef constant, int *isInexact);
int LLVMGetICmpPredicate(LLVMValueRef compare);
int LLVMGetFCmpPredicate(LLVMValueRef compare);
LLVMTypeRef LLVMGlobalGetValueType(LLVMValueRef global);
LLVMTypeRef LLVMGetAllocatedType(LLVMValueRef alloca);
unsigned LLVMGetArrayLength(LLVMTypeRef array);
LLVMTypeRef LLVMGetGEPSourceElementType(LLVMValueRef pointer);
unsigned LLVMCountStructElementTypes(LLVMTypeRef type);
LLVMTypeRef LLVMStructGetTypeAtIndex(LLVMTypeRef type, unsigned index);
int LLVMIsPackedStruct(LLVMTypeRef type);
LLVMValueRef LLVMIsAPHINode(LLVMValueRef value);
LLVMValueRef LLVMIsASelectInst(LLVMValueRef value);
unsigned LLVMCountIncoming(LLVMValueRef phi);
LLVMBasicBlockRef LLVMGetIncomingBlock(LLVMValueRef phi, unsigned index);
LLVMValueRef LLVMGetIncomingValue(LLVMValueRef phi, unsigned index);
const char *LLVMGetValueName2(LLVMValueRef value, size_t *length);
LLVMMetadataRef LLVMInstructionGetDebugLoc(LLVMValueRef instruction);
LLVMMetadataRef LLVMDILocationGetInlinedAt(LLVMMetadataRef location);
unsigned LLVMDILocationGetLine(LLVMMetadataRef location);
unsigned LLVMDILocationGetColumn(LLVMMetadataRef location);
LLVMBasicBlockRef LLVMGetInstructionParent(LLVMValueRef instruction);
LLVMValueRef LLVMGetBasicBlockParent(LLVMBasicBlockRef block);
LLVMAttributeRef LLVMGetStringAttributeAtIndex(LLVMValueRef function, unsigned index,
                                               const char *name, unsigned length);
unsigned LLVMGetEnumAttributeKindForName(const char *name, size_t length);
LLVMAttributeRef LLVMGetEnumAttributeAtIndex(LLVMValueRef function, unsigned index, unsigned kind);
const char *LLVMGetStringAttributeValue(LLVMAttributeRef attribute, unsigned *length);
LLVMBasicBlockRef LLVMGetFirstBasicBlock(LLVMValueRef function);
LLVMBasicBlockRef LLVMGetNextBasicBlock(LLVMBasicBlockRef block);
LLVMValueRef LLVMGetBasicBlockTerminator(LLVMBasicBlockRef block);
LLVMValueRef LLVMGetFirstInstruction(LLVMBasicBlockRef block);
LLVMValueRef LLVMGetNextInstruction(LLVMValueRef instruction);
int LLVMGetInstructionOpcode(LLVMValueRef instruction);
LLVMValueRef LLVMIsAInstruction(LLVMValueRef value);
char *LLVMPrintValueToString(LLVMValueRef value);
void LLVMDisposeMessage(char *message);
LLVMUseRef LLVMGetFirstUse(LLVMValueRef value);
LLVMUseRef LLVMGetNextUse(LLVMUseRef use);
LLVMValueRef LLVMGetUser(LLVMUseRef use);
unsigned LLVMGetNumSuccessors(LLVMValueRef terminator);
LLVMBasicBlockRef LLVMGetSuccessor(LLVMValueRef terminator, unsigned index);
}

#endif
