/* Linear numbers of work-items, and the attribute that fixes the sub-group size of the suites'
 * kernels. */
#ifndef BANKLINE_WORK_ITEMS_H
#define BANKLINE_WORK_ITEMS_H

/* Linear numbers, in the order in which the host numbers work-items: group by group along x, and
 * with x fastest inside a group. */
size_t linear_group(void) { return get_group_id(0); }
size_t linear_local(void) { return get_local_id(0) + get_local_id(1) * get_local_size(0); }
size_t linear_item(void)
{
    return linear_group() * get_local_size(0) * get_local_size(1) + linear_local();
}

/* The model's requests have a fixed number of lanes, so sub-groups must have as many. */
#ifdef REQUIRED_SUB_GROUP_SIZE
#define SUB_GROUP_ATTRIBUTE __attribute__((intel_reqd_sub_group_size(REQUIRED_SUB_GROUP_SIZE)))
#else
#define SUB_GROUP_ATTRIBUTE
#endif

#endif
