/* Counts how often an inference finds the banks of a device, if the machine lists several possible
 * banks (hypotheses). Simulates DEVICES devices for each hypothesis. weigh_hypotheses DEVICES
 * FIRST_SEED NOISE_PERCENT [MACHINE] prints a table in Markdown. Exits with 1 if
 * simulated_weighing_is_good() is false. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulated_target.h"

int main(int count, char **words)
{
    if (count < 4 || count > 5) {
        fprintf(stderr, "usage: weigh_hypotheses DEVICES FIRST_SEED NOISE_PERCENT [MACHINE]\n");
        return 2;
    }
    const unsigned devices = (unsigned)strtoul(words[1], NULL, 10);
    const uint64_t seed = strtoull(words[2], NULL, 10);
    const struct bl_machine *machine;
    struct bl_error error = {0};
    if (bl_machine_find(count > 4 ? words[4] : "intel-xe-hpg", &machine, &error) != BL_OK) {
        fprintf(stderr, "weigh_hypotheses: %s\n", error.sentence);
        return 2;
    }
    const unsigned hypotheses = bl_machine_alternatives(machine);
    struct simulated_weighing sum = {0};
    printf("%u devices for each hypothesis of `%s`, first seed %" PRIu64 ", noise %s %%\n\n",
           devices, machine->name, seed, words[3]);
    puts("| banks | devices | the right ones likeliest | stated | stated at 99 % or more "
         "| of these right | points measured, of all | wrong tag masks |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (unsigned h = 0; h < hypotheses; h++) {
        struct simulated_weighing own = {0};
        for (unsigned d = 0; d < devices; d++)
            simulated_weigh(machine, h, seed + h * (uint64_t)devices + d,
                            strtod(words[3], NULL) / 100, true, &own);
        char name[32];
        snprintf(name, sizeof name, "%u of %u bytes", machine->banks_alternatives[h].count,
                 machine->banks_alternatives[h].bytes);
        simulated_print_weighing(stdout, name, &own);
        simulated_add_weighing(&sum, &own);
        fflush(stdout);
    }
    simulated_print_weighing(stdout, "all", &sum);
    return simulated_weighing_is_good(&sum) ? 0 : 1;
}
