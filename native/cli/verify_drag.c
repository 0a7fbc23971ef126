// Viscous drag on bodies and frozen pieces.
#include "verify.h"

#include <math.h>

extern const tlwVerifyCase tlw_verify_drag[];

static const double syrup_density = 1400, ball_density = 2000, gravity = 9.81;
static const double dx = 0.005, ball_radius = 4 * 0.005, tank_radius = 16 * 0.005, tank_height = 40 * 0.005;

// What sinks: a rigid body, or frozen syrup that does not melt.
typedef enum Sinker { RIGID_BALL, FROZEN_BALL } Sinker;

static tlwMaterialDef makeSyrup(Sinker sinker, double viscosity)
{
    tlwMaterialDef syrup = tlwMakeLiquid("Syrup", syrup_density, viscosity);
    if (sinker == FROZEN_BALL) {
        syrup.density_solid = ball_density;
        syrup.solidus = syrup.liquidus = 273.15;
        syrup.latent_heat = 3e5;
    }
    return syrup;
}

// A ball in the middle of an upright cylinder of liquid, open above. The liquid sticks to ball and wall. Returns the
// number of the ball's object.
static int startSinking(tlwReport *report, tlwRig *rig, Sinker sinker, double viscosity)
{
    const double wall = 4 * dx, out = tank_radius + wall;
    const double tube[][2] = {{tank_radius, 0}, {out, 0}, {out, tank_height + wall}, {tank_radius, tank_height + wall}};
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = dx;
    def.domain_min = (tlwVec3){-out, -out, 0};
    def.domain_max = (tlwVec3){out, out, tank_height + 2 * wall};
    def.gravity = (tlwVec3){0, 0, -gravity};
    def.walls[4] = TLW_WALL_NO_SLIP;
    def.thermal_speed = 0;
    tlwStartRig(rig, &def, tlwGetReportThreads(report));
    tlwMaterialDef syrup = makeSyrup(sinker, viscosity);
    int material = tlwAddRigMaterial(rig, &syrup), number = -1;
    tlwShape ball = tlwMakeSphere((tlwVec3){0.3 * dx, 0.2 * dx, 0.55 * tank_height}, ball_radius, 4);
    if (sinker == FROZEN_BALL) // added before the syrup, because the first of two overlapping liquids wins
        number = tlwAddRigLiquid(rig, "Ball", ball, material, 263.15);
    tlwShape liquid = tlwMakeCylinder((tlwVec3){0, 0, tank_height / 2}, tank_radius + dx, tank_height, 64);
    tlwAddRigLiquid(rig, "Syrup", liquid, material, 293.15);
    tlwObjectDef solid = tlwDefaultObjectDef();
    solid.surface = TLW_SURFACE_STICK;
    tlwAddRigObject(rig, "Tube", TLW_ROLE_SOLID, tlwMakeLathe((tlwVec3){0, 0, 0}, tube, 4, 64), &solid);
    solid.density = ball_density;
    if (sinker == RIGID_BALL)
        number = tlwAddRigObject(rig, "Ball", TLW_ROLE_RIGID, ball, &solid);
    return number;
}

static double getDownwardSpeed(tlwRig *rig, Sinker sinker, int ball)
{
    tlwBodyState body = {0};
    tlwPieceState piece = {0};
    if (sinker == RIGID_BALL)
        tlwCheckRig(rig, tlwGetBody(rig->sim, ball, &body));
    else
        tlwCheckRig(rig, tlwGetPiece(rig->sim, 0, &piece));
    return sinker == RIGID_BALL ? -body.velocity.z : -piece.velocity.z;
}

// Downward speed after `duration`, in steps of dt.
static double getSinkingSpeed(tlwReport *report, Sinker sinker, double viscosity, double duration, double dt)
{
    tlwRig rig;
    double speed = NAN;
    int ball = startSinking(report, &rig, sinker, viscosity), iterations = 0;
    tlwRunRig(&rig);
    for (int n = 0; n * dt < duration && tlwAdvanceRig(&rig, dt); n++) {
        speed = getDownwardSpeed(&rig, sinker, ball);
        iterations = (int)fmax(iterations, tlwGetRigStats(&rig).viscosity_iterations);
    }
    tlwReportNote(report, "at most %d iterations", iterations);
    speed = rig.failed ? NAN : speed;
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

static void sink(tlwReport *report, Sinker sinker)
{
    const double viscosity = 20;
    double speed = getSinkingSpeed(report, sinker, viscosity, 0.4, 1.0 / 40);
    tlwReportRelative(report, "speed of the ball in 20 Pa s (m/s)", speed, getStokesSpeed(viscosity), 0.1);
    tlwReportNote(report, "Reynolds number %.2g", syrup_density * speed * 2 * ball_radius / viscosity);
    double thicker = getSinkingSpeed(report, sinker, 10 * viscosity, 1.0, 1.0 / 40);
    tlwReportRelative(report, "speed in 200 Pa s (m/s)", thicker, getStokesSpeed(10 * viscosity), 0.1);
}

static void runStokes(tlwReport *report)
{
    sink(report, RIGID_BALL);
}

static void runStokesPiece(tlwReport *report)
{
    sink(report, FROZEN_BALL);
}

const tlwVerifyCase tlw_verify_drag[] = {
    {"stokes", "a ball sinks in syrup as Stokes and Faxen say", runStokes, false,
     "A rigid ball of eight cells sinks in a tube of four times its radius. The reference is Stokes' law with\n"
     "Faxen's correction for the tube's wall."},
    {"stokes_piece", "a frozen ball sinks in its own melt as Stokes and Faxen say", runStokesPiece, false,
     "As `stokes`, with a frozen ball in its own melt, heat switched off."},
    {0},
};
