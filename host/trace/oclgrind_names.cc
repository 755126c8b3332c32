#include "trace/oclgrind_names.h"

#include <algorithm>
#include <vector>

namespace
{
enum { kPointer = 12 }; // of LLVMTypeKind

constexpr size_t mostValues = 64; // that are looked through

std::string nameOf(LLVMValueRef value)
{
    size_t length = 0;
    const char* name = LLVMGetValueName2(value, &length);
    return std::string(name ? name : "", length);
}

// Clang calls a variable in local memory KERNEL.NAME, and the copy of an argument NAME.addr.
std::string ownName(LLVMValueRef value)
{
    std::string name = nameOf(value);
    const size_t dot = name.find('.');
    if (LLVMIsAGlobalVariable(value) && dot != std::string::npos)
        return name.substr(dot + 1);
    return name.substr(0, dot);
}

// Adds what a pointer may come from. False: from something that has no name.
bool addSources(LLVMValueRef pointer, std::vector<LLVMValueRef>& pending)
{
    if (LLVMIsAGetElementPtrInst(pointer) || LLVMIsACastInst(pointer) || LLVMIsAConstantExpr(pointer)) {
        pending.push_back(LLVMGetOperand(pointer, 0));
    } else if (LLVMIsASelectInst(pointer)) {
        pending.push_back(LLVMGetOperand(pointer, 1));
        pending.push_back(LLVMGetOperand(pointer, 2));
    } else if (LLVMIsAPHINode(pointer)) {
        for (unsigned i = 0; i < LLVMCountIncoming(pointer); i++)
            pending.push_back(LLVMGetIncomingValue(pointer, i));
    } else if (LLVMIsALoadInst(pointer) && LLVMIsAAllocaInst(LLVMGetOperand(pointer, 0))) {
        pending.push_back(LLVMGetOperand(pointer, 0)); // a variable that holds the pointer
    } else {
        return false;
    }
    return true;
}
} // namespace

LLVMValueRef pointerOf(LLVMValueRef instruction)
{
    if (LLVMIsALoadInst(instruction))
        return LLVMGetOperand(instruction, 0);
    if (LLVMIsAStoreInst(instruction))
        return LLVMGetOperand(instruction, 1);
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, static_cast<unsigned>(i));
        if (LLVMGetTypeKind(LLVMTypeOf(operand)) == kPointer)
            return operand;
    }
    return nullptr;
}

std::string arrayOf(LLVMValueRef instruction)
{
    LLVMValueRef pointer = pointerOf(instruction), base = nullptr;
    if (!pointer)
        return "";
    std::vector<LLVMValueRef> pending = {pointer};
    for (size_t i = 0; i < pending.size() && i < mostValues; i++) {
        LLVMValueRef at = pending[i];
        if (std::find(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(i), at) !=
            pending.begin() + static_cast<std::ptrdiff_t>(i))
            continue;
        const bool isNamed = LLVMIsAArgument(at) || LLVMIsAGlobalVariable(at) || LLVMIsAAllocaInst(at);
        if (!isNamed && addSources(at, pending))
            continue;
        if (!isNamed || (base && base != at))
            return "";
        base = at;
    }
    return base && pending.size() <= mostValues ? ownName(base) : "";
}

std::string callSitesOf(LLVMValueRef instruction)
{
    std::string sites;
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(instruction);
    for (at = at ? LLVMDILocationGetInlinedAt(at) : nullptr; at; at = LLVMDILocationGetInlinedAt(at))
        sites += (sites.empty() ? "" : ",") + std::to_string(LLVMDILocationGetLine(at)) + ":" +
                 std::to_string(LLVMDILocationGetColumn(at));
    return sites;
}
