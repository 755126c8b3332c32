// How long OpenCL's functions and other operations take on a device.
//
// Measured on an H200 (driver 580.159.04) with kernels in which each call needs the result of the
// previous one, executed by a single sub-group, and again by so many that all schedulers were
// busy. Arguments were between 0 and 2, so branches to rare cases are not counted. If a function
// uses the unit for roots and sines, numbers of instructions below 9 cannot be measured in this
// way; they are counted in what NVIDIA's compiler generates.
#ifndef BANKLINE_TRACE_OCLGRIND_COSTS_HPP
#define BANKLINE_TRACE_OCLGRIND_COSTS_HPP

#include <cstdint>
#include <string>

#include "trace/llvm_c.hpp"

namespace costs
{
struct Effort {
    uint32_t instructions; // number on a device
    uint32_t chain;        // latency, as a number of dependent additions of floats
    uint32_t slow = 0;     // how many instructions could start while they occupy the unit for roots
                           // and sines
    uint32_t half = 0;     // how many of them start at half the rate (ofHalfRate)
    bool isSerial = false; // it has branches, so the instructions after it wait for its end
};

// An operation of the hardware unit for roots, sines and logarithms takes as long as this many
// instructions.
constexpr uint32_t ofSlowUnit = 8;

// Instructions that compare, select, shift to the right or combine bits start at half the rate of
// others: as if each were this many instructions, while other instructions start beside them.
constexpr uint32_t ofHalfRate = 2;

// For vectors, the numbers are those for each component.
struct Cost {
    const char *name;
    Effort ofFloat, ofDouble;
    Effort fast; // for float, with -cl-fast-relaxed-math
};
constexpr Cost ofFunctions[] = {
    {"acos", {22, 22, 8}, {66, 49}, {18, 17, 8}},
    {"acosh", {50, 50, 8}, {145, 117}, {46, 47, 8}},
    {"acospi", {22, 25, 8}, {68, 48}, {19, 18, 8}},
    {"asin", {22, 26, 8}, {79, 49}, {19, 22, 8}},
    {"asinh", {54, 59, 8}, {131, 130}, {45, 50, 8}},
    {"asinpi", {24, 27, 8}, {39, 42}, {20, 23, 8}},
    {"atan", {36, 29, 8}, {67, 54}, {21, 22, 8}},
    {"atan2", {49, 47, 8}, {136, 105}, {35, 33, 8}},
    {"atanh", {51, 48, 8}, {107, 110}, {44, 43, 8}},
    {"atanpi", {36, 31, 8}, {69, 61}, {22, 22, 8}},
    {"cbrt", {26, 21, 16}, {62, 80}, {26, 23, 16}},
    {"copysign", {2, 1}, {2, 6}, {2, 2}},
    {"cos", {31, 25, 8}, {68, 72}, {2, 7, 8}},
    {"cosh", {28, 30, 8}, {73, 61}, {26, 30, 8}},
    {"cospi", {27, 20, 8}, {61, 56}, {28, 22, 8}},
    {"erf", {26, 19, 8}, {131, 99}, {30, 19, 8}},
    {"erfc", {40, 30, 8}, {145, 108}, {44, 31, 8}},
    {"exp", {10, 12, 8}, {55, 49}, {2, 7, 8}},
    {"exp10", {10, 12, 8}, {60, 53}, {2, 6, 8}},
    {"exp2", {7, 10, 8}, {56, 47}, {1, 6, 8}},
    {"expm1", {32, 26, 8}, {75, 55}, {29, 22, 8}},
    {"fdim", {3, 1}, {4, 6}, {3, 3}},
    {"fmod", {32, 42, 8}, {161, 144}, {28, 43, 8}},
    {"fract", {7, 8, 8}, {25, 21}, {7, 9, 8}},
    {"frexp", {21, 15}, {19, 25}, {21, 13}},
    {"half_divide", {10, 12, 8}, {10, 12, 8}, {2, 8, 8}},
    {"half_recip", {8, 9, 8}, {8, 9, 8}, {8, 11, 8}},
    {"hypot", {22, 22, 8}, {93, 82}, {20, 16, 8}},
    {"ilogb", {16, 15, 8}, {21, 32}, {17, 17, 8}},
    {"ldexp", {11, 14, 8}, {11, 18}, {12, 16, 8}},
    {"lgamma", {34, 51, 8}, {103, 97}, {35, 50, 8}},
    {"log", {28, 21}, {102, 73}, {2, 7, 8}},
    {"log10", {29, 23}, {107, 80}, {2, 7, 8}},
    {"log1p", {26, 23}, {71, 70}, {27, 24}},
    {"log2", {30, 25}, {107, 75}, {1, 4, 8}},
    {"logb", {19, 22}, {21, 32}, {18, 24}},
    {"maxmag", {7, 9}, {6, 9}, {7, 10}},
    {"minmag", {7, 10}, {6, 8}, {7, 10}},
    {"mix", {3, 2}, {5, 5}, {3, 3}},
    {"modf", {10, 11, 8}, {15, 20}, {10, 11, 8}},
    {"native_divide", {5, 11, 8}, {5, 11, 8}, {5, 11, 8}},
    {"native_powr", {9, 22, 16}, {9, 22, 16}, {9, 23, 16}},
    {"native_tan", {5, 15, 24}, {5, 15, 24}, {5, 12, 24}},
    {"nextafter", {30, 31}, {39, 31}, {46, 36}},
    {"pow", {93, 87, 8}, {309, 262}, {91, 88, 8}},
    {"pown", {16, 23, 8}, {334, 283}, {16, 23, 8}},
    {"powr", {106, 98, 8}, {301, 249}, {9, 21, 16}},
    {"remainder", {96, 130, 8}, {170, 156}, {92, 121, 8}},
    {"rootn", {191, 101, 8}, {345, 257}, {180, 90, 8}},
    {"rsqrt", {4, 9, 8}, {20, 18}, {1, 7, 8}},
    {"sign", {7, 9}, {8, 10}, {7, 10}},
    {"sin", {29, 24, 8}, {68, 75}, {2, 5, 8}},
    {"sincos", {33, 25, 8}, {95, 69}, {4, 9, 16}},
    {"sinh", {35, 41, 8}, {122, 121}, {31, 37, 8}},
    {"sinpi", {30, 20, 8}, {60, 47}, {30, 22, 8}},
    {"smoothstep", {9, 7, 8}, {128, 116}, {8, 6, 8}},
    {"sqrt", {4, 9, 8}, {28, 23}, {4, 11, 8}},
    {"tan", {28, 28, 8}, {98, 87}, {5, 11, 24}},
    {"tanh", {12, 16, 8}, {49, 38}, {13, 18, 8}},
    {"tgamma", {59, 72, 8}, {134, 139}, {43, 50, 8}},
};

// Functions whose code has branches. Four independent calls took four times as long as one on an
// H100, if one sub-group of a scheduler made them; of other functions, up to half as long. Of the
// functions of doubles, all but `copysign`, `cross` and those that begin with `exp` or `erf` have
// branches.
constexpr const char *serialFloats[] = {"atan2",  "cos",       "distance", "erf",  "fmod",
                                        "length", "normalize", "pow",      "powr", "remainder",
                                        "sin",    "sincos",    "tan",      "tanh"};

// Functions that combine all components of a vector: for float and for double, with two, three and
// four components. The numbers for two components also stand for one. Those with fast math, and
// `normalize` of doubles, were measured with four components only; `distance` of doubles was not:
// it is `length` and the differences.
struct VectorCost {
    const char *name;
    Effort ofFloat[3], ofDouble[3]; // OpenCL's fast_ functions have no variant for doubles
    Effort fast;                    // for float, with -cl-fast-relaxed-math
};
constexpr VectorCost ofVectors[] = {
    {"cross", {{6, 2}, {6, 2}, {6, 2}}, {{12, 6}, {12, 6}, {12, 6}}, {6, 2}},
    {"distance",
     {{36, 35, 8}, {53, 52, 8}, {64, 57, 8}},
     {{77, 70}, {151, 160}, {190, 201}},
     {7, 14, 8}},
    {"fast_distance", {{9, 13, 8}, {11, 14, 8}, {13, 16, 8}}, {}, {11, 15, 8}},
    {"fast_length", {{7, 12, 8}, {8, 13, 8}, {9, 15, 8}}, {}, {9, 16, 8}},
    {"fast_normalize", {{14, 23, 8}, {17, 24, 8}, {20, 26, 8}}, {}, {13, 22, 8}},
    {"length",
     {{33, 34, 8}, {50, 50, 8}, {60, 56, 8}},
     {{73, 66}, {145, 156}, {182, 197}},
     {4, 13, 8}},
    {"normalize",
     {{43, 52, 8}, {83, 78, 8}, {107, 85, 8}},
     {{223, 233}, {223, 233}, {223, 233}},
     {13, 21, 8}},
};

// Other functions, by the beginnings of their names; the first that fits counts.
struct Beginning {
    const char *name;
    Effort effort;
};
constexpr Effort half = {1, 1, 0, 1}, rounding = {1, 6, ofSlowUnit};
constexpr Beginning ofBeginnings[] = {
    {"abs_diff", {3, 2}},
    {"abs", half},
    {"add_sat", {7, 4}},
    {"all", {1, 1}},
    {"any", {1, 1}},
    {"as_", {1, 1}},
    {"bitselect", half},
    {"ceil", rounding},
    {"clamp", {2, 2, 0, 2}},
    {"clz", {2, 6, ofSlowUnit}},
    {"ctlz", {2, 6, ofSlowUnit}},
    {"ctpop", {1, 5, ofSlowUnit}},
    {"cttz", {2, 6, ofSlowUnit}},
    {"ctz", {2, 6, ofSlowUnit}},
    {"degrees", {1, 1}},
    {"fabs", {0, 0}},
    {"floor", rounding},
    {"fmax", half},
    {"fmin", half},
    {"fsh", half},
    {"get_", {1, 1}},
    {"hadd", {5, 2}},
    {"is", {1, 1}},
    {"mad", {1, 1}},
    {"max", half},
    {"min", half},
    {"mul24", {1, 1}},
    {"mul_hi", {4, 3}},
    {"native_cos", {2, 5, ofSlowUnit}},
    {"native_sin", {2, 5, ofSlowUnit}},
    {"native_", {4, 9, ofSlowUnit}}, // scales small numbers before and after
    {"popcount", {1, 5, ofSlowUnit}},
    {"radians", {1, 1}},
    {"rhadd", {7, 3}},
    {"rint", {1, 5, ofSlowUnit}},
    {"rotate", half},
    {"round", {4, 8, ofSlowUnit}},
    {"select", half},
    {"smax", half},
    {"smin", half},
    {"step", {1, 1}},
    {"sub_sat", {8, 6}},
    {"trunc", rounding},
    {"umax", half},
    {"umin", half},
};

// Any other function, and any other one of LLVM's own functions.
constexpr Effort unknown = {8, 8}, ofIntrinsic = {1, 1};

// pow for float with the base 2, whose logarithm is exact; with another constant base; and with one
// that is computed before the loop, whose logarithm is computed there, too. pown for float with a
// constant exponent from 0 to smallExponent.
constexpr Effort powerOfTwo = {22, 22, ofSlowUnit}, powerOfConstant = {35, 36, ofSlowUnit},
                 powerOfKnown = {42, 38, ofSlowUnit}, smallPower = {4, 4};
constexpr int64_t smallExponent = 4;

// Divisions and remainders. Those by a constant are products. `ByKnown`: by a number that is
// computed before the loop; the compiler computes its reciprocal there, too.
constexpr Cost division = {"", {8, 12, ofSlowUnit}, {26, 32, 0, 0, true}, {2, 8, ofSlowUnit}};
constexpr Effort ofFloatByKnown = {2, 2}, ofFloatByConstant = {1, 1}, ofConstant = {5, 5},
                 ofSigned = {31, 31, ofSlowUnit}, ofUnsigned = {28, 28, ofSlowUnit},
                 ofSignedByKnown = {20, 20}, ofUnsignedByKnown = {15, 15};

// Those of integers of 64 bits, measured on an H100. If both numbers are below 2^32, they are
// divided as such.
constexpr Effort ofLongConstant = {28, 15}, ofSignedLong = {148, 95, 0, 0, true},
                 ofUnsignedLong = {128, 88, 0, 0, true}, ofShortLong = {34, 44, 0, 0, true};

// What a loop costs in addition to its iterations if its number of iterations is not constant and a
// compiler unrolls it, which takes comparisons and branches. NVIDIA's compiler unrolls a short loop
// twice: the chain is longer if such a loop has at least four iterations, but less so if its loads
// arrive meanwhile. Measured on an H100 with loops in a loop
// (results/rules/nvidia-h100-loop-entries.csv).
constexpr uint32_t ofLoopEntry = 20, chainOfEntry = 26, chainOfFourth = 27,
                   chainOfFourthWithLoads = 10;

// Conversions between integers and floats; those to or from integers of 16 or 64 bits, or doubles;
// and those between floating-point types.
constexpr Effort conversion = {1, 3, 4}, slowerConversion = {1, 3, 8}, widening = {1, 5, 4};

// An operation on doubles, and a minimum or maximum of doubles.
constexpr Effort ofDoubles = {2, 2}, minimumOfDoubles = {8, 8};

// A product of integers of 64 bits, and the upper half of one.
constexpr Effort longProduct = {6, 4}, longUpperHalf = {20, 10};

// A sub-group branches 13 clocks after the comparison. A branch takes another 22 to 24 clocks,
// whether it is taken or not; a branch that leaves a loop takes another 14. If lanes go separate
// ways, a branch takes 20 more. An addition takes 4 clocks.
constexpr uint32_t chainOfCompare = 3, chainOfBranch = 6, chainOfExit = 4, chainOfSeparation = 5;

// The chains of the comparison and of the branch that end an iteration of a loop that is not
// unrolled, if they depend on a counter alone. On an H100, an iteration of such a loop took 27
// clocks, or 8 more than its other instructions if these took longer.
constexpr uint32_t chainOfCount = 4, chainOfIteration = 2;

LLVMTypeRef componentOf(LLVMTypeRef type); // of a vector; any other type is its own component
uint32_t componentsOf(LLVMTypeRef type);
bool isDouble(LLVMTypeRef type); // also for vectors of doubles

// The width of an integer, or of each component of a vector of integers; 0 for other types.
unsigned bitsOf(LLVMTypeRef type);

// Whether an integer of 64 bits is probably less than 2^32: it is computed from ids and sizes of
// the grid, from arguments of the kernel, and from integers of 32 bits.
bool isProbablyShort(LLVMValueRef value);

// Of independent operations: the chain stays as it is, unless each has branches.
Effort times(Effort effort, uint32_t count);
Effort ofType(const Cost &cost, LLVMTypeRef type, bool isFastMath);
Effort ofConversion(LLVMTypeRef from, LLVMTypeRef to);

// The effort of a function that is only declared; per component if it returns a vector. plain: its
// name without what mangling adds. rest: the effort if the function is not known.
Effort ofFunction(const std::string &plain, LLVMValueRef call, bool isFastMath, Effort rest);

// The effort of any call.
Effort ofCall(LLVMValueRef call, bool isFastMath);

// Whether an instruction calls a function that has branches (Effort), possibly through functions
// that the program defines, or is a division that has branches.
bool isSerial(LLVMValueRef instruction);

// How many instructions take an instruction's place, or those of a block, when a compiler has
// inlined functions: OpenCL's functions as far as they are listed here, and the program's own. This
// decides whether it unrolls a loop. Phis and descriptions for debuggers count as none.
int64_t sizeOf(LLVMValueRef instruction);
int64_t sizeOfBlock(LLVMBasicBlockRef block);
} // namespace costs

#endif
