/* Simulates a fleet of cards (see simulated_fleet.h). */
#include "simulated_fleet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/stats.h"

enum { MOST_SAMPLES = 20000, PLACEMENTS = 6, OF_A_PLACEMENT = 8 };

struct bl_row_key simulated_fleet_keys[FLEET_ROWS];
static double samples[MOST_SAMPLES]; /* logarithms of the recorded ratios, minus the median of their
                                        case */
static size_t sample_count;
static uint64_t state;

void simulated_fleet_seed(uint64_t seed) { state = seed * 2862933555777941757u + 3037000493u; }

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979 * uniform());
}

/* A random difference between cards, of the distribution `noise` (struct simulated_fleet). Its
 * standard deviation is 1; with distribution 2, it is 5 for one difference in ten. */
static double differing(unsigned noise)
{
    const double value = normal();
    if (noise == 2)
        return value * (uniform() < 0.1 ? 5 : 1);
    if (noise == 0)
        return value;
    double squares = 0;
    for (unsigned i = 0; i < 3; i++)
        squares += pow(normal(), 2);
    return value / sqrt(squares);
}

/* Adds a case's samples, which are the numbers at the start of a JSON list. */
static void take_case(const char *list)
{
    const size_t first = sample_count;
    double scratch[MOST_SAMPLES];
    for (char *end; sample_count < MOST_SAMPLES; list = end + strspn(end, ", \n")) {
        const double sample = strtod(list, &end);
        if (end == list || !(sample > 0))
            break;
        samples[sample_count++] = log(sample);
    }
    const size_t count = sample_count - first;
    if (count == 0)
        return;
    memcpy(scratch, samples + first, count * sizeof *scratch);
    const double median = bl_median(scratch, count);
    for (size_t i = first; i < sample_count; i++)
        samples[i] -= median;
}

bool simulated_fleet_read_samples(void)
{
    static const char name[] = "\"sample_ratios\": [";
    char path[4096], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/results/samples/nvidia-h100.json", getenv("BANKLINE_SOURCE"));
    FILE *file = fopen(path, "r");
    if (!file || getdelim(&text, &size, '\0', file) <= 0)
        return false;
    fclose(file);
    sample_count = 0;
    for (const char *at = text; (at = strstr(at, name));) {
        at += sizeof name - 1;
        take_case(at + strspn(at, " \n"));
    }
    free(text);
    for (size_t r = 0; r < FLEET_ROWS; r++) {
        simulated_fleet_keys[r] = (struct bl_row_key){.lanes = 32};
        snprintf(simulated_fleet_keys[r].case_id, sizeof simulated_fleet_keys[r].case_id,
                 "simulated/%zu", r);
        strcpy(simulated_fleet_keys[r].shape, "32x1");
    }
    return sample_count > 100;
}

/* Simulates a row of one run, from samples drawn at random. *value receives the median over
 * placements of the medians of their samples; *error receives its standard error. Both are
 * logarithms. */
static void measure(double *value, double *error)
{
    double of_placement[PLACEMENTS], drawn[OF_A_PLACEMENT], sum = 0, squares = 0;
    for (unsigned p = 0; p < PLACEMENTS; p++) {
        for (unsigned i = 0; i < OF_A_PLACEMENT; i++)
            drawn[i] = samples[(size_t)(uniform() * (double)sample_count)];
        of_placement[p] = bl_median(drawn, OF_A_PLACEMENT);
        sum += of_placement[p];
        squares += of_placement[p] * of_placement[p];
    }
    *error = sqrt(fmax(0, squares - sum * sum / PLACEMENTS) / (PLACEMENTS * (PLACEMENTS - 1)));
    *value = bl_median(of_placement, PLACEMENTS);
}

void simulated_fleet_make(const struct simulated_fleet *how, struct bl_fleet *fleet,
                          struct bl_fleet_value values[])
{
    *fleet = (struct bl_fleet){0};
    fleet->models = calloc(1, sizeof *fleet->models);
    fleet->cards = calloc(how->cards, sizeof *fleet->cards);
    if (!fleet->models || !fleet->cards)
        abort();
    fleet->model_count = 1;
    fleet->card_count = fleet->models[0].cards = how->cards;
    for (size_t c = 0; c < how->cards; c++) {
        const double clock = how->clocks / 3.92 * differing(how->noise) -
                             (c == how->slow_card ? -log1p(-how->slow_by) : 0);
        for (size_t r = 0; r < FLEET_ROWS; r++) {
            struct bl_fleet_value *value = &values[c * FLEET_ROWS + r];
            *value = (struct bl_fleet_value){.card = c, .key = r};
            measure(&value->ratio, &value->error);
            measure(&value->time, &value->time_error);
            value->ratio += how->spread * differing(how->noise);
            value->time += how->spread * differing(how->noise) - clock;
            if (c == how->odd_row_card && r == how->odd_row)
                value->ratio += log1p(how->odd_row_by);
        }
    }
}
