#include "infer/findings.h"

#include <stdlib.h>
#include <string.h>

const struct bl_finding *bl_finding_of(const struct bl_findings *findings, const char *key)
{
    for (size_t i = 0; i < findings->count; i++)
        if (strcmp(findings->all[i].key, key) == 0)
            return &findings->all[i];
    return NULL;
}

double bl_found(const struct bl_findings *findings, const char *key, double otherwise)
{
    const struct bl_finding *finding = bl_finding_of(findings, key);
    return finding && finding->is_known ? finding->value : otherwise;
}

size_t bl_evidence_of(const struct bl_findings *findings, const char *sweep)
{
    size_t count = 0;
    for (size_t i = 0; i < findings->evidence_count; i++)
        count += sweep && strcmp(findings->evidence[i].sweep, sweep) == 0;
    return count;
}

void bl_findings_free(struct bl_findings *findings)
{
    free(findings->evidence);
    *findings = (struct bl_findings){0};
}
