#include "step/bodies/split.h"

#include "base/memory.h"
#include "shape/sdf_sample.h"
#include "step/bodies/groups.h"

// One face near a body: its place from the body's centre, and its share inside the body (w of Carlson 2004, eq. 71).
typedef struct Face {
    int axis;
    int64_t index;
    tlwVec3 arm;
    double inside;
} Face;

typedef void FaceFn(void *user, const Face *face);

// Every face with a part inside the body, in a fixed order.
static void visitFaces(const tlwFlow *flow, const tlwPlacedMesh *solid, tlwVec3 centre, FaceFn *fn, void *user)
{
    const tlwGrid *grid = &flow->grid;
    double dx = grid->dx;
    for (int t = 0; t < grid->tile_count; t++) {
        const tlwTile *tile = &grid->tiles[t];
        for (int a = 0; a < 3; a++) {
            tlwVec3 first = {tile->cell[0] + (a == 0 ? 0 : 0.5), tile->cell[1] + (a == 1 ? 0 : 0.5),
                             tile->cell[2] + (a == 2 ? 0 : 0.5)};
            tlwSdfNodes nodes = {.origin = tlwMulAdd(grid->origin, dx, first),
                                 .spacing = dx,
                                 .dims = {TLW_TILE, TLW_TILE, TLW_TILE},
                                 .stride = {1, TLW_TILE, TLW_TILE * TLW_TILE}};
            tlwVec3 end = tlwMulAdd(nodes.origin, TLW_TILE * dx, (tlwVec3){1, 1, 1});
            if (solid->low.x > end.x || solid->high.x < nodes.origin.x || solid->low.y > end.y ||
                solid->high.y < nodes.origin.y || solid->low.z > end.z || solid->high.z < nodes.origin.z)
                continue;
            float d[TLW_TILE_CELLS];
            tlwRasterizeSdf(solid->wet, &solid->frame, &nodes, d);
            for (int n = 0; n < TLW_TILE_CELLS; n++) {
                double inside = tlwClamp(0.5 - d[n] / dx, 0, 1);
                if (!(inside > 0))
                    continue;
                int i = n % TLW_TILE, j = n / TLW_TILE % TLW_TILE, k = n / TLW_TILE / TLW_TILE;
                tlwVec3 p = tlwMulAdd(nodes.origin, dx, (tlwVec3){i, j, k});
                Face face = {a, tile->base + i + j * grid->stride_y + k * grid->stride_z, tlwSub(p, centre), inside};
                fn(user, &face);
            }
        }
    }
}

static double along(int axis, tlwVec3 v)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static double rigidSpeed(const Face *face, tlwVec3 velocity, tlwVec3 spin)
{
    return along(face->axis, tlwAdd(velocity, tlwCross(spin, face->arm)));
}

typedef struct Split {
    tlwFlow *flow;
    const tlwCoupledBody *body;
    tlwVec3 velocity, spin; // of the body before pressure and collisions
    double dt, ratio;       // ratio: the liquid's density over the body's
    double a[6][6], b[6], volume;
    tlwVec3 new_velocity, new_spin;
} Split;

static Split makeSplit(tlwFlow *flow, const tlwCoupledBody *body, double dt)
{
    Split s = {.flow = flow, .body = body, .dt = dt};
    s.velocity = tlwMulAdd(body->velocity, -dt, body->contact_velocity);
    s.spin = tlwMulAdd(body->spin, -dt, body->contact_spin);
    return s;
}

static void enterFace(void *user, const Face *face)
{
    const Split *s = user;
    const tlwGrid *grid = &s->flow->grid;
    float *u = &tlwGetFloats(grid, s->flow->velocity[face->axis])[face->index];
    bool liquid = tlwGetBytes(grid, s->flow->reached)[face->index] >> face->axis & 1;
    double w = liquid ? face->inside : 1;
    *u = (float)((1 - w) * *u + w * rigidSpeed(face, s->velocity, s->spin));
}

// List the cells whose centre is inside a body.
static tlwResult listCells(const tlwFlow *flow, const tlwPlacedMesh *solid, int64_t **cells, int64_t *count)
{
    const tlwGrid *grid = &flow->grid;
    int64_t capacity = 0;
    *cells = NULL;
    *count = 0;
    for (int t = 0; t < grid->tile_count; t++) {
        const tlwTile *tile = &grid->tiles[t];
        tlwVec3 first = {tile->cell[0] + 0.5, tile->cell[1] + 0.5, tile->cell[2] + 0.5};
        tlwSdfNodes nodes = {.origin = tlwMulAdd(grid->origin, grid->dx, first),
                             .spacing = grid->dx,
                             .dims = {TLW_TILE, TLW_TILE, TLW_TILE},
                             .stride = {1, TLW_TILE, TLW_TILE * TLW_TILE}};
        float d[TLW_TILE_CELLS];
        tlwRasterizeSdf(solid->wet, &solid->frame, &nodes, d);
        for (int n = 0; n < TLW_TILE_CELLS; n++) {
            if (d[n] >= 0)
                continue;
            if (!tlwReserve((void **)cells, &capacity, *count + 1, sizeof **cells))
                return TLW_OUT_OF_MEMORY;
            int i = n % TLW_TILE, j = n / TLW_TILE % TLW_TILE, k = n / TLW_TILE / TLW_TILE;
            (*cells)[(*count)++] = tile->base + i + j * grid->stride_y + k * grid->stride_z;
        }
    }
    return TLW_OK;
}

// Continue the level set through a body as smoothly as possible, so that it joins the waterlines around the body.
static tlwResult bridgeLevelSet(tlwFlow *flow, const tlwPlacedMesh *solid)
{
    enum { SWEEPS = 60 };
    int64_t *cells, count, sy = flow->grid.stride_y, sz = flow->grid.stride_z;
    float *phi = tlwGetFloats(&flow->grid, flow->phi);
    tlwResult result = listCells(flow, solid, &cells, &count);
    for (int sweep = 0; sweep < SWEEPS && result == TLW_OK; sweep++)
        for (int64_t n = 0; n < count; n++) {
            float *c = phi + cells[sweep & 1 ? count - 1 - n : n];
            *c = (c[-1] + c[1] + c[-sy] + c[sy] + c[-sz] + c[sz]) / 6;
        }
    tlwFree(cells);
    return result;
}

tlwResult tlwEnterBodies(tlwFlow *flow, const tlwPlacedMeshes *solids, double dt, const tlwBodyCoupling *coupling)
{
    for (int b = 0; b < coupling->count; b++) {
        const tlwPlacedMesh *solid = tlwFindPlacedMesh(solids, coupling->bodies[b].object);
        Split s = makeSplit(flow, &coupling->bodies[b], dt);
        if (!solid)
            continue;
        TLW_TRY(bridgeLevelSet(flow, solid));
        visitFaces(flow, solid, s.body->centre, enterFace, &s);
    }
    return TLW_OK;
}

// Velocity of a face with the momentum source (Carlson 2004, eq. 70, 71). The body's motion before pressure is known at
// its new place, so the change of velocity needs no convective term.
static double sourced(const Split *s, const Face *face)
{
    double u = tlwGetFloats(&s->flow->grid, s->flow->velocity[face->axis])[face->index];
    double before = rigidSpeed(face, s->velocity, s->spin);
    double collision = s->dt * rigidSpeed(face, s->body->contact_velocity, s->body->contact_spin);
    return u + face->inside * (collision - (1 - s->ratio) * (u - before));
}

static void sumFace(void *user, const Face *face)
{
    Split *s = user;
    tlwVec3 axis = {face->axis == 0, face->axis == 1, face->axis == 2}, turn = tlwCross(face->arm, axis);
    double row[6] = {axis.x, axis.y, axis.z, turn.x, turn.y, turn.z}, u = sourced(s, face);
    for (int m = 0; m < 6; m++) {
        s->b[m] += face->inside * row[m] * u;
        for (int n = 0; n < 6; n++)
            s->a[m][n] += face->inside * row[m] * row[n];
    }
    s->volume += face->inside / 3;
}

// Gauss without pivots: the matrix is symmetric and positive. False when the faces do not fix all six motions.
static bool solveSix(double a[6][6], double b[6])
{
    for (int m = 0; m < 6; m++) {
        if (!(a[m][m] > 1e-14))
            return false;
        for (int r = m + 1; r < 6; r++) {
            double f = a[r][m] / a[m][m];
            for (int c = m; c < 6; c++)
                a[r][c] -= f * a[m][c];
            b[r] -= f * b[m];
        }
    }
    for (int m = 5; m >= 0; m--) {
        for (int c = m + 1; c < 6; c++)
            b[m] -= a[m][c] * b[c];
        b[m] /= a[m][m];
    }
    return true;
}

static void leaveFace(void *user, const Face *face)
{
    const Split *s = user;
    float *u = &tlwGetFloats(&s->flow->grid, s->flow->velocity[face->axis])[face->index];
    double w = face->inside; // (Carlson 2004, eq. 80)
    *u = (float)((1 - w) * sourced(s, face) + w * rigidSpeed(face, s->new_velocity, s->new_spin));
}

void tlwProjectBodies(tlwFlow *flow, const tlwPlacedMeshes *solids, double dt, double liquid_density,
                      tlwBodyCoupling *coupling)
{
    double cell = flow->grid.dx * flow->grid.dx * flow->grid.dx;
    for (int b = 0; b < coupling->count; b++) {
        tlwCoupledBody *body = &coupling->bodies[b];
        const tlwPlacedMesh *solid = tlwFindPlacedMesh(solids, body->object);
        if (!solid)
            continue;
        Split s = makeSplit(flow, body, dt);
        s.ratio = liquid_density * body->inverse_mass * body->volume;
        visitFaces(flow, solid, body->centre, sumFace, &s);
        // The part of a body outside the active tiles is in air and moves as predicted.
        double share = tlwClamp(s.volume * cell / body->volume, 0, 1);
        if (share < 0.05 || !solveSix(s.a, s.b))
            continue;
        tlwVec3 velocity = {s.b[0], s.b[1], s.b[2]}, spin = {s.b[3], s.b[4], s.b[5]};
        if (share > 0.9)
            share = 1; // rounding at the rim
        s.new_velocity = tlwMulAdd(body->velocity, share, tlwSub(velocity, body->velocity));
        s.new_spin = tlwMulAdd(body->spin, share, tlwSub(spin, body->spin));
        visitFaces(flow, solid, body->centre, leaveFace, &s);
        body->velocity = s.new_velocity;
        body->spin = s.new_spin;
        body->contact_velocity = body->contact_spin = (tlwVec3){0, 0, 0}; // a second call must not add them again
    }
    tlwShareMotion(coupling);
}
