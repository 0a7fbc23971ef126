// Bodies that fixed joints hold together are solved as one cluster, so fixed joints never stretch, whatever the masses.
#ifndef TLW_RIGID_CLUSTERS_H
#define TLW_RIGID_CLUSTERS_H

#include "rigid/solver.h"

// Clusters from bodies and fixed joints, with the outer forces and gravity on them.
tlwResult tlwBuildClusters(tlwSolver *solver, const tlwBody *bodies, int body_count, const tlwRigidJoint *joints,
                           int joint_count, tlwVec3 gravity, tlwMessage *message);

// Poses and velocities of the clusters back to their bodies.
void tlwScatterClusters(const tlwSolver *solver, tlwBody *bodies, int body_count);

#endif
