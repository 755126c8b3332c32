/* Follows each work-item of a group through the control-flow graph. Oclgrind runs work-items one
 * after another; this shows which of their accesses a GPU would make together, as one request. */
#include "trace/lockstep.h"

#include <stdlib.h>

/* The control-flow graph of a function. Rejoin blocks are immediate post-dominators. They are
 * computed by the algorithm of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm"
 * (2001), applied to reversed edges. Node number `blocks` is a virtual exit that follows all blocks
 * without a successor. */
struct graph {
    uint32_t blocks;
    const uint32_t *begins, *successors;
    uint32_t *sources, *source_begins; /* predecessors of each node: the reversed edges */
    uint32_t *order;                   /* nodes in postorder from the exit */
    uint32_t *rank; /* index in `order`; BL_NO_REJOIN for a node without a path to the exit */
    uint32_t *pending, *next; /* a stack of nodes, and the next edge of each */
    uint32_t *parent;         /* of each node in the post-dominator tree; BL_NO_REJOIN if unknown */
    uint32_t reached;         /* number of nodes in `order` */
};

static bool is_exit(const struct graph *graph, uint32_t block)
{
    return graph->begins[block] == graph->begins[block + 1];
}

/* Computes the predecessors of each node. */
static void turn_round(struct graph *graph)
{
    const uint32_t blocks = graph->blocks;
    uint32_t *begins = graph->source_begins;
    for (uint32_t b = 0; b < blocks; b++) {
        begins[blocks + 1] += is_exit(graph, b);
        for (uint32_t e = graph->begins[b]; e < graph->begins[b + 1]; e++)
            begins[graph->successors[e] + 1]++;
    }
    for (uint32_t n = 0; n <= blocks; n++) {
        begins[n + 1] += begins[n];
        graph->next[n] = begins[n];
    }
    for (uint32_t b = 0; b < blocks; b++) {
        if (is_exit(graph, b))
            graph->sources[graph->next[blocks]++] = b;
        for (uint32_t e = graph->begins[b]; e < graph->begins[b + 1]; e++)
            graph->sources[graph->next[graph->successors[e]]++] = b;
    }
}

/* Computes `order` and `rank` by a depth-first search along the reversed edges. */
static void number_nodes(struct graph *graph)
{
    uint32_t depth = 0;
    for (uint32_t n = 0; n <= graph->blocks; n++) {
        graph->rank[n] = BL_NO_REJOIN;
        graph->next[n] = graph->source_begins[n];
    }
    graph->pending[depth++] = graph->blocks;
    graph->rank[graph->blocks] = 0; /* marks the exit as visited; its rank is set later */
    while (depth > 0) {
        const uint32_t node = graph->pending[depth - 1];
        if (graph->next[node] == graph->source_begins[node + 1]) {
            graph->rank[node] = graph->reached;
            graph->order[graph->reached++] = node;
            depth--;
            continue;
        }
        const uint32_t source = graph->sources[graph->next[node]++];
        if (graph->rank[source] == BL_NO_REJOIN) {
            graph->rank[source] = 0;
            graph->pending[depth++] = source;
        }
    }
}

/* The nearest common ancestor of two nodes in the post-dominator tree. */
static uint32_t common(const struct graph *graph, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (graph->rank[a] < graph->rank[b])
            a = graph->parent[a];
        while (graph->rank[b] < graph->rank[a])
            b = graph->parent[b];
    }
    return a;
}

/* Updates a node's parent in the post-dominator tree. Returns whether the parent changed. */
static bool find_parent(struct graph *graph, uint32_t node)
{
    uint32_t parent = is_exit(graph, node) ? graph->blocks : BL_NO_REJOIN;
    for (uint32_t e = graph->begins[node]; e < graph->begins[node + 1]; e++) {
        const uint32_t to = graph->successors[e];
        if (graph->parent[to] != BL_NO_REJOIN)
            parent = parent == BL_NO_REJOIN ? to : common(graph, parent, to);
    }
    const bool changes = graph->parent[node] != parent;
    graph->parent[node] = parent;
    return changes;
}

static void find_parents(struct graph *graph)
{
    for (uint32_t n = 0; n < graph->blocks; n++)
        graph->parent[n] = BL_NO_REJOIN;
    graph->parent[graph->blocks] = graph->blocks;
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t i = graph->reached - 1; i-- > 0;)
            changes |= find_parent(graph, graph->order[i]);
    }
}

bool bl_find_rejoins(uint32_t blocks, const uint32_t begins[], const uint32_t successors[],
                     uint32_t rejoins[])
{
    const size_t nodes = (size_t)blocks + 2, edges = (size_t)begins[blocks] + blocks;
    uint32_t *room = calloc(6 * nodes + edges, sizeof *room);
    if (!room)
        return false;
    struct graph graph = {
        .blocks = blocks,
        .begins = begins,
        .successors = successors,
        .source_begins = room,
        .order = room + nodes,
        .rank = room + 2 * nodes,
        .pending = room + 3 * nodes,
        .next = room + 4 * nodes,
        .parent = room + 5 * nodes,
        .sources = room + 6 * nodes,
    };
    turn_round(&graph);
    number_nodes(&graph);
    find_parents(&graph);
    for (uint32_t b = 0; b < blocks; b++)
        rejoins[b] = graph.parent[b] == blocks ? BL_NO_REJOIN : graph.parent[b];
    free(room);
    return true;
}

/* Combines a position and a choice into a new position by mixing all bits (the finalizer of
 * splitmix64). */
static uint64_t mixed(uint64_t position, uint64_t choice)
{
    uint64_t bits = position * 0x9E3779B97F4A7C15u + choice + 1;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
    return bits ^ bits >> 31;
}

static void move_to(struct bl_lane *lane, uint64_t position)
{
    lane->position = position;
    lane->done = 0;
}

static void come_back(struct bl_lane *lane, const struct bl_lane_frame *frame)
{
    lane->position = frame->position;
    lane->done = frame->done;
}

static void push(struct bl_lane *lane, struct bl_lane_frame frame)
{
    if (lane->count == lane->capacity) {
        const size_t capacity = lane->capacity ? 2 * lane->capacity : 8;
        struct bl_lane_frame *more = realloc(lane->frames, capacity * sizeof *more);
        if (!more)
            return;
        lane->frames = more;
        lane->capacity = capacity;
    }
    lane->frames[lane->count++] = frame;
}

/* Returns the innermost branch of the current function that the lane has not rejoined yet, if
 * `block` is the rejoin block of this branch; else NULL. */
static struct bl_lane_frame *rejoined_at(struct bl_lane *lane, uint32_t block)
{
    struct bl_lane_frame *top = lane->count ? &lane->frames[lane->count - 1] : NULL;
    return top && !top->is_call && top->rejoin == block ? top : NULL;
}

/* Keeps the lane's position for the rejoin block, and returns the frame that holds it. If the
 * enclosing branch has the same rejoin block, as at a loop's exit, its frame serves for both.
 * Returns NULL if memory runs out. */
static const struct bl_lane_frame *hold(struct bl_lane *lane, uint32_t rejoin)
{
    if (!rejoined_at(lane, rejoin))
        push(lane, (struct bl_lane_frame){
                       .rejoin = rejoin, .position = lane->position, .done = lane->done});
    return rejoined_at(lane, rejoin);
}

void bl_lane_branch(struct bl_lane *lane, uint32_t from, uint32_t to, uint32_t rejoin,
                    bool is_choice)
{
    if (is_choice && to != rejoin) {
        hold(lane, rejoin);
        move_to(lane, mixed(lane->position, (uint64_t)from << 32 | to));
    }
    const struct bl_lane_frame *frame = rejoined_at(lane, to);
    if (frame) {
        come_back(lane, frame);
        lane->count--;
    }
}

void bl_lane_begin_part(struct bl_lane *lane, uint32_t rejoin, uint64_t part)
{
    const struct bl_lane_frame *frame = hold(lane, rejoin);
    if (frame)
        move_to(lane, mixed(frame->position, ~part));
}

void bl_lane_enter(struct bl_lane *lane, uint32_t header, uint32_t rejoin,
                   struct bl_lane_loop *loop)
{
    hold(lane, rejoin);
    *loop = (struct bl_lane_loop){.position = mixed(lane->position, header), .frames = lane->count};
    move_to(lane, mixed(loop->position, 0));
}

void bl_lane_iterate(struct bl_lane *lane, struct bl_lane_loop *loop)
{
    lane->count = loop->frames < lane->count ? loop->frames : lane->count;
    loop->iterations++;
    move_to(lane, mixed(loop->position, loop->iterations));
}

void bl_lane_call(struct bl_lane *lane, uint64_t site)
{
    push(lane,
         (struct bl_lane_frame){.is_call = true, .position = lane->position, .done = lane->done});
    move_to(lane, mixed(~lane->position, site));
}

void bl_lane_return(struct bl_lane *lane)
{
    while (lane->count > 0) {
        const struct bl_lane_frame *frame = &lane->frames[--lane->count];
        if (frame->is_call) {
            come_back(lane, frame);
            return;
        }
    }
}

/* After a barrier all lanes continue together, whichever branches they took before. Frames of calls
 * stay, because the calls have not returned yet. */
void bl_lane_meet(struct bl_lane *lane, uint64_t number)
{
    size_t calls = 0;
    for (size_t i = 0; i < lane->count; i++)
        if (lane->frames[i].is_call) {
            lane->frames[calls] = lane->frames[i];
            lane->frames[calls].position = mixed(number, calls + 1);
            lane->frames[calls].done = 0;
            calls++;
        }
    lane->count = calls;
    move_to(lane, mixed(number, 0));
}

void bl_lane_restart(struct bl_lane *lane)
{
    move_to(lane, 0);
    lane->count = 0;
}

void bl_lane_free(struct bl_lane *lane)
{
    free(lane->frames);
    *lane = (struct bl_lane){0};
}
