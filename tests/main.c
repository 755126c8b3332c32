/* The main function of all test programs that use Criterion. If the first argument is a NAME, only
 * the tests of test_NAME.c run. Criterion shares its state with child processes in shared memory;
 * without shared memory, the tests are skipped with a message. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SKIPPED = 77 };

static bool has_shared_memory(void)
{
    char name[64];
    snprintf(name, sizeof name, "/bankline-test-%ld", (long)getpid());
    const int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file < 0)
        return false;
    close(file);
    shm_unlink(name);
    return true;
}

/* Disables all tests outside test_<name>.c. Returns the number of tests that are left. */
static size_t keep_file(struct criterion_test_set *tests, const char *name)
{
    char file[128];
    size_t kept = 0;
    snprintf(file, sizeof file, "test_%s.c", name);
    FOREACH_SET(struct criterion_suite_set * suite, tests->suites)
    {
        if (!suite->tests)
            continue;
        FOREACH_SET(struct criterion_test * test, suite->tests)
        {
            const bool is_kept = strcmp(basename(test->data->file_), file) == 0;
            test->data->disabled |= !is_kept;
            kept += is_kept;
        }
    }
    return kept;
}

int main(int argc, char *argv[])
{
    if (!has_shared_memory()) {
        printf("skipped: %s: Criterion needs shared memory, and there is no /dev/shm to write to\n",
               argv[0]);
        return SKIPPED;
    }
    struct criterion_test_set *tests = criterion_initialize();
    int status = 0;
    if (argc > 1 && argv[1][0] != '-') {
        if (keep_file(tests, argv[1]) == 0) {
            printf("no tests in test_%s.c\n", argv[1]);
            return 2;
        }
        argv[1] = argv[0];
        argc--, argv++;
    }
    if (criterion_handle_args(argc, argv, true))
        status = !criterion_run_all_tests(tests);
    criterion_finalize(tests);
    return status;
}
