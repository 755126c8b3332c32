/* Parsers for the values of options, and rows of a table that use them:
 *
 *     {"quick", NULL, "one shape alone", BL_FLAG(struct bl_plan_settings, quick)},
 *
 * The member must have the type that its parser writes. Numbers are read in the C locale. */
#ifndef BANKLINE_CLI_OPTION_VALUES_H
#define BANKLINE_CLI_OPTION_VALUES_H

#include "cli/command.h"
#include "model/launch.h"

typedef enum bl_status bl_option_parser(const struct bl_option *option, const char *text,
                                        void *member, struct bl_error *error);

bl_option_parser bl_parse_flag, /* bool */
    bl_parse_text,              /* const char *, which points into the command line */
    bl_parse_count,             /* unsigned, from 1 to max */
    bl_parse_percent,           /* double: "10%" or "10", between 0 and 100, as a fraction */
    bl_parse_seconds,           /* double: "0.5" or "0.5s", above 0, at most 3600 */
    bl_parse_shape,             /* struct bl_shape: "8x2", each side from 1 to max */
    bl_parse_extent,            /* the same, or "8", which is 8x1 */
    bl_parse_type,              /* struct bl_type */
    bl_parse_choice;            /* unsigned: the place of the word in the list */

/* offsetof, and a warning where the member is of another type. */
#define BL_MEMBER(type, settings, member) \
    (offsetof(settings, member) + 0 * sizeof((type *)0 == &((settings *)0)->member))

#define BL_FLAG(settings, member) \
    .parse = bl_parse_flag, .offset = BL_MEMBER(bool, settings, member)
#define BL_TEXT(settings, member) \
    .parse = bl_parse_text, .offset = BL_MEMBER(const char *, settings, member)
#define BL_COUNT(settings, member, max_) \
    .parse = bl_parse_count, .offset = BL_MEMBER(unsigned, settings, member), .max = max_
#define BL_PERCENT(settings, member) \
    .parse = bl_parse_percent, .offset = BL_MEMBER(double, settings, member)
#define BL_SECONDS(settings, member) \
    .parse = bl_parse_seconds, .offset = BL_MEMBER(double, settings, member)
#define BL_SHAPE(settings, member, max_) \
    .parse = bl_parse_shape, .offset = BL_MEMBER(struct bl_shape, settings, member), .max = max_
#define BL_EXTENT(settings, member, max_) \
    .parse = bl_parse_extent, .offset = BL_MEMBER(struct bl_shape, settings, member), .max = max_
#define BL_TYPE(settings, member)                                                  \
    .parse = bl_parse_type, .offset = BL_MEMBER(struct bl_type, settings, member), \
    .completes = BL_COMPLETE_TYPES
#define BL_CHOICE(settings, member, words_)                                    \
    .parse = bl_parse_choice, .offset = BL_MEMBER(unsigned, settings, member), \
    .completes = BL_COMPLETE_WORDS, .words = words_

#endif
