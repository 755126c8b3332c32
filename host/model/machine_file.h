/* Machines as text files, with one line `key = value` per field. A comment begins with '#'. The
 * table of fields declared here is used to read, check, print and compare machines, and to fill in
 * the results of `infer`.
 *
 * If the first key is `like` (`like = NAME`), the machine starts with the values of the built-in
 * machine NAME, except name, title, formerly and rests_on. The file then needs only a name and the
 * fields that differ. */
#ifndef BANKLINE_MODEL_MACHINE_FILE_H
#define BANKLINE_MODEL_MACHINE_FILE_H

#include <stdio.h>

#include "model/machine.h"

enum bl_field_kind {
    BL_FIELD_TEXT,
    BL_FIELD_FLAG,
    BL_FIELD_COUNT,
    BL_FIELD_POWER_OF_TWO, /* a power of two, or 0 if min is 0 */
    BL_FIELD_AMOUNT,       /* a double, written as a decimal number */
    BL_FIELD_NUMBERS,
    BL_FIELD_RANGES,   /* struct bl_range of PCI ids */
    BL_FIELD_VERSIONS, /* struct bl_range of numbers of BL_IP_VERSION */
    BL_FIELD_BANKS,    /* struct bl_banks */
    BL_FIELD_DEVICES
};

enum {
    BL_FIELD_OPTIONAL = 1,       /* a file may omit the field */
    BL_FIELD_INFERRED = 2,       /* `infer` fills in the field: with its finding of the same key,
                                    if there is one */
    BL_FIELD_ZERO_IS_UNKNOWN = 4 /* 0 means unknown */
};

struct bl_machine_field {
    const char *key;
    enum bl_field_kind kind;
    size_t offset, size; /* bytes, within struct bl_machine */
    unsigned min, max;   /* limits of a number */
    unsigned start;      /* value in a machine about which nothing is known */
    unsigned flags;
    const char *meaning; /* explanation with unit; each line becomes a comment */
};

/* Every field, in the order of the file. */
extern const struct bl_machine_field bl_machine_fields[];
extern const size_t bl_machine_field_count;

/* An upper bound of bl_machine_field_count. */
enum { BL_MAX_MACHINE_FIELDS = 256 };

/* The names of enum bl_machine_devices. */
enum { BL_MACHINE_DEVICE_NAMES = BL_FOR_GPU + 1 };
extern const char *const bl_machine_device_names[BL_MACHINE_DEVICE_NAMES];

/* A range or a bank configuration is a pair of numbers; in a list, 0 follows the last pair. */
enum { BL_NUMBERS_OF_PAIR = 2 };
_Static_assert(sizeof(struct bl_range) == BL_NUMBERS_OF_PAIR * sizeof(unsigned) &&
                   sizeof(struct bl_banks) == sizeof(struct bl_range),
               "the fields of pairs are read and printed as arrays of numbers");

/* Finds the field with this key; NULL if there is none. */
const struct bl_machine_field *bl_machine_field_named(const char *key);

/* A field's value as a number; 'yes' is 1 and 'no' is 0. NAN if the field is neither a number nor a
 * flag, or if its value is unknown. */
double bl_machine_value(const struct bl_machine *machine, const struct bl_machine_field *field);

/* Writes the field's value as in a file. The array `text` must be large enough. Returns BL_OK or
 * BL_NO_MEMORY. */
enum bl_status bl_machine_value_text(const struct bl_machine *machine,
                                     const struct bl_machine_field *field, char text[], size_t size,
                                     struct bl_error *error);

/* Sets a number or a flag. A number is clamped to the field's limits; a count is rounded to an
 * integer, and an amount to four significant digits. Does nothing for fields of other kinds. */
void bl_machine_set(struct bl_machine *machine, const struct bl_machine_field *field, double value);

/* A machine about which nothing is known: all fields have their start values. */
struct bl_machine bl_machine_start(void);

/* Prints the machine as a file that the user can edit, with an explanation of every field. */
void bl_machine_print(FILE *file, const struct bl_machine *machine);

/* Reads a machine from a file. Fails with BL_FILE_FAILED if the file cannot be read. Fails with
 * BL_BAD_FORMAT if a key is unknown, repeated or missing, or if a value is out of its range or
 * contradicts another; the error names the file, the key and, if a single line is wrong, the line.
 */
enum bl_status bl_machine_read(const char *path, struct bl_machine *machine,
                               struct bl_error *error);

/* Finds the built-in machine with this name, or else reads the file with this path into *storage;
 * *machine points to the result. Fails with BL_UNKNOWN_MACHINE if there is neither and the name
 * contains no '/', and otherwise like bl_machine_read. */
enum bl_status bl_machine_named(const char *name, struct bl_machine *storage,
                                const struct bl_machine **machine, struct bl_error *error);

#endif
