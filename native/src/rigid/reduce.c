// Few contacts out of many, the same ones every time, with their history.
#include "rigid/contact.h"

static int findFeature(const tlwContact *list, int count, uint32_t feature)
{
    for (int i = 0; i < count; i++)
        if (list[i].feature == feature)
            return i;
    return -1;
}

// Twice the same: found from both sides, or by neighbouring balls.
static bool isSame(const tlwBodyPair *pair, const tlwContact *a, const tlwContact *b)
{
    tlwVec3 d = tlwSub(a->point, b->point);
    double merge = 0.01 * pair->size;
    return tlwDot(d, d) < merge * merge && tlwDot(a->normal, b->normal) > 0.9;
}

// How much a candidate adds to the one already picked; directions count like places half a body apart.
static double novelty(const tlwBodyPair *pair, const tlwContact *candidate, const tlwContact *picked)
{
    if (isSame(pair, candidate, picked))
        return 0;
    tlwVec3 d = tlwSub(candidate->point, picked->point), n = tlwSub(candidate->normal, picked->normal);
    return tlwDot(d, d) + 0.25 * pair->size * pair->size * tlwDot(n, n);
}

// Gaps count less than overlaps, and contacts of the last step more than new ones.
static double weightOf(const tlwBodyPair *pair, const tlwContact *c, const tlwContact *previous, int previous_count)
{
    double weight = 1 / (1 + fmax(0, c->separation) / (0.01 * pair->size));
    return findFeature(previous, previous_count, c->feature) >= 0 ? 1.5 * weight : weight;
}

int tlwReduceContacts(const tlwBodyPair *pair, tlwContactList *candidates, const tlwContact *previous,
                      int previous_count, tlwContact *out, int max_count)
{
    tlwContact *list = candidates->items;
    int64_t count = candidates->count;
    if (count == 0)
        return 0;
    int64_t best = 0;
    for (int64_t i = 1; i < count; i++)
        if (list[i].separation < list[best].separation)
            best = i;
    // normal_impulse and restitution are not in use yet: they hold the novelty so far and the weight.
    for (int64_t i = 0; i < count; i++) {
        list[i].normal_impulse = HUGE_VAL;
        list[i].restitution = weightOf(pair, &list[i], previous, previous_count);
    }
    int picked = 0;
    while (picked < max_count) {
        out[picked++] = list[best];
        double most = 0;
        int64_t next = -1;
        for (int64_t i = 0; i < count; i++) {
            list[i].normal_impulse = fmin(list[i].normal_impulse, novelty(pair, &list[i], &out[picked - 1]));
            if (list[i].normal_impulse * list[i].restitution > most) {
                most = list[i].normal_impulse * list[i].restitution;
                next = i;
            }
        }
        if (next < 0)
            break;
        best = next;
    }
    for (int i = 0; i < picked; i++)
        out[i].normal_impulse = out[i].restitution = 0;
    return picked;
}

static void takeOver(tlwContact *contact, const tlwContact *old)
{
    contact->normal_impulse = old->normal_impulse;
    contact->friction_impulse = old->friction_impulse;
}

void tlwMatchContacts(const tlwBodyPair *pair, const tlwContact *previous, int previous_count, tlwContact *contacts,
                      int count)
{
    enum { MOST = 256 };
    bool taken[MOST] = {false}, matched[MOST] = {false};
    if (previous_count > MOST)
        previous_count = MOST;
    if (count > MOST)
        count = MOST;
    for (int i = 0; i < count; i++) {
        int old = findFeature(previous, previous_count, contacts[i].feature);
        if (old < 0 || tlwDot(previous[old].normal, contacts[i].normal) < 0.7)
            continue;
        takeOver(&contacts[i], &previous[old]);
        taken[old] = matched[i] = true;
    }
    for (int i = 0; i < count; i++) {
        double nearest = 0.02 * pair->size;
        int old = -1;
        for (int j = 0; j < previous_count && !matched[i]; j++) {
            double d = tlwLength(tlwSub(previous[j].local_a, contacts[i].local_a));
            if (taken[j] || d >= nearest || tlwDot(previous[j].normal, contacts[i].normal) < 0.7)
                continue;
            nearest = d;
            old = j;
        }
        if (old >= 0) {
            takeOver(&contacts[i], &previous[old]);
            taken[old] = true;
        }
    }
}
