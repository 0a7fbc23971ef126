#include "step/bodies/groups.h"

#include "step/bodies/coupling.h"

#include <math.h>

void tlwJoinCoupled(tlwBodyCoupling *coupling, int a, int b)
{
    tlwCoupledBody *bodies = coupling->bodies;
    int of_a = bodies[a].joined ? bodies[a].joined : a + 1, of_b = bodies[b].joined ? bodies[b].joined : b + 1;
    int first = of_a < of_b ? of_a : of_b, other = of_a < of_b ? of_b : of_a;
    bodies[a].joined = of_a;
    bodies[b].joined = of_b;
    for (int n = 0; n < coupling->count; n++)
        if (bodies[n].joined == other)
            bodies[n].joined = first;
    coupling->joined = true;
}

static bool isOf(const tlwCoupledBody *bodies, int n, int leader)
{
    return n == leader || bodies[n].joined == leader + 1;
}

// Sums over `velocity` and `spin`, or with `changes` over `change` and `turn`.
static tlwCoupledMass sumMotions(const tlwBodyCoupling *coupling, int leader, bool changes)
{
    const tlwCoupledBody *bodies = coupling->bodies;
    tlwCoupledMass sum = {0};
    for (int n = leader; n < coupling->count; n++) {
        const tlwCoupledBody *body = &bodies[n];
        if (!isOf(bodies, n, leader))
            continue;
        tlwVec3 velocity = changes ? body->change : body->velocity, spin = changes ? body->turn : body->spin;
        if (!(body->inverse_mass > 0))
            return (tlwCoupledMass){.mass = INFINITY, .centre = body->centre, .velocity = velocity, .spin = spin};
        if (!body->joined)
            return (tlwCoupledMass){1 / body->inverse_mass, tlwMat3Inverse(body->inverse_inertia), body->centre,
                                    velocity, spin};
        sum.mass += 1 / body->inverse_mass;
        sum.centre = tlwMulAdd(sum.centre, 1 / body->inverse_mass, body->centre);
        sum.velocity = tlwMulAdd(sum.velocity, 1 / body->inverse_mass, velocity);
    }
    sum.centre = tlwScale(sum.centre, 1 / sum.mass);
    sum.velocity = tlwScale(sum.velocity, 1 / sum.mass);
    tlwVec3 momentum = {0, 0, 0}; // angular
    for (int n = leader; n < coupling->count; n++) {
        const tlwCoupledBody *body = &bodies[n];
        if (!isOf(bodies, n, leader))
            continue;
        tlwMat3 own = tlwMat3Inverse(body->inverse_inertia);
        tlwVec3 arm = tlwSub(body->centre, sum.centre), velocity = changes ? body->change : body->velocity;
        double d[3] = {arm.x, arm.y, arm.z}, mass = 1 / body->inverse_mass;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                sum.inertia.m[i][j] += own.m[i][j] + mass * ((i == j) * tlwDot(arm, arm) - d[i] * d[j]);
        tlwVec3 about = tlwScale(tlwCross(arm, tlwSub(velocity, sum.velocity)), mass);
        momentum = tlwAdd(momentum, tlwAdd(tlwMulMat3(own, changes ? body->turn : body->spin), about));
    }
    sum.spin = tlwMulMat3(tlwMat3Inverse(sum.inertia), momentum);
    return sum;
}

tlwCoupledMass tlwSumCoupled(const tlwBodyCoupling *coupling, int leader)
{
    return sumMotions(coupling, leader, false);
}

static void spreadMotion(tlwBodyCoupling *coupling, int leader, const tlwCoupledMass *whole, bool changes)
{
    for (int n = leader; n < coupling->count; n++) {
        tlwCoupledBody *body = &coupling->bodies[n];
        if (!isOf(coupling->bodies, n, leader))
            continue;
        tlwVec3 arm = tlwSub(body->centre, whole->centre);
        *(changes ? &body->change : &body->velocity) = tlwAdd(whole->velocity, tlwCross(whole->spin, arm));
        *(changes ? &body->turn : &body->spin) = whole->spin;
    }
}

void tlwSpreadMotion(tlwBodyCoupling *coupling, int leader, const tlwCoupledMass *whole)
{
    spreadMotion(coupling, leader, whole, false);
}

static void share(tlwBodyCoupling *coupling, bool changes)
{
    for (int n = 0; coupling->joined && n < coupling->count; n++) {
        if (coupling->bodies[n].joined != n + 1)
            continue;
        tlwCoupledMass whole = sumMotions(coupling, n, changes);
        spreadMotion(coupling, n, &whole, changes);
    }
}

void tlwShareMotion(tlwBodyCoupling *coupling)
{
    share(coupling, false);
}

void tlwShareChanges(tlwBodyCoupling *coupling)
{
    share(coupling, true);
}
