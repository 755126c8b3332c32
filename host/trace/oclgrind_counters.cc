// Decides by the rules of NVIDIA's compiler, as far as kernels that it had compiled showed them.
#include "trace/oclgrind_counters.hpp"

#include <string>
#include <unordered_set>

#include "trace/oclgrind_costs.hpp"
#include "trace/oclgrind_instructions.hpp"

using blocks::Body;
using blocks::isInvariant;
using loops::handsOn;

namespace
{
// isUniform(), if the values in `seen` are uniform.
bool isUniformWithin(LLVMValueRef value, std::unordered_set<LLVMValueRef> &seen)
{
    if (!LLVMIsAInstruction(value) || !seen.insert(value).second)
        return true;
    const int opcode = LLVMGetInstructionOpcode(value);
    if (opcode == kLoad)
        return false;
    if (opcode == kCall && !counters::isUniformCallee(value))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        if (!isUniformWithin(LLVMGetOperand(value, static_cast<unsigned>(i)), seen))
            return false;
    return true;
}

// Whether an instruction has a flag of LLVM's, such as nsw (no signed wrap).
bool hasFlag(LLVMValueRef instruction, const std::string &flag)
{
    char *text = LLVMPrintValueToString(instruction);
    const bool has = std::string(text).find(" " + flag + " ") != std::string::npos;
    LLVMDisposeMessage(text);
    return has;
}

// Whether an addition may wrap around, as those of unsigned numbers may.
bool mayWrap(LLVMValueRef addition)
{
    return !hasFlag(addition, "nuw") && !hasFlag(addition, "nsw");
}

// Whether the loop's comparison widens a counter that may wrap around before it reaches the end, as
// in `for (uint i = 0; i < get_local_size(0); i++)`. If so, a compiler cannot compute the number of
// iterations.
bool mayWrapEarly(LLVMValueRef compared)
{
    LLVMValueRef phi = counters::phiOf(compared);
    while (LLVMIsAInstruction(compared) && LLVMGetInstructionOpcode(compared) != kZeroExtend &&
           handsOn(LLVMGetInstructionOpcode(compared)) && compared != phi)
        compared = LLVMGetOperand(compared, 0);
    if (!phi || LLVMGetInstructionOpcode(compared) != kZeroExtend)
        return false;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, i);
        if (LLVMIsAInstruction(next) && LLVMGetInstructionOpcode(next) == kAdd && mayWrap(next))
            return true;
    }
    return false;
}

// Whether a value is the result of a function that returns the same for all work-items.
bool isUniformCall(LLVMValueRef value)
{
    while (LLVMIsAInstruction(value) && loops::isRenaming(LLVMGetInstructionOpcode(value)))
        value = LLVMGetOperand(value, 0);
    return LLVMIsACallInst(value) && counters::isUniform(value);
}
// isFixed(), if the values in `seen` are fixed.
bool isFixedWithin(LLVMValueRef value, const Body &body, std::unordered_set<LLVMValueRef> &seen)
{
    if (isInvariant(value, body) || isUniformCall(value) || !seen.insert(value).second)
        return true;
    const int opcode = LLVMGetInstructionOpcode(value);
    const bool isId = nameOfCalled(value).find("get_") != std::string::npos &&
                      LLVMIsDeclaration(LLVMGetCalledValue(value));
    const bool isOperation =
        opcode != kPhi && (handsOn(opcode) || (opcode >= kAdd && opcode <= kXor));
    if (!isId && !isOperation)
        return false;
    const int count = LLVMGetNumOperands(value) - (isId ? 1 : 0); // without the function
    for (int i = 0; i < count; i++)
        if (!isFixedWithin(LLVMGetOperand(value, static_cast<unsigned>(i)), body, seen))
            return false;
    return true;
}
} // namespace

bool counters::isUniformCallee(LLVMValueRef call)
{
    const std::string name = nameOfCalled(call);
    for (const char *own : {"_local_id", "_global_id", "_linear_id", "vload", "atom"})
        if (name.find(own) != std::string::npos)
            return false;
    return !name.empty() && LLVMIsDeclaration(LLVMGetCalledValue(call));
}

bool counters::isUniform(LLVMValueRef value)
{
    std::unordered_set<LLVMValueRef> seen;
    return isUniformWithin(value, seen);
}

LLVMValueRef counters::phiOf(LLVMValueRef value)
{
    while (LLVMIsAInstruction(value) && !LLVMIsAPHINode(value) &&
           (handsOn(LLVMGetInstructionOpcode(value)) || LLVMGetInstructionOpcode(value) == kAdd))
        value = LLVMGetOperand(value, 0);
    return LLVMIsAInstruction(value) && LLVMIsAPHINode(value) ? value : nullptr;
}

LLVMValueRef counters::counterOf(LLVMValueRef condition)
{
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef compared = LLVMGetOperand(condition, i);
        if (phiOf(compared))
            return mayWrapEarly(compared) ? nullptr : phiOf(compared);
    }
    return nullptr;
}

bool counters::isCopy(LLVMValueRef value, LLVMValueRef phi)
{
    while (value != phi && LLVMIsAInstruction(value) && !LLVMIsAPHINode(value) &&
           handsOn(LLVMGetInstructionOpcode(value)))
        value = LLVMGetOperand(value, 0);
    return value == phi;
}

bool counters::isFixed(LLVMValueRef value, const Body &body)
{
    std::unordered_set<LLVMValueRef> seen;
    return isFixedWithin(value, body, seen);
}

namespace
{

bool isSigned(LLVMValueRef counter, const Body &body)
{
    for (unsigned i = 0; i < LLVMCountIncoming(counter); i++) {
        if (body.count(LLVMGetIncomingBlock(counter, i)) &&
            !hasFlag(LLVMGetIncomingValue(counter, i), "nsw"))
            return false;
    }
    return true;
}

// Whether a counter is only compared, stepped, and extended to 64 bits: sums of 32 bits may wrap
// around.
bool isExtendedAtOnce(LLVMValueRef counter, const Body &body)
{
    for (LLVMUseRef use = LLVMGetFirstUse(counter); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const int opcode = LLVMGetInstructionOpcode(user);
        bool isStep = false;
        for (unsigned i = 0; i < LLVMCountIncoming(counter); i++)
            isStep |= LLVMGetIncomingValue(counter, i) == user;
        if (body.count(LLVMGetInstructionParent(user)) && !isStep && opcode != kCompare &&
            opcode != kZeroExtend)
            return false;
    }
    return true;
}

} // namespace

bool counters::hasKnownSteps(LLVMValueRef counter, const Body &body)
{
    return costs::bitsOf(LLVMTypeOf(counter)) == 32 &&
           (isSigned(counter, body) || isExtendedAtOnce(counter, body));
}

int64_t counters::stepOf(LLVMValueRef counter, const Body &body)
{
    int64_t step = 0;
    for (unsigned i = 0; i < LLVMCountIncoming(counter); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(counter, i);
        if (!body.count(LLVMGetIncomingBlock(counter, i)))
            continue;
        if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != kAdd ||
            LLVMGetOperand(next, 0) != counter || !LLVMIsAConstantInt(LLVMGetOperand(next, 1)))
            return 0;
        const int64_t added = LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1));
        if (step != 0 && step != added)
            return 0;
        step = added;
    }
    return step;
}

bool counters::isCounter(LLVMValueRef value, const Body &body)
{
    if (mayWrapEarly(value))
        return false;
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
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, i);
        const int opcode = LLVMIsAInstruction(next) ? LLVMGetInstructionOpcode(next) : 0;
        const bool isSum =
            (opcode == kAdd || opcode == kGetElementPtr) && LLVMGetNumOperands(next) == 2;
        const unsigned ofStep = isSum && LLVMGetOperand(next, 0) == phi ? 1 : 0;
        LLVMValueRef step = isSum ? LLVMGetOperand(next, ofStep) : nullptr;
        const bool isStep = isSum && LLVMGetOperand(next, 1 - ofStep) == phi &&
                            (LLVMIsAConstant(step) || (isInvariant(step, body) && !mayWrap(next)));
        if (body.count(LLVMGetIncomingBlock(phi, i)) && !isStep)
            return false;
    }
    return true;
}

bool counters::isProgression(LLVMValueRef phi, const Body &body)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, i);
        if (!body.count(LLVMGetIncomingBlock(phi, i)) || next == phi)
            continue;
        const int opcode = LLVMIsAInstruction(next) ? LLVMGetInstructionOpcode(next) : kPhi;
        const bool isOperation = opcode == kGetElementPtr || (opcode >= kAdd && opcode <= kXor);
        if (!isOperation || LLVMGetNumOperands(next) != 2)
            return false;
        LLVMValueRef left = LLVMGetOperand(next, 0), right = LLVMGetOperand(next, 1),
                     other = left == phi ? right : left;
        if ((left != phi && right != phi) || !(isInvariant(other, body) || isUniform(other)))
            return false;
    }
    return true;
}
