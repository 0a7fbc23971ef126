// The performance scenes.
#include "bench.h"

#include <stdio.h>

extern const tlwBenchScene tlw_bench_scenes[];

static tlwSceneDef makeDomain(tlwVec3 low, tlwVec3 high, double cell_size)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.domain_min = low;
    def.domain_max = high;
    def.cell_size = cell_size;
    return def;
}

static int addLiquid(tlwRig *rig, const char *name, double density, double viscosity)
{
    tlwMaterialDef def = tlwMakeLiquid(name, density, viscosity);
    return tlwAddRigMaterial(rig, &def);
}

static void buildDamBreak(tlwRig *rig, int resolution, int variant, int threads)
{
    (void)variant;
    tlwSceneDef def = makeDomain((tlwVec3){0, 0, 0}, (tlwVec3){1, 0.5, 0.5}, 1.0 / resolution);
    def.walls[4] = TLW_WALL_SLIP;
    tlwStartRig(rig, &def, threads);
    int water = addLiquid(rig, "Water", 998, 1e-9); // so little that the viscosity stage leaves out its solve
    tlwAddRigLiquid(rig, "Column", tlwMakeBox((tlwVec3){0, 0, 0}, (tlwVec3){0.35, 0.5, 0.4}), water, 293.15);
}

// A sphere of liquid with viscosity 1 Pa s that falls inside a spherical container, half full.
static void buildViscousBall(tlwRig *rig, int resolution, int variant, int threads)
{
    (void)variant;
    tlwSceneDef def = makeDomain((tlwVec3){-0.5, -0.5, -0.5}, (tlwVec3){0.5, 0.5, 0.5}, 1.0 / resolution);
    tlwStartRig(rig, &def, threads);
    int syrup = addLiquid(rig, "Syrup", 1000, 1);
    tlwShape shell = tlwMakeSphereContainer((tlwVec3){0, 0, 0}, 0.42, 0.07, 5);
    tlwAddRigObject(rig, "Shell", TLW_ROLE_SOLID, shell, NULL);
    tlwAddRigLiquid(rig, "Ball", tlwMakeSphere((tlwVec3){0.03, 0, 0.02}, 0.33, 5), syrup, 293.15);
}

// The same drop and pool in domains 1, 2 and 4 times as large on each side: the cells are the same.
static void buildEmptyDomain(tlwRig *rig, int resolution, int variant, int threads)
{
    double size = 1 << variant, dx = 1.0 / resolution;
    tlwSceneDef def = makeDomain((tlwVec3){-0.5 * size, -0.5 * size, 0}, (tlwVec3){0.5 * size, 0.5 * size, size}, dx);
    tlwStartRig(rig, &def, threads);
    int water = addLiquid(rig, "Water", 998, 1e-3);
    tlwShape bowl = tlwMakeContainer((tlwVec3){-0.4, -0.4, 0.1}, (tlwVec3){0.4, 0.4, 0.6}, 0.08, true);
    tlwAddRigObject(rig, "Bowl", TLW_ROLE_SOLID, bowl, NULL);
    tlwAddRigLiquid(rig, "Pool", tlwMakeBox((tlwVec3){-0.4, -0.4, 0.1}, (tlwVec3){0.4, 0.4, 0.3}), water, 293.15);
    tlwAddRigLiquid(rig, "Drop", tlwMakeSphere((tlwVec3){0, 0, 0.55}, 0.15, 4), water, 293.15);
}

// Eleven gears of different densities fall into a tank: 64 x 68 x 64 cells at the usual resolution.
static void buildGears(tlwRig *rig, int resolution, int variant, int threads)
{
    (void)variant;
    double dx = 0.64 / resolution;
    tlwSceneDef def = makeDomain((tlwVec3){0, 0, 0}, (tlwVec3){0.64, 0.68, 0.64}, dx);
    tlwStartRig(rig, &def, threads);
    int water = addLiquid(rig, "Water", 998, 1e-3);
    tlwAddRigLiquid(rig, "Pool", tlwMakeBox((tlwVec3){0, 0, 0}, (tlwVec3){0.64, 0.68, 0.22}), water, 293.15);
    for (int n = 0; n < 11; n++) {
        char name[24];
        snprintf(name, sizeof name, "Gear %d", n + 1);
        tlwShape gear = tlwMakeGear(8, 0.05, 0.075, 0.045);
        tlwVec3 place = {0.12 + 0.2 * (n % 3), 0.13 + 0.21 * (n / 3 % 3), n < 9 ? 0.34 : 0.52};
        tlwPlaceShape(&gear, (tlwVec3){0, 0, 0}, tlwMakeRotation((tlwVec3){1, 0.3 * n, 0.5}, 20 + 30 * n), place);
        tlwObjectDef body = tlwDefaultObjectDef();
        body.density = n % 3 == 0 ? 400 : n % 3 == 1 ? 1200 : 2700;
        body.friction = 0.4;
        tlwAddRigObject(rig, name, TLW_ROLE_RIGID, gear, &body);
    }
}

// Two touching blocks on a floor that sticks, as in `verify contrast`; viscosities differ by 1, 1e2, 1e4, 1e6, 1e9.
static void buildContrast(tlwRig *rig, int resolution, int variant, int threads)
{
    static const double ratios[] = {1, 1e2, 1e4, 1e6, 1e9};
    tlwSceneDef def = makeDomain((tlwVec3){-0.5, -0.5, 0}, (tlwVec3){0.5, 0.5, 1}, 1.0 / resolution);
    def.walls[4] = TLW_WALL_NO_SLIP;
    tlwStartRig(rig, &def, threads);
    int thin = addLiquid(rig, "Thin", 1000, 10);
    int thick = addLiquid(rig, "Thick", 1000, 10 * ratios[variant]);
    tlwAddRigLiquid(rig, "Left", tlwMakeBox((tlwVec3){-0.3, -0.3, 0}, (tlwVec3){0, 0.3, 0.5}), thin, 293.15);
    tlwAddRigLiquid(rig, "Right", tlwMakeBox((tlwVec3){0, -0.3, 0}, (tlwVec3){0.3, 0.3, 0.5}), thick, 293.15);
}

// A block of wax on a hot plate. Heat moves 60 times as fast as in reality.
static void buildMeltingBlock(tlwRig *rig, int resolution, int variant, int threads)
{
    (void)variant;
    tlwSceneDef def = makeDomain((tlwVec3){-0.1, -0.1, 0}, (tlwVec3){0.1, 0.1, 0.2}, 0.2 / resolution);
    def.thermal_speed = 60;
    tlwStartRig(rig, &def, threads);
    tlwMaterialDef wax = tlwMakeLiquid("Paraffin", 780, 0.0075);
    wax.density_solid = 900;
    wax.specific_heat_solid = 2100;
    wax.specific_heat_liquid = 2900;
    wax.conductivity_solid = 0.25;
    wax.conductivity_liquid = 0.15;
    wax.solidus = 328.15;
    wax.liquidus = 333.15;
    wax.latent_heat = 210000;
    wax.viscosity = (tlwCurve){.count = 2, .temperature = {333.15, 353.15}, .value = {0.0075, 0.005}};
    int material = tlwAddRigMaterial(rig, &wax);
    tlwKey hot = tlwDefaultKey();
    hot.temperature = 423.15;
    tlwObjectDef plate = tlwDefaultObjectDef();
    plate.keys = &hot;
    plate.key_count = 1;
    plate.conductivity = 50;
    tlwShape slab = tlwMakeBox((tlwVec3){-0.09, -0.09, 0.005}, (tlwVec3){0.09, 0.09, 0.025});
    tlwAddRigObject(rig, "Plate", TLW_ROLE_HEAT, slab, &plate);
    tlwAddRigLiquid(rig, "Wax", tlwMakeBox((tlwVec3){-0.04, -0.04, 0.025}, (tlwVec3){0.04, 0.04, 0.13}), material, 320);
}

const tlwBenchScene tlw_bench_scenes[] = {
    {"dam_break", "a column of water collapses; no viscosity", buildDamBreak, 1, 128, 24, 1.0 / 60},
    {"viscous_ball", "a ball of syrup falls in a spherical container, 1 Pa s", buildViscousBall, 1, 96, 12, 0.01},
    {"empty_domain", "the same liquid in domains 1, 2 and 4 times as large on each side", buildEmptyDomain, 3, 64, 12,
     1.0 / 24},
    {"gears", "eleven gears of three densities fall into a tank", buildGears, 1, 64, 12, 1.0 / 24},
    {"contrast", "two touching blocks, viscosity ratio 1, 1e2, 1e4, 1e6, 1e9", buildContrast, 5, 64, 6, 1.0 / 24},
    {"melting_block", "wax melts on a hot plate", buildMeltingBlock, 1, 64, 24, 1.0 / 24},
    {0},
};
