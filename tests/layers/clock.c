/* Under this layer events lie about their end, as BANKLINE_TEST_CLOCK says: zero, reverse, fast (a
 * thousandth of the time) or slow (a thousand times). */
#include "layer.h"

static const char *lie;

static cl_int CL_API_CALL profiling_info(cl_event event, cl_profiling_info name, size_t size,
                                         void *value, size_t *needed)
{
    const cl_int code = real->clGetEventProfilingInfo(event, name, size, value, needed);
    cl_ulong start, end;
    if (code != CL_SUCCESS || name != CL_PROFILING_COMMAND_END || !value)
        return code;
    memcpy(&end, value, sizeof end);
    if (real->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start,
                                      NULL) != CL_SUCCESS)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    const cl_ulong took = end - start;
    if (strcmp(lie, "zero") == 0)
        end = start;
    else if (strcmp(lie, "reverse") == 0)
        end = start - took;
    else if (strcmp(lie, "fast") == 0)
        end = start + took / 1000;
    else
        end = start + took * 1000;
    memcpy(value, &end, sizeof end);
    return CL_SUCCESS;
}

static cl_int hook(struct _cl_icd_dispatch *dispatch)
{
    lie = getenv("BANKLINE_TEST_CLOCK");
    if (!lie)
        return CL_INVALID_VALUE;
    fprintf(stderr, "layer: clock %s\n", lie);
    dispatch->clGetEventProfilingInfo = profiling_info;
    return CL_SUCCESS;
}
