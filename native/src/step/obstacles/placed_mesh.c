#include "step/obstacles/placed_mesh.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/vec.h"
#include "scene/object.h"
#include "scene/scene.h"
#include "scene/world.h"
#include "shape/repair.h"
#include "shape/thin.h"
#include "step/fields/flow.h"

#include <string.h>

// Cells: the least thickness of a wall that liquid meets. A slab holds when no way from cell to cell leads through it
// by open faces. That takes |nx| + |ny| + |nz| cells for a normal n, at most sqrt(3).
#define LEAST_WALL 1.9

#define SAFE_WALL 2.9 // cells: no particle passes a thicker wall in one step

// How much finer than cells a body's voxels must be. Contacts act at the corners of the field: with voxels as large as
// cells, a box of four cells would rock on a blunt base. 24 voxels across the thinnest side are enough; a large plate
// gets as many as a million voxels allow.
static double refineForContacts(const tlwMesh *mesh, double dx)
{
    tlwVec3 low, high;
    tlwGetMeshBounds(mesh, &low, &high);
    tlwVec3 size = tlwSub(high, low);
    double thin = fmin(size.x, fmin(size.y, size.z)), band = 2 * TLW_PHI_BAND * dx;
    double smallest = cbrt((size.x + band) * (size.y + band) * (size.z + band) / 1e6);
    return tlwClamp(dx / fmax(thin / 24, smallest), 1, 8);
}

// A copy of an object's mesh with its scale. Of a sheet only the faces that are there.
static tlwResult scaleMesh(const tlwPlacedMeshes *solids, const tlwPlacedMesh *solid, const tlwMesh *mesh,
                           tlwVec3 scale, tlwMesh *scaled)
{
    int64_t sheet = solids->scene->objects[solid->object].sheet;
    TLW_TRY(tlwCopyMesh(mesh, &solids->context->message, scaled));
    scaled->triangle_count = sheet ? sheet : scaled->triangle_count;
    tlwTransformMesh(scaled, (tlwVec3){0, 0, 0}, (tlwQuat){1, 0, 0, 0}, scale);
    return TLW_OK;
}

// Where liquid is or comes from at the start, in an obstacle's mesh space.
static bool findLiquid(const tlwScene *scene, const tlwKey *key, tlwVec3 *place)
{
    tlwVec3 sum = {0, 0, 0};
    int count = 0;
    for (int o = 0; o < scene->object_count; o++) {
        if (!tlwGetTraits(&scene->objects[o].def)->has_material)
            continue;
        tlwVec3 low, high;
        tlwGetObjectBounds(&scene->objects[o], 0, &low, &high);
        sum = tlwMulAdd(sum, 0.5, tlwAdd(low, high));
        count++;
    }
    if (count)
        *place = tlwRotate(tlwQuatConjugate(key->rotation), tlwSub(tlwScale(sum, 1.0 / count), key->position));
    return count > 0;
}

// Whether a body stands in liquid, so that its draught counts, and not only what it may contain.
static bool standsInLiquid(const tlwScene *scene, const tlwObject *body)
{
    tlwVec3 low, high;
    tlwGetObjectBounds(body, 0, &low, &high);
    bool contains = false, meets = false;
    for (int o = 0; o < scene->object_count; o++) {
        if (!tlwGetTraits(&scene->objects[o].def)->fills)
            continue;
        tlwVec3 from, to;
        tlwGetObjectBounds(&scene->objects[o], 0, &from, &to);
        bool apart =
            from.x > high.x || to.x < low.x || from.y > high.y || to.y < low.y || from.z > high.z || to.z < low.z;
        bool within = from.x >= low.x && to.x <= high.x && from.y >= low.y && to.y <= high.y && from.z >= low.z;
        contains = contains || within;
        meets = meets || (!apart && !within);
    }
    return meets || !contains;
}

// How much smaller an object becomes than it is at the start.
static double findShrinking(const tlwObjectDef *def)
{
    double most = 1;
    for (int n = 1; n < def->key_count; n++) {
        const double from[3] = {def->keys[0].scale.x, def->keys[0].scale.y, def->keys[0].scale.z},
                     to[3] = {def->keys[n].scale.x, def->keys[n].scale.y, def->keys[n].scale.z};
        for (int a = 0; a < 3; a++)
            most = fmax(most, fabs(from[a]) / fmax(fabs(to[a]), 1e-6 * fabs(from[a])));
    }
    return fmin(most, 100);
}

// The sides to which thin parts grow are found once, from the scene alone, so that a resumed bake finds the same.
static tlwResult findSides(tlwPlacedMeshes *solids, tlwPlacedMesh *solid, double dx)
{
    const tlwObject *object = &solids->scene->objects[solid->object];
    if (!tlwIsObstacle(&object->def))
        return TLW_OK;
    tlwKey key = object->def.keys[0];
    if (object->def.deform) // such a mesh is in world space
        key = tlwDefaultKey();
    double cell = dx * findShrinking(&object->def), thinnest;
    tlwThinDef def = {.least = LEAST_WALL * cell,
                      .look = SAFE_WALL * cell,
                      .sheet = object->sheet != 0,
                      .keeps_outside = solid->body && standsInLiquid(solids->scene, object)};
    def.has_liquid = findLiquid(solids->scene, &key, &def.liquid);
    tlwMesh scaled;
    TLW_TRY(scaleMesh(solids, solid, &object->mesh, key.scale, &scaled));
    tlwResult result = tlwFindThinSides(&scaled, &def, solids->context->threads, &solids->context->message, &thinnest,
                                        &solid->thin_sides);
    solids->thin = solids->thin || thinnest < SAFE_WALL * cell;
    tlwDestroyMesh(&scaled);
    return result;
}

// The field that liquid meets, and for a sheet also bodies. Null where nothing is thin.
static tlwResult buildWetField(const tlwPlacedMeshes *solids, const tlwPlacedMesh *solid, const tlwMesh *scaled,
                               tlwSdfDef def, double dx, tlwSdf **wet)
{
    tlwThin thin;
    bool sheet = solids->scene->objects[solid->object].sheet != 0;
    tlwMessage *message = &solids->context->message;
    *wet = NULL;
    TLW_TRY(
        tlwMeasureThin(scaled, solid->thin_sides, LEAST_WALL * dx, sheet, solids->context->threads, message, &thin));
    tlwResult result = TLW_OK;
    def.thin = &thin;
    if (!sheet) // only contacts need more than the liquid's cells
        def.min_refinement = 1;
    if (thin.reach)
        result = tlwCreateSdf(scaled, &def, solids->context->threads, message, wet);
    tlwFreeThin(&thin);
    return result;
}

static tlwResult buildField(const tlwPlacedMeshes *solids, tlwPlacedMesh *solid, const tlwMesh *mesh, tlwVec3 scale,
                            double dx)
{
    tlwMessage *message = &solids->context->message;
    tlwMesh scaled;
    TLW_TRY(scaleMesh(solids, solid, mesh, scale, &scaled));
    tlwSdfDef def = tlwDefaultSdfDef();
    def.voxel_size = dx;
    def.exterior_band = TLW_PHI_BAND * dx;
    def.interior_band = solids->deep ? 1e30 : TLW_PHI_BAND * dx;
    def.keep_triangles = solid->vertex_velocity != NULL;
    if (!tlwIsObstacle(&solids->scene->objects[solid->object].def))
        def.min_refinement = 2; // sharper edges of liquids
    else if (solids->deep && !solid->vertex_velocity)
        def.min_refinement = refineForContacts(&scaled, dx);
    tlwSdf *sdf = NULL, *wet = NULL;
    tlwResult result = buildWetField(solids, solid, &scaled, def, dx, &wet);
    if (wet && (solids->scene->objects[solid->object].sheet || !solids->deep))
        sdf = wet; // a sheet has no inside of its own, and without bodies only liquid meets the solid
    else if (result == TLW_OK)
        result = tlwCreateSdf(&scaled, &def, solids->context->threads, message, &sdf);
    tlwDestroyMesh(&scaled);
    if (result != TLW_OK) {
        tlwDestroySdf(wet);
        return result;
    }
    if (solid->wet != solid->sdf)
        tlwDestroySdf(solid->wet);
    solid->wet = wet ? wet : sdf;
    // Colliders refer to the old field until bodies have moved.
    bool touched = solids->deep && tlwIsObstacle(&solids->scene->objects[solid->object].def);
    tlwDestroySdf(touched ? solid->last_sdf : solid->sdf);
    solid->last_sdf = touched ? solid->sdf : NULL;
    solid->sdf = sdf;
    solid->builds++;
    solid->scale = scale;
    return TLW_OK;
}

tlwResult tlwPlaceMeshes(tlwContext *context, const tlwScene *scene, double dx, tlwObjectFilter *filter,
                         tlwPlacedMeshes *solids)
{
    *solids = (tlwPlacedMeshes){.context = context,
                                .scene = scene,
                                .split = scene->def.coupling == TLW_COUPLING_SPLIT,
                                .deep = tlwCanFreeze(scene)};
    for (int o = 0; o < scene->object_count; o++)
        solids->deep = solids->deep || tlwGetTraits(&scene->objects[o].def)->body;
    solids->items = tlwAlloc((size_t)scene->object_count, sizeof *solids->items);
    if (!solids->items)
        return tlwFailMemory(&context->message, "the obstacles");
    for (int o = 0; o < scene->object_count; o++) {
        const tlwObject *object = &scene->objects[o];
        if (!filter(&object->def))
            continue;
        tlwPlacedMesh *solid = &solids->items[solids->count++];
        solid->object = o;
        solid->deform_frame = -1;
        solid->body = tlwGetTraits(&object->def)->body;
        solid->moves = solid->body || object->def.deform || tlwAreKeysMoving(object->def.keys, object->def.key_count);
        if (object->def.deform) {
            solid->vertex_velocity = tlwAlloc((size_t)object->mesh.vertex_count * 3, sizeof(float));
            if (!solid->vertex_velocity)
                return tlwFailMemory(&context->message, object->def.name);
        }
        TLW_TRY(findSides(solids, solid, dx));
        if (!object->def.deform) {
            TLW_TRY(buildField(solids, solid, &object->mesh, object->def.keys[0].scale, dx));
        }
    }
    return tlwMovePlacedMeshes(solids, 0, 0, dx);
}

void tlwDestroyPlacedMeshes(tlwPlacedMeshes *solids)
{
    for (int n = 0; n < solids->count; n++) {
        if (solids->items[n].wet != solids->items[n].sdf)
            tlwDestroySdf(solids->items[n].wet);
        tlwDestroySdf(solids->items[n].sdf);
        tlwDestroySdf(solids->items[n].last_sdf);
        tlwDestroyMesh(&solids->items[n].shape);
        tlwFree(solids->items[n].thin_sides);
        tlwFree(solids->items[n].vertex_velocity);
        tlwDestroyMesh(&solids->items[n].deform_from);
        tlwDestroyMesh(&solids->items[n].deform_to);
    }
    tlwFree(solids->items);
    memset(solids, 0, sizeof *solids);
}

static tlwResult loadDeformFrame(const tlwPlacedMeshes *solids, const tlwObject *object, int frame, tlwMesh *mesh)
{
    tlwMessage *message = &solids->context->message;
    tlwMeshData data;
    TLW_TRY(object->def.deform(object->def.deform_user, frame, &data));
    tlwDestroyMesh(mesh);
    TLW_TRY(tlwCreateMesh(&data, message, mesh));
    tlwRepairReport report;
    TLW_TRY((object->sheet ? tlwRepairSolid : tlwRepairMesh)(mesh, object->def.name, message, &report));
    if (mesh->vertex_count != object->mesh.vertex_count)
        return tlwFail(message, TLW_BAD_MESH,
                       "%s changes its number of vertices at frame %d; a deforming solid must keep its mesh.",
                       object->def.name, frame);
    return TLW_OK;
}

// The mesh between two frames, and how fast its vertices move there.
static tlwResult deformSolid(const tlwPlacedMeshes *solids, tlwPlacedMesh *solid, double time, double dx)
{
    const tlwObject *object = &solids->scene->objects[solid->object];
    const tlwScene *scene = solids->scene;
    double fps = scene->def.fps, position = tlwGetShotTime(scene, time) * fps + 1e-9;
    double per_second = scene->retimed ? fps / tlwSampleWorld(scene, time).time_scale : fps; // frames, simulated
    int frame = solids->scene->def.frame_start + (int)position;
    if (frame != solid->deform_frame) {
        TLW_TRY(loadDeformFrame(solids, object, frame, &solid->deform_from));
        TLW_TRY(loadDeformFrame(solids, object, frame + 1, &solid->deform_to));
        solid->deform_frame = frame;
    }
    tlwMesh between;
    TLW_TRY(tlwCopyMesh(&solid->deform_from, &solids->context->message, &between));
    float t = (float)(position - (int)position);
    for (int64_t n = 0; n < 3 * between.vertex_count; n++) {
        float step = solid->deform_to.positions[n] - solid->deform_from.positions[n];
        between.positions[n] += t * step;
        solid->vertex_velocity[n] = step * (float)per_second;
    }
    tlwResult result = buildField(solids, solid, &between, (tlwVec3){1, 1, 1}, dx);
    tlwDestroyMesh(&solid->shape);
    solid->shape = between;
    solid->frame = (tlwSdfFrame){{0, 0, 0}, {1, 0, 0, 0}};
    return result;
}

// Largest speed of the corners of the world box: good enough for a step length.
static double boxSpeed(const tlwPlacedMesh *solid)
{
    double speed = 0;
    for (int n = 0; n < 8; n++) {
        tlwVec3 corner = {n & 1 ? solid->high.x : solid->low.x, n & 2 ? solid->high.y : solid->low.y,
                          n & 4 ? solid->high.z : solid->low.z};
        tlwVec3 v = tlwAdd(solid->motion.velocity, tlwCross(solid->motion.spin, tlwSub(corner, solid->motion.origin)));
        speed = fmax(speed, tlwLength(v));
    }
    return speed;
}

static double deformSpeed(const tlwPlacedMesh *solid)
{
    double square = 0;
    for (int64_t n = 0; n < solid->deform_from.vertex_count; n++) {
        const float *v = solid->vertex_velocity + 3 * n;
        square = fmax(square, (double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
    }
    return sqrt(square);
}

tlwResult tlwMovePlacedMeshes(tlwPlacedMeshes *solids, double time, double dt, double dx)
{
    solids->max_speed = 0;
    for (int n = 0; n < solids->count; n++) {
        tlwPlacedMesh *solid = &solids->items[n];
        const tlwObjectDef *def = &solids->scene->objects[solid->object].def;
        tlwKey key = tlwSampleKeys(def->keys, def->key_count, time + dt);
        // Switching a hot solid off ends its heating (heat/thermal.c) but does not remove it.
        solid->enabled = key.enabled || tlwGetTraits(def)->stays;
        if (def->deform) {
            TLW_TRY(deformSolid(solids, solid, time + dt, dx));
            solids->max_speed = fmax(solids->max_speed, deformSpeed(solid));
        } else if (!solid->body) {
            tlwVec3 change = tlwSub(key.scale, solid->scale);
            if (tlwLength(change) > 1e-6 * tlwLength(key.scale))
                TLW_TRY(buildField(solids, solid, &solids->scene->objects[solid->object].mesh, key.scale, dx));
            solid->frame = (tlwSdfFrame){key.position, key.rotation};
            if (solid->moves && dt > 0)
                solid->motion = tlwSampleMotion(def->keys, def->key_count, time + 1.5 * dt, dt);
        } else if (time == 0 && dt == 0) {
            solid->frame = (tlwSdfFrame){key.position, key.rotation};
        }
        tlwGetSdfWorldBounds(solid->wet, &solid->frame, &solid->low, &solid->high);
        if (solid->moves && !def->deform)
            solids->max_speed = fmax(solids->max_speed, boxSpeed(solid));
    }
    return TLW_OK;
}

const tlwPlacedMesh *tlwFindPlacedMesh(const tlwPlacedMeshes *solids, int object)
{
    for (int n = 0; n < solids->count; n++)
        if (solids->items[n].object == object)
            return &solids->items[n];
    return NULL;
}

void tlwSetMeshPose(tlwPlacedMesh *solid, tlwSdfFrame frame, tlwMotion motion)
{
    solid->frame = frame;
    solid->motion = motion;
    tlwGetSdfWorldBounds(solid->wet, &solid->frame, &solid->low, &solid->high);
}
