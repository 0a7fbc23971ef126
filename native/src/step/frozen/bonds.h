// Wax that froze onto rigid bodies.
//
// A piece and the bodies that it is bonded to move as one. In the rigid world fixed joints merge them; in the solves
// they share one set of six unknowns (tlwJoinCoupled). Each keeps its own mass, place and motion; what changes the
// motion of one acts on all. A held piece holds its bodies as well: joints fix them to its holder, and in the solves
// their mass is infinite. The bond ends in the step after its last cell melts.
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

// Add joints for the bonds once pieces are in the rigid world; remove the joints after the world's runs.
tlwResult tlwFastenBonds(tlwBodies *bodies, const tlwPlacedMeshes *solids, const tlwPieces *pieces);
void tlwUnfastenBonds(tlwBodies *bodies);

// After bodies and pieces are coupled: those that are bonded move as one in the solves.
void tlwBindPieces(tlwBodies *bodies, const tlwPlacedMeshes *solids, tlwPieces *pieces, tlwBodyCoupling *coupling);

// Set pieces->bonds to the bonds to rigid bodies among `pairs` of piece (a) and bond (b).
tlwResult tlwKeepBonds(const tlwScene *scene, const tlwPairTable *pairs, tlwPieces *pieces);

// The same from tlwParticles.frozen, which lasts from step to step.
tlwResult tlwListBonds(const tlwScene *scene, const tlwParticles *particles, tlwPieces *pieces);

bool tlwIsBonded(const tlwPieces *pieces, int piece, int object);

#endif
