#include "step/frozen/carry.h"

#include "base/context.h"
#include "base/memory.h"
#include "shape/sdf_sample.h"
#include "step/frozen/identity.h"

// A solid that deforms, and how fast its vertices move.
typedef struct Shape {
    int object;
    const tlwSdf *sdf;
    const float *velocity;
} Shape;

// Places of a piece's bonds on the surface, and where the surface takes them, from the piece's centre.
typedef struct Patch {
    double count;
    tlwVec3 from, to;     // sums
    double product[3][3]; // sum of to times from
} Patch;

static void addBond(const Shape *shape, tlwVec3 centre, tlwVec3 x, double seconds, Patch *patch)
{
    float p[3] = {(float)x.x, (float)x.y, (float)x.z}, v[3] = {0, 0, 0}, distance = 0, g[3] = {0, 0, 0};
    tlwSampleSdfVelocity(shape->sdf, shape->velocity, p, 1, v);
    tlwSampleSdfGradient(shape->sdf, p, 1, &distance, g);
    tlwVec3 out = {g[0], g[1], g[2]}; // put the bond on the surface: its height would count against a turn
    tlwVec3 from = tlwSub(tlwMulAdd(x, tlwDot(out, out) > 0 ? -distance / tlwLength(out) : 0, out), centre),
            to = tlwMulAdd(from, seconds, (tlwVec3){v[0], v[1], v[2]});
    const double a[3] = {to.x, to.y, to.z}, b[3] = {from.x, from.y, from.z};
    patch->count++;
    patch->from = tlwAdd(patch->from, from);
    patch->to = tlwAdd(patch->to, to);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            patch->product[i][j] += a[i] * b[j];
}

static const Shape *findShape(const Shape *shapes, int count, int object)
{
    for (int n = 0; n < count; n++)
        if (shapes[n].object == object)
            return &shapes[n];
    return NULL;
}

static void addBonds(const tlwGrid *grid, const tlwParticles *q, const Shape *shapes, int shape_count, double seconds,
                     const tlwPieces *pieces, Patch *patches)
{
    for (int64_t n = 0; n < q->count; n++) {
        uint32_t bond = tlwGetBond(q->frozen[n]);
        if (bond < TLW_BOND_OBJECT(0))
            continue;
        const Shape *shape = findShape(shapes, shape_count, tlwGetBondObject(bond));
        const tlwPiece *piece = shape ? tlwFindPiece(pieces, tlwGetPieceId(q->frozen[n])) : NULL;
        if (!piece || piece->object != shape->object)
            continue;
        tlwVec3 x =
            tlwMulAdd(grid->origin, grid->dx, (tlwVec3){q->position[0][n], q->position[1][n], q->position[2][n]});
        addBond(shape, piece->centre, x, seconds, &patches[piece - pieces->items]);
    }
}

// The turn R that brings `from` nearest to `to`, both about their middles. Newton's method finds the largest trace of
// R' H, starting from no turn. Bonds on a line leave the turn about that line open; it stays zero.
static tlwQuat fitTurn(const Patch *patch, tlwVec3 from, tlwVec3 to)
{
    tlwQuat turn = {1, 0, 0, 0};
    const double a[3] = {to.x, to.y, to.z}, b[3] = {from.x, from.y, from.z};
    tlwMat3 h;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            h.m[i][j] = patch->product[i][j] - patch->count * a[i] * b[j];
    for (int round = 0; round < 4; round++) {
        tlwMat3 m = tlwMat3Mul(h, tlwMat3Transpose(tlwQuatToMat3(turn))), left;
        double trace = m.m[0][0] + m.m[1][1] + m.m[2][2];
        if (!(trace > 0))
            return (tlwQuat){1, 0, 0, 0};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                left.m[i][j] = (i == j) * (1 + 1e-6) * trace - 0.5 * (m.m[i][j] + m.m[j][i]);
        tlwVec3 twist = {m.m[2][1] - m.m[1][2], m.m[0][2] - m.m[2][0], m.m[1][0] - m.m[0][1]};
        tlwVec3 more = tlwMulMat3(tlwMat3Inverse(left), twist);
        turn = tlwQuatNormalize(tlwQuatMul(tlwQuatFromRotationVector(more), turn));
    }
    return turn;
}

// Shift of the piece's centre, and turn.
static void fitPatch(const Patch *patch, tlwVec3 *shift, tlwQuat *turn)
{
    tlwVec3 from = tlwScale(patch->from, 1 / patch->count), to = tlwScale(patch->to, 1 / patch->count);
    *turn = fitTurn(patch, from, to);
    *shift = tlwSub(to, tlwRotate(*turn, from));
}

static void takeSolidMotion(const tlwPlacedMeshes *solids, tlwPiece *piece)
{
    piece->velocity = piece->spin = (tlwVec3){0, 0, 0};
    for (int n = 0; n < solids->count; n++) {
        const tlwPlacedMesh *solid = &solids->items[n];
        if (solid->object != piece->object || !solid->moves || solid->vertex_velocity)
            continue;
        piece->spin = solid->motion.spin;
        piece->velocity =
            tlwAdd(solid->motion.velocity, tlwCross(piece->spin, tlwSub(piece->centre, solid->motion.origin)));
    }
}

tlwResult tlwTakeHolderMotions(const tlwPieceSearch *search, tlwPieces *pieces)
{
    const double moment = 1e-3; // s: time over which the motion of the surface is fitted
    const tlwPlacedMeshes *solids = search->solids;
    Shape *shapes = tlwAlloc((size_t)solids->count + 1, sizeof *shapes);
    Patch *patches = tlwAlloc((size_t)pieces->count + 1, sizeof *patches);
    bool ok = shapes && patches;
    int count = 0;
    for (int n = 0; ok && n < solids->count; n++)
        if (solids->items[n].vertex_velocity)
            shapes[count++] = (Shape){solids->items[n].object, solids->items[n].wet, solids->items[n].vertex_velocity};
    if (ok && count)
        addBonds(&search->flow->grid, search->particles, shapes, count, moment, pieces, patches);
    for (int n = 0; ok && n < pieces->count; n++) {
        tlwPiece *piece = &pieces->items[n];
        if (piece->object == TLW_NO_OBJECT)
            continue;
        takeSolidMotion(solids, piece);
        if (!(patches[n].count > 0))
            continue;
        tlwQuat turn;
        fitPatch(&patches[n], &piece->velocity, &turn);
        piece->velocity = tlwScale(piece->velocity, 1 / moment);
        piece->spin = tlwScale(tlwRotationVectorFromQuat(turn), 1 / moment);
    }
    tlwFree(shapes);
    tlwFree(patches);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
}

tlwResult tlwCarryOnShapes(const tlwBodies *bodies, const tlwPlacedMeshes *solids, const tlwGrid *grid,
                           const tlwParticles *particles, double dt, tlwPieces *pieces)
{
    Shape *shapes = tlwAlloc((size_t)bodies->link_count + 1, sizeof *shapes);
    Patch *patches = tlwAlloc((size_t)pieces->count + 1, sizeof *patches);
    bool ok = shapes && patches;
    int count = 0;
    for (int n = 0; ok && n < bodies->link_count; n++) {
        const tlwBodyLink *link = &bodies->links[n];
        if (link->positions) // its velocities belong to the step that the rigid world has just made
            shapes[count++] = (Shape){solids->items[link->solid].object, link->sdf, link->vertex_velocity};
    }
    if (ok && count)
        addBonds(grid, particles, shapes, count, dt, pieces, patches);
    for (int n = 0; ok && n < pieces->count; n++)
        if (patches[n].count > 0)
            fitPatch(&patches[n], &pieces->items[n].shift, &pieces->items[n].turn);
    tlwFree(shapes);
    tlwFree(patches);
    return ok ? TLW_OK : tlwFailMemory(&bodies->context->message, "the frozen pieces");
}
