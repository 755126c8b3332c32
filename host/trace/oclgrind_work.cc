#include "trace/oclgrind_work.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_set>

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
};
constexpr Cost remainder = {"fmod", 79, 257, 74};
constexpr Cost costs[] = {
    {"acos", 20, 129, 17}, {"asin", 21, 116, 18}, {"atan", 31, 80, 18}, {"atan2", 54, 134, 41},
    {"cbrt", 15, 43, 13}, {"clz", 2, 2, 2}, {"copysign", 2, 2, 2}, {"cos", 28, 60, 2},
    {"cosh", 22, 59, 17}, {"erf", 28, 123, 30}, {"erfc", 102, 385, 99}, {"exp", 10, 59, 2},
    {"exp10", 10, 67, 2}, {"exp2", 4, 60, 1}, {"expm1", 29, 71, 25}, {"fdim", 3, 4, 3},
    remainder, {"half_exp", 10, 10, 2}, {"half_log", 26, 26, 2}, {"hypot", 19, 80, 16},
    {"lgamma", 214, 169, 216}, {"log", 26, 82, 2}, {"log10", 27, 88, 2}, {"log1p", 31, 137, 31},
    {"log2", 28, 88, 1}, {"mix", 3, 5, 3}, {"native_divide", 5, 5, 5}, {"native_powr", 9, 9, 9},
    {"pow", 123, 301, 121}, {"powr", 120, 297, 9}, {"remainder", 91, 264, 65},
    {"rotate", 2, 24, 2}, {"round", 4, 5, 4}, {"rsqrt", 4, 16, 1}, {"sign", 11, 14, 11},
    {"sin", 28, 60, 2}, {"sinh", 35, 204, 30}, {"sinpi", 26, 40, 26}, {"smoothstep", 15, 43, 10},
    {"sqrt", 4, 22, 4}, {"tan", 34, 80, 5}, {"tanh", 21, 100, 21}, {"tgamma", 147, 1022, 82},
};

// Numbers of instructions of divisions and remainders. The last three are for integers, and
// ofConstantDivision is for constant divisors, because compilers replace these by multiplications.
constexpr Cost division = {"", 8, 22, 2};
constexpr uint32_t ofSignedDivision = 24, ofUnsignedDivision = 18, ofConstantDivision = 4;

// Number of instructions of any other function.
constexpr uint32_t ofFunction = 8;

// The hardware unit for roots, sines and logarithms takes as long as this many instructions.
// A function that takes fewer than half as many is assumed not to use the unit.
constexpr uint32_t ofSlowUnit = 8;

// Whether a device needs no instruction for an operation, because the operation only renames a
// value or is part of an address.
bool isFree(int opcode)
{
    switch (opcode) {
    case kReturn:
    case kUnreachable:
    case kAlloca:
    case kGetElementPtr:
    case kTruncate:
    case kZeroExtend:
    case kSignExtend:
    case kPointerToInt:
    case kIntToPointer:
    case kBitCast:
    case kAddressSpaceCast:
    case kPhi:
    case kFreeze:
    case kExtractElement:
    case kInsertElement:
    case kShuffleVector:
    case kExtractValue:
    case kInsertValue:
        return true;
    default:
        return false;
    }
}

// Whether an operation passes a value on without waiting for it.
bool handsOn(int opcode) { return isFree(opcode) && opcode != kGetElementPtr && opcode != kReturn; }

// Whether an operation is arithmetic of integers or floats, a bitwise operation, a conversion
// between integers, or a freeze.
bool isArithmetic(int opcode)
{
    return (opcode >= kAdd && opcode <= kXor) || (opcode >= kTruncate && opcode <= kSignExtend) ||
           opcode == kFreeze;
}

// The maximum number of iterations of a loop whose counter is `phi`, derived from the counter's
// step and the constant with which it is compared; UINT64_MAX if not known. A loop whose counter is
// multiplied or shifted counts as short.
uint64_t roundsOf(LLVMValueRef phi)
{
    uint64_t step = 0, bound = UINT64_MAX;
    for (LLVMUseRef use = LLVMGetFirstUse(phi); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMValueRef other = LLVMIsAInstruction(user) && LLVMGetNumOperands(user) == 2
                                 ? LLVMIsAConstantInt(LLVMGetOperand(user, 1))
                                 : nullptr;
        if (!other)
            continue;
        const int opcode = LLVMGetInstructionOpcode(user);
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
            if (LLVMGetIncomingValue(phi, i) == user)
                step = opcode == kAdd ? LLVMConstIntGetZExtValue(other) : UINT64_MAX;
        for (LLVMUseRef next = opcode == kCompare ? nullptr : LLVMGetFirstUse(user); next;
             next = LLVMGetNextUse(next)) {
            LLVMValueRef compared = LLVMGetUser(next);
            if (LLVMIsAInstruction(compared) && LLVMGetInstructionOpcode(compared) == kCompare &&
                LLVMIsAConstantInt(LLVMGetOperand(compared, 1)))
                bound = LLVMConstIntGetZExtValue(LLVMGetOperand(compared, 1));
        }
        if (opcode == kCompare)
            bound = LLVMConstIntGetZExtValue(other);
    }
    return step == 0 || bound == UINT64_MAX ? UINT64_MAX : bound / step;
}

// Whether a value is a constant, or becomes one when a compiler unrolls short loops whose counters
// have a constant beginning, step and end. The limit of 32 iterations is an assumption: in the
// kernels that were examined, NVIDIA's compiler unrolled loops of up to 32 iterations.
bool isKnown(LLVMValueRef value, std::unordered_set<LLVMValueRef> &seen)
{
    constexpr uint64_t fewRounds = 32;
    if (LLVMIsAConstant(value) || !seen.insert(value).second)
        return true;
    if (!LLVMIsAInstruction(value))
        return false;
    const int opcode = LLVMGetInstructionOpcode(value);
    if (opcode == kPhi && roundsOf(value) > fewRounds)
        return false;
    if (opcode != kPhi && !isArithmetic(opcode))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        if (!isKnown(LLVMGetOperand(value, static_cast<unsigned>(i)), seen))
            return false;
    return true;
}

bool isKnownOperand(LLVMValueRef instruction, unsigned index)
{
    std::unordered_set<LLVMValueRef> seen;
    return isKnown(LLVMGetOperand(instruction, index), seen);
}

struct Effort {
    uint32_t instructions; // estimated number on a device
    uint32_t chain;        // longest chain of dependent instructions
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
    return {count, cost.ofFloat < ofSlowUnit / 2 ? count : std::max(count, ofSlowUnit)};
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
        return {1, 1};
    const std::string text(name, length);
    if (text.find("llvm.dbg") == 0 || text.find("llvm.lifetime") == 0 ||
        text.find("barrier") != std::string::npos)
        return {0, 0};
    if (!LLVMIsDeclaration(called))
        return {1, 1};
    const std::string plain = plainName(text);
    for (const Cost &cost : costs)
        if (plain == cost.name)
            return effortOf(cost, call, isFastMath);
    if (isIntrinsic(text))
        return {1, 1};
    for (const char *one : single)
        if (plain.compare(0, strlen(one), one) == 0)
            return {1, 1};
    if (plain.compare(0, 7, "native_") == 0 || plain == "half_sqrt" || plain == "half_rsqrt")
        return {2, ofSlowUnit};
    // Each component takes one multiply-add instruction.
    if (plain == "dot") {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, 0));
        const uint32_t components = LLVMGetTypeKind(type) == kVector ? LLVMGetVectorSize(type) : 1;
        return {components, components};
    }
    return {ofFunction, ofFunction};
}

Effort effortOf(LLVMValueRef instruction, bool isFastMath)
{
    const int opcode = LLVMGetInstructionOpcode(instruction);
    if (isFree(opcode) || opcode == kLoad || opcode == kStore)
        return {0, 0};
    Effort effort = {1, 1};
    if (opcode == kCall)
        effort = effortOfCall(instruction, isFastMath);
    else if (opcode == kFloatDivision)
        effort = effortOf(division, instruction, isFastMath);
    else if (opcode == kFloatRemainder)
        effort = effortOf(remainder, instruction, isFastMath);
    else if (opcode >= kUnsignedDivision && opcode <= kFloatRemainder) {
        const bool isUnsigned = opcode == kUnsignedDivision || opcode == kUnsignedRemainder;
        const uint32_t count = isKnownOperand(instruction, 1) ? ofConstantDivision
                               : isUnsigned                   ? ofUnsignedDivision
                                                              : ofSignedDivision;
        effort = {count, count};
    }
    LLVMTypeRef type = LLVMTypeOf(instruction);
    if (LLVMGetTypeKind(type) == kVector)
        effort.instructions *= LLVMGetVectorSize(type);
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
    else if (handsOn(opcode))
        for (int i = 0; i < LLVMGetNumOperands(value); i++)
            addLoads(LLVMGetOperand(value, static_cast<unsigned>(i)), seen, loads);
}
// Loops. A compiler unrolls a loop, and keeps loads of several rounds in flight, if the number of
// rounds can be computed before the first round, and is the same for all work-items.

using Body = std::unordered_set<LLVMBasicBlockRef>;

// Whether a value is the same for all work-items of a group.
bool isUniform(LLVMValueRef value, std::unordered_set<LLVMValueRef> &seen)
{
    if (!LLVMIsAInstruction(value) || !seen.insert(value).second)
        return true;
    const int opcode = LLVMGetInstructionOpcode(value);
    if (opcode == kCall) {
        size_t length = 0;
        LLVMValueRef called = LLVMGetCalledValue(value);
        const char *name = LLVMIsAFunction(called) ? LLVMGetValueName2(called, &length) : nullptr;
        const std::string text = name ? std::string(name, length) : "";
        if (text.find("get_local_id") != std::string::npos ||
            text.find("get_global_id") != std::string::npos ||
            text.find("atom") != std::string::npos || !name || !LLVMIsDeclaration(called))
            return false;
    }
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        if (!isUniform(LLVMGetOperand(value, static_cast<unsigned>(i)), seen))
            return false;
    return true;
}

// The loop that jumps back from `last` to `header`; empty if it has another entry.
Body bodyOf(LLVMBasicBlockRef header, LLVMBasicBlockRef last, LLVMBasicBlockRef entry,
            const std::unordered_map<LLVMBasicBlockRef, std::vector<LLVMBasicBlockRef>> &before)
{
    Body body{header, last};
    std::vector<LLVMBasicBlockRef> open{last};
    while (!open.empty()) {
        LLVMBasicBlockRef block = open.back();
        open.pop_back();
        const auto found = before.find(block);
        if (block == header || found == before.end())
            continue;
        for (LLVMBasicBlockRef previous : found->second)
            if (body.insert(previous).second)
                open.push_back(previous);
    }
    return header != entry && body.count(entry) ? Body() : body;
}

// Whether a path leads from one block to another within a loop.
bool isReached(LLVMBasicBlockRef from, LLVMBasicBlockRef to, const Body &body)
{
    Body seen{from};
    std::vector<LLVMBasicBlockRef> open{from};
    while (!open.empty()) {
        LLVMBasicBlockRef block = open.back();
        open.pop_back();
        if (block == to)
            return true;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
            if (body.count(next) && seen.insert(next).second)
                open.push_back(next);
        }
    }
    return false;
}

// The innermost loop that contains a block; empty if there is none.
Body loopOf(LLVMBasicBlockRef block)
{
    LLVMValueRef function = LLVMGetBasicBlockParent(block);
    LLVMBasicBlockRef entry = LLVMGetFirstBasicBlock(function);
    std::unordered_map<LLVMBasicBlockRef, std::vector<LLVMBasicBlockRef>> before;
    std::vector<std::pair<LLVMBasicBlockRef, LLVMBasicBlockRef>> edges;
    for (LLVMBasicBlockRef from = entry; from; from = LLVMGetNextBasicBlock(from)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
            before[LLVMGetSuccessor(end, i)].push_back(from);
            edges.emplace_back(from, LLVMGetSuccessor(end, i));
        }
    }
    Body best;
    for (const auto &edge : edges) {
        const Body body = bodyOf(edge.second, edge.first, entry, before);
        if (body.count(block) && isReached(edge.second, edge.first, body) &&
            (best.empty() || body.size() < best.size()))
            best = body;
    }
    return best;
}

// Whether a value is a counter of the loop, before or after its step. The step must be constant.
bool isCounter(LLVMValueRef value, const Body &body)
{
    while (LLVMIsAInstruction(value) && handsOn(LLVMGetInstructionOpcode(value)) &&
           LLVMGetInstructionOpcode(value) != kPhi)
        value = LLVMGetOperand(value, 0);
    if (!LLVMIsAInstruction(value) || !body.count(LLVMGetInstructionParent(value)))
        return false;
    LLVMValueRef phi = value;
    if (!LLVMIsAPHINode(phi))
        phi = LLVMGetOperand(value, 0);
    if (!LLVMIsAInstruction(phi) || !LLVMIsAPHINode(phi))
        return false;
    std::unordered_set<LLVMValueRef> seen{phi};
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, i);
        const int opcode = LLVMIsAInstruction(next) ? LLVMGetInstructionOpcode(next) : 0;
        const bool isStep = (opcode == kAdd || opcode == kGetElementPtr) &&
                            LLVMGetNumOperands(next) == 2 && LLVMGetOperand(next, 0) == phi;
        if (isStep ? !LLVMIsAConstant(LLVMGetOperand(next, 1)) : !isUniform(next, seen))
            return false;
    }
    return true;
}

// Whether a load is in a loop that a compiler does not unroll.
bool isInRolledLoop(LLVMValueRef load)
{
    const Body body = loopOf(LLVMGetInstructionParent(load));
    unsigned exits = 0;
    bool isCounted = false;
    for (LLVMBasicBlockRef block : body) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        bool leaves = false;
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
            leaves |= !body.count(LLVMGetSuccessor(end, i));
        exits += leaves;
        LLVMValueRef condition = leaves ? LLVMGetOperand(end, 0) : nullptr;
        if (!condition || !LLVMIsAInstruction(condition) ||
            LLVMGetInstructionOpcode(condition) != kCompare)
            continue;
        std::unordered_set<LLVMValueRef> seen, other;
        LLVMValueRef left = LLVMGetOperand(condition, 0), right = LLVMGetOperand(condition, 1);
        isCounted = (isCounter(left, body) && isUniform(right, seen)) ||
                    (isCounter(right, body) && isUniform(left, other));
    }
    return !body.empty() && (exits != 1 || !isCounted);
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
        const bool waits = !handsOn(opcode);
        std::vector<LLVMValueRef> operands;
        for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
            operands.push_back(LLVMGetOperand(instruction, static_cast<unsigned>(i)));
        std::vector<uint32_t> values;
        for (LLVMValueRef operand : operands)
            if (operand && LLVMIsAInstruction(operand))
                values.push_back(numberOf(operand));
        step = &(*m_steps)[instruction]; // the map may have been rehashed
        step->values = values;
        for (LLVMValueRef operand : operands)
            if (operand && waits)
                addLoads(operand, seen, step->loads);
        const Effort effort = effortOf(instruction, m_isFastMath);
        step->instructions = effort.instructions;
        step->chain = effort.chain;
        step->isFirm = leadsToAddress(instruction);
        step->isRolled = opcode == kLoad && isInRolledLoop(instruction);
    }
    m_last = instruction;
    m_lastStep = step;
    return *step;
}

void Work::beginGroup(size_t items)
{
    if (m_states.size() < items)
        m_states.resize(items);
    for (State &state : m_states) {
        state.first = ++state.stretch;
        state.deepest = state.before = 0;
        state.done = Done();
        state.pending.clear();
    }
    m_now = &m_states[0];
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
        *how = static_cast<uint8_t>((step.isFirm ? BL_WIRE_FIRM : 0) |
                                    (step.isRolled ? BL_WIRE_ROLLED : 0));
        return load;
    }
    return nullptr;
}

void Work::loaded(LLVMValueRef load)
{
    std::vector<LLVMValueRef> &pending = m_now->pending;
    if (std::find(pending.begin(), pending.end(), load) == pending.end())
        pending.push_back(load);
}

void Work::executed(LLVMValueRef instruction)
{
    const Step &step = stepOf(instruction);
    State &now = *m_now;
    if (now.values.size() < m_count)
        now.values.resize(m_count);
    uint32_t chain = 0, depth = 0;
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
    value.chain = chain + step.chain;
    value.depth = depth + step.chain;
    now.done.instructions += step.instructions;
    now.done.chain = std::max(now.done.chain, value.chain);
    if (value.depth > value.before)
        now.done.carried = std::max(now.done.carried, value.depth - value.before);
    now.deepest = std::max(now.deepest, value.depth);
}

Work::Done Work::take()
{
    const Done done = m_now->done;
    m_now->done = Done();
    m_now->stretch++;
    m_now->before = m_now->deepest;
    return done;
}
