/* Tests error messages, the selection of a device, and the loading of kernel sources. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cl/device.h"
#include "cl/session.h"

Test(status, context_precedes_the_sentence_and_is_truncated_to_fit)
{
    struct bl_error error = {0};
    bl_fail(&error, BL_OPENCL_FAILED, "clFinish failed: %s", "CL_OUT_OF_RESOURCES");
    bl_error_context(&error, "case %d", 7);
    cr_assert_str_eq(error.sentence, "case 7: clFinish failed: CL_OUT_OF_RESOURCES");
    for (int i = 0; i < 1000; i++)
        bl_error_context(&error, "deeper");
    cr_assert_lt(strlen(error.sentence), sizeof error.sentence);
    cr_assert_eq(bl_fail(NULL, BL_USAGE, "without an error to fill in"), BL_USAGE);
    bl_error_context(NULL, "without an error to fill in");
}

Test(status, each_status_has_its_exit_status)
{
    cr_assert_eq(bl_status_exit(BL_OK), 0);
    cr_assert_eq(bl_status_exit(BL_BAD_NEWS), 1);
    cr_assert_eq(bl_status_exit(BL_UNKNOWN_CASE), 2);
    cr_assert_eq(bl_status_exit(BL_NO_DEVICE), 3);
    cr_assert_eq(bl_status_exit(BL_FILE_FAILED), 4);
    cr_assert_eq(bl_status_exit((enum bl_status)999), 3);
    cr_assert_not_null(bl_status_words((enum bl_status)999));
}

static const struct bl_device devices[] = {
    {.name = "A processor",
     .platform_name = "Portable Computing Language",
     .device_index = 0,
     .type = BL_DEVICE_CPU},
    {.name = "Graphics Alpha",
     .platform_name = "Vendor OpenCL",
     .platform_index = 1,
     .type = BL_DEVICE_GPU},
    {.name = "Graphics Beta",
     .platform_name = "Vendor OpenCL",
     .platform_index = 1,
     .device_index = 1,
     .type = BL_DEVICE_GPU},
};

static const struct bl_device *chosen;
static struct bl_error error;

static enum bl_status choose(const char *selector)
{
    return bl_device_select(devices, 3, selector, &chosen, &error);
}

Test(select, the_default_is_the_first_gpu_or_else_the_first_device)
{
    cr_assert_eq(choose(NULL), BL_OK);
    cr_assert_str_eq(chosen->name, "Graphics Alpha");
    cr_assert_eq(bl_device_select(devices, 1, NULL, &chosen, &error), BL_OK);
    cr_assert_str_eq(chosen->name, "A processor");
}

Test(select, devices_are_selected_by_index_and_name_and_platform_in_any_case)
{
    cr_assert_eq(choose("1:1"), BL_OK);
    cr_assert_str_eq(chosen->name, "Graphics Beta");
    cr_assert_eq(choose("bETA"), BL_OK);
    cr_assert_str_eq(chosen->name, "Graphics Beta");
    cr_assert_eq(choose("portable"), BL_OK);
    cr_assert_str_eq(chosen->name, "A processor");
}

Test(select, digits_are_an_index_and_never_part_of_a_name)
{
    struct bl_device numbered[] = {devices[0], devices[1]};
    strcpy(numbered[0].name, "processor avx512");
    cr_assert_eq(bl_device_select(numbered, 2, "5", &chosen, &error), BL_NO_DEVICE);
    cr_assert(strstr(error.sentence, "'5'; available: 0:0"), "%s", error.sentence);
    cr_assert_eq(bl_device_select(numbered, 2, "512", &chosen, &error), BL_NO_DEVICE);
    cr_assert_eq(bl_device_select(numbered, 2, "5:1", &chosen, &error), BL_NO_DEVICE);
    cr_assert_eq(bl_device_select(numbered, 2, "18446744073709551616", &chosen, &error),
                 BL_NO_DEVICE);
    cr_assert_eq(bl_device_select(numbered, 2, "avx512", &chosen, &error), BL_OK);
    cr_assert_eq(choose("1"), BL_OK);
    cr_assert_str_eq(chosen->name, "Graphics Alpha", "the first device of platform 1");
    cr_assert_eq(choose("0"), BL_OK);
    cr_assert_str_eq(chosen->name, "A processor");
    cr_assert_eq(choose("+1:1"), BL_NO_DEVICE);
    cr_assert_eq(choose("1: 1"), BL_NO_DEVICE);
}

Test(select, no_match_and_several_matches_are_errors_that_list_the_devices)
{
    cr_assert_eq(choose("gamma"), BL_NO_DEVICE);
    cr_assert(strstr(error.sentence, "gamma") && strstr(error.sentence, "0:0 A processor"));
    cr_assert_eq(choose("2:0"), BL_NO_DEVICE);
    cr_assert_eq(choose("1:1x"), BL_NO_DEVICE);
    cr_assert_eq(choose("vendor"), BL_AMBIGUOUS_DEVICE);
    cr_assert(strstr(error.sentence, "1:0 Graphics Alpha, 1:1 Graphics Beta"));
    cr_assert(!strstr(error.sentence, "A processor"));
    cr_assert_null(chosen);
    cr_assert_eq(bl_device_select(devices, 0, NULL, &chosen, &error), BL_NO_DEVICE);
}

Test(source, an_include_is_replaced_by_the_file_with_line_directives)
{
    char *text;
    cr_assert_eq(bl_source_load(NULL, "global.cl", &text, NULL), BL_OK);
    cr_assert_not_null(strstr(text, "#line 1 \"global.cl\"\n"));
    cr_assert_not_null(strstr(text, "#line 1 \"patterns.h\"\n"));
    cr_assert_not_null(strstr(text, "PATTERN(STRIDE_17, get_global_id(0) * 17)"));
    cr_assert_null(strstr(text, "#include"));
    free(text);
}

Test(source, line_numbers_of_a_compiler_that_ignores_line_directives_are_corrected)
{
    const char text[] = "#line 1 \"a.cl\"\nint x;\n#line 1 \"b.h\"\ny\nz\n#line 3 \"a.cl\"\nw\n";
    char log[256] =
        "<kernel>:2:5: error: x\nno <kernel>:x: place\n<kernel>:5:1: e\n<kernel>:7:2: f";
    bl_source_place(text, log, sizeof log);
    cr_assert_str_eq(log, "a.cl:1:5: error: x\nno <kernel>:x: place\nb.h:2:1: e\na.cl:3:2: f");
    char small[] = "<kernel>:2:5";
    bl_source_place("#line 1 \"a-long-name.cl\"\nx\n", small, sizeof small);
    cr_assert_str_eq(small, "<kernel>:2:5", "a correction that does not fit is not made");
}

Test(source, a_hash_depends_only_on_what_a_compiler_sees)
{
    const char *const text = "#line 1 \"a.cl\"\nint a = 1; /* one */\n#define B a + 2\n";
    static const char *const alike[] = {
        "#line 1 \"a.cl\"\nint a = 1; /* another\n * one */\n#define B a + 2\n",
        "#line 7 \"b.cl\"\n\n  int a = 1; // one\n#define B   a + 2",
        "int a = 1;\n#line 3 \"c\"\n#define B a + 2 /*",
    };
    static const char *const others[] = {"int a = 2;\n#define B a + 2",
                                         "int a = 1;\n#define B a +2", "inta = 1;\n#define B a + 2",
                                         ""};
    const uint64_t hash = bl_source_hash(1, text);
    for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++)
        cr_assert_eq(bl_source_hash(1, alike[i]), hash, "%s", alike[i]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_assert_neq(bl_source_hash(1, others[i]), hash, "%s", others[i]);
    cr_assert_neq(bl_source_hash(2, text), hash);
}

Test(source, a_folder_replaces_the_embedded_files)
{
    char folder[] = "/tmp/bankline-test-XXXXXX", path[64], other_path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/own.cl", folder);
    FILE *file = fopen(path, "w");
    fputs("// first\n#include \"own.cl\"", file);
    fclose(file);
    char *text;
    cr_assert_eq(bl_source_load(folder, "own.cl", &text, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, "nested"), "%s", error.sentence);
    file = fopen(path, "w");
    fputs("// first\n#include \"other.h\"\n// no line end", file);
    fclose(file);
    snprintf(other_path, sizeof other_path, "%s/other.h", folder);
    file = fopen(other_path, "w");
    fputs("// other\n", file);
    fclose(file);
    cr_assert_eq(bl_source_load(folder, "own.cl", &text, &error), BL_OK);
    cr_assert_str_eq(text, "#line 1 \"own.cl\"\n// first\n#line 1 \"other.h\"\n// other\n"
                           "#line 3 \"own.cl\"\n// no line end\n");
    free(text);
    unlink(other_path);
    cr_assert_eq(bl_source_load(folder, "global.cl", &text, &error), BL_FILE_FAILED);
    cr_assert(strstr(error.sentence, folder));
    cr_assert_eq(bl_source_load(NULL, "own.cl", &text, &error), BL_FILE_FAILED);
    unlink(path);
    rmdir(folder);
}
