#include "trace/oclgrind_work.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_set>

#include "trace/oclgrind_blocks.hpp"
#include "trace/oclgrind_constants.hpp"
#include "trace/oclgrind_loops.hpp"
#include "trace/oclgrind_names.hpp"
#include "trace/wire.h"

namespace
{
// Numbers of instructions of functions that take more than one, as NVIDIA's compiler (driver
// 580.159.04) generates them for an H100. Branches to rare cases are not counted. For vectors, the
// numbers are per component. fast: for float, with -cl-fast-relaxed-math.
struct Cost {
    const char *name;
    uint32_t ofFloat, ofDouble, fast;
    // How many additions of floats take as long in a chain; 0 if this was not measured on an H100.
    uint32_t chainOfFloat = 0, chainOfDouble = 0;
};
constexpr Cost remainder = {"fmod", 79, 257, 74};
constexpr Cost costs[] = {
    {"acos", 20, 129, 17}, {"asin", 21, 116, 18}, {"atan", 31, 80, 18}, {"atan2", 54, 134, 41},
    {"cbrt", 15, 43, 13}, {"clz", 2, 2, 2}, {"copysign", 2, 2, 2}, {"cos", 28, 60, 2},
    {"cosh", 22, 59, 17}, {"erf", 28, 123, 30}, {"erfc", 102, 385, 99}, {"exp", 10, 59, 2},
    {"exp10", 10, 67, 2}, {"exp2", 4, 60, 1}, {"expm1", 29, 71, 25}, {"fdim", 3, 4, 3},
    remainder, {"half_exp", 10, 10, 2}, {"half_log", 26, 26, 2}, {"hypot", 19, 80, 16},
    {"lgamma", 214, 169, 216}, {"log", 26, 82, 2}, {"log10", 27, 88, 2}, {"log1p", 31, 137, 31},
    {"log2", 28, 88, 1}, {"mix", 3, 5, 3}, {"native_divide", 5, 5, 5, 10}, {"native_powr", 9, 9, 9},
    {"pow", 123, 301, 121}, {"powr", 120, 297, 9}, {"remainder", 91, 264, 65},
    {"rotate", 2, 24, 2}, {"round", 4, 5, 4}, {"rsqrt", 4, 16, 1, 10}, {"sign", 11, 14, 11},
    {"sin", 28, 60, 2}, {"sinh", 35, 204, 30}, {"sinpi", 26, 40, 26}, {"smoothstep", 15, 43, 10},
    {"sqrt", 4, 22, 4, 10, 22}, {"tan", 34, 80, 5}, {"tanh", 21, 100, 21}, {"tgamma", 147, 1022, 82},
};

// Numbers of instructions of divisions: of floats, and then of integers (also of remainders).
// ofConstantDivision is for constant divisors, because compilers replace these by multiplications.
// With other divisors, signed and unsigned division took an H100 as long as 31 and 29 dependent
// additions in a chain, and as long as 34 and 27 instructions when all lanes were busy.
constexpr Cost division = {"", 8, 22, 2, 12, 32};
constexpr uint32_t ofSignedDivision = 31, ofUnsignedDivision = 28, ofConstantDivision = 4;

// Number of instructions of pow for float with a constant base, which needs no logarithm.
constexpr uint32_t ofPowerOfConstant = 22;

// Number of instructions before a loop's first iteration that NVIDIA's compiler generates if it
// unrolls the loop and the number of iterations is not constant.
constexpr uint32_t ofLoopEntry = 20;

// Number of instructions of any other function.
constexpr uint32_t ofFunction = 8;

// The hardware unit for roots, sines and logarithms takes as long as this many instructions.
// A function that takes fewer than half as many is assumed not to use the unit.
constexpr uint32_t ofSlowUnit = 8;

// In a chain, the unit's fastest functions take as long as this many additions. Measured on an
// H100, as are the lengths of chains below.
constexpr uint32_t chainOfSlowUnit = 6;

// A conversion between integers and floats occupies this unit for 4 instructions, and in a chain
// takes as long as 3 additions; one between float and double, as long as 5.
constexpr uint32_t slotsOfConversion = 4, chainOfConversion = 3, chainOfWidening = 5;

// How many additions of floats take as long as an operation on doubles.
constexpr uint32_t ofDoubleOperation = 2;

// A sub-group branches 13 clocks after the comparison. A branch that it executes takes another 22
// to 24 clocks, taken or not, and one that leaves a loop 14. If lanes go separate ways, a branch
// takes 20 more. An addition takes 4 clocks.
constexpr uint32_t chainOfCompare = 3, chainOfBranch = 6, chainOfExit = 4, chainOfSeparation = 5;

// How many positions of a group to remember between two barriers. Work in further positions is not
// counted; only kernels that loop for very long reach the limit.
constexpr size_t mostPositions = 1 << 22;

struct Effort {
    uint32_t instructions; // estimated number on a device
    uint32_t chain;        // longest chain of dependent instructions
    uint32_t slow;         // for how many instructions they occupy the unit for roots and sines
};

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

bool isDouble(LLVMTypeRef type)
{
    return LLVMGetTypeKind(LLVMGetTypeKind(type) == kVector ? LLVMGetElementType(type) : type) ==
           kDouble;
}

Effort effortOf(const Cost &cost, LLVMValueRef instruction, bool isFastMath)
{
    const uint32_t count = isDouble(LLVMTypeOf(instruction)) ? cost.ofDouble
                           : isFastMath                      ? cost.fast
                                                             : cost.ofFloat;
    if (cost.ofFloat < ofSlowUnit / 2)
        return {count, count, 0};
    const uint32_t measured = isDouble(LLVMTypeOf(instruction)) ? cost.chainOfDouble
                              : isFastMath                      ? 0
                                                                : cost.chainOfFloat;
    const uint32_t least = isFastMath ? chainOfSlowUnit : ofSlowUnit;
    return {count, measured > 0 ? measured : std::max(count, least), ofSlowUnit};
}

Effort effortOfCall(LLVMValueRef call, bool isFastMath)
{
    // Beginnings of the names of OpenCL functions that need one instruction on a device or none.
    static const char *const single[] = {
        "abs", "add_sat", "any", "all", "as_", "bitselect", "ceil", "clamp", "convert_", "degrees",
        "fabs", "floor", "fma", "fmax", "fmin", "get_", "hadd", "isequal", "isfinite", "isgreater",
        "isinf", "isless", "isnan", "isnotequal", "mad", "max", "min", "mul24",
        "mul_hi", "popcount", "radians", "rhadd", "rint", "select", "step", "sub_sat", "trunc"};
    size_t length = 0;
    LLVMValueRef called = LLVMGetCalledValue(call);
    const char *name = called ? LLVMGetValueName2(called, &length) : nullptr;
    if (!name || length == 0)
        return {1, 1, 0};
    const std::string text(name, length);
    if (text.find("llvm.dbg") == 0 || text.find("llvm.lifetime") == 0 ||
        text.find("barrier") != std::string::npos)
        return {0, 0, 0};
    if (!LLVMIsDeclaration(called))
        return {1, 1, 0};
    const std::string plain = plainName(text);
    if (plain == "pow" && LLVMIsAConstant(LLVMGetOperand(call, 0)) && !isDouble(LLVMTypeOf(call)) &&
        !isFastMath)
        return {ofPowerOfConstant, ofPowerOfConstant, ofSlowUnit};
    for (const Cost &cost : costs)
        if (plain == cost.name)
            return effortOf(cost, call, isFastMath);
    const bool isMultiplyAdd = plain == "fma" || plain == "mad" || plain == "fmuladd";
    if (isMultiplyAdd && isDouble(LLVMTypeOf(call)))
        return {ofDoubleOperation, ofDoubleOperation, 0};
    if (isIntrinsic(text))
        return {1, 1, 0};
    for (const char *one : single)
        if (plain.compare(0, strlen(one), one) == 0)
            return {1, 1, 0};
    if (plain.compare(0, 7, "native_") == 0 || plain == "half_sqrt" || plain == "half_rsqrt")
        return {2, chainOfSlowUnit, ofSlowUnit};
    // Each component takes one multiply-add instruction.
    if (plain == "dot") {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, 0));
        const uint32_t components = LLVMGetTypeKind(type) == kVector ? LLVMGetVectorSize(type) : 1;
        return {components, components, 0};
    }
    return {ofFunction, ofFunction, 0};
}

// Whether a comparison only decides whether a loop goes on, and is known early.
bool isOfEarlyEnd(LLVMValueRef comparison)
{
    LLVMUseRef use = LLVMGetFirstUse(comparison);
    return use && !LLVMGetNextUse(use) &&
           LLVMGetInstructionOpcode(LLVMGetUser(use)) == kBranch &&
           loops::endsEarly(LLVMGetUser(use));
}

uint32_t chainOf(LLVMValueRef branch)
{
    return !blocks::isBranching(branch) || loops::endsEarly(branch) ? 0
           : loops::leaves(branch)                                  ? chainOfExit
                                                                    : chainOfBranch;
}

Effort effortOf(LLVMValueRef instruction, bool isFastMath)
{
    const int opcode = LLVMGetInstructionOpcode(instruction);
    if (opcode == kPhi && loops::countsSeveral(instruction))
        return {ofLoopEntry, 1, 0};
    if (loops::isFree(opcode) || opcode == kLoad || opcode == kStore)
        return {0, 0, 0};
    Effort effort = {1, 1, 0};
    if (opcode == kCompare || opcode == kFloatCompare)
        effort = {1, isOfEarlyEnd(instruction) ? 1 : chainOfCompare, 0};
    else if (opcode == kBranch || opcode == kSwitch)
        effort = {1, chainOf(instruction), 0};
    else if (opcode == kFloatTruncate || opcode == kFloatExtend)
        effort = {1, chainOfWidening, slotsOfConversion};
    else if (opcode == kCall)
        effort = effortOfCall(instruction, isFastMath);
    else if (opcode >= kFloatToUnsigned && opcode <= kSignedToFloat)
        effort = {1, chainOfConversion, slotsOfConversion};
    else if ((opcode == kFloatAdd || opcode == kFloatSubtract || opcode == kFloatMultiply) &&
             isDouble(LLVMTypeOf(instruction)))
        effort = {ofDoubleOperation, ofDoubleOperation, 0};
    else if (opcode == kFloatDivision)
        effort = effortOf(division, instruction, isFastMath);
    else if (opcode == kFloatRemainder)
        effort = effortOf(remainder, instruction, isFastMath);
    else if (opcode >= kUnsignedDivision && opcode <= kFloatRemainder) {
        const bool isUnsigned = opcode == kUnsignedDivision || opcode == kUnsignedRemainder;
        const bool isKnown = constants::isKnown(LLVMGetOperand(instruction, 1));
        const uint32_t count = isKnown      ? ofConstantDivision
                               : isUnsigned ? ofUnsignedDivision
                                            : ofSignedDivision;
        effort = {count, count, isKnown ? 0u : ofSlowUnit};
    }
    LLVMTypeRef type = LLVMTypeOf(instruction);
    if (LLVMGetTypeKind(type) == kVector) {
        effort.instructions *= LLVMGetVectorSize(type);
        effort.slow *= LLVMGetVectorSize(type);
    }
    return effort;
}

// Adds the loads from which an operand's value may come unchanged.
void addLoads(LLVMValueRef value, std::unordered_set<LLVMValueRef> &seen,
              std::vector<LLVMValueRef> &loads)
{
    if (!LLVMIsAInstruction(value) || !seen.insert(value).second)
        return;
    const int opcode = LLVMGetInstructionOpcode(value);
    // OpenCL functions such as vloadn and atomics read memory, too. Only the recorded accesses show
    // whether a called function reads memory.
    if (opcode == kLoad || opcode == kCall || pointerOf(value))
        loads.push_back(value);
    else if (loops::handsOn(opcode))
        for (int i = 0; i < LLVMGetNumOperands(value); i++)
            addLoads(LLVMGetOperand(value, static_cast<unsigned>(i)), seen, loads);
}
} // namespace

// Whether an address or a branch depends on the loaded value.
bool Work::leadsToAddress(LLVMValueRef load)
{
    std::vector<LLVMValueRef> open{load};
    std::unordered_set<LLVMValueRef> seen{load};
    while (!open.empty()) {
        LLVMValueRef value = open.back();
        open.pop_back();
        for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (!LLVMIsAInstruction(user))
                continue;
            const int opcode = LLVMGetInstructionOpcode(user);
            if (opcode == kGetElementPtr || opcode == kBranch || opcode == kSwitch ||
                (opcode == kLoad && pointerOf(user) == value))
                return true;
            if (opcode != kStore && seen.insert(user).second)
                open.push_back(user);
        }
    }
    return false;
}

uint32_t Work::numberOf(LLVMValueRef instruction)
{
    const auto found = m_steps->find(instruction);
    if (found != m_steps->end())
        return found->second.number;
    Step &step = (*m_steps)[instruction];
    step.number = m_count++;
    step.instructions = UINT32_MAX; // not counted yet
    return step.number;
}

Work::Step &Work::stepOf(LLVMValueRef instruction)
{
    if (instruction == m_last)
        return *m_lastStep;
    numberOf(instruction);
    Step *step = &(*m_steps)[instruction];
    if (step->instructions == UINT32_MAX) {
        std::unordered_set<LLVMValueRef> seen;
        const int opcode = LLVMGetInstructionOpcode(instruction);
        const bool waits = !loops::handsOn(opcode);
        std::vector<LLVMValueRef> operands;
        for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
            operands.push_back(LLVMGetOperand(instruction, static_cast<unsigned>(i)));
        std::vector<uint32_t> values;
        for (LLVMValueRef operand : operands)
            if (operand && LLVMIsAInstruction(operand))
                values.push_back(numberOf(operand));
        for (LLVMValueRef condition : blocks::conditionsOf(instruction))
            if (LLVMIsAInstruction(condition))
                values.push_back(numberOf(condition));
        step = &(*m_steps)[instruction];
        step->values = values;
        for (LLVMValueRef operand : operands)
            if (operand && waits)
                addLoads(operand, seen, step->loads);
        const Effort effort = effortOf(instruction, m_isFastMath);
        step->instructions = effort.instructions;
        step->chain = effort.chain;
        step->slow = effort.slow;
        step->isBranch = (opcode == kBranch || opcode == kSwitch) && effort.chain > 0;
        const bool isRolled = opcode == kLoad && loops::isInRolledLoop(instruction);
        const bool isUnrolled = opcode == kLoad && loops::isInUnrolledLoop(instruction);
        const bool isBehind = opcode == kLoad && blocks::isBehindBranch(instruction);
        const bool isEarly = opcode == kLoad && loops::hasEarlyAddress(instruction);
        step->how = static_cast<uint8_t>((leadsToAddress(instruction) ? BL_WIRE_FIRM : 0) |
                                         (isBehind ? BL_WIRE_BEHIND : 0) |
                                         (isEarly ? BL_WIRE_EARLY : 0) |
                                         (isRolled ? BL_WIRE_ROLLED : 0) |
                                         (isUnrolled ? BL_WIRE_UNROLLED : 0));
    }
    m_last = instruction;
    m_lastStep = step;
    return *step;
}

void Work::beginGroup(size_t items, size_t lanes)
{
    m_lanes = lanes;
    m_subGroup = 0;
    m_counted.resize((items + lanes - 1) / lanes);
    meet();
    if (m_states.size() < items)
        m_states.resize(items);
    for (State &state : m_states) {
        state.first = ++state.stretch;
        state.deepest = state.before = state.branchChain = state.branchDepth = 0;
        state.done = Done();
        state.instructions = state.slow = state.told = 0;
        state.pending.clear();
    }
    for (size_t item = 0; item < items; item++)
        m_states[item].isApart = item % lanes == 0;
    m_now = &m_states[0];
    m_values.beginGroup(items);
}

// No position from before a barrier comes back.
void Work::meet()
{
    m_positions = 0;
    for (auto &counted : m_counted)
        counted.clear();
    for (State &state : m_states)
        state.counted = nullptr;
}

// Whether no earlier lane of the sub-group has executed these instructions in this position.
bool Work::isFirst(uint32_t instructions, bl_lane &lane)
{
    State &now = *m_now;
    if (!now.counted || now.position != lane.position) {
        auto &counted = m_counted[m_subGroup];
        const auto found = counted.find(lane.position);
        if (found == counted.end() && m_positions >= mostPositions)
            return false;
        m_positions += found == counted.end();
        now.position = lane.position;
        now.counted = &counted[lane.position];
    }
    lane.done += instructions;
    const bool isFirst = lane.done > *now.counted;
    now.isSeparating = isFirst && !now.isApart;
    now.isApart = isFirst;
    if (isFirst)
        *now.counted = lane.done;
    return isFirst;
}

LLVMValueRef Work::nextWait(LLVMValueRef instruction, uint8_t *how)
{
    State &now = *m_now;
    if (now.pending.empty())
        return nullptr;
    for (LLVMValueRef load : stepOf(instruction).loads) {
        const auto found = std::find(now.pending.begin(), now.pending.end(), load);
        if (found == now.pending.end())
            continue;
        now.pending.erase(found);
        const Step &step = stepOf(load);
        *how = step.how;
        return load;
    }
    return nullptr;
}

void Work::loaded(LLVMValueRef load)
{
    m_values.loaded(load);
    std::vector<LLVMValueRef> &pending = m_now->pending;
    if (std::find(pending.begin(), pending.end(), load) == pending.end())
        pending.push_back(load);
}

void Work::executed(LLVMValueRef instruction, bl_lane &lane)
{
    const Step &step = stepOf(instruction);
    const bool isExecuted =
        m_values.executed(instruction) && step.instructions > 0 && isFirst(step.instructions, lane);
    State &now = *m_now;
    const uint32_t ofChain =
        isExecuted ? step.chain + (now.isSeparating ? chainOfSeparation : 0) : 0;
    if (now.values.size() < m_count)
        now.values.resize(m_count);
    uint32_t chain = now.branchChain, depth = now.branchDepth;
    for (uint32_t number : step.values) {
        const Value &value = now.values[number];
        if (value.stretch == now.stretch)
            chain = std::max(chain, value.chain);
        if (value.stretch >= now.first)
            depth = std::max(depth, value.depth);
    }
    Value &value = now.values[step.number];
    if (value.stretch != now.stretch)
        value.before = value.stretch < now.first ? now.before : value.depth;
    value.stretch = now.stretch;
    value.chain = chain + ofChain;
    value.depth = depth + ofChain;
    now.instructions += isExecuted ? step.instructions : 0;
    now.slow += isExecuted ? step.slow : 0;
    if (step.isBranch && isExecuted) {
        now.branchChain = value.chain;
        now.branchDepth = value.depth;
    }
    now.done.chain = std::max(now.done.chain, value.chain);
    if (value.depth > value.before)
        now.done.carried = std::max(now.done.carried, value.depth - value.before);
    now.deepest = std::max(now.deepest, value.depth);
}

Work::Done Work::take()
{
    const uint64_t needed = std::max(m_now->instructions, m_now->slow);
    Done done = m_now->done;
    done.instructions = static_cast<uint32_t>(needed - m_now->told);
    m_now->told = needed;
    m_now->done = Done();
    m_now->stretch++;
    m_now->branchChain = 0;
    m_now->before = m_now->deepest;
    return done;
}
