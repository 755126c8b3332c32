#include "report/row.h"

#include <math.h>

const char *bl_row_status_name(enum bl_row_status status)
{
    static const char *const names[] = {"ok",    "noisy",        "skipped",   "unsupported",
                                        "error", "wrong-result", "bad-clock", "impossible"};
    return names[status];
}

enum bl_row_status bl_row_status_of(enum bl_status status)
{
    switch (status) {
    case BL_OK:
        return BL_ROW_OK;
    case BL_WRONG_RESULT:
        return BL_ROW_WRONG_RESULT;
    case BL_BAD_CLOCK:
        return BL_ROW_BAD_CLOCK;
    case BL_IMPOSSIBLE:
        return BL_ROW_IMPOSSIBLE;
    default:
        return BL_ROW_ERROR;
    }
}

struct bl_row bl_row_empty(void)
{
    return (struct bl_row){
        .schema = BL_CSV_SCHEMA,
        .claim = NAN,
        .lines = NAN,
        .sectors = NAN,
        .cpu_mhz = NAN,
        .device_mhz = NAN,
        .bank_passes = NAN,
        .predicted = NAN,
        .measured = NAN,
        .measured_lo = NAN,
        .measured_hi = NAN,
        .verdict = BL_NO_VERDICT,
        .bytes_per_clock_cu = NAN,
        .gbytes_per_s = NAN,
        .ns_per_request = NAN,
        .seconds = NAN,
    };
}

#define COLUMN(name, kind, member)                               \
    {                                                            \
        name, BL_COLUMN_##kind, offsetof(struct bl_row, member), \
            sizeof(((struct bl_row *)0)->member)                 \
    }

static const struct bl_column columns[] = {
    COLUMN("schema", UNSIGNED, schema),
    COLUMN("run_id", TEXT, run_id),
    COLUMN("time_utc", TEXT, time_utc),
    COLUMN("tool_version", TEXT, tool_version),
    COLUMN("host", TEXT, host),
    COLUMN("platform", TEXT, platform),
    COLUMN("device", TEXT, device),
    COLUMN("driver", TEXT, driver),
    COLUMN("machine", TEXT, machine),
    COLUMN("case", TEXT, case_id),
    COLUMN("suite", TEXT, suite),
    COLUMN("memory", TEXT, memory),
    COLUMN("type", TEXT, type),
    COLUMN("shape", TEXT, shape),
    COLUMN("lanes", UNSIGNED, lanes),
    COLUMN("working_set_bytes", U64, working_set_bytes),
    COLUMN("claim", NUMBER, claim),
    COLUMN("lines", NUMBER, lines),
    COLUMN("bank_passes", NUMBER, bank_passes),
    COLUMN("predicted", NUMBER, predicted),
    COLUMN("measured", NUMBER, measured),
    COLUMN("measured_lo", NUMBER, measured_lo),
    COLUMN("measured_hi", NUMBER, measured_hi),
    COLUMN("verdict", VERDICT, verdict),
    COLUMN("status", STATUS, status),
    COLUMN("reason", TEXT, reason),
    COLUMN("bytes_per_clock_cu", NUMBER, bytes_per_clock_cu),
    COLUMN("gbytes_per_s", NUMBER, gbytes_per_s),
    COLUMN("ns_per_request", NUMBER, ns_per_request),
    COLUMN("samples", U64, samples),
    COLUMN("seconds", NUMBER, seconds),
    COLUMN("direction", DIRECTION, direction),
    COLUMN("note", TEXT, note),
    COLUMN("sectors", NUMBER, sectors),
    COLUMN("os", TEXT, os),
    COLUMN("cpu", TEXT, cpu),
    COLUMN("governor", TEXT, governor),
    COLUMN("cpu_mhz", NUMBER, cpu_mhz),
    COLUMN("device_mhz", NUMBER, device_mhz),
};

const struct bl_column *bl_columns(size_t *count)
{
    *count = sizeof columns / sizeof columns[0];
    return columns;
}

size_t bl_columns_of_schema(unsigned schema)
{
    static const size_t counts[BL_CSV_SCHEMA + 1] = {0, 31, 33, 34,
                                                     sizeof columns / sizeof columns[0]};
    return schema <= BL_CSV_SCHEMA ? counts[schema] : 0;
}
