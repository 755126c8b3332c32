// Counts what sub-groups compute between their accesses to memory, and finds the loads that they
// wait for. Follows the uses of values in LLVM's instructions. Needs LLVM, hence C++.
//
// A sub-group executes an instruction once for all lanes that are in the same position
// (lockstep.h). So an instruction counts only for the first lane that executes it in this position.
#ifndef BANKLINE_TRACE_OCLGRIND_WORK_HPP
#define BANKLINE_TRACE_OCLGRIND_WORK_HPP

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/llvm_c.hpp"
#include "trace/lockstep.h"
#include "trace/oclgrind_loops.hpp"
#include "trace/oclgrind_values.hpp"

class Work
{
public:
    // Call before a kernel of this program runs, as for Flow. isFastMath: the program was built
    // with -cl-fast-relaxed-math, which Oclgrind does not pass on to its compiler.
    void useProgram(unsigned long program, bool isFastMath)
    {
        m_steps = &m_stepsOf[program];
        m_values.useProgram(program);
        m_isFastMath = isFastMath;
        m_last = nullptr;
        m_inRegisters.clear();
        loops::forget();
    }

    // lanes: the number of work-items in a sub-group.
    void beginGroup(size_t items, size_t lanes);

    // All work-items have met at a barrier.
    void meet();

    // Call before instructions of another work-item follow.
    void choose(size_t item)
    {
        m_now = &m_states[item];
        m_subGroup = item / m_lanes;
        m_values.choose(item);
    }

    // Returns a load whose value the instruction needs and for which the work-item has not waited
    // yet, and marks it as waited for; null if none is left. Sets *how to flags
    // (enum bl_wire_wait).
    LLVMValueRef nextWait(LLVMValueRef instruction, uint8_t *how);

    // The work-item has executed a load. Instructions that use its value wait for it.
    void loaded(LLVMValueRef load);

    // Call before a load or store of private memory is executed. A store of a loaded value to an
    // array that a compiler keeps in registers does not wait for the load: the instruction that
    // uses the array's element does.
    void usesPrivate(LLVMValueRef access, size_t address);

    // The work-item has executed an instruction other than an access. lane: the work-item's state;
    // lane.done counts instructions.
    void executed(LLVMValueRef instruction, bl_lane &lane);

    // The work of a stretch: what the work-item did since the last call of take(), without what
    // earlier lanes of its sub-group did in the same positions.
    struct Done {
        uint32_t instructions = 0;
        uint32_t chain = 0;   // length of the longest chain of dependent instructions
        uint32_t carried = 0; // the most that the work added to a chain that began earlier
    };
    Done take();

private:
    struct Step {
        uint32_t number = 0;
        uint32_t instructions = 0; // estimated number on a device
        uint32_t slow = 0;         // as in costs::Effort
        uint32_t half = 0;         // how many start at half the rate of others
        uint32_t chain = 0;        // longest chain of dependent instructions
        // Of a loop's counter: how often it has begun when the fourth iteration is sure to follow,
        // and loops::chainOfFourth().
        uint32_t fourth = 0, chainOfFourth = 0;
        bool isBranch = false;        // later instructions wait for it: a branch, or code with one
        bool isInRegisters = false;   // accesses an array that a compiler keeps in registers
        uint8_t how = 0;              // for a load: enum bl_wire_wait
        std::vector<uint32_t> values; // values that the instruction needs
        std::vector<LLVMValueRef> loads; // loads whose values it needs
    };

    struct Value {
        uint32_t stretch = 0; // the stretch in which it was computed
        uint32_t chain = 0;
        // Length of the chain since the group's beginning; loads do not end it.
        uint32_t depth = 0;
        // `depth` when the stretch began; if the work-item had not yet computed the value in this
        // group, the largest depth at that time (State::before).
        uint32_t before = 0;
        uint32_t begun = 0; // of a loop's counter: iterations since the loop's entry
    };

    struct State {
        uint32_t stretch = 1, first = 1; // first: the group's first stretch
        // The chain, and the chain since the group's beginning, of the last branch. Instructions
        // after a branch begin when it has been decided.
        uint32_t branchChain = 0, branchDepth = 0;
        uint32_t branchBefore = 0; // branchDepth when the stretch began
        // isApart: the work-item is where no earlier lane of its sub-group has been, as the first
        // lane always is. isSeparating: its last instruction led it there.
        bool isApart = false, isSeparating = false;
        uint32_t deepest = 0, before = 0; // largest depth so far, and before this stretch
        Done done;
        // Since the group's beginning: sums of Step::instructions, Step::slow and Step::half; and
        // how many instructions take() has returned.
        uint64_t instructions = 0, slow = 0, half = 0, told = 0;
        std::vector<Value> values;
        std::vector<LLVMValueRef> pending;
        // The loads from which values may come unchanged: of the elements of arrays in registers,
        // by address, and of loads of such elements.
        std::unordered_map<size_t, std::vector<LLVMValueRef>> elements;
        std::unordered_map<LLVMValueRef, std::vector<LLVMValueRef>> sources;
        uint64_t position = 0;
        uint64_t *counted = nullptr; // instructions counted in this position; null if not looked up
    };

    Step &stepOf(LLVMValueRef instruction);
    uint32_t numberOf(LLVMValueRef instruction);
    bool isFourthOf(const Step &step, bool isEntered);
    bool isFirst(uint32_t instructions, bl_lane &lane);
    std::vector<LLVMValueRef> awaited(LLVMValueRef load) const;
    bool isInRegisters(LLVMValueRef access);
    static bool leadsToAddress(LLVMValueRef load);

    std::unordered_map<unsigned long, std::unordered_map<LLVMValueRef, Step>> m_stepsOf;
    std::unordered_map<LLVMValueRef, Step> *m_steps = nullptr;
    std::unordered_map<LLVMValueRef, bool> m_inRegisters; // by private array
    Values m_values;
    bool m_isFastMath = false;
    LLVMValueRef m_last = nullptr;
    Step *m_lastStep = nullptr;
    uint32_t m_count = 0;
    std::vector<State> m_states;
    State *m_now = nullptr;
    size_t m_lanes = 1, m_subGroup = 0, m_positions = 0; // positions: in m_counted
    // For each sub-group, the number of instructions that have been counted in each position.
    std::vector<std::unordered_map<uint64_t, uint64_t>> m_counted;
};

#endif
