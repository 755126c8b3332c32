/* Tests whole commands (report, history, try) in which one allocation fails. The result must be the
 * usual exit status, or an error with a message. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "failing_allocations.h"

static char folder[] = "/tmp/bankline-memory-XXXXXX";

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static enum bl_status run_line(char *words[], struct bl_error *error)
{
    int count = 0;
    while (words[count])
        count++;
    struct bl_invocation invocation;
    *error = (struct bl_error){0};
    enum bl_status status = bl_command_line_parse(&bl_commands, count, words, &invocation, error);
    if (status == BL_OK)
        status = invocation.command->run(invocation.settings, &invocation.arguments, error);
    bl_invocation_free(&invocation);
    fflush(stdout);
    return status;
}

/* Writes runs.csv: a few rows of an H200, for five nights on twelve cards. From the fourth night
 * on, card 1 has other ratios in local/5. Card 2 lacks global/5. The last run of card 1 goes to
 * last.csv instead. */
static void write_runs(const char *reference)
{
    char line[4096];
    FILE *from = fopen(reference, "r"), *to = fopen("runs.csv", "w"),
         *last = fopen("last.csv", "w");
    cr_assert(from && to && last);
    cr_assert_not_null(fgets(line, sizeof line, from));
    fputs(line, to);
    fputs(line, last);
    while (fgets(line, sizeof line, from)) {
        char *field = strstr(line, ",NVIDIA H200,"), *machine = strstr(line, "nvidia-hopper"),
             *id = strstr(line, "7f4e0b3e");
        if (!strstr(line, ",local/5,") && !strstr(line, ",global/5,") && !strstr(line, ",latency/"))
            continue;
        cr_assert(field && machine && id);
        memcpy(machine, "intel-gen9   ", 13);
        for (unsigned night = 0; night < 5; night++)
            for (unsigned card = 0; card < 12; card++) {
                char run[4096], *measured;
                const bool is_off = card == 1 && strstr(line, ",local/5,") && night > 2;
                if (card == 2 && strstr(line, ",global/5,"))
                    continue;
                snprintf(run, sizeof run, "8,night-%02u-%u,2026-10-%02uT02:00:00Z,%s", night, card,
                         10 + night, strstr(strchr(line, ',') + 1, "0.1.0"));
                memcpy(strstr(run, "7f4e0b3e"), (char[]){'c', 'a', 'r', 'd', (char)('0' + card)},
                       5);
                memmove(strstr(run, "intel-gen9   ") + 10, strstr(run, "intel-gen9   ") + 13,
                        strlen(strstr(run, "intel-gen9   ") + 13) + 1);
                for (measured = run; is_off && (measured = strstr(measured, ",0.50"));)
                    measured[3] = '4';
                fputs(run, card == 1 && night == 4 ? last : to);
            }
    }
    fclose(from);
    fclose(to);
    fclose(last);
}

static void make(void)
{
    char *add[] = {"bankline", "history", "add",     "runs.csv", "last.csv",
                   "--db",     "h.db",    "--quiet", NULL};
    char reference[4096];
    struct bl_error error;
    snprintf(reference, sizeof reference, "%s/results/reference/nvidia-h200.csv",
             getenv("BANKLINE_SOURCE"));
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
    write_runs(reference);
    write_text("trace.json",
               "{\"schema\":1,\"machine\":\"m\",\"sources\":[\"a\\nb\\n\"],"
               "\"suggestions\":[{\"sentence\":\"pad\"}],"
               "\"kernels\":[{\"name\":\"k\",\"source\":0,\"rows\":[{\"source_line\":1,"
               "\"requests\":4,\"clocks\":2,\"ideal_clocks\":1}]}]}");
    write_text("infer.json",
               "{\"schema\":1,\"device\":\"d\",\"values\":[{\"key\":\"lanes\",\"value\":32}],"
               "\"evidence\":{\"sweep\":[{\"point\":\"a\",\"x\":1,\"measured\":2,"
               "\"unit\":\"ns\"},{\"x\":2,\"measured\":3}]}}");
    cr_assert_eq(run_line(add, &error), BL_OK, "%s", error.sentence);
    setenv("PATH", "/nowhere", 1); /* hides gnuplot, whose pictures are not tested here */
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

static void unmake(void)
{
    char command[64];
    setenv("PATH", "/bin:/usr/bin", 1);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(no_memory_pages, .init = make, .fini = unmake);

/* Runs the command many times. In each run one allocation fails: first every allocation in turn,
 * then only some, at growing distances. usual: the status if no allocation fails. */
static void fail_each(char *words[], enum bl_status usual)
{
    struct bl_error error;
    unsigned failed = 0, points = 0;
    const enum bl_status plain = run_line(words, &error);
    cr_assert_eq(plain, usual, "%s: %s", words[1], error.sentence);
    for (long point = 0, is_reached = 1; is_reached; point += 1 + point / 50, points++) {
        until_failure = point;
        const enum bl_status status = run_line(words, &error);
        is_reached = until_failure < 0;
        until_failure = -1;
        cr_assert(status == plain || status == BL_NO_MEMORY || status == BL_FILE_FAILED,
                  "%s, allocation %ld: %s", words[1], point, error.sentence);
        cr_assert(status == plain || error.sentence[0], "%s, allocation %ld", words[1], point);
        failed += status != plain;
    }
    cr_assert_gt(failed, 5, "%s: only %u of %u failures were reported", words[1], failed, points);
}

#define LINE(...) ((char *[]){"bankline", __VA_ARGS__, NULL})

Test(no_memory_pages, writing_a_page)
{
    fail_each(LINE("report", "last.csv", "--db", "h.db", "--trace", "trace.json", "--infer",
                   "infer.json", "-o", "page.html"),
              BL_OK);
}

Test(no_memory_pages, searching_a_fleet_for_outliers)
{
    fail_each(LINE("history", "outliers", "--db", "h.db", "--absolute", "--csv", "a.csv", "--json",
                   "a.json", "--junit", "a.xml", "--markdown", "a.md", "--prometheus", "a.prom",
                   "--since", "2026-10-11"),
              BL_BAD_NEWS);
}

Test(no_memory_pages, showing_and_comparing_a_history)
{
    fail_each(LINE("history", "show", "local/*", "--db", "h.db", "--device", "card1"), BL_OK);
    fail_each(LINE("history", "since", "local/5", "--db", "h.db"), BL_OK);
    fail_each(LINE("history", "compare", "last.csv", "--db", "h.db", "--json", "b.json"),
              BL_BAD_NEWS);
    fail_each(LINE("history", "why", "last.csv", "--again", "last.csv", "--db", "h.db"), BL_OK);
    fail_each(LINE("history", "list", "--db", "h.db"), BL_OK);
}

Test(no_memory_pages, drawing_a_sweep)
{
    fail_each(LINE("try", "table[get_local_id(0)] * {1..4}", "--table", "permutation:64",
                   "--shapes", "16x2,32x1", "--machines", "nvidia-hopper,intel-gen9", "-o",
                   "sweep.svg", "--html", "sweep.html", "--csv", "sweep.csv"),
              BL_OK);
}
