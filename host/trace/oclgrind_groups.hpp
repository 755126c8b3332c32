// The groups of a launch that are traced or run, fewer as a time budget runs out.
#ifndef BANKLINE_TRACE_OCLGRIND_GROUPS_HPP
#define BANKLINE_TRACE_OCLGRIND_GROUPS_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <unordered_set>
#include <vector>

#include "trace/pace.h"

#include <oclgrind/Plugin.h>

namespace oclgrind
{
class KernelInvocation;
}

// Whether this value of BL_WIRE_QUICK makes Oclgrind run only some groups; the test is Oclgrind's.
inline bool isQuick(const char *value) { return value && strcmp(value, "1") == 0; }

class [[gnu::visibility("hidden")]] Groups // as bl_budget
{
public:
    // between: how many groups to trace between the first and the last, as a number or as "all";
    // null means all. budget: the text of BL_WIRE_BUDGET.
    Groups(const char *between, const char *budget);

    // Chooses from the groups of a launch that began at began_ns (bl_pace_now_ns). Chooses none if
    // the budget is almost used up and isRepeated: the kernel has been launched before.
    void begin(const oclgrind::Size3 &groups, bool isRepeated, uint64_t began_ns);

    // Chooses fewer of the launch's groups if the budget requires it. Call before a group runs.
    void keepPace();

    void end();

    bool has(uint64_t index) const { return m_all || m_chosen.count(index) > 0; }

    // Whether a time budget is almost used up.
    bool isLate() const { return m_pace == BL_PACE_FEWER_LAUNCHES; }

    // Whether the launch has more groups than those that always run.
    bool mayLeaveOut() const { return m_count > std::max<size_t>(2, m_chosen.size()); }

    // Makes Oclgrind run the chosen groups first, and then others until the launch has used its
    // share of the instructions that untraced groups may execute: kernels that follow then find
    // more of their input. The groups nearest to chosen ones run first, because a group mostly
    // reads what groups beside its own place wrote. Has no effect if no group is chosen. Call
    // before the launch runs.
    void runChosenFirst(const oclgrind::KernelInvocation *invocation);

    // Call before a group runs. size: its work-items.
    void beginGroup(const oclgrind::Size3 &size, bool isChosen);

    // Call for each instruction of the group.
    void executed(const oclgrind::WorkItem *item)
    {
        if (item != m_item)
            choose(item);
        (*m_executed)++;
        m_ofLaunch -= m_isOther;
    }

    // How many instructions of the group the busiest work-item of each sub-group of `lanes`
    // work-items has executed, summed over sub-groups.
    uint64_t work(size_t lanes) const;

    // How many instructions all groups of the launch execute, estimated from those that have run.
    double executedByAll() const
    {
        const size_t ran = std::max<size_t>(1, m_completed);
        return static_cast<double>(m_instructions) / ran * static_cast<double>(m_count);
    }

    // Call when a group has run.
    void complete();

private:
    void choose();
    void choose(const oclgrind::WorkItem *item);
    void shortenNextLaunch() const;

    bool m_wantsAll, m_all = true;
    bl_budget m_budget;
    bl_pace m_pace = BL_PACE_WHOLE;
    bool m_isLeftOut = false;                  // the current launch is not traced
    oclgrind::Size3 m_groups;                  // of the current launch
    uint64_t m_count = 0;                      // their number
    uint64_t m_began_ns = 0, m_longest_ns = 0; // start of this launch; time of the longest so far
    uint64_t m_between;
    std::unordered_set<uint64_t> m_chosen;

    // These are of the current group.
    oclgrind::Size3 m_size;
    bool m_isOther = false;                     // it is not chosen
    std::vector<uint64_t> m_executedBy;         // instructions of each work-item
    const oclgrind::WorkItem *m_item = nullptr; // which executes now
    uint64_t *m_executed = nullptr;             // its instructions

    // These are used if Oclgrind runs only some groups.
    const oclgrind::KernelInvocation *m_invocation = nullptr; // whose groups may still be left out
    // Instructions that untraced groups of later launches may execute, and what is left of them for
    // the current launch. Below 0 if more were executed, because a group always runs to its end.
    int64_t m_allowance, m_ofLaunch = 0;
    size_t m_completed = 0;      // groups of the current launch that have run
    uint64_t m_instructions = 0; // what they have executed
};

#endif
