// For a load from an array in local memory, finds which power of two divides its address, as far as
// a compiler knows. Loads of neighbouring words are joined into one of 8 or 16 bytes
// (stream_build.c) only if this is known.
//
// NVIDIA's compiler joins loads from an array in local memory that the kernel declares, if it knows
// that the address of the first one is divisible by the size of the joined load. (An array that is
// passed to the kernel may begin anywhere.) The constants in an index do not matter, because they
// only decide which loads are joined. The counter of a loop that is unrolled completely is a
// constant; if a compiler runs n iterations at once, the counter is a multiple of n steps, plus a
// constant. This agrees with what NVIDIA's driver 580.159.04 makes of some thirty kernels.
#include "trace/oclgrind_alignment.hpp"

#include <algorithm>

#include "trace/oclgrind_blocks.hpp"
#include "trace/oclgrind_constants.hpp"
#include "trace/oclgrind_instructions.hpp"
#include "trace/oclgrind_loops.hpp"
#include "trace/wire.h"

namespace
{
// A factor is 0 or a power of two up to this one, which also stands for a constant.
constexpr uint64_t mostFactor = 1 << 16;

uint64_t factorOf(uint64_t number)
{
    return number == 0 ? mostFactor : std::min(mostFactor, number & (~number + 1));
}

uint64_t productOf(uint64_t factor, uint64_t other) { return std::min(mostFactor, factor * other); }

constexpr unsigned mostDepth = 24; // of an expression; deeper ones count as unknown

uint64_t factorOf(LLVMValueRef value, unsigned depth);

// The factor of a loop's counter. 0 if its beginning is not known when the kernel is compiled, or
// if its step is not constant and the loop is not unrolled completely: the compiler then does not
// know the alignment, even if the index multiplies the counter by a power of two. 1 if the phi is
// not a counter.
uint64_t factorOfPhi(LLVMValueRef phi)
{
    const int64_t atOnce = loops::iterationsAtOnce(phi);
    uint64_t factor = mostFactor;
    bool isCounter = false;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, i);
        if (!loops::isFromEnd(phi, i)) {
            factor = constants::isKnown(next) ? factor : 0;
            continue;
        }
        isCounter = true;
        if (atOnce == INT64_MAX)
            continue;
        const bool isStep = LLVMIsAInstruction(next) && LLVMGetInstructionOpcode(next) == kAdd &&
                            LLVMGetOperand(next, 0) == phi &&
                            LLVMIsAConstantInt(LLVMGetOperand(next, 1));
        const uint64_t step =
            isStep ? static_cast<uint64_t>(LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1))) : 1;
        const uint64_t each = productOf(factorOf(step), static_cast<uint64_t>(atOnce));
        factor = isStep ? std::min(factor, each) : 0;
    }
    return isCounter ? factor : 1;
}

// The factor of a product or a shift.
uint64_t factorOfScaled(LLVMValueRef product, unsigned depth)
{
    LLVMValueRef constant = LLVMIsAConstantInt(LLVMGetOperand(product, 1));
    const uint64_t factor = factorOf(LLVMGetOperand(product, 0), depth);
    if (!constant)
        return LLVMGetInstructionOpcode(product) == kMultiply
                   ? std::min(factor, factorOf(LLVMGetOperand(product, 1), depth))
                   : 1;
    const uint64_t number = LLVMConstIntGetZExtValue(constant);
    return productOf(factor, LLVMGetInstructionOpcode(product) == kMultiply
                                 ? factorOf(number)
                                 : factorOf(uint64_t{1} << std::min<uint64_t>(number, 63)));
}

// The largest power of two that divides a value after some constant is subtracted.
uint64_t factorOf(LLVMValueRef value, unsigned depth)
{
    if (LLVMIsAConstant(value))
        return mostFactor;
    if (!LLVMIsAInstruction(value) || ++depth > mostDepth)
        return 1;
    switch (LLVMGetInstructionOpcode(value)) {
    case kAdd:
    case kSubtract:
    case kOr: // the low bits of both operands are constant, so those of the result are, too
        return std::min(factorOf(LLVMGetOperand(value, 0), depth),
                        factorOf(LLVMGetOperand(value, 1), depth));
    case kMultiply:
    case kShiftLeft:
        return factorOfScaled(value, depth);
    case kAnd: {
        LLVMValueRef mask = LLVMIsAConstantInt(LLVMGetOperand(value, 1));
        return mask ? factorOf(LLVMConstIntGetZExtValue(mask)) : 1;
    }
    case kPhi:
        return factorOfPhi(value);
    case kTruncate:
    case kZeroExtend:
    case kSignExtend:
    case kFreeze:
        return factorOf(LLVMGetOperand(value, 0), depth);
    default:
        return 1;
    }
}

uint64_t roundUp(uint64_t bytes, uint64_t to) { return to ? (bytes + to - 1) / to * to : bytes; }

struct Size {
    uint64_t bytes, alignment;
};

// The size of a type in memory, 0 if not known, and its alignment.
Size sizeOf(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case kArray: {
        const Size element = sizeOf(LLVMGetElementType(type));
        return {element.bytes * LLVMGetArrayLength(type), element.alignment};
    }
    case kVector: {
        const uint64_t count = LLVMGetVectorSize(type),
                       bytes = sizeOf(LLVMGetElementType(type)).bytes * (count == 3 ? 4 : count);
        return {bytes, bytes};
    }
    case kStruct: {
        Size all = {0, 1};
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
            const Size one = sizeOf(LLVMStructGetTypeAtIndex(type, i));
            const uint64_t alignment = LLVMIsPackedStruct(type) ? 1 : one.alignment;
            all.bytes = roundUp(all.bytes, alignment) + one.bytes;
            all.alignment = std::max(all.alignment, alignment);
        }
        return {roundUp(all.bytes, all.alignment), all.alignment};
    }
    default: {
        const uint64_t bytes = bytesOfScalar(type);
        return {bytes, std::max<uint64_t>(1, bytes)};
    }
    }
}

// The factor of what the indices of an address add to its base.
uint64_t factorOfIndices(LLVMValueRef address)
{
    uint64_t factor = mostFactor;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
    for (int i = 1; i < LLVMGetNumOperands(address); i++) {
        const int kind = LLVMGetTypeKind(type);
        LLVMValueRef index = LLVMGetOperand(address, static_cast<unsigned>(i));
        if (i > 1 && kind == kStruct) { // a constant
            type = LLVMStructGetTypeAtIndex(type,
                                            static_cast<unsigned>(LLVMConstIntGetZExtValue(index)));
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        const uint64_t bytes = sizeOf(type).bytes;
        factor = std::min(factor, productOf(factorOf(index, 0), bytes ? factorOf(bytes) : 1));
    }
    return factor;
}
} // namespace

uint32_t alignedBytesOf(LLVMValueRef access)
{
    if (!LLVMIsALoadInst(access) || spaceOf(access) != BL_WIRE_LOCAL ||
        bytesOfScalar(LLVMTypeOf(access)) < 4 || !blocks::isInStraightLine(access))
        return 0;
    uint64_t factor = BL_WIRE_MOST_ALIGNED;
    LLVMValueRef at = pointerOf(access);
    for (; LLVMIsAGetElementPtrInst(at) || LLVMIsACastInst(at); at = LLVMGetOperand(at, 0))
        if (LLVMIsAGetElementPtrInst(at))
            factor = std::min(factor, factorOfIndices(at));
    return LLVMIsAGlobalVariable(at) || LLVMIsAConstantExpr(at) ? static_cast<uint32_t>(factor) : 0;
}
