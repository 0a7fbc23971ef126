#include "rigid/reduce.h"

#include "rigid/contact.h"

// Most contacts of a pair that push the same way. More would be redundant: the solver would keep shifting load between
// them, and stacks of meshes would sway.
#define MOST_ALIKE 12

static double least(double a, double b)
{
    return a < b ? a : b;
}

static int findFeature(const tlwContact *list, int count, uint32_t feature)
{
    for (int i = 0; i < count; i++)
        if (list[i].feature == feature)
            return i;
    return -1;
}

// Whether two contacts are one, found from both sides or by neighbouring balls.
static bool isSame(const tlwBodyPair *pair, const tlwContact *a, const tlwContact *b)
{
    tlwVec3 d = tlwSub(a->point, b->point);
    double merge = 0.01 * pair->size;
    return tlwDot(d, d) < merge * merge && tlwDot(a->normal, b->normal) > 0.9;
}

// How much a candidate adds to a picked contact. A difference of 1 between the normals counts like half a body's size.
static double novelty(const tlwBodyPair *pair, const tlwContact *candidate, const tlwContact *picked)
{
    if (isSame(pair, candidate, picked))
        return 0;
    tlwVec3 d = tlwSub(candidate->point, picked->point), n = tlwSub(candidate->normal, picked->normal);
    return tlwDot(d, d) + 0.25 * pair->size * pair->size * tlwDot(n, n);
}

// Overlaps count more than gaps, and contacts of the last step much more than new ones. Otherwise rounding would change
// the contacts of a resting body, and the body would never be quite still.
static double weightOf(const tlwBodyPair *pair, const tlwContact *c, bool known)
{
    double depth = -c->separation / (0.01 * pair->size);
    double weight = depth > 0 ? 1 + depth : 1 / (1 - depth);
    return known ? 4 * weight : weight;
}

// While picking, `impulse` of a candidate is scratch space: novelty so far, weight, how many picked ones point its way.
static int64_t rateCandidates(const tlwBodyPair *pair, tlwContactList *candidates, const tlwContact *previous,
                              int previous_count)
{
    int64_t best = 0;
    double deepest = HUGE_VAL;
    for (int64_t i = 0; i < candidates->count; i++) {
        tlwContact *c = &candidates->items[i];
        bool known = findFeature(previous, previous_count, c->feature) >= 0;
        double separation = c->separation - (known ? 1e-3 * pair->size : 0);
        c->impulse = (tlwVec3){HUGE_VAL, weightOf(pair, c, known), 0};
        if (separation < deepest) {
            deepest = separation;
            best = i;
        }
    }
    return best;
}

// Update every candidate for the latest pick and return the next one to pick; -1 = none adds anything.
static int64_t pickNext(const tlwBodyPair *pair, tlwContactList *candidates, const tlwContact *latest)
{
    double most = 0;
    int64_t next = -1;
    for (int64_t i = 0; i < candidates->count; i++) {
        tlwContact *c = &candidates->items[i];
        c->impulse.x = least(c->impulse.x, novelty(pair, c, latest));
        c->impulse.z += tlwDot(c->normal, latest->normal) > 0.97;
        if (c->impulse.z < MOST_ALIKE && c->impulse.x * c->impulse.y > most) {
            most = c->impulse.x * c->impulse.y;
            next = i;
        }
    }
    return next;
}

int tlwReduceContacts(const tlwBodyPair *pair, tlwContactList *candidates, const tlwContact *previous,
                      int previous_count, tlwContact *out, int max_count)
{
    if (candidates->count == 0)
        return 0;
    int64_t next = rateCandidates(pair, candidates, previous, previous_count);
    int picked = 0;
    while (next >= 0 && picked < max_count) {
        out[picked] = candidates->items[next];
        out[picked].impulse = (tlwVec3){0, 0, 0};
        next = pickNext(pair, candidates, &out[picked++]);
    }
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
