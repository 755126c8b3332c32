/* How many lines of global memory are looked up per clock, and how large a line is.
 *
 * A request of lines that no clock can look up together takes one more. So: how many lines may a
 * request have before some of them take two clocks; and of which distance on is an address in
 * another line than the first.
 */
#include <math.h>
#include <string.h>

#include "infer/inference.h"

enum { DRAWS_OF_TWO = 64, DRAWS = 24, MAX_LINES = 17, RANGE = 8192, NEAR = 32 };

static const unsigned line_sizes[] = {32, 64, 128, 256, 512};

enum { SIZES = sizeof line_sizes / sizeof line_sizes[0] };

/* Aligned to far more than the bits of representatives. */
static uint64_t home_of(const struct bl_inference *inference)
{
    return bl_infer_home(inference, (uint64_t)16 << 20);
}

/* Addresses in blocks of 1 KiB of their own, each in a bank of its own. */
static void draw(struct bl_inference *inference, uint64_t addresses[], unsigned count)
{
    uint32_t blocks[MAX_LINES];
    for (unsigned i = 0; i < count; i++) {
        bool is_new;
        do {
            blocks[i] = bl_infer_random(inference, 1 << 13); /* of 8 MiB */
            blocks[i] &= ~(uint32_t)(BL_STEPPED_BITS(BL_STEP) >> 10);
            is_new = true;
            for (unsigned k = 0; k < i; k++)
                is_new &= blocks[k] != blocks[i];
        } while (!is_new);
        addresses[i] = home_of(inference) + (uint64_t)blocks[i] * 1024 +
                       (uint64_t)i * inference->machine.bank_bytes;
    }
}

static const unsigned counts[] = {1, 2, 3, 4, 5, 8, 9, 16, 17};

enum { COUNTS = sizeof counts / sizeof counts[0] };

/* The lines of each point of the batch. */
typedef uint64_t draws[DRAWS_OF_TWO + COUNTS * DRAWS][MAX_LINES];

static unsigned draws_of(unsigned count)
{
    return count == 1 ? 8 : count == 2 ? DRAWS_OF_TWO : DRAWS;
}

static enum bl_status measure_draws(struct bl_inference *inference, draws addresses,
                                    struct bl_error *error)
{
    const unsigned lanes = inference->machine.lanes, banks = inference->machine.banks;
    const unsigned most = lanes < banks ? lanes : banks; /* more would wait for banks */
    struct bl_batch *batch = bl_batch_begin(inference);
    for (unsigned c = 0, i = 0; c < COUNTS && counts[c] <= most; c++)
        for (unsigned d = 0; d < draws_of(counts[c]); d++, i++) {
            draw(inference, addresses[i], counts[c]);
            bl_batch_add_lines(batch, addresses[i], counts[c], BL_STEP);
            bl_batch_name(batch, counts[c], "%u random lines", counts[c]);
        }
    return bl_batch_measure(inference, error);
}

/* The smallest number of lines of which some draws clearly take a clock more than one line; 0: none
 * does. The draw that takes longest is left in *found. */
static unsigned first_that_collides(const struct bl_inference *inference, size_t *found)
{
    const struct bl_batch *batch = inference->batch;
    const double two = log(fmax(2, inference->floor) / inference->floor);
    for (unsigned c = 1; c < COUNTS; c++) {
        unsigned clear = 0;
        double max = 0;
        for (size_t i = 0; i < batch->count; i++) {
            const double more = batch->log_ns[i] - inference->log_hit_ns;
            if (batch->points[i].x != counts[c])
                continue;
            clear += more > 0.7 * two && more < 1.3 * two;
            if (more > max && more < 1.3 * two) {
                max = more;
                *found = i;
            }
        }
        if (clear >= 2)
            return counts[c];
    }
    return 0;
}

/* Whether the lines that collide with line 0, and it, are all sums (exclusive or) of each other. */
static bool is_subspace(const bool collides[], unsigned lines)
{
    for (unsigned i = 1; i < lines; i++)
        for (unsigned k = 1; k < i && collides[i]; k++)
            if (collides[k] && !collides[i ^ k])
                return false;
    return true;
}

/* Log-likelihood of distances whose lines have this size: a line collides with the first one or
 * does not, whichever of its bytes is read; and if banks are parities, those that do are a space.
 */
static double log_likelihood(const struct bl_inference *inference, unsigned line_bytes)
{
    const struct bl_batch *batch = inference->batch;
    static const double no_space = -40;
    const double scale = bl_scale_of(inference, BL_RULES_ARE_OFF);
    const unsigned lines = RANGE / line_bytes;
    bool collides[RANGE / NEAR] = {false};
    double sum = 0;
    for (unsigned line = 0; line < lines; line++) {
        double hits = 0, collisions = 0;
        for (size_t i = 0; i < batch->count; i++) {
            if ((unsigned)batch->points[i].x / line_bytes != line)
                continue;
            const double more = batch->log_ns[i] - inference->log_hit_ns;
            hits += bl_log_density(more, scale);
            collisions += bl_log_density(more - inference->log_collision, scale);
        }
        collides[line] = line > 0 && collisions > hits;
        sum += line == 0 ? hits : fmax(hits, collisions);
    }
    return sum + (is_subspace(collides, lines) ? 0 : no_space);
}

static enum bl_status infer_size(struct bl_inference *inference, struct bl_error *error)
{
    struct bl_batch *batch = bl_batch_begin(inference);
    for (unsigned distance = 0; distance < RANGE; distance += NEAR) {
        const uint64_t last = inference->anchors[inference->anchor_count - 1];
        bl_batch_add_beside_anchors(inference, (last & ~(uint64_t)(NEAR - 1)) + distance, BL_STEP);
        bl_batch_name(batch, distance, "%u bytes on", distance);
    }
    const enum bl_status status = bl_batch_measure(inference, error);
    if (status != BL_OK)
        return status;
    double probabilities[SIZES];
    for (unsigned s = 0; s < SIZES; s++)
        probabilities[s] = log_likelihood(inference, line_sizes[s]);
    const size_t best = bl_posterior(probabilities, SIZES);
    struct bl_finding *finding =
        bl_find(inference, "line_bytes", line_sizes[best], probabilities[best]);
    bl_find_basis(finding, "distances", "which of two addresses take a clock more, %zu points",
                  batch->count);
    inference->has_lines = finding->is_known;
    inference->machine.line_bytes = line_sizes[best];
    return bl_batch_keep(inference, "distances", inference->log_hit_ns, NULL, error);
}

/* What one line takes, and the anchors: of a draw that collides, all lines but one. */
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
    if (lines == 2) /* any will do; this one's bits above a line's are 0 */
        inference->anchors[0] = home_of(inference);
    bl_find_basis(bl_find(inference, "lines_per_clock", lines - 1, lines == 2 ? 1 : 0.97),
                  "random-lines", "requests of 1 to 17 random lines, %zu points", batch->count);
    inference->machine.lines_per_clock = lines - 1;
    return true;
}

enum bl_status bl_infer_lines(struct bl_inference *inference, struct bl_error *error)
{
    static const char *const keys[] = {"lines_per_clock", "line_bytes"};
    if (!inference->has_local_rule || inference->floor >= 2) {
        bl_find_none(inference, keys, 2,
                     inference->has_local_rule
                         ? "a request takes two clocks at least, whatever it wants"
                         : "it is not known how many work-items a request has");
        return BL_OK;
    }
    draws addresses = {0};
    bl_infer_repeat(inference, 0.03);
    enum bl_status status = measure_draws(inference, addresses, error);
    bool collide = false;
    if (status == BL_OK) {
        collide = find_anchors(inference, addresses);
        status = bl_batch_keep(inference, "random-lines", inference->log_hit_ns, NULL, error);
    }
    if (status == BL_OK && collide)
        status = infer_size(inference, error);
    else if (status == BL_OK || bl_infer_goes_on(status))
        bl_find_none(inference, keys, 2,
                     status == BL_OK ? "requests of up to 17 lines take as long as those of one"
                                     : "the probes could not be measured");
    return status;
}
