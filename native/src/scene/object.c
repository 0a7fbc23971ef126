#include "scene/object.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/vec.h"
#include "scene/deform.h"
#include "scene/keys.h"
#include "scene/role.h"
#include "scene/scene.h"
#include "scene/world.h"
#include "shape/repair.h"

#include <string.h>

#define SMALL_HOLES 0.05 // of the surface: filling them changes nothing that an artist would ask about

tlwObjectDef tlwDefaultObjectDef(void)
{
    return (tlwObjectDef){
        .role = TLW_ROLE_LIQUID,
        .surface = TLW_SURFACE_STICK,
        .friction = 0.5,
        .restitution = 0.1,
        .density = 1000,
        .conductivity = 0,
        .specific_heat = 900,
        .heat_kind = TLW_HEAT_SOLID,
        .cookie = TLW_OBJECT_COOKIE,
    };
}

static tlwResult checkNumbers(const tlwObjectDef *def, tlwMessage *message)
{
    const struct {
        const char *member;
        double value, low, high;
    } ranges[] = {
        {"friction", def->friction, 0, 1e3},
        {"restitution", def->restitution, 0, 1},
        {"mass", def->mass, 0, 1e15},
        {"conductivity", def->conductivity, 0, 1e5},
        {"specific_heat", def->specific_heat, 1, 1e6},
        {"heat_range", def->heat_range, 0, 1e6},
        {"surface", def->surface, TLW_SURFACE_SLIP, TLW_SURFACE_STICK},
        {"heat_kind", def->heat_kind, TLW_HEAT_SOLID, TLW_HEAT_LAMP},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (!(ranges[i].value >= ranges[i].low && ranges[i].value <= ranges[i].high))
            return tlwFail(message, TLW_BAD_ARGUMENT, "%s: its %s is %g, but must lie between %g and %g.", def->name,
                           ranges[i].member, ranges[i].value, ranges[i].low, ranges[i].high);
    if (!(def->density >= 0 && def->density <= 1e6)) // 0 needs a mass: see below
        return tlwFail(message, TLW_BAD_ARGUMENT, "%s: its density is %g, but must be above 0 and at most 1e6 kg/m3.",
                       def->name, def->density);
    if (!(tlwLength(def->velocity) <= 1e6))
        return tlwFail(message, TLW_BAD_ARGUMENT, "%s: its velocity (%g, %g, %g) is not usable.", def->name,
                       def->velocity.x, def->velocity.y, def->velocity.z);
    if (!(tlwLength(def->spin) <= 1e6))
        return tlwFail(message, TLW_BAD_ARGUMENT, "%s: its spin (%g, %g, %g) is not usable.", def->name, def->spin.x,
                       def->spin.y, def->spin.z);
    if (tlwGetTraits(def)->body && !(def->density > 0) && !(def->mass > 0))
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "%s is a rigid body without mass; give it a density or a mass above 0.", def->name);
    return TLW_OK;
}

static tlwResult checkObject(const tlwScene *scene, const tlwObjectDef *def, tlwMessage *message)
{
    if (!def || def->cookie != TLW_OBJECT_COOKIE)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "An object was not made by tlwDefaultObjectDef of this version of Tallow.");
    TLW_TRY(tlwCheckName("object", def->name, message));
    if (tlwFindObject(scene, def->name) >= 0)
        return tlwFail(message, TLW_BAD_ARGUMENT, "Two objects are called %s; rename one.", def->name);
    if (!tlwIsRole((int)def->role))
        return tlwFail(message, TLW_BAD_ARGUMENT, "%s: its role is %d, which is not a role.", def->name,
                       (int)def->role);
    TLW_TRY(checkNumbers(def, message));
    if (tlwGetTraits(def)->has_material && (def->material < 0 || def->material >= scene->material_count))
        return tlwFail(message, TLW_BAD_ARGUMENT, "%s: its material is number %d, but the scene has %d; choose one.",
                       def->name, def->material, scene->material_count);
    if (def->deform && !tlwGetTraits(def)->may_deform)
        return tlwFail(message, TLW_BAD_ARGUMENT, "%s deforms, but only solids and heat sources may; its role is %s.",
                       def->name, tlwGetRoleName(def->role));
    return tlwCheckKeys(def->name, def->keys, def->key_count, message);
}

// A lamp shines from the centre of its mesh, so the mesh may be flat or open.
static tlwResult checkLampMesh(const tlwMesh *mesh, const char *name, tlwMessage *message)
{
    if (mesh->vertex_count < 1)
        return tlwFail(message, TLW_BAD_MESH, "%s has no vertices; a lamp needs at least one.", name);
    for (int64_t i = 0; i < 3 * mesh->vertex_count; i++)
        if (!isfinite(mesh->positions[i]))
            return tlwFail(message, TLW_BAD_MESH, "%s has a vertex whose position is not a number.", name);
    return TLW_OK;
}

// Repair a mesh and log what was found. A solid with large holes is a sheet of faces (tlwObject.sheet).
static tlwResult repairMesh(const tlwScene *scene, tlwObject *object, tlwMessage *message)
{
    const tlwObjectDef *def = &object->def;
    tlwRepairReport report;
    bool obstacle = tlwIsObstacle(def), may_be_flat = obstacle && !tlwGetTraits(def)->body;
    TLW_TRY((may_be_flat ? tlwRepairSolid : tlwRepairMesh)(&object->mesh, def->name, message, &report));
    object->sheet = obstacle && (report.flat || report.filled > SMALL_HOLES) ? report.own_triangles : 0;
    if (object->sheet) {
        tlwLog(scene->context, TLW_LOG_INFO, "%s is a sheet: it is not filled, and holds liquid on both sides.",
               def->name);
        return TLW_OK;
    }
    char text[TLW_MESSAGE_SIZE];
    tlwDescribeRepair(&report, def->name, text, sizeof text);
    if (text[0])
        tlwLog(scene->context, report.filled > SMALL_HOLES ? TLW_LOG_WARNING : TLW_LOG_INFO, "%s", text);
    return TLW_OK;
}

static tlwResult prepareMesh(const tlwScene *scene, tlwObject *object, tlwMessage *message)
{
    const tlwObjectDef *def = &object->def;
    TLW_TRY(tlwCreateMesh(&def->mesh, message, &object->mesh));
    tlwResult result = tlwGetTraits(def)->shines ? checkLampMesh(&object->mesh, def->name, message)
                                                 : repairMesh(scene, object, message);
    if (result != TLW_OK)
        tlwDestroyMesh(&object->mesh);
    return result;
}

// Searching the carried triangles needs places that are numbers; repairing them would change how they count.
static tlwResult copyCarried(const tlwObjectDef *def, tlwMesh *mesh, tlwMessage *message)
{
    if (!def->carried.triangle_count || !tlwGetTraits(def)->has_material)
        return TLW_OK;
    TLW_TRY(tlwCreateMesh(&def->carried, message, mesh));
    bool ok = true;
    for (int64_t i = 0; i < 3 * mesh->vertex_count; i++)
        ok = ok && isfinite(mesh->positions[i]);
    for (int64_t i = 0; i < 3 * mesh->triangle_count; i++)
        ok = ok && mesh->triangles[i] >= 0 && mesh->triangles[i] < mesh->vertex_count;
    if (ok)
        return TLW_OK;
    tlwDestroyMesh(mesh);
    return tlwFail(message, TLW_BAD_MESH,
                   "%s: the mesh whose attributes it carries has a vertex that is not a number or not there; export "
                   "the scene again.",
                   def->name);
}

// The number of an object that is added next.
static int countWithMaterial(const tlwScene *scene)
{
    int count = 0;
    for (int o = 0; o < scene->object_count; o++)
        count += tlwGetTraits(&scene->objects[o].def)->has_material;
    return count;
}

static tlwMeshData showMesh(const tlwMesh *mesh)
{
    return (tlwMeshData){mesh->positions, (int)mesh->vertex_count, mesh->triangles, (int)mesh->triangle_count};
}

tlwResult tlwAddObject(tlwScene *scene, const tlwObjectDef *def, int *object)
{
    if (!scene)
        return TLW_BAD_ARGUMENT;
    tlwMessage *message = &scene->context->message;
    TLW_TRY(checkObject(scene, def, message));
    if (!tlwReserve((void **)&scene->objects, &scene->object_capacity, scene->object_count + 1, sizeof *scene->objects))
        return tlwFailMemory(message, "an object");
    tlwObject made = {.def = *def, .number = countWithMaterial(scene)};
    TLW_TRY(prepareMesh(scene, &made, message));
    tlwResult result = copyCarried(def, &made.carried, message);
    if (result != TLW_OK) {
        tlwDestroyMesh(&made.mesh);
        return result;
    }
    made.def.name = tlwCopyString(def->name);
    made.def.keys = tlwCopyKeys(scene, def->keys, def->key_count);
    if (!made.def.name || !made.def.keys) {
        tlwFreeObject(&made);
        return tlwFailMemory(message, "an object");
    }
    made.def.mesh = showMesh(&made.mesh);
    made.def.carried = showMesh(&made.carried);
    if (object)
        *object = scene->object_count;
    scene->objects[scene->object_count++] = made;
    return TLW_OK;
}

void tlwFreeObject(tlwObject *object)
{
    tlwDestroyMesh(&object->mesh);
    tlwDestroyMesh(&object->carried);
    tlwFree((char *)object->def.name);
    tlwFree((tlwKey *)object->def.keys);
    tlwFreeDeformFiles(object->deform_files);
    *object = (tlwObject){0};
}

tlwKey *tlwCopyKeys(const tlwScene *scene, const tlwKey *keys, int count)
{
    tlwKey *copy = tlwAlloc((size_t)count, sizeof *copy);
    for (int i = 0; copy && i < count; i++) {
        copy[i] = keys[i];
        copy[i].rotation = tlwQuatNormalize(keys[i].rotation);
        copy[i].time = tlwGetSimulatedTime(scene, keys[i].time);
    }
    return copy;
}

void tlwGetObjectBounds(const tlwObject *object, double time, tlwVec3 *low, tlwVec3 *high)
{
    tlwKey key = tlwSampleKeys(object->def.keys, object->def.key_count, time);
    const float *p = object->mesh.positions;
    *low = (tlwVec3){INFINITY, INFINITY, INFINITY};
    *high = (tlwVec3){-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < object->mesh.vertex_count; i++) {
        tlwVec3 point = {p[3 * i], p[3 * i + 1], p[3 * i + 2]};
        if (!object->def.deform)
            point = tlwToWorld(&key, point);
        *low = tlwMin3(*low, point);
        *high = tlwMax3(*high, point);
    }
}
