#include "step/views/unmelted.h"

#include "base/context.h"
#include "base/memory.h"
#include "grid/sample.h"
#include "scene/scene.h"

#define STILL 1e-3 // cells: nearer to its rest position a particle stands still
#define EXACT 0.05 // cells: a particle that its part's motion misses by more has melted
#define EDGE 0.02  // cells by which the distance of two unmelted particles may change
#define LONG 1.5   // cells: three particles nearer to each other say too little about a turn
#define TRIES 96   // sets of three particles, to find a motion
#define MOTIONS 4  // of a piece: frozen parts may have frozen together
enum { SAMPLES = 512, FEWEST = 24, ROUNDS = 3 };
enum { PARTS = 4 }; // around a point

// A frozen piece that is not at its rest position, with some of its particles.
typedef struct Piece {
    uint32_t id;
    int64_t count, seen;
    int sample_count;
    int64_t samples[SAMPLES];
    int first, motions; // among tlwUnmelted.motions
} Piece;

typedef struct Search {
    const tlwFrameState *state;
    tlwUnmelted *out;
    Piece *pieces;
    int64_t piece_count, piece_capacity;
    int last; // the piece that was found last
} Search;

static tlwVec3 getPlace(const tlwFrameState *state, int64_t m)
{
    const tlwParticles *q = state->particles;
    return tlwMulAdd(state->flow->grid.origin, state->flow->grid.dx,
                     (tlwVec3){q->position[0][m], q->position[1][m], q->position[2][m]});
}

static tlwVec3 getRest(const tlwFrameState *state, int64_t m)
{
    const tlwParticles *q = state->particles;
    return (tlwVec3){q->rest[0][m], q->rest[1][m], q->rest[2][m]};
}

static double getMiss(const tlwFrameState *state, const tlwPartMotion *motion, int64_t m)
{
    tlwVec3 x = tlwAdd(tlwRotate(motion->turn, getRest(state, m)), motion->shift);
    return tlwLength(tlwSub(x, getPlace(state, m))) / state->flow->grid.dx;
}

static bool isSolid(const tlwFrameState *state, int64_t m)
{
    const tlwMaterial *material = &state->scene->materials[state->particles->material[m]];
    return material->melts && material->def.frozen == TLW_FROZEN_RIGID &&
           !(tlwGetMelt(material, state->particles->enthalpy[m]) > 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// The motion of a piece

// Axes of three points; false when they lie too close or on a line.
static bool getAxes(const tlwVec3 p[3], double shortest, tlwMat3 *axes)
{
    tlwVec3 x = tlwSub(p[1], p[0]), other = tlwSub(p[2], p[0]), z = tlwCross(x, other);
    if (!(tlwLength(x) > shortest && tlwLength(z) > shortest * tlwLength(x)))
        return false;
    x = tlwNormalize(x);
    z = tlwNormalize(z);
    tlwVec3 y = tlwCross(z, x);
    *axes = (tlwMat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return true;
}

static tlwQuat quatFromMat3(const tlwMat3 *r)
{
    const double(*m)[3] = r->m;
    double trace = m[0][0] + m[1][1] + m[2][2];
    int a = m[1][1] > m[0][0] ? 1 : 0;
    a = m[2][2] > m[a][a] ? 2 : a;
    if (trace > m[a][a])
        return tlwQuatNormalize((tlwQuat){1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]});
    int b = (a + 1) % 3, c = (a + 2) % 3;
    double v[3];
    v[a] = 1 + m[a][a] - m[b][b] - m[c][c];
    v[b] = m[a][b] + m[b][a];
    v[c] = m[a][c] + m[c][a];
    return tlwQuatNormalize((tlwQuat){m[c][b] - m[b][c], v[0], v[1], v[2]});
}

// The motion of three particles; false when they do not keep their distances.
static bool fitThree(const tlwFrameState *state, const int64_t who[3], tlwPartMotion *motion)
{
    double dx = state->flow->grid.dx;
    tlwVec3 from[3], to[3];
    for (int n = 0; n < 3; n++) {
        from[n] = getRest(state, who[n]);
        to[n] = getPlace(state, who[n]);
    }
    for (int n = 0; n < 3; n++) {
        double before = tlwLength(tlwSub(from[n], from[(n + 1) % 3])), now = tlwLength(tlwSub(to[n], to[(n + 1) % 3]));
        if (!(fabs(before - now) < EDGE * dx))
            return false;
    }
    tlwMat3 a, b;
    if (!getAxes(from, LONG * dx, &a) || !getAxes(to, LONG * dx, &b))
        return false;
    tlwMat3 r = tlwMat3Mul(b, tlwMat3Transpose(a));
    motion->turn = quatFromMat3(&r);
    motion->shift = tlwSub(to[0], tlwRotate(motion->turn, from[0]));
    return true;
}

// Least squares over the samples that the motion meets; one step of Newton's method for the turn.
static void refine(const tlwFrameState *state, const int64_t *samples, int count, double miss, tlwPartMotion *motion)
{
    tlwVec3 from = {0, 0, 0}, to = {0, 0, 0};
    double met = 0;
    for (int n = 0; n < count; n++)
        if (getMiss(state, motion, samples[n]) < miss) {
            from = tlwAdd(from, tlwRotate(motion->turn, getRest(state, samples[n])));
            to = tlwAdd(to, getPlace(state, samples[n]));
            met++;
        }
    if (met < 3)
        return;
    from = tlwScale(from, 1 / met);
    to = tlwScale(to, 1 / met);
    tlwMat3 left = {{{1e-30, 0, 0}, {0, 1e-30, 0}, {0, 0, 1e-30}}};
    tlwVec3 twist = {0, 0, 0};
    for (int n = 0; n < count; n++) {
        if (!(getMiss(state, motion, samples[n]) < miss))
            continue;
        tlwVec3 a = tlwSub(tlwRotate(motion->turn, getRest(state, samples[n])), from);
        tlwVec3 b = tlwSub(getPlace(state, samples[n]), to);
        const double v[3] = {a.x, a.y, a.z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                left.m[i][j] += (i == j) * tlwDot(a, a) - v[i] * v[j];
        twist = tlwAdd(twist, tlwCross(a, b));
    }
    tlwQuat more = tlwQuatFromRotationVector(tlwMulMat3(tlwMat3Inverse(left), twist));
    motion->turn = tlwQuatNormalize(tlwQuatMul(more, motion->turn));
    motion->shift = tlwSub(to, tlwRotate(more, from));
}

static int countMet(const tlwFrameState *state, const int64_t *samples, int count, double miss,
                    const tlwPartMotion *motion)
{
    int met = 0;
    for (int n = 0; n < count; n++)
        met += getMiss(state, motion, samples[n]) < miss;
    return met;
}

// The motion that most of the samples share; false when only few share one.
static bool findMotion(const tlwFrameState *state, const int64_t *samples, int count, tlwPartMotion *best)
{
    uint32_t random = 12345;
    int most = 0;
    for (int n = 0; n < TRIES && count >= FEWEST; n++) {
        int64_t who[3];
        for (int k = 0; k < 3; k++) {
            random = random * 1664525u + 1013904223u;
            who[k] = samples[(random >> 8) % (uint32_t)count];
        }
        tlwPartMotion motion;
        if (!fitThree(state, who, &motion))
            continue;
        // Three particles tell a turn roughly: what is far from them is missed by more.
        int met = countMet(state, samples, count, 4 * EXACT, &motion);
        if (met > most) {
            most = met;
            *best = motion;
        }
        if (most > count / 2)
            break;
    }
    for (int round = 0; round < ROUNDS && most; round++)
        refine(state, samples, count, round ? EXACT : 4 * EXACT, best);
    return most && countMet(state, samples, count, EXACT, best) >= FEWEST;
}

// ---------------------------------------------------------------------------------------------------------------------
// Parts

static Piece *findPiece(Search *s, uint32_t id)
{
    if (s->last >= 0 && s->pieces[s->last].id == id)
        return &s->pieces[s->last];
    for (s->last = 0; s->last < s->piece_count; s->last++)
        if (s->pieces[s->last].id == id)
            return &s->pieces[s->last];
    s->last = -1;
    return NULL;
}

static uint32_t pieceOf(const tlwFrameState *state, int64_t m)
{
    return state->particles->frozen[m] >> TLW_BOND_BITS;
}

// Mark what stands still, and count the particles of pieces that do not.
static tlwResult listPieces(Search *s)
{
    const tlwFrameState *state = s->state;
    const tlwPartMotion *still = &s->out->motions[TLW_PART_STILL];
    for (int64_t m = 0; m < state->particles->count; m++) {
        s->out->part[m] = TLW_PART_NONE;
        if (!isSolid(state, m))
            continue;
        if (getMiss(state, still, m) < STILL) {
            s->out->part[m] = TLW_PART_STILL;
            continue;
        }
        uint32_t id = pieceOf(state, m);
        if (!id)
            continue;
        if (!findPiece(s, id)) {
            if (!tlwReserve((void **)&s->pieces, &s->piece_capacity, s->piece_count + 1, sizeof *s->pieces))
                return TLW_OUT_OF_MEMORY;
            s->pieces[s->piece_count++] = (Piece){.id = id};
        }
        findPiece(s, id)->count++;
    }
    return TLW_OK;
}

static void takeSamples(Search *s)
{
    for (int64_t m = 0; m < s->state->particles->count; m++) {
        uint32_t id = pieceOf(s->state, m);
        if (!id || s->out->part[m] == TLW_PART_STILL || !isSolid(s->state, m))
            continue;
        Piece *piece = findPiece(s, id);
        int64_t stride = piece->count / SAMPLES + 1;
        if (piece->seen++ % stride == 0 && piece->sample_count < SAMPLES)
            piece->samples[piece->sample_count++] = m;
    }
}

// The piece's motions, each from the samples that those before it do not meet.
static tlwResult findMotions(Search *s, Piece *piece)
{
    piece->first = (int)s->out->count;
    while (piece->motions < MOTIONS && s->out->count < UINT16_MAX) {
        tlwPartMotion motion;
        if (!findMotion(s->state, piece->samples, piece->sample_count, &motion))
            break;
        if (!tlwReserve((void **)&s->out->motions, &s->out->capacity, s->out->count + 1, sizeof *s->out->motions))
            return TLW_OUT_OF_MEMORY;
        s->out->motions[s->out->count++] = motion;
        piece->motions++;
        int left = 0;
        for (int n = 0; n < piece->sample_count; n++)
            if (!(getMiss(s->state, &motion, piece->samples[n]) < EXACT))
                piece->samples[left++] = piece->samples[n];
        piece->sample_count = left;
    }
    return TLW_OK;
}

static void partRange(void *context, int64_t begin, int64_t end)
{
    Search s = *(const Search *)context; // with a `last` of its own
    for (int64_t m = begin; m < end; m++) {
        uint32_t id = pieceOf(s.state, m);
        if (!id || s.out->part[m] == TLW_PART_STILL || !isSolid(s.state, m))
            continue;
        const Piece *piece = findPiece(&s, id);
        for (int n = piece->first; n < piece->first + piece->motions && !s.out->part[m]; n++)
            if (getMiss(s.state, &s.out->motions[n], m) < EXACT)
                s.out->part[m] = (uint16_t)n;
    }
}

tlwResult tlwFindUnmelted(const tlwFrameState *state, tlwUnmelted *unmelted)
{
    Search s = {.state = state, .out = unmelted, .last = -1};
    int64_t count = state->particles->count;
    int64_t capacity = unmelted->part_capacity;
    bool ok = tlwReserve((void **)&unmelted->indices, &capacity, count + 1, sizeof *unmelted->indices) &&
              tlwReserve((void **)&unmelted->part, &unmelted->part_capacity, count + 1, sizeof *unmelted->part) &&
              tlwReserve((void **)&unmelted->motions, &unmelted->capacity, 2, sizeof *unmelted->motions);
    tlwResult result = ok ? TLW_OK : TLW_OUT_OF_MEMORY;
    if (ok) {
        unmelted->motions[0] = unmelted->motions[1] = (tlwPartMotion){.turn = {1, 0, 0, 0}};
        unmelted->count = 2;
        result = listPieces(&s);
    }
    if (result == TLW_OK && s.piece_count)
        takeSamples(&s);
    for (int64_t n = 0; n < s.piece_count && result == TLW_OK; n++)
        result = findMotions(&s, &s.pieces[n]);
    if (result == TLW_OK && s.piece_count)
        tlwParallelFor(state->context->threads, count, 8192, partRange, &s);
    tlwFree(s.pieces);
    if (result == TLW_OK)
        result = tlwIndexParticles(state->context->threads, &state->flow->grid, state->particles, &unmelted->order,
                                   unmelted->indices);
    return result == TLW_OK ? result : tlwFailMemory(&state->context->message, "the detail of the surface");
}

void tlwFreeUnmelted(tlwUnmelted *unmelted)
{
    tlwFree(unmelted->part);
    tlwFree(unmelted->indices);
    tlwFreeParticleOrder(&unmelted->order);
    tlwFree(unmelted->motions);
    *unmelted = (tlwUnmelted){0};
}

// ---------------------------------------------------------------------------------------------------------------------
// Around a point

typedef struct Around {
    float all;
    float weight[PARTS];
    uint16_t part[PARTS];
    int origin[PARTS]; // of the first particle of each part
    int count;
} Around;

static void addParticle(const tlwFrameState *state, const tlwUnmelted *u, int64_t m, float weight, Around *around)
{
    uint16_t part = u->part[m];
    around->all += weight;
    if (part == TLW_PART_NONE)
        return;
    int n = 0;
    while (n < around->count && around->part[n] != part)
        n++;
    if (n == PARTS)
        return;
    if (n == around->count) {
        around->part[n] = part;
        around->weight[n] = 0;
        around->origin[n] = state->particles->origin[m];
        around->count++;
    }
    around->weight[n] += weight;
}

static void addCell(const tlwFrameState *state, const tlwUnmelted *u, int i, int j, int k, const float p[3],
                    Around *around)
{
    const tlwGrid *grid = &state->flow->grid;
    const tlwParticles *q = state->particles;
    int t = tlwFindTile(grid, tlwFloorDiv(i, TLW_TILE), tlwFloorDiv(j, TLW_TILE), tlwFloorDiv(k, TLW_TILE));
    if (t < 0)
        return;
    int c = (i & 7) + TLW_TILE * ((j & 7) + TLW_TILE * (k & 7));
    const int32_t *start = u->order.cell_start + (int64_t)t * (TLW_TILE_CELLS + 1);
    for (int64_t n = start[c]; n < start[c + 1]; n++) {
        int64_t m = u->indices[u->order.tile_start[t] + n];
        float x = q->position[0][m] - p[0], y = q->position[1][m] - p[1], z = q->position[2][m] - p[2];
        float weight = 1 - (x * x + y * y + z * z) / 2.25f; // within one and a half cells
        if (weight > 0)
            addParticle(state, u, m, weight * weight, around);
    }
}

int tlwLookAround(const tlwFrameState *state, const tlwUnmelted *u, const float p[3], float *share, int *origin)
{
    Around around = {0};
    int low[3] = {tlwFastFloor(p[0] - 1), tlwFastFloor(p[1] - 1), tlwFastFloor(p[2] - 1)}, best = -1;
    for (int n = 0; n < 27; n++)
        addCell(state, u, low[0] + n % 3, low[1] + n / 3 % 3, low[2] + n / 9, p, &around);
    for (int n = 0; n < around.count; n++)
        if (best < 0 || around.weight[n] > around.weight[best])
            best = n;
    if (best < 0)
        return -1;
    *share = around.weight[best] / around.all;
    *origin = around.origin[best];
    return around.part[best];
}
