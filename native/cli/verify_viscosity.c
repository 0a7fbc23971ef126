// Very viscous liquid falls and spins as a rigid body would (validation.md, "Flow and viscosity").
#include "verify.h"

#include <math.h>
#include <stdio.h>

extern const tlwVerifyCase tlw_verify_viscosity[];

static const double radius = 0.12, cell = 1.0 / 40;

// A blob at the origin with a kinematic viscosity of 1e4 m2/s, in a domain it does not touch.
static void startBlob(tlwReport *report, tlwRig *rig, tlwVec3 gravity, tlwVec3 velocity, tlwVec3 spin)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.domain_min = (tlwVec3){-0.5, -0.5, -0.5};
    def.domain_max = (tlwVec3){0.5, 0.5, 0.5};
    def.cell_size = cell;
    def.gravity = gravity;
    tlwStartRig(rig, &def, tlwGetReportThreads(report));
    tlwMaterialDef stiff = tlwMakeLiquid("Stiff", 1000, 1e7);
    tlwObjectDef blob = tlwDefaultObjectDef();
    blob.material = tlwAddRigMaterial(rig, &stiff);
    blob.velocity = velocity;
    blob.spin = spin;
    tlwAddRigObject(rig, "Blob", TLW_ROLE_LIQUID, tlwMakeSphere((tlwVec3){0, 0, 0}, radius, 4), &blob);
}

static tlwVec3 turn(tlwVec3 v, double angle)
{
    return (tlwVec3){cos(angle) * v.x - sin(angle) * v.y, sin(angle) * v.x + cos(angle) * v.y, v.z};
}

// How far the particles are from where a rigid blob, turned by `angle` about z, would have taken them: root mean
// square, in cells.
static double getDeformation(tlwRig *rig, tlwVec3 start, double angle)
{
    tlwParticleView view;
    if (rig->failed || !tlwCheckRig(rig, tlwGetParticles(rig->sim, &view)) || view.count == 0)
        return NAN;
    tlwVec3 now = tlwGetRigStats(rig).centre_of_mass;
    double sum = 0;
    for (int64_t i = 0; i < view.count; i++) {
        const float *p = view.position + 3 * i, *r = view.rest_position + 3 * i;
        tlwVec3 expected = turn((tlwVec3){r[0] - start.x, r[1] - start.y, r[2] - start.z}, angle);
        double x = p[0] - now.x - expected.x, y = p[1] - now.y - expected.y, z = p[2] - now.z - expected.z;
        sum += x * x + y * y + z * z;
    }
    return sqrt(sum / (double)view.count) / cell;
}

static void runViscousFall(tlwReport *report)
{
    const tlwVec3 velocity = {0.6, -0.3, 1.6};
    const double g = -9.81, duration = 0.35;
    tlwRig rig;
    startBlob(report, &rig, (tlwVec3){0, 0, g}, velocity, (tlwVec3){0, 0, 0});
    tlwRunRig(&rig);
    tlwVec3 start = tlwGetRigStats(&rig).centre_of_mass;
    double path = 0, worst = 0, time = 0;
    tlwVec3 last = start;
    for (int i = 1; i <= 21 && !rig.failed; i++) {
        tlwAdvanceRig(&rig, duration / 21);
        time = duration * i / 21;
        tlwVec3 c = tlwGetRigStats(&rig).centre_of_mass;
        double x = c.x - start.x - velocity.x * time, y = c.y - start.y - velocity.y * time;
        double z = c.z - start.z - velocity.z * time - 0.5 * g * time * time;
        worst = fmax(worst, sqrt(x * x + y * y + z * z));
        path += sqrt(pow(c.x - last.x, 2) + pow(c.y - last.y, 2) + pow(c.z - last.z, 2));
        last = c;
    }
    double deformation = getDeformation(&rig, start, 0);
    if (!rig.failed) {
        tlwReportBelow(report, "distance from the parabola / path", worst / path, 0.005);
        tlwReportBelow(report, "change of shape (cells, rms)", deformation, 0.1);
    }
    tlwEndRig(report, &rig);
}

static void runViscousSpin(tlwReport *report)
{
    const double omega = 2 * acos(-1);
    tlwRig rig;
    startBlob(report, &rig, (tlwVec3){0, 0, 0}, (tlwVec3){0, 0, 0}, (tlwVec3){0, 0, omega});
    tlwRunRig(&rig);
    tlwStats before = tlwGetRigStats(&rig);
    double sphere = 0.4 * 1000 * 4.0 / 3 * acos(-1) * pow(radius, 5) * omega;
    for (int i = 0; i < 24 && !rig.failed; i++)
        tlwAdvanceRig(&rig, 1.0 / 24);
    tlwStats after = tlwGetRigStats(&rig);
    if (!rig.failed) {
        tlwReportRelative(report, "angular momentum at the start (kg m2/s)", before.angular_momentum.z, sphere, 0.05);
        tlwReportAbove(report, "share of it that is left after 1 s",
                       after.angular_momentum.z / before.angular_momentum.z, 0.99);
    }
    tlwEndRig(report, &rig);
}

const tlwVerifyCase tlw_verify_viscosity[] = {
    {"viscous_fall", "a thrown blob of 1e4 m2/s follows the parabola and keeps its shape", runViscousFall, false},
    {"viscous_spin", "a spinning blob of 1e4 m2/s keeps its angular momentum", runViscousSpin, false},
    {0},
};
