// Follows a group's work-items through a kernel's control flow, for lockstep.h: both as it is
// written, and as a device's compiler changes it. Needs LLVM, hence C++.
#ifndef BANKLINE_TRACE_OCLGRIND_FLOW_H
#define BANKLINE_TRACE_OCLGRIND_FLOW_H

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "trace/llvm_c.hpp"
#include "trace/lockstep.h"
#include "trace/oclgrind_blocks.hpp"
#include "trace/oclgrind_loops.hpp"

namespace oclgrind
{
class WorkItem;
}

class Flow
{
public:
    // isCompiled: whether to follow the changed control flow, too.
    explicit Flow(bool isCompiled) : m_isCompiled(isCompiled) {}
    ~Flow();

    // Call before a kernel of this program runs. Programs are identified by Oclgrind's numbers,
    // because the address of a released program may be reused.
    void useProgram(unsigned long program) { m_blocks = &m_blocksOf[program]; }

    void beginGroup(size_t items);

    // Call before instructions of another work-item follow. index: its local index.
    void choose(size_t index, const oclgrind::WorkItem *item)
    {
        m_now = &m_states[index];
        m_item = item;
    }

    // All work-items have met at a barrier.
    void meet();

    // The current work-item's position (lockstep.h) at an instruction that it executes.
    uint64_t at(LLVMValueRef instruction)
    {
        if (m_now->isMoving)
            move(instruction);
        return m_now->lane.position;
    }

    // Whether the current work-item is in an iteration that runs alone. If a compiler runs several
    // iterations of a loop at once, it runs the remainder one at a time.
    bool isSingle() const;

    // The state of the current work-item in the changed control flow.
    bl_lane &compiled() { return m_now->compiled; }

    void executed(LLVMValueRef instruction)
    {
        at(instruction);
        if (instruction == m_now->block->terminator)
            m_now->isMoving = true;
        else if (m_now->block->hasCalls)
            followCall(instruction);
    }

private:
    struct Block {
        LLVMBasicBlockRef is;
        LLVMValueRef terminator;
        uint32_t number, rejoin;
        uint32_t behind; // the nearest rejoin block behind the loop that begins with this block
        bool isChoice, isReturn, hasCalls;
        blocks::Body body;   // the loop that begins with this block; empty: none does
        loops::Counted loop; // the same, if its iterations are counted
        // The block that begins each iteration instead of this one (mergeLoops); null: none.
        const Block *merged;
    };

    // The blocks of a function, and their successors and rejoin blocks as in bl_find_rejoins().
    struct Graph {
        std::vector<Block *> blocks;
        std::vector<uint32_t> begins, successors, rejoins;
    };

    // A loop that a work-item has entered. A compiler runs several iterations of a counted loop at
    // once.
    struct Running {
        const Block *header;
        uint64_t singles;  // of a counted loop: iterations still to be run one by one
        bl_lane_loop loop; // of any other loop
    };

    struct State {
        bl_lane lane, compiled;
        const Block *block;
        LLVMValueRef call; // the call that the work-item has just made, or null
        // Whether the work-item's next instruction is its first, or follows a branch, a call or a
        // return.
        bool isMoving;
        std::vector<Running> running;
    };

    using Blocks = std::unordered_map<LLVMBasicBlockRef, std::unique_ptr<Block>>;

    void move(LLVMValueRef instruction);
    void followEdge(bl_lane &lane, const Block &to) const;
    void followLoop(const Block &from, const Block &to);
    uint64_t singlesOf(const Block &from, const loops::Counted &loop) const;
    int64_t valueOf(LLVMValueRef value, const loops::Counted &loop) const;
    void followCall(LLVMValueRef instruction);
    const Block *blockOf(LLVMBasicBlockRef block);
    void analyse(LLVMValueRef function);
    static uint32_t behind(const Graph &graph, uint32_t header);
    static void mergeLoops(const Graph &graph);

    std::unordered_map<unsigned long, Blocks> m_blocksOf;
    Blocks *m_blocks = nullptr;
    uint32_t m_count = 0; // number of blocks of all programs
    std::vector<State> m_states;
    State *m_now = nullptr;
    const oclgrind::WorkItem *m_item = nullptr;
    bool m_isCompiled;
    size_t m_items = 0;
    uint64_t m_meetings = 0;
};

#endif
