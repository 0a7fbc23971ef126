// Tallow: melting, flowing and rigid fluid. The whole public interface.
//
// How a program uses it, in order:
//
//     tlwContextDef cdef = tlwDefaultContextDef();      // callbacks, threads
//     tlwContext *context;  tlwCreateContext(&cdef, &context);
//     tlwSceneDef sdef = tlwDefaultSceneDef();          // domain, world, solver
//     tlwScene *scene;      tlwCreateScene(context, &sdef, &scene);   // or tlwLoadScene(context, "folder", &scene)
//     tlwAddMaterial(scene, ...);  tlwAddObject(scene, ...);
//     tlwSim *sim;          tlwCreateSim(scene, &sim);
//     while (...) tlwAdvance(sim, seconds);             // then look: tlwGetStats, tlwGetParticles, tlwGetSurface, ...
//
// tlwBake does all of it: it bakes a scene folder into a cache folder.
//
// Rules that hold for every function:
// - SI units: metres, seconds, kilograms, kelvin, pascal seconds, newton per metre.
// - Every function that can fail returns a tlwResult. When the result is not TLW_OK, tlwGetMessage(context) holds one
//   sentence: which object, what is wrong, what to do. Outputs are left as they were.
// - Every Def struct must come from its tlwDefault...Def() function, which writes a cookie. The library refuses a Def
//   that was never initialised, or that was compiled against another version of this header.
// - A context and all that is made from it belong to one thread at a time. Two contexts share nothing but
//   freed memory, as with any allocator; no result depends on it.
// - Handles are destroyed in reverse order of creation: sim, scene, context.
#ifndef TALLOW_H
#define TALLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(TLW_BUILDING) && defined(__GNUC__)
#define TLW_API __attribute__((visibility("default")))
#else
#define TLW_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Raised whenever a struct below changes its layout.
#define TLW_ABI_VERSION 5

typedef enum tlwResult {
    TLW_OK = 0,
    TLW_CANCELLED = 1,    // the cancel callback said so; the simulation can be looked at, and goes on from a checkpoint
    TLW_BAD_ARGUMENT = 2, // a Def or a scene holds something that cannot be simulated
    TLW_BAD_MESH = 3,     // an object's mesh is empty, flat, or holds numbers that are not finite
    TLW_BAD_FILE = 4,     // a file is missing, unreadable, damaged or of another version
    TLW_WRITE_FAILED = 5, // a folder cannot be written, or the disk is full
    TLW_OUT_OF_MEMORY = 6,
    TLW_NOT_CONVERGED = 7, // a linear solve failed with every fallback
    TLW_INTERNAL = 8       // a defect in Tallow
} tlwResult;

typedef struct tlwContext tlwContext;
typedef struct tlwScene tlwScene;
typedef struct tlwSim tlwSim;

typedef struct tlwVec3 {
    double x, y, z;
} tlwVec3;

// Rotation as a unit quaternion, w first.
typedef struct tlwQuat {
    double w, x, y, z;
} tlwQuat;

// ---------------------------------------------------------------------------------------------------------------------
// Context

typedef enum tlwLogLevel { TLW_LOG_INFO = 0, TLW_LOG_WARNING = 1, TLW_LOG_ERROR = 2 } tlwLogLevel;

// `text` is one sentence without a line break, valid during the call only.
typedef void tlwLogFn(void *user, tlwLogLevel level, const char *text);

// Polled every substep and every few solver iterations, from the calling thread. Return true to stop.
typedef bool tlwCancelFn(void *user);

// How far a long call has come: `done` from 0 to 1. `stage` names what the call is doing ("pressure") and is valid
// during the callback only.
typedef void tlwProgressFn(void *user, double done, const char *stage);

typedef struct tlwContextDef {
    tlwLogFn *log;           // may be null
    tlwCancelFn *cancel;     // may be null
    tlwProgressFn *progress; // may be null
    void *user;              // handed to the three callbacks
    int threads;             // worker threads; 0 = one per core. Any number gives the same bits
    int cookie;
} tlwContextDef;

TLW_API tlwContextDef tlwDefaultContextDef(void);

// Version of the library, "0.3.0".
TLW_API const char *tlwGetVersion(void);

// Compare with TLW_ABI_VERSION before calling anything else through ctypes.
TLW_API int tlwGetAbiVersion(void);

TLW_API tlwResult tlwCreateContext(const tlwContextDef *def, tlwContext **context);
TLW_API void tlwDestroyContext(tlwContext *context);

// The sentence of the last result that was not TLW_OK. Never null, at most 511 bytes.
TLW_API const char *tlwGetMessage(const tlwContext *context);

// "TLW_BAD_MESH" and so on.
TLW_API const char *tlwGetResultName(tlwResult result);

// ---------------------------------------------------------------------------------------------------------------------
// Scene: domain, world, solver

// What a side of the domain does.
typedef enum tlwWall {
    TLW_WALL_SLIP = 0,    // liquid slides along it
    TLW_WALL_NO_SLIP = 1, // liquid sticks to it
    TLW_WALL_OPEN = 2     // liquid leaves through it and is removed
} tlwWall;

// How velocity travels with the liquid.
typedef enum tlwTransport {
    TLW_TRANSPORT_APIC = 0,            // affine particles: loses little energy and spin. The default
    TLW_TRANSPORT_FLIP = 1,            // FLIP/PIC blend by `flip_blend`
    TLW_TRANSPORT_SEMI_LAGRANGIAN = 2, // grid only (Carlson 2004, s. 3.2); loses energy, for comparison
    TLW_TRANSPORT_MACCORMACK = 3,      // grid only, second order
    TLW_TRANSPORT_BFECC = 4            // grid only, second order (Dupont and Liu 2003)
} tlwTransport;

// How rigid bodies and liquid act on each other.
typedef enum tlwCoupling {
    TLW_COUPLING_JOINT = 0, // one symmetric system for pressure and bodies. The default
    TLW_COUPLING_SPLIT = 1  // operator split (Carlson 2004, s. 5.4), for comparison
} tlwCoupling;

// The world at a time of the shot. Between keys all numbers are interpolated linearly.
typedef struct tlwWorldKey {
    double time;                // s of the shot, from the start of frame_start
    tlwVec3 gravity;            // m/s2
    double ambient_temperature; // K
    double film_coefficient;    // W/m2 K between free surface and air
    double emissivity;          // 0..1, radiation of the free surface
    double thermal_speed;       // how many times faster heat moves than in life, 0 to 1e7
    double time_scale;          // simulated seconds per second of the shot: 0.25 is slow motion. 1e-4 to 1e4
} tlwWorldKey;

typedef struct tlwSceneDef {
    const char *name; // may be null

    // Domain
    tlwVec3 domain_min, domain_max; // m. Rounded outwards to whole cells
    double cell_size;               // m
    tlwWall walls[6];               // -x +x -y +y -z +z
    double wall_friction;           // Coulomb. Slip walls hold back liquid, all closed walls hold back bodies. 0: none
                                    // for liquid, 0.5 for bodies

    // World
    tlwVec3 gravity;               // m/s2
    double ambient_temperature;    // K
    double film_coefficient;       // W/m2 K between free surface and air
    double emissivity;             // 0..1, radiation of the free surface
    double thermal_speed;          // how many times faster heat moves than in life, 0 to 1e7
    double time_scale;             // simulated seconds per second of the shot: 0.25 is slow motion. 1e-4 to 1e4
    const tlwWorldKey *world_keys; // in rising time. They take the place of the six numbers above; null = no keys
    int world_key_count;

    // Time
    double fps;
    int frame_start, frame_end;

    // Solver
    tlwTransport transport;
    tlwCoupling coupling;
    double flip_blend;          // 0 = PIC, 1 = FLIP
    int particles_per_axis;     // particles per cell and axis when seeding; 2 = 8 per cell
    double cfl;                 // cells a particle may cross in one substep
    int max_substeps;           // per frame; a frame that needs more takes longer steps, with a warning
    double pressure_tolerance;  // relative residual
    double viscosity_tolerance; // relative residual
    int max_iterations;         // of a linear solve before its fallback
    uint32_t seed;              // of the particle jitter
    bool save_particles;        // write particles/ in a bake
    bool save_vdb;              // write surface/ in a bake
    bool save_mesh;             // write mesh/ in a bake
    bool save_compact;          // mesh/ and particles/ take a third of the room, and only Tallow reads them
    int mesh_detail;            // mesh voxels per cell edge: 1 or 2
    int mesh_smoothing;         // rounds of smoothing, 0 to 20
    bool keep_detail;           // frozen material that has not melted shows the surface of its mesh
    int checkpoint_every;       // frames between checkpoints; 0 = none
    int keep_every;             // of these frames checkpoints are kept, so that a bake can go on from there with other
                                // settings; 0 = only the two newest

    int cookie;
} tlwSceneDef;

TLW_API tlwWorldKey tlwDefaultWorldKey(void);
TLW_API tlwSceneDef tlwDefaultSceneDef(void);
TLW_API tlwResult tlwCreateScene(tlwContext *context, const tlwSceneDef *def, tlwScene **scene);

// Simulated seconds from the start of the first frame to a frame: what time_scale makes of the shot's time.
TLW_API double tlwGetFrameTime(const tlwScene *scene, int frame);

// Read a scene folder (docs/scene-format.md).
TLW_API tlwResult tlwLoadScene(tlwContext *context, const char *folder, tlwScene **scene);
TLW_API void tlwDestroyScene(tlwScene *scene);

// ---------------------------------------------------------------------------------------------------------------------
// Materials

#define TLW_MAX_CURVE 16

// Dynamic viscosity against temperature. Points are in rising temperature. log(viscosity) is linear between points and
// constant beyond the ends, so one point is a constant viscosity.
typedef struct tlwCurve {
    int count;
    double temperature[TLW_MAX_CURVE]; // K
    double value[TLW_MAX_CURVE];       // Pa s
} tlwCurve;

// What a material does below its solidus.
typedef enum tlwFrozen {
    TLW_FROZEN_RIGID = 0, // connected frozen parts move as rigid pieces and do not creep
    TLW_FROZEN_SOFT = 1   // a liquid of `solid_viscosity` (Carlson 2004, ch. 4)
} tlwFrozen;

typedef struct tlwMaterialDef {
    const char *name;
    double density_solid, density_liquid;             // kg/m3
    double specific_heat_solid, specific_heat_liquid; // J/kg K
    double conductivity_solid, conductivity_liquid;   // W/m K
    double solidus, liquidus;                         // K; equal for a sharp melting point
    double latent_heat;                               // J/kg; 0 = the material never freezes
    tlwCurve viscosity;                               // of the liquid, Pa s
    double solid_viscosity;                           // Pa s, at the solidus, and below it with TLW_FROZEN_SOFT
    double surface_tension;                           // N/m; not simulated yet
    double contact_angle;                             // degrees; not simulated yet
    tlwFrozen frozen;
    float color[3]; // suggestion for the viewport, linear RGB
    int cookie;
} tlwMaterialDef;

TLW_API tlwMaterialDef tlwDefaultMaterialDef(void); // water at 20 C
TLW_API tlwResult tlwAddMaterial(tlwScene *scene, const tlwMaterialDef *def, int *material);

// ---------------------------------------------------------------------------------------------------------------------
// Objects

typedef enum tlwRole {
    TLW_ROLE_LIQUID = 0,  // wax and liquid: `material` fills the mesh at the start
    TLW_ROLE_INFLOW = 1,  // gives speed x outlet area while enabled; without velocity it keeps itself full
    TLW_ROLE_OUTFLOW = 2, // removes liquid inside it
    TLW_ROLE_SOLID = 3,   // an obstacle; keys move it
    TLW_ROLE_RIGID = 4,   // an obstacle; liquid, gravity and contacts move it
    TLW_ROLE_HEAT = 5     // see tlwHeatKind
} tlwRole;

typedef enum tlwHeatKind {
    TLW_HEAT_SOLID = 0,  // an obstacle held at `temperature`
    TLW_HEAT_VOLUME = 1, // adds `power` to the material inside its mesh
    TLW_HEAT_LAMP = 2    // shines `power` from its mesh's centre onto the surfaces that it sees
} tlwHeatKind;

// What an obstacle's surface does to the liquid.
typedef enum tlwSurface { TLW_SURFACE_SLIP = 0, TLW_SURFACE_STICK = 1 } tlwSurface;

// Triangles: 3 numbers per vertex, 3 indices per triangle. The library copies both arrays.
typedef struct tlwMeshData {
    const float *positions;
    int vertex_count;
    const int32_t *triangles;
    int triangle_count;
} tlwMeshData;

// One key of an object's motion. Between keys rotation is interpolated by slerp, other numbers linearly. `enabled`
// holds until the next key.
typedef struct tlwKey {
    double time; // s of the shot, from the start of frame_start
    tlwVec3 position;
    tlwQuat rotation;
    tlwVec3 scale;
    tlwVec3 velocity;   // m/s, of the liquid in an inflow; the mesh's own motion adds nothing
    double temperature; // K
    double power;       // W
    bool enabled;
} tlwKey;

// Delivers the mesh of a deforming solid for a frame: in world space, with the same triangles every time. The
// simulating thread calls it once per frame.
typedef tlwResult tlwDeformFn(void *user, int frame, tlwMeshData *mesh);

typedef struct tlwObjectDef {
    const char *name; // appears in messages
    tlwRole role;
    tlwMeshData mesh; // in object space
    // Liquid and inflow: the triangles of `mesh` whose attributes the surface carries; may be empty. Two triangles
    // share a vertex here only where the attributes go on from one to the other: a seam has vertices of its own on
    // each side.
    tlwMeshData carried;
    const tlwKey *keys;
    int key_count;       // at least 1
    tlwDeformFn *deform; // solids only; may be null
    void *deform_user;

    int material;           // liquid and inflow
    tlwVec3 velocity;       // of liquid and rigid bodies at the start, m/s
    tlwVec3 spin;           // rad/s about the centre of mass
    tlwSurface surface;     // solid, rigid, heat
    double friction;        // Coulomb, solids and bodies
    double restitution;     // 0..1, bodies
    double density;         // kg/m3, rigid; used when mass is 0
    double mass;            // kg, rigid
    double conductivity;    // W/m K, of solids and bodies; 0 = insulating
    double specific_heat;   // J/kg K, of bodies
    bool fixed_temperature; // bodies: keep the keyed temperature
    tlwHeatKind heat_kind;
    double heat_range; // m, how far a lamp reaches; 0 = any distance
    int cookie;
} tlwObjectDef;

TLW_API tlwKey tlwDefaultKey(void);
TLW_API tlwObjectDef tlwDefaultObjectDef(void);

// Repairs the mesh where possible and reports it through the log. Refuses a mesh that cannot be used.
TLW_API tlwResult tlwAddObject(tlwScene *scene, const tlwObjectDef *def, int *object);

typedef enum tlwForceKind {
    TLW_FORCE_WIND = 0,
    TLW_FORCE_POINT = 1,
    TLW_FORCE_VORTEX = 2,
    TLW_FORCE_DRAG = 3
} tlwForceKind;

// A force field as in Blender: an acceleration, sampled on the grid.
typedef struct tlwForceDef {
    const char *name;
    tlwForceKind kind;
    const tlwKey *keys; // position and rotation (local z is the wind or vortex axis); power = strength
    int key_count;
    double falloff;      // beyond min_distance, strength x (1 + distance - min_distance)^-falloff
    double min_distance; // m: full strength up to here
    double max_distance; // m, 0 = unlimited
    int cookie;
} tlwForceDef;

TLW_API tlwForceDef tlwDefaultForceDef(void);
TLW_API tlwResult tlwAddForce(tlwScene *scene, const tlwForceDef *def);

typedef enum tlwJointKind {
    TLW_JOINT_FIXED = 0,
    TLW_JOINT_BALL = 1,
    TLW_JOINT_HINGE = 2,
    TLW_JOINT_SLIDER = 3
} tlwJointKind;

// Joint between the rigid body object_a and object_b: another body, a solid, or the world (-1). A solid that moves
// drags the body along. Anchor and axis are in world space at the start.
typedef struct tlwJointDef {
    const char *name;
    tlwJointKind kind;
    int object_a, object_b;
    tlwVec3 anchor;
    tlwVec3 axis; // hinge and slider
    int cookie;
} tlwJointDef;

TLW_API tlwJointDef tlwDefaultJointDef(void);
TLW_API tlwResult tlwAddJoint(tlwScene *scene, const tlwJointDef *def);

// ---------------------------------------------------------------------------------------------------------------------
// Simulation

// The simulation reads the scene while it lives: do not change or destroy the scene before the simulation.
TLW_API tlwResult tlwCreateSim(tlwScene *scene, tlwSim **sim);
TLW_API void tlwDestroySim(tlwSim *sim);

// Advance by `seconds` of simulated time, in as many substeps as the CFL number asks for.
TLW_API tlwResult tlwAdvance(tlwSim *sim, double seconds);

#define TLW_MAX_STAGES 24

// What the last tlwAdvance did. Numbers are sums over its substeps unless a comment says otherwise.
typedef struct tlwStats {
    double time; // s since the start, simulated
    int substeps;
    int64_t particles;        // at the end
    int64_t cells;            // liquid cells at the end
    int64_t tiles;            // active tiles at the end
    double particle_volume;   // m3: what the particles stand for
    double surface_volume;    // m3: inside the level set
    double target_volume;     // m3: start + inflow - outflow, at the present densities
    double max_speed;         // m/s at the end
    double kinetic_energy;    // J at the end
    tlwVec3 momentum;         // kg m/s, liquid and bodies
    tlwVec3 angular_momentum; // kg m2/s about the origin, liquid and bodies
    double enthalpy;          // J, relative to solid at 0 K
    double melted;            // 0..1 share of the material that is liquid
    tlwVec3 centre_of_mass;   // m, of the liquid
    int pressure_iterations;  // most in one solve, here and below
    int viscosity_iterations;
    int heat_iterations;
    double pressure_residual; // worst relative residual of a solve that was used
    double viscosity_residual;
    int pieces;     // frozen pieces at the end
    int contacts;   // at the end
    double seconds; // wall clock
    int stage_count;
    const char *stage_name[TLW_MAX_STAGES];
    double stage_seconds[TLW_MAX_STAGES];
    int64_t peak_memory; // bytes, of the process
} tlwStats;

TLW_API void tlwGetStats(const tlwSim *sim, tlwStats *stats);

// Particles as a structure of arrays. Valid until the next call that takes the simulation.
typedef struct tlwParticleView {
    int64_t count;
    const float *position;      // 3 each, m
    const float *velocity;      // 3 each, m/s
    const float *temperature;   // K
    const float *melt;          // 0 solid .. 1 liquid
    const float *rest_position; // 3 each, m: where the material was at the start
    const uint8_t *material;
    const uint32_t *id;
    const float *mass; // kg
} tlwParticleView;

TLW_API tlwResult tlwGetParticles(tlwSim *sim, tlwParticleView *view);

// Numbers that every vertex of the surface mesh carries.
typedef struct tlwVertexAttribute {
    const char *name;          // "velocity"
    int components;            // numbers a vertex: 1 or 3
    const char *properties[3]; // what a PLY file calls each of them
    const float *values;
} tlwVertexAttribute;

#define TLW_NO_ORIGIN UINT32_MAX

// Where on the objects' meshes a vertex of the surface comes from.
typedef struct tlwOrigin {
    uint32_t triangle;  // number in tlwObjectDef.carried, counted through all objects; TLW_NO_ORIGIN = none
    uint16_t weight[2]; // of the triangle's second and third corner, 65535 = all
} tlwOrigin;

// A triangle of the surface whose vertices come from both sides of a seam, or from places far apart. Its corners have
// origins of their own, all on one side.
typedef struct tlwSeam {
    uint32_t triangle; // of the surface
    tlwOrigin corner[3];
} tlwSeam;

// Surface mesh of the liquid, closed and facing outwards. Valid until the next call that takes the simulation.
typedef struct tlwSurfaceView {
    int vertex_count, triangle_count;
    const float *position;   // 3 each, m
    const int32_t *triangle; // 3 each
    // velocity (m/s), temperature (K), melt (0 solid .. 1 liquid), rest_position (m), material
    int attribute_count;
    const tlwVertexAttribute *attributes;
    const tlwOrigin *origins; // one per vertex; null when no object has `carried`
    const tlwSeam *seams;
    int seam_count;
    double volume; // m3, outside solids
} tlwSurfaceView;

TLW_API tlwResult tlwGetSurface(tlwSim *sim, tlwSurfaceView *view);

typedef enum tlwField {
    TLW_FIELD_VELOCITY = 0,    // 3 numbers
    TLW_FIELD_LEVEL_SET = 1,   // m, negative inside
    TLW_FIELD_PRESSURE = 2,    // Pa
    TLW_FIELD_TEMPERATURE = 3, // K
    TLW_FIELD_VISCOSITY = 4    // Pa s
} tlwField;

// Sample a grid field at `count` points (3 numbers each). `out` takes 3 numbers per point for velocity, else 1.
TLW_API tlwResult tlwSampleField(tlwSim *sim, tlwField field, const double *points, int count, double *out);

typedef struct tlwBodyState {
    tlwVec3 position; // of the object's origin
    tlwQuat rotation;
    tlwVec3 velocity; // of the centre of mass
    tlwVec3 spin;     // rad/s
    tlwVec3 centre;   // of mass, world
    double mass;
    double temperature;
} tlwBodyState;

TLW_API tlwResult tlwGetBody(const tlwSim *sim, int object, tlwBodyState *state);

// A connected part of frozen material that moves as one (TLW_FROZEN_RIGID).
typedef struct tlwPieceState {
    uint32_t id;      // lasts as long as the piece; the larger part keeps it when a piece breaks
    int object;       // what the piece is frozen onto; -1 = it moves freely, -2 = a wall of the domain. A solid or wall
                      // holds the piece; with rigid bodies alone it moves as one
    tlwVec3 centre;   // of mass, m
    tlwQuat rotation; // since the piece formed
    tlwVec3 velocity; // of the centre of mass, m/s
    tlwVec3 spin;     // rad/s
    double mass;      // kg
} tlwPieceState;

// Pieces at the end of the last step, in no particular order; `index` from 0 to tlwStats.pieces - 1.
TLW_API tlwResult tlwGetPiece(const tlwSim *sim, int index, tlwPieceState *state);

// Checkpoints hold everything that the future depends on: a loaded simulation goes on bit for bit.
TLW_API tlwResult tlwSaveState(tlwSim *sim, const char *path);
TLW_API tlwResult tlwLoadState(tlwSim *sim, const char *path);

// ---------------------------------------------------------------------------------------------------------------------
// Melting in time

typedef struct tlwMeltDef {
    const char *scene; // folder
    int cells;         // along the domain's longest side; 16 to 24 are enough
    double share;      // 0..1: how much of what can melt is to be molten
    int frame;         // by this frame; 0 = the scene's last
    int cookie;
} tlwMeltDef;

typedef struct tlwMeltPlan {
    bool found;
    double speed;    // thermal_speed that melts so much by that frame; 0 when none does
    double most;     // 0..1: the largest share that was molten on the way
    double strength; // when no speed does: how many times stronger all heaters would have to be; 0 = no help either
    int simulations; // what the search took: coarse copies of the scene that were made
    int heat_steps;  // steps of heat alone
    int flow_runs;   // runs of the whole simulation, and their steps
    int flow_steps;
} tlwMeltPlan;

TLW_API tlwMeltDef tlwDefaultMeltDef(void);

// Find the thermal_speed at which a scene melts in time, on a coarse copy of the scene with all heaters, keys and
// losses. Heat is simulated alone first. One to three short runs of the whole simulation correct what that finds. Takes
// a second or two at 18 cells, whatever the length of the shot, unless heaters move or change.
TLW_API tlwResult tlwFindMeltSpeed(tlwContext *context, const tlwMeltDef *def, tlwMeltPlan *plan);

// ---------------------------------------------------------------------------------------------------------------------
// Bake

// One event as a line of JSON (docs/scene-format.md, "Events"). Valid during the call only.
typedef void tlwEventFn(void *user, const char *json);

typedef struct tlwBakeDef {
    const char *scene; // folder
    const char *cache; // folder; made when missing
    int frame_first;   // 0 = the scene's first
    int frame_last;    // 0 = the scene's last
    bool resume;       // go on after the last checkpoint if the scene is the same up to there
    int frame_from;    // bake again after the last kept checkpoint up to this frame, although the scene has changed:
                       // other world values, heaters, inflows or solver settings count from there on. 0 = no
    tlwEventFn *event; // may be null
    void *event_user;
    int cookie;
} tlwBakeDef;

TLW_API tlwBakeDef tlwDefaultBakeDef(void);
TLW_API tlwResult tlwBake(tlwContext *context, const tlwBakeDef *def);

typedef struct tlwMeshDef {
    const char *scene; // folder, as it was baked
    const char *cache; // folder of the bake, with surface_*.vdb and mesh_*.ply files
    int frame_first;   // 0 = the bake's first
    int frame_last;    // 0 = the bake's last
    int detail;        // tlwSceneDef.mesh_detail; 0 = the scene's
    int smoothing;     // tlwSceneDef.mesh_smoothing; -1 = the scene's
    tlwEventFn *event; // may be null
    void *event_user;
    int cookie;
} tlwMeshDef;

// Mesh the frames of a bake again with another detail or smoothing, without simulating.
TLW_API tlwMeshDef tlwDefaultMeshDef(void);
TLW_API tlwResult tlwMeshAgain(tlwContext *context, const tlwMeshDef *def);

// Describes a scene folder, a cache folder or a file of either in words. `text` takes at most `size` bytes.
TLW_API tlwResult tlwDescribe(tlwContext *context, const char *path, char *text, size_t size);

// Numbers of each cell of a slice: centre x, y, z (m), temperature (K), viscosity (Pa s), speed (m/s).
#define TLW_SLICE_NUMBERS 6

// Read the liquid cells of a surface_*.vdb file that a plane goes through: across `axis` (0 = x, 1 = y, 2 = z), at
// `place` (m) along it. `*count` says how many cells there are; at most `capacity` are written to `cells`.
TLW_API tlwResult tlwReadSlice(tlwContext *context, const char *path, int axis, double place, float *cells,
                               int64_t capacity, int64_t *count);

#ifdef __cplusplus
}
#endif

#endif
