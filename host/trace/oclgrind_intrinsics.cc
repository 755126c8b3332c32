// The functions that are added take integers of any width and vectors of any length, so each is
// computed component by component, on the low bits of 64-bit numbers.
#include "trace/oclgrind_intrinsics.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include <oclgrind/Plugin.h>

#include <oclgrind/WorkItem.h>

#include "trace/llvm_c.hpp"
#include "trace/oclgrind_costs.hpp"

namespace
{
struct Intrinsic {
    const char *name; // without the type that follows it
    unsigned arguments;
    // Computes one component, of `bits` bits. The bits above these are 0 in the arguments and are
    // cleared in the result.
    uint64_t (*compute)(const uint64_t arguments[], unsigned bits);
};

uint64_t allOf(unsigned bits) { return UINT64_MAX >> (64 - bits); }

bool isNegative(uint64_t value, unsigned bits) { return (value >> (bits - 1) & 1) != 0; }

// The upper half of two numbers, side by side, that are shifted to the left; the lower half of
// those shifted to the right.
uint64_t shiftedLeft(const uint64_t of[], unsigned bits)
{
    const unsigned by = static_cast<unsigned>(of[2] % bits);
    return by == 0 ? of[0] : of[0] << by | of[1] >> (bits - by);
}

uint64_t shiftedRight(const uint64_t of[], unsigned bits)
{
    const unsigned by = static_cast<unsigned>(of[2] % bits);
    return by == 0 ? of[1] : of[0] << (bits - by) | of[1] >> by;
}

uint64_t absolute(const uint64_t of[], unsigned bits)
{
    return isNegative(of[0], bits) ? 0 - of[0] : of[0];
}

uint64_t onesOf(const uint64_t of[], unsigned)
{
    uint64_t count = 0;
    for (uint64_t left = of[0]; left != 0; left &= left - 1)
        count++;
    return count;
}

uint64_t leadingZerosOf(const uint64_t of[], unsigned bits)
{
    uint64_t count = 0;
    while (count < bits && !isNegative(of[0] << count & allOf(bits), bits))
        count++;
    return count;
}

uint64_t trailingZerosOf(const uint64_t of[], unsigned bits)
{
    uint64_t count = 0;
    while (count < bits && (of[0] >> count & 1) == 0)
        count++;
    return count;
}

uint64_t reversed(const uint64_t of[], unsigned bits)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < bits; i++)
        result |= (of[0] >> i & 1) << (bits - 1 - i);
    return result;
}

// Sums and differences that end at the largest number and at 0.

uint64_t unsignedSum(const uint64_t of[], unsigned bits)
{
    return of[1] > allOf(bits) - of[0] ? allOf(bits) : of[0] + of[1];
}

uint64_t unsignedDifference(const uint64_t of[], unsigned)
{
    return of[0] > of[1] ? of[0] - of[1] : 0;
}

constexpr Intrinsic intrinsics[] = {
    {"llvm.abs.", 1, absolute},
    {"llvm.bitreverse.", 1, reversed},
    {"llvm.ctlz.", 1, leadingZerosOf},
    {"llvm.ctpop.", 1, onesOf},
    {"llvm.cttz.", 1, trailingZerosOf},
    {"llvm.fshl.", 3, shiftedLeft},
    {"llvm.fshr.", 3, shiftedRight},
    {"llvm.uadd.sat.", 2, unsignedSum},
    {"llvm.usub.sat.", 2, unsignedDifference},
};

void compute(oclgrind::WorkItem *item, const llvm::CallInst *call, const std::string &,
             const std::string &, oclgrind::TypedValue &result, void *which)
{
    const auto *intrinsic = static_cast<const Intrinsic *>(which);
    auto *value = reinterpret_cast<LLVMValueRef>(const_cast<llvm::CallInst *>(call));
    oclgrind::TypedValue arguments[3];
    for (unsigned i = 0; i < intrinsic->arguments; i++)
        arguments[i] =
            item->getOperand(reinterpret_cast<const llvm::Value *>(LLVMGetOperand(value, i)));
    const unsigned bits = costs::bitsOf(LLVMTypeOf(value)); // some types have odd ones, such as 4
    for (unsigned component = 0; component < result.num; component++) {
        uint64_t of[3] = {0};
        for (unsigned i = 0; i < intrinsic->arguments; i++)
            of[i] = arguments[i].getUInt(component) & allOf(bits);
        result.setUInt(intrinsic->compute(of, bits) & allOf(bits), component);
    }
}
} // namespace

void addIntrinsics()
{
    for (const Intrinsic &intrinsic : intrinsics) {
        oclgrind::BuiltinFunctionPrefixList &known = oclgrind::workItemPrefixBuiltins;
        const std::string name = intrinsic.name;
        const auto isKnown = [&name](const auto &one) {
            return name.compare(0, one.first.size(), one.first) == 0;
        };
        if (std::none_of(known.begin(), known.end(), isKnown))
            known.emplace_back(
                name, oclgrind::BuiltinFunction(compute, const_cast<Intrinsic *>(&intrinsic)));
    }
}
