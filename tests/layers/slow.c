/* A layer in which some kernels run more rounds than requested, as if the device were slower.
 * BANKLINE_TEST_SLOW is "TEXT:PERCENT;TEXT:PERCENT...": a kernel whose build options contain TEXT
 * runs PERCENT per cent more rounds, rounded to an integer. Afterwards the kernel runs again with
 * the requested rounds, untimed, so that its outputs are right. */
#include "layer.h"

#include <pthread.h>

enum { MAX_RULES = 8, MAX_OBJECTS = 4096 };

static struct rule {
    char text[128];
    double factor;
} rules[MAX_RULES];
static size_t rule_count;

/* All programs and kernels, each with the factor of its rule, or 1. Kernels are built in one thread
 * and launched in another. */
static struct object {
    const void *object;
    double factor;
    cl_uint rounds; /* number of rounds that were requested */
} objects[MAX_OBJECTS];
static size_t object_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct object *find(const void *object)
{
    struct object *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = object_count; i-- > 0 && !found;)
        if (objects[i].object == object)
            found = &objects[i];
    pthread_mutex_unlock(&lock);
    return found;
}

static void remember(const void *object, double factor)
{
    pthread_mutex_lock(&lock);
    if (object_count < MAX_OBJECTS)
        objects[object_count++] = (struct object){object, factor, 0};
    pthread_mutex_unlock(&lock);
}

typedef void(CL_CALLBACK *notifier)(cl_program, void *);

static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices,
                                const char *options, notifier notify, void *data)
{
    double factor = 1; /* stored even if it is 1, because a released program may have had this
                          address */
    for (const struct rule *rule = rules; options && rule < rules + rule_count; rule++)
        if (strstr(options, rule->text))
            factor = rule->factor;
    remember(program, factor);
    return real->clBuildProgram(program, count, devices, options, notify, data);
}

static cl_kernel CL_API_CALL create(cl_program program, const char *name, cl_int *error)
{
    const cl_kernel kernel = real->clCreateKernel(program, name, error);
    const struct object *own = find(program);
    remember(kernel, own ? own->factor : 1);
    return kernel;
}

static cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t size,
                                       const void *value)
{
    struct object *own = find(kernel);
    if (own && index == 2 && size == sizeof own->rounds)
        memcpy(&own->rounds, value, sizeof own->rounds);
    return real->clSetKernelArg(kernel, index, size, value);
}

static cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                  const size_t *offset, const size_t *global, const size_t *local,
                                  cl_uint count, const cl_event *list, cl_event *event)
{
    const struct object *own = find(kernel);
    const cl_uint asked = own ? own->rounds : 0;
    if (!own || own->factor <= 1 || asked == 0)
        return real->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count,
                                            list, event);
    const cl_uint more = (cl_uint)(asked * own->factor + 0.5);
    real->clSetKernelArg(kernel, 2, sizeof more, &more);
    const cl_int code = real->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
                                                     local, count, list, event);
    real->clSetKernelArg(kernel, 2, sizeof asked, &asked);
    return code != CL_SUCCESS ? code
                              : real->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset,
                                                             global, local, 0, NULL, NULL);
}

static cl_int hook(struct _cl_icd_dispatch *dispatch)
{
    for (const char *at = getenv("BANKLINE_TEST_SLOW"); at && *at;) {
        struct rule *rule = &rules[rule_count];
        double percent;
        int taken = 0;
        if (rule_count == MAX_RULES ||
            sscanf(at, "%127[^:;]:%lf%n", rule->text, &percent, &taken) != 2)
            return CL_INVALID_VALUE;
        rule->factor = 1 + percent / 100;
        rule_count++;
        at += taken;
        at += *at == ';';
    }
    fprintf(stderr, "layer: slow, %zu rules\n", rule_count);
    dispatch->clBuildProgram = build;
    dispatch->clCreateKernel = create;
    dispatch->clSetKernelArg = set_argument;
    dispatch->clEnqueueNDRangeKernel = enqueue;
    return CL_SUCCESS;
}
