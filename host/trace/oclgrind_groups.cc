// Chooses which groups of a launch are traced and, with --quick, which run (oclgrind_groups.hpp).
#include "trace/oclgrind_groups.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <oclgrind/Plugin.h>

#include <oclgrind/KernelInvocation.h>

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

Groups::Groups(const char* between)
    : m_wantsAll(!between || strcmp(between, "all") == 0),
      m_between(m_wantsAll ? 0 : strtoull(between, nullptr, 10))
{
}

// Chooses the first, the last, and `wanted` groups between them, one from each of `wanted` ranges
// of equal length. A hash chooses the group in its range, because groups at equal distances may all
// begin in one tag bank.
void Groups::choose(uint64_t groups, bl_pace pace, bool isLeftOut)
{
    m_chosen.clear();
    m_all = m_wantsAll && pace == BL_PACE_WHOLE && !isLeftOut;
    if (m_all || isLeftOut || groups == 0)
        return;
    const uint64_t wanted = bl_pace_between(pace, m_between, m_wantsAll);
    m_chosen.insert(0);
    m_chosen.insert(groups - 1);
    const uint64_t inside = groups > 2 ? groups - 2 : 0, count = std::min(wanted, inside);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t begin = inside * i / count, end = inside * (i + 1) / count;
        const uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15u;
        m_chosen.insert(1 + begin + (mixed >> 32) % (end - begin));
    }
}

void Groups::runNoOthers(const oclgrind::KernelInvocation* invocation) const
{
    if (m_all || m_chosen.empty())
        return;
    List& list = const_cast<oclgrind::KernelInvocation*>(invocation)->*listOf();
    const oclgrind::Size3 groups = invocation->getNumGroups();
    std::vector<uint64_t> chosen(m_chosen.begin(), m_chosen.end());
    std::sort(chosen.begin(), chosen.end());
    list.clear();
    for (const uint64_t index : chosen)
        list.push_back(oclgrind::Size3(index % groups.x, index / groups.x % groups.y,
                                       index / groups.x / groups.y));
}
