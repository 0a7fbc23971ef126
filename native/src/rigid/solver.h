// The soft-step solver: contacts and joints are damped springs of a set frequency. Each of many short substeps makes a
// few passes over all of them, then a relaxing pass without springs (Macklin et al. 2019 "Small steps", Catto's soft
// step). Private to this room; callers use world.h.
#ifndef TLW_RIGID_SOLVER_H
#define TLW_RIGID_SOLVER_H

#include "base/vec.h"
#include "rigid/contact.h"

// A cluster that moves as one: a body, or several that fixed joints hold together. Cluster 0 is the world.
typedef struct tlwCluster {
    double inverse_mass;              // 1/kg; 0 = nothing can change its motion
    tlwMat3 inertia, inverse_inertia; // in the cluster's own axes
    tlwMat3 world_inverse_inertia;    // refreshed whenever the cluster turns
    tlwVec3 position, velocity, spin;
    tlwQuat rotation;
    tlwVec3 acceleration, torque; // of outer forces, constant over the solve
    int root;                     // body whose axes the cluster uses; -1: the world
    int body_count;
} tlwCluster;

// Spring and damper in the form that never overshoots at any step length (Catto 2011 "Soft constraints").
typedef struct tlwSoftness {
    double bias_rate;     // 1/s
    double mass_scale;    // 0..1
    double impulse_scale; // 1 - mass_scale
} tlwSoftness;

static inline tlwSoftness tlwMakeSoftness(double hertz, double damping, double h)
{
    double omega = 6.283185307179586 * hertz, a1 = 2 * damping + h * omega, a2 = h * omega * a1, a3 = 1 / (1 + a2);
    return (tlwSoftness){omega / a1, a2 * a3, a3};
}

// One direction of a contact. Everything that depends on the poses is worked out once per substep.
typedef struct tlwContactAxis {
    tlwVec3 direction;
    tlwVec3 turn_a, turn_b; // arm x direction
    tlwVec3 spin_a, spin_b; // change of the spins by a unit impulse
    double drift;           // m/s along `direction`: drift of B's surface minus that of A's
} tlwContactAxis;

// A contact in the form that the inner loop reads.
typedef struct tlwContactRow {
    int a, b;               // clusters
    double mass_a, mass_b;  // inverse, 1/kg
    tlwContactAxis axes[3]; // normal, tangents
    tlwVec3 ball, point;
    tlwVec3 arm_a, arm_b;
    tlwVec3 owner_drift; // m/s, of the surface that the ball belongs to
    bool owner_b;
    double separation;
    double friction, restitution;
    double bounce_speed; // approach speed at the start of the step; 0 = does not bounce
    double push_speed;
    tlwSoftness softness;
    double normal_mass;
    double tangent_mass[3];                     // inverse of the symmetric 2x2: xx, xy, yy
    double tangent_step;                        // 1 / largest eigenvalue of the 2x2
    double normal_impulse, friction_impulse[2]; // of this substep
    double bounce_impulse, bounce_friction[2];
    tlwVec3 impulse, moment_a, moment_b; // over the whole step, on B
} tlwContactRow;

typedef struct tlwJointRow {
    int joint;
    int a, b; // clusters
    tlwJointKind kind;
    tlwVec3 local_a, local_b; // anchors in the clusters' axes, from their centres
    tlwVec3 axis_a, axis_b;   // in the clusters' axes
    tlwQuat turn_a, turn_b;   // joint frames in the clusters' axes
    bool rail_b;              // slider: B is the heavier body, so the rail is B's axis
    tlwVec3 arm_a, arm_b;
    tlwVec3 axis;       // world
    tlwVec3 gap, angle; // errors to be closed, world
    tlwMat3 linear_mass, angular_mass;
    tlwSoftness softness;
    tlwVec3 linear_impulse, angular_impulse; // on B, of this substep
    tlwVec3 impulse, moment;                 // on B, over the whole step
} tlwJointRow;

typedef struct tlwSolverTuning {
    double contact_hertz, contact_damping, push_speed, joint_hertz, joint_damping;
} tlwSolverTuning;

typedef struct tlwSolver {
    tlwCluster *clusters;
    int cluster_count;
    int *cluster_of;        // per body
    tlwVec3 *body_offset;   // per body: centre of mass in its cluster's axes
    tlwQuat *body_rotation; // per body: rotation in its cluster's axes
    bool *body_free;        // per body: its cluster can be moved
    tlwContactRow *contacts;
    int64_t contact_count, contact_capacity;
    tlwJointRow *joints;
    int64_t joint_count, joint_capacity;
} tlwSolver;

void tlwFreeSolver(tlwSolver *solver);

// Advance clusters by `dt` under contacts and joints, and write the impulses into both lists. `warm_scale` is the ratio
// of this step's substep length to that of the step before.
tlwResult tlwSolveStep(tlwSolver *solver, const tlwBody *bodies, tlwContactList *contacts, tlwRigidJoint *joints,
                       int joint_count, const tlwSolverTuning *tuning, double dt, int substeps, double warm_scale,
                       tlwMessage *message);

static inline void tlwApplyImpulse(tlwCluster *cluster, tlwVec3 arm, tlwVec3 impulse, double sign)
{
    cluster->velocity = tlwMulAdd(cluster->velocity, sign * cluster->inverse_mass, impulse);
    tlwVec3 turn = tlwMulMat3(cluster->world_inverse_inertia, tlwCross(arm, impulse));
    cluster->spin = tlwMulAdd(cluster->spin, sign, turn);
}

static inline tlwVec3 tlwPointVelocity(const tlwCluster *cluster, tlwVec3 arm)
{
    return tlwAdd(cluster->velocity, tlwCross(cluster->spin, arm));
}

#endif
