// Chooses which groups of a launch are traced and, with --quick, which run (oclgrind_groups.hpp).
#include "trace/oclgrind_groups.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <oclgrind/Plugin.h>

#include <oclgrind/KernelInvocation.h>
#include <oclgrind/WorkItem.h>

#include "trace/wire.h"

namespace
{
using List = std::vector<oclgrind::Size3>;

// With --quick, the number of instructions that groups may execute without being traced, in all
// launches together, and the part of what is left of it that one launch may use. The first launches
// matter most, because later ones often repeat them. Oclgrind executes some 10 million instructions
// a second. A limit in seconds would make the trace depend on the speed of the host.
const int64_t allowed = 200000000;
enum { LAUNCH_SHARE = 8 };

// How many distances between groups may be computed before a launch.
enum { MOST_DISTANCES = 1 << 22 };

// Oclgrind's list of the groups that it will run is private. An explicit instantiation of a
// template may name a private member.
List oclgrind::KernelInvocation::*listOf();

template <List oclgrind::KernelInvocation::*list> struct Opener {
    friend List oclgrind::KernelInvocation::*listOf() { return list; }
};

template struct Opener<&oclgrind::KernelInvocation::m_workGroups>;

// The largest distance between two groups along an axis.
uint64_t distance(const oclgrind::Size3 &a, const oclgrind::Size3 &b)
{
    uint64_t largest = 0;
    for (unsigned i = 0; i < 3; i++)
        largest = std::max<uint64_t>(largest, a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]);
    return largest;
}
} // namespace

Groups::Groups(const char *between, const char *budget)
    : m_wantsAll(!between || strcmp(between, "all") == 0), m_budget(bl_budget_of(budget)),
      m_between(m_wantsAll ? 0 : strtoull(between, nullptr, 10)), m_allowance(allowed)
{
    shortenNextLaunch();
}

void Groups::begin(const oclgrind::Size3 &groups, bool isRepeated, uint64_t began_ns)
{
    m_groups = groups;
    m_count = groups.x * groups.y * groups.z;
    m_began_ns = began_ns;
    m_pace = bl_pace_at(&m_budget, bl_pace_now_ns());
    shortenNextLaunch();
    m_completed = m_instructions = 0;
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
    m_allowance += m_ofLaunch;
    m_ofLaunch = 0;
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
// of equal length along the slowest axis. In different grids, groups at the same fractions of the
// axes mostly work on the same data, so a kernel's chosen groups find what those of earlier kernels
// wrote. The fractions are irregular, because groups at equal distances may all begin in one tag
// bank.
void Groups::choose()
{
    m_chosen.clear();
    m_all = m_wantsAll && m_pace == BL_PACE_WHOLE && !m_isLeftOut;
    if (m_all || m_isLeftOut || m_count == 0)
        return;
    const uint64_t wanted = bl_pace_between(m_pace, m_between, m_wantsAll);
    m_chosen.insert(0);
    m_chosen.insert(m_count - 1);
    const uint64_t inside = m_count > 2 ? m_count - 2 : 0, count = std::min(wanted, inside);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t index = 0, hash = i;
        bool isSlowest = true;
        for (int axis = 2; axis >= 0; axis--) {
            if (m_groups[axis] <= 1)
                continue;
            hash = (hash + 1) * 0x9E3779B97F4A7C15u;
            const double irregular =
                static_cast<double>(hash >> 11) / static_cast<double>(1ull << 53);
            const double fraction =
                isSlowest ? (static_cast<double>(i) + irregular) / count : irregular;
            index = index * m_groups[axis] + static_cast<uint64_t>(fraction * m_groups[axis]);
            isSlowest = false;
        }
        while (!m_chosen.insert(index).second)
            index = (index + 1) % m_count;
    }
}

void Groups::runChosenFirst(const oclgrind::KernelInvocation *invocation)
{
    m_invocation = nullptr;
    if (m_all || m_chosen.empty())
        return;
    const auto placeOf = [this](uint64_t index) {
        return oclgrind::Size3(index % m_groups.x, index / m_groups.x % m_groups.y,
                               index / m_groups.x / m_groups.y);
    };
    const oclgrind::Size3 size = invocation->getLocalSize();
    m_ofLaunch = m_pace == BL_PACE_WHOLE ? std::max<int64_t>(0, m_allowance / LAUNCH_SHARE) : 0;
    m_allowance -= m_ofLaunch;
    std::vector<uint64_t> chosen(m_chosen.begin(), m_chosen.end());
    std::sort(chosen.begin(), chosen.end());
    // From each chosen group, so many groups on both sides are candidates. Each of their work-items
    // executes at least one instruction.
    const uint64_t most =
        std::min<uint64_t>(static_cast<uint64_t>(m_ofLaunch) / (size.x * size.y * size.z),
                           MOST_DISTANCES / (chosen.size() * chosen.size()));
    std::vector<std::pair<uint64_t, uint64_t>> order; // distance to the nearest chosen group, index
    uint64_t index = 0;
    for (const uint64_t centre : chosen) {
        index = std::max(index, centre - std::min(centre, most));
        for (; index < m_count && index <= centre + most; index++) {
            uint64_t nearest = UINT64_MAX;
            for (const uint64_t other : chosen)
                nearest = std::min(nearest, distance(placeOf(other), placeOf(index)));
            order.emplace_back(nearest, index);
        }
    }
    std::sort(order.begin(), order.end());
    List &list = const_cast<oclgrind::KernelInvocation *>(invocation)->*listOf();
    list.clear();
    for (const auto &entry : order)
        list.push_back(placeOf(entry.second));
    m_invocation = invocation;
}

void Groups::beginGroup(const oclgrind::Size3 &size, bool isChosen)
{
    m_size = size;
    m_isOther = !isChosen;
    m_executedBy.assign(size.x * size.y * size.z, 0);
    m_item = nullptr;
}

void Groups::choose(const oclgrind::WorkItem *item)
{
    const oclgrind::Size3 id = item->getLocalID();
    m_item = item;
    m_executed = &m_executedBy[id.x + m_size.x * (id.y + m_size.y * id.z)];
}

uint64_t Groups::work(size_t lanes) const
{
    uint64_t sum = 0;
    for (auto begin = m_executedBy.begin(); begin != m_executedBy.end();) {
        const auto left = static_cast<size_t>(m_executedBy.end() - begin);
        const auto end = begin + static_cast<std::ptrdiff_t>(std::min(lanes, left));
        sum += *std::max_element(begin, end);
        begin = end;
    }
    return sum;
}

void Groups::complete()
{
    m_completed++;
    for (const uint64_t executed : m_executedBy)
        m_instructions += executed;
    if (!m_invocation || m_completed < m_chosen.size())
        return;
    const bool isInTime =
        m_budget.length_ns == 0 || bl_pace_at(&m_budget, bl_pace_now_ns()) == BL_PACE_WHOLE;
    if (m_ofLaunch > 0 && isInTime)
        return;
    List &list = const_cast<oclgrind::KernelInvocation *>(m_invocation)->*listOf();
    list.resize(std::min(list.size(), m_completed));
    m_invocation = nullptr;
}
