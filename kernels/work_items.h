/* Work-items by number, and what every measured kernel says of itself. */
#ifndef BANKLINE_WORK_ITEMS_H
#define BANKLINE_WORK_ITEMS_H

/* Linear numbers in the order in which the host counts work-items: x fastest inside a group, and
 * the groups, which lie side by side along x. */
size_t linear_group(void) { return get_group_id(0); }
size_t linear_local(void) { return get_local_id(0) + get_local_id(1) * get_local_size(0); }
size_t linear_item(void)
{
    return linear_group() * get_local_size(0) * get_local_size(1) + linear_local();
}

/* A request is what the model thinks it is only if a sub-group has as many lanes. */
#ifdef REQUIRED_SUB_GROUP_SIZE
#define SUB_GROUP_ATTRIBUTE __attribute__((intel_reqd_sub_group_size(REQUIRED_SUB_GROUP_SIZE)))
#else
#define SUB_GROUP_ATTRIBUTE
#endif

#endif
