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
    if (!loops::isEndKnownBefore(loop) || !hasValue(begin) || !hasValue(loop.end))
        return 0;
    return loops::iterationsOf(loop, valueOf(begin, loop), valueOf(loop.end, loop)) % unrolled;
}

int64_t Flow::valueOf(LLVMValueRef value, const loops::Counted &loop) const
{
    const bool isUnsigned = loop.predicate >= kUnsignedAbove && loop.predicate <= kUnsignedAtMost;
    const oclgrind::TypedValue read = m_item->getOperand(static_cast<const llvm::Value *>(value));
    return isUnsigned ? static_cast<int64_t>(read.getUInt()) : read.getSInt();
}

// LLVM makes nested loops of one loop with several jumps back, such as that of a merge of two
// lists: the inner loops are those iterations that change less. Where lanes do not meet behind such
// an inner loop before they begin the outer one again, it is one loop: a device's lanes meet at the
// beginning of each iteration.
void Flow::mergeLoops(const std::vector<Block *> &blocks, const std::vector<uint32_t> &rejoins)
{
    for (Block *outer : blocks) {
        if (outer->body.empty() || !outer->loop.body.empty() ||
            LLVMGetNumSuccessors(outer->terminator) != 1)
            continue;
        size_t i = 0;
        while (blocks[i]->is != LLVMGetSuccessor(outer->terminator, 0))
            i++;
        Block *inner = blocks[i];
        uint32_t behind = rejoins[i];
        while (behind != BL_NO_REJOIN && inner->body.count(blocks[behind]->is) > 0)
            behind = rejoins[behind];
        if (inner->body.empty() || !inner->loop.body.empty() || !outer->body.count(inner->is) ||
            (behind != BL_NO_REJOIN && outer->body.count(blocks[behind]->is) > 0))
            continue;
        inner->body = outer->body;
        outer->merged = inner;
        for (Block *other : blocks)
            other->merged = other->merged == outer ? inner : other->merged;
    }
    for (Block *block : blocks)
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
    const blocks::Edges edges = blocks::edgesOf(function);
    std::vector<Block *> blocks;
    std::unordered_map<LLVMBasicBlockRef, uint32_t> indices;
    for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function); at;
         at = LLVMGetNextBasicBlock(at)) {
        std::unique_ptr<Block> &block = (*m_blocks)[at];
        block.reset(new Block());
        block->is = at;
        block->terminator = LLVMGetBasicBlockTerminator(at);
        for (LLVMValueRef i = LLVMGetFirstInstruction(at); i; i = LLVMGetNextInstruction(i))
            block->hasCalls |= callsDefined(i);
        indices[at] = static_cast<uint32_t>(blocks.size());
        blocks.push_back(block.get());
    }
    std::vector<uint32_t> begins, successors, rejoins(blocks.size(), BL_NO_REJOIN);
    for (Block *block : blocks) {
        begins.push_back(static_cast<uint32_t>(successors.size()));
        const unsigned count = LLVMGetNumSuccessors(block->terminator);
        for (unsigned s = 0; s < count; s++) {
            successors.push_back(indices[LLVMGetSuccessor(block->terminator, s)]);
            block->isChoice |= successors.back() != successors[begins.back()];
        }
        block->isReturn = count == 0;
        block->body = blocks::loopFrom(block->is, edges);
        block->loop = loops::countedOf(block->is);
    }
    begins.push_back(static_cast<uint32_t>(successors.size()));
    // If memory runs out, lanes stay apart up to the end of the function.
    bl_find_rejoins(static_cast<uint32_t>(blocks.size()), begins.data(), successors.data(),
                    rejoins.data());
    mergeLoops(blocks, rejoins);
    const auto numberOf = [this](uint32_t index) {
        return index == BL_NO_REJOIN ? BL_NO_REJOIN : m_count + index;
    };
    for (size_t i = 0; i < blocks.size(); i++) {
        uint32_t behind = rejoins[i];
        while (behind != BL_NO_REJOIN && blocks[i]->body.count(blocks[behind]->is) > 0)
            behind = rejoins[behind];
        blocks[i]->number = numberOf(static_cast<uint32_t>(i));
        blocks[i]->rejoin = numberOf(rejoins[i]);
        blocks[i]->behind = numberOf(behind);
    }
    m_count += static_cast<uint32_t>(blocks.size());
}
