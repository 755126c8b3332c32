/* Collects the events of a group (streams.h). They are kept until the group ends, because Oclgrind
 * runs work-items one after another up to a barrier, while a request needs all lanes of a
 * sub-group.
 */
#include "trace/streams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "trace/stream_events.h"
#include "trace/trace.h"

static const uint32_t none = BL_NO_EVENT;

/* The elements of a private array that one instruction of the group accesses, as byte offsets.
 *
 * A compiler keeps an array in registers if unrolling makes every index, or all but a few, a
 * constant. Where it is not certain what the compiler knows, the accesses show it: if the indices
 * are constants, all work-items access the same elements, a constant step apart, and each work-item
 * starts again at the first element. */
struct bl_stream_private {
    bool is_used, has_step, is_dynamic;
    uint16_t phase;
    uint32_t item;              /* the work-item that accessed it last */
    uint64_t step, begin, last; /* offsets; begin: the first of this phase */
};

static uint64_t offset_of(const struct bl_access *access)
{
    return access->address & (((uint64_t)1 << BL_STREAM_OFFSET_BITS) - 1);
}

static bool is_dynamic(struct bl_stream_private *array, const struct bl_access *access,
                       enum bl_wire_index index)
{
    const uint64_t offset = offset_of(access);
    if (!array->is_used)
        *array = (struct bl_stream_private){.is_used = true,
                                            .phase = access->phase,
                                            .item = access->item,
                                            .begin = offset,
                                            .last = offset};
    bool is_expected = true;
    if (array->phase != access->phase)
        array->begin = offset;
    else if (array->item != access->item)
        is_expected = offset == array->begin;
    else if (!array->has_step && offset != array->last) {
        array->has_step = true;
        array->step = offset - array->last;
    } else
        is_expected =
            offset == array->last || offset == array->last + array->step || offset == array->begin;
    array->phase = access->phase;
    array->item = access->item;
    array->last = offset;
    array->is_dynamic |=
        index == BL_WIRE_INDEX_DYNAMIC || (index == BL_WIRE_INDEX_UNSURE && !is_expected);
    return array->is_dynamic;
}

/* Whether an array lies in memory. NVIDIA's compiler keeps an array with few dynamic indices in
 * registers, and then compares each of these indices with the index of every word. It did so for
 * arrays of 16 to 128 words with 1 to 8 dynamic indices in 290 to 1150 accesses, but not for 16
 * words with 128 dynamic indices in 160 accesses. A comparison and a conditional move for each word
 * should take no longer than the accesses that need neither. */
static bool is_in_memory(const struct bl_stream_array_use *use)
{
    enum { REGISTERS = 255, WORD = 4 }; /* maximum per work-item on NVIDIA GPUs; bytes of each */
    if (use->accesses == 0)
        return false;
    const uint64_t elements = (use->end - use->begin + use->least_bytes - 1) / use->least_bytes,
                   words = use->least_bytes > WORD ? use->least_bytes / WORD : 1;
    return elements * words > REGISTERS ||
           2 * elements * use->dynamic > use->accesses - use->dynamic;
}

uint64_t bl_streams_private_bytes(const struct bl_streams *streams)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; streams->uses && i < BL_STREAM_ARRAYS; i++)
        if (streams->arrays_in_memory >> i & 1)
            bytes += streams->uses[i].end - streams->uses[i].begin;
    return bytes;
}

static void note_use(struct bl_stream_array_use *use, const struct bl_access *access,
                     bool has_dynamic_index)
{
    const uint64_t begin = offset_of(access), end = begin + access->bytes;
    use->begin = use->accesses == 0 || begin < use->begin ? begin : use->begin;
    use->end = end > use->end ? end : use->end;
    use->least_bytes = use->least_bytes == 0 || access->bytes < use->least_bytes ? access->bytes
                                                                                 : use->least_bytes;
    use->accesses++;
    use->dynamic += has_dynamic_index;
}

/* Returns false if memory runs out. */
static bool take_private(struct bl_streams *streams, const struct bl_access *access,
                         enum bl_wire_index index)
{
    if (access->instruction >= streams->private_count) {
        const size_t count = 2 * (size_t)access->instruction + 16;
        struct bl_stream_private *more = realloc(streams->privates, count * sizeof *more);
        if (!more)
            return false;
        memset(more + streams->private_count, 0, (count - streams->private_count) * sizeof *more);
        streams->privates = more;
        streams->private_count = count;
    }
    if (!streams->uses)
        streams->uses = calloc(BL_STREAM_ARRAYS, sizeof *streams->uses);
    if (!streams->uses)
        return false;
    if (access->bytes > 0)
        note_use(&streams->uses[bl_stream_array_of(access)], access,
                 is_dynamic(&streams->privates[access->instruction], access, index));
    return true;
}

bool bl_streams_begin_group(struct bl_streams *streams, const struct bl_wire_record *group)
{
    const uint32_t items = group->number;
    if (!streams->is_wanted || streams->why_not)
        return true;
    if (!streams->under_way)
        streams->under_way = calloc(1, sizeof *streams->under_way);
    struct bl_stream_events *events = streams->under_way;
    if (!events)
        return false;
    if (items > events->item_capacity) {
        free(events->first);
        events->first = calloc(2 * (size_t)items, sizeof *events->first);
        events->last = events->first ? events->first + items : NULL;
        events->item_capacity = events->first ? items : 0;
    }
    events->index = group->value;
    events->items = items;
    events->local_bytes = group->bytes;
    events->count = events->phase_count = 0;
    events->told = 0;
    events->share = 0;
    events->arithmetic_left_out = 0;
    if (streams->privates)
        memset(streams->privates, 0, streams->private_count * sizeof *streams->privates);
    return events->first != NULL;
}

static struct bl_stream_event *append(struct bl_streams *streams)
{
    struct bl_stream_events *events = streams->under_way;
    struct bl_stream_event *event =
        bl_array_append(&events->events, &events->count, &events->capacity, sizeof *event);
    if (event)
        *event = (struct bl_stream_event){.next = none, .load = none};
    return event;
}

bool bl_streams_access(struct bl_streams *streams, const struct bl_access *access,
                       enum bl_wire_index index)
{
    if (!streams->is_wanted || streams->why_not)
        return true;
    streams->under_way->told++;
    if (access->memory == BL_MEMORY_PRIVATE && !take_private(streams, access, index))
        return false;
    struct bl_stream_event *event = append(streams);
    if (!event)
        return false;
    event->item = access->item;
    event->access = *access;
    return true;
}

bool bl_streams_work(struct bl_streams *streams, uint32_t item, uint32_t load,
                     const struct bl_wire_record *record)
{
    if (!streams->is_wanted || streams->why_not)
        return true;
    struct bl_stream_event *event = append(streams);
    if (!event)
        return false;
    event->item = item;
    event->is_work = true;
    event->load = load;
    event->done = record->value;
    event->carried = (uint32_t)record->bytes;
    event->is_firm = (record->reserved & BL_WIRE_FIRM) != 0;
    event->is_rolled = (record->reserved & BL_WIRE_ROLLED) != 0;
    event->is_unrolled = (record->reserved & BL_WIRE_UNROLLED) != 0;
    event->is_behind = (record->reserved & BL_WIRE_BEHIND) != 0;
    event->is_early = (record->reserved & BL_WIRE_EARLY) != 0;
    return true;
}

bool bl_streams_barrier(struct bl_streams *streams)
{
    if (!streams->is_wanted || streams->why_not)
        return true;
    struct bl_stream_events *events = streams->under_way;
    size_t *phase = bl_array_append(&events->phases, &events->phase_count, &events->phase_capacity,
                                    sizeof *phase);
    if (phase)
        *phase = events->count;
    return phase != NULL;
}

static void free_events(struct bl_stream_events *events)
{
    if (!events)
        return;
    free(events->events);
    free(events->phases);
    free(events->first);
    free(events);
}

static void stream_free(struct bl_time_stream *stream)
{
    free((void *)(uintptr_t)stream->ops);
    free((void *)(uintptr_t)stream->sectors);
    *stream = (struct bl_time_stream){0};
}

static void free_group(struct bl_stream_group *group)
{
    for (unsigned s = 0; group->streams && s < group->sub_groups; s++)
        stream_free(&group->streams[s]);
    free(group->streams);
    free(group->arrays);
    free_events(group->events);
}

enum { MAX_KEPT_EVENTS = 1 << 17 }; /* maximum per launch */

/* Keeps the group's events, up to the limit. The next group gets a new array. */
static void keep_events(struct bl_streams *streams, struct bl_stream_group *group)
{
    if (streams->kept_events + streams->under_way->count > MAX_KEPT_EVENTS)
        return;
    group->events = streams->under_way;
    streams->kept_events += group->events->count;
    streams->under_way = NULL;
}

bool bl_streams_cut(struct bl_streams *streams, uint32_t share)
{
    struct bl_stream_events *events = streams->under_way;
    if (!streams->is_wanted || streams->why_not)
        return true;
    uint32_t *accesses = calloc((size_t)events->items + 1, sizeof *accesses);
    size_t kept = 0, phase = 0;
    events->share = share;
    for (size_t i = 0; accesses && i <= events->count; i++) {
        for (; phase < events->phase_count && events->phases[phase] == i; phase++)
            events->phases[phase] = kept;
        if (i == events->count)
            break;
        const struct bl_stream_event *event = &events->events[i];
        const bool is_kept = accesses[event->item] < share;
        accesses[event->item] += !event->is_work;
        events->told -= !is_kept && !event->is_work;
        if (!is_kept && event->is_work)
            events->arithmetic_left_out += fmax((uint32_t)event->done, (double)(event->done >> 32));
        if (is_kept)
            events->events[kept++] = *event;
    }
    if (accesses)
        events->count = kept;
    free(accesses);
    return accesses != NULL;
}

/* Kernels first fill arrays or compute addresses, and then repeat other accesses. So if only the
 * beginning of a group was traced, the rest cannot be extrapolated from it: predictions of a tiled
 * matrix product from 12 accesses of each work-item were too long by two thirds, those of an n-body
 * kernel from 47 were too short by a factor of 5. */
static bool is_beginning_only(const struct bl_stream_events *events, uint64_t left_out)
{
    return events->share > 0 && events->share < BL_STREAM_MIN_SHARE && left_out > events->told;
}

bool bl_streams_end_group(struct bl_streams *streams, const struct bl_trace *trace,
                          const struct bl_wire_kernel *launch, uint64_t left_out, double arithmetic)
{
    if (!streams->is_wanted || streams->why_not)
        return true;
    struct bl_stream_events *events = streams->under_way;
    const unsigned lanes = trace->machine->lanes, sub_groups = (events->items + lanes - 1) / lanes;
    if (sub_groups > BL_TIME_MAX_SUB_GROUPS) {
        streams->why_not = "its groups have more sub-groups than a compute unit holds";
        return true;
    }
    if (is_beginning_only(events, left_out)) {
        streams->why_not = "--limit leaves out most accesses of a group; it has to allow at "
                           "least 64 of each work-item";
        return true;
    }
    struct bl_stream_group *group =
        bl_array_append(&streams->groups, &streams->count, &streams->capacity, sizeof *group);
    if (!group)
        return false;
    /* The compiler decides once: an array that one group needs in memory stays there. */
    for (unsigned i = 0; streams->uses && i < BL_STREAM_ARRAYS; i++)
        streams->arrays_in_memory |= (uint64_t)is_in_memory(&streams->uses[i]) << i;
    events->arrays_in_memory = streams->arrays_in_memory;
    const bool has_memory = bl_stream_group_build(trace, launch, events, group, &streams->why_not);
    group->left_out = events->left_out = left_out;
    group->arithmetic_left_out = events->arithmetic_left_out += arithmetic;
    if (has_memory) {
        keep_events(streams, group);
    } else { /* a group that is only partly built cannot stand for others */
        free_group(group);
        streams->count--;
    }
    return has_memory;
}

bool bl_streams_ran(struct bl_streams *streams, uint64_t index, uint64_t work)
{
    if (!streams->is_wanted || streams->why_not)
        return true;
    struct bl_stream_ran *ran =
        bl_array_append(&streams->ran, &streams->ran_count, &streams->ran_capacity, sizeof *ran);
    if (ran)
        *ran = (struct bl_stream_ran){index, (double)work};
    return ran != NULL;
}

void bl_streams_clear(struct bl_streams *streams)
{
    for (size_t i = 0; i < streams->count; i++)
        free_group(&streams->groups[i]);
    streams->count = streams->kept_events = streams->ran_count = 0;
    if (streams->uses)
        memset(streams->uses, 0, BL_STREAM_ARRAYS * sizeof *streams->uses);
    streams->arrays_in_memory = 0;
    streams->why_not = NULL;
}

void bl_streams_free(struct bl_streams *streams)
{
    bl_streams_clear(streams);
    free(streams->groups);
    free(streams->ran);
    free(streams->privates);
    free(streams->uses);
    free_events(streams->under_way);
    *streams = (struct bl_streams){0};
}

/* Events that are kept for bl_streams_rebuild. */

void bl_stream_kept_free(struct bl_stream_kept *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        free_events(kept->groups[i]);
    free(kept->groups);
    free(kept->ran);
    *kept = (struct bl_stream_kept){0};
}

bool bl_streams_keep(struct bl_streams *streams, const struct bl_wire_kernel *launch,
                     struct bl_stream_kept *kept)
{
    bl_stream_kept_free(kept);
    kept->launch = *launch;
    kept->groups = calloc(streams->count + 1, sizeof(void *));
    for (size_t i = 0; kept->groups && i < streams->count; i++) {
        struct bl_stream_group *group = &streams->groups[i];
        if (group->events)
            kept->groups[kept->count++] = group->events;
        group->events = NULL;
    }
    kept->ran = streams->ran;
    kept->ran_count = streams->ran_count;
    streams->ran = NULL;
    streams->ran_count = streams->ran_capacity = 0;
    return kept->groups != NULL;
}

/* If the array is in local memory, the group's local memory grows by as much as the highest access
 * moves. Accesses beyond the local memory, whose addresses are wrong, do not count. */
static void move_accesses(struct bl_stream_events *events, const struct bl_array_layout *layout,
                          const bool is_changed[])
{
    const uint64_t bytes = events->local_bytes;
    uint64_t highest = 0, highest_moved = 0;
    for (size_t i = 0; i < events->count; i++) {
        struct bl_access *access = &events->events[i].access;
        if (events->events[i].is_work || !is_changed[access->instruction])
            continue;
        const uint64_t place = access->address & BL_OFFSET_MASK,
                       moved = bl_array_layout_place(layout, place);
        access->address = (access->address & ~BL_OFFSET_MASK) + moved;
        if (access->memory == BL_MEMORY_LOCAL && place < bytes) {
            highest = place > highest ? place : highest;
            highest_moved = moved > highest_moved ? moved : highest_moved;
        }
    }
    events->local_bytes = bytes + highest_moved - highest;
}

bool bl_streams_rebuild(const struct bl_trace *trace, const struct bl_stream_kept *kept,
                        const struct bl_array_layout *layout, const bool is_changed[],
                        struct bl_streams *streams)
{
    bool has_memory = true;
    *streams = (struct bl_streams){0};
    for (size_t i = 0; has_memory && i < kept->count; i++) {
        struct bl_stream_events events = *kept->groups[i];
        struct bl_stream_group *group =
            bl_array_append(&streams->groups, &streams->count, &streams->capacity, sizeof *group);
        events.events = malloc((events.count + 1) * sizeof *events.events);
        has_memory = group && events.events;
        if (group)
            *group = (struct bl_stream_group){0};
        if (has_memory) {
            memcpy(events.events, kept->groups[i]->events, events.count * sizeof *events.events);
            if (layout)
                move_accesses(&events, layout, is_changed);
            has_memory =
                bl_stream_group_build(trace, &kept->launch, &events, group, &streams->why_not);
            group->left_out = kept->groups[i]->left_out;
            group->arithmetic_left_out = kept->groups[i]->arithmetic_left_out;
        }
        free(events.events);
    }
    for (size_t i = 0; has_memory && i < kept->ran_count; i++) {
        struct bl_stream_ran *ran = bl_array_append(&streams->ran, &streams->ran_count,
                                                    &streams->ran_capacity, sizeof *ran);
        has_memory = ran != NULL;
        if (has_memory)
            *ran = kept->ran[i];
    }
    return has_memory;
}
