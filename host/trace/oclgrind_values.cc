// Each instruction gets a rule when it is first executed; the rule says how the value's number
// follows from those of its operands. Afterwards an instruction only applies its rule, because this
// runs for every instruction of every traced work-item.
#include "trace/oclgrind_values.hpp"

#include "trace/oclgrind_blocks.hpp"
#include "trace/oclgrind_constants.hpp"
#include "trace/oclgrind_loops.hpp"

namespace
{
// Registers that a work-item can keep values in while it computes others. A GPU has up to 255 for a
// work-item; a compiler uses more than 128 only in the largest kernels.
constexpr uint32_t registersOfItem = 128;

uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t mixed = (a ^ (b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2))) * 0xBF58476D1CE4E5B9u;
    mixed ^= mixed >> 29;
    return mixed ? mixed : 1; // number 0 stands for constants
}

uint64_t mix(uint64_t a, const void *b) { return mix(a, reinterpret_cast<uintptr_t>(b)); }

int64_t signExtended(int64_t value, unsigned bits)
{
    const unsigned unused = bits < 64 ? 64 - bits : 0;
    return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
}

uint64_t zeroExtended(int64_t value, unsigned bits)
{
    return bits < 64 ? static_cast<uint64_t>(value) & ((uint64_t{1} << bits) - 1)
                     : static_cast<uint64_t>(value);
}

unsigned bitsOf(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == kInteger ? LLVMGetIntTypeWidth(type) : 64;
}

bool isInteger(LLVMValueRef value) { return LLVMGetTypeKind(LLVMTypeOf(value)) == kInteger; }

// Whether an instruction shifts a value to the right that was shifted to the left by as many bits.
bool isSignExtension(LLVMValueRef instruction)
{
    LLVMValueRef shifted = LLVMGetOperand(instruction, 0);
    return LLVMIsAInstruction(shifted) && LLVMGetInstructionOpcode(shifted) == kShiftLeft &&
           LLVMGetInstructionOpcode(instruction) == kArithmeticShiftRight &&
           LLVMIsAConstant(LLVMGetOperand(shifted, 1)) &&
           LLVMGetOperand(shifted, 1) == LLVMGetOperand(instruction, 1);
}

bool isFirstOfSignExtension(LLVMValueRef instruction)
{
    LLVMUseRef use = LLVMGetFirstUse(instruction);
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAInstruction(user) || LLVMGetOperand(user, 0) != instruction ||
            !isSignExtension(user))
            return false;
    }
    return LLVMGetFirstUse(instruction) != nullptr;
}

int64_t compared(int predicate, int64_t a, int64_t b, unsigned bits)
{
    const uint64_t x = zeroExtended(a, bits), y = zeroExtended(b, bits);
    switch (predicate) { // as in LLVM's C interface
    case 32:
        return a == b;
    case 33:
        return a != b;
    case 34:
        return x > y;
    case 35:
        return x >= y;
    case 36:
        return x < y;
    case 37:
        return x <= y;
    case 38:
        return a > b;
    case 39:
        return a >= b;
    case 40:
        return a < b;
    default:
        return a <= b;
    }
}

// Computes a nonlinear operation on two constants. Returns false for other operations, and if the
// divisor is 0 or -1 or the shift count is too large.
bool fold(int opcode, int64_t a, int64_t b, unsigned bits, int64_t *result)
{
    const uint64_t x = zeroExtended(a, bits), y = zeroExtended(b, bits);
    const bool isDivision = opcode >= kUnsignedDivision && opcode <= kFloatRemainder;
    const bool isShift = opcode >= kShiftLeft && opcode <= kArithmeticShiftRight;
    if ((isDivision && (b == 0 || b == -1)) || (isShift && y >= bits))
        return false;
    switch (opcode) {
    case kUnsignedDivision:
        *result = static_cast<int64_t>(x / y);
        break;
    case kSignedDivision:
        *result = a / b;
        break;
    case kUnsignedRemainder:
        *result = static_cast<int64_t>(x % y);
        break;
    case kSignedRemainder:
        *result = a % b;
        break;
    case kLogicalShiftRight:
        *result = static_cast<int64_t>(x >> y);
        break;
    case kArithmeticShiftRight:
        *result = a >> y;
        break;
    case kAnd:
        *result = a & b;
        break;
    case kOr:
        *result = a | b;
        break;
    case kXor:
        *result = a ^ b;
        break;
    default:
        return false;
    }
    *result = signExtended(*result, bits);
    return true;
}
} // namespace

void Values::beginGroup(size_t items)
{
    if (m_states.size() < items)
        m_states.resize(items);
    for (State &state : m_states) {
        state.registers.fill(Kept());
        state.unknown = 0;
        state.computed = 0;
        state.from = nullptr;
    }
    m_now = &m_states[0];
}

uint32_t Values::slotOf(LLVMValueRef value)
{
    return m_program->slots.emplace(value, m_program->slots.size()).first->second;
}

Values::Operand Values::operandOf(LLVMValueRef value)
{
    Operand operand;
    const bool isOfCalled = LLVMIsAArgument(value) &&
                            LLVMGetFunctionCallConv(LLVMGetParamParent(value)) != kernelConvention;
    if (LLVMIsAInstruction(value) || isOfCalled)
        operand.slot = slotOf(value);
    else if (LLVMIsAConstantInt(value) && bitsOf(value) <= 64)
        operand.value.constant = LLVMConstIntGetSExtValue(value);
    else
        operand.value.number = mix(1, value);
    return operand;
}

void Values::addCalled(Rule &rule, LLVMValueRef call)
{
    LLVMValueRef called = LLVMGetCalledValue(call);
    const bool isFunction = called && LLVMIsAFunction(called);
    bool hasPointer = !isFunction;
    const int count = LLVMGetNumOperands(call) - 1; // the last operand is the function
    for (int i = 0; i < count; i++)
        hasPointer |=
            LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, static_cast<unsigned>(i)))) == kPointer;
    rule.kind = hasPointer ? Kind::unknown : Kind::function;
    if (!isFunction || LLVMIsDeclaration(called))
        return;
    rule.kind = Kind::call;
    for (int i = 0; i < count; i++)
        rule.parameters.push_back(slotOf(LLVMGetParam(called, static_cast<unsigned>(i))));
}

// The kind of an instruction that is not a phi, branch or call.
Values::Kind Values::kindOf(LLVMValueRef instruction, const Rule &rule)
{
    if (loops::isRenaming(rule.opcode))
        return Kind::renamed;
    switch (rule.opcode) {
    case kAdd:
    case kOr:
        return isInteger(instruction) ? Kind::sum : Kind::function;
    case kSubtract:
        return isInteger(instruction) ? Kind::difference : Kind::function;
    case kArithmeticShiftRight:
        return isSignExtension(instruction) &&
                       isFirstOfSignExtension(LLVMGetOperand(instruction, 0))
                   ? Kind::renamed
                   : Kind::function;
    case kMultiply:
    case kShiftLeft:
        if (isFirstOfSignExtension(instruction))
            return Kind::renamed;
        return isInteger(instruction) ? Kind::product : Kind::function;
    case kGetElementPtr:
        return Kind::address;
    case kSelect:
        return Kind::choice;
    case kLoad:
    case kStore:
        return Kind::unknown;
    default:
        return Kind::function;
    }
}

Values::Rule Values::newRule(LLVMValueRef instruction)
{
    Rule rule;
    rule.slot = slotOf(instruction);
    rule.opcode = LLVMGetInstructionOpcode(instruction);
    rule.block = LLVMGetInstructionParent(instruction);
    rule.bits = bitsOf(instruction);
    rule.fromBits =
        LLVMGetNumOperands(instruction) > 0 ? bitsOf(LLVMGetOperand(instruction, 0)) : 64;
    const bool isBranch = rule.opcode == kBranch || rule.opcode == kSwitch;
    const int all = LLVMGetNumOperands(instruction);
    const int count = isBranch ? (all > 1 ? 1 : 0) : all;
    for (int i = 0; i < count; i++)
        rule.operands.push_back(operandOf(LLVMGetOperand(instruction, static_cast<unsigned>(i))));
    rule.identity = mix(2, static_cast<uint64_t>(rule.opcode));
    if (rule.opcode == kPhi) {
        rule.kind = Kind::merge;
        for (unsigned i = 0; i < LLVMCountIncoming(instruction); i++) {
            rule.blocks.push_back(LLVMGetIncomingBlock(instruction, i));
            rule.isFromEnd.push_back(loops::isFromEnd(instruction, i));
            if (rule.isFromEnd.back())
                rule.kind = Kind::counter;
        }
        rule.isKnown = constants::isKnown(instruction);
    } else if (rule.opcode == kCall) {
        addCalled(rule, instruction);
    } else {
        rule.kind = isBranch ? Kind::branch : kindOf(instruction, rule);
    }
    if (rule.opcode == kCompare || rule.opcode == kFloatCompare) {
        rule.predicate = rule.opcode == kCompare ? LLVMGetICmpPredicate(instruction)
                                                 : LLVMGetFCmpPredicate(instruction);
        rule.identity = mix(rule.identity, static_cast<uint64_t>(rule.predicate));
        rule.bits = bitsOf(LLVMGetOperand(instruction, 0));
    } else if (rule.opcode >= kExtractElement && rule.opcode <= kInsertValue) {
        rule.identity = mix(3, instruction); // its indices may not be operands
    }
    if (rule.kind == Kind::address)
        for (int i = 1; i < count; i++)
            rule.factors.push_back(
                mix(static_cast<uint64_t>(i), LLVMGetGEPSourceElementType(instruction)) | 1);
    rule.isForAddresses =
        (rule.kind == Kind::sum || rule.kind == Kind::difference || rule.kind == Kind::product) &&
        blocks::leadsOnlyToAddresses(instruction);
    return rule;
}

Values::Value Values::valueOf(const Operand &operand) const
{
    return operand.slot == none ? operand.value : m_now->values[operand.slot];
}

Values::Value Values::newValue() { return {mix(4, ++m_now->unknown), 0}; }

Values::Value Values::valueOfPhi(const Rule &rule)
{
    for (size_t i = 0; i < rule.blocks.size(); i++) {
        if (rule.blocks[i] != m_now->from)
            continue;
        const Value value = valueOf(rule.operands[i]);
        if (rule.isKnown || rule.isFromEnd[i])
            return value;
        if (rule.kind == Kind::counter)
            return newValue();
        return {mix(mix(rule.slot, value.number), static_cast<uint64_t>(value.constant)), 0};
    }
    return newValue();
}

Values::Value Values::valueOfFunction(const Rule &rule) const
{
    bool isConstant = rule.operands.size() == 2;
    uint64_t number = rule.identity;
    for (const Operand &operand : rule.operands) {
        const Value value = valueOf(operand);
        isConstant &= value.number == 0;
        number = mix(mix(number, value.number), static_cast<uint64_t>(value.constant));
    }
    if (isConstant) {
        const int64_t a = valueOf(rule.operands[0]).constant,
                      b = valueOf(rule.operands[1]).constant;
        int64_t result = 0;
        if (rule.opcode == kCompare)
            return {0, compared(rule.predicate, a, b, rule.bits)};
        if (fold(rule.opcode, a, b, rule.bits, &result))
            return {0, result};
    }
    return {number, 0};
}

Values::Value Values::valueOf(const Rule &rule)
{
    const size_t count = rule.operands.size();
    const Value a = count > 0 ? valueOf(rule.operands[0]) : Value(),
                b = count > 1 ? valueOf(rule.operands[1]) : Value();
    const uint64_t x = static_cast<uint64_t>(a.constant), y = static_cast<uint64_t>(b.constant);
    Value result;
    switch (rule.kind) {
    case Kind::sum:
        // Compilers write the sum of a and b as `a | b` if no bit is set in both.
        if (rule.opcode == kOr && (a.number == 0) == (b.number == 0))
            return valueOfFunction(rule);
        result = {a.number + b.number, static_cast<int64_t>(x + y)};
        break;
    case Kind::difference:
        result = {a.number - b.number, static_cast<int64_t>(x - y)};
        break;
    case Kind::product: {
        const bool isShift = rule.opcode == kShiftLeft;
        if (b.number != 0 && (a.number != 0 || isShift))
            return valueOfFunction(rule);
        const uint64_t factor = b.number != 0 ? x : isShift ? uint64_t{1} << (y & 63) : y;
        const Value &scaled = b.number != 0 ? b : a;
        result = {scaled.number * factor, static_cast<int64_t>(scaled.constant * factor)};
        break;
    }
    case Kind::renamed:
        result = a;
        if (a.number == 0 && rule.opcode == kZeroExtend)
            result.constant = static_cast<int64_t>(zeroExtended(a.constant, rule.fromBits));
        break;
    case Kind::address: {
        result.number = a.number;
        for (size_t i = 1; i < count; i++)
            result.number += rule.factors[i - 1] * valueOf(rule.operands[i]).number;
        return result;
    }
    case Kind::choice:
        if (a.number != 0)
            return valueOfFunction(rule);
        return a.constant ? b : valueOf(rule.operands[2]);
    case Kind::counter:
    case Kind::merge:
        return valueOfPhi(rule);
    case Kind::function:
        return valueOfFunction(rule);
    default:
        return newValue();
    }
    result.constant = signExtended(result.constant, rule.bits);
    return result;
}

// Returns whether the work-item has this value in a register; if not, puts it there.
bool Values::isKept(uint64_t number)
{
    State &now = *m_now;
    Kept *row = &now.registers[number % rows * places], *place = row;
    for (Kept *at = row; at < row + places && place->number != number; at++)
        if (at->number == number || at->used < place->used)
            place = at;
    const bool is = place->number == number && now.computed - place->used < registersOfItem;
    now.computed += !is;
    *place = {number, now.computed};
    return is;
}

// Whether the work-item has just entered the loop of this phi. False if the loop is so short that
// the phi counts as known.
bool Values::hasEntered(const Rule &rule) const
{
    for (size_t i = 0; i < rule.blocks.size(); i++)
        if (rule.blocks[i] == m_now->from)
            return !rule.isKnown && !rule.isFromEnd[i];
    return false;
}

bool Values::executed(LLVMValueRef instruction)
{
    State &now = *m_now;
    const auto found = m_program->rules.find(instruction);
    const Rule &rule = found != m_program->rules.end()
                           ? found->second
                           : (m_program->rules[instruction] = newRule(instruction));
    if (now.values.size() < m_program->slots.size())
        now.values.resize(m_program->slots.size());
    if (rule.kind == Kind::branch) {
        now.from = rule.block;
        return !rule.operands.empty() && valueOf(rule.operands[0]).number != 0;
    }
    if (rule.kind == Kind::call) {
        for (size_t i = 0; i < rule.parameters.size(); i++)
            now.values[rule.parameters[i]] = valueOf(rule.operands[i]);
        now.values[rule.slot] = newValue();
        return false; // compilers inline it
    }
    const Value value = valueOf(rule);
    now.values[rule.slot] = value;
    if (rule.kind == Kind::unknown)
        return true;
    if (rule.kind == Kind::renamed || rule.kind == Kind::merge || value.number == 0)
        return false;
    if (rule.kind == Kind::counter)
        return hasEntered(rule);
    const bool isShifted = rule.kind == Kind::address || rule.isForAddresses;
    for (const Operand &operand : rule.operands) {
        const Value from = valueOf(operand);
        // For an address, a constant distance is part of the access.
        if (value.number == from.number && (isShifted || value.constant == from.constant))
            return false;
    }
    return !isKept(isShifted ? mix(5, value.number)
                             : mix(mix(6, value.number), static_cast<uint64_t>(value.constant)));
}

void Values::loaded(LLVMValueRef load)
{
    const uint32_t slot = slotOf(load);
    if (m_now->values.size() <= slot)
        m_now->values.resize(m_program->slots.size());
    m_now->values[slot] = newValue();
}
