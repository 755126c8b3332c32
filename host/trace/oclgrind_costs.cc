// Looks up functions by their plain names, without the types that mangling adds. Functions that the
// program defines count by their instructions, because a device's compiler inlines them.
#include "trace/oclgrind_costs.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <unordered_set>

#include "trace/oclgrind_blocks.hpp"
#include "trace/oclgrind_instructions.hpp"

namespace
{
// Whether a function is one of LLVM's own. Most of these take one instruction, such as llvm.smax.
bool isIntrinsic(const std::string &name) { return name.compare(0, 5, "llvm.") == 0; }

// The name of a function without what mangling adds: "exp" of "_Z3expDv4_f" and of "llvm.exp.f32".
std::string plainName(const std::string &name)
{
    if (isIntrinsic(name))
        return name.substr(5, name.find('.', 5) - 5);
    if (name.compare(0, 2, "_Z") != 0)
        return name;
    const size_t length = std::strtoul(name.c_str() + 2, nullptr, 10);
    const size_t begin = name.find_first_not_of("0123456789", 2);
    return begin == std::string::npos ? name : name.substr(begin, length);
}

// pow for float with a base that is computed before the loop or constant.
costs::Effort ofPowerOf(LLVMValueRef base)
{
    int isInexact = 0;
    LLVMValueRef constant = LLVMIsAConstantFP(base);
    return !constant                                             ? costs::powerOfKnown
           : LLVMConstRealGetDouble(constant, &isInexact) == 2.0 ? costs::powerOfTwo
                                                                 : costs::powerOfConstant;
}

// Whether a call raises a number to a power with a small constant exponent.
bool isSmallPower(const std::string &plain, LLVMValueRef call)
{
    LLVMValueRef exponent =
        plain == "pown" && !costs::isDouble(LLVMTypeOf(call)) ? LLVMGetOperand(call, 1) : nullptr;
    return exponent && LLVMIsAConstantInt(exponent) && LLVMConstIntGetSExtValue(exponent) >= 0 &&
           LLVMConstIntGetSExtValue(exponent) <= costs::smallExponent;
}

bool hasBranches(const std::string &plain, LLVMTypeRef type, bool isFastMath)
{
    if (costs::isDouble(type))
        return plain.compare(0, 3, "exp") != 0 && plain.compare(0, 3, "erf") != 0 &&
               plain != "copysign" && plain != "cross";
    return !isFastMath && std::find(std::begin(costs::serialFloats), std::end(costs::serialFloats),
                                    plain) != std::end(costs::serialFloats);
}

// The effort of a call of a function that is declared only. rest: per component, if the function is
// not known.
costs::Effort ofDeclared(const std::string &called, LLVMValueRef call, bool isFastMath,
                         costs::Effort rest)
{
    const std::string plain = plainName(called);
    const uint32_t combined = costs::componentsOf(LLVMTypeOf(LLVMGetOperand(call, 0)));
    for (const costs::VectorCost &cost : costs::ofVectors)
        if (plain == cost.name) {
            const uint32_t at = std::min<uint32_t>(std::max<uint32_t>(combined, 2), 4) - 2;
            costs::Effort effort = costs::isDouble(LLVMTypeOf(call)) ? cost.ofDouble[at]
                                   : isFastMath                      ? cost.fast
                                                                     : cost.ofFloat[at];
            effort.isSerial = hasBranches(plain, LLVMTypeOf(call), isFastMath);
            return effort;
        }
    // Each component takes one multiply-add instruction.
    if (plain == "dot" && costs::isDouble(LLVMTypeOf(call)))
        return {costs::ofDoubles.instructions * combined, costs::ofDoubles.chain * combined};
    if (plain == "dot")
        return {combined, combined};
    return costs::times(costs::ofFunction(plain, call, isFastMath, rest),
                        costs::componentsOf(LLVMTypeOf(call)));
}

bool isFastMathIn(LLVMValueRef instruction)
{
    constexpr char name[] = "unsafe-fp-math";
    constexpr unsigned ofFunction = ~0U;
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
    LLVMAttributeRef attribute =
        LLVMGetStringAttributeAtIndex(function, ofFunction, name, sizeof name - 1);
    unsigned length = 0;
    const char *value = attribute ? LLVMGetStringAttributeValue(attribute, &length) : "";
    return std::string(value, length) == "true";
}

// How deep calls in calls are followed: OpenCL forbids recursion, but an invalid program may have
// it.
constexpr unsigned deepest = 8;

// depth: number of calls around the instruction.
int64_t sizeWithin(LLVMValueRef instruction, unsigned depth);

int64_t sizeOfBlockWithin(LLVMBasicBlockRef block, unsigned depth)
{
    int64_t size = 0;
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
        size += sizeWithin(at, depth);
    return size;
}

int64_t sizeWithin(LLVMValueRef instruction, unsigned depth)
{
    const std::string called = nameOfCalled(instruction);
    if (LLVMIsAPHINode(instruction) || called.compare(0, 8, "llvm.dbg") == 0)
        return 0;
    if (called.empty() || isIntrinsic(called))
        return 1;
    LLVMValueRef function = LLVMGetCalledValue(instruction);
    if (LLVMIsDeclaration(function)) {
        return std::max<int64_t>(
            1, ofDeclared(called, instruction, isFastMathIn(instruction), {1, 1}).instructions);
    }
    int64_t size = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block && depth < deepest;
         block = LLVMGetNextBasicBlock(block))
        size += sizeOfBlockWithin(block, depth + 1);
    return std::max<int64_t>(1, size);
}

bool isSerialDivision(LLVMValueRef instruction)
{
    const int opcode = LLVMGetInstructionOpcode(instruction);
    return opcode >= kUnsignedDivision && opcode <= kFloatRemainder &&
           !LLVMIsAConstant(LLVMGetOperand(instruction, 1)) &&
           (opcode == kFloatRemainder || costs::isDouble(LLVMTypeOf(instruction)) ||
            costs::bitsOf(LLVMTypeOf(instruction)) > 32);
}

bool isSerialWithin(LLVMValueRef instruction, unsigned depth)
{
    if (!LLVMIsACallInst(instruction))
        return isSerialDivision(instruction);
    LLVMValueRef function = LLVMGetCalledValue(instruction);
    if (!LLVMIsAFunction(function) || LLVMIsDeclaration(function))
        return costs::ofCall(instruction, isFastMathIn(instruction)).isSerial;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block && depth < deepest;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
            if (isSerialWithin(at, depth + 1))
                return true;
    return false;
}

// isProbablyShort(), assuming that the values in `seen` are short. A product counts as short only
// if one factor is a small constant. False for expressions of more than mostValues values.
bool isShortWithin(LLVMValueRef value, std::unordered_set<LLVMValueRef> &seen)
{
    if (LLVMIsAConstantInt(value))
        return LLVMConstIntGetZExtValue(value) >> 32 == 0;
    constexpr size_t mostValues = 200;
    if (!LLVMIsAInstruction(value))
        return LLVMIsAArgument(value) &&
               LLVMGetFunctionCallConv(LLVMGetParamParent(value)) == kernelConvention;
    if (!seen.insert(value).second || costs::bitsOf(LLVMTypeOf(value)) <= 32)
        return true;
    if (seen.size() > mostValues)
        return false;
    const int opcode = LLVMGetInstructionOpcode(value);
    if (opcode == kCall)
        return nameOfCalled(value).find("get_") != std::string::npos;
    if (opcode == kMultiply || opcode == kShiftLeft) {
        LLVMValueRef factor = LLVMIsAConstantInt(LLVMGetOperand(value, 1));
        const uint64_t most = opcode == kMultiply ? 1 << 16 : 16;
        return factor && LLVMConstIntGetZExtValue(factor) < most &&
               isShortWithin(LLVMGetOperand(value, 0), seen);
    }
    if (opcode == kAnd) {
        LLVMValueRef mask = LLVMIsAConstantInt(LLVMGetOperand(value, 1));
        return mask ? isShortWithin(mask, seen) : false;
    }
    const bool handsOn = opcode == kZeroExtend || opcode == kSignExtend || opcode == kFreeze;
    if (!handsOn && opcode != kPhi && opcode != kSelect && (opcode < kAdd || opcode > kXor))
        return false;
    for (int i = opcode == kSelect; i < LLVMGetNumOperands(value); i++)
        if (!isShortWithin(LLVMGetOperand(value, static_cast<unsigned>(i)), seen))
            return false;
    return true;
}
} // namespace

bool costs::isSerial(LLVMValueRef instruction) { return isSerialWithin(instruction, 0); }

int64_t costs::sizeOf(LLVMValueRef instruction) { return sizeWithin(instruction, 0); }

int64_t costs::sizeOfBlock(LLVMBasicBlockRef block) { return sizeOfBlockWithin(block, 0); }

LLVMTypeRef costs::componentOf(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == kVector ? LLVMGetElementType(type) : type;
}

bool costs::isDouble(LLVMTypeRef type) { return LLVMGetTypeKind(componentOf(type)) == kDouble; }

unsigned costs::bitsOf(LLVMTypeRef type)
{
    type = componentOf(type);
    return LLVMGetTypeKind(type) == kInteger ? LLVMGetIntTypeWidth(type) : 0;
}

costs::Effort costs::ofType(const Cost &cost, LLVMTypeRef type, bool isFastMath)
{
    return isDouble(type) ? cost.ofDouble : isFastMath ? cost.fast : cost.ofFloat;
}

bool costs::isProbablyShort(LLVMValueRef value)
{
    std::unordered_set<LLVMValueRef> seen;
    return isShortWithin(value, seen);
}

costs::Effort costs::ofConversion(LLVMTypeRef from, LLVMTypeRef to)
{
    const unsigned bits = std::max(bitsOf(from), bitsOf(to));
    if (bitsOf(from) > 0 && bitsOf(to) > 0)
        return half;
    if (bits == 0)
        return widening;
    const bool isSlower =
        bitsOf(from) == 16 || bitsOf(to) == 16 || bits == 64 || isDouble(from) || isDouble(to);
    return isSlower ? slowerConversion : conversion;
}

costs::Effort costs::times(Effort effort, uint32_t count)
{
    return {effort.instructions * count, effort.chain * (effort.isSerial ? count : 1),
            effort.slow * count, effort.half * count, effort.isSerial};
}

uint32_t costs::componentsOf(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == kVector ? LLVMGetVectorSize(type) : 1;
}

costs::Effort costs::ofFunction(const std::string &plain, LLVMValueRef call, bool isFastMath,
                                Effort rest)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    if (isSmallPower(plain, call))
        return smallPower;
    if (plain == "pow" && !isDouble(type) && !isFastMath &&
        (LLVMIsAConstant(LLVMGetOperand(call, 0)) ||
         blocks::isKnownBefore(LLVMGetOperand(call, 0), call)))
        return ofPowerOf(LLVMGetOperand(call, 0));
    for (const Cost &cost : ofFunctions)
        if (plain == cost.name) {
            Effort effort = ofType(cost, type, isFastMath);
            effort.isSerial = hasBranches(plain, type, isFastMath);
            return effort;
        }
    if (plain == "fma" || plain == "mad" || plain == "fmuladd")
        return isDouble(type) ? ofDoubles : Effort{1, 1};
    if (plain.compare(0, 8, "convert_") == 0)
        return ofConversion(LLVMTypeOf(LLVMGetOperand(call, 0)), type);
    const bool isLong = bitsOf(type) > 32;
    if (isLong && (plain.compare(0, 6, "mul_hi") == 0 || plain.compare(0, 6, "mad_hi") == 0))
        return longUpperHalf;
    for (const Beginning &beginning : ofBeginnings)
        if (plain.compare(0, strlen(beginning.name), beginning.name) == 0)
            return isDouble(type) && beginning.effort.half > 0
                       ? times(minimumOfDoubles, beginning.effort.half)
                       : times(beginning.effort, isLong && beginning.effort.half > 0 ? 2 : 1);
    if (plain.compare(0, 5, "half_") == 0)
        return ofFunction(plain.substr(5), call, isFastMath, rest);
    return rest;
}

costs::Effort costs::ofCall(LLVMValueRef call, bool isFastMath)
{
    const std::string text = nameOfCalled(call);
    if (text.empty())
        return {1, 1};
    if (text.find("llvm.dbg") == 0 || text.find("llvm.lifetime") == 0 ||
        text.find("barrier") != std::string::npos)
        return {0, 0};
    if (!LLVMIsDeclaration(LLVMGetCalledValue(call)))
        return {1, 1};
    return ofDeclared(text, call, isFastMath, isIntrinsic(text) ? ofIntrinsic : unknown);
}
