/* Counts the granules, sectors and lines that requests touch, and computes their cost at a level.
 * Addresses are sorted, so that equal granules are neighbours and blocks can be handled one after
 * another. */
#include "model/granules.h"

#include <math.h>
#include <stdlib.h>

/* The cost of writes at a level beyond the compute unit's cache. */

/* The bytes from `from` to `to` - 1. */
struct span {
    uint64_t from, to;
};

static int by_begin(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

struct tally {
    const struct bl_accessed *of;
    uint64_t block, line;    /* indices of the current block and line; UINT64_MAX if none */
    uint64_t granule;        /* index of the granule that contains the last full sector */
    double whole, partial;   /* full and partial sectors of the current block so far */
    double granules;         /* granules that contain full sectors of the current block */
    double partial_lines;    /* lines of the current block that have a partial sector */
    bool is_partial;         /* whether the current line has a partial sector */
    double sectors, charged; /* sums over all blocks */
    double mixed; /* the part of `charged` that comes from blocks with both full and partial
                     sectors, if such blocks have no rule */
    double whole_sectors, lines, runs, bytes;
};

static void end_line(struct tally *tally)
{
    tally->partial_lines += tally->is_partial;
    tally->is_partial = false;
}

/* The cost of a block, in fully written sectors, if its full and its partial sectors cost as much
 * as in separate blocks. */
static double cost_of_block(const struct tally *tally)
{
    const struct bl_level *level = tally->of->level;
    const double least = level->write_alone_percent + level->write_whole_percent * tally->granules;
    /* The cost of a whole block. A minimum cost is at most this, or twice this if the block has
     * partial sectors. */
    const double all = (double)level->write_block_bytes / tally->of->machine->sector_bytes;
    if (tally->partial == 0)
        return tally->whole > 0 ? fmax(tally->whole, fmin(all, least / 100)) : 0;
    const double opened =
        level->write_open_percent + level->write_line_percent * tally->partial_lines;
    const double filled = level->write_fill_percent + level->write_part_percent * tally->partial;
    return tally->whole + fmax(tally->partial, fmin(2 * all, fmax(opened, filled) / 100));
}

static void end_block(struct tally *tally)
{
    const double cost = cost_of_block(tally);
    tally->charged += cost;
    if (tally->whole > 0 && tally->partial > 0 && !tally->of->level->write_mixes)
        tally->mixed += cost;
    tally->whole_sectors += tally->whole;
    tally->whole = tally->granules = tally->partial = tally->partial_lines = 0;
}

/* Counts a sector of which this many bytes are written. Call this for sectors in ascending order.
 */
static void add_sector(struct tally *tally, uint64_t sector, uint64_t bytes)
{
    const struct bl_machine *machine = tally->of->machine;
    const uint64_t at = sector * machine->sector_bytes, line = at / machine->line_bytes;
    const uint64_t block = at / tally->of->level->write_block_bytes;
    const uint64_t granule = at / tally->of->level->granule_bytes;
    if (line != tally->line) {
        end_line(tally);
        tally->lines++;
    }
    if (block != tally->block)
        end_block(tally);
    tally->line = line;
    tally->block = block;
    const bool is_whole = bytes == machine->sector_bytes;
    tally->is_partial |= !is_whole;
    tally->partial += !is_whole;
    tally->whole += is_whole;
    tally->granules += is_whole && (tally->granules == 0 || granule != tally->granule);
    tally->granule = is_whole ? granule : tally->granule;
    tally->sectors++;
    tally->bytes += (double)bytes;
}

/* Counts the sectors and bytes that the work-items of a request write. */
static void add_written(struct tally *tally, const uint64_t starts[], size_t count,
                        struct span spans[])
{
    const struct bl_type *type = tally->of->type;
    const uint64_t size = tally->of->machine->sector_bytes;
    uint64_t sector = UINT64_MAX, bytes = 0, end = 0; /* end: end of the bytes counted so far */
    for (size_t i = 0; i < count; i++) {
        const uint64_t from = starts[i] * type->element_bytes % tally->of->tile_bytes;
        spans[i] = (struct span){from, from + type->access_bytes};
    }
    qsort(spans, count, sizeof spans[0], by_begin);
    for (size_t i = 0; i < count; i++) {
        tally->runs += i == 0 || spans[i].from > end;
        for (uint64_t from = spans[i].from > end ? spans[i].from : end; from < spans[i].to;) {
            const uint64_t this = from / size, stop = (this + 1) * size;
            const uint64_t to = spans[i].to < stop ? spans[i].to : stop;
            if (this != sector && bytes > 0)
                add_sector(tally, sector, bytes);
            bytes = (this == sector ? bytes : 0) + to - from;
            sector = this;
            from = end = to;
        }
    }
    if (bytes > 0)
        add_sector(tally, sector, bytes);
    end_line(tally);
    end_block(tally);
    tally->line = tally->block = UINT64_MAX;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Lists the distinct granules that these work-items touch, modulo tile_bytes, in ascending order.
 * Returns the number of granules. */
static size_t distinct(const struct bl_accessed *of, const uint64_t starts[], size_t count,
                       uint64_t granules[])
{
    const unsigned bytes = of->level->granule_bytes;
    size_t n = 0, found = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t from = starts[i] * of->type->element_bytes;
        const uint64_t last = (from + of->type->access_bytes - 1) / bytes;
        for (uint64_t granule = from / bytes; granule <= last; granule++)
            granules[n++] = granule % (of->tile_bytes / bytes);
    }
    qsort(granules, n, sizeof granules[0], ascending);
    for (size_t i = 0; i < n; i++)
        if (found == 0 || granules[found - 1] != granules[i])
            granules[found++] = granules[i];
    return found;
}

/* The number of distinct lines (of `per` granules each) that contain these sorted granules. */
static size_t wholes(const uint64_t granules[], size_t count, uint64_t per)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += i == 0 || granules[i] / per != granules[i - 1] / per;
    return found;
}

/* The cost of a request's sorted granules; a granule costs 1. A block costs as much as the granules
 * fetched from it, but at least the cost of opening it. */
static double charge_blocks(const struct bl_level *level, unsigned line_bytes,
                            const uint64_t granules[], size_t count)
{
    const uint64_t per_block = level->block_bytes / level->granule_bytes;
    double charged = 0;
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && granules[next] / per_block == granules[i] / per_block;)
            next++;
        const double lines =
            (double)wholes(granules + i, next - i, line_bytes / level->granule_bytes);
        const double opened = level->open_percent + level->line_percent * lines +
                              level->granule_percent * (double)(next - i);
        charged += fmax((double)(next - i), opened / 100);
    }
    return charged;
}

enum bl_status bl_granules_of(const struct bl_accessed *of, struct bl_granules *granules,
                              struct bl_error *error)
{
    const struct bl_level *level = of->level;
    const unsigned bytes = level->granule_bytes, line_bytes = of->machine->line_bytes;
    const bool counts_sectors = of->is_write && level->write_block_bytes;
    const size_t most = of->together < of->count ? of->together : of->count;
    /* At least two numbers per work-item, so the array is also large enough for a struct span per
     * work-item. */
    uint64_t *room = calloc(most * (of->type->access_bytes / bytes + 2), sizeof *room);
    if (!room)
        return bl_fail(error, BL_NO_MEMORY,
                       "out of memory while counting the granules of %zu work-items", most);
    struct tally written = {.of = of, .block = UINT64_MAX, .line = UINT64_MAX};
    *granules = (struct bl_granules){0};
    for (size_t first = 0; first < of->count; first += most) {
        const size_t items = most < of->count - first ? most : of->count - first;
        if (counts_sectors) {
            add_written(&written, of->starts + first, items, (struct span *)room);
            continue;
        }
        const size_t found = distinct(of, of->starts + first, items, room);
        const double lines = (double)wholes(room, found, line_bytes / bytes);
        double charged = fmax((double)found, level->least_of_line_percent / 100.0 * lines);
        if (level->block_bytes)
            charged = fmax(charged, charge_blocks(level, line_bytes, room, found));
        granules->fetched += (double)found;
        granules->charged += charged;
        granules->lines += lines;
    }
    free(room);
    if (counts_sectors)
        *granules = (struct bl_granules){written.sectors * of->machine->sector_bytes / bytes,
                                         written.mixed > 0 ? (double)NAN : written.charged,
                                         written.whole_sectors,
                                         written.lines,
                                         written.runs,
                                         written.bytes,
                                         written.charged,
                                         written.mixed};
    return BL_OK;
}

/* The cost if several requests of a group access the same granules. How many shared granules are
 * fetched or written only once depends on how similar the requests are. There are rules for a few
 * kinds of requests, within the limits of the measured patterns (results/rules/README.md). */

/* Requests count as scattered if they have at least this many granules or sectors on average,
 * nearly one for each of 32 lanes. */
static const double SCATTERED = 28;

/* Limit of the rule for scattered reads: the fraction of a request's granules that the most similar
 * other request also fetches, as a mean over requests. */
static const double MOST_ALIKE = 0.95;

/* Requests count as repeated if, on average, a neighbouring request fetches at least the fraction
 * REPEATED of their granules, and they have at least MIN_REPEATED granules. */
static const double REPEATED = 0.995, MIN_REPEATED = 4;

/* Requests count as sharing only their first and last granules if, on average, no other request
 * fetches more than the fraction MOST_AT_ENDS of a request's granules, and at most MOST_READS
 * requests fetch the same granule. */
static const double MOST_AT_ENDS = 0.334, MOST_READS = 1.51;

/* Limits of the rules for requests that write only parts of sectors: the maximum number of requests
 * that write the same sector, on average. MOST_SCATTERED_WRITES and MOST_REPEATED_WRITES are for
 * scattered requests, MOST_WRITES is for dense requests. Between MOST_SCATTERED_WRITES and
 * MOST_REPEATED_WRITES, a scattered request costs less, presumably because some of its sectors are
 * still in L2. This was measured only for requests that write different bytes, and that together
 * fill at most the fraction MOST_COMPLETED of the sectors. */
static const double MOST_SCATTERED_WRITES = 1.8, MOST_REPEATED_WRITES = 3.8, MOST_WRITES = 1.4,
                    MOST_COMPLETED = 0.15;

/* Limits of the rule for short requests: the maximum number of distinct sectors that the group
 * writes, per request, and the maximum number of lines that a request writes, on average. */
static const double MOST_SHORT = 3, MOST_SHORT_LINES = 1.75;

/* Limits of the rule for blocks with both full and partial sectors. MOST_MIXED_WRITES: the maximum
 * number of requests that write the same sector, on average. Such blocks count as few if they cause
 * at most the fraction FEW_MIXED of the cost, and as many if they cause at least MANY_MIXED. */
static const double MOST_MIXED_WRITES = 1.03, FEW_MIXED = 0.45, MANY_MIXED = 0.55;

/* For requests that each write one run of bytes, whose first and last sectors may be partial: the
 * minimum number of full sectors of a request. */
static const double MIN_WHOLE = 3;

/* Limits of the rules for requests that write only full sectors. MIN_WHOLE_ALONE: the minimum
 * number of sectors of a request. MOST_LINES_OF_RUNS: the maximum number of lines of a request that
 * writes several runs of bytes. MOST_WHOLE_WRITES: the maximum number of requests that write the
 * same sector, on average. */
static const double MIN_WHOLE_ALONE = 8, MOST_LINES_OF_RUNS = 4, MOST_WHOLE_WRITES = 1.2;

enum { NEAR = 4 }; /* number of consecutive requests that count as near each other */

/* How much the requests of a group share; each member is a sum over the requests. */
struct shares {
    double by_any; /* the fraction of a request's granules that the most similar other request also
                      fetches */
    double by_neighbour; /* the fraction of a request's granules that the previous or the next
                            request also fetches, whichever is larger */
    double alone; /* number of granules that are the request's only granule in their block, if some
                     request fetches the whole block */
};

/* The granules of a request, in ascending order. */
struct granule_list {
    const uint64_t *granules;
    size_t count;
};

static double in_common(struct granule_list a, struct granule_list b)
{
    size_t common = 0;
    for (size_t i = 0, j = 0; i < a.count && j < b.count;) {
        const uint64_t x = a.granules[i], y = b.granules[j];
        common += x == y;
        i += x <= y;
        j += y <= x;
    }
    return (double)common;
}

static size_t count_in_block(struct granule_list list, uint64_t block, uint64_t per_block)
{
    size_t found = 0;
    for (size_t i = 0; i < list.count; i++)
        found += list.granules[i] / per_block == block;
    return found;
}

/* Whether one of the requests fetches the whole block. */
static bool is_fetched(const struct granule_list lists[], size_t requests, uint64_t block,
                       uint64_t per_block)
{
    for (size_t i = 0; i < requests; i++)
        if (count_in_block(lists[i], block, per_block) == per_block)
            return true;
    return false;
}

static struct shares shares_of(const struct bl_level *level, const struct granule_list lists[],
                               size_t requests)
{
    const uint64_t per_block = level->block_bytes / level->granule_bytes;
    struct shares sum = {0};
    for (size_t i = 0; i < requests; i++) {
        double any = 0, neighbour = 0;
        for (size_t j = 0; j < requests; j++) {
            const double part = in_common(lists[i], lists[j]) / (double)lists[i].count;
            if (j != i)
                any = fmax(any, part);
            if (j + 1 == i || j == i + 1)
                neighbour = fmax(neighbour, part);
        }
        sum.by_any += any;
        sum.by_neighbour += neighbour;
        for (size_t k = 0; k < lists[i].count; k++) {
            const uint64_t block = lists[i].granules[k] / per_block;
            sum.alone += count_in_block(lists[i], block, per_block) == 1 &&
                         is_fetched(lists, requests, block, per_block);
        }
    }
    return sum;
}

/* Computes the shares of a group's requests. */
static enum bl_status find_shares(const struct bl_accessed *of, size_t requests,
                                  struct shares *shares, struct bl_error *error)
{
    const size_t lanes = of->machine->lanes;
    const size_t most = lanes * (of->type->access_bytes / of->level->granule_bytes + 2);
    uint64_t *room = calloc(requests * most, sizeof *room);
    struct granule_list *lists = calloc(requests, sizeof *lists);
    enum bl_status status = BL_OK;
    if (room && lists) {
        for (size_t i = 0; i < requests; i++)
            lists[i] = (struct granule_list){
                room + i * most, distinct(of, of->starts + i * lanes, lanes, room + i * most)};
        *shares = shares_of(of->level, lists, requests);
    } else {
        status = bl_fail(error, BL_NO_MEMORY,
                         "out of memory while comparing the granules of %zu requests", requests);
    }
    free(lists);
    free(room);
    return status;
}

/* The cost of reads of shared granules; NAN if there is no rule. own, near, all: the granules if no
 * requests share granules, if NEAR consecutive requests share all common granules, and if all
 * requests do. */
static double charge_reads(const struct bl_level *level, const struct shares *shares,
                           double requests, const struct bl_granules *own,
                           const struct bl_granules *near, const struct bl_granules *all)
{
    const double any = shares->by_any / requests;
    if (own->fetched >= SCATTERED * requests) {
        const double near_percent = level->near_percent + level->alike_percent * any;
        return any <= MOST_ALIKE
                   ? own->charged - near_percent / 100 * (own->charged - near->charged) -
                         level->far_percent / 100.0 * (own->charged - all->charged)
                   : NAN;
    }
    if (shares->by_neighbour >= REPEATED * requests && own->fetched >= MIN_REPEATED * requests)
        return own->charged *
               (1 - level->repeated_percent / 100.0 * (1 - all->fetched / own->fetched));
    const double alone =
        fmax(100, level->open_percent + level->line_percent + level->granule_percent);
    return any <= MOST_AT_ENDS && own->fetched <= MOST_READS * all->fetched
               ? own->charged - (alone / 100 - 1) * shares->alone
               : NAN;
}

/* The cost of requests that together write blocks with full sectors, partial sectors and gaps; NAN
 * if there is no rule. writes: the mean number of requests that write the same sector. */
static double charge_mixed(const struct bl_level *level, double writes,
                           const struct bl_granules *own)
{
    const double part = own->mixed / own->apart;
    if (!level->write_mixed_percent || writes > MOST_MIXED_WRITES)
        return NAN;
    if (part >= MANY_MIXED)
        return level->write_mixed_percent / 100.0 * own->apart;
    return part <= FEW_MIXED
               ? (level->write_shared_percent + level->write_few_mixed_percent * part) / 100 *
                     own->apart
               : NAN;
}

/* The cost of requests that write only full sectors, if other requests write the rest of their
 * blocks; NAN if there is no rule. Such blocks need not be read before they are written, but a
 * block is opened more than once if its sectors do not arrive together. sectors: the number of
 * sectors that each request writes, summed over requests. */
static double charge_whole(const struct bl_level *level, double requests, double sectors,
                           const struct bl_granules *own, const struct bl_granules *all)
{
    if (own->whole < MIN_WHOLE_ALONE * requests || sectors > MOST_WHOLE_WRITES * all->whole)
        return NAN;
    /* requests + 1: taking addresses modulo tile_bytes can split the last request's run in two. */
    if (own->runs <= requests + 1 && all->charged <= all->whole)
        return all->charged + level->write_split_percent / 100.0 * requests;
    return own->lines <= MOST_LINES_OF_RUNS * requests && own->runs > requests + 1
               ? own->charged -
                     level->write_gathered_percent / 100.0 * (own->charged - all->charged)
               : NAN;
}

/* Whether the requests are short and adjacent, write some sectors only partially, and together
 * write all sectors of their blocks. Two requests share no bytes, and at most the sector at their
 * common end. sectors: the number of sectors that each request writes, summed over requests;
 * written: the number of distinct sectors that the group writes. */
static bool is_short(double requests, double sectors, double written, const struct bl_granules *own,
                     const struct bl_granules *all)
{
    const bool fills_blocks = all->charged <= all->whole + 2 * (written - all->whole);
    return fills_blocks && own->bytes <= all->bytes && sectors > own->whole &&
           sectors <= written + requests && written >= requests &&
           written <= MOST_SHORT * requests && own->lines <= MOST_SHORT_LINES * requests;
}

/* The cost of requests that write only partial sectors; NAN if there is no rule. sectors: the
 * number of sectors that each request writes, summed over requests; writes: the mean number of
 * requests that write the same sector. */
static double charge_partial(const struct bl_level *level, unsigned sector_bytes, double requests,
                             double sectors, double writes, const struct bl_granules *own,
                             const struct bl_granules *all)
{
    const double read_and_written = 2.0 * level->write_block_bytes / sector_bytes;
    const double shared = level->write_shared_percent / 100.0 * own->charged;
    const double saved = level->write_repeated_percent / 100.0 * (writes - 1) * own->charged;
    if (sectors >= SCATTERED * requests) {
        const double written = sectors / writes;
        const bool repeats = level->write_repeated_percent && writes <= MOST_REPEATED_WRITES &&
                             all->whole <= MOST_COMPLETED * written && own->bytes <= all->bytes;
        return writes <= MOST_SCATTERED_WRITES ? shared : repeats ? shared - saved : NAN;
    }
    if (own->charged <= read_and_written * requests || writes > MOST_WRITES)
        return NAN;
    return own->lines > all->lines ? shared : own->charged;
}

static double charge_writes(const struct bl_level *level, unsigned sector_bytes, double requests,
                            const struct bl_granules *own, const struct bl_granules *all)
{
    const double per_granule = (double)level->granule_bytes / sector_bytes;
    const double sectors = own->fetched * per_granule, part = sectors - own->whole;
    const double writes = own->fetched / all->fetched, written = all->fetched * per_granule;
    if (!level->write_shared_percent)
        return NAN;
    if (level->write_adjacent_percent && is_short(requests, sectors, written, own, all)) {
        const double per_block = (double)level->write_block_bytes / sector_bytes;
        const double further = per_block * requests / written - 1;
        return (level->write_shared_percent - level->write_adjacent_percent * further) / 100 *
               own->apart;
    }
    if (isnan(own->charged)) {
        if (all->whole >= written) /* the group fills all sectors */
            return part <= 2 * requests && own->whole >= MIN_WHOLE * requests
                       ? (level->write_run_whole_percent * own->whole +
                          level->write_run_part_percent * part) /
                             100
                       : NAN;
        return charge_mixed(level, writes, own);
    }
    if (part == 0)
        return charge_whole(level, requests, sectors, own, all);
    return own->whole == 0
               ? charge_partial(level, sector_bytes, requests, sectors, writes, own, all)
               : NAN;
}

enum bl_status bl_charge_shared(const struct bl_accessed *of, double *charged,
                                struct bl_error *error)
{
    const struct bl_level *level = of->level;
    const size_t lanes = of->machine->lanes, requests = level->shared_requests;
    *charged = NAN;
    if (!requests || of->count != requests * lanes || of->together != of->count)
        return BL_OK;
    struct bl_accessed some = *of;
    struct bl_granules own = {0}, near = {0}, all = {0};
    struct shares shares = {0};
    some.together = lanes;
    enum bl_status status = bl_granules_of(&some, &own, error);
    some.together = NEAR * lanes;
    if (status == BL_OK)
        status = bl_granules_of(&some, &near, error);
    if (status == BL_OK)
        status = bl_granules_of(of, &all, error);
    if (status == BL_OK && of->is_write && level->write_block_bytes) {
        *charged = charge_writes(level, of->machine->sector_bytes, (double)requests, &own, &all);
    } else if (status == BL_OK && !of->is_write && level->block_bytes) {
        status = find_shares(of, requests, &shares, error);
        if (status == BL_OK)
            *charged = charge_reads(level, &shares, (double)requests, &own, &near, &all);
    }
    return status;
}

enum bl_status bl_lines_touched(const struct bl_machine *machine, const struct bl_type *type,
                                const uint64_t starts[], size_t count, uint64_t *lines,
                                struct bl_error *error)
{
    const struct bl_level of_lines = {.granule_bytes = machine->line_bytes};
    const struct bl_accessed all = {
        .machine = machine,
        .level = &of_lines,
        .type = type,
        .starts = starts,
        .count = count,
        .together = count,
        .tile_bytes = UINT64_MAX, /* the pattern does not repeat */
    };
    struct bl_granules touched = {0};
    const enum bl_status status = bl_granules_of(&all, &touched, error);
    *lines = (uint64_t)touched.fetched;
    return status;
}
