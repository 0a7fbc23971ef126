#include "step/viscosity_weights.h"

#include <math.h>
#include <string.h>

// A cell is cut into eight octants; cells, faces and edges own whole octants of the cells around them, so one fraction
// per octant gives every control volume. Bit 0, 1, 2 of an octant's number: upper half along x, y, z.
enum { SIDE = TLW_TILE + 1, OCTANTS = 8 }; // cells -1 .. 7 of a tile

static const float SMALLEST_SHARE = 0.01f; // of a control volume: less liquid than this makes no stress
static const float SMALLEST_MASS = 1e-3f;  // of a full face
static const float SMALLEST_GAP = 0.1f;    // cells between a face and the wall it sticks to
static const float ON_WALL = 1e-3f;        // cells: a face this close to a wall lies on it
static const float ALIGNED = 0.999f;       // cosine between a slip wall's normal and an axis

typedef struct Work {
    const tlwViscosityBuild *build;
    const tlwGrid *flow;
    const float *phi, *solid, *viscosity, *density;
    const uint8_t *stick;
    const int32_t *piece;
    int64_t base;      // flow index of the tile's first cell
    int64_t stride[3]; // of the flow
    float dx;
    bool full, open;                         // no surface, no solid near the tile
    float wet[SIDE][SIDE][SIDE][OCTANTS];    // share of the octant that is liquid
    float vacant[SIDE][SIDE][SIDE][OCTANTS]; // share that is not solid
    float mu[SIDE][SIDE][SIDE];
} Work;

static inline int64_t flowIndex(const Work *work, int i, int j, int k)
{
    return work->base + i + j * work->stride[1] + k * work->stride[2];
}

static inline float clamp01(float x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

// Whether liquid and open space fill the tile and a margin.
static void look(Work *work)
{
    float wettest = -INFINITY, nearest = INFINITY;
    for (int k = -2; k < TLW_TILE + 2; k++)
        for (int j = -2; j < TLW_TILE + 2; j++) {
            int64_t row = flowIndex(work, -2, j, k);
            for (int i = 0; i < TLW_TILE + 4; i++) {
                wettest = work->phi[row + i] > wettest ? work->phi[row + i] : wettest;
                nearest = work->solid[row + i] < nearest ? work->solid[row + i] : nearest;
            }
        }
    work->full = wettest < -1.5f * work->dx;
    work->open = nearest > work->dx;
}

// Trilinear value at the centre of octant `o` from the eight samples around it: `corner` is the nearest one, whose
// weight is (3/4)^3, and the others lie on the octant's side of it.
static inline float octantValue(const Work *work, const float *field, int64_t corner, int o, bool nodes)
{
    float sum = 0;
    for (int m = 0; m < 8; m++) {
        int64_t at = corner;
        float weight = 1;
        for (int a = 0; a < 3; a++) {
            bool far = m >> a & 1, up = o >> a & 1;
            at += far ? (up != nodes ? work->stride[a] : -work->stride[a]) : 0;
            weight *= far ? 0.25f : 0.75f;
        }
        sum += weight * field[at];
    }
    return sum;
}

static void fillOctants(Work *work, int i, int j, int k)
{
    float *wet = work->wet[k + 1][j + 1][i + 1], *vacant = work->vacant[k + 1][j + 1][i + 1];
    int64_t at = flowIndex(work, i, j, k);
    float half = 0.5f * work->dx, phi = work->phi[at], solid = work->solid[at];
    bool near_surface = fabsf(phi) < 1.5f * work->dx, near_solid = fabsf(solid) < 2.5f * work->dx;
    for (int o = 0; o < OCTANTS; o++) {
        float dry = near_surface ? octantValue(work, work->phi, at, o, false) : phi;
        int64_t node =
            at + (o & 1 ? work->stride[0] : 0) + (o & 2 ? work->stride[1] : 0) + (o & 4 ? work->stride[2] : 0);
        float distance = near_solid ? octantValue(work, work->solid, node, o, true) : solid;
        vacant[o] = clamp01(0.5f + distance / half);
        wet[o] = clamp01(0.5f - dry / half) * vacant[o];
    }
}

static float rawViscosity(const Work *work, int64_t at)
{
    if (work->piece && work->piece[at])
        return work->build->piece_viscosity;
    float mu = work->viscosity[at];
    return mu < work->build->stiffest ? mu : work->build->stiffest;
}

// Stiff features thinner than two cells have no shear samples of their own and would be mechanisms: take the smallest
// of the liquid cells at each node, then the largest of the nodes at each cell.
static void fillViscosity(Work *work)
{
    enum { RAW = SIDE + 2, NODES = SIDE + 1 };
    float raw[RAW][RAW][RAW], node[NODES][NODES][NODES];
    bool same = true;
    for (int k = 0; k < RAW; k++)
        for (int j = 0; j < RAW; j++)
            for (int i = 0; i < RAW; i++) {
                int64_t at = flowIndex(work, i - 2, j - 2, k - 2);
                float mu = rawViscosity(work, at);
                raw[k][j][i] = work->phi[at] < 0.5f * work->dx && mu > 0 ? mu : INFINITY;
                if (i > 0 && j > 0 && k > 0 && i <= SIDE && j <= SIDE && k <= SIDE)
                    work->mu[k - 1][j - 1][i - 1] = mu;
                same = same && raw[k][j][i] == raw[0][0][0];
            }
    if (same || work->build->def->keep_thin_stiff)
        return;
    for (int k = 0; k < NODES; k++)
        for (int j = 0; j < NODES; j++)
            for (int i = 0; i < NODES; i++) {
                float least = INFINITY;
                for (int m = 0; m < 8; m++) {
                    float mu = raw[k + (m >> 2)][j + (m >> 1 & 1)][i + (m & 1)];
                    least = mu < least ? mu : least;
                }
                node[k][j][i] = least;
            }
    for (int k = 0; k < SIDE; k++)
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++) {
                float most = 0;
                for (int m = 0; m < 8; m++) {
                    float mu = node[k + (m >> 2)][j + (m >> 1 & 1)][i + (m & 1)];
                    most = mu > most && mu < INFINITY ? mu : most;
                }
                float *mu = &work->mu[k][j][i];
                *mu = *mu > most && most > 0 && raw[k + 1][j + 1][i + 1] < INFINITY ? most : *mu;
            }
}

// Sums over the octants of a control volume.
typedef struct Share {
    float wet, vacant;
    float resistance; // sum of wet / mu, or of wet log mu, or of wet mu
    float mass;       // sum of wet times density
} Share;

static void addOctant(const Work *work, Share *share, int i, int j, int k, int o)
{
    float wet = work->full && work->open ? 1 : work->wet[k + 1][j + 1][i + 1][o];
    float mu = work->mu[k + 1][j + 1][i + 1];
    share->wet += wet;
    share->vacant += work->full && work->open ? 1 : work->vacant[k + 1][j + 1][i + 1][o];
    if (wet > 0) {
        tlwEdgeMean mean = work->build->def->edge_mean;
        share->resistance += wet * (mean == TLW_EDGE_HARMONIC ? 1 / mu : mean == TLW_EDGE_GEOMETRIC ? logf(mu) : mu);
        float density = work->density[flowIndex(work, i, j, k)];
        share->mass += wet * (density > 0 ? density : work->build->density);
    }
}

static float meanViscosity(const Work *work, const Share *share)
{
    float mean = share->resistance / share->wet;
    tlwEdgeMean kind = work->build->def->edge_mean;
    return kind == TLW_EDGE_HARMONIC ? 1 / mean : kind == TLW_EDGE_GEOMETRIC ? expf(mean) : mean;
}

// Distance to solids at the centre of a face.
static float faceDistance(const Work *work, int axis, int64_t at)
{
    int64_t b = work->stride[(axis + 1) % 3], c = work->stride[(axis + 2) % 3];
    const float *s = work->solid + at;
    return 0.25f * ((s[0] + s[b]) + (s[c] + s[b + c]));
}

typedef enum FaceKind { FACE_FREE, FACE_STICK, FACE_SLIP_NORMAL, FACE_SLIP } FaceKind;

// What a face is to the liquid: free to move, inside or on a solid that it sticks to, or one that it slips along.
static FaceKind classifyFace(const Work *work, int axis, int64_t at)
{
    if (work->open || faceDistance(work, axis, at) > ON_WALL * work->dx)
        return FACE_FREE;
    if (work->stick && (work->stick[at] || work->stick[at - work->stride[axis]]))
        return FACE_STICK;
    // Only a wall square to an axis may hold the normal velocity: a staircase would grip a liquid that should slip.
    float gradient[3];
    for (int a = 0; a < 3; a++) {
        int64_t s = work->stride[a];
        gradient[a] = faceDistance(work, axis, at + s) - faceDistance(work, axis, at - s);
    }
    float length = sqrtf(gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2]);
    return fabsf(gradient[axis]) > ALIGNED * length ? FACE_SLIP_NORMAL : FACE_SLIP;
}

static void fillNormal(const Work *work, int i, int j, int k, int64_t at, int64_t out)
{
    tlwStressSystem *system = work->build->system;
    Share share = {0};
    for (int o = 0; o < OCTANTS; o++)
        addOctant(work, &share, i, j, k, o);
    if (share.wet < SMALLEST_SHARE * OCTANTS)
        return;
    for (int a = 0; a < 3 && !work->open; a++)
        for (int side = 0; side < 2; side++)
            if (classifyFace(work, a, at + side * work->stride[a]) == FACE_SLIP)
                return;
    float scale = (float)work->build->def->dt * work->dx;
    system->level.c[TLW_XX][out] = 2 * scale * work->mu[k + 1][j + 1][i + 1] * share.wet / share.vacant;
}

// Share of the distance between faces p and q of `axis`, which are neighbours along `across`, over which the liquid
// shears when a wall it sticks to lies between them. The wall is looked for at both ends of the edge between the faces:
// in a corner the other wall spoils the distances at one of them.
static float shearGap(const Work *work, int axis, int across, int64_t p, int64_t q, FaceKind kind_p, FaceKind kind_q)
{
    if ((kind_p == FACE_FREE) == (kind_q == FACE_FREE))
        return 1;
    int64_t liquid = kind_p == FACE_FREE ? p : q, wall = kind_p == FACE_FREE ? q : p;
    int64_t up = work->stride[across], along = work->stride[3 - axis - across];
    float widest = SMALLEST_GAP;
    for (int end = 0; end < 2; end++, liquid += along, wall += along) {
        float here = 0.5f * (work->solid[liquid] + work->solid[liquid + up]);
        float there = 0.5f * (work->solid[wall] + work->solid[wall + up]);
        float gap = here > 0 && there <= 0 ? here / (here - there) : 0;
        widest = gap > widest ? gap : widest;
    }
    return widest < 1 ? widest : 1;
}

static void fillShear(const Work *work, int kind, int i, int j, int k, int64_t at, int64_t out)
{
    int a = kind == TLW_YZ ? 1 : 0, b = kind == TLW_XY ? 1 : 2, c = 3 - a - b;
    Share share = {0};
    for (int m = 0; m < 4; m++) {
        int p[3] = {i, j, k}, o = (m & 1) << a | (m >> 1) << b;
        p[a] -= m & 1;
        p[b] -= m >> 1;
        addOctant(work, &share, p[0], p[1], p[2], o);
        addOctant(work, &share, p[0], p[1], p[2], o | 1 << c);
    }
    if (share.wet < SMALLEST_SHARE * OCTANTS)
        return;
    float gap = 1;
    if (!work->open) {
        int64_t below_b = at - work->stride[b], below_a = at - work->stride[a];
        FaceKind face[4] = {classifyFace(work, a, at), classifyFace(work, a, below_b), classifyFace(work, b, at),
                            classifyFace(work, b, below_a)};
        for (int f = 0; f < 4; f++)
            if (face[f] == FACE_SLIP || face[f] == FACE_SLIP_NORMAL)
                return;
        float gap_a = shearGap(work, a, b, at, below_b, face[0], face[1]);
        float gap_b = shearGap(work, b, a, at, below_a, face[2], face[3]);
        gap = gap_a < gap_b ? gap_a : gap_b;
    }
    float scale = (float)work->build->def->dt * work->dx / gap;
    float value = scale * meanViscosity(work, &share) * share.wet / share.vacant;
    work->build->system->level.c[kind][out] = value > 0 ? value : 0;
}

static void fillPiece(const Work *work, int64_t at, int64_t out)
{
    const tlwPieceMap *map = work->build->pieces;
    tlwStressSystem *system = work->build->system;
    if (!work->piece || !work->piece[at] || !(system->level.c[TLW_XX][out] > 0))
        return;
    int low = 0, high = map->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (map->flow_label[middle] < work->piece[at])
            low = middle + 1;
        else
            high = middle;
    }
    if (low < map->count && map->flow_label[low] == work->piece[at])
        system->piece[out] = (int16_t)(low + 1);
}

// Mass of every face that is not in a solid; whether samples touch it is known once all tiles are filled.
static void fillFace(const Work *work, int axis, int i, int j, int k, int64_t at, int64_t out)
{
    const tlwViscosityDef *def = work->build->def;
    tlwStressSystem *system = work->build->system;
    FaceKind kind = classifyFace(work, axis, at);
    if (kind != FACE_FREE) {
        bool held = kind == FACE_STICK || kind == FACE_SLIP_NORMAL;
        system->level.mass[axis][out] = held ? -1 : 0;
        system->b.at[axis][out] = held ? tlwGetFloats(work->flow, def->solid_velocity[axis])[at] : 0;
        return;
    }
    Share share = {0};
    for (int o = 0; o < OCTANTS; o++) {
        int p[3] = {i, j, k};
        p[axis] -= o >> axis & 1;
        addOctant(work, &share, p[0], p[1], p[2], o);
    }
    float least = SMALLEST_MASS * (float)system->unit_mass, cube = work->dx * work->dx * work->dx;
    float mass = share.mass / OCTANTS * cube, velocity = tlwGetFloats(work->flow, def->velocity[axis])[at];
    mass = mass > least ? mass : least;
    system->level.mass[axis][out] = mass;
    system->b.at[axis][out] = mass * velocity;
    system->x.at[axis][out] = velocity;
}

void tlwBuildViscosityTile(const tlwViscosityBuild *build, const tlwTile *tile)
{
    const tlwViscosityDef *def = build->def;
    const tlwGrid *flow = def->grid, *grid = &build->system->level.grid;
    Work work = {.build = build,
                 .flow = flow,
                 .phi = tlwGetFloats(flow, def->phi),
                 .solid = tlwGetFloats(flow, def->solid),
                 .viscosity = tlwGetFloats(flow, def->viscosity),
                 .density = tlwGetFloats(flow, def->density),
                 .stick = def->stick >= 0 ? tlwGetBytes(flow, def->stick) : NULL,
                 .piece = def->piece >= 0 ? tlwGetInts(flow, def->piece) : NULL,
                 .base = tlwCellIndex(flow, tile->cell[0], tile->cell[1], tile->cell[2]),
                 .stride = {1, flow->stride_y, flow->stride_z},
                 .dx = (float)flow->dx};
    look(&work);
    fillViscosity(&work);
    for (int k = -1; k < TLW_TILE && !(work.full && work.open); k++)
        for (int j = -1; j < TLW_TILE; j++)
            for (int i = -1; i < TLW_TILE; i++)
                fillOctants(&work, i, j, k);
    for (int k = 0; k < TLW_TILE; k++)
        for (int j = 0; j < TLW_TILE; j++)
            for (int i = 0; i < TLW_TILE; i++) {
                int64_t at = flowIndex(&work, i, j, k), out = tile->base + i + j * grid->stride_y + k * grid->stride_z;
                fillNormal(&work, i, j, k, at, out);
                for (int kind = TLW_XY; kind <= TLW_YZ; kind++)
                    fillShear(&work, kind, i, j, k, at, out);
                for (int a = 0; a < 3; a++)
                    fillFace(&work, a, i, j, k, at, out);
                fillPiece(&work, at, out);
            }
}
