/* Tests bl_lane, which finds the lanes that execute a block together: lanes with equal positions.
 * The results are compared with a SIMT stack, which models a device whose lanes diverge at a branch
 * and meet again at the branch's immediate post-dominator. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lockstep.h"

enum { MAX_BLOCKS = 12, MAX_EDGES = 4 * MAX_BLOCKS, LANES = 8, MAX_VISITS = 120, FREE_VISITS = 80 };

/* The control flow of a function, as bl_find_rejoins takes and completes it. */
struct function {
    uint32_t blocks, begins[MAX_BLOCKS + 1], successors[MAX_EDGES], rejoins[MAX_BLOCKS];
    uint32_t to_exit[MAX_BLOCKS]; /* min number of branches to the exit */
};

/* The blocks that a lane executed, in order. Lanes that executed a block together have equal values
 * of `together`. */
struct visits {
    unsigned count;
    uint32_t blocks[MAX_VISITS];
    uint64_t together[MAX_VISITS];
};

static uint32_t state;

static uint32_t below(uint32_t limit)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % limit;
}

static uint32_t hash(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    uint32_t bits = ((a * 31 + b) * 1009 + c) * 10007 + d;
    bits = (bits ^ bits >> 16) * 0x45d9f3bu;
    bits = (bits ^ bits >> 16) * 0x45d9f3bu;
    return bits ^ bits >> 16;
}

/* Computes to_exit of each block. */
static void measure_ways(struct function *function)
{
    for (uint32_t b = 0; b < function->blocks; b++)
        function->to_exit[b] = function->begins[b] == function->begins[b + 1] ? 0 : MAX_BLOCKS;
    for (uint32_t round = 0; round < function->blocks; round++)
        for (uint32_t b = 0; b < function->blocks; b++)
            for (uint32_t e = function->begins[b]; e < function->begins[b + 1]; e++) {
                const uint32_t way = function->to_exit[function->successors[e]] + 1;
                if (way < function->to_exit[b])
                    function->to_exit[b] = way;
            }
}

/* Makes a function with random control flow, which may have gotos and loops with several entries.
 */
static struct function random_function(void)
{
    struct function function = {.blocks = 2 + below(MAX_BLOCKS - 1)};
    uint32_t edges = 0;
    for (uint32_t b = 0; b < function.blocks; b++) {
        const bool is_last = b + 1 == function.blocks, returns = is_last || below(24) == 0;
        const uint32_t count = returns ? 0 : 1u + (below(4) > 0) + (below(6) == 0);
        function.begins[b] = edges;
        for (uint32_t i = 0; i < count; i++)
            function.successors[edges++] =
                i == 0 ? b + 1 + below(function.blocks - b - 1) : below(function.blocks);
    }
    function.begins[function.blocks] = edges;
    measure_ways(&function);
    return function;
}

/* The block to which the lane branches from this block: a successor that is chosen by a hash or,
 * after many visits, the successor that is nearest to the exit. visit: the number of blocks that
 * the lane executed before this block. */
static uint32_t next_of(const struct function *function, uint32_t lane, uint32_t block,
                        uint32_t visit)
{
    const uint32_t *successors = function->successors + function->begins[block];
    const uint32_t count = function->begins[block + 1] - function->begins[block];
    if (visit < FREE_VISITS)
        return successors[hash(lane / 2, block, visit, function->blocks) % count];
    uint32_t best = successors[0];
    for (uint32_t i = 1; i < count; i++)
        if (function->to_exit[successors[i]] < function->to_exit[best])
            best = successors[i];
    return best;
}

/* Runs all lanes with a SIMT stack: the lanes of the top entry run until they reach the entry's
 * rejoin block. */
static void run_stack(const struct function *function, struct visits visits[LANES])
{
    struct entry {
        uint32_t block, rejoin, lanes;
    } stack[MAX_VISITS * LANES] = {{0, BL_NO_REJOIN, (1u << LANES) - 1}};
    uint64_t step = 0;
    for (size_t depth = 1; depth > 0;) {
        struct entry *top = &stack[depth - 1];
        const uint32_t block = top->block;
        if (block == top->rejoin || block == BL_NO_REJOIN) {
            depth--;
            continue;
        }
        uint32_t by_next[MAX_BLOCKS] = {0}, targets = 0;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            struct visits *own = &visits[lane];
            if (!(top->lanes >> lane & 1))
                continue;
            cr_assert_lt(own->count, MAX_VISITS);
            own->blocks[own->count] = block;
            own->together[own->count] = step;
            if (function->begins[block] < function->begins[block + 1])
                by_next[next_of(function, lane, block, own->count)] |= 1u << lane;
            own->count++;
        }
        step++;
        for (uint32_t b = 0; b < function->blocks; b++)
            targets += by_next[b] != 0;
        top->block = function->rejoins[block];
        for (uint32_t b = 0; b < function->blocks; b++)
            if (by_next[b] && targets == 1)
                top->block = b;
            else if (by_next[b] && b != function->rejoins[block])
                stack[depth++] = (struct entry){b, function->rejoins[block], by_next[b]};
    }
}

/* Runs the lanes one after another, and records their blocks and positions. */
static void run_lanes(const struct function *function, struct visits visits[LANES])
{
    for (uint32_t number = 0; number < LANES; number++) {
        struct bl_lane lane = {0};
        struct visits *own = &visits[number];
        for (uint32_t block = 0;;) {
            own->blocks[own->count] = block;
            own->together[own->count++] = lane.position;
            const uint32_t first = function->begins[block], end = function->begins[block + 1];
            if (first == end)
                break;
            const uint32_t next = next_of(function, number, block, own->count - 1);
            bool is_choice = false;
            for (uint32_t e = first; e < end; e++)
                is_choice |= function->successors[e] != function->successors[first];
            bl_lane_branch(&lane, block, next, function->rejoins[block], is_choice);
            block = next;
        }
        bl_lane_free(&lane);
    }
}

/* The number of pairs of visits to a block that count as made together in `one`, but not in
 * `other`, or the other way round. */
static unsigned differences(struct visits one[LANES], struct visits other[LANES])
{
    unsigned count = 0;
    for (uint32_t a = 0; a < LANES; a++)
        for (uint32_t b = a; b < LANES; b++)
            for (unsigned i = 0; i < one[a].count; i++)
                for (unsigned k = a == b ? i + 1 : 0; k < one[b].count; k++) {
                    const bool is_one_block = one[a].blocks[i] == one[b].blocks[k];
                    count += (one[a].together[i] == one[b].together[k] && is_one_block) !=
                             (other[a].together[i] == other[b].together[k] && is_one_block);
                }
    return count;
}

/* Whether every path from block `from` to a return passes block `by`. */
static bool is_on_every_way(const struct function *function, uint32_t from, uint32_t by)
{
    bool met[MAX_BLOCKS] = {[0] = false};
    uint32_t pending[MAX_BLOCKS], count = 0;
    met[from] = true;
    for (pending[count++] = from; count > 0;) {
        const uint32_t block = pending[--count];
        if (block == by)
            continue;
        if (function->begins[block] == function->begins[block + 1])
            return false;
        for (uint32_t e = function->begins[block]; e < function->begins[block + 1]; e++)
            if (!met[function->successors[e]]) {
                met[function->successors[e]] = true;
                pending[count++] = function->successors[e];
            }
    }
    return true;
}

Test(lockstep, lanes_rejoin_at_the_first_block_on_all_paths)
{
    for (uint32_t seed = 1; seed <= 500; seed++) {
        state = seed;
        struct function function = random_function();
        cr_assert(bl_find_rejoins(function.blocks, function.begins, function.successors,
                                  function.rejoins));
        for (uint32_t b = 0; b < function.blocks; b++) {
            const uint32_t rejoin = function.rejoins[b];
            for (uint32_t c = 0; c < function.blocks; c++) {
                if (c == b || c == rejoin || !is_on_every_way(&function, b, c))
                    continue;
                cr_assert_neq(rejoin, BL_NO_REJOIN,
                              "seed %u, block %u: no rejoin, though all paths pass %u", seed, b, c);
                cr_assert(is_on_every_way(&function, rejoin, c),
                          "seed %u, block %u: all paths pass %u before %u", seed, b, c, rejoin);
            }
            cr_assert(rejoin == BL_NO_REJOIN || is_on_every_way(&function, b, rejoin));
        }
    }
}

Test(lockstep, lanes_have_equal_positions_if_a_simt_stack_runs_them_together)
{
    unsigned visited = 0;
    for (uint32_t seed = 1; seed <= 3000; seed++) {
        state = seed;
        struct function function = random_function();
        cr_assert(bl_find_rejoins(function.blocks, function.begins, function.successors,
                                  function.rejoins));
        struct visits by_stack[LANES] = {{.count = 0}}, by_lane[LANES] = {{.count = 0}};
        run_stack(&function, by_stack);
        run_lanes(&function, by_lane);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            cr_assert_eq(by_stack[lane].count, by_lane[lane].count, "seed %u", seed);
            visited += by_lane[lane].count;
        }
        /* With the stack, a lane runs the same blocks in the same order as when it runs alone. */
        for (uint32_t lane = 0; lane < LANES; lane++)
            cr_assert_arr_eq(by_stack[lane].blocks, by_lane[lane].blocks,
                             by_lane[lane].count * sizeof *by_lane->blocks);
        cr_assert_eq(differences(by_stack, by_lane), 0, "seed %u", seed);
    }
    cr_assert_gt(visited, 100000, "%u", visited);
}

Test(lockstep, a_block_that_never_ends_does_not_count_as_an_exit)
{
    const uint32_t begins[] = {0, 2, 3, 4, 4}, successors[] = {1, 2, 1, 3};
    uint32_t rejoins[4];
    cr_assert(bl_find_rejoins(4, begins, successors, rejoins));
    cr_assert_eq(rejoins[0], 2);
    cr_assert_eq(rejoins[1], BL_NO_REJOIN);
    cr_assert_eq(rejoins[2], 3);
    cr_assert_eq(rejoins[3], BL_NO_REJOIN);
    const uint32_t only[] = {0, 0};
    cr_assert(bl_find_rejoins(1, only, successors, rejoins));
    cr_assert_eq(rejoins[0], BL_NO_REJOIN);
}

Test(lockstep, lanes_in_different_calls_have_different_positions_until_the_calls_return)
{
    struct bl_lane one = {0}, other = {0};
    bl_lane_call(&one, 7);
    bl_lane_call(&other, 8);
    cr_assert_neq(one.position, other.position, "the lanes are in different calls");
    bl_lane_branch(&one, 10, 11, BL_NO_REJOIN, true); /* an early return */
    bl_lane_return(&one);
    bl_lane_return(&other);
    cr_assert_eq(one.position, other.position, "both calls have returned");
    cr_assert_eq(one.count, 0);
    bl_lane_return(&one); /* returns from the kernel */
    bl_lane_free(&one);
    bl_lane_free(&other);
}

Test(lockstep, lanes_always_meet_at_barriers)
{
    struct bl_lane one = {0}, other = {0};
    bl_lane_call(&one, 7);
    bl_lane_call(&other, 7);
    bl_lane_branch(&one, 1, 2, 4, true);
    bl_lane_branch(&other, 1, 3, 4, true);
    cr_assert_neq(one.position, other.position);
    const uint64_t before = one.position;
    bl_lane_meet(&one, 1);
    bl_lane_meet(&other, 1);
    cr_assert_eq(one.position, other.position);
    cr_assert_neq(one.position, before);
    const uint64_t inside = one.position;
    bl_lane_return(&one);
    bl_lane_return(&other);
    cr_assert_eq(one.position, other.position);
    cr_assert_neq(one.position, inside);
    bl_lane_restart(&one);
    cr_assert_eq(one.position, 0);
    bl_lane_free(&one);
    bl_lane_free(&other);
}

/* Block 1 is a loop's only block; block 2 follows the loop. Both lanes run two iterations of one
 * part; before that, the lane `other` runs an iteration of another part. */
Test(lockstep, lanes_begin_a_part_of_a_loop_together)
{
    struct bl_lane one = {0}, other = {0};
    bl_lane_branch(&one, 0, 1, 1, false);
    bl_lane_branch(&other, 0, 1, 1, false);
    bl_lane_begin_part(&one, 2, 7);
    bl_lane_begin_part(&other, 2, 8);
    cr_assert_neq(one.position, other.position, "different parts");
    bl_lane_branch(&other, 1, 1, 2, true);
    cr_assert_neq(one.position, other.position);
    bl_lane_begin_part(&other, 2, 7);
    cr_assert_eq(one.position, other.position, "the same part");
    bl_lane_branch(&one, 1, 1, 2, true);
    cr_assert_neq(one.position, other.position, "the second iteration is another position");
    bl_lane_branch(&other, 1, 1, 2, true);
    cr_assert_eq(one.position, other.position);
    bl_lane_branch(&one, 1, 2, 2, true);
    bl_lane_branch(&other, 1, 2, 2, true);
    cr_assert_eq(one.position, 0, "both have left the loop");
    cr_assert_eq(other.position, 0);
    cr_assert_eq(one.count, 0);
    bl_lane_free(&one);
    bl_lane_free(&other);
}

/* Block 1 begins a loop and leads to block 2 or 3, both of which may lead back or leave the loop,
 * to block 4. */
Test(lockstep, lanes_begin_an_iteration_together_though_both_paths_may_leave_the_loop)
{
    struct bl_lane lanes[2] = {{0}};
    struct bl_lane_loop loops[2];
    uint64_t positions[3][2];
    for (uint32_t lane = 0; lane < 2; lane++) {
        bl_lane_branch(&lanes[lane], 0, 1, 1, false);
        bl_lane_enter(&lanes[lane], 1, 4, &loops[lane]);
        for (uint32_t i = 0; i < 3; i++) {
            const uint32_t path = i == 0 ? 2 + lane : 2;
            bl_lane_branch(&lanes[lane], 1, path, 4, true);
            positions[i][lane] = lanes[lane].position;
            bl_lane_branch(&lanes[lane], path, i < 2 ? 1 : 4, 4, true);
            if (i < 2)
                bl_lane_iterate(&lanes[lane], &loops[lane]);
        }
        cr_expect_eq(lanes[lane].position, 0, "it has left the loop");
        cr_expect_eq(lanes[lane].count, 0);
        bl_lane_free(&lanes[lane]);
    }
    cr_expect_neq(positions[0][0], positions[0][1], "different paths");
    cr_expect_eq(positions[1][0], positions[1][1], "the same path in the second iteration");
    cr_expect_eq(positions[2][0], positions[2][1]);
    cr_expect_neq(positions[1][0], positions[2][0], "iterations are different positions");
}

Test(lockstep, what_a_lane_has_done_belongs_to_its_position)
{
    struct bl_lane lane = {0};
    lane.done = 5;
    bl_lane_branch(&lane, 0, 1, 3, true);
    cr_assert_eq(lane.done, 0, "a new position");
    lane.done = 2;
    bl_lane_call(&lane, 9);
    cr_assert_eq(lane.done, 0, "a new position");
    lane.done = 1;
    bl_lane_return(&lane);
    cr_assert_eq(lane.done, 2, "the position before the call");
    bl_lane_branch(&lane, 1, 3, 3, false);
    cr_assert_eq(lane.done, 5, "the position before the branch");
    bl_lane_meet(&lane, 1);
    cr_assert_eq(lane.done, 0, "a new position");
    bl_lane_free(&lane);
}
