/* Infers the size of a cache line, how many lines are looked up per clock, and the hash that
 * chooses a line's tag bank.
 *
 * Only times reveal a line's bank: two lines of one bank take a clock more than lines of two banks.
 * In all hashes known to us, each bit of the bank's number is the parity of some address bits, so
 * the hash is linear over GF(2). Testing one pair of lines for each address bit and each bank, and
 * then Gaussian elimination, finds all masks. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "infer/inference.h"

enum { SMALLEST_LINE = 32 };

/* Adds a probe whose work-item i reads addresses[i % count], so each request touches all lines. */
static struct bl_lanes_probe *add_lines(struct bl_batch *batch, const uint64_t addresses[],
                                        unsigned count, unsigned step_bytes)
{
    struct bl_lanes_probe *probe =
        bl_batch_add(batch, BL_MEMORY_GLOBAL, BL_PROBE_READ, &bl_type_int, step_bytes);
    for (unsigned i = 0; i < BL_TABLE_ITEMS; i++)
        probe->places[0][i] = addresses[i % count];
    return probe;
}

/* Whether all these addresses lie in different banks of local memory. */
static bool are_in_banks_of_their_own(const struct bl_inference *inference,
                                      const uint64_t addresses[], unsigned count)
{
    const unsigned word = inference->machine.bank_bytes, banks = inference->machine.banks;
    for (unsigned i = 1; i < count; i++)
        for (unsigned k = 0; k < i; k++)
            if (addresses[i] / word % banks == addresses[k] / word % banks)
                return false;
    return true;
}

/* An address in `line` whose local-memory bank no anchor uses, or else the line's second word. */
static uint64_t beside_anchors(const struct bl_inference *inference, uint64_t line)
{
    const unsigned word = inference->machine.bank_bytes, banks = inference->machine.banks;
    for (uint64_t at = line; at < line + SMALLEST_LINE; at += word) {
        bool is_free = true;
        for (unsigned i = 0; i < inference->anchor_count; i++)
            is_free &= at / word % banks != inference->anchors[i] / word % banks;
        if (is_free)
            return at;
    }
    return line + word;
}

/* Adds a probe that reads the anchors and one more line. */
static void add_beside_anchors(struct bl_inference *inference, uint64_t line, unsigned step_bytes)
{
    uint64_t addresses[BL_MAX_ANCHORS + 1];
    const unsigned anchors = inference->anchor_count;
    memcpy(addresses, inference->anchors, sizeof inference->anchors);
    addresses[anchors] = beside_anchors(inference, line);
    add_lines(inference->batch, addresses, anchors + 1, step_bytes);
}

/* The lines per clock, and the size of a line.
 *
 * A request whose lines cannot be looked up in one clock takes two clocks. This stage finds how
 * many lines a request can have before it takes two clocks, and how far apart two addresses must be
 * to lie in different lines. */

enum { DRAWS_OF_TWO = 64, DRAWS = 24, MAX_LINES = 17, RANGE = 8192, NEAR = 32 };

static const unsigned line_sizes[] = {32, 64, 128, 256, 512};

enum { SIZES = sizeof line_sizes / sizeof line_sizes[0] };

/* A start address whose lowest 24 bits are 0; offsets below 16 MiB change only these bits. */
static uint64_t home_of(const struct bl_inference *inference)
{
    return bl_infer_home(inference, (uint64_t)16 << 20);
}

/* Draws random addresses in different blocks of 1 KiB and, to avoid bank conflicts, in different
 * banks of local memory. */
static void draw(struct bl_inference *inference, uint64_t addresses[], unsigned count)
{
    uint32_t blocks[MAX_LINES];
    for (unsigned i = 0; i < count;) {
        bool is_new = true;
        blocks[i] = bl_infer_random(inference, 1 << 13) /* a block of 1 KiB within 8 MiB */
                    & ~(uint32_t)(BL_STEPPED_BITS(BL_STEP) >> 10);
        for (unsigned k = 0; k < i; k++)
            is_new &= blocks[k] != blocks[i];
        addresses[i] = home_of(inference) + (uint64_t)blocks[i] * 1024 +
                       (uint64_t)i * inference->machine.bank_bytes;
        /* If 1 KiB is not a multiple of banks * bank_bytes, the bank depends on the block, too. */
        i += is_new && are_in_banks_of_their_own(inference, addresses, i + 1);
    }
}

/* The numbers of lines per request, and how many requests with each number are drawn. */
static const struct {
    unsigned lines, draws;
} requests[] = {{1, 8},     {2, DRAWS_OF_TWO}, {3, DRAWS},  {4, DRAWS}, {5, DRAWS},
                {8, DRAWS}, {9, DRAWS},        {16, DRAWS}, {17, DRAWS}};

enum { REQUESTS = sizeof requests / sizeof requests[0] };

/* The lines of each point of the batch. */
typedef uint64_t draws[DRAWS_OF_TWO + REQUESTS * DRAWS][MAX_LINES];

static enum bl_status measure_draws(struct bl_inference *inference, draws addresses)
{
    const unsigned lanes = inference->machine.lanes, banks = inference->machine.banks;
    const unsigned most = lanes < banks ? lanes : banks; /* more lines cause bank conflicts */
    struct bl_batch *batch = bl_batch_begin(inference);
    for (unsigned r = 0, i = 0; r < REQUESTS && requests[r].lines <= most; r++)
        for (unsigned d = 0; d < requests[r].draws; d++, i++) {
            draw(inference, addresses[i], requests[r].lines);
            add_lines(batch, addresses[i], requests[r].lines, BL_STEP);
            bl_batch_name(batch, requests[r].lines, "%u random lines", requests[r].lines);
        }
    return bl_batch_measure(inference);
}

/* The smallest number of lines with which at least two draws clearly take a clock more than a
 * single line; 0 if there is no such number. *found receives the index of the slowest such draw,
 * except outliers. */
static unsigned first_that_collides(const struct bl_inference *inference, size_t *found)
{
    const struct bl_batch *batch = inference->batch;
    const double two = log(fmax(2, inference->floor) / inference->floor);
    for (unsigned r = 1; r < REQUESTS; r++) {
        unsigned clear = 0;
        double max = 0;
        for (size_t i = 0; i < batch->count; i++) {
            const double more = batch->log_ns[i] - inference->log_hit_ns;
            if (batch->points[i].x != requests[r].lines)
                continue;
            clear += more > 0.7 * two && more < 1.3 * two;
            if (more > max && more < 1.3 * two) {
                max = more;
                *found = i;
            }
        }
        if (clear >= 2)
            return requests[r].lines;
    }
    return 0;
}

/* Whether line 0 and the lines that collide with it are closed under exclusive or. */
static bool is_subspace(const bool collides[], unsigned lines)
{
    for (unsigned i = 1; i < lines; i++)
        for (unsigned k = 1; k < i && collides[i]; k++)
            if (collides[k] && !collides[i ^ k])
                return false;
    return true;
}

/* In a linear space, a line collides if and only if its exclusive or with a colliding line
 * collides. A few lines may be measured wrongly, so the majority of these results decides whether
 * the line collides. */
static void correct(bool collides[], unsigned lines)
{
    bool corrected[RANGE / NEAR] = {false};
    for (unsigned line = 1; line < lines; line++) {
        int votes = 0;
        for (unsigned other = 1; other < lines; other++)
            if (collides[other] && other != line)
                votes += collides[line ^ other] ? 1 : -1;
        corrected[line] = votes > 0 || (votes == 0 && collides[line]);
    }
    memcpy(collides, corrected, lines * sizeof *collides);
}

/* The log likelihood of the batch's times if lines have this size: either all addresses of a line
 * collide with the anchors, or none of them. Because bank numbers consist of parities, colliding
 * lines are closed under exclusive or. */
static double log_likelihood(const struct bl_inference *inference, unsigned line_bytes)
{
    const struct bl_batch *batch = inference->batch;
    static const double no_space = -40;
    const double scale = bl_scale_of(inference, BL_RULES_ARE_OFF);
    const unsigned lines = RANGE / line_bytes;
    bool collides[RANGE / NEAR] = {false};
    double hits[RANGE / NEAR] = {0}, collisions[RANGE / NEAR] = {0}, best = 0, in_space = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const unsigned line = (unsigned)batch->points[i].x / line_bytes;
        const double more = batch->log_ns[i] - inference->log_hit_ns;
        hits[line] += bl_log_density(more, scale);
        collisions[line] += bl_log_density(more - inference->log_collision, scale);
    }
    for (unsigned line = 0; line < lines; line++) {
        collides[line] = line > 0 && collisions[line] > hits[line];
        best += collides[line] ? collisions[line] : hits[line];
    }
    if (is_subspace(collides, lines))
        return best;
    /* Noise can hide a collision or look like a collision. The less likely such noise is, the more
     * a correction lowers the likelihood. */
    correct(collides, lines);
    for (unsigned line = 0; line < lines; line++)
        in_space += collides[line] ? collisions[line] : hits[line];
    return is_subspace(collides, lines) ? fmax(in_space, best + no_space) : best + no_space;
}

static enum bl_status infer_size(struct bl_inference *inference)
{
    struct bl_batch *batch = bl_batch_begin(inference);
    for (unsigned distance = 0; distance < RANGE; distance += NEAR) {
        const uint64_t last = inference->anchors[inference->anchor_count - 1];
        add_beside_anchors(inference, (last & ~(uint64_t)(NEAR - 1)) + distance, BL_STEP);
        bl_batch_name(batch, distance, "%u bytes on", distance);
    }
    const enum bl_status status = bl_batch_measure(inference);
    if (status != BL_OK)
        return status;
    double probabilities[SIZES];
    for (unsigned s = 0; s < SIZES; s++)
        probabilities[s] = log_likelihood(inference, line_sizes[s]);
    const size_t best = bl_posterior(probabilities, SIZES);
    struct bl_finding *finding =
        bl_find(inference, "line_bytes", line_sizes[best], probabilities[best]);
    bl_find_basis(finding, "distances",
                  "distances at which another address takes a clock more, %zu points",
                  batch->count);
    inference->has_lines = finding->is_known;
    inference->machine.line_bytes = line_sizes[best];
    return bl_batch_keep(inference, "distances", inference->log_hit_ns, NULL);
}

/* Finds the time of requests of one line, and the anchors: all lines but one of a draw that
 * collides. Returns false if no draw collides. */
static bool find_anchors(struct bl_inference *inference, draws addresses)
{
    const struct bl_batch *batch = inference->batch;
    double hits = 0;
    unsigned count = 0;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->points[i].x == 1) {
            hits += batch->log_ns[i];
            count++;
        }
    inference->log_hit_ns = hits / count;
    inference->unit_ns[BL_MEMORY_GLOBAL] = exp(inference->log_hit_ns) / inference->floor;
    size_t found = 0;
    const unsigned lines = first_that_collides(inference, &found);
    if (lines == 0)
        return false;
    inference->log_collision = log(fmax(2, inference->floor) / inference->floor);
    inference->anchor_count = lines - 1;
    memcpy(inference->anchors, addresses[found], sizeof inference->anchors[0] * (lines - 1));
    if (lines == 2) /* any address can be the anchor */
        inference->anchors[0] = home_of(inference);
    bl_find_basis(bl_find(inference, "lines_per_clock", lines - 1, lines == 2 ? 1 : 0.97),
                  "random-lines", "requests of one or more random lines, %zu points", batch->count);
    inference->machine.lines_per_clock = lines - 1;
    return true;
}

enum bl_status bl_infer_lines(struct bl_inference *inference)
{
    static const char *const keys[] = {"lines_per_clock", "line_bytes"};
    if (!inference->has_local_rule || inference->floor >= 2) {
        bl_find_none(inference, keys, 2,
                     inference->has_local_rule
                         ? "every request takes at least two clocks, which hides collisions"
                         : "it is not known how many work-items a request has");
        return BL_OK;
    }
    draws addresses = {0};
    bl_infer_repeat(inference, 0.03);
    enum bl_status status = measure_draws(inference, addresses);
    bool collide = false;
    if (status == BL_OK) {
        collide = find_anchors(inference, addresses);
        status = bl_batch_keep(inference, "random-lines", inference->log_hit_ns, NULL);
    }
    if (status == BL_OK && collide)
        status = infer_size(inference);
    else if (status == BL_OK || bl_infer_goes_on(status))
        bl_find_none(inference, keys, 2,
                     status == BL_OK ? "requests of one line and of several lines take equally long"
                                     : "the probes could not be measured");
    return status;
}

/* The hash that chooses tag banks, as masks of address bits.
 *
 * Whether two lines share a bank depends only on the exclusive or of their addresses, here called a
 * vector. The search finds one vector per bank, its representative. The vector of each address bit
 * is combined with every representative by exclusive or. Exactly one of the results belongs to
 * lines that collide, so all masks have even parity on it. Elimination over GF(2) then finds the
 * masks. Finally the masks are tested with random pairs and sets of lines. */

enum {
    MAX_VECTORS = 96,
    MAX_BANKS = 1 << BL_MAX_TAG_BITS,
    REPRESENTATIVE_BITS = 24, /* representatives differ only in bits below this bit */
    PARTS = 6,                /* addresses that are tried in each array */
    PAIRS = 48,
    SETS = 32
};

/* A vector to try: an address, and the bits in which another address differs from it. */
struct vector {
    uint64_t from, bits;
    unsigned step_bytes;
};

struct search {
    struct bl_inference *inference;
    struct vector vectors[MAX_VECTORS];
    unsigned vector_count;
    uint64_t representatives[MAX_BANKS];
    unsigned banks;
    struct bl_gf2_basis even;  /* vectors whose two lines share a bank */
    struct bl_gf2_basis tried; /* all vectors that were tried */
    uint64_t told;             /* address bits that the tried vectors cover */
    double confidence;
    unsigned tests;
    double rms;          /* misfit of the random pairs and sets */
    const char *failure; /* why the search failed; or NULL */
};

static bool is_stepped(uint64_t vector, unsigned step_bytes)
{
    return (vector & BL_STEPPED_BITS(step_bytes)) != 0;
}

/* Whether the vector is 0 in all bits that the steps BL_STEP and BL_OTHER_STEP change. */
static bool is_clear(uint64_t vector)
{
    return !is_stepped(vector, BL_STEP) && !is_stepped(vector, BL_OTHER_STEP);
}

static void add_vector(struct search *search, uint64_t from, uint64_t bits)
{
    const unsigned step = is_stepped(bits, BL_STEP) ? BL_OTHER_STEP : BL_STEP;
    if (search->vector_count < MAX_VECTORS && !is_stepped(bits, step))
        search->vectors[search->vector_count++] = (struct vector){from, bits, step};
}

/* Adds vectors of a single bit, if the first array has two addresses that differ only in that bit.
 * Bits that neither step changes come first, because only these bits can become representatives. */
static void add_bits(struct search *search)
{
    const struct bl_inference *inference = search->inference;
    const struct bl_array_place *array = &inference->target->limits.arrays[0];
    const uint64_t representatives = (uint64_t)1 << REPRESENTATIVE_BITS;
    const uint64_t begin = (array->address + representatives - 1) & ~(representatives - 1);
    const uint64_t end = array->address + array->bytes - representatives;
    const unsigned first = (unsigned)__builtin_ctz(inference->machine.line_bytes);
    for (int pass = 0; pass < 2; pass++)
        for (unsigned bit = first; bit < 63; bit++) {
            const uint64_t vector = (uint64_t)1 << bit;
            uint64_t from = inference->anchor_count > 1 ? inference->anchors[0] : begin;
            if (inference->anchor_count == 1 && from & vector)
                from = ((from >> bit) + 1) << bit;
            const uint64_t to = from ^ vector;
            if (is_clear(vector) == (pass == 0) && from >= array->address && from < end &&
                to < end && to >= array->address)
                add_vector(search, from, vector);
        }
}

/* Adds vectors from the first array to all arrays, for address bits that cannot be varied alone. */
static void add_arrays(struct search *search)
{
    const struct bl_target_limits *limits = &search->inference->target->limits;
    const uint64_t aligned = ((uint64_t)1 << REPRESENTATIVE_BITS) - 1;
    const uint64_t from = search->inference->anchor_count > 1
                              ? search->inference->anchors[0]
                              : (limits->arrays[0].address + aligned) & ~aligned;
    for (unsigned a = 0; a < BL_MAX_ARRAYS && limits->arrays[a].bytes > 4 * aligned; a++)
        for (unsigned part = 0; part < PARTS; part++) {
            const uint64_t room = limits->arrays[a].bytes - 3 * aligned;
            uint64_t to = limits->arrays[a].address + room / (PARTS - 1) * part;
            to = ((to + aligned) & ~aligned) | (from & aligned);
            if (to != from && to + aligned < limits->arrays[a].address + limits->arrays[a].bytes)
                add_vector(search, from, from ^ to);
        }
}

/* Tries a vector with each representative. *best receives the index of the representative for
 * which the two lines collide; `banks` if there is none. */
static enum bl_status try_vector(struct search *search, const struct vector *vector, size_t *best)
{
    struct bl_inference *inference = search->inference;
    struct bl_batch *batch = bl_batch_begin(inference);
    if (inference->anchor_count == 1)
        inference->anchors[0] = vector->from;
    for (unsigned k = 0; k < search->banks; k++) {
        const uint64_t bits = vector->bits ^ search->representatives[k];
        const uint64_t other = (vector->from ^ bits) & ~(uint64_t)(SMALLEST_LINE - 1);
        add_beside_anchors(inference, other, vector->step_bytes);
        bl_batch_name(batch, NAN, "0x%" PRIx64 " and 0x%" PRIx64, vector->from, bits);
    }
    const enum bl_status status = bl_batch_measure(inference);
    if (status != BL_OK)
        return status;
    const double scale = bl_scale_of(inference, BL_RULES_ARE_OFF);
    double probabilities[MAX_BANKS + 1] = {0}, expected[MAX_BANKS];
    for (unsigned k = 0; k <= search->banks; k++)
        for (unsigned other = 0; other < search->banks; other++)
            probabilities[k] += bl_log_density(batch->log_ns[other] - inference->log_hit_ns -
                                                   (other == k ? inference->log_collision : 0),
                                               scale);
    *best = bl_posterior(probabilities, search->banks + 1);
    for (unsigned k = 0; k < search->banks; k++)
        expected[k] = k == *best ? 2 : 1;
    search->tests += search->banks;
    search->confidence *= probabilities[*best];
    return bl_batch_keep(inference, "tag-pairs", inference->log_hit_ns, expected);
}

static enum bl_status try_all(struct search *search)
{
    for (unsigned v = 0; v < search->vector_count && !search->failure; v++) {
        const struct vector *vector = &search->vectors[v];
        size_t best;
        const enum bl_status status = try_vector(search, vector, &best);
        if (status != BL_OK)
            return status;
        bl_gf2_add(&search->tried, vector->bits);
        if (best < search->banks) {
            bl_gf2_add(&search->even, vector->bits ^ search->representatives[best]);
            continue;
        }
        if (!is_clear(vector->bits) || vector->bits >> REPRESENTATIVE_BITS)
            search->failure = "an address collides with no tag bank's representative";
        else if (search->banks == MAX_BANKS)
            search->failure = "there are more than 16 tag banks, or parities do not choose them";
        else
            for (unsigned k = 0, banks = search->banks; k < banks; k++)
                search->representatives[search->banks++] =
                    search->representatives[k] ^ vector->bits;
    }
    return BL_OK;
}

/* Computes the masks, which have even parity on all colliding vectors. Leaves out bits that always
 * change together, which cannot be distinguished, and all higher bits. */
static void eliminate(struct search *search)
{
    struct bl_machine *machine = &search->inference->machine;
    for (unsigned bit = 0; bit < 64; bit++)
        if (bl_gf2_reduce(&search->tried, (uint64_t)1 << bit) == 0)
            search->told |= (uint64_t)1 << bit;
        else if (search->told)
            break;
    if (!search->told) {
        search->failure = "the arrays are too small";
        return;
    }
    struct bl_gf2_basis even = {0};
    for (unsigned bit = 0; bit < 64; bit++) {
        const uint64_t vector = search->even.of_bit[bit];
        if (vector && (vector & ~search->told) == 0)
            bl_gf2_add(&even, vector);
    }
    memset(machine->tag_masks, 0, sizeof machine->tag_masks);
    const unsigned count = bl_gf2_masks(&even, search->told, machine->tag_masks, BL_MAX_TAG_BITS);
    for (unsigned i = 0; i < BL_MAX_TAG_BITS; i++)
        machine->tag_masks[i] /= machine->line_bytes;
    if (count > BL_MAX_TAG_BITS || 1u << count != search->banks)
        search->failure = "the pairs of lines that collide contradict each other";
}

/* A random line anywhere in the arrays, with room for steps of BL_STEP. */
static uint64_t any_line(struct bl_inference *inference)
{
    const struct bl_target_limits *limits = &inference->target->limits;
    unsigned arrays = 1;
    while (arrays < BL_MAX_ARRAYS && limits->arrays[arrays].bytes)
        arrays++;
    const struct bl_array_place *array = &limits->arrays[bl_infer_random(inference, arrays)];
    const uint64_t room = (uint64_t)1 << 20;
    const uint64_t offset =
        (uint64_t)(bl_infer_uniform(inference) * (double)(array->bytes - 2 * room));
    const uint64_t address = (array->address + room + offset) & ~(uint64_t)(1023);
    return address & ~BL_STEPPED_BITS(BL_STEP);
}

/* Seeks a random line that differs from the first array's start only in bits that masks cover. */
static uint64_t random_line(const struct search *search)
{
    const uint64_t begin = search->inference->target->limits.arrays[0].address;
    const uint64_t of_lines = ~(uint64_t)(search->inference->machine.line_bytes - 1);
    uint64_t line = any_line(search->inference);
    for (unsigned tries = 0; tries < 1000 && (line ^ begin) & of_lines & ~search->told; tries++)
        line = any_line(search->inference);
    return line;
}

/* Checks that random pairs and sets of lines take the clocks that the masks predict. */
static enum bl_status verify(struct search *search)
{
    struct bl_inference *inference = search->inference;
    struct bl_batch *batch = bl_batch_begin(inference);
    double clocks[PAIRS + SETS];
    struct bl_machine machine = inference->machine;
    machine.banks_serve_global = false;
    const double of_table = (double)BL_TABLE_ITEMS / machine.lanes;
    unsigned most = machine.lanes < BL_MAX_ANCHORS ? machine.lanes : BL_MAX_ANCHORS;
    most = machine.banks < most ? machine.banks : most; /* more lines cause bank conflicts */
    for (unsigned i = 0; i < PAIRS + SETS; i++) {
        uint64_t addresses[BL_MAX_ANCHORS];
        const unsigned count =
            i < PAIRS || most <= 3 ? 2 : 3 + bl_infer_random(inference, most - 3);
        for (unsigned k = 0; k < count;) {
            addresses[k] = random_line(search) + (uint64_t)k * machine.bank_bytes;
            k += are_in_banks_of_their_own(inference, addresses, k + 1);
        }
        clocks[i] =
            bl_probe_clocks(&machine, add_lines(batch, addresses, count, BL_STEP)) / of_table;
        bl_batch_name(batch, NAN, "%u random lines anywhere", count);
    }
    const enum bl_status status = bl_batch_measure(inference);
    if (status != BL_OK)
        return status;
    unsigned wrong = 0;
    double squares = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const double off = batch->log_ns[i] - inference->log_hit_ns -
                           log(fmax(clocks[i], inference->floor) / inference->floor);
        wrong += fabs(off) > 0.2;
        squares += off * off;
    }
    search->rms = sqrt(squares / (PAIRS + SETS));
    if (wrong > (PAIRS + SETS) / 20)
        search->failure = "random sets of lines do not take as many clocks as the masks predict";
    return bl_batch_keep(inference, "tag-sets", inference->log_hit_ns, clocks);
}

static void conclude(struct search *search)
{
    static const char *const keys[] = {"tag_banks", "tag_masks"};
    struct bl_inference *inference = search->inference;
    if (search->failure) {
        memset(inference->machine.tag_masks, 0, sizeof inference->machine.tag_masks);
        bl_find_none(inference, keys, 2, search->failure);
        return;
    }
    /* A wrong mask is very unlikely now: each random set would have revealed the error with a
     * probability of 1/2. */
    const double confidence = 1 - (1 - search->confidence) / 1024;
    bl_find_basis(bl_find(inference, "tag_banks", search->banks, confidence), "tag-pairs",
                  "%u pairs of lines; %d random pairs and sets with %.1f %% rms misfit",
                  search->tests, PAIRS + SETS, 100 * search->rms);
    struct bl_finding *finding = bl_find(inference, "tag_masks", 0, confidence);
    memcpy(finding->masks, inference->machine.tag_masks, sizeof finding->masks);
    finding->lo = __builtin_ctzll(search->told);
    finding->hi = 63 - __builtin_clzll(search->told);
    bl_find_basis(finding, "tag-sets",
                  "elimination over bits %.0f to %.0f of addresses, %u vectors", finding->lo,
                  finding->hi, search->vector_count);
    inference->has_global_rule = true;
}

bool bl_same_bank_hash(const struct bl_finding *finding, const struct bl_machine *machine)
{
    struct bl_gf2_basis a = {0}, b = {0};
    const uint64_t told = ((((uint64_t)2 << (unsigned)finding->hi) - 1) &
                           ~(((uint64_t)1 << (unsigned)finding->lo) - 1)) /
                          machine->line_bytes;
    for (size_t i = 0; i < BL_MAX_TAG_BITS; i++) {
        bl_gf2_add(&a, finding->masks[i]);
        bl_gf2_add(&b, machine->tag_masks[i] & told);
    }
    return memcmp(a.of_bit, b.of_bit, sizeof a.of_bit) == 0;
}

enum bl_status bl_infer_bank_hash(struct bl_inference *inference)
{
    struct search *search = calloc(1, sizeof *search);
    if (!search)
        return bl_fail(inference->failure, BL_NO_MEMORY, "out of memory while seeking the hash");
    *search = (struct search){.inference = inference, .banks = 1, .confidence = 1};
    enum bl_status status = BL_OK;
    bl_infer_repeat(inference, 0.03);
    if (inference->has_lines) {
        add_bits(search);
        add_arrays(search);
        status = try_all(search);
    } else {
        search->failure = "the size of a line is not known";
    }
    if (status == BL_OK && !search->failure)
        eliminate(search);
    if (status == BL_OK && !search->failure)
        status = verify(search);
    if (bl_infer_goes_on(status))
        search->failure = "the probes could not be measured";
    if (status == BL_OK || bl_infer_goes_on(status))
        conclude(search);
    free(search);
    return status;
}
