/* The main function of every Criterion test. Criterion hands tests to children in shared memory:
 * where there is none, the tests are skipped, and say so. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
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

int main(int argc, char *argv[])
{
    if (!has_shared_memory()) {
        printf("skipped: %s: Criterion needs shared memory, and there is no /dev/shm to write to\n",
               argv[0]);
        return SKIPPED;
    }
    struct criterion_test_set *tests = criterion_initialize();
    int status = 0;
    if (criterion_handle_args(argc, argv, true))
        status = !criterion_run_all_tests(tests);
    criterion_finalize(tests);
    return status;
}
