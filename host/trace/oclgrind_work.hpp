// Counts what work-items compute between their accesses to memory, and finds the loads they wait
// for, by the uses of values in LLVM's instructions. Needs LLVM, hence C++.
#ifndef BANKLINE_TRACE_OCLGRIND_WORK_HPP
#define BANKLINE_TRACE_OCLGRIND_WORK_HPP

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/llvm_c.hpp"

class Work
{
  public:
    // Call before a kernel of this program runs, as for Flow.
    void useProgram(unsigned long program)
    {
        m_steps = &m_stepsOf[program];
        m_last = nullptr;
    }

    void beginGroup(size_t items);

    // Call before instructions of another work-item follow.
    void choose(size_t item) { m_now = &m_states[item]; }

    // A load whose value an instruction needs and has not waited for yet; null if none is left.
    // Marks it as waited for. how: an enum bl_wire_wait.
    LLVMValueRef nextWait(LLVMValueRef instruction, uint8_t *how);

    // The work-item has executed a load. Instructions that use its value wait for it.
    void loaded(LLVMValueRef load);

    // The work-item has executed an instruction other than an access.
    void executed(LLVMValueRef instruction);

    // The work since take() was last called for the work-item: a stretch.
    struct Done {
        uint32_t instructions = 0;
        uint32_t chain = 0;   // length of the longest chain of dependent instructions
        uint32_t carried = 0; // growth of the longest chain that began before the stretch
    };
    Done take();

  private:
    struct Step {
        uint32_t number = 0;
        uint32_t instructions = 0;       // estimated number on a device
        uint32_t chain = 0;              // longest chain of these that wait for one another
        bool isFirm = false;             // for a load: an address or a branch depends on its value
        bool isRolled = false;           // for a load: it is in a loop that is not unrolled
        std::vector<uint32_t> values;    // values that it needs
        std::vector<LLVMValueRef> loads; // loads that deliver a value that it needs
    };

    struct Value {
        uint32_t stretch = 0; // the stretch that computed it
        uint32_t chain = 0;
        uint32_t depth = 0;  // the group's chain that led to it; loads do not end it
        uint32_t before = 0; // `depth` when the stretch began
    };

    struct State {
        uint32_t stretch = 1, first = 1;  // first: first stretch of the group
        uint32_t deepest = 0, before = 0; // largest depth: now, and at the stretch's begin
        Done done;
        std::vector<Value> values;
        std::vector<LLVMValueRef> pending;
    };

    Step &stepOf(LLVMValueRef instruction);
    uint32_t numberOf(LLVMValueRef instruction);
    static bool leadsToAddress(LLVMValueRef load);

    std::unordered_map<unsigned long, std::unordered_map<LLVMValueRef, Step>> m_stepsOf;
    std::unordered_map<LLVMValueRef, Step> *m_steps = nullptr;
    LLVMValueRef m_last = nullptr;
    Step *m_lastStep = nullptr;
    uint32_t m_count = 0;
    std::vector<State> m_states;
    State *m_now = nullptr;
};

#endif
