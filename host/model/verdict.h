/* Whether a measured interval agrees with an expected ratio. */
#ifndef BANKLINE_MODEL_VERDICT_H
#define BANKLINE_MODEL_VERDICT_H

enum bl_verdict {
    BL_CONFIRMED, /* the interval lies inside expected +- tolerance */
    BL_REFUTED,   /* it lies outside */
    BL_UNCLEAR,   /* it straddles an end */
    BL_NO_RULE,   /* the model has no rule for this machine */
    BL_NO_VERDICT /* nothing was measured */
};

/* expected > 0, lo <= hi; tolerance is a fraction of expected (0.1 is 10 %). */
enum bl_verdict bl_verdict_of(double expected, double lo, double hi, double tolerance);

/* A claim in words: the case against its baseline. */
enum bl_direction { BL_ANY_DIRECTION, BL_FASTER, BL_SLOWER };

/* Whether the interval of the ratio lies on the side that the words say, and by 2 % or more: less
 * is not what anyone means by faster. direction is not BL_ANY_DIRECTION. */
enum bl_verdict bl_verdict_of_direction(enum bl_direction direction, double lo, double hi);

/* "faster", "slower", or "". */
const char *bl_direction_name(enum bl_direction direction);

/* "confirmed", ...; "" for BL_NO_VERDICT. */
const char *bl_verdict_name(enum bl_verdict verdict);

#endif
