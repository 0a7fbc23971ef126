#include "solve/stress/tie_search.h"
#include "solve/stress/stencil.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// Bulk samples play no part in the search: they are no stiffer than the normal samples of their cells, and a tie's
// block has them.
//
// A sample holds a face when all else that acts on the face is at most REST times as stiff as the sample. A face on
// which all else is more than FIRM times as stiff counts as fixed.
static const double REST = 1, FIRM = 3;
enum { ROUNDS = 6, KNOTS = TLW_TIE_FACES, FACES = 6 };

typedef struct Sample {
    int kind; // -1 = none; FACES + component = a face in place of a sample
    int64_t at;
} Sample;

// A growing tie: its faces, the samples that tie them together (knots), and the sample that holds the tie to everything
// else (outer).
typedef struct Cluster {
    tlwTie tie;
    Sample knots[KNOTS];
    int knot_count;
    Sample outer;
} Cluster;

typedef struct Clusters {
    Cluster *items;
    int64_t count, capacity;
} Clusters;

static bool sameSample(Sample a, Sample b)
{
    return a.kind == b.kind && a.at == b.at;
}

static void samplesOfFace(const tlwGrid *grid, int component, int64_t face, Sample samples[6])
{
    const int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    samples[0] = (Sample){component, face - stride[component]};
    samples[1] = (Sample){component, face};
    for (int n = 0; n < 2; n++) {
        int other = (component + 1 + n) % 3, kind = TLW_XY + component + other - 1;
        samples[2 + 2 * n] = (Sample){kind, face};
        samples[3 + 2 * n] = (Sample){kind, face + stride[other]};
    }
}

static double stiffnessOf(const tlwStressLevel *level, Sample s)
{
    return level->c[s.kind][s.at];
}

// Stiffness and mass that act on a face apart from the sample `hold`.
static double restOf(const tlwStressLevel *level, int component, int64_t face, Sample hold)
{
    Sample samples[6];
    double rest = level->mass[component][face];
    samplesOfFace(&level->grid, component, face, samples);
    for (int n = 0; n < 6; n++)
        rest += sameSample(samples[n], hold) ? 0 : stiffnessOf(level, samples[n]);
    return rest;
}

// The sample that holds a face nearly alone.
static Sample findHold(const tlwStressLevel *level, int component, int64_t face)
{
    Sample samples[6];
    int most = 0;
    samplesOfFace(&level->grid, component, face, samples);
    for (int n = 1; n < 6; n++)
        most = stiffnessOf(level, samples[n]) > stiffnessOf(level, samples[most]) ? n : most;
    bool alone = restOf(level, component, face, samples[most]) <= REST * stiffnessOf(level, samples[most]);
    return alone ? samples[most] : (Sample){-1, 0};
}

static bool holdsFace(const tlwTie *tie, int component, int64_t face)
{
    for (int n = 0; n < tie->count; n++)
        if (tie->face[n] == face && tie->component[n] == component)
            return true;
    return false;
}

// Add the missing faces that a sample holds nearly alone. False when there is no room.
static bool addHeld(const tlwStressLevel *level, Sample s, tlwTie *tie)
{
    int component[TLW_SAMPLE_FACES], sign[TLW_SAMPLE_FACES];
    int64_t face[TLW_SAMPLE_FACES];
    int faces = tlwSampleFaces(&level->grid, s.kind, s.at, component, face, sign);
    for (int f = 0; f < faces; f++) {
        if (!(level->mass[component[f]][face[f]] > 0) || holdsFace(tie, component[f], face[f]) ||
            !sameSample(findHold(level, component[f], face[f]), s))
            continue;
        if (tie->count == TLW_TIE_FACES)
            return false;
        tie->component[tie->count] = (int8_t)component[f];
        tie->face[tie->count++] = face[f];
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Single samples

typedef struct Search {
    const tlwStressLevel *level;
    uint8_t *found; // per span: whether it has a face that one sample holds
} Search;

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

// Whether one sample is nearly all of the diagonal. The limit is 1 % loose, because findHold rounds differently.
static inline int isHeld(float most, float diagonal, float mass)
{
    return (mass > 0) & (most * (float)(1 + 1.01 * REST) > diagonal);
}

static void searchRange(void *context, int64_t begin, int64_t end)
{
    const Search *search = context;
    const Stencil s = makeStencil(search->level, false);
    const int64_t y = s.y, z = s.z;
    for (int64_t n = begin; n < end; n++) {
        const tlwSpan *span = &search->level->spans[n];
        int found = 0;
        for (int64_t i = span->base; i < span->base + span->cells; i++) {
            float d[3];
            diagonalOfA(&s, i, d);
            float u = larger(larger(larger(s.xx[i], s.xx[i - 1]), larger(s.xy[i], s.xy[i + y])),
                             larger(s.xz[i], s.xz[i + z]));
            float v = larger(larger(larger(s.yy[i], s.yy[i - y]), larger(s.xy[i], s.xy[i + 1])),
                             larger(s.yz[i], s.yz[i + z]));
            float w = larger(larger(larger(s.zz[i], s.zz[i - z]), larger(s.xz[i], s.xz[i + 1])),
                             larger(s.yz[i], s.yz[i + y]));
            found |= isHeld(u, d[0], s.mu[i]) | isHeld(v, d[1], s.mv[i]) | isHeld(w, d[2], s.mw[i]);
        }
        search->found[n] = (uint8_t)found;
    }
}

// A normal sample has two faces. A face that the sample holds moves with the other face, so the other face joins the
// tie unless it counts as fixed.
static void addOther(const tlwStressLevel *level, Sample hold, tlwTie *tie)
{
    int component[TLW_SAMPLE_FACES], sign[TLW_SAMPLE_FACES];
    int64_t face[TLW_SAMPLE_FACES];
    int faces = tlwSampleFaces(&level->grid, hold.kind, hold.at, component, face, sign);
    for (int f = 0; f < faces && faces == 2; f++)
        if (level->mass[component[f]][face[f]] > 0 && !holdsFace(tie, component[f], face[f]) &&
            restOf(level, component[f], face[f], hold) <= FIRM * stiffnessOf(level, hold)) {
            tie->component[tie->count] = (int8_t)component[f];
            tie->face[tie->count++] = face[f];
        }
}

// Start a cluster from the faces that one sample holds. Only the first of these faces does so, so each cluster is
// listed once.
static tlwResult addCluster(const tlwStressLevel *level, int component, int64_t face, Clusters *clusters)
{
    Sample hold = level->mass[component][face] > 0 ? findHold(level, component, face) : (Sample){-1, 0};
    Cluster cluster = {.knots = {hold}, .knot_count = 1};
    if (hold.kind < 0)
        return TLW_OK;
    addHeld(level, hold, &cluster.tie);
    if (cluster.tie.face[0] != face || cluster.tie.component[0] != component)
        return TLW_OK;
    addOther(level, hold, &cluster.tie);
    if (cluster.tie.count < 2)
        return TLW_OK;
    if (!tlwReserve((void **)&clusters->items, &clusters->capacity, clusters->count + 1, sizeof *clusters->items))
        return TLW_OUT_OF_MEMORY;
    clusters->items[clusters->count++] = cluster;
    return TLW_OK;
}

static tlwResult findClusters(tlwThreads *threads, const tlwStressLevel *level, Clusters *clusters)
{
    Search search = {level, tlwAlloc((size_t)level->span_count + 1, 1)};
    if (!search.found)
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(threads, level->span_count, TLW_SPAN_BLOCK, searchRange, &search);
    tlwResult result = TLW_OK;
    for (int n = 0; n < level->span_count; n++)
        for (int64_t i = level->spans[n].base; search.found[n] && i < level->spans[n].base + level->spans[n].cells; i++)
            for (int a = 0; a < 3 && result == TLW_OK; a++)
                result = addCluster(level, a, i, clusters);
    tlwFree(search.found);
    return result;
}

// ---------------------------------------------------------------------------------------------------------------------
// Ties that hang on a further sample

static bool isKnot(const Cluster *cluster, Sample s)
{
    for (int n = 0; n < cluster->knot_count; n++)
        if (sameSample(cluster->knots[n], s))
            return true;
    return false;
}

// The sample that holds a cluster nearly alone.
static Sample findOuter(const tlwStressLevel *level, const Cluster *cluster)
{
    const tlwTie *tie = &cluster->tie;
    Sample seen[6 * TLW_TIE_FACES] = {{-1, 0}};
    int count = 0, most = -1;
    double rest = 0;
    for (int f = 0; f < tie->count; f++) {
        Sample samples[6];
        samplesOfFace(&level->grid, tie->component[f], tie->face[f], samples);
        rest += level->mass[tie->component[f]][tie->face[f]];
        for (int n = 0; n < 6; n++) {
            bool known = isKnot(cluster, samples[n]);
            for (int m = 0; m < count && !known; m++)
                known = sameSample(seen[m], samples[n]);
            if (!known)
                seen[count++] = samples[n];
        }
    }
    for (int n = 0; n < count; n++) {
        rest += stiffnessOf(level, seen[n]);
        most = most < 0 || stiffnessOf(level, seen[n]) > stiffnessOf(level, seen[most]) ? n : most;
    }
    double c = most < 0 ? 0 : stiffnessOf(level, seen[most]);
    return c > 0 && rest - c <= REST * c ? seen[most] : (Sample){-1, 0};
}

// A cluster under one of its samples (outer or knot) or faces. Sorting links brings clusters with a common one
// together.
typedef struct Link {
    Sample sample;
    int cluster;
    bool outer;
} Link;

static int compareLinks(const void *a, const void *b)
{
    const Link *p = a, *q = b;
    if (p->sample.at != q->sample.at)
        return p->sample.at < q->sample.at ? -1 : 1;
    if (p->sample.kind != q->sample.kind)
        return p->sample.kind < q->sample.kind ? -1 : 1;
    return p->cluster < q->cluster ? -1 : p->cluster > q->cluster;
}

// Join the clusters of links[0 .. count - 1], which have a sample or a face in common, and add the faces that the
// sample holds. The first cluster takes all; the others stay empty.
static bool joinClusters(const tlwStressLevel *level, Cluster *clusters, const Link *links, int count)
{
    Cluster all = clusters[links[0].cluster];
    for (int n = 1; n < count; n++) {
        const Cluster *more = &clusters[links[n].cluster];
        if (all.tie.count + more->tie.count > TLW_TIE_FACES || all.knot_count + more->knot_count > KNOTS)
            return false;
        for (int f = 0; f < more->tie.count; f++) {
            if (holdsFace(&all.tie, more->tie.component[f], more->tie.face[f]))
                continue;
            all.tie.face[all.tie.count] = more->tie.face[f];
            all.tie.component[all.tie.count++] = more->tie.component[f];
        }
        for (int k = 0; k < more->knot_count; k++)
            all.knots[all.knot_count++] = more->knots[k];
    }
    int before = all.tie.count;
    bool face = links[0].sample.kind >= FACES;
    if (!face && (!addHeld(level, links[0].sample, &all.tie) || (count == 1 && all.tie.count == before)))
        return false;
    if (!face && !isKnot(&all, links[0].sample)) {
        if (all.knot_count == KNOTS)
            return false;
        all.knots[all.knot_count++] = links[0].sample;
    }
    for (int n = 0; n < count; n++)
        clusters[links[n].cluster].tie.count = 0;
    clusters[links[0].cluster] = all;
    return true;
}

static int64_t listLinks(const tlwStressLevel *level, Clusters *clusters, Link *links)
{
    int64_t count = 0;
    for (int64_t n = 0; n < clusters->count; n++) {
        Cluster *c = &clusters->items[n];
        if (!c->tie.count)
            continue;
        c->outer = findOuter(level, c);
        if (c->outer.kind >= 0)
            links[count++] = (Link){c->outer, (int)n, true};
        for (int k = 0; k < c->knot_count; k++)
            links[count++] = (Link){c->knots[k], (int)n, false};
        for (int f = 0; f < c->tie.count; f++)
            links[count++] = (Link){{FACES + c->tie.component[f], c->tie.face[f]}, (int)n, false};
    }
    qsort(links, (size_t)count, sizeof *links, compareLinks);
    return count;
}

static int64_t endOfGroup(const Link *links, int64_t begin, int64_t count)
{
    int64_t end = begin + 1;
    while (end < count && sameSample(links[end].sample, links[begin].sample))
        end++;
    return end;
}

// Join clusters that hang on the same sample or share a face.
static bool joinOnce(const tlwStressLevel *level, Clusters *clusters, Link *links)
{
    int64_t count = listLinks(level, clusters, links);
    bool grown = false;
    for (int64_t n = 0, end; n < count; n = end) {
        end = endOfGroup(links, n, count);
        bool hangs = links[n].sample.kind >= FACES && end - n > 1, alive = true;
        for (int64_t m = n; m < end; m++) {
            hangs |= links[m].outer;
            alive &=
                clusters->items[links[m].cluster].tie.count > 0; // a cluster joined in this round waits for the next
        }
        if (hangs && alive)
            grown |= joinClusters(level, clusters->items, links + n, (int)(end - n));
    }
    return grown;
}

// Clusters that were too large to be joined may still share faces. The first cluster stays, the others are dropped.
static void separate(const tlwStressLevel *level, Clusters *clusters, Link *links)
{
    int64_t count = listLinks(level, clusters, links);
    for (int64_t n = 0, end; n < count; n = end) {
        end = endOfGroup(links, n, count);
        bool taken = false;
        for (int64_t m = n; m < end && links[n].sample.kind >= FACES; m++) {
            tlwTie *tie = &clusters->items[links[m].cluster].tie;
            if (taken)
                tie->count = 0;
            taken |= tie->count > 0;
        }
    }
}

static tlwResult growClusters(const tlwStressLevel *level, Clusters *clusters)
{
    Link *links = tlwAlloc((size_t)clusters->count * (KNOTS + TLW_TIE_FACES + 1) + 1, sizeof *links);
    if (!links)
        return TLW_OUT_OF_MEMORY;
    for (int round = 0; round < ROUNDS && joinOnce(level, clusters, links); round++)
        ;
    separate(level, clusters, links);
    tlwFree(links);
    return TLW_OK;
}

tlwResult tlwSearchTies(tlwThreads *threads, const tlwStressLevel *level, tlwStressTies *ties)
{
    Clusters clusters = {0};
    tlwResult result = findClusters(threads, level, &clusters);
    if (result == TLW_OK)
        result = growClusters(level, &clusters);
    for (int64_t n = 0; n < clusters.count && result == TLW_OK; n++) {
        if (!clusters.items[n].tie.count)
            continue;
        if (!tlwReserve((void **)&ties->items, &ties->capacity, ties->count + 1, sizeof *ties->items))
            result = TLW_OUT_OF_MEMORY;
        else
            ties->items[ties->count++] = clusters.items[n].tie;
    }
    tlwFree(clusters.items);
    return result;
}
