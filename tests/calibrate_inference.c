/* Counts how often the values that `bankline infer` finds for simulated devices are right:
 * calibrate_inference MACHINES FIRST_SEED NOISE_PERCENT... prints a table in Markdown. If VERBOSE
 * is set in the environment, it also prints the wrong values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulated_target.h"

int main(int count, char **words)
{
    if (count < 4) {
        fprintf(stderr, "usage: calibrate_inference MACHINES FIRST_SEED NOISE_PERCENT...\n");
        return 2;
    }
    const unsigned machines = (unsigned)strtoul(words[1], NULL, 10);
    const uint64_t first = strtoull(words[2], NULL, 10);
    puts(
        "| noise | discrete values | stated | right, of all | right, of those stated at 90 to 93 % "
        "| 93 to 97 % | 97 to 99 % | 99 to 99.9 % | more | intervals of 95 % "
        "| that hold the value |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (int n = 3; n < count; n++) {
        struct simulated_score sum = {0};
        for (unsigned m = 0; m < machines; m++) {
            struct simulated simulated;
            struct bl_findings findings;
            struct bl_error error = {0};
            simulated_make(&simulated, first + m, strtod(words[n], NULL) / 100);
            if (simulated_infer(&simulated, &findings, &error) != BL_OK)
                fprintf(stderr, "seed %llu: %s\n", (unsigned long long)(first + m), error.sentence);
            const struct simulated_score score = simulated_compare(&simulated, &findings);
            if (score.wrong[0] && getenv("VERBOSE"))
                fprintf(stderr, "seed %llu: %s\n", (unsigned long long)(first + m), score.wrong);
            simulated_add(&sum, &score);
            bl_findings_free(&findings);
        }
        printf("| %s %% | %u | %u | %.2f %% |", words[n], sum.discrete, sum.stated,
               100.0 * sum.right / sum.discrete);
        for (int b = 0; b < SURE_BINS; b++)
            printf(" %u of %u |", sum.right_at[b], sum.stated_at[b]);
        printf(" %u | %.1f %% |\n", sum.intervals, 100.0 * sum.held / sum.intervals);
        fflush(stdout);
    }
    return 0;
}
