// Finds a function's loops from its jumps back. A conditional branch with a short way counts as no
// branch, because a device then executes both ways under a condition; how short was measured. The
// loops of a function are found at once and kept, because callers ask for each instruction.
#include "trace/oclgrind_blocks.hpp"

#include <algorithm>
#include <string>

#include "trace/oclgrind_instructions.hpp"

using blocks::Body;
using blocks::Edges;

Body blocks::bodyOf(LLVMBasicBlockRef header, LLVMBasicBlockRef last, const Edges &edges)
{
    LLVMBasicBlockRef entry = LLVMGetFirstBasicBlock(LLVMGetBasicBlockParent(header));
    Body body{header, last};
    std::vector<LLVMBasicBlockRef> open{last};
    while (!open.empty()) {
        LLVMBasicBlockRef block = open.back();
        open.pop_back();
        const auto found = edges.before.find(block);
        if (block == header || found == edges.before.end())
            continue;
        for (LLVMBasicBlockRef previous : found->second)
            if (body.insert(previous).second)
                open.push_back(previous);
    }
    return header != entry && body.count(entry) ? Body() : body;
}

namespace
{
// The blocks of a loop that are reached from `from` without passing the loop's header.
Body reachedFrom(LLVMBasicBlockRef from, const Body &body, LLVMBasicBlockRef header)
{
    if (from == header || !body.count(from))
        return {};
    Body reached{from};
    std::vector<LLVMBasicBlockRef> open{from};
    while (!open.empty()) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(open.back());
        open.pop_back();
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
            if (next != header && body.count(next) && reached.insert(next).second)
                open.push_back(next);
        }
    }
    return reached;
}

// A function's control flow: its loops, by the block with which they begin, the innermost loop of
// each block, and what conditionsOf() has found so far.
struct Graph {
    Edges edges;
    std::unordered_map<LLVMBasicBlockRef, Body> begun, innermost;
    std::unordered_map<LLVMBasicBlockRef, std::vector<LLVMValueRef>> conditions;
};
std::unordered_map<LLVMValueRef, Graph> graphs;

Graph newGraph(LLVMValueRef function)
{
    Graph graph;
    Edges &edges = graph.edges;
    for (LLVMBasicBlockRef from = LLVMGetFirstBasicBlock(function); from;
         from = LLVMGetNextBasicBlock(from)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
            edges.before[LLVMGetSuccessor(end, i)].push_back(from);
            edges.all.emplace_back(from, LLVMGetSuccessor(end, i));
        }
    }
    for (const auto &edge : edges.all) {
        const Body body = blocks::bodyOf(edge.second, edge.first, edges);
        if (body.empty())
            continue;
        graph.begun[edge.second].insert(body.begin(), body.end());
        if (edge.first != edge.second && !reachedFrom(edge.second, body, nullptr).count(edge.first))
            continue;
        for (LLVMBasicBlockRef one : body)
            if (graph.innermost[one].empty() || body.size() < graph.innermost[one].size())
                graph.innermost[one] = body;
    }
    return graph;
}

Graph &graphOf(LLVMValueRef function)
{
    const auto found = graphs.find(function);
    return found != graphs.end() ? found->second : graphs[function] = newGraph(function);
}

// The block through which a loop is entered.
LLVMBasicBlockRef headerOf(const Body &body, const Edges &edges)
{
    for (const auto &edge : edges.all)
        if (!body.count(edge.first) && body.count(edge.second))
            return edge.second;
    return nullptr;
}

// Whether an instruction only describes a variable, for debuggers or optimizers.
bool isDescription(LLVMValueRef instruction)
{
    const std::string called = nameOfCalled(instruction);
    return called.compare(0, 8, "llvm.dbg") == 0 || called.compare(0, 13, "llvm.lifetime") == 0;
}

// Whether instructions of this kind compute parts of addresses.
bool isPartOfAddress(int opcode)
{
    return opcode == kAdd || opcode == kSubtract || opcode == kMultiply || opcode == kShiftLeft ||
           opcode == kOr || opcode == kSignExtend || opcode == kZeroExtend || opcode == kTruncate;
}

// How many of a block's instructions a device executes, without computations of addresses and
// without branches.
size_t sizeOf(LLVMBasicBlockRef block)
{
    size_t size = 0;
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
        const int opcode = LLVMGetInstructionOpcode(at);
        size += !loops::isFree(opcode) && opcode != kGetElementPtr && opcode != kBranch &&
                !isDescription(at) &&
                !(isPartOfAddress(opcode) && blocks::leadsOnlyToAddresses(at));
    }
    return size;
}

// A branch within a loop, and the blocks that each of its two ways reaches in the same iteration.
struct Branch {
    LLVMValueRef end; // the last instruction of the block that branches
    Body one, other;
};

// Whether a loop is the innermost one of a block.
bool isInnermost(LLVMBasicBlockRef block, const Body &body)
{
    return blocks::loopOf(block).size() == body.size();
}

// The branches of a loop, without those of inner loops and those that leave the loop.
std::vector<Branch> branchesOf(const Body &body)
{
    std::vector<Branch> branches;
    if (body.empty())
        return branches;
    LLVMBasicBlockRef header =
        headerOf(body, blocks::edgesOf(LLVMGetBasicBlockParent(*body.begin())));
    for (LLVMBasicBlockRef block : body) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        if (LLVMGetNumSuccessors(end) != 2 || !body.count(LLVMGetSuccessor(end, 0)) ||
            !body.count(LLVMGetSuccessor(end, 1)) || !isInnermost(block, body))
            continue;
        branches.push_back({end, reachedFrom(LLVMGetSuccessor(end, 0), body, header),
                            reachedFrom(LLVMGetSuccessor(end, 1), body, header)});
    }
    return branches;
}

// Whether a device executes a branch. If a branch skips only a few instructions, a compiler makes
// each of them conditional and removes the branch: NVIDIA's did so with 8 instructions, but not
// with 10. If it also skips other branches, as in `a || b && c`, NVIDIA's did so with 4
// instructions, but not with 6.
bool isExecuted(const Branch &branch)
{
    constexpr size_t fewInstructions = 8, fewWithBranches = 5;
    const Body &loop = blocks::loopOf(LLVMGetInstructionParent(branch.end));
    size_t size = 0, branches = 0;
    for (const Body *way : {&branch.one, &branch.other})
        for (LLVMBasicBlockRef block : *way) {
            if (branch.one.count(block) && branch.other.count(block))
                continue;
            if (!isInnermost(block, loop))
                return true; // a loop cannot be made conditional
            branches += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(block)) > 1;
            size += sizeOf(block);
            if (size > fewInstructions)
                return true;
        }
    return size > (branches > 0 ? fewWithBranches : fewInstructions);
}

} // namespace

const Edges &blocks::edgesOf(LLVMValueRef function) { return graphOf(function).edges; }

const Body &blocks::loopFrom(LLVMBasicBlockRef header)
{
    return graphOf(LLVMGetBasicBlockParent(header)).begun[header];
}

const Body &blocks::loopOf(LLVMBasicBlockRef block)
{
    return graphOf(LLVMGetBasicBlockParent(block)).innermost[block];
}

Body blocks::around(const Body &body)
{
    Body found;
    for (const auto &loop : graphOf(LLVMGetBasicBlockParent(*body.begin())).begun) {
        const Body &outer = loop.second;
        const auto isOutside = [&outer](LLVMBasicBlockRef block) { return !outer.count(block); };
        if (outer.size() > body.size() && (found.empty() || outer.size() < found.size()) &&
            std::none_of(body.begin(), body.end(), isOutside))
            found = outer;
    }
    return found;
}

void blocks::forget() { graphs.clear(); }

bool blocks::leadsOnlyToAddresses(LLVMValueRef value, unsigned depth)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const int opcode = LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : 0;
        if (opcode != kGetElementPtr &&
            !(isPartOfAddress(opcode) && depth > 0 && leadsOnlyToAddresses(user, depth - 1)))
            return false;
    }
    return true;
}

bool blocks::isInvariant(LLVMValueRef value, const Body &body)
{
    return !LLVMIsAInstruction(value) || !body.count(LLVMGetInstructionParent(value));
}

bool blocks::isKnownBefore(LLVMValueRef value, LLVMValueRef instruction)
{
    const Body &body = loopOf(LLVMGetInstructionParent(instruction));
    return !body.empty() && isInvariant(value, body);
}

bool blocks::isUnconditional(LLVMValueRef instruction)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
    Body body = blocks::loopOf(block);
    LLVMBasicBlockRef header = headerOf(body, blocks::edgesOf(LLVMGetBasicBlockParent(block)));
    if (body.empty() || block == header)
        return true;
    body.erase(block);
    for (LLVMBasicBlockRef other : reachedFrom(header, body, nullptr)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(other);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
            if (LLVMGetSuccessor(end, i) == header)
                return false; // the next iteration begins without the instruction
    }
    return true;
}

bool blocks::isBranching(LLVMValueRef end)
{
    const unsigned ways = LLVMGetNumSuccessors(end);
    if (ways != 2)
        return ways > 2;
    LLVMBasicBlockRef block = LLVMGetInstructionParent(end), one = LLVMGetSuccessor(end, 0),
                      other = LLVMGetSuccessor(end, 1), header = nullptr;
    LLVMValueRef function = LLVMGetBasicBlockParent(block);
    Body body = loopOf(block);
    if (!body.empty() && !(body.count(one) && body.count(other)))
        return true;
    if (!body.empty())
        header = headerOf(body, edgesOf(function));
    else // in no loop: all blocks of the function count
        for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function); at;
             at = LLVMGetNextBasicBlock(at))
            body.insert(at);
    return isExecuted({end, reachedFrom(one, body, header), reachedFrom(other, body, header)});
}

const std::vector<LLVMValueRef> &blocks::conditionsOf(LLVMValueRef instruction)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
    const Body &body = loopOf(block);
    auto &conditions = graphOf(LLVMGetBasicBlockParent(block)).conditions;
    const auto found = conditions.find(block);
    if (found != conditions.end())
        return found->second;
    for (LLVMBasicBlockRef one : body) // those of all blocks of the loop at once
        if (isInnermost(one, body))
            conditions[one] = {};
    for (const Branch &branch : branchesOf(body))
        for (const Body *way : {&branch.one, &branch.other})
            for (LLVMBasicBlockRef one : *way)
                if (branch.one.count(one) != branch.other.count(one) && isInnermost(one, body))
                    conditions[one].push_back(LLVMGetOperand(branch.end, 0));
    return conditions[block];
}

bool blocks::isBehindBranch(LLVMValueRef instruction)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
    for (const Branch &branch : branchesOf(loopOf(block)))
        if (branch.one.count(block) != branch.other.count(block) && isExecuted(branch))
            return true;
    return false;
}

bool blocks::isInStraightLine(LLVMValueRef instruction)
{
    for (const Branch &branch : branchesOf(loopOf(LLVMGetInstructionParent(instruction))))
        if (isExecuted(branch))
            return false;
    return isUnconditional(instruction);
}
