// Follows the path of each of Oclgrind's work-items through the control-flow graphs of the kernel's
// functions, and reports branches, calls and barriers to lockstep.h.
#include "trace/oclgrind_flow.hpp"

#include <oclgrind/WorkItem.h>

namespace
{
// How many iterations of a loop NVIDIA's compiler runs at once.
constexpr uint64_t unrolled = 4;

// Whether Oclgrind can return this value. It cannot return an undefined value, for instance.
bool hasValue(LLVMValueRef value)
{
    return value &&
           (LLVMIsAConstantInt(value) || LLVMIsAInstruction(value) || LLVMIsAArgument(value));
}
} // namespace

Flow::~Flow()
{
    for (State &state : m_states) {
        bl_lane_free(&state.lane);
        bl_lane_free(&state.compiled);
    }
}

void Flow::beginGroup(size_t items)
{
    if (m_states.size() < items)
        m_states.resize(items);
    for (size_t i = 0; i < items; i++) {
        bl_lane_restart(&m_states[i].lane);
        bl_lane_restart(&m_states[i].compiled);
        m_states[i].block = nullptr;
        m_states[i].call = nullptr;
        m_states[i].isMoving = true;
        m_states[i].running.clear();
    }
    m_items = items;
    m_meetings = 0;
    m_now = &m_states[0];
}

void Flow::meet()
{
    m_meetings++;
    for (size_t i = 0; i < m_items; i++) {
        bl_lane_meet(&m_states[i].lane, m_meetings);
        bl_lane_meet(&m_states[i].compiled, m_meetings);
    }
}

static bool callsDefined(LLVMValueRef instruction)
{
    LLVMValueRef called = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : nullptr;
    return called && LLVMIsAFunction(called) && !LLVMIsDeclaration(called);
}

void Flow::followCall(LLVMValueRef instruction)
{
    if (!callsDefined(instruction))
        return;
    m_now->call = instruction;
    m_now->isMoving = true;
}

// Records in a lane how the work-item came to a block.
void Flow::followEdge(bl_lane &lane, const Block &to) const
{
    const State &now = *m_now;
    if (now.call)
        bl_lane_call(&lane, reinterpret_cast<uintptr_t>(now.call));
    else if (now.block && now.block->isReturn)
        bl_lane_return(&lane);
    else if (now.block)
        bl_lane_branch(&lane, now.block->number, to.number, now.block->rejoin, now.block->isChoice);
}

void Flow::move(LLVMValueRef instruction)
{
    State &now = *m_now;
    const Block *to = blockOf(LLVMGetInstructionParent(instruction));
    followEdge(now.lane, *to);
    if (m_isCompiled) {
        followEdge(now.compiled, *to);
        if (now.block && !now.call && !now.block->isReturn)
            followLoop(*now.block, *to);
    }
    now.block = to;
    now.call = nullptr;
    now.isMoving = false;
}

// Of a counted loop, a compiler first runs the remainder of the iterations, one by one. Lanes that
// run different numbers of these begin the other iterations together. Any other loop may have
// several exits; lanes begin each of its iterations together.
void Flow::followLoop(const Block &from, const Block &to)
{
    const Block *header = to.merged ? to.merged : &to;
    if (header->body.empty())
        return;
    std::vector<Running> &running = m_now->running;
    auto at = running.begin();
    while (at != running.end() && at->header != header)
        ++at;
    bool isEntered = header->body.count(from.is) == 0;
    if (to.merged) { // the first iteration is yet to begin
        if (isEntered && at != running.end())
            running.erase(at);
        return;
    }
    isEntered |= at == running.end();
    if (at == running.end())
        at = running.insert(at, {&to, 0, {}});
    if (to.loop.body.empty()) {
        if (isEntered)
            bl_lane_enter(&m_now->compiled, to.number, to.behind, &at->loop);
        else
            bl_lane_iterate(&m_now->compiled, &at->loop);
        return;
    }
    if (isEntered)
        at->singles = singlesOf(from, to.loop);
    else if (at->singles == 0 || --at->singles > 0)
        return;
    bl_lane_begin_part(&m_now->compiled, blockOf(to.loop.exiting)->rejoin,
                       2 * uint64_t{to.number} + (at->singles > 0));
}

bool Flow::isSingle() const
{
    bool isSingle = false;
    for (const Running &running : m_now->running)
        isSingle |= running.singles > 0 && running.header->loop.body.count(m_now->block->is) > 0;
    return isSingle;
}

uint64_t Flow::singlesOf(const Block &from, const loops::Counted &loop) const
{
    LLVMValueRef begin = nullptr;
    for (unsigned i = 0; i < LLVMCountIncoming(loop.counter); i++)
        if (LLVMGetIncomingBlock(loop.counter, i) == from.is)
            begin = LLVMGetIncomingValue(loop.counter, i);
    if (loop.isUnrolled || !loops::isEndKnownBefore(loop) || !hasValue(begin) ||
        !hasValue(loop.end))
        return 0;
    return loops::iterationsOf(loop, valueOf(begin, loop), valueOf(loop.end, loop)) % unrolled;
}

int64_t Flow::valueOf(LLVMValueRef value, const loops::Counted &loop) const
{
    const bool isUnsigned = loop.predicate >= kUnsignedAbove && loop.predicate <= kUnsignedAtMost;
    const oclgrind::TypedValue read = m_item->getOperand(static_cast<const llvm::Value *>(value));
    return isUnsigned ? static_cast<int64_t>(read.getUInt()) : read.getSInt();
}

uint32_t Flow::behind(const Graph &graph, uint32_t header)
{
    const Block *of = graph.blocks[header];
    uint32_t at = graph.rejoins[header];
    while (at != BL_NO_REJOIN && of->body.count(graph.blocks[at]->is) > 0)
        at = graph.rejoins[at];
    return at;
}

// LLVM makes nested loops of one loop with several jumps back, such as that of a merge of two
// lists: the inner loops are those iterations that change less. Where lanes do not meet behind such
// an inner loop before they begin the outer one again, it is one loop: a device's lanes meet at the
// beginning of each iteration.
void Flow::mergeLoops(const Graph &graph)
{
    for (size_t i = 0; i < graph.blocks.size(); i++) {
        Block *outer = graph.blocks[i];
        const uint32_t next = graph.begins[i];
        if (outer->body.empty() || !outer->loop.body.empty() || graph.begins[i + 1] != next + 1)
            continue;
        Block *inner = graph.blocks[graph.successors[next]];
        const uint32_t met = behind(graph, graph.successors[next]);
        if (inner->body.empty() || !inner->loop.body.empty() || !outer->body.count(inner->is) ||
            (met != BL_NO_REJOIN && outer->body.count(graph.blocks[met]->is) > 0))
            continue;
        inner->body = outer->body;
        outer->merged = inner;
        for (Block *other : graph.blocks)
            other->merged = other->merged == outer ? inner : other->merged;
    }
    for (Block *block : graph.blocks)
        if (block->merged)
            block->body.clear();
}

const Flow::Block *Flow::blockOf(LLVMBasicBlockRef block)
{
    auto found = m_blocks->find(block);
    if (found == m_blocks->end()) {
        analyse(LLVMGetBasicBlockParent(block));
        found = m_blocks->find(block);
    }
    return found->second.get();
}

void Flow::analyse(LLVMValueRef function)
{
    Graph graph;
    std::unordered_map<LLVMBasicBlockRef, uint32_t> indices;
    for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function); at;
         at = LLVMGetNextBasicBlock(at)) {
        std::unique_ptr<Block> &block = (*m_blocks)[at];
        block.reset(new Block());
        block->is = at;
        block->terminator = LLVMGetBasicBlockTerminator(at);
        for (LLVMValueRef i = LLVMGetFirstInstruction(at); i; i = LLVMGetNextInstruction(i))
            block->hasCalls |= callsDefined(i);
        indices[at] = static_cast<uint32_t>(graph.blocks.size());
        graph.blocks.push_back(block.get());
    }
    std::vector<uint32_t> &begins = graph.begins, &successors = graph.successors;
    const uint32_t blockCount = static_cast<uint32_t>(graph.blocks.size());
    graph.rejoins.resize(blockCount, BL_NO_REJOIN);
    for (Block *block : graph.blocks) {
        begins.push_back(static_cast<uint32_t>(successors.size()));
        const unsigned count = LLVMGetNumSuccessors(block->terminator);
        for (unsigned s = 0; s < count; s++) {
            successors.push_back(indices[LLVMGetSuccessor(block->terminator, s)]);
            block->isChoice |= successors.back() != successors[begins.back()];
        }
        block->isReturn = count == 0;
        block->body = blocks::loopFrom(block->is);
        block->loop = loops::countedOf(block->is);
    }
    begins.push_back(static_cast<uint32_t>(successors.size()));
    // If memory runs out, lanes stay apart up to the end of the function.
    bl_find_rejoins(blockCount, begins.data(), successors.data(), graph.rejoins.data());
    mergeLoops(graph);
    const auto numberOf = [this](uint32_t index) {
        return index == BL_NO_REJOIN ? BL_NO_REJOIN : m_count + index;
    };
    for (uint32_t i = 0; i < blockCount; i++) {
        graph.blocks[i]->number = numberOf(i);
        graph.blocks[i]->rejoin = numberOf(graph.rejoins[i]);
        graph.blocks[i]->behind = numberOf(behind(graph, i));
    }
    m_count += blockCount;
}
