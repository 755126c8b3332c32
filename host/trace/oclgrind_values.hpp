// Finds the instructions that a device does not execute, although Oclgrind does, because the
// device's compiler knows their result or keeps it in a register. Needs LLVM, hence C++.
//
// Each value that a work-item computes gets a number, so that equal numbers mean equal values
// (global value numbering, but of executed instructions). Sums, and products with constants, are
// numbered as linear expressions: `a + b` and `b + a` get the same number, and `a + 1` differs from
// `a` only by a constant, which an access adds at no cost.
#ifndef BANKLINE_TRACE_OCLGRIND_VALUES_HPP
#define BANKLINE_TRACE_OCLGRIND_VALUES_HPP

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/llvm_c.hpp"

class Values
{
public:
    // Call before a kernel of this program runs, as for Flow.
    void useProgram(unsigned long program) { m_program = &m_programs[program]; }

    void beginGroup(size_t items);

    // Call before instructions of another work-item follow.
    void choose(size_t item) { m_now = &m_states[item]; }

    // The work-item has executed an instruction other than an access. Returns whether a device
    // executes it, too.
    bool executed(LLVMValueRef instruction);

    // The work-item has executed a load, whose value is unknown.
    void loaded(LLVMValueRef load);

private:
    // A value: constant + the expression with this number. Number 0: the value is the constant.
    struct Value {
        uint64_t number = 0;
        int64_t constant = 0;
    };

    enum class Kind {
        unknown, // a new value each time
        renamed, // the value of the first operand
        sum,
        difference,
        product, // also a shift to the left
        address,
        choice,  // select
        counter, // phi at the beginning of a loop
        merge,   // another phi
        branch,
        call,    // of a function of the program
        function // anything else that depends only on its operands
    };

    static constexpr uint32_t none = UINT32_MAX;
    struct Operand {
        uint32_t slot = none; // where the value is kept; none: it is `value`
        Value value;
    };

    struct Rule {
        Kind kind = Kind::unknown;
        uint32_t slot = none; // where its value is kept
        LLVMBasicBlockRef block = nullptr;
        int opcode = 0, predicate = 0;
        unsigned bits = 64, fromBits = 64; // of an integer, and of a conversion's operand
        uint64_t identity = 0;             // distinguishes functions in the numbers of values
        std::vector<Operand> operands;
        bool isForAddresses = false;           // only addresses depend on it
        bool isKnown = false;                  // for a phi: constant if short loops are unrolled
        std::vector<LLVMBasicBlockRef> blocks; // for a phi: where each operand comes from
        std::vector<bool> isFromEnd;           // for a phi: whether it comes from the loop's end
        std::vector<uint64_t> factors;         // for an address: of each operand but the first
        std::vector<uint32_t> parameters; // for a call: slots of the called function's parameters
    };

    struct Program {
        std::unordered_map<LLVMValueRef, Rule> rules;
        std::unordered_map<LLVMValueRef, uint32_t> slots;
    };

    // The values that a work-item has in registers: a hash table of rows of several places.
    static constexpr size_t rows = 128, places = 4;
    struct Kept {
        uint64_t number = 0;
        uint32_t used = 0; // how many values had been computed when it was last used
    };

    struct State {
        std::vector<Value> values;
        std::array<Kept, rows * places> registers;
        uint64_t unknown = 0; // number of unknown values so far
        uint32_t computed = 0;
        LLVMBasicBlockRef from = nullptr; // block that the last branch left
    };

    Rule newRule(LLVMValueRef instruction);
    Operand operandOf(LLVMValueRef value);
    uint32_t slotOf(LLVMValueRef value);
    void addCalled(Rule &rule, LLVMValueRef call);
    static Kind kindOf(LLVMValueRef instruction, const Rule &rule);
    Value valueOf(const Operand &operand) const;
    Value valueOf(const Rule &rule);
    Value valueOfPhi(const Rule &rule);
    Value valueOfFunction(const Rule &rule) const;
    Value newValue();
    bool isKept(uint64_t number);
    bool hasEntered(const Rule &rule) const;

    std::unordered_map<unsigned long, Program> m_programs;
    Program *m_program = nullptr;
    std::vector<State> m_states;
    State *m_now = nullptr;
};

#endif
