#include "step/bodies/coupling.h"

#include "base/clock.h"
#include "base/memory.h"
#include "solve/poisson/poisson.h"
#include "step/bodies/gaps.h"
#include "step/bodies/groups.h"
#include "step/obstacles/face_share.h"

#include <string.h>

void tlwFreeBodyCoupling(tlwBodyCoupling *coupling)
{
    for (int b = 0; b < coupling->count; b++) {
        tlwFree(coupling->bodies[b].cells);
        tlwFree(coupling->bodies[b].rows);
        tlwFree(coupling->bodies[b].cuts);
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

// A new row for a cell; null when memory is out.
static float *addRow(tlwCoupledBody *body, int64_t cell)
{
    if (!tlwReserve((void **)&body->cells, &body->capacity, body->count + 1, sizeof *body->cells) ||
        !tlwReserve((void **)&body->rows, &body->row_capacity, body->count + 1, sizeof *body->rows))
        return NULL;
    body->cells[body->count] = cell;
    memset(body->rows[body->count], 0, sizeof *body->rows);
    return body->rows[body->count++];
}

// A cell's faces come one after another, so its row is the last one.
static float *rowOf(tlwCoupledBody *body, int64_t cell)
{
    bool met = body->count && body->cells[body->count - 1] == cell;
    return met ? body->rows[body->count - 1] : addRow(body, cell);
}

// Add a covered share of a face to a cell's row, negative for the cell's lower faces. The body's velocity along the
// axis at the point `at` is velocity[a] + (spin x r)[a].
static void addFace(const tlwCoupledBody *body, tlwVec3 at, int axis, float covered, float row[6])
{
    tlwVec3 r = tlwSub(at, body->centre);
    double arm[3] = {r.x, r.y, r.z};
    int b = (axis + 1) % 3, c = (axis + 2) % 3; // (spin x r)[a] = spin[b] r[c] - spin[c] r[b]
    row[axis] += covered;
    row[3 + b] += covered * (float)arm[c];
    row[3 + c] -= covered * (float)arm[b];
}

// A cell of liquid and its place.
typedef struct Cell {
    int64_t index;
    int at[3]; // in the domain
} Cell;

typedef struct Search {
    const tlwFlow *flow;
    const tlwGrid *grid;
    const tlwPlacedMeshes *solids;
    const float *solid;
    const int16_t *object;
    const int32_t *piece, *cover, *label;
    const uint8_t *type;
    uint8_t *mask;                 // per row of each tile: bits of the cells to look at
    const tlwPlacedMesh **of_body; // per coupled body; pieces have none
    tlwBodyCoupling *coupling;
    bool has_pieces;
} Search;

static tlwVec3 faceCentre(const tlwGrid *grid, const Cell *cell, int face)
{
    double p[3] = {cell->at[0] + 0.5, cell->at[1] + 0.5, cell->at[2] + 0.5};
    p[face / 2] += face & 1 ? 0.5 : -0.5;
    return tlwMulAdd(grid->origin, grid->dx, (tlwVec3){p[0], p[1], p[2]});
}

static int64_t faceIndex(const tlwGrid *grid, int64_t cell, int face)
{
    const int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    return cell + (face & 1 ? stride[face / 2] : 0);
}

// The cell on the other side of a face.
static int64_t nextCell(const tlwGrid *grid, int64_t cell, int face)
{
    const int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    return cell + (face & 1 ? stride[face / 2] : -stride[face / 2]);
}

// Add the faces that frozen pieces cover.
static bool addPieceFaces(const Search *s, const Cell *cell)
{
    for (int face = 0; s->has_pieces && face < 6; face++) {
        int64_t c = cell->index, other = nextCell(s->grid, c, face);
        float covered = 1 - tlwGetFloats(s->grid, s->flow->open[face / 2])[faceIndex(s->grid, c, face)];
        int32_t label = s->cover[c] ? s->cover[c] : s->cover[other] ? s->cover[other] : s->piece[other];
        tlwCoupledBody *body = covered > 0 && label ? findBody(s->coupling, TLW_PIECE_KEY(label)) : NULL;
        float *row = body ? rowOf(body, c) : NULL;
        if (body && !row)
            return false;
        if (body)
            addFace(body, faceCentre(s->grid, cell, face), face / 2, face & 1 ? covered : -covered, row);
    }
    return true;
}

// Add the part of a body's row that flow->solid_velocity shows. Faces at frozen pieces show the motion of the piece.
static void addSeen(const Search *s, const tlwCoupledBody *body, const Cell *cell, float seen[6])
{
    for (int face = 0; face < 6; face++) {
        int64_t c = cell->index, f = faceIndex(s->grid, c, face), other = nextCell(s->grid, c, face);
        float covered = 1 - tlwGetFloats(s->grid, s->flow->open[face / 2])[f];
        bool taken = s->cover[c] || s->cover[other] || s->label[c] || s->label[other];
        if (covered > 0 && !taken && s->object[tlwFindDeepestNode(s->grid, s->solid, face / 2, f)] == body->object)
            addFace(body, faceCentre(s->grid, cell, face), face / 2, face & 1 ? covered : -covered, seen);
    }
}

// A patch as a cell's row.
static void fillRow(const tlwCoupledBody *body, const tlwBodyPatch *patch, float row[6])
{
    memset(row, 0, 6 * sizeof *row);
    for (int face = 0; face < 6; face++)
        addFace(body, patch->middle[face], face / 2, (float)(face & 1 ? patch->cover[face] : -patch->cover[face]), row);
}

static bool addCut(tlwCoupledBody *body, int64_t cell, const tlwBodyPatch *patch, const float row[6],
                   const float seen[6], const float lift[3])
{
    float *own = addRow(body, cell);
    if (!own || !tlwReserve((void **)&body->cuts, &body->cut_capacity, body->count, sizeof *body->cuts))
        return false;
    tlwCoupledCut *cut = &body->cuts[body->count - 1];
    memcpy(own, row, 6 * sizeof *row);
    for (int m = 0; m < 6; m++)
        cut->unseen[m] = row[m] - seen[m];
    memcpy(cut->lift, lift, sizeof cut->lift);
    cut->support = 0;
    for (int a = 0; a < 3; a++)
        cut->excess[a] = (float)(0.5 * (patch->cover[2 * a] + patch->cover[2 * a + 1]) - patch->inside);
    return true;
}

bool tlwAddLooseCut(tlwCoupledBody *body, int64_t from, const tlwBodyPatch *patch, const float lift[3])
{
    const float seen[6] = {0};
    float row[6];
    fillRow(body, patch, row);
    return addCut(body, from, patch, row, seen, lift);
}

static bool isNear(const tlwGrid *grid, const tlwPlacedMesh *solid, const Cell *cell)
{
    tlwVec3 low = tlwMulAdd(grid->origin, grid->dx, (tlwVec3){cell->at[0], cell->at[1], cell->at[2]});
    tlwVec3 high = tlwMulAdd(low, grid->dx, (tlwVec3){1, 1, 1});
    return solid->low.x < high.x && solid->high.x > low.x && solid->low.y < high.y && solid->high.y > low.y &&
           solid->low.z < high.z && solid->high.z > low.z;
}

// A cell that may hold a patch of a body's surface.
typedef struct Candidate {
    Cell cell;
    int body;
    bool touched;
    tlwBodyPatch patch;
    float row[6], seen[6];
} Candidate;

typedef struct Candidates {
    const Search *search;
    Candidate *items;
    int64_t count, capacity;
} Candidates;

static bool isNearBody(const Search *s, int64_t cell)
{
    return s->solids && s->object[cell] != TLW_NO_OBJECT &&
           tlwGetCentreSolid(s->grid, s->solid, cell) <= TLW_PATCH_REACH * s->grid->dx;
}

static bool addCandidates(Candidates *list, const Cell *cell)
{
    const Search *s = list->search;
    if (!isNearBody(s, cell->index))
        return true;
    for (int b = 0; b < s->coupling->count; b++) {
        if (!s->of_body[b] || !isNear(s->grid, s->of_body[b], cell))
            continue;
        if (!tlwReserve((void **)&list->items, &list->capacity, list->count + 1, sizeof *list->items))
            return false;
        list->items[list->count++] = (Candidate){.cell = *cell, .body = b};
    }
    return true;
}

static void measureRange(void *context, int64_t begin, int64_t end)
{
    const Candidates *list = context;
    const Search *s = list->search;
    for (int64_t n = begin; n < end; n++) {
        Candidate *c = &list->items[n];
        const tlwCoupledBody *body = &s->coupling->bodies[c->body];
        c->touched = tlwMeasureBodyPatch(s->grid, s->of_body[c->body], c->cell.at, &c->patch);
        if (!c->touched)
            continue;
        fillRow(body, &c->patch, c->row);
        addSeen(s, body, &c->cell, c->seen);
    }
}

// Rows of the candidates that are touched, in the order of cells.
static bool addPatches(tlwThreads *threads, Candidates *list)
{
    const float lift[3] = {0};
    tlwParallelFor(threads, list->count, 64, measureRange, list);
    for (int64_t n = 0; n < list->count; n++) {
        const Candidate *c = &list->items[n];
        tlwCoupledBody *body = &list->search->coupling->bodies[c->body];
        if (c->touched && !addCut(body, c->cell.index, &c->patch, c->row, c->seen, lift))
            return false;
    }
    list->count = 0;
    return true;
}

static bool isCovered(const Search *s, int64_t cell)
{
    bool covered = false;
    for (int face = 0; face < 6; face++)
        covered |= 1 - tlwGetFloats(s->grid, s->flow->open[face / 2])[faceIndex(s->grid, cell, face)] > 0;
    return covered;
}

// Mark the few cells that findCells has to look at: liquid near a body and, where there are pieces, beside covered
// faces.
static void maskRange(void *context, int64_t begin, int64_t end)
{
    const Search *s = context;
    for (int64_t t = begin; t < end; t++) {
        uint8_t *mask = s->mask + t * TLW_TILE * TLW_TILE;
        TLW_FOR_ROWS(s->grid, &s->grid->tiles[t], j, k, row) {
            unsigned bits = 0;
            for (int i = 0; i < TLW_TILE; i++)
                if (s->type[row + i] == TLW_CELL_LIQUID &&
                    (isNearBody(s, row + i) || (s->has_pieces && isCovered(s, row + i))))
                    bits |= 1u << i;
            *mask++ = (uint8_t)bits;
        }
    }
}

// Candidates (350 bytes each) are measured on all threads once there are this many.
#define BATCH 16384

static bool findCells(tlwThreads *threads, const Search *s)
{
    const uint8_t *mask = s->mask;
    Candidates list = {.search = s};
    bool ok = true;
    tlwParallelFor(threads, s->grid->tile_count, TLW_TILE_BLOCK, maskRange, (void *)s);
    for (int t = 0; ok && t < s->grid->tile_count; t++) {
        const tlwTile *tile = &s->grid->tiles[t];
        TLW_FOR_ROWS(s->grid, tile, j, k, row)
            for (unsigned bits = *mask++; bits; bits &= bits - 1) {
                int i = __builtin_ctz(bits);
                Cell cell = {row + i, {tile->cell[0] + i, (int)j, k}};
                ok = ok && addPieceFaces(s, &cell) && addCandidates(&list, &cell);
            }
        if (list.count >= BATCH)
            ok = ok && addPatches(threads, &list);
    }
    ok = ok && addPatches(threads, &list);
    tlwFree(list.items);
    return ok;
}

tlwResult tlwFindCoupledCells(tlwThreads *threads, const tlwFlow *flow, const tlwPlacedMeshes *solids,
                              const uint8_t *type, tlwBodyCoupling *coupling)
{
    const tlwGrid *grid = &flow->grid;
    coupling->cell_volume = grid->dx * grid->dx * grid->dx;
    if (!coupling->count)
        return TLW_OK;
    Search s = {.flow = flow,
                .grid = grid,
                .solids = solids,
                .solid = tlwGetFloats(grid, flow->solid),
                .object = (const int16_t *)grid->fields[flow->solid_object].data,
                .piece = tlwGetInts(grid, flow->piece),
                .cover = tlwGetInts(grid, flow->cover),
                .label = tlwGetInts(grid, flow->label),
                .type = type,
                .mask = tlwAlloc((size_t)grid->tile_count * TLW_TILE * TLW_TILE + 1, 1),
                .of_body = tlwAlloc((size_t)coupling->count, sizeof *s.of_body),
                .coupling = coupling};
    double start = tlwGetClock();
    bool ok = s.mask && s.of_body;
    for (int b = 0; ok && b < coupling->count; b++) {
        s.has_pieces = s.has_pieces || coupling->bodies[b].object >= TLW_PIECE_KEY(0);
        s.of_body[b] = solids ? tlwFindPlacedMesh(solids, coupling->bodies[b].object) : NULL;
    }
    ok = ok && findCells(threads, &s);
    tlwFree(s.mask);
    tlwFree(s.of_body);
    tlwResult result = ok && solids ? tlwAddGapPatches(threads, flow, solids, type, coupling) : TLW_OK;
    coupling->seconds = tlwGetClock() - start;
    return ok ? result : TLW_OUT_OF_MEMORY;
}

void tlwAddUnseenFlow(const tlwBodyCoupling *coupling, float *rhs)
{
    for (int b = 0; b < coupling->count; b++) {
        const tlwCoupledBody *body = &coupling->bodies[b];
        const double motion[6] = {body->velocity.x, body->velocity.y, body->velocity.z,
                                  body->spin.x,     body->spin.y,     body->spin.z};
        for (int64_t n = 0; n < body->count && body->cuts; n++) {
            double flow = -body->cuts[n].support;
            for (int m = 0; m < 6; m++)
                flow += body->cuts[n].unseen[m] * motion[m];
            rhs[body->cells[n]] -= (float)flow;
        }
    }
}

tlwVec3 tlwGetCellCentre(const tlwGrid *grid, int64_t c)
{
    int64_t k = c / grid->stride_z, rest = c - k * grid->stride_z, j = rest / grid->stride_y;
    int64_t i = rest - j * grid->stride_y;
    tlwVec3 p = {(double)(grid->window_min[0] + i) + 0.5, (double)(grid->window_min[1] + j) + 0.5,
                 (double)(grid->window_min[2] + k) + 0.5};
    return tlwMulAdd(grid->origin, grid->dx, p);
}

// Moment of a force on the patch of a cell. The part along the patch's normal comes from a pressure on the whole patch
// and has the patch's own moment (none on a ball). The rest acts at the cell's centre.
static tlwVec3 patchMoment(const tlwCoupledBody *body, const float row[6], tlwVec3 centre, tlwVec3 force)
{
    tlwVec3 normal = {row[0], row[1], row[2]}, moment = {row[3], row[4], row[5]};
    double square = tlwDot(normal, normal), pressure = square > 1e-3 ? tlwDot(force, normal) / square : 0;
    tlwVec3 rest = tlwMulAdd(force, -pressure, normal);
    return tlwMulAdd(tlwCross(tlwSub(centre, body->centre), rest), pressure, moment);
}

// By the gradient theorem for the solid part of the cell, the pressure difference across it pushes the body by gradient
// * dx^3 * (mean cover of the two faces along the axis - solid share).
void tlwRefineBuoyancy(const tlwFlow *flow, tlwVec3 gravity, double dt, double default_density,
                       tlwBodyCoupling *coupling)
{
    const tlwGrid *grid = &flow->grid;
    const float *density = tlwGetFloats(grid, flow->density);
    for (int b = 0; b < coupling->count; b++) {
        tlwCoupledBody *body = &coupling->bodies[b];
        tlwVec3 push = {0, 0, 0}, turn = {0, 0, 0};
        for (int64_t n = 0; n < body->count && body->cuts; n++) {
            int64_t c = body->cells[n];
            const float *excess = body->cuts[n].excess, *lift = body->cuts[n].lift, *row = body->rows[n];
            double scale = dt * coupling->cell_volume * (density[c] > 0 ? density[c] : default_density);
            double deeper = gravity.x * lift[0] + gravity.y * lift[1] + gravity.z * lift[2];
            tlwVec3 f = {scale * (gravity.x * excess[0] + deeper * row[0]),
                         scale * (gravity.y * excess[1] + deeper * row[1]),
                         scale * (gravity.z * excess[2] + deeper * row[2])};
            tlwVec3 at = tlwMulAdd(tlwGetCellCentre(grid, c), grid->dx, (tlwVec3){lift[0], lift[1], lift[2]});
            push = tlwAdd(push, f);
            turn = tlwAdd(turn, patchMoment(body, row, at, f));
        }
        body->velocity = tlwMulAdd(body->velocity, body->inverse_mass, push);
        body->spin = tlwAdd(body->spin, tlwMulMat3(body->inverse_inertia, turn));
    }
    tlwShareMotion(coupling);
}

// M^-1 K' x dx^3: the change of a body's velocity and spin.
static void findChange(const tlwBodyCoupling *coupling, const float *x, tlwCoupledBody *body)
{
    double push[6] = {0};
    for (int64_t n = 0; n < body->count; n++) {
        double q = x[body->cells[n]];
        for (int m = 0; m < 6; m++)
            push[m] += body->rows[n][m] * q;
    }
    tlwVec3 turn = tlwMulMat3(body->inverse_inertia, (tlwVec3){push[3], push[4], push[5]});
    body->change = tlwScale((tlwVec3){push[0], push[1], push[2]}, coupling->cell_volume * body->inverse_mass);
    body->turn = tlwScale(turn, coupling->cell_volume);
}

static void findChanges(tlwBodyCoupling *coupling, const float *x)
{
    for (int b = 0; b < coupling->count; b++)
        findChange(coupling, x, &coupling->bodies[b]);
    tlwShareChanges(coupling);
}

void tlwApplyBodyCoupling(void *user, const float *x, float *y)
{
    tlwBodyCoupling *coupling = user;
    findChanges(coupling, x);
    for (int b = 0; b < coupling->count; b++) {
        const tlwCoupledBody *body = &coupling->bodies[b];
        const double change[6] = {body->change.x, body->change.y, body->change.z,
                                  body->turn.x,   body->turn.y,   body->turn.z};
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
    findChanges(coupling, q);
    for (int b = 0; b < coupling->count; b++) {
        tlwCoupledBody *body = &coupling->bodies[b];
        body->velocity = tlwAdd(body->velocity, body->change);
        body->spin = tlwAdd(body->spin, body->turn);
    }
}
