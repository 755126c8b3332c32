/* Tests the points of `try` as a table and as a picture: what is on the x axis, which points a line
 * joins, and how lines are named. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/try_view.h"
#include "report/run.h"

static struct bl_try_point all[512];
static struct bl_try_points points;
static char *text;

static struct bl_try_point *add(const char *name, const char *machine, const char *shape,
                                double predicted)
{
    struct bl_try_point *point = &all[points.count++];
    *point = (struct bl_try_point){.name = (char *)(uintptr_t)name,
                                   .predicted = predicted,
                                   .measured = NAN,
                                   .measured_lo = NAN,
                                   .measured_hi = NAN};
    cr_assert_lt(strlen(machine), sizeof point->machine);
    cr_assert_lt(strlen(shape), sizeof point->shape);
    strcpy(point->machine, machine);
    strcpy(point->shape, shape);
    return point;
}

static void add_swept(const char *sweep, int64_t first, int64_t second, double predicted)
{
    struct bl_try_point *point = add("swept", "m", "32x1", predicted);
    point->sweep = sweep;
    point->values[0] = first;
    point->values[1] = second;
}

static void begin(void)
{
    points = (struct bl_try_points){.all = all};
    snprintf(points.title, sizeof points.title, "reads of int in global memory");
}

static void end(void)
{
    free(text);
    text = NULL;
}

TestSuite(try_points, .init = begin, .fini = end);

static void draw(void (*drawing)(FILE *file, const struct bl_try_points *points))
{
    size_t bytes;
    free(text);
    text = NULL;
    FILE *file = open_memstream(&text, &bytes);
    cr_assert_not_null(file);
    drawing(file, &points);
    cr_assert_eq(fclose(file), 0);
}

static unsigned count_of(const char *part)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

#define EXPECT_COUNT(part, expected) \
    cr_expect_eq(count_of(part), expected, "%u of '%s' in\n%s", count_of(part), part, text)

Test(try_points, without_points_the_picture_and_the_table_are_empty)
{
    draw(bl_try_points_svg);
    cr_expect(strstr(text, "global memory: 0 points"));
    EXPECT_COUNT("<polyline", 0);
    EXPECT_COUNT("<line", 0);
    EXPECT_COUNT("</svg>", 1);
    draw(bl_try_points_table);
    cr_expect_null(strstr(text, "reads of int"));
    draw(bl_try_points_html);
    EXPECT_COUNT("<tr>", 1);
}

Test(try_points, a_single_point_is_in_the_middle)
{
    add("a", "m", "32x1", 0.5);
    draw(bl_try_points_svg);
    EXPECT_COUNT("<circle", 1);
    EXPECT_COUNT("cx=\"278.0\"", 1);
    EXPECT_COUNT(">circle: predicted</text>", 1);
    draw(bl_try_points_html);
    cr_expect(strstr(text, "Machine m. Groups of 32x1. The slowest of 1: a, with 1/2 of the "
                           "throughput of contiguous accesses, by the model."),
              "%s", text);
    EXPECT_COUNT("<th scope=\"col\"", 5); /* nothing was measured, and all points have the same
                                             machine and shape */
}

Test(try_points, names_are_on_the_axis_and_lines_are_shapes_and_machines)
{
    static const char *const machines[] = {"m1", "m2"}, *const shapes[] = {"32x1", "8x4"};
    for (unsigned m = 0; m < 2; m++)
        for (unsigned s = 0; s < 2; s++) {
            add("first<", machines[m], shapes[s], 1);
            add("second", machines[m], shapes[s], 0.25);
        }
    draw(bl_try_points_svg);
    EXPECT_COUNT("<polyline", 0); /* points of different expressions are not joined */
    EXPECT_COUNT("<circle", 8 + 4);
    EXPECT_COUNT("text-anchor=\"middle\">first&lt;</text>", 1);
    EXPECT_COUNT("text-anchor=\"middle\">second</text>", 1);
    for (unsigned m = 0; m < 2; m++)
        for (unsigned s = 0; s < 2; s++) {
            char name[32];
            snprintf(name, sizeof name, ">%s, %s</text>", machines[m], shapes[s]);
            EXPECT_COUNT(name, 1);
        }
    draw(bl_try_points_table);
    cr_expect_null(strstr(text, ", machine "));
    cr_expect_null(strstr(text, "groups of"));
    EXPECT_COUNT("8x4", 4);
}

Test(try_points, shapes_are_on_the_axis_if_names_do_not_differ)
{
    add("a", "m1", "32x1", 1);
    add("a", "m1", "8x4", 0.5);
    add("a", "m2", "32x1", 1);
    add("a", "m2", "8x4", 0.25);
    draw(bl_try_points_svg);
    EXPECT_COUNT("text-anchor=\"middle\">32x1</text>", 1);
    EXPECT_COUNT("text-anchor=\"middle\">8x4</text>", 1);
    EXPECT_COUNT("<polyline", 0);
    EXPECT_COUNT(">m1</text>", 1);
    EXPECT_COUNT(">m2</text>", 1);
}

Test(try_points, machines_are_on_the_axis_if_nothing_else_differs)
{
    add("a", "m1", "32x1", 1);
    add("a", "m2", "32x1", 0.5);
    draw(bl_try_points_svg);
    EXPECT_COUNT("text-anchor=\"middle\">m1</text>", 1);
    EXPECT_COUNT("text-anchor=\"middle\">m2</text>", 1);
    EXPECT_COUNT("<circle", 2);
    draw(bl_try_points_table);
    cr_expect(strstr(text, "in global memory, groups of 32x1\n"), "%s", text);
}

Test(try_points, the_first_swept_number_is_on_the_axis_and_the_other_numbers_name_the_lines)
{
    for (int64_t first = 1; first <= 3; first++)
        for (int64_t second = 5; second <= 6; second++)
            add_swept("x * {1..3} + {5,6}", first, second, 1.0 / (double)first);
    draw(bl_try_points_svg);
    EXPECT_COUNT("<polyline", 2);
    EXPECT_COUNT(">{5,6} = 5</text>", 1);
    EXPECT_COUNT(">{5,6} = 6</text>", 1);
    EXPECT_COUNT(">x * {1..3} + {5,6}</text>", 1);
    EXPECT_COUNT("text-anchor=\"middle\">2</text>", 1);
    /* With a second expression, each line is named after its expression, and x is the first number.
     */
    add_swept("x / {1..3}", 1, 0, 1);
    add_swept("x / {1..3}", 2, 0, 0.5);
    draw(bl_try_points_svg);
    EXPECT_COUNT("<polyline", 3);
    EXPECT_COUNT(">x / {1..3}</text>", 1);
    EXPECT_COUNT(">x * {1..3} + {5,6}, {5,6} =", 2);
    EXPECT_COUNT(">the first number</text>", 1);
}

Test(try_points, a_sweep_beside_a_plain_expression_has_names_on_its_axis)
{
    add_swept("x * {1..2}", 1, 0, 1);
    add("plain", "m", "32x1", 0.5);
    draw(bl_try_points_svg);
    EXPECT_COUNT("text-anchor=\"middle\">swept</text>", 1);
    EXPECT_COUNT("text-anchor=\"middle\">plain</text>", 1);
}

Test(try_points, unknown_points_are_left_out_and_measured_ones_have_intervals)
{
    struct bl_try_point *measured = add("a", "m", "32x1", 0.5);
    measured->measured = 1.5;
    measured->measured_lo = 1.4;
    measured->measured_hi = 2;
    add("b", "m", "32x1", NAN)->cost.lines = NAN;
    draw(bl_try_points_svg);
    EXPECT_COUNT("<rect", 1);
    EXPECT_COUNT("<circle", 1);
    EXPECT_COUNT("predicted 0.5, measured 1.5", 1);
    EXPECT_COUNT(">circle: predicted; square: measured, with its 95 % interval</text>", 1);
    EXPECT_COUNT("nan", 0);
    cr_expect(strstr(text, "text-anchor=\"end\">2<"), "the axis includes the interval's end");
    draw(bl_try_points_html);
    EXPECT_COUNT("<td>1.5</td>", 1);
    EXPECT_COUNT("nan", 0);
    EXPECT_COUNT("<td></td>", 3);
    draw(bl_try_points_table);
    EXPECT_COUNT("nan", 0);
}

Test(try_points, measurements_are_drawn_if_nothing_is_predicted)
{
    for (int64_t i = 1; i <= 3; i++) {
        add_swept("x * {1..3}", i, 0, NAN);
        all[i - 1].measured = all[i - 1].measured_lo = all[i - 1].measured_hi = 0.5;
    }
    draw(bl_try_points_svg);
    EXPECT_COUNT("<rect", 3);
    EXPECT_COUNT("<polyline", 0);
    EXPECT_COUNT("<circle", 0);
    EXPECT_COUNT("nan", 0);
    EXPECT_COUNT("32x1, m: measured 0.5</title>", 3);
    EXPECT_COUNT(">square: measured, with its 95 % interval</text>", 1);
    EXPECT_COUNT("predicted", 0);
}

Test(try_points, a_table_states_once_why_nothing_is_predicted)
{
    static char why[] = "no banks";
    for (unsigned i = 0; i < 2; i++)
        add(i == 0 ? "a" : "b", "none", "32x1", NAN)->why = why;
    add("a", "some", "32x1", 0.5);
    add("b", "some", "32x1", NAN)->why = why;
    add("c", "some", "64x32", 0.5)->group_limit = 1024;
    draw(bl_try_points_table);
    EXPECT_COUNT("\nA group of 64x32 can only be predicted", 1);
    EXPECT_COUNT("\nnone ", 0);
    EXPECT_COUNT("machine none: no predictions: no banks\n", 1);
    EXPECT_COUNT("machine some: no prediction of b: no banks\n", 1);
    EXPECT_COUNT("\nsome ", 3);
}

Test(try_points, columns_are_no_wider_than_their_texts)
{
    add("a", "nvidia-hopper", "32x1", 0.5);
    add("b", "intel-gen9", "8x8", 0.5);
    draw(bl_try_points_table);
    cr_expect(strstr(text, "\nmachine        shape  means"), "%s", text);
}

Test(try_points, ticks_are_round_numbers)
{
    for (int64_t i = 1; i <= 64; i++)
        add_swept("x * {1..64}", i, 0, 1.244);
    draw(bl_try_points_svg);
    for (unsigned tick = 10; tick <= 60; tick += 10) {
        char label[64];
        snprintf(label, sizeof label, "text-anchor=\"middle\">%u</text>", tick);
        EXPECT_COUNT(label, 1);
    }
    EXPECT_COUNT("text-anchor=\"middle\"", 6);
    EXPECT_COUNT("text-anchor=\"end\">0</text>", 1);
    EXPECT_COUNT("text-anchor=\"end\">0.5</text>", 1);
    EXPECT_COUNT("text-anchor=\"end\">1</text>", 1);
    EXPECT_COUNT("text-anchor=\"end\">1.5</text>", 1);
    EXPECT_COUNT("text-anchor=\"end\"", 4);
    begin();
    add_swept("x * {5}", 5, 0, 1);
    draw(bl_try_points_svg);
    EXPECT_COUNT("text-anchor=\"middle\">5</text>", 1);
    EXPECT_COUNT("text-anchor=\"end\">0.2</text>", 1);
}

Test(try_points, many_lines_and_points_are_drawn_but_not_all_are_named_or_marked)
{
    static char machines[20][8];
    for (unsigned i = 0; i < 20; i++) {
        snprintf(machines[i], sizeof machines[i], "m%u", i);
        add("a", machines[i], "32x1", 1);
        add("b", machines[i], "32x1", 0.5);
    }
    draw(bl_try_points_svg);
    EXPECT_COUNT("<circle", 40 + 16);
    EXPECT_COUNT(">m15</text>", 1);
    EXPECT_COUNT(">m16</text>", 0);
    EXPECT_COUNT(">and 4 more</text>", 1);
    begin();
    for (int64_t i = 0; i < 401; i++)
        add_swept("x * {0..400}", i, 0, 0.5);
    all[7].measured = all[7].measured_lo = all[7].measured_hi = 0.5;
    draw(bl_try_points_svg);
    EXPECT_COUNT("<circle", 0);
    EXPECT_COUNT("<rect", 1);
    EXPECT_COUNT("<polyline", 1);
}

Test(try_points, measured_ratios_are_assigned_to_points_by_name)
{
    struct bl_row rows[3] = {bl_row_empty(), bl_row_empty(), bl_row_empty()};
    strcpy(rows[0].key.case_id, "try/a");
    strcpy(rows[1].key.case_id, "try/a");
    strcpy(rows[2].key.case_id, "try/c");
    rows[0].measured = 0.25;
    rows[2].measured = 0.75;
    add("a", "m", "32x1", 1);
    add("c", "m", "32x1", 1);
    add("d", "m", "32x1", 1);
    bl_try_points_measured(&points, &(struct bl_run_rows){.rows = rows, .count = 3});
    cr_expect_eq(all[0].measured, 0.25,
                 "the first row of a name counts: the one measured in the cache");
    cr_expect_eq(all[1].measured, 0.75);
    cr_expect(isnan(all[2].measured));
}
