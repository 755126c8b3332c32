/* How many bytes a level delivers together: after a read that had to come from there, is a second
 * one, so far on, at hand? */
#include <math.h>
#include <stdio.h>

#include "infer/inference.h"
#include "infer/posterior.h"

enum { DISTANCES = 8, MEMORY_PLACES = 4 << 20 };

/* The shortest distance, each of the others being twice the one before. */
static const unsigned nearest = 4;

static const char *const keys[] = {"", "l2_granule_bytes", "llc_granule_bytes"};

enum { KEYS = sizeof keys / sizeof keys[0] };
static const char *const sweeps[] = {NULL, "second-granule", "third-granule", "memory-granule"};

/* More than twice the largest distance, and an odd number of lines: places a power of two apart
 * would share a few sets of a cache. */
static unsigned pitch_of(const struct bl_inference *inference)
{
    const unsigned line = bl_chain_pitch(inference), enough = 2 * nearest << (DISTANCES - 1);
    return (enough / line | 1) * line;
}

/* Bytes of the granule, and how sure that is: from it on, second reads take as long as the longest
 * ones do; before, clearly less. */
static unsigned find_granule(const struct bl_chain chains[], double scale, double *confidence)
{
    double likelihoods[DISTANCES];
    for (unsigned g = 0; g < DISTANCES; g++) { /* nearest << g; the last one is beyond */
        double mean = 0, sum = 0;
        for (unsigned d = g; d < DISTANCES; d++)
            mean += chains[d].log_ns / (DISTANCES - g);
        for (unsigned d = 0; d < DISTANCES; d++) {
            const double off = chains[d].log_ns - mean;
            /* Of those before nobody knows more than that they are 8 to 60 % shorter. */
            sum += d >= g ? bl_log_density(off, scale)
                          : (off < -0.08 && off > -0.92 ? -log(0.84) : -log(0.84) - 20);
        }
        /* The first is none: no distance at which a second read is at hand. */
        likelihoods[g] = g + 2 <= DISTANCES ? sum : -INFINITY;
    }
    const size_t best = bl_posterior(likelihoods, DISTANCES);
    *confidence = likelihoods[best];
    return nearest << best;
}

static enum bl_status infer(struct bl_inference *inference, unsigned level, uint64_t places,
                            struct bl_error *error)
{
    const bool is_memory = level + 1 == inference->levels;
    const char *key = is_memory ? "memory_granule_bytes" : keys[level % KEYS];
    const char *sweep = is_memory ? sweeps[3] : sweeps[level];
    static const char *const meanings[] = {"", "bytes that the second cache delivers together",
                                           "bytes that the third cache delivers together",
                                           "bytes that memory delivers together"};
    struct bl_chain chains[DISTANCES];
    const unsigned pitch = pitch_of(inference);
    for (unsigned d = 0; d < DISTANCES; d++) {
        chains[d] = (struct bl_chain){.probe = {.address = bl_chain_begin(inference),
                                                .pitch_bytes = pitch,
                                                .places = places,
                                                .second_bytes = nearest << d},
                                      .x = nearest << d};
        snprintf(chains[d].name, sizeof chains[d].name, "and %u bytes on", nearest << d);
    }
    enum bl_status status = bl_chains_measure(inference, chains, DISTANCES, error);
    if (status != BL_OK)
        return status;
    double confidence;
    const double scale = sqrt(inference->error * inference->error + 0.03 * 0.03);
    const unsigned bytes = find_granule(chains, scale, &confidence);
    const char *meaning = meanings[is_memory ? 3 : level];
    if (bytes == nearest) {
        bl_find_unknown(inference, key, meaning, "second reads are at hand at no distance");
        return bl_chains_keep(inference, chains, DISTANCES, sweep, error);
    }
    struct bl_finding *finding =
        bl_find(inference, key, meaning, BL_FOUND_NUMBER, bytes, confidence);
    finding->unit = "bytes";
    bl_find_basis(finding, sweep, "second reads 4 to 512 bytes after the first, %d points",
                  DISTANCES);
    if (level == 1) {
        const bool is_sector = bytes < inference->machine.line_bytes;
        finding =
            bl_find(inference, "sector_bytes", "bytes of a line that are fetched alone; 0: all",
                    BL_FOUND_NUMBER, is_sector ? bytes : 0, confidence);
        bl_find_basis(finding, sweep, "as what the level behind delivers");
    }
    return bl_chains_keep(inference, chains, DISTANCES, sweep, error);
}

enum bl_status bl_infer_granules(struct bl_inference *inference, struct bl_error *error)
{
    enum bl_status status = BL_OK;
    if (inference->levels < 2)
        bl_find_unknown(inference, "sector_bytes", "bytes of a line that are fetched alone; 0: all",
                        "the levels of memory are not known");
    for (unsigned level = 1; level < inference->levels && status == BL_OK; level++) {
        const bool is_memory = level + 1 == inference->levels;
        const double before = inference->level_bytes[level - 1],
                     own = inference->level_bytes[level];
        const unsigned line = bl_chain_pitch(inference);
        /* A place takes two lines at most, and two granules at least. */
        uint64_t places = is_memory ? MEMORY_PLACES : (uint64_t)(3 * before / line);
        const uint64_t room = bl_chain_room(inference) / pitch_of(inference);
        places = places > room ? room : places;
        const bool fits =
            is_memory ? (double)places * 64 > 2 * before : (double)places * 2 * line < 0.7 * own;
        if (fits)
            status = infer(inference, level, places, error);
        else
            bl_find_unknown(inference, is_memory ? "memory_granule_bytes" : keys[level % KEYS],
                            "bytes that a level delivers together",
                            "no working set is in this level alone");
    }
    return bl_infer_goes_on(status) ? BL_OK : status;
}
