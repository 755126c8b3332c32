// How many instructions OpenCL's functions take on a device.
//
// Numbers of instructions are those that NVIDIA's compiler (driver 580.159.04) generates for an
// H100; branches to rare cases are not counted. Lengths of chains, and most numbers of functions of
// floats, were measured on an H200: with kernels in which each call needs the result of the
// previous one, executed by a single sub-group, and by so many that all schedulers were busy.
#ifndef BANKLINE_TRACE_OCLGRIND_COSTS_HPP
#define BANKLINE_TRACE_OCLGRIND_COSTS_HPP

#include <cstdint>

namespace costs
{
struct Cost {
    const char *name;
    uint32_t ofFloat, ofDouble; // numbers of instructions; for vectors, per component
    uint32_t fast;              // for float, with -cl-fast-relaxed-math
    // How many additions of floats take as long in a chain; 0 if this was not measured.
    uint32_t chainOfFloat = 0, chainOfDouble = 0;
};

// The hardware unit for roots, sines and logarithms takes as long as this many instructions.
// A function that takes fewer than half as many is assumed not to use the unit.
constexpr uint32_t ofSlowUnit = 8;

constexpr Cost remainder = {"fmod", 31, 257, 31, 43};
constexpr Cost ofFunctions[] = {
    {"acos", 20, 129, 17, 22},
    {"acosh", 59, 130, 59, 60},
    {"acospi", 25, 130, 25, 27},
    {"asin", 21, 116, 18, 25},
    {"asinh", 54, 130, 54, 60},
    {"asinpi", 25, 117, 25, 27},
    {"atan", 34, 80, 18, 30},
    {"atan2", 49, 134, 41, 46},
    {"atanh", 57, 130, 57, 54},
    {"atanpi", 36, 81, 36, 32},
    {"cbrt", 25, 43, 13, 22},
    {"copysign", 2, 2, 2},
    {"cos", 29, 68, 2, 26, 74},
    {"cosh", 27, 59, 17, 29},
    {"cospi", 27, 40, 27, 20},
    {"erf", 27, 123, 30, 19},
    {"erfc", 40, 385, 40, 28},
    {"exp", 10, 59, 2, 12},
    {"exp10", 10, 67, 2, 10},
    {"exp2", 7, 60, 1, 9},
    {"expm1", 30, 71, 25, 25},
    {"fdim", 3, 4, 3},
    remainder,
    {"fract", 7, 10, 7, 8},
    {"frexp", 20, 24, 20, 13},
    {"half_divide", 9, 9, 9, 12},
    {"half_recip", 8, 8, 8, 10},
    {"hypot", 22, 80, 16, 19},
    {"ilogb", 15, 16, 15, 14},
    {"ldexp", 10, 14, 10, 16},
    {"lgamma", 44, 169, 44, 58},
    {"log", 27, 98, 2, 21, 72},
    {"log10", 27, 100, 2, 21},
    {"log1p", 27, 137, 27, 24},
    {"log2", 28, 100, 1, 26},
    {"logb", 18, 20, 18, 23},
    {"maxmag", 10, 12, 10, 12},
    {"minmag", 10, 12, 10, 12},
    {"mix", 3, 5, 3, 3},
    {"modf", 9, 12, 9, 9},
    {"native_divide", 5, 5, 5, 10},
    {"native_powr", 9, 9, 9, 19},
    {"native_tan", 16, 16, 16, 15},
    {"nextafter", 30, 34, 30, 30},
    {"pow", 92, 305, 92, 86, 260},
    {"powr", 106, 297, 9, 100},
    {"remainder", 95, 264, 65, 128},
    {"rootn", 192, 300, 192, 97},
    {"rsqrt", 4, 20, 1, 10, 17},
    {"sign", 8, 14, 8, 12},
    {"sin", 29, 68, 2, 25, 78},
    {"sincos", 32, 90, 4, 23},
    {"sinh", 35, 204, 30, 40},
    {"sinpi", 28, 40, 26, 20},
    {"smoothstep", 7, 15, 7, 7},
    {"sqrt", 4, 28, 4, 10, 24},
    {"tan", 29, 80, 5, 27},
    {"tanh", 13, 100, 13, 18},
    {"tgamma", 41, 1022, 41, 50},
};

// Functions that combine all components of a vector. The numbers are those for four components.
constexpr Cost ofVectors[] = {
    {"cross", 6, 12, 6, 2},           {"distance", 29, 50, 29, 23},
    {"fast_distance", 12, 20, 12, 14}, {"fast_length", 8, 16, 8, 13},
    {"fast_normalize", 15, 30, 15, 24}, {"length", 25, 46, 25, 22},
    {"normalize", 85, 120, 85, 82},
};

// Functions of integers and of bits, and functions that round; of 32 bits in both first columns.
// slow: the instruction is one of the unit for roots.
struct SmallCost {
    const char *name; // the beginning of the function's name
    uint32_t instructions, chain, slow;
};
constexpr SmallCost ofIntegers[] = {
    {"abs_diff", 3, 2, 0}, {"add_sat", 7, 4, 0},          {"ceil", 1, 6, ofSlowUnit},
    {"clz", 2, 6, ofSlowUnit}, {"ctlz", 2, 6, ofSlowUnit},   {"ctpop", 1, 5, ofSlowUnit},
    {"cttz", 2, 6, ofSlowUnit}, {"floor", 1, 6, ofSlowUnit}, {"hadd", 5, 2, 0},
    {"mul_hi", 4, 3, 0},   {"popcount", 1, 5, ofSlowUnit}, {"rhadd", 7, 3, 0},
    {"rint", 1, 5, ofSlowUnit}, {"round", 4, 8, ofSlowUnit}, {"sub_sat", 8, 6, 0},
    {"trunc", 1, 6, ofSlowUnit},
};

// Numbers of instructions of divisions and remainders: of floats, and then of integers. A division
// by a constant is a multiplication. `by a known number` is for numbers that are computed before
// the division's loop; the compiler computes their reciprocal before the loop, too.
constexpr Cost division = {"", 8, 26, 2, 12, 32};
constexpr uint32_t ofFloatDivisionByKnown = 2, ofSignedDivision = 31, ofUnsignedDivision = 28,
                   ofSignedDivisionByKnown = 20, ofUnsignedDivisionByKnown = 15,
                   ofConstantDivision = 5;

// Number of instructions of pow for float with a constant base, which needs no logarithm, and of
// pown with constant exponents up to 4 and with others.
constexpr uint32_t ofPowerOfConstant = 22, ofSmallPower = 4, ofIntegerPower = 15,
                   chainOfIntegerPower = 23;

// Number of instructions before a loop's first iteration that NVIDIA's compiler generates if it
// unrolls the loop and the number of iterations is not constant.
constexpr uint32_t ofLoopEntry = 20;

// Number of instructions of any other function.
constexpr uint32_t ofFunction = 8;

// In a chain, the fastest functions of the unit for roots take as long as this many additions:
// sines and cosines, and others, which scale small numbers before and after.
constexpr uint32_t chainOfSine = 5, chainOfSlowUnit = 9;

// A conversion between integers and floats occupies this unit for 4 instructions, or twice as long
// if it is to or from 16 or 64 bits, and in a chain takes as long as 3 additions; one between float
// and double, as long as 5.
constexpr uint32_t slotsOfConversion = 4, chainOfConversion = 3, chainOfWidening = 5;

// How many additions of floats take as long as an operation on doubles; and as a minimum or maximum
// of doubles.
constexpr uint32_t ofDoubleOperation = 2, ofDoubleMinimum = 8;

// Instructions that compare, select, shift to the right or combine bits start at half the rate of
// others: as if they were this many instructions, while others start beside them.
constexpr uint32_t ofHalfRate = 2;

// A product of integers of 64 bits.
constexpr uint32_t ofLongProduct = 6, chainOfLongProduct = 4;

// A sub-group branches 13 clocks after the comparison. A branch that it executes takes another 22 to
// 24 clocks, taken or not, and one that leaves a loop 14. If lanes go separate ways, it takes 20 more.
// An addition takes 4 clocks.
constexpr uint32_t chainOfCompare = 3, chainOfBranch = 6, chainOfExit = 4, chainOfSeparation = 5;
} // namespace costs

#endif
