#include "step/frozen/bonds.h"

#include "base/context.h"
#include "base/memory.h"
#include "scene/scene.h"
#include "step/bodies/groups.h"

#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------------------------
// The list

static int compareBonds(const void *a, const void *b)
{
    const tlwBond *p = a, *q = b;
    return p->piece != q->piece ? (p->piece < q->piece ? -1 : 1) : (p->object > q->object) - (p->object < q->object);
}

tlwResult tlwKeepBonds(const tlwScene *scene, const tlwPairTable *pairs, tlwPieces *pieces)
{
    tlwFree(pieces->bonds);
    pieces->bonds = NULL;
    pieces->bond_count = 0;
    for (int n = 0; n < pieces->count; n++)
        pieces->items[n].bonded = TLW_NO_OBJECT;
    if (!pairs->count)
        return TLW_OK;
    pieces->bonds = tlwAlloc((size_t)pairs->count, sizeof *pieces->bonds);
    if (!pieces->bonds)
        return TLW_OUT_OF_MEMORY;
    for (int64_t n = 0; n < pairs->count; n++) {
        tlwBond bond = {pairs->items[n].a, tlwGetBondObject((uint32_t)pairs->items[n].b)};
        if (tlwIsBodyBond(scene, (uint32_t)pairs->items[n].b))
            pieces->bonds[pieces->bond_count++] = bond;
    }
    qsort(pieces->bonds, (size_t)pieces->bond_count, sizeof *pieces->bonds, compareBonds);
    for (int n = pieces->bond_count - 1; n >= 0; n--) // `bonded` is the first one
        pieces->items[pieces->bonds[n].piece].bonded = pieces->bonds[n].object;
    return TLW_OK;
}

tlwResult tlwListBonds(const tlwScene *scene, const tlwParticles *particles, tlwPieces *pieces)
{
    tlwPairTable pairs = {0};
    bool ok = true;
    uint32_t last = 0;
    for (int64_t n = 0; n < particles->count && ok; n++) {
        uint32_t word = particles->frozen[n];
        if (word == last || !tlwIsBodyBond(scene, tlwGetBond(word)))
            continue;
        const tlwPiece *piece = tlwFindPiece(pieces, tlwGetPieceId(word));
        if (piece)
            ok = tlwAddPairMass(&pairs, (int)(piece - pieces->items), (int)tlwGetBond(word), 1);
        last = word; // particles with the same word mostly follow each other
    }
    tlwResult result = ok ? tlwKeepBonds(scene, &pairs, pieces) : TLW_OUT_OF_MEMORY;
    tlwFreePairTable(&pairs);
    return result;
}

bool tlwIsBonded(const tlwPieces *pieces, int piece, int object)
{
    tlwBond bond = {piece, object};
    return pieces->bond_count &&
           bsearch(&bond, pieces->bonds, (size_t)pieces->bond_count, sizeof bond, compareBonds) != NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// The rigid world

static tlwBodyLink *findLink(const tlwBodies *bodies, const tlwPlacedMeshes *solids, int object)
{
    for (int n = 0; n < bodies->link_count; n++)
        if (solids->items[bodies->links[n].solid].object == object)
            return &bodies->links[n];
    return NULL;
}

// The body that holds a piece in the rigid world; -1 = the world itself. A deforming solid is no rigid body, so on it
// the piece's own body counts.
static int holderOf(const tlwBodies *bodies, const tlwPlacedMeshes *solids, const tlwPiece *piece)
{
    const tlwBodyLink *link = piece->object >= 0 ? findLink(bodies, solids, piece->object) : NULL;
    return !link ? -1 : link->positions ? piece->body : link->body;
}

tlwResult tlwFastenBonds(tlwBodies *bodies, const tlwPlacedMeshes *solids, const tlwPieces *pieces)
{
    const tlwVec3 zero = {0, 0, 0};
    for (int n = 0; bodies->world && n < pieces->bond_count; n++) {
        const tlwPiece *piece = &pieces->items[pieces->bonds[n].piece];
        tlwBodyLink *link = findLink(bodies, solids, pieces->bonds[n].object);
        bool held = piece->object != TLW_NO_OBJECT;
        if (!link || (!held && piece->body < 0))
            continue;
        link->bonded = true;
        TLW_TRY(tlwAddRigidJoint(bodies->world, TLW_JOINT_FIXED, link->body,
                                 held ? holderOf(bodies, solids, piece) : piece->body, zero, zero, NULL,
                                 &bodies->context->message));
    }
    return TLW_OK;
}

void tlwUnfastenBonds(tlwBodies *bodies)
{
    if (bodies->world && bodies->world->joint_count > bodies->scene->joint_count)
        bodies->world->joint_count = bodies->scene->joint_count;
    for (int n = 0; n < bodies->link_count; n++)
        bodies->links[n].bonded = false;
}

// ---------------------------------------------------------------------------------------------------------------------
// The solves

static int findCoupled(const tlwBodyCoupling *coupling, int object)
{
    for (int b = 0; b < coupling->count; b++)
        if (coupling->bodies[b].object == object)
            return b;
    return -1;
}

// The body moves with the piece that holds it.
static void holdBody(const tlwPiece *piece, tlwCoupledBody *body)
{
    body->inverse_mass = 0;
    body->inverse_inertia = (tlwMat3){0};
    body->velocity = tlwAdd(piece->velocity, tlwCross(piece->spin, tlwSub(body->centre, piece->centre)));
    body->spin = piece->spin;
}

void tlwBindPieces(tlwBodies *bodies, const tlwPlacedMeshes *solids, tlwPieces *pieces, tlwBodyCoupling *coupling)
{
    for (int n = 0; n < pieces->bond_count; n++) {
        const tlwPiece *piece = &pieces->items[pieces->bonds[n].piece];
        int body = findCoupled(coupling, pieces->bonds[n].object),
            other = findCoupled(coupling, TLW_PIECE_KEY(pieces->bonds[n].piece + 1));
        if (body >= 0 && piece->object != TLW_NO_OBJECT)
            holdBody(piece, &coupling->bodies[body]);
        else if (body >= 0 && other >= 0)
            tlwJoinCoupled(coupling, body, other);
    }
    if (!pieces->bond_count)
        return;
    tlwShareMotion(coupling);
    for (int b = 0; b < coupling->count; b++) {
        const tlwCoupledBody *coupled = &coupling->bodies[b];
        int number = coupled->object - TLW_PIECE_KEY(1);
        tlwPiece *piece = number >= 0 ? &pieces->items[number] : NULL;
        tlwBodyLink *link = piece ? NULL : findLink(bodies, solids, coupled->object);
        *(piece ? &piece->solve.predicted_velocity : &link->solve.predicted_velocity) = coupled->velocity;
        *(piece ? &piece->solve.predicted_spin : &link->solve.predicted_spin) = coupled->spin;
    }
}
