#include "scene/load_object.h"

#include "base/context.h"
#include "base/memory.h"
#include "scene/deform.h"
#include "scene/load_material.h"
#include "scene/role.h"
#include "shape/ply_read.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

tlwResult tlwJoinScenePath(const tlwJson *value, const char *folder, const char *file, char *path)
{
    bool inside = file[0] && file[0] != '/' && !strchr(file, '\\') && !strchr(file, ':');
    for (const char *part = file; inside && part; part = strchr(part, '/')) {
        part += *part == '/';
        size_t length = strcspn(part, "/");
        inside = !(length == 2 && part[0] == '.' && part[1] == '.');
    }
    if (!inside)
        return tlwFailType(value, "a file inside the scene folder, like \"meshes/Suzanne.ply\"");
    if (snprintf(path, PATH_MAX, "%s/%s", folder, file) >= PATH_MAX)
        return tlwFailType(value, "a shorter path");
    return TLW_OK;
}

static tlwResult readDeform(const tlwJson *json, const char *folder, const char *name, tlwDeformFiles **files)
{
    tlwJson deform = tlwGetMember(json, "deform");
    if (!deform.node || cJSON_IsNull(deform.node))
        return TLW_OK;
    TLW_TRY(tlwCheckObject(&deform));
    tlwWarnUnknown(&deform, (const char *const[]){"pattern", "first", "last", NULL});
    tlwJson pattern = tlwGetMember(&deform, "pattern");
    const char *text = "";
    int first = 0, last = -1;
    TLW_TRY(tlwReadString(&deform, "pattern", &text));
    TLW_TRY(tlwReadInteger(&deform, "first", &first));
    TLW_TRY(tlwReadInteger(&deform, "last", &last));
    char path[PATH_MAX];
    TLW_TRY(tlwJoinScenePath(&pattern, folder, text, path));
    return tlwOpenDeformFiles(json->context, name, folder, text, first, last, files);
}

static tlwResult readMesh(const tlwJson *json, const char *folder, const tlwScene *scene, tlwDeformFiles *files,
                          tlwMesh *mesh)
{
    tlwMessage *message = &json->context->message;
    if (files) {
        tlwMeshData data;
        TLW_TRY(tlwReadDeformFrame(files, scene->def.frame_start, &data));
        return tlwCreateMesh(&data, message, mesh);
    }
    tlwJson value = tlwGetMember(json, "mesh");
    const char *file = "";
    TLW_TRY(tlwReadString(json, "mesh", &file));
    char path[PATH_MAX];
    TLW_TRY(tlwJoinScenePath(&value, folder, file, path));
    return tlwReadPlyMesh(path, message, mesh);
}

// Only the mesh matters here. Names and kinds of attributes are for those who read the bake.
static tlwResult readCarried(const tlwJson *json, const char *folder, tlwMesh *mesh)
{
    tlwJson carry = tlwGetMember(json, "carry");
    if (!carry.node || cJSON_IsNull(carry.node))
        return TLW_OK;
    TLW_TRY(tlwCheckObject(&carry));
    tlwWarnUnknown(&carry, (const char *const[]){"mesh", "attributes", "uv", "color", "materials", NULL});
    tlwJson value = tlwGetMember(&carry, "mesh");
    const char *file = "";
    TLW_TRY(tlwReadString(&carry, "mesh", &file));
    char path[PATH_MAX];
    TLW_TRY(tlwJoinScenePath(&value, folder, file, path));
    return tlwReadPlyMesh(path, &json->context->message, mesh);
}

static tlwResult readMaterialName(const tlwJson *json, const tlwScene *scene, tlwObjectDef *def)
{
    const char *name = NULL;
    tlwJson value = tlwGetMember(json, "material");
    if (value.node && cJSON_IsNull(value.node))
        return TLW_OK;
    TLW_TRY(tlwReadString(json, "material", &name));
    if (!name || !tlwGetTraits(def)->has_material)
        return TLW_OK;
    def->material = tlwFindMaterial(scene, name);
    if (def->material < 0)
        return tlwFail(&json->context->message, TLW_BAD_FILE, "%s: its material %s is not in the scene.", def->name,
                       name);
    return TLW_OK;
}

static tlwResult readObjectMembers(const tlwJson *json, const tlwScene *scene, tlwObjectDef *def)
{
    const char *roles[TLW_ROLE_COUNT + 1];
    static const char *const surfaces[] = {"slip", "stick", NULL};
    static const char *const heats[] = {"solid", "volume", "lamp", NULL};
    tlwWarnUnknown(json, (const char *const[]){"name",
                                               "role",
                                               "mesh",
                                               "deform",
                                               "carry",
                                               "keys",
                                               "material",
                                               "velocity",
                                               "spin",
                                               "surface",
                                               "friction",
                                               "restitution",
                                               "density",
                                               "mass",
                                               "conductivity",
                                               "specific_heat",
                                               "fixed_temperature",
                                               "heat_kind",
                                               "heat_range",
                                               NULL});
    TLW_TRY(tlwReadString(json, "name", &def->name));
    if (!def->name || !def->name[0])
        return tlwFailType(json, "an object with a name");
    tlwListRoleNames(roles);
    int role = (int)def->role, surface = (int)def->surface, heat = (int)def->heat_kind;
    TLW_TRY(tlwReadChoice(json, "role", roles, &role));
    TLW_TRY(tlwReadChoice(json, "surface", surfaces, &surface));
    TLW_TRY(tlwReadChoice(json, "heat_kind", heats, &heat));
    def->role = (tlwRole)role;
    def->surface = (tlwSurface)surface;
    def->heat_kind = (tlwHeatKind)heat;
    TLW_TRY(readMaterialName(json, scene, def));
    TLW_TRY(tlwReadVec3(json, "velocity", &def->velocity));
    TLW_TRY(tlwReadVec3(json, "spin", &def->spin));
    TLW_TRY(tlwReadNumber(json, "friction", &def->friction));
    TLW_TRY(tlwReadNumber(json, "restitution", &def->restitution));
    TLW_TRY(tlwReadNumber(json, "density", &def->density));
    TLW_TRY(tlwReadNumber(json, "mass", &def->mass));
    TLW_TRY(tlwReadNumber(json, "conductivity", &def->conductivity));
    TLW_TRY(tlwReadNumber(json, "specific_heat", &def->specific_heat));
    TLW_TRY(tlwReadBool(json, "fixed_temperature", &def->fixed_temperature));
    return tlwReadNumber(json, "heat_range", &def->heat_range);
}

static tlwMeshData showMesh(const tlwMesh *mesh)
{
    return (tlwMeshData){mesh->positions, (int)mesh->vertex_count, mesh->triangles, (int)mesh->triangle_count};
}

static tlwResult addObject(tlwScene *scene, tlwObjectDef *def, tlwDeformFiles **files)
{
    if (*files) {
        def->deform = tlwReadDeformFrame;
        def->deform_user = *files;
        TLW_TRY(tlwHashDeformFiles(*files));
    }
    int index = 0;
    TLW_TRY(tlwAddObject(scene, def, &index));
    scene->objects[index].deform_files = *files;
    *files = NULL;
    return TLW_OK;
}

static tlwResult readObject(const tlwJson *json, const char *folder, tlwScene *scene)
{
    TLW_TRY(tlwCheckObject(json));
    tlwObjectDef def = tlwDefaultObjectDef();
    TLW_TRY(readObjectMembers(json, scene, &def));
    tlwKey *keys = NULL;
    tlwDeformFiles *files = NULL;
    tlwMesh mesh = {0}, carried = {0};
    tlwResult result = tlwReadKeys(json, &keys, &def.key_count);
    def.keys = keys;
    if (result == TLW_OK)
        result = readDeform(json, folder, def.name, &files);
    if (result == TLW_OK)
        result = readMesh(json, folder, scene, files, &mesh);
    if (result == TLW_OK)
        result = readCarried(json, folder, &carried);
    def.mesh = showMesh(&mesh);
    def.carried = showMesh(&carried);
    if (result == TLW_OK)
        result = addObject(scene, &def, &files);
    tlwFreeDeformFiles(files);
    tlwDestroyMesh(&mesh);
    tlwDestroyMesh(&carried);
    tlwFree(keys);
    return result;
}

tlwResult tlwReadObjects(const tlwJson *root, const char *folder, tlwScene *scene)
{
    tlwJson list = tlwGetMember(root, "objects");
    int count = 0;
    if (!list.node)
        return TLW_OK;
    TLW_TRY(tlwCheckList(&list, &count));
    for (tlwJson item = tlwFirstItem(&list); item.node; tlwNextItem(&item))
        TLW_TRY(readObject(&item, folder, scene));
    return TLW_OK;
}

static tlwResult readForce(const tlwJson *json, tlwScene *scene)
{
    static const char *const kinds[] = {"wind", "point", "vortex", "drag", NULL};
    TLW_TRY(tlwCheckObject(json));
    tlwWarnUnknown(json,
                   (const char *const[]){"name", "kind", "keys", "falloff", "min_distance", "max_distance", NULL});
    tlwForceDef def = tlwDefaultForceDef();
    int kind = (int)def.kind;
    TLW_TRY(tlwReadString(json, "name", &def.name));
    TLW_TRY(tlwReadChoice(json, "kind", kinds, &kind));
    def.kind = (tlwForceKind)kind;
    TLW_TRY(tlwReadNumber(json, "falloff", &def.falloff));
    TLW_TRY(tlwReadNumber(json, "min_distance", &def.min_distance));
    TLW_TRY(tlwReadNumber(json, "max_distance", &def.max_distance));
    tlwKey *keys = NULL;
    tlwResult result = tlwReadKeys(json, &keys, &def.key_count);
    def.keys = keys;
    if (result == TLW_OK)
        result = tlwAddForce(scene, &def);
    tlwFree(keys);
    return result;
}

tlwResult tlwReadForces(const tlwJson *root, tlwScene *scene)
{
    tlwJson list = tlwGetMember(root, "forces");
    int count = 0;
    if (!list.node)
        return TLW_OK;
    TLW_TRY(tlwCheckList(&list, &count));
    for (tlwJson item = tlwFirstItem(&list); item.node; tlwNextItem(&item))
        TLW_TRY(readForce(&item, scene));
    return TLW_OK;
}

static tlwResult readBody(const tlwJson *json, const char *key, const tlwScene *scene, int *object)
{
    tlwJson value = tlwGetMember(json, key);
    if (!value.node || cJSON_IsNull(value.node))
        return TLW_OK;
    const char *name = "";
    TLW_TRY(tlwReadString(json, key, &name));
    *object = tlwFindObject(scene, name);
    return *object >= 0 ? TLW_OK : tlwFailType(&value, "the name of an object of the scene, or null for the world");
}

static tlwResult readJoint(const tlwJson *json, tlwScene *scene)
{
    static const char *const kinds[] = {"fixed", "ball", "hinge", "slider", NULL};
    TLW_TRY(tlwCheckObject(json));
    tlwWarnUnknown(json, (const char *const[]){"name", "kind", "a", "b", "anchor", "axis", NULL});
    tlwJointDef def = tlwDefaultJointDef();
    int kind = (int)def.kind;
    TLW_TRY(tlwReadString(json, "name", &def.name));
    TLW_TRY(tlwReadChoice(json, "kind", kinds, &kind));
    def.kind = (tlwJointKind)kind;
    TLW_TRY(readBody(json, "a", scene, &def.object_a));
    TLW_TRY(readBody(json, "b", scene, &def.object_b));
    TLW_TRY(tlwReadVec3(json, "anchor", &def.anchor));
    TLW_TRY(tlwReadVec3(json, "axis", &def.axis));
    return tlwAddJoint(scene, &def);
}

tlwResult tlwReadJoints(const tlwJson *root, tlwScene *scene)
{
    tlwJson list = tlwGetMember(root, "joints");
    int count = 0;
    if (!list.node)
        return TLW_OK;
    TLW_TRY(tlwCheckList(&list, &count));
    for (tlwJson item = tlwFirstItem(&list); item.node; tlwNextItem(&item))
        TLW_TRY(readJoint(&item, scene));
    return TLW_OK;
}
