#include "cl/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool contains(const char *text, const char *part)
{
    const size_t length = strlen(part);
    for (; *text; text++)
        if (strncasecmp(text, part, length) == 0)
            return true;
    return length == 0;
}

/* Digits at *text, which moves behind them. */
static bool read_index(const char **text, unsigned long *index)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *index = strtoul(*text, &end, 10);
    *text = end;
    return true;
}

/* "0:0", or "1", the first device of a platform; digits alone are never a part of a name. */
static bool is_index(const char *selector, unsigned long *platform, unsigned long *device)
{
    *device = 0;
    return read_index(&selector, platform) &&
           (!*selector || (*selector++ == ':' && read_index(&selector, device) && !*selector));
}

static bool matches(const struct bl_device *device, const char *selector)
{
    unsigned long platform_index, device_index;
    if (is_index(selector, &platform_index, &device_index))
        return device->platform_index == platform_index && device->device_index == device_index;
    return contains(device->name, selector) || contains(device->platform_name, selector) ||
           contains(device->card, selector);
}

/* "0:0 NAME, 1:0 NAME" */
static void name_devices(const struct bl_device devices[], size_t count, const char *selector,
                         char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (selector && !matches(&devices[i], selector))
            continue;
        const int wrote =
            snprintf(text + used, size - used, "%s%u:%u %s", used ? ", " : "",
                     devices[i].platform_index, devices[i].device_index, devices[i].name);
        if (wrote < 0 || (size_t)wrote >= size - used)
            return;
        used += (size_t)wrote;
    }
}

enum bl_status bl_device_select(const struct bl_device devices[], size_t count,
                                const char *selector, const struct bl_device **chosen,
                                struct bl_error *error)
{
    *chosen = NULL;
    if (count == 0)
        return bl_fail(error, BL_NO_DEVICE,
                       "no OpenCL device; install one's driver, or "
                       "pocl-opencl-icd for the CPU");
    if (!selector) {
        *chosen = &devices[0];
        for (size_t i = count; i-- > 0;)
            if (devices[i].type == BL_DEVICE_GPU)
                *chosen = &devices[i];
        return BL_OK;
    }
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (matches(&devices[i], selector)) {
            *chosen = &devices[i];
            found++;
        }
    if (found == 1)
        return BL_OK;
    char names[512];
    name_devices(devices, count, found ? selector : NULL, names, sizeof names);
    *chosen = NULL;
    if (found == 0)
        return bl_fail(error, BL_NO_DEVICE, "no device matches '%s'; there are %s", selector,
                       names);
    return bl_fail(error, BL_AMBIGUOUS_DEVICE,
                   "'%s' matches %zu devices; choose one by its index: %s", selector, found, names);
}
