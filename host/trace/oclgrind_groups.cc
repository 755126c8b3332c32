// Chooses which groups of a launch are traced and, with --quick, which run (oclgrind_groups.hpp).
#include "trace/oclgrind_groups.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <oclgrind/Plugin.h>

#include <oclgrind/KernelInvocation.h>

#include "trace/wire.h"

namespace
{
using List = std::vector<oclgrind::Size3>;

// Oclgrind's list of the groups that it will run is private. An explicit instantiation of a
// template may name a private member.
List oclgrind::KernelInvocation::*listOf();

template <List oclgrind::KernelInvocation::*list> struct Opener {
    friend List oclgrind::KernelInvocation::*listOf() { return list; }
};

template struct Opener<&oclgrind::KernelInvocation::m_workGroups>;
} // namespace

Groups::Groups(const char *between, const char *budget)
    : m_wantsAll(!between || strcmp(between, "all") == 0), m_budget(bl_budget_of(budget)),
      m_between(m_wantsAll ? 0 : strtoull(between, nullptr, 10))
{
    shortenNextLaunch();
}

void Groups::begin(uint64_t groups, bool isRepeated, uint64_t began_ns)
{
    m_groups = groups;
    m_began_ns = began_ns;
    m_pace = bl_pace_at(&m_budget, bl_pace_now_ns());
    shortenNextLaunch();
    m_isLeftOut = isRepeated && m_pace == BL_PACE_FEWER_LAUNCHES;
    choose();
}

void Groups::keepPace()
{
    if (m_budget.length_ns == 0 || m_isLeftOut)
        return;
    const bl_pace pace = bl_pace_at(&m_budget, bl_pace_now_ns());
    if (pace > m_pace) {
        m_pace = pace;
        choose();
    }
}

void Groups::end()
{
    m_longest_ns = std::max(m_longest_ns, bl_pace_now_ns() - m_began_ns);
    shortenNextLaunch();
}

// In the last quarter of a budget, or if the time left is less than twice the longest launch so
// far, launches run only their first and last group, so that the program reaches its other kernels
// in time. Oclgrind reads its variable before each launch. The variable's value is changed in
// place, because setenv would move memory that other threads read.
void Groups::shortenNextLaunch() const
{
    char *value = getenv(BL_WIRE_QUICK);
    if (!value || *value != '0' || m_budget.length_ns == 0)
        return;
    const uint64_t now_ns = bl_pace_now_ns();
    if (bl_pace_at(&m_budget, now_ns) == BL_PACE_FEWER_LAUNCHES ||
        now_ns + 2 * m_longest_ns > m_budget.began_ns + m_budget.length_ns)
        *value = '1';
}

// Chooses the first, the last, and `wanted` groups between them, one from each of `wanted` ranges
// of equal length. A hash chooses the group in its range, because groups at equal distances may all
// begin in one tag bank.
void Groups::choose()
{
    m_chosen.clear();
    m_all = m_wantsAll && m_pace == BL_PACE_WHOLE && !m_isLeftOut;
    if (m_all || m_isLeftOut || m_groups == 0)
        return;
    const uint64_t wanted = bl_pace_between(m_pace, m_between, m_wantsAll);
    m_chosen.insert(0);
    m_chosen.insert(m_groups - 1);
    const uint64_t inside = m_groups > 2 ? m_groups - 2 : 0, count = std::min(wanted, inside);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t begin = inside * i / count, end = inside * (i + 1) / count;
        const uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15u;
        m_chosen.insert(1 + begin + (mixed >> 32) % (end - begin));
    }
}

void Groups::runNoOthers(const oclgrind::KernelInvocation *invocation) const
{
    if (m_all || m_chosen.empty())
        return;
    List &list = const_cast<oclgrind::KernelInvocation *>(invocation)->*listOf();
    const oclgrind::Size3 groups = invocation->getNumGroups();
    std::vector<uint64_t> chosen(m_chosen.begin(), m_chosen.end());
    std::sort(chosen.begin(), chosen.end());
    list.clear();
    for (const uint64_t index : chosen)
        list.push_back(oclgrind::Size3(index % groups.x, index / groups.x % groups.y,
                                       index / groups.x / groups.y));
}
