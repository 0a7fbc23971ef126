#include "step/coupling.h"

#include "base/memory.h"
#include "solve/poisson.h"

#include <string.h>

void tlwFreeBodyCoupling(tlwBodyCoupling *coupling)
{
    for (int b = 0; b < coupling->count; b++) {
        tlwFree(coupling->bodies[b].cells);
        tlwFree(coupling->bodies[b].rows);
    }
    tlwFree(coupling->bodies);
    memset(coupling, 0, sizeof *coupling);
}

tlwCoupledBody *tlwAddCoupledBody(tlwBodyCoupling *coupling)
{
    if (!tlwReserve((void **)&coupling->bodies, &coupling->capacity, coupling->count + 1, sizeof *coupling->bodies))
        return NULL;
    tlwCoupledBody *body = &coupling->bodies[coupling->count++];
    memset(body, 0, sizeof *body);
    return body;
}

static tlwCoupledBody *findBody(const tlwBodyCoupling *coupling, int object)
{
    for (int b = 0; b < coupling->count; b++)
        if (coupling->bodies[b].object == object)
            return &coupling->bodies[b];
    return NULL;
}

// Row of a cell, new when the body has not met it; a cell's faces come one after another, so it is the last one.
static float *rowOf(tlwCoupledBody *body, int64_t cell)
{
    if (body->count && body->cells[body->count - 1] == cell)
        return body->rows[body->count - 1];
    if (!tlwReserve((void **)&body->cells, &body->capacity, body->count + 1, sizeof *body->cells) ||
        !tlwReserve((void **)&body->rows, &body->row_capacity, body->count + 1, sizeof *body->rows))
        return NULL;
    body->cells[body->count] = cell;
    memset(body->rows[body->count], 0, sizeof *body->rows);
    return body->rows[body->count++];
}

// A covered share of a face, seen from a cell: `sign` +1 for its upper face. Velocity along the axis at the face's
// centre is velocity[a] + (spin x r)[a].
static bool addFace(const tlwGrid *grid, tlwCoupledBody *body, int64_t cell, const int face[3], int axis, float covered,
                    float sign)
{
    float *row = rowOf(body, cell);
    if (!row)
        return false;
    tlwVec3 p = {face[0] + (axis == 0 ? 0 : 0.5), face[1] + (axis == 1 ? 0 : 0.5), face[2] + (axis == 2 ? 0 : 0.5)};
    tlwVec3 r = tlwSub(tlwMulAdd(grid->origin, grid->dx, p), body->centre);
    double arm[3] = {r.x, r.y, r.z};
    int b = (axis + 1) % 3, c = (axis + 2) % 3; // (spin x r)[a] = spin[b] r[c] - spin[c] r[b]
    row[axis] += sign * covered;
    row[3 + b] += sign * covered * (float)arm[c];
    row[3 + c] -= sign * covered * (float)arm[b];
    return true;
}

tlwResult tlwFindCoupledCells(const tlwFlow *flow, const uint8_t *type, tlwBodyCoupling *coupling)
{
    const tlwGrid *grid = &flow->grid;
    coupling->cell_volume = grid->dx * grid->dx * grid->dx;
    if (!coupling->count)
        return TLW_OK;
    const int16_t *object = (const int16_t *)grid->fields[flow->solid_object].data;
    const int32_t *piece = tlwGetInts(grid, flow->piece), *cover = tlwGetInts(grid, flow->cover);
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int t = 0; t < grid->tile_count; t++) {
        const tlwTile *tile = &grid->tiles[t];
        TLW_FOR_ROWS(grid, tile, j, k, row)
        for (int i = 0; i < TLW_TILE; i++) {
            int64_t c = row + i;
            if (type[c] != TLW_CELL_LIQUID)
                continue;
            for (int n = 0; n < 6; n++) {
                int axis = n / 2, upper = n & 1, face[3] = {tile->cell[0] + i, (int)j, k};
                int64_t f = c + upper * stride[axis];
                float covered = 1 - tlwGetFloats(grid, flow->open[axis])[f];
                int64_t other = upper ? f : c - stride[axis];
                int32_t label = cover[c] ? cover[c] : cover[other] ? cover[other] : piece[other];
                if (covered <= 0 || (object[f] < 0 && !label))
                    continue;
                tlwCoupledBody *body = findBody(coupling, label ? TLW_PIECE_KEY(label) : object[f]);
                face[axis] += upper;
                if (body && !addFace(grid, body, c, face, axis, covered, upper ? 1 : -1))
                    return TLW_OUT_OF_MEMORY;
            }
        }
    }
    return TLW_OK;
}

tlwVec3 tlwGetCellCentre(const tlwGrid *grid, int64_t c)
{
    int64_t k = c / grid->stride_z, rest = c - k * grid->stride_z, j = rest / grid->stride_y;
    int64_t i = rest - j * grid->stride_y;
    tlwVec3 p = {(double)(grid->window_min[0] + i) + 0.5, (double)(grid->window_min[1] + j) + 0.5,
                 (double)(grid->window_min[2] + k) + 0.5};
    return tlwMulAdd(grid->origin, grid->dx, p);
}

// Share of a cell inside the body, from its own field at the centres of 64 parts.
static double bodyShare(const tlwGrid *grid, const tlwSolid *solid, tlwVec3 centre)
{
    enum { PARTS = 4, COUNT = PARTS * PARTS * PARTS };
    double h = grid->dx / PARTS, sum = 0;
    tlwSdfNodes nodes = {.spacing = h, .dims = {PARTS, PARTS, PARTS}, .stride = {1, PARTS, PARTS * PARTS}};
    nodes.origin = tlwMulAdd(centre, -0.5 * (PARTS - 1) * h, (tlwVec3){1, 1, 1});
    float d[COUNT];
    tlwRasterizeSdf(solid->sdf, &solid->frame, &nodes, d);
    for (int n = 0; n < COUNT; n++)
        sum += tlwClamp(0.5 - d[n] / h, 0, 1);
    return sum / COUNT;
}

// With the gradient theorem for the solid part of the cell, the pressure difference across it pushes the body by
// gradient * dx^3 * (mean cover of the two faces along the axis - solid share). False where no face is the body's.
static bool excessCover(const tlwFlow *flow, const tlwSolid *solid, tlwVec3 centre, int64_t c, double excess[3])
{
    const tlwGrid *grid = &flow->grid;
    const int16_t *object = (const int16_t *)grid->fields[flow->solid_object].data;
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    bool touched = false;
    for (int a = 0; a < 3; a++) {
        excess[a] = 0;
        for (int upper = 0; upper < 2; upper++) {
            int64_t f = c + upper * stride[a];
            double covered = 1 - tlwGetFloats(grid, flow->open[a])[f];
            if (object[f] != solid->object || !(covered > 0))
                continue;
            touched = true;
            excess[a] += 0.5 * covered;
        }
    }
    double inside = touched ? bodyShare(grid, solid, centre) : 0;
    for (int a = 0; a < 3; a++)
        excess[a] -= inside;
    return touched;
}

void tlwRefineBuoyancy(const tlwFlow *flow, const tlwSolids *solids, tlwVec3 gravity, double dt, double default_density,
                       tlwBodyCoupling *coupling)
{
    const tlwGrid *grid = &flow->grid;
    const float *density = tlwGetFloats(grid, flow->density);
    for (int b = 0; b < coupling->count; b++) {
        tlwCoupledBody *body = &coupling->bodies[b];
        const tlwSolid *solid = tlwFindSolid(solids, body->object);
        tlwVec3 push = {0, 0, 0}, turn = {0, 0, 0};
        for (int64_t n = 0; n < body->count && solid; n++) {
            int64_t c = body->cells[n];
            tlwVec3 centre = tlwGetCellCentre(grid, c);
            double excess[3], scale = dt * coupling->cell_volume * (density[c] > 0 ? density[c] : default_density);
            if (!excessCover(flow, solid, centre, c, excess))
                continue;
            tlwVec3 f = {scale * gravity.x * excess[0], scale * gravity.y * excess[1], scale * gravity.z * excess[2]};
            push = tlwAdd(push, f);
            turn = tlwAdd(turn, tlwCross(tlwSub(centre, body->centre), f));
        }
        body->velocity = tlwMulAdd(body->velocity, body->inverse_mass, push);
        body->spin = tlwAdd(body->spin, tlwMulMat3(body->inverse_inertia, turn));
    }
}

// M^-1 K' x dx^3: the change of a body's velocity and spin.
static void motionFrom(const tlwBodyCoupling *coupling, const tlwCoupledBody *body, const float *x, double change[6])
{
    double push[6] = {0};
    for (int64_t n = 0; n < body->count; n++) {
        double q = x[body->cells[n]];
        for (int m = 0; m < 6; m++)
            push[m] += body->rows[n][m] * q;
    }
    tlwVec3 turn = tlwMulMat3(body->inverse_inertia, (tlwVec3){push[3], push[4], push[5]});
    const double spin[3] = {turn.x, turn.y, turn.z};
    for (int m = 0; m < 3; m++) {
        change[m] = coupling->cell_volume * body->inverse_mass * push[m];
        change[3 + m] = coupling->cell_volume * spin[m];
    }
}

void tlwApplyBodyCoupling(void *user, const float *x, float *y)
{
    const tlwBodyCoupling *coupling = user;
    for (int b = 0; b < coupling->count; b++) {
        const tlwCoupledBody *body = &coupling->bodies[b];
        double change[6];
        motionFrom(coupling, body, x, change);
        for (int64_t n = 0; n < body->count; n++) {
            double sum = 0;
            for (int m = 0; m < 6; m++)
                sum += body->rows[n][m] * change[m];
            y[body->cells[n]] += (float)sum;
        }
    }
}

void tlwPushBodies(tlwBodyCoupling *coupling, const float *q)
{
    for (int b = 0; b < coupling->count; b++) {
        tlwCoupledBody *body = &coupling->bodies[b];
        double change[6];
        motionFrom(coupling, body, q, change);
        body->velocity = tlwAdd(body->velocity, (tlwVec3){change[0], change[1], change[2]});
        body->spin = tlwAdd(body->spin, (tlwVec3){change[3], change[4], change[5]});
    }
}
