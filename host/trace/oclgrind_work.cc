// What an instruction costs, and which values and loads it needs, is found once for each program
// (Step); executing it only adds to sums. Where a device's compiler has a cheaper form than LLVM,
// the cost is that of the cheaper form.
#include "trace/oclgrind_work.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_set>

#include "trace/oclgrind_addresses.hpp"
#include "trace/oclgrind_blocks.hpp"
#include "trace/oclgrind_constants.hpp"
#include "trace/oclgrind_costs.hpp"
#include "trace/oclgrind_instructions.hpp"
#include "trace/oclgrind_loops.hpp"
#include "trace/oclgrind_names.hpp"
#include "trace/wire.h"

namespace
{
// How many positions of a group to remember between two barriers. Work in further positions is not
// counted; only kernels that loop for very long reach the limit.
constexpr size_t mostPositions = 1 << 22;

constexpr uint32_t fourthIteration = 4;

using costs::Effort;

bool isLogic(LLVMValueRef value)
{
    const int opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : 0;
    return opcode >= kAnd && opcode <= kXor;
}

// Whether an instruction combines bits for one other such instruction alone. A device's instruction
// combines the bits of three values, so every second one of these needs no instruction of its own.
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

bool isOperation(LLVMValueRef value)
{
    const int opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : 0;
    return opcode >= kAdd && opcode <= kXor;
}

// Whether a value is used once, by an operation.
bool isForOneOperation(LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);
    return use && !LLVMGetNextUse(use) && isOperation(LLVMGetUser(use));
}

// Whether a selection changes a value or leaves it, as in `if (c) x += y`, in one of the two forms
// in which LLVM has it: c ? x + y : x, or x + (c ? y : 0). A device then executes the change under
// a condition.
bool isConditionalChange(LLVMValueRef selection)
{
    for (unsigned i = 1; i <= 2; i++) {
        LLVMValueRef changed = LLVMGetOperand(selection, i),
                     left = LLVMGetOperand(selection, 3 - i);
        LLVMUseRef use = isOperation(changed) ? LLVMGetFirstUse(changed) : nullptr;
        for (int j = 0; use && !LLVMGetNextUse(use) && j < LLVMGetNumOperands(changed); j++)
            if (LLVMGetOperand(changed, static_cast<unsigned>(j)) == left)
                return true;
        if (LLVMIsAConstantInt(left) && LLVMConstIntGetSExtValue(left) == 0 &&
            isForOneOperation(selection))
            return true;
    }
    return false;
}

// The effort, per component, of a selection, or of an operation on integers other than a division.
Effort effortOnIntegers(LLVMValueRef instruction)
{
    const int opcode = LLVMGetInstructionOpcode(instruction);
    LLVMTypeRef type =
        LLVMTypeOf(opcode == kCompare ? LLVMGetOperand(instruction, 0) : instruction);
    const int kind = LLVMGetTypeKind(costs::componentOf(type));
    const uint32_t words = costs::bitsOf(type) > 32 || kind == kDouble || kind == kPointer ? 2 : 1;
    switch (opcode) {
    case kAdd:
    case kSubtract:
        return {words, 1};
    case kMultiply:
        return words == 1 ? Effort{1, 1} : costs::longProduct;
    case kShiftLeft:
        return {words, words, 0, words - 1};
    case kAnd:
    case kOr:
    case kXor:
        if (costs::bitsOf(type) == 1)
            return {1, 1};
        return isCombinedLater(instruction) ? Effort{0, 0} : Effort{words, 1, 0, words};
    default: // a comparison, a selection, or a shift to the right
        return {words, 1, 0, words};
    }
}

bool isPowerOfTwo(LLVMValueRef value)
{
    LLVMValueRef constant = LLVMIsAConstantInt(value);
    const uint64_t number = constant ? LLVMConstIntGetZExtValue(constant) : 0;
    return number > 0 && (number & (number - 1)) == 0;
}

Effort effortOfDivision(LLVMValueRef instruction, bool isFastMath)
{
    const int opcode = LLVMGetInstructionOpcode(instruction);
    LLVMValueRef divisor = LLVMGetOperand(instruction, 1);
    LLVMTypeRef type = LLVMTypeOf(instruction);
    const bool isEarly = blocks::isKnownBefore(divisor, instruction);
    if (opcode == kFloatDivision && !costs::isDouble(type) && LLVMIsAConstant(divisor))
        return costs::ofFloatByConstant;
    if (opcode == kFloatDivision)
        return isEarly && !costs::isDouble(type) ? costs::ofFloatByKnown
                                                 : costs::ofType(costs::division, type, isFastMath);
    const bool isUnsigned = opcode == kUnsignedDivision || opcode == kUnsignedRemainder,
               isLong = costs::bitsOf(type) > 32,
               isShort = isLong && costs::isProbablyShort(LLVMGetOperand(instruction, 0)) &&
                         costs::isProbablyShort(divisor);
    if (constants::isKnown(divisor))
        return isLong && !isShort && !isPowerOfTwo(divisor) ? costs::ofLongConstant
                                                            : costs::ofConstant;
    if (isLong)
        return isShort      ? costs::ofShortLong
               : isUnsigned ? costs::ofUnsignedLong
                            : costs::ofSignedLong;
    if (isUnsigned)
        return isEarly ? costs::ofUnsignedByKnown : costs::ofUnsigned;
    return isEarly ? costs::ofSignedByKnown : costs::ofSigned;
}

// Whether a comparison only decides whether a loop goes on, and a device knows its result early.
bool isOfEarlyEnd(LLVMValueRef comparison)
{
    LLVMUseRef use = LLVMGetFirstUse(comparison);
    return use && !LLVMGetNextUse(use) && LLVMGetInstructionOpcode(LLVMGetUser(use)) == kBranch &&
           loops::endsEarly(LLVMGetUser(use));
}

uint32_t chainOf(LLVMValueRef branch)
{
    if (!blocks::isBranching(branch))
        return 0;
    if (loops::endsEarly(branch))
        return loops::isInRolledArithmetic(branch) ? costs::chainOfIteration : 0;
    return loops::leaves(branch) ? costs::chainOfExit : costs::chainOfBranch;
}

// The effort of one component of an arithmetic operation.
Effort effortOfArithmetic(LLVMValueRef instruction, bool isFastMath)
{
    const int opcode = LLVMGetInstructionOpcode(instruction);
    LLVMTypeRef type = LLVMTypeOf(instruction);
    if (opcode == kCompare || opcode == kFloatCompare) {
        Effort effort = opcode == kCompare ? effortOnIntegers(instruction) : costs::half;
        effort.chain = !isOfEarlyEnd(instruction)                 ? costs::chainOfCompare
                       : loops::isInRolledArithmetic(instruction) ? costs::chainOfCount
                                                                  : 1;
        return effort;
    }
    if (opcode == kFloatNegate || (opcode == kSelect && isConditionalChange(instruction)))
        return {0, 0};
    if (opcode >= kFloatToUnsigned && opcode <= kFloatExtend)
        return costs::ofConversion(LLVMTypeOf(LLVMGetOperand(instruction, 0)), type);
    if (opcode == kFloatAdd || opcode == kFloatSubtract || opcode == kFloatMultiply)
        return costs::isDouble(type) ? costs::ofDoubles : Effort{1, 1};
    if (opcode == kFloatRemainder)
        return costs::ofFunction("fmod", instruction, isFastMath, costs::unknown);
    if (opcode >= kUnsignedDivision && opcode <= kSignedRemainder)
        return effortOfDivision(instruction, isFastMath);
    return effortOnIntegers(instruction);
}

Effort effortOf(LLVMValueRef instruction, bool isFastMath)
{
    const int opcode = LLVMGetInstructionOpcode(instruction);
    // Of the three instructions that control a loop, an iteration keeps one if three or more
    // iterations run at once, two if two do, and none if the loop is unrolled completely.
    const int64_t atOnce = loops::iterationsCounted(instruction);
    if ((atOnce == INT64_MAX) || (atOnce > 1 && (opcode == kAdd || opcode == kSubtract)) ||
        (atOnce > 2 && opcode == kCompare))
        return {0, 0};
    if (opcode == kPhi && loops::countsSeveral(instruction))
        return loops::entryOf(instruction);
    if (loops::isFree(opcode) || opcode == kLoad || opcode == kStore)
        return {0, 0};
    if (opcode == kBranch || opcode == kSwitch)
        return {1, chainOf(instruction)};
    if (opcode == kCall)
        return costs::ofCall(instruction, isFastMath);
    if (opcode == kGetElementPtr)
        return {1, 1};
    const Effort effort = effortOfArithmetic(instruction, isFastMath);
    return costs::times(effort, costs::componentsOf(LLVMTypeOf(instruction)));
}

bool copiesStructure(LLVMValueRef instruction)
{
    return nameOfCalled(instruction).compare(0, 12, "llvm.memcpy.") == 0;
}

// Adds the copies of whole structures into the variable to which the pointer leads. The device
// loads the members as they are needed, into registers.
void addCopies(LLVMValueRef pointer, std::unordered_set<LLVMValueRef> &variables,
               std::vector<LLVMValueRef> &loads)
{
    LLVMValueRef variable = baseOf(pointer);
    std::vector<LLVMValueRef> places;
    if (LLVMIsAAllocaInst(variable) && variables.insert(variable).second)
        places.push_back(variable);
    while (!places.empty()) {
        LLVMValueRef place = places.back();
        places.pop_back();
        for (LLVMUseRef use = LLVMGetFirstUse(place); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (LLVMIsAGetElementPtrInst(user) || LLVMIsACastInst(user)) {
                places.push_back(user);
            } else if (copiesStructure(user) && LLVMGetOperand(user, 0) == place) {
                loads.push_back(user);
                addCopies(LLVMGetOperand(user, 1), variables, loads);
            }
        }
    }
}

// Adds the loads from which an operand's value may come unchanged.
void addLoads(LLVMValueRef value, std::unordered_set<LLVMValueRef> &seen,
              std::vector<LLVMValueRef> &loads)
{
    if (!LLVMIsAInstruction(value) || !seen.insert(value).second)
        return;
    const int opcode = LLVMGetInstructionOpcode(value);
    std::unordered_set<LLVMValueRef> variables;
    if (opcode == kLoad)
        addCopies(LLVMGetOperand(value, 0), variables, loads);
    // OpenCL functions such as vloadn and atomics read memory, too. Only the recorded accesses show
    // whether a called function reads memory.
    if (opcode == kLoad || opcode == kCall || pointerOf(value))
        loads.push_back(value);
    else if (loops::handsOn(opcode))
        for (int i = 0; i < LLVMGetNumOperands(value); i++)
            addLoads(LLVMGetOperand(value, static_cast<unsigned>(i)), seen, loads);
}

bool isLoadOrStore(LLVMValueRef value)
{
    const int opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : 0;
    return opcode == kLoad || opcode == kStore;
}

// Whether all accesses of a private array have indices that a compiler knows.
bool hasKnownIndices(LLVMValueRef array)
{
    std::vector<LLVMValueRef> places{array};
    while (!places.empty()) {
        LLVMValueRef place = places.back();
        places.pop_back();
        for (LLVMUseRef use = LLVMGetFirstUse(place); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            bool isIndexed = false;
            if (LLVMIsAGetElementPtrInst(user) || LLVMIsACastInst(user))
                places.push_back(user);
            else if (isLoadOrStore(user) && pointerOf(user) == place
                         ? indexOf(user, &isIndexed) > BL_WIRE_INDEX_KNOWN
                         : nameOfCalled(user).compare(0, 14, "llvm.lifetime.") != 0)
                return false;
        }
    }
    return true;
}
} // namespace

// Whether an address or a branch depends on the loaded value. If the load is in a loop, only the
// loop counts: what follows needs the value of the last iteration alone.
bool Work::leadsToAddress(LLVMValueRef load)
{
    const blocks::Body loop = blocks::loopOf(LLVMGetInstructionParent(load));
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
            const bool counts = loop.empty() || loop.count(LLVMGetInstructionParent(user)) > 0;
            if (counts && (opcode == kGetElementPtr || opcode == kBranch || opcode == kSwitch ||
                           (opcode == kLoad && pointerOf(user) == value)))
                return true;
            if (opcode != kStore && seen.insert(user).second)
                open.push_back(user);
        }
    }
    return false;
}

// Whether the access is to a private array that a compiler surely keeps in registers, because it
// knows all indices. If it does not know a few, the array may be there, too (is_in_memory in
// streams.c), but that is known only when the kernel has run.
bool Work::isInRegisters(LLVMValueRef access)
{
    LLVMValueRef array = isLoadOrStore(access) ? baseOf(pointerOf(access)) : nullptr;
    if (!array || !LLVMIsAAllocaInst(array))
        return false;
    const auto found = m_inRegisters.find(array);
    if (found != m_inRegisters.end())
        return found->second;
    return m_inRegisters[array] = hasKnownIndices(array);
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
        if (opcode == kPhi && loops::countsSeveral(instruction)) {
            step->fourth = fourthIteration + (loops::isTestedFirst(instruction) ? 1 : 0);
            step->chainOfFourth = loops::chainOfFourth(instruction);
        }
        step->isBranch =
            ((opcode == kBranch || opcode == kSwitch) && effort.chain > 0) || effort.isSerial;
        // A compiler moves no load above the branches of earlier iterations.
        const bool isRolled = opcode == kLoad && (loops::isInRolledLoop(instruction) ||
                                                  addresses::mayChange(instruction) ||
                                                  loops::callsSerial(instruction));
        const bool isUnrolled =
            opcode == kLoad && loops::iterationsAtOnce(instruction) == INT64_MAX;
        const bool isBehind = opcode == kLoad && blocks::isBehindBranch(instruction);
        const bool isEarly = opcode == kLoad && loops::hasEarlyAddress(instruction) &&
                             blocks::isInStraightLine(instruction);
        // Where the members of a copied structure lead is not followed.
        const bool isFirm = copiesStructure(instruction) || leadsToAddress(instruction);
        step->isInRegisters = isInRegisters(instruction);
        step->how =
            static_cast<uint8_t>((isFirm ? BL_WIRE_FIRM : 0) | (isBehind ? BL_WIRE_BEHIND : 0) |
                                 (isEarly ? BL_WIRE_EARLY : 0) | (isRolled ? BL_WIRE_ROLLED : 0) |
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
        state.deepest = state.before = 0;
        state.branchChain = state.branchDepth = state.branchBefore = 0;
        state.done = Done();
        state.instructions = state.slow = state.half = state.told = 0;
        state.pending.clear();
        state.elements.clear();
        state.sources.clear();
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

// The loads for which the work-item has not waited among a load and, if it reads an element of an
// array in registers, those from which the element's value may come.
std::vector<LLVMValueRef> Work::awaited(LLVMValueRef load) const
{
    std::vector<LLVMValueRef> loads{load};
    const auto found = m_now->sources.find(load);
    if (found != m_now->sources.end())
        loads.insert(loads.end(), found->second.begin(), found->second.end());
    const std::vector<LLVMValueRef> &pending = m_now->pending;
    const auto isOver = [&pending](LLVMValueRef one) {
        return std::find(pending.begin(), pending.end(), one) == pending.end();
    };
    loads.erase(std::remove_if(loads.begin(), loads.end(), isOver), loads.end());
    return loads;
}

LLVMValueRef Work::nextWait(LLVMValueRef instruction, uint8_t *how)
{
    std::vector<LLVMValueRef> &pending = m_now->pending;
    if (pending.empty() || stepOf(instruction).isInRegisters)
        return nullptr;
    for (LLVMValueRef needed : stepOf(instruction).loads) {
        const std::vector<LLVMValueRef> loads = awaited(needed);
        if (loads.empty())
            continue;
        pending.erase(std::find(pending.begin(), pending.end(), loads[0]));
        *how = stepOf(loads[0]).how;
        return loads[0];
    }
    return nullptr;
}

void Work::usesPrivate(LLVMValueRef access, size_t address)
{
    const Step &step = stepOf(access);
    if (!step.isInRegisters)
        return;
    if (LLVMGetInstructionOpcode(access) == kLoad) {
        m_now->sources[access] = m_now->elements[address];
        return;
    }
    std::vector<LLVMValueRef> stored;
    for (LLVMValueRef load : step.loads)
        for (LLVMValueRef one : awaited(load))
            stored.push_back(one);
    m_now->elements[address] = stored;
}

void Work::loaded(LLVMValueRef load)
{
    m_values.loaded(load);
    std::vector<LLVMValueRef> &pending = m_now->pending;
    if (std::find(pending.begin(), pending.end(), load) == pending.end())
        pending.push_back(load);
}

// Counts the iterations that a loop's counter begins. Returns whether this is the fourth.
bool Work::isFourthOf(const Step &step, bool isEntered)
{
    if (step.chainOfFourth == 0)
        return false;
    uint32_t &begun = m_now->values[step.number].begun;
    begun = isEntered ? 1 : begun + 1;
    return begun == step.fourth;
}

void Work::executed(LLVMValueRef instruction, bl_lane &lane)
{
    const Step &step = stepOf(instruction);
    State &now = *m_now;
    if (now.values.size() < m_count)
        now.values.resize(m_count);
    const bool isNeeded = m_values.executed(instruction), isFourth = isFourthOf(step, isNeeded),
               isExecuted = isNeeded && step.instructions > 0 && isFirst(step.instructions, lane);
    const uint32_t ofChain = isExecuted
                                 ? step.chain + (now.isSeparating ? costs::chainOfSeparation : 0)
                             : isFourth && now.isApart ? step.chainOfFourth
                                                       : 0;
    uint32_t chain = now.branchChain, depth = now.branchDepth;
    for (uint32_t number : step.values) {
        const Value &value = now.values[number];
        if (value.stretch == now.stretch)
            chain = std::max(chain, value.chain);
        if (value.stretch >= now.first)
            depth = std::max(depth, value.depth);
    }
    // A device starts a work-item's instructions in their order, so a branch waits for those
    // before.
    const bool isBranch = step.isBranch && ofChain > 0;
    if (isBranch) {
        chain = std::max(chain, now.done.chain);
        depth = std::max(depth, now.deepest);
    }
    Value &value = now.values[step.number];
    if (value.stretch != now.stretch)
        value.before = value.stretch < now.first || step.isBranch
                           ? now.before
                           : std::max(value.depth, now.branchBefore);
    value.stretch = now.stretch;
    value.chain = chain + ofChain;
    value.depth = depth + ofChain;
    now.instructions += isExecuted ? step.instructions : 0;
    now.slow += isExecuted ? step.slow : 0;
    now.half += isExecuted ? step.half : 0;
    if (isBranch) {
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
    m_now->branchBefore = m_now->branchDepth;
    return done;
}
