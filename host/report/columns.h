/* The list of a row's columns. The list generates the structs of row.h, the writers of CSV and
 * JSON, the history's tables, and the readers of CSV and history.
 *
 * COLUMN(schema, kind, size, member, name): the schema in which the column was added; its kind
 * (TEXT, UNSIGNED, U64, NUMBER, VERDICT, STATUS or DIRECTION); for a text its size in bytes, else
 * 0; the member of the struct; the column's name in files. RUN columns describe the run, KEY
 * columns except the machine identify the row (bl_row_key_compare), and ROW columns are the row's
 * results. The CSV has the columns in this order: append new columns at the end, and increase
 * BL_CSV_SCHEMA.
 *
 * results/README.md explains each column's meaning and unit, and when the column is empty. */
#ifndef BANKLINE_REPORT_COLUMNS_H
#define BANKLINE_REPORT_COLUMNS_H

enum { BL_CSV_SCHEMA = 10 };

#define BL_COLUMNS(RUN, KEY, ROW)                                   \
    RUN(1, UNSIGNED, 0, schema, "schema")                           \
    RUN(1, TEXT, 64, run_id, "run_id")                              \
    RUN(1, TEXT, 32, time_utc, "time_utc")                          \
    RUN(1, TEXT, 64, tool_version, "tool_version")                  \
    RUN(1, TEXT, 128, host, "host")                                 \
    RUN(1, TEXT, 128, platform, "platform")                         \
    RUN(1, TEXT, 128, device, "device")                             \
    RUN(1, TEXT, 128, driver, "driver")                             \
    KEY(1, TEXT, 32, machine, "machine")                            \
    KEY(1, TEXT, 448, case_id, "case")                              \
    ROW(1, TEXT, 32, suite, "suite")                                \
    ROW(1, TEXT, 16, memory, "memory")                              \
    KEY(1, TEXT, 16, type, "type")                                  \
    KEY(1, TEXT, 24, shape, "shape")                                \
    KEY(1, UNSIGNED, 0, lanes, "lanes")                             \
    KEY(1, U64, 0, working_set_bytes, "working_set_bytes")          \
    ROW(1, NUMBER, 0, claim, "claim")                               \
    ROW(1, NUMBER, 0, lines, "lines")                               \
    ROW(1, NUMBER, 0, bank_passes, "bank_passes")                   \
    ROW(1, NUMBER, 0, predicted, "predicted")                       \
    ROW(1, NUMBER, 0, measured, "measured")                         \
    ROW(1, NUMBER, 0, measured_lo, "measured_lo")                   \
    ROW(1, NUMBER, 0, measured_hi, "measured_hi")                   \
    ROW(1, VERDICT, 0, verdict, "verdict")                          \
    ROW(1, STATUS, 0, status, "status")                             \
    ROW(1, TEXT, 768, reason, "reason")                             \
    ROW(1, NUMBER, 0, bytes_per_clock_cu, "bytes_per_clock_cu")     \
    ROW(1, NUMBER, 0, gbytes_per_s, "gbytes_per_s")                 \
    ROW(1, NUMBER, 0, ns_per_request, "ns_per_request")             \
    ROW(1, U64, 0, samples, "samples")                              \
    ROW(1, NUMBER, 0, seconds, "seconds")                           \
    ROW(2, DIRECTION, 0, direction, "direction")                    \
    ROW(2, TEXT, 448, note, "note")                                 \
    ROW(3, NUMBER, 0, sectors, "sectors")                           \
    RUN(4, TEXT, 128, os, "os")                                     \
    RUN(4, TEXT, 128, cpu, "cpu")                                   \
    RUN(4, TEXT, 32, governor, "governor")                          \
    ROW(4, NUMBER, 0, cpu_mhz, "cpu_mhz")                           \
    ROW(4, NUMBER, 0, device_mhz, "device_mhz")                     \
    ROW(5, NUMBER, 0, case_ns, "case_ns")                           \
    ROW(5, NUMBER, 0, baseline_ns, "baseline_ns")                   \
    ROW(5, UNSIGNED, 0, placements, "placements")                   \
    ROW(5, TEXT, 24, kernels, "kernels")                            \
    RUN(5, TEXT, 64, device_id, "device_id")                        \
    ROW(5, TEXT, 16, level, "level")                                \
    ROW(5, TEXT, 16, bound, "bound")                                \
    ROW(5, NUMBER, 0, distance, "distance")                         \
    ROW(5, VERDICT, 0, claim_verdict, "claim_verdict")              \
    ROW(6, NUMBER, 0, case_ns_lo, "case_ns_lo")                     \
    ROW(6, NUMBER, 0, case_ns_hi, "case_ns_hi")                     \
    ROW(6, NUMBER, 0, baseline_ns_lo, "baseline_ns_lo")             \
    ROW(6, NUMBER, 0, baseline_ns_hi, "baseline_ns_hi")             \
    ROW(7, NUMBER, 0, fetched_gbytes_per_s, "fetched_gbytes_per_s") \
    ROW(8, TEXT, 16, claim_source, "claim_source")                  \
    ROW(8, NUMBER, 0, device_watts, "device_watts")                 \
    ROW(8, TEXT, 64, throttled, "throttled")                        \
    RUN(9, TEXT, 1024, asked_for, "asked_for")                      \
    ROW(10, TEXT, 128, placement_ratios, "placement_ratios")

#endif
