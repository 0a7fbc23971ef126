// Finding contacts: first pairs of bodies, then the contacts of each pair in parallel, then one ordered list.
#include "rigid/contact.h"

#include "base/memory.h"
#include "rigid/broad_phase.h"
#include "rigid/narrow_phase.h"
#include "rigid/reduce.h"

#include <stdatomic.h>
#include <string.h>

typedef struct SearchJob {
    const tlwContactSearch *search;
    const tlwBodyPair *pairs;
    const tlwContactList *previous;
    tlwContact *found; // max_per_pair for each pair
    int *found_count;
    int largest; // balls of the largest collider
    atomic_bool out_of_memory;
} SearchJob;

void tlwFreeContacts(tlwContactList *contacts)
{
    tlwFree(contacts->items);
    *contacts = (tlwContactList){0};
}

static void freeScratch(tlwNarrowScratch *s)
{
    tlwFree(s->points);
    tlwFree(s->gradients);
    tlwFree(s->paths);
    tlwFree(s->distances);
    tlwFree(s->times);
    tlwFree(s->indices);
    tlwFree(s->kept);
    tlwFreeContacts(&s->candidates);
}

static bool allocScratch(tlwNarrowScratch *s, int largest)
{
    size_t n = (size_t)largest + 1;
    *s = (tlwNarrowScratch){.points = tlwAlloc(n, sizeof *s->points),
                            .gradients = tlwAlloc(n, sizeof *s->gradients),
                            .paths = tlwAlloc(n, sizeof *s->paths),
                            .distances = tlwAlloc(n, sizeof *s->distances),
                            .times = tlwAlloc(n, sizeof *s->times),
                            .indices = tlwAlloc(n, sizeof *s->indices),
                            .kept = tlwAlloc(n, sizeof *s->kept)};
    return s->points && s->gradients && s->paths && s->distances && s->times && s->indices && s->kept;
}

// The contacts that this pair had in the step before: a run of the ordered list.
static const tlwContact *findPrevious(const tlwContactList *list, const tlwBodyPair *pair, int *count)
{
    int64_t low = 0, high = list->count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        const tlwContact *c = &list->items[middle];
        bool before = c->body_a != pair->a ? c->body_a < pair->a : c->body_b < pair->b;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    int64_t end = low;
    while (end < list->count && list->items[end].body_a == pair->a && list->items[end].body_b == pair->b)
        end++;
    *count = (int)(end - low);
    return list->items ? list->items + low : NULL;
}

static bool searchPair(SearchJob *job, int64_t index, tlwNarrowScratch *scratch)
{
    const tlwBodyPair *pair = &job->pairs[index];
    const tlwBody *a = &job->search->bodies[pair->a], *b = &job->search->bodies[pair->b];
    if (!tlwFindPairContacts(job->search, pair, scratch))
        return false;
    int previous_count;
    const tlwContact *previous = findPrevious(job->previous, pair, &previous_count);
    tlwContact *found = job->found + index * job->search->max_per_pair;
    int count =
        tlwReduceContacts(pair, &scratch->candidates, previous, previous_count, found, job->search->max_per_pair);
    for (int i = 0; i < count; i++) {
        found[i].drift_a = tlwGetSurfaceDrift(a, job->search->elapsed, found[i].point);
        found[i].drift_b = tlwGetSurfaceDrift(b, job->search->elapsed, found[i].point);
        found[i].local_a = tlwWorldToBody(a, found[i].point);
        found[i].friction = sqrt(a->friction * b->friction);
        found[i].restitution = fmax(a->restitution, b->restitution);
    }
    tlwMatchContacts(pair, previous, previous_count, found, count);
    job->found_count[index] = count;
    return true;
}

static void searchRange(void *context, int64_t begin, int64_t end)
{
    SearchJob *job = context;
    tlwNarrowScratch scratch;
    bool ok = allocScratch(&scratch, job->largest);
    for (int64_t i = begin; i < end && ok; i++)
        ok = searchPair(job, i, &scratch);
    if (!ok)
        atomic_store(&job->out_of_memory, true);
    freeScratch(&scratch);
}

static bool gather(const SearchJob *job, int64_t pair_count, tlwContactList *contacts)
{
    contacts->count = 0;
    for (int64_t i = 0; i < pair_count; i++) {
        int n = job->found_count[i];
        if (n == 0)
            continue;
        if (!tlwReserve((void **)&contacts->items, &contacts->capacity, contacts->count + n, sizeof *contacts->items))
            return false;
        memcpy(contacts->items + contacts->count, job->found + i * job->search->max_per_pair,
               (size_t)n * sizeof *contacts->items);
        contacts->count += n;
    }
    return true;
}

tlwResult tlwFindContacts(const tlwContactSearch *search, const tlwContactList *previous, tlwContactList *contacts,
                          tlwMessage *message)
{
    tlwBodyPair *pairs;
    int64_t pair_count;
    tlwResult result = tlwFindPairs(search, &pairs, &pair_count, message);
    SearchJob job = {.search = search, .pairs = pairs, .previous = previous};
    job.found = tlwAlloc((size_t)(pair_count * search->max_per_pair), sizeof *job.found);
    job.found_count = tlwAlloc((size_t)pair_count, sizeof *job.found_count);
    for (int i = 0; i < search->body_count; i++)
        if (search->bodies[i].used && search->bodies[i].collider &&
            search->bodies[i].collider->ball_count > job.largest)
            job.largest = search->bodies[i].collider->ball_count;
    bool ok = result == TLW_OK && job.found && job.found_count;
    if (ok) {
        tlwParallelFor(search->threads, pair_count, 8, searchRange, &job);
        ok = !atomic_load(&job.out_of_memory) && gather(&job, pair_count, contacts);
    }
    tlwFree(pairs);
    tlwFree(job.found);
    tlwFree(job.found_count);
    if (result != TLW_OK)
        return result;
    return ok ? TLW_OK : tlwFailMemory(message, "rigid contacts");
}
