#include "model/verdict.h"

enum bl_verdict bl_verdict_of(double expected, double lo, double hi, double tolerance)
{
    const double min = expected * (1 - tolerance), max = expected * (1 + tolerance);
    if (lo >= min && hi <= max)
        return BL_CONFIRMED;
    if (hi < min || lo > max)
        return BL_REFUTED;
    return BL_UNCLEAR;
}

enum bl_verdict bl_verdict_of_direction(enum bl_direction direction, double lo, double hi)
{
    const double margin = 0.02;
    if (direction == BL_FASTER ? lo > 1 + margin : hi < 1 - margin)
        return BL_CONFIRMED;
    if (direction == BL_FASTER ? hi < 1 + margin : lo > 1 - margin)
        return BL_REFUTED;
    return BL_UNCLEAR;
}

const char *bl_direction_name(enum bl_direction direction)
{
    static const char *const names[] = {"", "faster", "slower"};
    return names[direction];
}

const char *bl_verdict_name(enum bl_verdict verdict)
{
    static const char *const names[] = {"confirmed", "refuted", "unclear", "no-rule", ""};
    return names[verdict];
}
