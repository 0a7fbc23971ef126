#include "rigid/overlap.h"

#include "base/memory.h"
#include "rigid/clusters.h"
#include "rigid/solver.h"
#include "rigid/world.h"

#include <stdlib.h>

static int deepestFirst(const void *a, const void *b)
{
    const tlwOverlap *p = a, *q = b;
    if (p->depth != q->depth)
        return p->depth > q->depth ? -1 : 1;
    return p->body_a != q->body_a ? p->body_a - q->body_a : p->body_b - q->body_b;
}

// The first contact of each pair. Contacts are ordered by pair, the deepest first.
static tlwResult deepestPerPair(const tlwContactList *contacts, tlwOverlap **list, int *count, tlwMessage *message)
{
    *count = 0;
    *list = tlwAlloc((size_t)contacts->count, sizeof **list);
    if (!*list)
        return tlwFailMemory(message, "rigid contacts");
    for (int64_t i = 0; i < contacts->count; i++) {
        const tlwContact *c = &contacts->items[i];
        if (i == 0 || c->body_a != c[-1].body_a || c->body_b != c[-1].body_b)
            (*list)[(*count)++] = (tlwOverlap){c->body_a, c->body_b, -c->separation, c->point};
    }
    return TLW_OK;
}

tlwResult tlwFindOverlaps(const tlwRigidWorld *world, double tolerance, tlwOverlap *overlaps, int capacity, int *count,
                          tlwMessage *message)
{
    tlwSolver solver = {0};
    tlwContactList none = {0}, contacts = {0};
    tlwOverlap *list = NULL;
    int found = 0;
    *count = 0;
    tlwResult result = tlwBuildClusters(&solver, world->bodies, (int)world->body_count, world->joints,
                                        (int)world->joint_count, world->def.gravity, message);
    tlwContactSearch search = {.bodies = world->bodies,
                               .body_count = (int)world->body_count,
                               .group = solver.cluster_of,
                               .free = solver.body_free,
                               .joints = world->joints,
                               .joint_count = (int)world->joint_count,
                               .max_per_pair = 4,
                               .backs = true,
                               .threads = world->def.threads};
    if (result == TLW_OK)
        result = tlwFindContacts(&search, &none, &contacts, message);
    if (result == TLW_OK)
        result = deepestPerPair(&contacts, &list, &found, message);
    if (result == TLW_OK)
        qsort(list, (size_t)found, sizeof *list, deepestFirst);
    for (int i = 0; i < found && *count < capacity && result == TLW_OK; i++) {
        const tlwCollider *a = world->bodies[list[i].body_a].collider, *b = world->bodies[list[i].body_b].collider;
        if (list[i].depth > tolerance * fmin(a->size, b->size))
            overlaps[(*count)++] = list[i];
    }
    tlwFree(list);
    tlwFreeContacts(&contacts);
    tlwFreeSolver(&solver);
    return result;
}
