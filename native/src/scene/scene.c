#include "scene/scene.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/vec.h"
#include "scene/object.h"
#include "scene/role.h"
#include "scene/world.h"

#include <string.h>

tlwSceneDef tlwDefaultSceneDef(void)
{
    return (tlwSceneDef){
        .domain_min = {-1, -1, -1},
        .domain_max = {1, 1, 1},
        .cell_size = 0.05,
        .walls = {TLW_WALL_SLIP, TLW_WALL_SLIP, TLW_WALL_SLIP, TLW_WALL_SLIP, TLW_WALL_NO_SLIP, TLW_WALL_OPEN},
        .gravity = {0, 0, -9.81},
        .ambient_temperature = 293.15,
        .film_coefficient = 10,
        .emissivity = 0.9,
        .thermal_speed = 1,
        .time_scale = 1,
        .fps = 24,
        .frame_start = 1,
        .frame_end = 120,
        .transport = TLW_TRANSPORT_APIC,
        .coupling = TLW_COUPLING_JOINT,
        .flip_blend = 0.95,
        .particles_per_axis = 2,
        .cfl = 2,
        .max_substeps = 32,
        .pressure_tolerance = 1e-5,
        .viscosity_tolerance = 1e-6,
        .max_iterations = 400,
        .seed = 1,
        .save_particles = true,
        .save_vdb = true,
        .save_mesh = true,
        .mesh_detail = 1,
        .checkpoint_every = 1,
        .cookie = TLW_SCENE_COOKIE,
    };
}

static tlwResult checkDomain(const tlwSceneDef *def, int dims[3], double extent[3], tlwMessage *message)
{
    if (!(def->cell_size > 0) || !isfinite(def->cell_size))
        return tlwFail(message, TLW_BAD_ARGUMENT, "The cell size is %g m; give a length above zero.", def->cell_size);
    if (def->cell_size < 2e-5 || def->cell_size > 1e6)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "The cells are %g m wide, but must be between 2e-5 and 1e6 m: make the domain %s.",
                       def->cell_size, def->cell_size < 1 ? "larger" : "smaller");
    if (!tlwIsFinite(def->domain_min) || !tlwIsFinite(def->domain_max))
        return tlwFail(message, TLW_BAD_ARGUMENT, "The corners of the domain are not numbers; fit the domain again.");
    const double low[3] = {def->domain_min.x, def->domain_min.y, def->domain_min.z};
    const double high[3] = {def->domain_max.x, def->domain_max.y, def->domain_max.z};
    double cells = 1;
    for (int i = 0; i < 3; i++) {
        double size = high[i] - low[i];
        if (!(size >= def->cell_size * (1 - 1e-6)))
            return tlwFail(message, TLW_BAD_ARGUMENT,
                           "The domain is %g m along %c, smaller than one cell (%g m); enlarge the domain or use "
                           "smaller cells.",
                           size, 'x' + i, def->cell_size);
        double count = fmax(ceil(size / def->cell_size - 1e-6), 1);
        if (count > TLW_MAX_AXIS_CELLS)
            return tlwFail(message, TLW_BAD_ARGUMENT,
                           "The domain has %.0f cells along %c, but %d is the most; use cells of at least %.3g m.",
                           count, 'x' + i, TLW_MAX_AXIS_CELLS, size / TLW_MAX_AXIS_CELLS);
        dims[i] = (int)count;
        bool whole = def->walls[2 * i + 1] == TLW_WALL_OPEN || size > (count - 1e-6) * def->cell_size;
        extent[i] = whole ? count : size / def->cell_size;
        cells *= count;
    }
    if (cells > TLW_MAX_DOMAIN_CELLS)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "The domain has %.3g cells, but %.3g is the most; use cells of at least %.3g m.", cells,
                       TLW_MAX_DOMAIN_CELLS, def->cell_size * cbrt(cells / TLW_MAX_DOMAIN_CELLS));
    return TLW_OK;
}

static tlwResult checkNumbers(const tlwSceneDef *def, tlwMessage *message)
{
    const struct {
        const char *label, *member; // in the add-on's sidebar, and in scene.json
        double value, low, high;
    } ranges[] = {
        {"Wall Friction", "wall_friction", def->wall_friction, 0, 1e3},
        {"Frame rate", "fps", def->fps, 0.01, 1e5},
        {"First Frame", "frame_start", def->frame_start, -1000000, 1000000},
        {"Last Frame", "frame_end", def->frame_end, -1000000, 1000000},
        {"FLIP Blend", "flip_blend", def->flip_blend, 0, 1},
        {"Particles per axis", "particles_per_axis", def->particles_per_axis, 1, 4},
        {"Step Length", "cfl", def->cfl, 0.05, 20},
        {"Most Steps", "max_substeps", def->max_substeps, 1, 10000},
        {"Pressure tolerance", "pressure_tolerance", def->pressure_tolerance, 1e-14, 0.1},
        {"Viscosity tolerance", "viscosity_tolerance", def->viscosity_tolerance, 1e-14, 0.1},
        {"Most iterations", "max_iterations", def->max_iterations, 1, 1000000},
        {"Surface Detail", "mesh_detail", def->mesh_detail, 1, 2},
        {"Surface Smoothing", "mesh_smoothing", def->mesh_smoothing, 0, 20},
        {"Save State Every", "checkpoint_every", def->checkpoint_every, 0, 1000000},
        {"Keep State Every", "keep_every", def->keep_every, 0, 1000000},
        {"Motion", "transport", def->transport, TLW_TRANSPORT_APIC, TLW_TRANSPORT_BFECC},
        {"Bodies", "coupling", def->coupling, TLW_COUPLING_JOINT, TLW_COUPLING_SPLIT},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (!(ranges[i].value >= ranges[i].low && ranges[i].value <= ranges[i].high))
            return tlwFail(message, TLW_BAD_ARGUMENT,
                           "%s (%s in scene.json) is %.10g, but must lie between %.10g and %.10g.", ranges[i].label,
                           ranges[i].member, ranges[i].value, ranges[i].low, ranges[i].high);
    for (int i = 0; i < 6; i++)
        if ((int)def->walls[i] < TLW_WALL_SLIP || (int)def->walls[i] > TLW_WALL_OPEN)
            return tlwFail(message, TLW_BAD_ARGUMENT,
                           "Wall %c%c of the domain is %d, but must be slip, no_slip or open.", i % 2 ? '+' : '-',
                           'x' + i / 2, (int)def->walls[i]);
    if (def->frame_end < def->frame_start)
        return tlwFail(message, TLW_BAD_ARGUMENT, "The last frame (%d) is before the first (%d).", def->frame_end,
                       def->frame_start);
    return TLW_OK;
}

tlwResult tlwCreateScene(tlwContext *context, const tlwSceneDef *def, tlwScene **scene)
{
    if (!context)
        return TLW_BAD_ARGUMENT;
    tlwMessage *message = &context->message;
    if (!scene || !def || def->cookie != TLW_SCENE_COOKIE)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "A scene was not made by tlwDefaultSceneDef of this version of Tallow.");
    int dims[3];
    double extent[3];
    TLW_TRY(checkDomain(def, dims, extent, message));
    TLW_TRY(checkNumbers(def, message));
    TLW_TRY(tlwCheckWorld(def, message));
    tlwScene *made = tlwAlloc(1, sizeof *made);
    char *name = tlwCopyString(def->name ? def->name : "");
    if (!made || !name) {
        tlwFree(made);
        tlwFree(name);
        return tlwFailMemory(message, "the scene");
    }
    made->context = context;
    made->def = *def;
    made->def.name = name;
    memcpy(made->dims, dims, sizeof dims);
    memcpy(made->extent, extent, sizeof extent);
    tlwResult result = tlwCopyWorldKeys(made);
    if (result != TLW_OK) {
        tlwDestroyScene(made);
        return result;
    }
    *scene = made;
    return TLW_OK;
}

void tlwDestroyScene(tlwScene *scene)
{
    if (!scene)
        return;
    for (int i = 0; i < scene->material_count; i++)
        tlwFreeMaterial(&scene->materials[i]);
    for (int i = 0; i < scene->object_count; i++)
        tlwFreeObject(&scene->objects[i]);
    for (int i = 0; i < scene->force_count; i++) {
        tlwFree((char *)scene->forces[i].def.name);
        tlwFree((tlwKey *)scene->forces[i].def.keys);
    }
    for (int i = 0; i < scene->joint_count; i++)
        tlwFree((char *)scene->joints[i].def.name);
    tlwFree(scene->materials);
    tlwFree(scene->objects);
    tlwFree(scene->forces);
    tlwFree(scene->joints);
    tlwFreeWorldKeys(scene);
    tlwFree((char *)scene->def.name);
    tlwFree(scene);
}

tlwResult tlwAddMaterial(tlwScene *scene, const tlwMaterialDef *def, int *material)
{
    if (!scene)
        return TLW_BAD_ARGUMENT;
    tlwMessage *message = &scene->context->message;
    tlwMaterial made;
    TLW_TRY(tlwMakeMaterial(def, &made, message));
    tlwResult result = TLW_OK;
    if (tlwFindMaterial(scene, def->name) >= 0)
        result = tlwFail(message, TLW_BAD_ARGUMENT, "Two materials are called %s; rename one.", def->name);
    else if (scene->material_count >= TLW_MAX_MATERIALS)
        result = tlwFail(message, TLW_BAD_ARGUMENT, "Material %s is one too many; a scene holds at most %d.", def->name,
                         TLW_MAX_MATERIALS);
    else if (!tlwReserve((void **)&scene->materials, &scene->material_capacity, scene->material_count + 1,
                         sizeof *scene->materials))
        result = tlwFailMemory(message, "a material");
    if (result != TLW_OK) {
        tlwFreeMaterial(&made);
        return result;
    }
    if (material)
        *material = scene->material_count;
    scene->materials[scene->material_count++] = made;
    return TLW_OK;
}

int tlwFindObject(const tlwScene *scene, const char *name)
{
    for (int i = 0; i < scene->object_count; i++)
        if (!strcmp(scene->objects[i].def.name, name))
            return i;
    return -1;
}

int tlwFindMaterial(const tlwScene *scene, const char *name)
{
    for (int i = 0; i < scene->material_count; i++)
        if (!strcmp(scene->materials[i].def.name, name))
            return i;
    return -1;
}

tlwResult tlwSetCellSize(tlwScene *scene, double cell_size)
{
    tlwSceneDef def = scene->def;
    int dims[3];
    double extent[3];
    def.cell_size = cell_size;
    TLW_TRY(checkDomain(&def, dims, extent, &scene->context->message));
    scene->def.cell_size = cell_size;
    memcpy(scene->dims, dims, sizeof dims);
    memcpy(scene->extent, extent, sizeof extent);
    return TLW_OK;
}

bool tlwCarries(const tlwScene *scene)
{
    for (int o = 0; o < scene->object_count; o++)
        if (scene->objects[o].carried.triangle_count)
            return true;
    return false;
}

bool tlwCanFreeze(const tlwScene *scene)
{
    for (int o = 0; o < scene->object_count; o++) {
        const tlwObjectDef *def = &scene->objects[o].def;
        if (!tlwGetTraits(def)->has_material)
            continue;
        const tlwMaterial *material = &scene->materials[def->material];
        if (material->melts && material->def.frozen == TLW_FROZEN_RIGID)
            return true;
    }
    return false;
}
