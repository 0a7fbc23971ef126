// How the solves see the motion of something rigid, a body or a free frozen piece, from one step to the next.
#ifndef TLW_STEP_BODIES_SOLVE_MOTION_H
#define TLW_STEP_BODIES_SOLVE_MOTION_H

#include "base/vec.h"

typedef struct tlwSolveMotion {
    tlwVec3 contact_velocity, contact_spin;     // what contacts and joints are expected to add per second
    tlwVec3 push[2], turn[2];                   // what pressure added per second in the last two solves, latest first
    tlwVec3 predicted_velocity, predicted_spin; // before pressure
    tlwVec3 free_velocity, free_spin;           // after pressure, without contacts
} tlwSolveMotion;

// Before pressure: from `velocity` and `spin`, by `push` per second and the contacts, over dt.
static inline void tlwPredictMotion(tlwSolveMotion *m, tlwVec3 velocity, tlwVec3 spin, tlwVec3 push, double dt)
{
    m->predicted_velocity = tlwMulAdd(velocity, dt, tlwAdd(push, m->contact_velocity));
    m->predicted_spin = tlwMulAdd(spin, dt, m->contact_spin);
    m->push[1] = m->push[0];
    m->turn[1] = m->turn[0];
}

// After pressure over dt has made it move with `velocity` and `spin`.
static inline void tlwFinishMotion(tlwSolveMotion *m, tlwVec3 velocity, tlwVec3 spin, double dt)
{
    m->push[0] = tlwScale(tlwSub(velocity, m->predicted_velocity), 1 / dt);
    m->turn[0] = tlwScale(tlwSub(spin, m->predicted_spin), 1 / dt);
    m->free_velocity = tlwMulAdd(velocity, -dt, m->contact_velocity);
    m->free_spin = tlwMulAdd(spin, -dt, m->contact_spin);
}

static inline double tlwGetLesser(double a, double b)
{
    return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b;
}

// The lasting part of the last two pushes or turns: the lesser of the two, so that the blow of an impact does not count
// as a lasting force.
static inline tlwVec3 tlwGetLasting(const tlwVec3 last[2])
{
    return (tlwVec3){tlwGetLesser(last[0].x, last[1].x), tlwGetLesser(last[0].y, last[1].y),
                     tlwGetLesser(last[0].z, last[1].z)};
}

#endif
