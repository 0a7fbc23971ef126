// Heat on the grid: one implicit step of conduction inside the material and of exchange with air, solids, bodies, lamps
// and heated volumes, with latent heat (Carlson 2004, s. 4.2).
//
// The unknown is the temperature T of every cell that holds mass:
//
//     m (h(T) - h_old) = dt [ sum G (T_n - T) + U A (T_outside - T) + sources ]
//
// h(T) has a steep part between solidus and liquidus. Newton's method solves the system, with h as three straight
// pieces. Where Newton's method cycles, the nested Newton method of Casulli and Zanolli (2010) takes over, which
// converges for every step size (Tubini, Gruber and Rigon 2021 use it for freezing soil). What a cell receives is then
// added up from the fluxes, so energy is kept to rounding whatever the tolerance was.
#ifndef TLW_STEP_HEAT_HEAT_H
#define TLW_STEP_HEAT_HEAT_H

#include "scene/material.h"
#include "step/fields/flow.h"

// A solid or a rigid body that touches the material. Its number is what flow->solid_object says.
typedef struct tlwHeatObject {
    double temperature;  // K; in: at the start of the step, out: at the end
    double conductivity; // W/m K; 0 = insulating
    double capacity;     // J/K; 0 = held at its temperature
    double heat;         // out: J received from the material
} tlwHeatObject;

// Distance in metres at `count` world points (3 floats each), negative inside.
typedef void tlwDistanceFn(const void *user, const float *points, int count, float *distance);

// Whether solids that the grid does not know stand between two world points.
typedef bool tlwShadowFn(const void *user, tlwVec3 from, tlwVec3 to);

// A lamp or a heated volume. A hot solid is not a source: it is a tlwHeatObject with its temperature.
typedef struct tlwHeatSource {
    tlwHeatKind kind;        // TLW_HEAT_VOLUME or TLW_HEAT_LAMP
    double power;            // W. Volume: shared by mass. Lamp: surfaces take in all that reaches them
    tlwVec3 position;        // lamp, m
    double range;            // lamp, m: no heat beyond; 0 = unlimited
    tlwVec3 low, high;       // volume: a box around it, m
    tlwDistanceFn *distance; // volume
    tlwShadowFn *shadow;     // lamp; may be null
    const void *user;        // passed to `distance` and `shadow`
} tlwHeatSource;

// How conduction is solved.
typedef enum tlwHeatMethod {
    TLW_HEAT_AUTO = 0,     // by the diffusion number of the step
    TLW_HEAT_LOD = 1,      // locally one-dimensional: one solve per line of cells and axis (Carlson 2004, eq. 53-55)
    TLW_HEAT_IMPLICIT = 2, // all axes at once
    TLW_HEAT_NESTED = 3    // the same by the nested Newton method from the start; for tests
} tlwHeatMethod;

typedef struct tlwHeatDef {
    const tlwMaterial *materials;
    int material_count;
    tlwHeatObject *objects;
    int object_count;
    const tlwHeatSource *sources;
    int source_count;
    double ambient_temperature; // K
    double film_coefficient;    // W/m2 K
    double emissivity;          // 0..1
    double thermal_speed;       // all heat moves this many times faster than in life
    double dt;                  // s
    tlwHeatMethod method;
} tlwHeatDef;

typedef struct tlwHeatStats {
    tlwHeatMethod method;    // the one that was used
    double diffusion_number; // k dt / (rho c dx^2) of the fastest material
    int newton_iterations;
    int iterations;      // of the linear solves, all together
    double surface_area; // m2 between material and air
    double ambient_heat; // J the material received from the air
    double object_heat;  // J the material received from solids and bodies
    double source_heat;  // J the material received from lamps and volumes
} tlwHeatStats;

// Reads of `flow`: phi, enthalpy, material, solid, open, solid_object. `mass` (double, kg) says which cells take part.
// Writes `heat` (double, J): what each cell receives during the step, 0 where there is no mass. Returns
// TLW_NOT_CONVERGED when a shorter step is needed: the objects are then as they were, and the contents of `heat` are
// undefined.
tlwResult tlwSolveHeat(tlwThreads *threads, tlwFlow *flow, const tlwHeatDef *def, int mass, int heat,
                       tlwHeatStats *stats, tlwMessage *message);

#endif
