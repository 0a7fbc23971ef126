// Wax that froze onto rigid bodies.
//
// A piece and the bodies that it is bonded to are one: a fixed joint in the rigid world, which merges the two, and one
// set of six unknowns in the solves (tlwJoinCoupled). Each keeps its own mass, place and motion; only what changes the
// motion acts on all. A piece that is held holds its bodies as well: they are fixed to its holder, and to the solves
// they are as heavy as a wall. When the last bonded cell melts, all this is not there in the next step.
#ifndef TLW_STEP_FROZEN_BONDS_H
#define TLW_STEP_FROZEN_BONDS_H

#include "scene/scene.h"
#include "step/bodies/bodies.h"
#include "step/frozen/identity.h"
#include "step/frozen/pieces.h"

// Whether a particle with this bond froze onto a rigid body.
static inline bool tlwIsBodyBond(const tlwScene *scene, uint32_t bond)
{
    return bond >= TLW_BOND_OBJECT(0) && tlwGetTraits(&scene->objects[tlwGetBondObject(bond)].def)->body;
}

// Joints for the bonds, when pieces have their places in the rigid world; and away with them after its runs.
tlwResult tlwFastenBonds(tlwBodies *bodies, const tlwPlacedMeshes *solids, const tlwPieces *pieces);
void tlwUnfastenBonds(tlwBodies *bodies);

// When bodies and pieces are coupled: those that are bonded move as one from here on.
void tlwBindPieces(tlwBodies *bodies, const tlwPlacedMeshes *solids, tlwPieces *pieces, tlwBodyCoupling *coupling);

// List the bonds to bodies among pairs of piece and bond: those that are strong enough to last.
tlwResult tlwKeepBonds(const tlwScene *scene, const tlwPairTable *pairs, tlwPieces *pieces);

// The same from the particles' words, which is what lasts from step to step.
tlwResult tlwListBonds(const tlwScene *scene, const tlwParticles *particles, tlwPieces *pieces);

bool tlwIsBonded(const tlwPieces *pieces, int piece, int object);

#endif
