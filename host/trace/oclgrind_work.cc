#include "trace/oclgrind_work.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_set>

#include "trace/oclgrind_blocks.hpp"
#include "trace/oclgrind_constants.hpp"
#include "trace/oclgrind_costs.hpp"
#include "trace/oclgrind_loops.hpp"
#include "trace/oclgrind_names.hpp"
#include "trace/wire.h"

namespace
{
// How many positions of a group to remember between two barriers. Work in further positions is not
// counted; only kernels that loop for very long reach the limit.
constexpr size_t mostPositions = 1 << 22;

struct Effort {
    uint32_t instructions; // estimated number on a device
    uint32_t chain;        // longest chain of dependent instructions
    uint32_t slow = 0;     // for how many instructions they occupy the unit for roots and sines
    uint32_t half = 0;     // how many of them start at half the rate (costs::ofHalfRate)
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

LLVMTypeRef componentOf(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == kVector ? LLVMGetElementType(type) : type;
}

bool isDouble(LLVMTypeRef type) { return LLVMGetTypeKind(componentOf(type)) == kDouble; }

// The width of an integer, or of each component of a vector of integers; 0 for other types.
unsigned bitsOf(LLVMTypeRef type)
{
    type = componentOf(type);
    return LLVMGetTypeKind(type) == kInteger ? LLVMGetIntTypeWidth(type) : 0;
}

Effort effortOf(const costs::Cost &cost, LLVMTypeRef type, bool isFastMath)
{
    const uint32_t count = isDouble(type) ? cost.ofDouble : isFastMath ? cost.fast : cost.ofFloat;
    if (cost.ofFloat < costs::ofSlowUnit / 2)
        return {count, count};
    const uint32_t measured = isDouble(type) ? cost.chainOfDouble
                              : isFastMath   ? 0
                                             : cost.chainOfFloat;
    const uint32_t least = isFastMath ? costs::chainOfSlowUnit : costs::ofSlowUnit;
    return {count, measured > 0 ? measured : std::max(count, least), costs::ofSlowUnit};
}

Effort effortOfConversion(LLVMTypeRef from, LLVMTypeRef to)
{
    const unsigned bits = std::max(bitsOf(from), bitsOf(to));
    if (bitsOf(from) > 0 && bitsOf(to) > 0)
        return {1, 1, 0, 1};
    if (bits == 0)
        return {1, costs::chainOfWidening, costs::slotsOfConversion};
    const bool isSlower = bitsOf(from) == 16 || bitsOf(to) == 16 || bits == 64 || isDouble(from) ||
                          isDouble(to);
    return {1, costs::chainOfConversion, costs::slotsOfConversion * (isSlower ? 2 : 1)};
}

// The effort of a function with this name that compares, combines bits, or rounds.
Effort effortOfSmall(const std::string &plain, LLVMTypeRef type)
{
    // Beginnings of the names of functions that take one instruction at half the rate.
    static const char *const halves[] = {"abs", "bitselect", "fmax", "fmin", "fsh", "max", "min",
                                         "rotate", "smax", "smin", "umax", "umin"};
    for (const costs::SmallCost &cost : costs::ofIntegers)
        if (plain.compare(0, strlen(cost.name), cost.name) == 0)
            return {cost.instructions, cost.chain, cost.slow};
    if (plain == "fabs")
        return {0, 0};
    if (plain == "clamp")
        return {2, 2, 0, 2};
    for (const char *half : halves)
        if (plain.compare(0, strlen(half), half) == 0)
            return isDouble(type) ? Effort{costs::ofDoubleMinimum, costs::ofDoubleMinimum}
                                  : Effort{1, 1, 0, 1};
    return {1, 1};
}

// The effort of a declared function, per component if it returns a vector.
Effort effortOfFunction(const std::string &plain, LLVMValueRef call, bool isFastMath)
{
    // Beginnings of the names of OpenCL functions that need one instruction on a device or none,
    // beside those in effortOfSmall().
    static const char *const single[] = {
        "abs", "add_sat", "any", "all", "as_", "bitselect", "ceil", "clamp", "clz", "degrees",
        "fabs", "floor", "fma", "fmax", "fmin", "get_", "hadd", "isequal", "isfinite", "isgreater",
        "isinf", "isless", "isnan", "isnotequal", "mad", "max", "min", "mul24",
        "mul_hi", "popcount", "radians", "rhadd", "rint", "rotate", "round", "select", "step",
        "sub_sat", "trunc"};
    LLVMTypeRef type = LLVMTypeOf(call);
    for (const costs::Cost &cost : costs::ofFunctions)
        if (plain == cost.name)
            return effortOf(cost, type, isFastMath);
    if (plain == "fma" || plain == "mad" || plain == "fmuladd")
        return isDouble(type) ? Effort{costs::ofDoubleOperation, costs::ofDoubleOperation}
                              : Effort{1, 1};
    if (plain.compare(0, 8, "convert_") == 0)
        return effortOfConversion(LLVMTypeOf(LLVMGetOperand(call, 0)), type);
    for (const char *one : single)
        if (plain.compare(0, strlen(one), one) == 0)
            return effortOfSmall(plain, type);
    if (plain == "native_sin" || plain == "native_cos")
        return {2, costs::chainOfSine, costs::ofSlowUnit};
    if (plain.compare(0, 7, "native_") == 0)
        return {4, costs::chainOfSlowUnit, costs::ofSlowUnit};
    if (plain.compare(0, 5, "half_") == 0)
        return effortOfFunction(plain.substr(5), call, isFastMath);
    return {costs::ofFunction, costs::ofFunction};
}

Effort times(Effort effort, uint32_t count)
{
    return {effort.instructions * count, effort.chain, effort.slow * count, effort.half * count};
}

uint32_t componentsOf(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == kVector ? LLVMGetVectorSize(type) : 1;
}

// pow with a constant base and pown are cheaper than other powers.
bool isCheapPower(const std::string &plain, LLVMValueRef call, Effort &effort)
{
    LLVMValueRef first = LLVMGetOperand(call, 0);
    if (plain == "pow" && LLVMIsAConstant(first) && !isDouble(LLVMTypeOf(call))) {
        effort = {costs::ofPowerOfConstant, costs::ofPowerOfConstant, costs::ofSlowUnit};
        return true;
    }
    if (plain != "pown")
        return false;
    LLVMValueRef exponent = LLVMGetOperand(call, 1);
    const bool isSmall = LLVMIsAConstantInt(exponent) &&
                         LLVMConstIntGetSExtValue(exponent) >= 0 &&
                         LLVMConstIntGetSExtValue(exponent) <= 4;
    effort = isSmall ? Effort{costs::ofSmallPower, costs::ofSmallPower}
                     : Effort{costs::ofIntegerPower, costs::chainOfIntegerPower};
    return true;
}

Effort effortOfCall(LLVMValueRef call, bool isFastMath)
{
    size_t length = 0;
    LLVMValueRef called = LLVMGetCalledValue(call);
    const char *name = called ? LLVMGetValueName2(called, &length) : nullptr;
    if (!name || length == 0)
        return {1, 1};
    const std::string text(name, length);
    if (text.find("llvm.dbg") == 0 || text.find("llvm.lifetime") == 0 ||
        text.find("barrier") != std::string::npos)
        return {0, 0};
    if (!LLVMIsDeclaration(called))
        return {1, 1};
    const std::string plain = plainName(text);
    const uint32_t components = componentsOf(LLVMTypeOf(call));
    Effort effort = {1, 1};
    if (!isFastMath && isCheapPower(plain, call, effort))
        return times(effort, components);
    for (const costs::Cost &cost : costs::ofVectors)
        if (plain == cost.name)
            return effortOf(cost, LLVMTypeOf(call), isFastMath);
    // Each component takes one multiply-add instruction.
    const uint32_t combined = componentsOf(LLVMTypeOf(LLVMGetOperand(call, 0)));
    if (plain == "dot")
        return {combined, combined};
    if (isIntrinsic(text) && text.find(".sat.") != std::string::npos)
        return times({7, 4}, components);
    effort = effortOfFunction(plain, call, isFastMath);
    if (isIntrinsic(text) && effort.instructions == costs::ofFunction && effort.slow == 0)
        effort = effortOfSmall(plain, LLVMTypeOf(call));
    return times(effort, components);
}

bool isLogic(LLVMValueRef value)
{
    const int opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : 0;
    return opcode >= kAnd && opcode <= kXor;
}

// Whether an instruction combines bits for one other such instruction alone. A device's instruction
// combines the bits of three values, so every second one of these takes none of its own.
bool isCombinedLater(LLVMValueRef instruction)
{
    LLVMUseRef use = LLVMGetFirstUse(instruction);
    if (!use || LLVMGetNextUse(use) || !isLogic(LLVMGetUser(use)) ||
        isCombinedLater(LLVMGetUser(use)))
        return false;
    LLVMValueRef user = LLVMGetUser(use), first = LLVMGetOperand(user, 0);
    return first == instruction || !isLogic(first) || !LLVMGetFirstUse(first) ||
           LLVMGetNextUse(LLVMGetFirstUse(first));
}

// Whether a selection changes a value or leaves it, as in `if (c) x += y`. A device then executes
// the change under a condition.
bool isConditionalChange(LLVMValueRef selection)
{
    for (unsigned i = 1; i <= 2; i++) {
        LLVMValueRef changed = LLVMGetOperand(selection, i), left = LLVMGetOperand(selection, 3 - i);
        LLVMUseRef use = LLVMIsAInstruction(changed) ? LLVMGetFirstUse(changed) : nullptr;
        const bool isArithmetic =
            use && !LLVMGetNextUse(use) && LLVMGetInstructionOpcode(changed) >= kAdd &&
            LLVMGetInstructionOpcode(changed) <= kXor;
        for (int j = 0; isArithmetic && j < LLVMGetNumOperands(changed); j++)
            if (LLVMGetOperand(changed, static_cast<unsigned>(j)) == left)
                return true;
    }
    return false;
}

// The effort of an operation on integers that is no division; per component.
Effort effortOnIntegers(LLVMValueRef instruction)
{
    const int opcode = LLVMGetInstructionOpcode(instruction);
    LLVMTypeRef type = LLVMTypeOf(opcode == kCompare ? LLVMGetOperand(instruction, 0)
                                                     : instruction);
    const uint32_t words = bitsOf(type) > 32 ? 2 : 1;
    switch (opcode) {
    case kAdd:
    case kSubtract:
        return {words, 1};
    case kMultiply:
        if (words == 1)
            return {1, 1};
        return {costs::ofLongProduct, costs::chainOfLongProduct};
    case kShiftLeft:
        return {words, words, 0, words - 1};
    case kAnd:
    case kOr:
    case kXor:
        if (bitsOf(type) == 1)
            return {1, 1};
        return isCombinedLater(instruction) ? Effort{0, 0} : Effort{words, 1, 0, words};
    default: // a comparison, a selection, or a shift to the right
        return {words, 1, 0, words};
    }
}

Effort effortOfDivision(LLVMValueRef instruction, bool isFastMath)
{
    const int opcode = LLVMGetInstructionOpcode(instruction);
    LLVMValueRef divisor = LLVMGetOperand(instruction, 1);
    LLVMTypeRef type = LLVMTypeOf(instruction);
    if (opcode == kFloatRemainder)
        return effortOf(costs::remainder, type, isFastMath);
    const bool isEarly = loops::isKnownBefore(divisor, instruction);
    if (opcode == kFloatDivision) {
        if (isDouble(type) || !(isEarly || LLVMIsAConstant(divisor)))
            return effortOf(costs::division, type, isFastMath);
        const uint32_t count = LLVMIsAConstant(divisor) ? 1 : costs::ofFloatDivisionByKnown;
        return {count, count};
    }
    if (constants::isKnown(divisor))
        return {costs::ofConstantDivision, costs::ofConstantDivision};
    const bool isUnsigned = opcode == kUnsignedDivision || opcode == kUnsignedRemainder;
    const uint32_t count = isEarly ? isUnsigned ? costs::ofUnsignedDivisionByKnown
                                                : costs::ofSignedDivisionByKnown
                           : isUnsigned ? costs::ofUnsignedDivision
                                        : costs::ofSignedDivision;
    return {count, count, isEarly ? 0 : costs::ofSlowUnit};
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
           : loops::leaves(branch)                                  ? costs::chainOfExit
                                                                    : costs::chainOfBranch;
}

// The effort of one component of an arithmetic operation.
Effort effortOfArithmetic(LLVMValueRef instruction, bool isFastMath)
{
    const int opcode = LLVMGetInstructionOpcode(instruction);
    LLVMTypeRef type = LLVMTypeOf(instruction);
    if (opcode == kCompare || opcode == kFloatCompare) {
        Effort effort = opcode == kCompare ? effortOnIntegers(instruction) : Effort{1, 1, 0, 1};
        effort.chain = isOfEarlyEnd(instruction) ? 1 : costs::chainOfCompare;
        return effort;
    }
    if (opcode == kFloatNegate || (opcode == kSelect && isConditionalChange(instruction)))
        return {0, 0};
    if (opcode >= kFloatToUnsigned && opcode <= kFloatExtend)
        return effortOfConversion(LLVMTypeOf(LLVMGetOperand(instruction, 0)), type);
    if (opcode == kFloatAdd || opcode == kFloatSubtract || opcode == kFloatMultiply)
        return isDouble(type) ? Effort{costs::ofDoubleOperation, costs::ofDoubleOperation}
                              : Effort{1, 1};
    if (opcode >= kUnsignedDivision && opcode <= kFloatRemainder)
        return effortOfDivision(instruction, isFastMath);
    return effortOnIntegers(instruction);
}

Effort effortOf(LLVMValueRef instruction, bool isFastMath)
{
    const int opcode = LLVMGetInstructionOpcode(instruction);
    // Of the three instructions that control a loop, one is left for each iteration if some three or
    // four run at once, and two if two do.
    const int64_t atOnce = loops::iterationsCounted(instruction);
    if ((atOnce == INT64_MAX) || (atOnce > 1 && (opcode == kAdd || opcode == kSubtract)) ||
        (atOnce > 2 && opcode == kCompare))
        return {0, 0};
    if (opcode == kPhi && loops::countsSeveral(instruction))
        return {costs::ofLoopEntry, 1};
    if (loops::isFree(opcode) || opcode == kLoad || opcode == kStore)
        return {0, 0};
    if (opcode == kBranch || opcode == kSwitch)
        return {1, chainOf(instruction)};
    if (opcode == kCall)
        return effortOfCall(instruction, isFastMath);
    if (opcode == kGetElementPtr)
        return {1, 1};
    return times(effortOfArithmetic(instruction, isFastMath), componentsOf(LLVMTypeOf(instruction)));
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
        step->half = effort.half;
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
        state.instructions = state.slow = state.half = state.told = 0;
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
        isExecuted ? step.chain + (now.isSeparating ? costs::chainOfSeparation : 0) : 0;
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
    now.half += isExecuted ? step.half : 0;
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
    const uint64_t needed =
        std::max({m_now->instructions, m_now->slow, costs::ofHalfRate * m_now->half});
    Done done = m_now->done;
    done.instructions = static_cast<uint32_t>(needed - m_now->told);
    m_now->told = needed;
    m_now->done = Done();
    m_now->stretch++;
    m_now->branchChain = 0;
    m_now->before = m_now->deepest;
    return done;
}
