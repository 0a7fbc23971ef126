#include "rigid/contact_solver.h"

#include "rigid/solver.h"

static void makeAxes(tlwContactRow *c, tlwVec3 n, tlwVec3 drift)
{
    tlwVec3 other = fabs(n.x) < 0.6 ? (tlwVec3){1, 0, 0} : (tlwVec3){0, 1, 0};
    c->axes[0].direction = n;
    c->axes[1].direction = tlwNormalize(tlwCross(n, other));
    c->axes[2].direction = tlwCross(n, c->axes[1].direction);
    for (int k = 0; k < 3; k++)
        c->axes[k].drift = tlwDot(c->axes[k].direction, drift);
}

// Speed of B's point relative to A's along an axis.
static double speedAlong(const tlwSolver *solver, const tlwContactRow *c, const tlwContactAxis *axis)
{
    const tlwCluster *a = &solver->clusters[c->a], *b = &solver->clusters[c->b];
    return tlwDot(axis->direction, tlwSub(b->velocity, a->velocity)) + tlwDot(axis->turn_b, b->spin) -
           tlwDot(axis->turn_a, a->spin) + axis->drift;
}

static void applyAlong(tlwSolver *solver, const tlwContactRow *c, const tlwContactAxis *axis, double impulse)
{
    tlwCluster *a = &solver->clusters[c->a], *b = &solver->clusters[c->b];
    a->velocity = tlwMulAdd(a->velocity, -impulse * c->mass_a, axis->direction);
    a->spin = tlwMulAdd(a->spin, -impulse, axis->spin_a);
    b->velocity = tlwMulAdd(b->velocity, impulse * c->mass_b, axis->direction);
    b->spin = tlwMulAdd(b->spin, impulse, axis->spin_b);
}

static void setArms(tlwSolver *solver, tlwContactRow *c)
{
    const tlwCluster *a = &solver->clusters[c->a], *b = &solver->clusters[c->b];
    c->arm_a = tlwSub(c->point, a->position);
    c->arm_b = tlwSub(c->point, b->position);
    for (int k = 0; k < 3; k++) {
        tlwContactAxis *axis = &c->axes[k];
        axis->turn_a = tlwCross(c->arm_a, axis->direction);
        axis->turn_b = tlwCross(c->arm_b, axis->direction);
        axis->spin_a = tlwMulMat3(a->world_inverse_inertia, axis->turn_a);
        axis->spin_b = tlwMulMat3(b->world_inverse_inertia, axis->turn_b);
    }
}

// Approach speeds below this are resting contacts, not impacts: outer forces reach it within a few steps.
static double restSpeed(const tlwSolver *solver, const tlwContactRow *c, double dt)
{
    double a = tlwLength(solver->clusters[c->a].acceleration), b = tlwLength(solver->clusters[c->b].acceleration);
    return 4 * dt * fmax(a, b);
}

void tlwSetupContacts(tlwSolver *solver, const tlwBody *bodies, const tlwContactList *contacts,
                      const tlwSolverTuning *tuning, double dt, double h, double warm_scale)
{
    // No overlap is tolerated: speculative contacts persist without overlap, and a tolerated overlap lets piles creep.
    // Contacts with walls are not stiffer than others: a heavy body would bounce on a light one.
    tlwSoftness softness = tlwMakeSoftness(tuning->contact_hertz, tuning->contact_damping, h);
    solver->contact_count = contacts->count;
    for (int64_t i = 0; i < contacts->count; i++) {
        const tlwContact *from = &contacts->items[i];
        tlwContactRow *c = &solver->contacts[i];
        *c = (tlwContactRow){.a = solver->cluster_of[from->body_a],
                             .b = solver->cluster_of[from->body_b],
                             .ball = from->ball,
                             .point = from->point,
                             .owner_b = from->owner_b,
                             .separation = from->separation,
                             .friction = from->friction,
                             .restitution = from->restitution,
                             .normal_impulse = warm_scale * from->normal_impulse};
        double size = fmin(bodies[from->body_a].collider->size, bodies[from->body_b].collider->size);
        c->push_speed = fmin(tuning->push_speed, tuning->push_speed * size); // full speed from 1 m upwards
        c->mass_a = solver->clusters[c->a].inverse_mass;
        c->mass_b = solver->clusters[c->b].inverse_mass;
        c->owner_drift = from->owner_b ? from->drift_b : from->drift_a;
        makeAxes(c, from->normal, tlwSub(from->drift_b, from->drift_a));
        for (int k = 0; k < 2; k++)
            c->friction_impulse[k] = warm_scale * tlwDot(from->friction_impulse, c->axes[k + 1].direction);
        c->softness = softness;
        setArms(solver, c);
        double approach = -speedAlong(solver, c, &c->axes[0]);
        c->bounce_speed = approach > restSpeed(solver, c, dt) ? approach : 0;
    }
}

// Change of the speed along `u` by a unit impulse along `v`.
static double response(const tlwContactRow *c, const tlwContactAxis *u, const tlwContactAxis *v)
{
    return (u == v ? c->mass_a + c->mass_b : 0) + tlwDot(u->turn_a, v->spin_a) + tlwDot(u->turn_b, v->spin_b);
}

void tlwPrepareContacts(tlwSolver *solver)
{
    for (int64_t i = 0; i < solver->contact_count; i++) {
        tlwContactRow *c = &solver->contacts[i];
        setArms(solver, c);
        c->normal_mass = 1 / response(c, &c->axes[0], &c->axes[0]);
        double xx = response(c, &c->axes[1], &c->axes[1]), yy = response(c, &c->axes[2], &c->axes[2]);
        double xy = response(c, &c->axes[1], &c->axes[2]), det = 1 / (xx * yy - xy * xy);
        c->tangent_mass[0] = yy * det;
        c->tangent_mass[1] = -xy * det;
        c->tangent_mass[2] = xx * det;
        c->tangent_step = 2 / (xx + yy + sqrt((xx - yy) * (xx - yy) + 4 * xy * xy));
    }
}

static tlwVec3 impulseOf(const tlwContactRow *c, double normal, const double friction[2])
{
    tlwVec3 p = tlwScale(c->axes[0].direction, normal);
    p = tlwMulAdd(p, friction[0], c->axes[1].direction);
    return tlwMulAdd(p, friction[1], c->axes[2].direction);
}

void tlwWarmStartContacts(tlwSolver *solver)
{
    for (int64_t i = 0; i < solver->contact_count; i++) {
        const tlwContactRow *c = &solver->contacts[i];
        if (c->normal_impulse == 0)
            continue;
        applyAlong(solver, c, &c->axes[0], c->normal_impulse);
        applyAlong(solver, c, &c->axes[1], c->friction_impulse[0]);
        applyAlong(solver, c, &c->axes[2], c->friction_impulse[1]);
    }
}

static void scaleToCone(double p[2], double limit)
{
    double length = sqrt(p[0] * p[0] + p[1] * p[1]);
    if (length > limit) {
        p[0] *= limit / length;
        p[1] *= limit / length;
    }
}

// Stick when the friction cone allows it. Otherwise slide, with one step length for both directions: then the friction
// points exactly against the motion. The 2x2 inverse would turn it aside.
static void solveFriction(tlwSolver *solver, tlwContactRow *c, double sum[2], double limit)
{
    if (limit == 0 && sum[0] == 0 && sum[1] == 0)
        return;
    double x = speedAlong(solver, c, &c->axes[1]), y = speedAlong(solver, c, &c->axes[2]);
    double next[2] = {sum[0] - c->tangent_mass[0] * x - c->tangent_mass[1] * y,
                      sum[1] - c->tangent_mass[1] * x - c->tangent_mass[2] * y};
    if (next[0] * next[0] + next[1] * next[1] > limit * limit) {
        next[0] = sum[0] - c->tangent_step * x;
        next[1] = sum[1] - c->tangent_step * y;
        scaleToCone(next, limit);
    }
    applyAlong(solver, c, &c->axes[1], next[0] - sum[0]);
    applyAlong(solver, c, &c->axes[2], next[1] - sum[1]);
    sum[0] = next[0];
    sum[1] = next[1];
}

static void solveNormal(tlwSolver *solver, tlwContactRow *c, double h, bool springs)
{
    double bias = 0, mass_scale = 1, impulse_scale = 0;
    if (c->separation > 0) {
        bias = c->separation / h; // the bodies may close the gap but not overlap
    } else if (springs) {
        bias = fmax(c->softness.bias_rate * c->separation, -c->push_speed);
        mass_scale = c->softness.mass_scale;
        impulse_scale = c->softness.impulse_scale;
    }
    double vn = speedAlong(solver, c, &c->axes[0]);
    double change = -c->normal_mass * mass_scale * (vn + bias) - impulse_scale * c->normal_impulse;
    double next = c->normal_impulse + change > 0 ? c->normal_impulse + change : 0;
    change = next - c->normal_impulse;
    c->normal_impulse = next;
    if (change != 0)
        applyAlong(solver, c, &c->axes[0], change);
}

// With springs, normals come last, because overlap matters more than sliding. The relaxing pass solves friction last,
// so that friction ends inside the cone of the final normal impulse.
void tlwSolveContacts(tlwSolver *solver, double h, bool springs)
{
    for (int64_t i = 0; i < solver->contact_count; i++) {
        tlwContactRow *c = &solver->contacts[i];
        if (!springs)
            solveNormal(solver, c, h, false);
        if (c->friction > 0)
            solveFriction(solver, c, c->friction_impulse, c->friction * c->normal_impulse);
        if (springs)
            solveNormal(solver, c, h, true);
    }
}

// Both bodies share one contact point, which conserves angular momentum. The point moves with the ball that made the
// contact.
void tlwAdvanceContacts(tlwSolver *solver, double h)
{
    for (int64_t i = 0; i < solver->contact_count; i++) {
        tlwContactRow *c = &solver->contacts[i];
        c->separation += h * speedAlong(solver, c, &c->axes[0]);
        const tlwCluster *owner = &solver->clusters[c->owner_b ? c->b : c->a];
        tlwVec3 v = tlwPointVelocity(owner, tlwSub(c->ball, owner->position));
        tlwVec3 step = tlwScale(tlwAdd(v, c->owner_drift), h);
        c->ball = tlwAdd(c->ball, step);
        c->point = tlwAdd(c->point, step);
    }
}

static void sumImpulse(tlwContactRow *c, tlwVec3 impulse)
{
    c->impulse = tlwAdd(c->impulse, impulse);
    c->moment_a = tlwAdd(c->moment_a, tlwCross(c->arm_a, impulse));
    c->moment_b = tlwAdd(c->moment_b, tlwCross(c->arm_b, impulse));
}

void tlwSumContacts(tlwSolver *solver)
{
    for (int64_t i = 0; i < solver->contact_count; i++) {
        tlwContactRow *c = &solver->contacts[i];
        if (c->normal_impulse > 0)
            sumImpulse(c, impulseOf(c, c->normal_impulse, c->friction_impulse));
    }
}

static double bounceContact(tlwSolver *solver, tlwContactRow *c)
{
    double vn = speedAlong(solver, c, &c->axes[0]);
    double next = fmax(c->bounce_impulse + c->normal_mass * (c->restitution * c->bounce_speed - vn), 0);
    double change = next - c->bounce_impulse, rub[2] = {-c->bounce_friction[0], -c->bounce_friction[1]};
    c->bounce_impulse = next;
    applyAlong(solver, c, &c->axes[0], change);
    solveFriction(solver, c, c->bounce_friction, c->friction * next);
    rub[0] += c->bounce_friction[0];
    rub[1] += c->bounce_friction[1];
    sumImpulse(c, impulseOf(c, change, rub));
    return fabs(change) / (c->normal_mass * c->bounce_speed);
}

static bool isHit(const tlwContactRow *c)
{
    return c->restitution > 0 && c->bounce_speed > 0 && c->normal_impulse > 0;
}

// Contacts with an impact in this substep push the bodies apart, with the friction of the extra impulse. A contact
// bounces once per step. Its impulses are then zeroed, or the warm start would repeat the impact.
void tlwBounceContacts(tlwSolver *solver)
{
    enum { MOST_PASSES = 30 };
    double change = 1;
    for (int pass = 0; pass < MOST_PASSES && change > 1e-9; pass++) {
        change = 0;
        for (int64_t i = 0; i < solver->contact_count; i++)
            if (isHit(&solver->contacts[i]))
                change = fmax(change, bounceContact(solver, &solver->contacts[i]));
    }
    for (int64_t i = 0; i < solver->contact_count; i++) {
        tlwContactRow *c = &solver->contacts[i];
        if (isHit(c))
            c->bounce_speed = c->normal_impulse = c->friction_impulse[0] = c->friction_impulse[1] = 0;
    }
}

void tlwStoreContacts(const tlwSolver *solver, tlwContactList *contacts)
{
    for (int64_t i = 0; i < contacts->count; i++) {
        const tlwContactRow *c = &solver->contacts[i];
        tlwContact *to = &contacts->items[i];
        to->separation = c->separation;
        to->normal_impulse = c->normal_impulse;
        to->friction_impulse = impulseOf(c, 0, c->friction_impulse);
        to->impulse = c->impulse;
    }
}
