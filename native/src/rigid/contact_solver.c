// Contacts inside a substep: no overlap, Coulomb's friction cone, bounce.
#include "rigid/solver.h"

static void makeTangents(tlwVec3 n, tlwVec3 tangent[2])
{
    tlwVec3 axis = fabs(n.x) < 0.6 ? (tlwVec3){1, 0, 0} : (tlwVec3){0, 1, 0};
    tangent[0] = tlwNormalize(tlwCross(n, axis));
    tangent[1] = tlwCross(n, tangent[0]);
}

static tlwVec3 relativeVelocity(const tlwSolver *solver, const tlwContactRow *c)
{
    return tlwSub(tlwPointVelocity(&solver->pieces[c->b], c->arm_b), tlwPointVelocity(&solver->pieces[c->a], c->arm_a));
}

static void setArms(tlwSolver *solver, tlwContactRow *c)
{
    c->arm_a = tlwSub(c->point, solver->pieces[c->a].position);
    c->arm_b = tlwSub(c->point, solver->pieces[c->b].position);
}

// Slower meetings than what outer forces bring about in a few steps are resting contacts, not impacts.
static double restSpeed(const tlwSolver *solver, const tlwContactRow *c, double dt)
{
    double a = tlwLength(solver->pieces[c->a].acceleration), b = tlwLength(solver->pieces[c->b].acceleration);
    return 4 * dt * fmax(a, b);
}

void tlwSetupContacts(tlwSolver *solver, const tlwBody *bodies, const tlwContactList *contacts,
                      const tlwSolverTuning *tuning, double dt, double h, double warm_scale)
{
    // No slop: speculative contacts stay alive without overlap, and a band in which nothing pushes lets piles creep.
    // No stiffer walls either: with those a heavy body bounces on a light one.
    tlwSoftness softness = tlwMakeSoftness(tuning->contact_hertz, tuning->contact_damping, h);
    solver->contact_count = contacts->count;
    for (int64_t i = 0; i < contacts->count; i++) {
        const tlwContact *from = &contacts->items[i];
        tlwContactRow *c = &solver->contacts[i];
        *c = (tlwContactRow){.a = solver->piece_of[from->body_a],
                             .b = solver->piece_of[from->body_b],
                             .normal = from->normal,
                             .ball = from->ball,
                             .point = from->point,
                             .owner_b = from->owner_b,
                             .separation = from->separation,
                             .friction = from->friction,
                             .restitution = from->restitution,
                             .normal_impulse = warm_scale * from->normal_impulse};
        double size = fmin(bodies[from->body_a].collider->size, bodies[from->body_b].collider->size);
        c->push_speed = fmin(tuning->push_speed, tuning->push_speed * size); // of 1 m bodies and larger
        makeTangents(c->normal, c->tangent);
        for (int k = 0; k < 2; k++)
            c->friction_impulse[k] = warm_scale * tlwDot(from->friction_impulse, c->tangent[k]);
        c->softness = softness;
        setArms(solver, c);
        double approach = -tlwDot(c->normal, relativeVelocity(solver, c));
        c->bounce_speed = approach > restSpeed(solver, c, dt) ? approach : 0;
    }
}

// u' K v for the 3x3 effective inverse mass at the contact point.
static double inverseMass(const tlwPiece *p, tlwVec3 arm_u, tlwVec3 arm_v)
{
    return tlwDot(arm_u, tlwMulMat3(p->world_inverse_inertia, arm_v));
}

void tlwPrepareContacts(tlwSolver *solver)
{
    for (int64_t i = 0; i < solver->contact_count; i++) {
        tlwContactRow *c = &solver->contacts[i];
        const tlwPiece *a = &solver->pieces[c->a], *b = &solver->pieces[c->b];
        setArms(solver, c);
        double linear = a->inverse_mass + b->inverse_mass;
        tlwVec3 na = tlwCross(c->arm_a, c->normal), nb = tlwCross(c->arm_b, c->normal);
        c->normal_mass = 1 / (linear + inverseMass(a, na, na) + inverseMass(b, nb, nb));
        tlwVec3 a0 = tlwCross(c->arm_a, c->tangent[0]), b0 = tlwCross(c->arm_b, c->tangent[0]);
        tlwVec3 a1 = tlwCross(c->arm_a, c->tangent[1]), b1 = tlwCross(c->arm_b, c->tangent[1]);
        double xx = linear + inverseMass(a, a0, a0) + inverseMass(b, b0, b0);
        double yy = linear + inverseMass(a, a1, a1) + inverseMass(b, b1, b1);
        double xy = inverseMass(a, a0, a1) + inverseMass(b, b0, b1);
        double det = 1 / (xx * yy - xy * xy);
        c->tangent_mass[0] = yy * det;
        c->tangent_mass[1] = -xy * det;
        c->tangent_mass[2] = xx * det;
        c->tangent_step = 2 / (xx + yy + sqrt((xx - yy) * (xx - yy) + 4 * xy * xy));
    }
}

static void applyToBoth(tlwSolver *solver, const tlwContactRow *c, tlwVec3 impulse)
{
    tlwApplyImpulse(&solver->pieces[c->a], c->arm_a, impulse, -1);
    tlwApplyImpulse(&solver->pieces[c->b], c->arm_b, impulse, 1);
}

static tlwVec3 impulseOf(const tlwContactRow *c)
{
    tlwVec3 p = tlwScale(c->normal, c->normal_impulse);
    p = tlwMulAdd(p, c->friction_impulse[0], c->tangent[0]);
    return tlwMulAdd(p, c->friction_impulse[1], c->tangent[1]);
}

void tlwWarmStartContacts(tlwSolver *solver)
{
    for (int64_t i = 0; i < solver->contact_count; i++) {
        const tlwContactRow *c = &solver->contacts[i];
        if (c->normal_impulse > 0)
            applyToBoth(solver, c, impulseOf(c));
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

// Stick when the cone allows it. Otherwise slide: with one step length for both directions the friction that is left
// standing points exactly against the motion, which the 2x2 inverse would bend.
static void solveFriction(tlwSolver *solver, tlwContactRow *c, double sum[2], double limit)
{
    tlwVec3 v = relativeVelocity(solver, c);
    double x = tlwDot(v, c->tangent[0]), y = tlwDot(v, c->tangent[1]);
    double next[2] = {sum[0] - c->tangent_mass[0] * x - c->tangent_mass[1] * y,
                      sum[1] - c->tangent_mass[1] * x - c->tangent_mass[2] * y};
    if (next[0] * next[0] + next[1] * next[1] > limit * limit) {
        next[0] = sum[0] - c->tangent_step * x;
        next[1] = sum[1] - c->tangent_step * y;
        scaleToCone(next, limit);
    }
    tlwVec3 impulse = tlwScale(c->tangent[0], next[0] - sum[0]);
    impulse = tlwMulAdd(impulse, next[1] - sum[1], c->tangent[1]);
    sum[0] = next[0];
    sum[1] = next[1];
    applyToBoth(solver, c, impulse);
}

static void solveNormal(tlwSolver *solver, tlwContactRow *c, double h, bool springs)
{
    double bias = 0, mass_scale = 1, impulse_scale = 0;
    if (c->separation > 0) {
        bias = c->separation / h; // may close the gap, no more
    } else if (springs) {
        bias = fmax(c->softness.bias_rate * c->separation, -c->push_speed);
        mass_scale = c->softness.mass_scale;
        impulse_scale = c->softness.impulse_scale;
    }
    double vn = tlwDot(c->normal, relativeVelocity(solver, c));
    double change = -c->normal_mass * mass_scale * (vn + bias) - impulse_scale * c->normal_impulse;
    double next = fmax(c->normal_impulse + change, 0);
    change = next - c->normal_impulse;
    c->normal_impulse = next;
    applyToBoth(solver, c, tlwScale(c->normal, change));
}

// With springs normals come last: not overlapping matters more than not sliding. Relaxing ends with friction, so that
// what remains is inside the cone of the final normal impulse.
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

// Both bodies share one contact point, which keeps angular momentum; it goes with the ball that made the contact.
void tlwAdvanceContacts(tlwSolver *solver, double h)
{
    for (int64_t i = 0; i < solver->contact_count; i++) {
        tlwContactRow *c = &solver->contacts[i];
        c->separation += h * tlwDot(c->normal, relativeVelocity(solver, c));
        const tlwPiece *owner = &solver->pieces[c->owner_b ? c->b : c->a];
        tlwVec3 step = tlwScale(tlwPointVelocity(owner, tlwSub(c->ball, owner->position)), h);
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
    for (int64_t i = 0; i < solver->contact_count; i++)
        sumImpulse(&solver->contacts[i], impulseOf(&solver->contacts[i]));
}

static double bounceContact(tlwSolver *solver, tlwContactRow *c)
{
    double vn = tlwDot(c->normal, relativeVelocity(solver, c));
    double next = fmax(c->bounce_impulse + c->normal_mass * (c->restitution * c->bounce_speed - vn), 0);
    double change = next - c->bounce_impulse;
    c->bounce_impulse = next;
    applyToBoth(solver, c, tlwScale(c->normal, change));
    double before[2] = {c->bounce_friction[0], c->bounce_friction[1]};
    solveFriction(solver, c, c->bounce_friction, c->friction * next);
    tlwVec3 impulse = tlwMulAdd(tlwScale(c->normal, change), c->bounce_friction[0] - before[0], c->tangent[0]);
    sumImpulse(c, tlwMulAdd(impulse, c->bounce_friction[1] - before[1], c->tangent[1]));
    return fabs(change) / (c->normal_mass * c->bounce_speed);
}

static bool isHit(const tlwContactRow *c)
{
    return c->restitution > 0 && c->bounce_speed > 0 && c->normal_impulse > 0;
}

// Contacts that were hit in this substep send the bodies apart again, with the friction that goes with the extra
// impulse. Once per step; after that they start from nothing, or the impact would be warm-started again.
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
        to->friction_impulse =
            tlwMulAdd(tlwScale(c->tangent[0], c->friction_impulse[0]), c->friction_impulse[1], c->tangent[1]);
        to->impulse = c->impulse;
    }
}
