#include "page/curves.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "page/texts.h"

static const struct {
    const char *script, *title, *what;
} known[BL_CURVES] = {
    {"predicted.gp", "Predicted and measured",
     "Every row that has a prediction: what the model computes across, what was measured up, both "
     "logarithmic. Rows within 5 % lie between the dashed lines; others are crosses, with the "
     "case's name."},
    {"documented.gp", "Documented cases",
     "The documents' cases in groups of 16x1: the claim (plus), the prediction for this machine "
     "(square) and what was measured (dot, with its 95 % interval)."},
    {"working-sets.gp", "Working sets",
     "Contiguous reads of a working set of growing size, as a part of the rate in the first cache: "
     "each step down is a level that no longer holds it."},
};

/* A file of text in the folder. */
static bool write_text(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    const bool is_put = file && fputs(text, file) >= 0;
    return file && fclose(file) == 0 && is_put;
}

static char *read_text(const char *folder, const char *name)
{
    char path[PATH_MAX], block[4096], *text = NULL;
    size_t size = 0, got;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r"), *memory = file ? open_memstream(&text, &size) : NULL;
    while (memory && (got = fread(block, 1, sizeof block, file)) > 0)
        fwrite(block, 1, got, memory);
    if (file)
        fclose(file);
    if (memory && fclose(memory) == 0 && size > 0)
        return text;
    free(text);
    return NULL;
}

/* gnuplot's exit status; 127: there is none. Its words are lost: it warns of every empty plot. */
static int run_gnuplot(const char *script, const char *csv, const char *svg)
{
    fflush(NULL);
    const pid_t process = fork();
    if (process == 0) {
        const int nowhere = open("/dev/null", O_RDWR);
        if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
            _exit(126);
        execlp("gnuplot", "gnuplot", "-d", "-c", script, csv, svg, (char *)NULL);
        _exit(127);
    }
    int ended = 0;
    while (process > 0 && waitpid(process, &ended, 0) < 0 && errno == EINTR)
        ;
    return process > 0 && WIFEXITED(ended) ? WEXITSTATUS(ended) : 126;
}

static void draw(const char *folder, const char *csv, unsigned number, struct bl_page_curve *curve,
                 char why_none[256])
{
    char script[PATH_MAX], svg[PATH_MAX];
    snprintf(script, sizeof script, "%s/%s", folder, known[number].script);
    snprintf(svg, sizeof svg, "%s/out.svg", folder);
    *curve = (struct bl_page_curve){.title = known[number].title, .what = known[number].what};
    if (!write_text(folder, known[number].script, bl_page_text_named(known[number].script)))
        return;
    const int status = run_gnuplot(script, csv, svg);
    if (status == 0)
        curve->svg = read_text(folder, "out.svg");
    else if (status == 127)
        snprintf(why_none, 256,
                 "The curves are missing, for there is no gnuplot: install the package gnuplot-nox "
                 "and make the page again.");
    unlink(script);
    unlink(svg);
}

enum bl_status bl_page_draw(const char *csv, struct bl_page_curve curves[BL_CURVES],
                            char why_none[256], struct bl_error *error)
{
    const char *base = getenv("TMPDIR");
    char folder[1024], path[PATH_MAX];
    for (unsigned i = 0; i < BL_CURVES; i++)
        curves[i] = (struct bl_page_curve){.title = known[i].title, .what = known[i].what};
    *why_none = '\0';
    snprintf(folder, sizeof folder, "%.1000s/bankline-XXXXXX", base && *base ? base : "/tmp");
    if (!realpath(csv, path))
        return bl_fail(error, BL_FILE_FAILED, "cannot read %s: %s", csv, strerror(errno));
    if (!mkdtemp(folder))
        return bl_fail(error, BL_FILE_FAILED, "cannot make a folder %s: %s", folder,
                       strerror(errno));
    for (unsigned i = 0; i < BL_CURVES; i++)
        draw(folder, path, i, &curves[i], why_none);
    rmdir(folder);
    return BL_OK;
}

void bl_page_free_curves(struct bl_page_curve curves[BL_CURVES])
{
    for (unsigned i = 0; i < BL_CURVES; i++) {
        free(curves[i].svg);
        curves[i].svg = NULL;
    }
}
