#include "step/viscosity/weights.h"

#include "step/obstacles/face_share.h"
#include "step/viscosity/bodies.h"
#include "step/viscosity/swelling.h"
#include "step/viscosity/tile.h"

#include <math.h>
#include <string.h>

enum { SIDE = TLW_VISCOUS_SIDE, OCTANTS = TLW_OCTANTS };

static const float SMALLEST_SHARE = 0.01f; // of a control volume: less liquid than this makes no stress
// A volume of whose room less than this share is liquid is no stiffer than SLIVER_STIFFNESS of the stiffest. Stiff
// slivers are loose ends that slow the solve and carry nothing. With a share of 0.35, strands would flow 4 to 6 % too
// fast.
static const float SLIVER_SHARE = 0.1f;
static const float SLIVER_STIFFNESS = 1e-7f;
static const float LEAST_FLUIDITY = 1e-4f; // of its cell's, in the stiff part of a cell of two materials
static const float SMALLEST_MASS = 1e-3f;  // of a full face
static const float SMALLEST_GAP = 0.1f;    // cells between a face and the wall it sticks to
static const float WHOLE = 0.999f;         // of a cell: less than this counts as cut by a solid
static const float ALIGNED = 0.02f;        // cells: depths within this are the same

// The content that the eight cells around a cell's lower corner have in common, or 0.
static inline int commonContent(const tlwViscosityTile *work, int i, int j, int k)
{
    const uint8_t(*c)[SIDE][SIDE] = work->content;
    return (c[k + 1][j + 1][i + 1] & c[k + 1][j + 1][i] & c[k + 1][j][i + 1] & c[k + 1][j][i]) &
           (c[k][j + 1][i + 1] & c[k][j + 1][i] & c[k][j][i + 1] & c[k][j][i]);
}

// Sums over the octants of a control volume.
typedef struct Share {
    float wet, vacant;
    float resistance; // sum of wet / mu, or of wet log mu, or of wet mu
    float mass;       // sum of wet times density
} Share;

// 1 / mu in a part of a cell of several materials: halves along the `axes` (bits), upper where `o` has a bit.
static inline float octantFluidity(const tlwViscosityTile *work, int x, int y, int z, int o, int axes)
{
    float mean = work->averaged[z][y][x], value = mean;
    for (int a = 0; a < 3; a++)
        if (axes >> a & 1)
            value += o >> a & 1 ? work->slope[a][z][y][x] : -work->slope[a][z][y][x];
    return value > LEAST_FLUIDITY * mean ? value : LEAST_FLUIDITY * mean;
}

static inline void addOctant(const tlwViscosityTile *work, Share *share, int i, int j, int k, int o)
{
    float wet = work->wet[k + 1][j + 1][i + 1][o];
    share->wet += wet;
    share->vacant += work->vacant[k + 1][j + 1][i + 1][o];
    if (wet > 0) {
        share->resistance += wet * (work->layered ? octantFluidity(work, i + 1, j + 1, k + 1, o, 7)
                                                  : work->averaged[k + 1][j + 1][i + 1]);
        share->mass += wet * work->rho[k + 1][j + 1][i + 1];
    }
}

static inline float limitSliver(const tlwViscosityTile *work, const Share *share, float mu)
{
    float most = SLIVER_STIFFNESS * work->build->stiffest;
    return share->wet < SLIVER_SHARE * share->vacant && mu > most ? most : mu;
}

static inline float fromAverage(tlwEdgeMean mean, float value)
{
    return mean == TLW_EDGE_HARMONIC ? 1 / value : mean == TLW_EDGE_GEOMETRIC ? expf(value) : value;
}

// FACE_BODY + n is a face of body n.
typedef enum FaceKind { FACE_FREE, FACE_STICK, FACE_SLIP_NORMAL, FACE_SLIP, FACE_BODY } FaceKind;

// Kind of a face: free to move, or inside or on a solid that the liquid sticks to or slips along.
static FaceKind classifyFace(const tlwViscosityTile *work, int axis, int64_t at, int64_t out)
{
    const tlwViscosityBuild *build = work->build;
    if (tlwGetFaceDistance(work->flow, work->solid, axis, at) > TLW_ON_WALL * work->dx)
        return FACE_FREE;
    int64_t node = tlwFindDeepestNode(work->flow, work->solid, axis, at);
    int body = build->body_count ? tlwFindNodeBody(build, node) : 0;
    if (body && build->dragged[body - 1]) // a face without an owner moves with the liquid, which sticks to the body
        return build->owner[axis][out] ? (FaceKind)(FACE_BODY + body - 1) : FACE_FREE;
    if (tlwGetNodePiece(build->def, node)) // a piece that is too small to be dragged: its cells are held
        return FACE_FREE;
    if (body || (work->stick && work->stick[node]))
        return FACE_STICK;
    // Only a wall square to the axis may hold the normal velocity: a staircase would hold a liquid that should slip.
    // All corners of such a face are equally deep. Unlike a gradient, this test does not see another wall beside this
    // one.
    const float *s = work->solid + at;
    int64_t b = work->stride[(axis + 1) % 3], c = work->stride[(axis + 2) % 3];
    float low = fminf(fminf(s[0], s[b]), fminf(s[c], s[b + c])), high = fmaxf(fmaxf(s[0], s[b]), fmaxf(s[c], s[b + c]));
    if (high - low < ALIGNED * work->dx)
        return FACE_SLIP_NORMAL;
    // Liquid flows through the open part of a slanted face, and must do so with viscosity.
    return high > TLW_ON_WALL * work->dx ? FACE_FREE : FACE_SLIP;
}

static void fillKinds(tlwViscosityTile *work, const tlwTile *tile)
{
    const tlwGrid *grid = &work->build->system->level.grid;
    for (int a = 0; a < 3; a++)
        for (int k = 0; k <= SIDE; k++)
            for (int j = 0; j <= SIDE; j++)
                for (int i = 0; i <= SIDE; i++) {
                    int64_t out = tile->base + (i - 1) + (j - 1) * grid->stride_y + (k - 1) * grid->stride_z;
                    int64_t at = tlwGetFlowIndex(work, i - 1, j - 1, k - 1);
                    work->kind[a][k][j][i] = (uint8_t)classifyFace(work, a, at, out);
                }
}

static inline FaceKind kindOf(const tlwViscosityTile *work, int axis, int i, int j, int k)
{
    return work->open ? FACE_FREE : (FaceKind)work->kind[axis][k + 1][j + 1][i + 1];
}

// Whether all six faces of a cell belong to one body.
static bool isBodyCell(const tlwViscosityTile *work, int i, int j, int k)
{
    FaceKind kind = kindOf(work, 0, i, j, k);
    return kind >= FACE_BODY && kindOf(work, 0, i + 1, j, k) == kind && kindOf(work, 1, i, j, k) == kind &&
           kindOf(work, 1, i, j + 1, k) == kind && kindOf(work, 2, i, j, k) == kind &&
           kindOf(work, 2, i, j, k + 1) == kind;
}

// Whether a cell holds frozen wax that is not dragged. Such wax does not flow: contacts keep it apart from a body, and
// bonds keep the two together. As liquid of its viscosity it would hold the body fast.
static inline bool isFrozenCell(const tlwViscosityTile *work, int64_t at)
{
    const tlwViscosityDef *def = work->build->def;
    if (!work->frozen || work->frozen[at] <= def->held_value || def->label < 0)
        return work->frozen && work->frozen[at] >= def->held_value;
    return !tlwIsDraggedPiece(work->build, tlwGetInts(work->flow, def->piece)[at]);
}

// Smallest share of the distance between opposite faces of a cell over which the liquid strains, when the surface of a
// dragged body lies between them. One number serves all three axes, as the cell has one coefficient. Walls are left
// out: the gain there is small, and mush that sticks to them would take three times the iterations.
static float normalGap(const tlwViscosityTile *work, int i, int j, int k)
{
    float least = 1;
    for (int a = 0; a < 3; a++) {
        int64_t low = tlwGetFlowIndex(work, i, j, k), high = low + work->stride[a];
        FaceKind kinds[2] = {kindOf(work, a, i, j, k), kindOf(work, a, i + (a == 0), j + (a == 1), k + (a == 2))};
        FaceKind wall = kinds[0] == FACE_FREE ? kinds[1] : kinds[0];
        if ((kinds[0] == FACE_FREE) == (kinds[1] == FACE_FREE) || wall < FACE_BODY)
            continue;
        float here = tlwGetFaceDistance(work->flow, work->solid, a, kinds[0] == FACE_FREE ? low : high);
        float there = tlwGetFaceDistance(work->flow, work->solid, a, kinds[0] == FACE_FREE ? high : low);
        float gap = here > 0 && there <= 0 ? here / (here - there) : 0;
        gap = gap > SMALLEST_GAP ? gap : SMALLEST_GAP;
        least = gap < least ? gap : least;
    }
    return least;
}

// Whether a cell holds liquid that moves. Air cells do not count: they hold slivers of liquid in the corner between a
// body and wax.
static inline bool isFlowing(const tlwViscosityTile *work, int64_t at)
{
    return work->phi[at] < 0 && !isFrozenCell(work, at);
}

// Whether frozen wax and a body meet in a cell, with nothing that flows between them.
static bool joinsWaxAndBody(const tlwViscosityTile *work, int i, int j, int k)
{
    int64_t at = tlwGetFlowIndex(work, i, j, k);
    if (!work->frozen || isFlowing(work, at))
        return false;
    bool body = false, wax = isFrozenCell(work, at);
    for (int n = 0; n < 6; n++) {
        body = body || kindOf(work, n / 2, i + (n == 1), j + (n == 3), k + (n == 5)) >= FACE_BODY;
        wax = wax || isFrozenCell(work, at + (n & 1 ? work->stride[n / 2] : -work->stride[n / 2]));
    }
    return body && wax;
}

static void fillNormal(const tlwViscosityTile *work, int i, int j, int k, int64_t out)
{
    tlwStressSystem *system = work->build->system;
    Share share = {0};
    float scale = (float)work->build->def->dt * work->dx;
    if (isBodyCell(work, i, j, k)) {
        system->level.c[TLW_XX][out] = 2 * scale * work->build->body_viscosity;
        return;
    }
    if (joinsWaxAndBody(work, i, j, k))
        return;
    for (int o = 0; o < OCTANTS; o++)
        addOctant(work, &share, i, j, k, o);
    if (share.wet < SMALLEST_SHARE * OCTANTS)
        return;
    for (int a = 0; a < 3 && !work->open; a++)
        for (int side = 0; side < 2; side++)
            if (kindOf(work, a, i + side * (a == 0), j + side * (a == 1), k + side * (a == 2)) == FACE_SLIP)
                return;
    float gap = work->open ? 1 : normalGap(work, i, j, k);
    float mu = limitSliver(work, &share, work->mu[k + 1][j + 1][i + 1]);
    system->level.c[TLW_XX][out] = 2 * scale * mu * share.wet / (share.vacant * gap);
    if (system->level.c[TLW_BULK] && share.vacant > WHOLE * OCTANTS)
        system->level.c[TLW_BULK][out] =
            scale * tlwGetBulkViscosity(mu, work->build->bulk_from) * share.wet / share.vacant;
}

// Share of the distance between faces p and q of `axis` over which the liquid shears, when a wall that it sticks to
// lies between them. The faces are neighbours along `across`. The wall is looked for at both ends of the edge between
// them: in a corner another wall spoils the distances at one end.
static float shearGap(const tlwViscosityTile *work, int axis, int across, int64_t p, int64_t q, FaceKind kind_p,
                      FaceKind kind_q)
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

static void fillShear(const tlwViscosityTile *work, int kind, int i, int j, int k, int64_t at, int64_t out)
{
    int a = kind == TLW_YZ ? 1 : 0, b = kind == TLW_XY ? 1 : 2, c = 3 - a - b;
    int da[3] = {a == 0, a == 1, a == 2}, db[3] = {b == 0, b == 1, b == 2};
    FaceKind face[4] = {kindOf(work, a, i, j, k), kindOf(work, a, i - db[0], j - db[1], k - db[2]),
                        kindOf(work, b, i, j, k), kindOf(work, b, i - da[0], j - da[1], k - da[2])};
    float scale = (float)work->build->def->dt * work->dx;
    if (face[0] >= FACE_BODY && face[1] == face[0] && face[2] == face[0] && face[3] == face[0]) {
        work->build->system->level.c[kind][out] = scale * work->build->body_viscosity;
        return;
    }
    Share share = {0};
    bool flowing = false, wax = false;
    for (int m = 0; m < 4; m++) {
        int p[3] = {i, j, k}, o = (m & 1) << a | (m >> 1) << b;
        p[a] -= m & 1;
        p[b] -= m >> 1;
        float before = share.wet;
        addOctant(work, &share, p[0], p[1], p[2], o);
        addOctant(work, &share, p[0], p[1], p[2], o | 1 << c);
        flowing = flowing || (share.wet > before && isFlowing(work, tlwGetFlowIndex(work, p[0], p[1], p[2])));
        wax = wax || isFrozenCell(work, tlwGetFlowIndex(work, p[0], p[1], p[2]));
    }
    if (share.wet < SMALLEST_SHARE * OCTANTS)
        return;
    bool body = face[0] >= FACE_BODY || face[1] >= FACE_BODY || face[2] >= FACE_BODY || face[3] >= FACE_BODY;
    if (body && wax && !flowing)
        return;
    float gap = 1;
    if (!work->open) {
        int64_t below_b = at - work->stride[b], below_a = at - work->stride[a];
        for (int f = 0; f < 4; f++)
            if (face[f] == FACE_SLIP || face[f] == FACE_SLIP_NORMAL)
                return;
        float gap_a = shearGap(work, a, b, at, below_b, face[0], face[1]);
        float gap_b = shearGap(work, b, a, at, below_a, face[2], face[3]);
        gap = gap_a < gap_b ? gap_a : gap_b;
    }
    float mu = limitSliver(work, &share, fromAverage(work->build->def->edge_mean, share.resistance / share.wet));
    float value = scale * mu * share.wet / (share.vacant * gap);
    work->build->system->level.c[kind][out] = value > 0 ? value : 0;
}

// Share of a face's liquid that moves with the face rather than with a wall beside it that the liquid sticks to: what
// is nearer to the wall is the wall's. The shear between wall and face is then that in the middle between them, where
// the difference of their velocities is second order. A slanted wall is beside the face along several axes, and counts
// along the one where it is nearest.
static float ownShare(const tlwViscosityTile *work, int axis, int i, int j, int k, int64_t at)
{
    float least = 1;
    for (int n = 1; n < 3; n++) {
        int b = (axis + n) % 3;
        float wide = 0, held = 0; // cells along b: the liquid of the control volume, and what is the walls'
        for (int side = -1; side < 2; side += 2) {
            FaceKind kind = kindOf(work, axis, i + side * (b == 0), j + side * (b == 1), k + side * (b == 2));
            bool wall = kind == FACE_STICK;
            float gap = wall ? shearGap(work, axis, b, at, at + side * work->stride[b], FACE_FREE, kind) : 1;
            float reach = gap < 0.5f ? gap : 0.5f;
            wide += reach;
            held += wall ? reach - 0.5f * gap : 0;
        }
        least = fminf(least, 1 - held / wide);
    }
    return least;
}

// Mass of every face that is not in a solid; whether samples touch it is known once all tiles are filled.
static void fillFace(const tlwViscosityTile *work, int axis, int i, int j, int k, int64_t at, int64_t out, bool dry)
{
    const tlwViscosityDef *def = work->build->def;
    tlwStressSystem *system = work->build->system;
    FaceKind kind = kindOf(work, axis, i, j, k);
    if (kind != FACE_FREE) { // tlwLoadBodies makes the bodies' faces unknowns
        bool held = kind != FACE_SLIP;
        system->level.mass[axis][out] = held ? -1 : 0;
        system->b.at[axis][out] = held ? tlwGetFloats(work->flow, def->solid_velocity[axis])[at] : 0;
        return;
    }
    Share share = {0};
    for (int o = 0; o < OCTANTS && !dry; o++) {
        int p[3] = {i, j, k};
        p[axis] -= o >> axis & 1;
        addOctant(work, &share, p[0], p[1], p[2], o);
    }
    float least = SMALLEST_MASS * (float)system->unit_mass, cube = work->dx * work->dx * work->dx;
    float own = dry || work->open ? 1 : ownShare(work, axis, i, j, k, at);
    float mass = own * share.mass / OCTANTS * cube, velocity = tlwGetFloats(work->flow, def->velocity[axis])[at];
    mass = mass > least ? mass : least;
    system->level.mass[axis][out] = mass;
    system->b.at[axis][out] = mass * velocity;
    system->x.at[axis][out] = velocity;
}

// Nothing but liquid here, so every control volume is full.
static void fillFull(const tlwViscosityTile *work, int i, int j, int k, int64_t at, int64_t out)
{
    const tlwViscosityDef *def = work->build->def;
    tlwStressSystem *system = work->build->system;
    float scale = (float)def->dt * work->dx, cube = work->dx * work->dx * work->dx;
    const float(*v)[SIDE][SIDE] = work->averaged, (*rho)[SIDE][SIDE] = work->rho;
    int x = i + 1, y = j + 1, z = k + 1;
    float here = v[z][y][x], left = v[z][y][x - 1], front = v[z][y - 1][x], below = v[z - 1][y][x];
    float mean[3] = {0.25f * ((here + left) + (front + v[z][y - 1][x - 1])),
                     0.25f * ((here + left) + (below + v[z - 1][y][x - 1])),
                     0.25f * ((here + front) + (below + v[z - 1][y - 1][x]))};
    if (work->layered)
        for (int a = 0; a < 2; a++) // axes of the edge: a and b
            for (int b = a + 1; b < 3; b++) {
                int axes = 1 << a | 1 << b, dx[3] = {a == 0, a == 1, 0}, dy[3] = {0, b == 1, b == 2};
                mean[a + b - 1] =
                    0.25f *
                    ((octantFluidity(work, x, y, z, 0, axes) +
                      octantFluidity(work, x - dx[0], y - dx[1], z - dx[2], 1 << a, axes)) +
                     (octantFluidity(work, x - dy[0], y - dy[1], z - dy[2], 1 << b, axes) +
                      octantFluidity(work, x - dx[0] - dy[0], y - dx[1] - dy[1], z - dx[2] - dy[2], axes, axes)));
            }
    float other[3] = {rho[z][y][x - 1], rho[z][y - 1][x], rho[z - 1][y][x]};
    system->level.c[TLW_XX][out] = 2 * scale * work->mu[z][y][x];
    if (system->level.c[TLW_BULK])
        system->level.c[TLW_BULK][out] = scale * tlwGetBulkViscosity(work->mu[z][y][x], work->build->bulk_from);
    for (int a = 0; a < 3; a++) {
        float value = scale * fromAverage(def->edge_mean, mean[a]);
        float velocity = tlwGetFloats(work->flow, def->velocity[a])[at];
        float mass = 0.5f * (rho[z][y][x] + other[a]) * cube;
        system->level.c[TLW_XY + a][out] = value > 0 ? value : 0;
        system->level.mass[a][out] = mass;
        system->b.at[a][out] = mass * velocity;
        system->x.at[a][out] = velocity;
    }
}

void tlwBuildViscosityTile(const tlwViscosityBuild *build, const tlwTile *tile)
{
    const tlwViscosityDef *def = build->def;
    const tlwGrid *flow = def->grid, *grid = &build->system->level.grid;
    tlwViscosityTile work; // too large to zero; no field is read before it is filled
    work.build = build;
    work.flow = flow;
    work.phi = tlwGetFloats(flow, def->phi);
    work.solid = tlwGetFloats(flow, def->solid);
    work.viscosity = tlwGetFloats(flow, def->viscosity);
    work.density = tlwGetFloats(flow, def->density);
    work.stick = def->stick >= 0 ? tlwGetBytes(flow, def->stick) : NULL;
    work.frozen = def->held_value ? tlwGetBytes(flow, def->held) : NULL;
    work.base = tlwCellIndex(flow, tile->cell[0], tile->cell[1], tile->cell[2]);
    work.stride[0] = 1, work.stride[1] = flow->stride_y, work.stride[2] = flow->stride_z;
    work.dx = (float)flow->dx;
    tlwFillViscosityTile(&work);
    bool plain = work.full && work.open;
    if (!work.open)
        fillKinds(&work, tile);
    for (int k = 0; k < TLW_TILE; k++)
        for (int j = 0; j < TLW_TILE; j++)
            for (int i = 0; i < TLW_TILE; i++) {
                int64_t at = tlwGetFlowIndex(&work, i, j, k),
                        out = tile->base + i + j * grid->stride_y + k * grid->stride_z;
                int content = plain ? TLW_ALL_WET : commonContent(&work, i, j, k);
                if (content == TLW_ALL_WET && (work.open || !build->body_count)) {
                    fillFull(&work, i, j, k, at, out);
                    continue;
                }
                if (content != TLW_ALL_DRY || (build->body_count && !work.open)) {
                    fillNormal(&work, i, j, k, out);
                    for (int kind = TLW_XY; kind <= TLW_YZ; kind++)
                        fillShear(&work, kind, i, j, k, at, out);
                }
                for (int a = 0; a < 3; a++)
                    fillFace(&work, a, i, j, k, at, out, content == TLW_ALL_DRY);
            }
}
