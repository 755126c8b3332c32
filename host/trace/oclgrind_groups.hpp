// The groups of a launch that are traced.
#ifndef BANKLINE_TRACE_OCLGRIND_GROUPS_HPP
#define BANKLINE_TRACE_OCLGRIND_GROUPS_HPP

#include <cstdint>
#include <cstring>
#include <unordered_set>

#include "trace/pace.h"

namespace oclgrind
{
class KernelInvocation;
}

// Whether this value of BL_WIRE_QUICK makes Oclgrind run only some groups; the test is Oclgrind's.
inline bool isQuick(const char* value) { return value && strcmp(value, "1") == 0; }

class Groups
{
public:
    // between: how many groups to trace between the first and the last, as a number or as "all";
    // null means all.
    explicit Groups(const char* between);

    // Chooses from a launch's groups; chooses none if isLeftOut.
    void choose(uint64_t groups, bl_pace pace, bool isLeftOut);

    bool has(uint64_t index) const { return m_all || m_chosen.count(index) > 0; }

    // Makes Oclgrind run only the chosen groups; has no effect if none is chosen. Call before the
    // launch runs.
    void runNoOthers(const oclgrind::KernelInvocation* invocation) const;

private:
    bool m_wantsAll, m_all = true;
    uint64_t m_between;
    std::unordered_set<uint64_t> m_chosen;
};

#endif
