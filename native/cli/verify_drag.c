// Viscous drag on bodies (validation.md, "Rigid fluid", `stokes`).
#include "verify.h"

#include <math.h>

extern const tlwVerifyCase tlw_verify_drag[];

static const double syrup_density = 1400, ball_density = 2000, gravity = 9.81;
static const double dx = 0.005, ball_radius = 4 * 0.005, tank_radius = 16 * 0.005, tank_height = 40 * 0.005;

// A ball in the middle of an upright cylinder of liquid that sticks to ball and wall; open above.
static int startSinking(tlwReport *report, tlwRig *rig, double viscosity)
{
    const double wall = 4 * dx, out = tank_radius + wall;
    const double tube[][2] = {{tank_radius, 0}, {out, 0}, {out, tank_height + wall}, {tank_radius, tank_height + wall}};
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = dx;
    def.domain_min = (tlwVec3){-out, -out, 0};
    def.domain_max = (tlwVec3){out, out, tank_height + 2 * wall};
    def.gravity = (tlwVec3){0, 0, -gravity};
    def.walls[4] = TLW_WALL_NO_SLIP;
    tlwStartRig(rig, &def, tlwGetReportThreads(report));
    tlwMaterialDef syrup = tlwMakeLiquid("Syrup", syrup_density, viscosity);
    int material = tlwAddRigMaterial(rig, &syrup);
    tlwShape liquid = tlwMakeCylinder((tlwVec3){0, 0, tank_height / 2}, tank_radius + dx, tank_height, 64);
    tlwAddRigLiquid(rig, "Syrup", liquid, material, 293.15);
    tlwObjectDef solid = tlwDefaultObjectDef();
    solid.surface = TLW_SURFACE_STICK;
    tlwAddRigObject(rig, "Tube", TLW_ROLE_SOLID, tlwMakeLathe((tlwVec3){0, 0, 0}, tube, 4, 64), &solid);
    solid.density = ball_density;
    tlwShape ball = tlwMakeSphere((tlwVec3){0.3 * dx, 0.2 * dx, 0.55 * tank_height}, ball_radius, 4);
    return tlwAddRigObject(rig, "Ball", TLW_ROLE_RIGID, ball, &solid);
}

// Downward speed after `duration`, in steps of dt.
static double getSinkingSpeed(tlwReport *report, double viscosity, double duration, double dt)
{
    tlwRig rig;
    tlwBodyState state = {0};
    int ball = startSinking(report, &rig, viscosity);
    tlwRunRig(&rig);
    for (int n = 0; n * dt < duration && !rig.failed; n++) {
        tlwAdvanceRig(&rig, dt);
        if (!rig.failed)
            tlwCheckRig(&rig, tlwGetBody(rig.sim, ball, &state));
    }
    double speed = rig.failed ? NAN : -state.velocity.z;
    tlwEndRig(report, &rig);
    return speed;
}

// Stokes' law with Faxen's correction for the wall of a cylinder.
static double getStokesSpeed(double viscosity)
{
    double x = ball_radius / tank_radius;
    double free = 2.0 / 9 * (ball_density - syrup_density) * gravity * ball_radius * ball_radius / viscosity;
    return free * (1 - 2.10444 * x + 2.08877 * pow(x, 3) - 0.94813 * pow(x, 5));
}

static void runStokes(tlwReport *report)
{
    const double viscosity = 20;
    double speed = getSinkingSpeed(report, viscosity, 0.4, 1.0 / 40);
    tlwReportRelative(report, "speed of the ball in 20 Pa s (m/s)", speed, getStokesSpeed(viscosity), 0.1);
    tlwReportNote(report, "Reynolds number %.2g", syrup_density * speed * 2 * ball_radius / viscosity);
    double thicker = getSinkingSpeed(report, 10 * viscosity, 1.0, 1.0 / 40);
    tlwReportRelative(report, "speed in 200 Pa s (m/s)", thicker, getStokesSpeed(10 * viscosity), 0.1);
}

const tlwVerifyCase tlw_verify_drag[] = {
    {"stokes", "a ball sinks in syrup as Stokes and Faxen say", runStokes, false},
    {0},
};
