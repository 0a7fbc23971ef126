// Stiff liquid on walls that it sticks to, films that run down such walls, and stiff material in thin liquid.
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

extern const tlwVerifyCase tlw_verify_stick[];

static const double dx = 0.005, density = 1000, gravity = 9.81;

enum { OFFSETS = 10 };

// A block on a wall that it sticks to. The wall is `offset` cells from the grid.
typedef struct Block {
    double offset, viscosity, fps;
    bool floor; // the wall is a floor, and gravity is tilted by 40 degrees
} Block;

static int addWall(tlwRig *rig, tlwVec3 low, tlwVec3 high)
{
    tlwObjectDef solid = tlwDefaultObjectDef();
    solid.surface = TLW_SURFACE_STICK;
    return tlwAddRigObject(rig, "Wall", TLW_ROLE_SOLID, tlwMakeBox(low, high), &solid);
}

// The fastest particle after three frames.
static double getBlockSpeed(tlwReport *report, const Block *b)
{
    const double wall = b->offset * dx, tilt = acos(-1) * 40 / 180;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.domain_min = (tlwVec3){-4 * dx, -4 * dx, -4 * dx};
    def.domain_max = (tlwVec3){16 * dx, 16 * dx, 16 * dx};
    def.cell_size = dx;
    def.gravity = b->floor ? (tlwVec3){gravity * sin(tilt), 0, -gravity * cos(tilt)} : (tlwVec3){0, 0, -gravity};
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    tlwMaterialDef stiff = tlwMakeLiquid("Stiff", density, b->viscosity);
    int material = tlwAddRigMaterial(&rig, &stiff);
    tlwVec3 high = {30 * dx, 30 * dx, 30 * dx}, from = {2 * dx, 2 * dx, 2 * dx}, to = {12 * dx, 10 * dx, 12 * dx};
    if (b->floor) {
        high.z = from.z = wall;
        to.z = wall + 6 * dx;
    } else {
        high.x = from.x = wall;
        to.x = wall + 6 * dx;
    }
    addWall(&rig, (tlwVec3){-10 * dx, -10 * dx, -10 * dx}, high);
    tlwAddRigLiquid(&rig, "Block", tlwMakeBox(from, to), material, 293.15);
    tlwRunRig(&rig);
    for (int n = 0; n < 3 && !rig.failed; n++)
        tlwAdvanceRig(&rig, 1 / b->fps);
    double speed = rig.failed ? NAN : tlwGetRigStats(&rig).max_speed;
    tlwEndRig(report, &rig);
    return speed;
}

static void runSticks(tlwReport *report)
{
    for (int n = 0; n < 8; n++) {
        Block b = {.viscosity = n & 1 ? 1e9 : 1e7, .fps = n & 2 ? 96 : 24, .floor = n & 4};
        double most = 0, where = 0;
        for (int i = 0; i < OFFSETS; i++) {
            b.offset = 0.03 + i * 0.1;
            double speed = getBlockSpeed(report, &b);
            if (!(speed <= most)) {
                most = speed;
                where = b.offset;
            }
        }
        char what[96];
        snprintf(what, sizeof what, "%s, %.0e Pa s, %.0f fps, worst at +%.2f (m/s)", b.floor ? "tilted floor" : "wall",
                 b.viscosity, b.fps, where);
        tlwReportBelow(report, what, most, 1e-5);
    }
}

// A film on an upright wall that it sticks to.
typedef struct Film {
    double offset, thick; // cells
    double viscosity;
} Film;

// Mean speed of the film's middle over that of rho g d^2 / (2 mu) (1 - (1 - x / d)^2), at the same particles.
static double getFilmSpeed(tlwReport *report, const Film *f)
{
    const double wall = f->offset * dx, d = f->thick * dx, height = 32 * dx, width = 12 * dx;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.domain_min = (tlwVec3){-4 * dx, -4 * dx, -8 * dx};
    def.domain_max = (tlwVec3){12 * dx, width + 4 * dx, height + 8 * dx};
    def.cell_size = dx;
    def.gravity = (tlwVec3){0, 0, -gravity};
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    tlwMaterialDef liquid = tlwMakeLiquid("Film", density, f->viscosity);
    int material = tlwAddRigMaterial(&rig, &liquid);
    addWall(&rig, (tlwVec3){-10 * dx, -20 * dx, -20 * dx}, (tlwVec3){wall, 40 * dx, 80 * dx});
    tlwAddRigLiquid(&rig, "Film", tlwMakeBox((tlwVec3){wall, 0, 0}, (tlwVec3){wall + d, width, height}), material,
                    293.15);
    tlwRunRig(&rig);
    double surface = density * gravity * d * d / (2 * f->viscosity), seconds = fmin(2 * dx / surface, 2.0 / 24);
    for (int n = 0; n < 4 && !rig.failed; n++)
        tlwAdvanceRig(&rig, 0.25 * seconds);
    tlwParticleView view;
    double sum = 0, exact = 0;
    if (!rig.failed && tlwCheckRig(&rig, tlwGetParticles(rig.sim, &view)))
        for (int64_t n = 0; n < view.count; n++) {
            const float *p = view.position + 3 * n;
            double x = (p[0] - wall) / d;
            if (fabs(p[1] - 0.5 * width) > 3 * dx || fabs(p[2] - 0.5 * height) > 4 * dx)
                continue;
            sum -= view.velocity[3 * n + 2];
            exact += surface * (2 * x - x * x);
        }
    tlwEndRig(report, &rig);
    return sum / exact;
}

static void runFilm(tlwReport *report)
{
    static const struct {
        double thick, viscosity, least, most;
    } rows[] = {{1, 2000, 0.74, 1.05},
                {1.4, 2000, 0.82, 1.05},
                {2, 2000, 0.9, 1.05},
                {2, 20, 0.9, 1.05},
                {3, 2000, 0.95, 1.05}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < OFFSETS; i++) {
            Film f = {i * 0.1, rows[r].thick, rows[r].viscosity};
            double speed = getFilmSpeed(report, &f);
            low = speed >= low ? low : speed;
            high = speed <= high ? high : speed;
        }
        char what[96];
        snprintf(what, sizeof what, "%.1f cells, %.0f Pa s: slowest, over theory", rows[r].thick, rows[r].viscosity);
        tlwReportAbove(report, what, low, rows[r].least);
        snprintf(what, sizeof what, "%.1f cells, %.0f Pa s: fastest, over theory", rows[r].thick, rows[r].viscosity);
        tlwReportBelow(report, what, high, rows[r].most);
    }
}

// A block of stiff material in a trough, on which a column of water falls.
typedef struct Erosion {
    double offset; // cells
    double viscosity, density;
    bool loose; // it slides on the floor; otherwise it sticks to it
} Erosion;

static const double trough_cell = 0.01;

typedef struct Trough {
    tlwRig rig;
    int stiff;    // material of the block
    float *start; // places of particles after the first frame, by id; x is NAN where there is none
    int64_t ids;
} Trough;

static void startTrough(tlwReport *report, const Erosion *e, Trough *t)
{
    const double off = e->offset * trough_cell, from = 0.2 + off, to = 0.28 + off, side = 0.06 + off;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.domain_min = (tlwVec3){0, 0, 0};
    def.domain_max = (tlwVec3){e->loose ? 0.9 : 0.6, 0.1, 0.2};
    def.cell_size = trough_cell;
    def.gravity = (tlwVec3){0, 0, -gravity};
    def.walls[4] = e->loose ? TLW_WALL_SLIP : TLW_WALL_NO_SLIP;
    tlwStartRig(&t->rig, &def, tlwGetReportThreads(report));
    tlwMaterialDef water = tlwMakeLiquid("Water", 1000, 0.001);
    tlwMaterialDef stiff = tlwMakeLiquid("Stiff", e->density, e->viscosity);
    int thin = tlwAddRigMaterial(&t->rig, &water);
    t->stiff = tlwAddRigMaterial(&t->rig, &stiff);
    tlwAddRigLiquid(&t->rig, "Block", tlwMakeBox((tlwVec3){from, 0, 0}, (tlwVec3){to, e->loose ? 0.1 : side, side}),
                    t->stiff, 293.15);
    tlwAddRigLiquid(&t->rig, "Column", tlwMakeBox((tlwVec3){0, 0, 0}, (tlwVec3){from, 0.1, 0.14}), thin, 293.15);
    tlwRunRig(&t->rig);
}

static void keepStart(Trough *t, const tlwParticleView *view)
{
    for (int64_t n = 0; n < view->count; n++)
        t->ids = view->id[n] >= t->ids ? (int64_t)view->id[n] + 1 : t->ids;
    t->start = malloc((size_t)t->ids * 3 * sizeof *t->start);
    for (int64_t n = 0; t->start && n < t->ids; n++)
        t->start[3 * n] = NAN;
    for (int64_t n = 0; t->start && n < view->count; n++)
        for (int a = 0; a < 3; a++)
            t->start[3 * view->id[n] + a] = view->position[3 * n + a];
}

// How the block's particles have moved; beyond their mean when the block is loose.
typedef struct Eroded {
    double moved;   // share that is more than half a cell from its place
    double fastest; // m/s
    double path;    // m, of the mean along x
    double water;   // m/s, the fastest of the water along x
} Eroded;

static Eroded lookAtBlock(const Trough *t, const tlwParticleView *view, bool loose)
{
    double mean[6] = {0}, count = 0;
    Eroded r = {0};
    for (int pass = 0; pass < 2; pass++)
        for (int64_t n = 0; n < view->count; n++) {
            const float *x = view->position + 3 * n, *v = view->velocity + 3 * n, *s = t->start + 3 * view->id[n];
            if (view->material[n] != t->stiff || view->id[n] >= t->ids || !(s[0] == s[0])) {
                r.water = fmax(r.water, fabs(v[0]));
                continue;
            }
            double far = 0, fast = 0;
            for (int a = 0; a < 3; a++) {
                mean[a] += pass ? 0 : x[a] - s[a];
                mean[3 + a] += pass ? 0 : v[a];
                far += pow(x[a] - s[a] - (loose ? mean[a] / fmax(count, 1) : 0), 2);
                fast += pow(v[a] - (loose ? mean[3 + a] / fmax(count, 1) : 0), 2);
            }
            count += !pass;
            r.moved += pass && sqrt(far) > 0.5 * trough_cell;
            r.fastest = pass ? fmax(r.fastest, sqrt(fast)) : 0;
        }
    r.moved /= count;
    r.path = mean[0] / count;
    return r;
}

static void reportErosion(tlwReport *report, const Erosion *e)
{
    Trough t = {.ids = 0};
    Eroded r = {NAN, NAN, NAN, NAN};
    double fastest = 0;
    startTrough(report, e, &t);
    for (int n = 0; n < 12 && !t.rig.failed; n++) {
        tlwParticleView view;
        tlwAdvanceRig(&t.rig, 1.0 / 24);
        if (t.rig.failed || !tlwCheckRig(&t.rig, tlwGetParticles(t.rig.sim, &view)))
            break;
        if (n == 0)
            keepStart(&t, &view);
        if (!t.start)
            break;
        r = lookAtBlock(&t, &view, e->loose);
        fastest = fmax(fastest, r.fastest);
    }
    char what[128], which[64];
    snprintf(which, sizeof which, "%s, +%.1f, %.0e Pa s", e->loose ? "sliding" : "stuck", e->offset, e->viscosity);
    snprintf(what, sizeof what, "%s: share that moved by half a cell", which);
    tlwReportBelow(report, what, r.moved, 1e-3);
    snprintf(what, sizeof what, "%s: fastest particle of it (m/s)", which);
    tlwReportBelow(report, what, fastest, 0.2);
    if (e->loose)
        tlwReportAbove(report, "the block's path (m)", r.path, 0.15);
    else
        tlwReportBelow(report, "the block's path (cells)", fabs(r.path) / trough_cell, 0.1);
    tlwReportNote(report, "water still runs at %.2f m/s", r.water);
    free(t.start);
    tlwEndRig(report, &t.rig);
}

static void runErosion(tlwReport *report)
{
    static const Erosion tried[] = {
        {0, 1e8, 1000, false}, {0.5, 1e8, 1000, false}, {0.3, 1e6, 2000, false}, {0.3, 1e8, 2000, true}};
    for (size_t n = 0; n < sizeof tried / sizeof tried[0]; n++)
        reportErosion(report, &tried[n]);
}

const tlwVerifyCase tlw_verify_stick[] = {
    {"sticks", "stiff liquid on walls that it sticks to stays where it is", runSticks, true,
     "A block of 10 x 8 x 6 cells sticks to an upright wall, or to a floor under gravity that is tilted by 40 "
     "degrees.\n"
     "Ten places of the wall between two cells, 0.03 to 0.93. The block creeps at 8e-7 m/s (1e7 Pa s)."},
    {"film", "films on walls that they stick to run as fast as theory says", runFilm, true,
     "An upright wall at ten places between two cells. The mean speed of the film over that of the parabola\n"
     "rho g d^2 / (2 mu) (1 - (1 - x / d)^2). Faces have the parabola's velocity. Particles take straight lines "
     "between\n"
     "faces, which cut the parabola: a film of one cell has one face or two, and is up to 25 % too slow."},
    {"erosion", "stiff material in water that sloshes stays whole", runErosion, false,
     "A column of water of 0.14 m falls onto a block of 0.08 x 0.06 x 0.06 m, 12 frames. Places count from the end of\n"
     "the first frame. Before particles moved with\n"
     "their own material, 40 to 90 % moved by half a cell."},
    {0}};
