#include "trace/oclgrind_costs.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

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

// Whether a call raises a number to a power with a small constant exponent.
bool isSmallPower(const std::string &plain, LLVMValueRef call)
{
    LLVMValueRef exponent = plain == "pown" ? LLVMGetOperand(call, 1) : nullptr;
    return exponent && LLVMIsAConstantInt(exponent) && LLVMConstIntGetSExtValue(exponent) >= 0 &&
           LLVMConstIntGetSExtValue(exponent) <= costs::smallExponent;
}
} // namespace

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
    return {effort.instructions * count, effort.chain, effort.slow * count, effort.half * count};
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
        LLVMIsAConstant(LLVMGetOperand(call, 0)))
        return powerOfConstant;
    for (const Cost &cost : ofFunctions)
        if (plain == cost.name)
            return ofType(cost, type, isFastMath);
    if (plain == "fma" || plain == "mad" || plain == "fmuladd")
        return isDouble(type) ? ofDoubles : Effort{1, 1};
    if (plain.compare(0, 8, "convert_") == 0)
        return ofConversion(LLVMTypeOf(LLVMGetOperand(call, 0)), type);
    for (const Beginning &beginning : ofBeginnings)
        if (plain.compare(0, strlen(beginning.name), beginning.name) == 0)
            return isDouble(type) && beginning.effort.half > 0
                       ? times(minimumOfDoubles, beginning.effort.half)
                       : beginning.effort;
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
    const std::string plain = plainName(text);
    for (const Cost &cost : ofVectors)
        if (plain == cost.name)
            return ofType(cost, LLVMTypeOf(call), isFastMath);
    // Each component takes one multiply-add instruction.
    const uint32_t combined = componentsOf(LLVMTypeOf(LLVMGetOperand(call, 0)));
    if (plain == "dot")
        return {combined, combined};
    const Effort rest = isIntrinsic(text) ? ofIntrinsic : unknown;
    return times(ofFunction(plain, call, isFastMath, rest), componentsOf(LLVMTypeOf(call)));
}
