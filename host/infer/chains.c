/* Chains of reads, measured one after another. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "infer/inference.h"
#include "measure/stats.h"

/* The first bytes of the arrays are read lane by lane, and stay as they are. */
enum { HOME_BYTES = 16 << 20, ALIGNED = 2 << 20 };

uint64_t bl_chain_begin(const struct bl_inference *inference)
{
    const uint64_t after = inference->target->limits.arrays[0].address + HOME_BYTES;
    return (after + ALIGNED - 1) & ~(uint64_t)(ALIGNED - 1);
}

uint64_t bl_chain_room(const struct bl_inference *inference)
{
    const struct bl_array_place *array = &inference->target->limits.arrays[0];
    const uint64_t room = array->address + array->bytes - bl_chain_begin(inference);
    const uint64_t most = (uint64_t)12 << 30; /* what a link of 32 bits can reach, and less */
    return room < most ? room : most;
}

unsigned bl_chain_pitch(const struct bl_inference *inference)
{
    return inference->has_lines ? inference->machine.line_bytes : 64;
}

enum bl_status bl_chains_measure(struct bl_inference *inference, struct bl_chain chains[],
                                 size_t count, struct bl_error *error)
{
    const struct bl_target *target = inference->target;
    const unsigned repeats = inference->repeats;
    double *samples = malloc((count + 1) * repeats * sizeof *samples);
    double *away = malloc((count + 1) * repeats * sizeof *away);
    if (!samples || !away) {
        free(samples);
        free(away);
        return bl_fail(error, BL_NO_MEMORY, "no memory for samples");
    }
    enum bl_status status = BL_OK;
    size_t known = 0;
    /* One chain after another: each has to be made, and to be in the caches. */
    for (size_t i = 0; i < count && status == BL_OK; i++) {
        for (unsigned k = 0; k < repeats && status == BL_OK; k++) {
            double ns = NAN;
            status = target->chase(target->context, &chains[i].probe, &ns, error);
            samples[k] = log(ns);
        }
        if (status != BL_OK)
            break;
        chains[i].log_ns = bl_median(samples, repeats);
        for (unsigned k = 0; k < repeats; k++)
            if (samples[k] != chains[i].log_ns)
                away[known++] = fabs(samples[k] - chains[i].log_ns);
    }
    if (status == BL_OK && known > 0)
        inference->noise = bl_median(away, known) / 0.685;
    inference->error = inference->noise * (repeats <= 3   ? 0.67
                                           : repeats <= 5 ? 0.536
                                                          : 1.25 / sqrt(repeats));
    free(samples);
    free(away);
    return status;
}

enum bl_status bl_chains_keep(struct bl_inference *inference, const struct bl_chain chains[],
                              size_t count, const char *sweep, struct bl_error *error)
{
    enum bl_status status = BL_OK;
    for (size_t i = 0; i < count && status == BL_OK; i++) {
        struct bl_evidence evidence = {
            .sweep = sweep,
            .x = chains[i].x,
            .measured = exp(chains[i].log_ns),
            .expected = NAN,
            .error = inference->error,
            .unit = "ns",
        };
        memcpy(evidence.point, chains[i].name, sizeof evidence.point);
        status = bl_keep_point(inference, &evidence, error);
    }
    return status;
}
