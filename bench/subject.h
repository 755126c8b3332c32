/* A pattern on a device as the sampler's subject: builds its kernel, launches it, and checks every
 * work-item's sum at each new length. */
#ifndef BANKLINE_BENCH_SUBJECT_H
#define BANKLINE_BENCH_SUBJECT_H

#include "measure/sampler.h"
#include "measure_case.h"

enum { BL_CHECKED_LENGTHS = 16 };

struct bl_reader {
    struct bl_subject subject; /* its context is the reader */
    struct bl_session *session;
    struct bl_kernel *kernel;
    struct bl_launch launch;
    uint32_t *round_sums; /* for each work-item, what one round adds */
    uint32_t *sums;       /* room to read them back */
    uint32_t checked[BL_CHECKED_LENGTHS]; /* lengths whose sums were right */
    unsigned checked_count;
};

/* Fills in the reader; close it whatever is returned. The reader must not move afterwards. */
enum bl_status bl_reader_open(const struct bl_bench *bench, enum bl_pattern pattern,
                              const struct bl_launch *launch, struct bl_reader *reader,
                              struct bl_error *error);

void bl_reader_close(struct bl_reader *reader);

#endif
