/* Reports failed OpenCL calls with the error's name, or with its number if the name is unknown.
 */
#include "cl/cl_error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CODES(CODE)                                    \
    CODE(CL_DEVICE_NOT_FOUND)                          \
    CODE(CL_DEVICE_NOT_AVAILABLE)                      \
    CODE(CL_COMPILER_NOT_AVAILABLE)                    \
    CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE)             \
    CODE(CL_OUT_OF_RESOURCES)                          \
    CODE(CL_OUT_OF_HOST_MEMORY)                        \
    CODE(CL_PROFILING_INFO_NOT_AVAILABLE)              \
    CODE(CL_BUILD_PROGRAM_FAILURE)                     \
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) \
    CODE(CL_INVALID_VALUE)                             \
    CODE(CL_INVALID_PLATFORM)                          \
    CODE(CL_INVALID_DEVICE)                            \
    CODE(CL_INVALID_CONTEXT)                           \
    CODE(CL_INVALID_QUEUE_PROPERTIES)                  \
    CODE(CL_INVALID_COMMAND_QUEUE)                     \
    CODE(CL_INVALID_MEM_OBJECT)                        \
    CODE(CL_INVALID_BUILD_OPTIONS)                     \
    CODE(CL_INVALID_PROGRAM)                           \
    CODE(CL_INVALID_PROGRAM_EXECUTABLE)                \
    CODE(CL_INVALID_KERNEL_NAME)                       \
    CODE(CL_INVALID_KERNEL_DEFINITION)                 \
    CODE(CL_INVALID_KERNEL)                            \
    CODE(CL_INVALID_ARG_INDEX)                         \
    CODE(CL_INVALID_ARG_VALUE)                         \
    CODE(CL_INVALID_ARG_SIZE)                          \
    CODE(CL_INVALID_KERNEL_ARGS)                       \
    CODE(CL_INVALID_WORK_DIMENSION)                    \
    CODE(CL_INVALID_WORK_GROUP_SIZE)                   \
    CODE(CL_INVALID_WORK_ITEM_SIZE)                    \
    CODE(CL_INVALID_GLOBAL_OFFSET)                     \
    CODE(CL_INVALID_EVENT_WAIT_LIST)                   \
    CODE(CL_INVALID_EVENT)                             \
    CODE(CL_INVALID_OPERATION)                         \
    CODE(CL_INVALID_BUFFER_SIZE)                       \
    CODE(CL_INVALID_GLOBAL_WORK_SIZE)                  \
    CODE(CL_PLATFORM_NOT_FOUND_KHR)

const char *bl_cl_error_name(cl_int code, char buffer[32])
{
    switch (code) {
#define CODE_CASE(name) \
    case name:          \
        return #name;
        CODES(CODE_CASE)
#undef CODE_CASE
    default:
        snprintf(buffer, 32, "error %d", (int)code);
        return buffer;
    }
}

enum bl_status bl_cl_check(cl_int code, const char *call, struct bl_error *error)
{
    if (code == CL_SUCCESS)
        return BL_OK;
    char buffer[32];
    return bl_fail(error, BL_OPENCL_FAILED, "%s failed: %s", call, bl_cl_error_name(code, buffer));
}

bool bl_cl_has_extension(cl_device_id device, const char *extension)
{
    size_t needed = 0;
    if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &needed) != CL_SUCCESS)
        return false;
    char *all = calloc(needed + 1, 1);
    bool found = false;
    if (all && clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, needed, all, NULL) == CL_SUCCESS) {
        char *rest = NULL;
        for (char *word = strtok_r(all, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
            found = found || strcmp(word, extension) == 0;
    }
    free(all);
    return found;
}
