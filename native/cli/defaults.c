// `tallow defaults`: the defaults of the library's Def structs, with the names of scene.json. The add-on reads this
// table, so that no default is written twice.
#include "cli.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

static void addVector(cJSON *object, const char *key, tlwVec3 v)
{
    cJSON_AddItemToObject(object, key, cJSON_CreateDoubleArray((double[3]){v.x, v.y, v.z}, 3));
}

// Adds a list of two numbers, for the solid and the liquid.
static void addPair(cJSON *object, const char *key, double solid, double liquid)
{
    cJSON_AddItemToObject(object, key, cJSON_CreateDoubleArray((double[2]){solid, liquid}, 2));
}

static void addScene(cJSON *root)
{
    static const char *const walls[] = {"slip", "no_slip", "open"};
    static const char *const sides[] = {"-x", "+x", "-y", "+y", "-z", "+z"};
    static const char *const transports[] = {"apic", "flip", "semi_lagrangian", "maccormack", "bfecc"};
    static const char *const couplings[] = {"joint", "split"};
    const tlwSceneDef def = tlwDefaultSceneDef();
    cJSON *scene = cJSON_AddObjectToObject(root, "scene");
    cJSON *wall = cJSON_AddObjectToObject(scene, "walls");
    for (int i = 0; i < 6; i++)
        cJSON_AddStringToObject(wall, sides[i], walls[def.walls[i]]);
    cJSON_AddNumberToObject(scene, "wall_friction", def.wall_friction);
    addVector(scene, "gravity", def.gravity);
    cJSON_AddNumberToObject(scene, "ambient_temperature", def.ambient_temperature);
    cJSON_AddNumberToObject(scene, "film_coefficient", def.film_coefficient);
    cJSON_AddNumberToObject(scene, "emissivity", def.emissivity);
    cJSON_AddNumberToObject(scene, "thermal_speed", def.thermal_speed);
    cJSON_AddNumberToObject(scene, "time_scale", def.time_scale);
    cJSON_AddNumberToObject(scene, "fps", def.fps);
    cJSON_AddNumberToObject(scene, "frame_start", def.frame_start);
    cJSON_AddNumberToObject(scene, "frame_end", def.frame_end);
    cJSON_AddStringToObject(scene, "transport", transports[def.transport]);
    cJSON_AddStringToObject(scene, "coupling", couplings[def.coupling]);
    cJSON_AddNumberToObject(scene, "flip_blend", def.flip_blend);
    cJSON_AddNumberToObject(scene, "particles_per_axis", def.particles_per_axis);
    cJSON_AddNumberToObject(scene, "cfl", def.cfl);
    cJSON_AddNumberToObject(scene, "max_substeps", def.max_substeps);
    cJSON_AddNumberToObject(scene, "pressure_tolerance", def.pressure_tolerance);
    cJSON_AddNumberToObject(scene, "viscosity_tolerance", def.viscosity_tolerance);
    cJSON_AddNumberToObject(scene, "max_iterations", def.max_iterations);
    cJSON_AddNumberToObject(scene, "seed", def.seed);
    cJSON_AddBoolToObject(scene, "save_particles", def.save_particles);
    cJSON_AddBoolToObject(scene, "save_vdb", def.save_vdb);
    cJSON_AddBoolToObject(scene, "save_mesh", def.save_mesh);
    cJSON_AddBoolToObject(scene, "save_compact", def.save_compact);
    cJSON_AddNumberToObject(scene, "mesh_detail", def.mesh_detail);
    cJSON_AddBoolToObject(scene, "keep_detail", def.keep_detail);
    cJSON_AddNumberToObject(scene, "checkpoint_every", def.checkpoint_every);
    cJSON_AddNumberToObject(scene, "keep_every", def.keep_every);
    cJSON_AddNumberToObject(scene, "threads", tlwDefaultContextDef().threads);
}

static void addMaterial(cJSON *root)
{
    static const char *const frozen[] = {"rigid", "soft"};
    const tlwMaterialDef def = tlwDefaultMaterialDef();
    cJSON *material = cJSON_AddObjectToObject(root, "material");
    addPair(material, "density", def.density_solid, def.density_liquid);
    addPair(material, "specific_heat", def.specific_heat_solid, def.specific_heat_liquid);
    addPair(material, "conductivity", def.conductivity_solid, def.conductivity_liquid);
    cJSON_AddNumberToObject(material, "solidus", def.solidus);
    cJSON_AddNumberToObject(material, "liquidus", def.liquidus);
    cJSON_AddNumberToObject(material, "latent_heat", def.latent_heat);
    cJSON *viscosity = cJSON_AddArrayToObject(material, "viscosity");
    for (int i = 0; i < def.viscosity.count; i++) {
        const double point[] = {def.viscosity.temperature[i], def.viscosity.value[i]};
        cJSON_AddItemToArray(viscosity, cJSON_CreateDoubleArray(point, 2));
    }
    cJSON_AddNumberToObject(material, "solid_viscosity", def.solid_viscosity);
    cJSON_AddNumberToObject(material, "surface_tension", def.surface_tension);
    cJSON_AddNumberToObject(material, "contact_angle", def.contact_angle);
    cJSON_AddStringToObject(material, "frozen", frozen[def.frozen]);
    double color[3];
    for (int i = 0; i < 3; i++) { // round to the digits in the source: a float printed as a double has more
        char digits[32];
        snprintf(digits, sizeof digits, "%.6g", (double)def.color[i]);
        color[i] = strtod(digits, NULL);
    }
    cJSON_AddItemToObject(material, "color", cJSON_CreateDoubleArray(color, 3));
}

static void addObject(cJSON *root)
{
    static const char *const surfaces[] = {"slip", "stick"};
    static const char *const kinds[] = {"solid", "volume", "lamp"};
    const tlwObjectDef def = tlwDefaultObjectDef();
    const tlwKey key = tlwDefaultKey();
    cJSON *object = cJSON_AddObjectToObject(root, "object");
    addVector(object, "velocity", def.velocity);
    addVector(object, "spin", def.spin);
    cJSON_AddStringToObject(object, "surface", surfaces[def.surface]);
    cJSON_AddNumberToObject(object, "friction", def.friction);
    cJSON_AddNumberToObject(object, "restitution", def.restitution);
    cJSON_AddNumberToObject(object, "density", def.density);
    cJSON_AddNumberToObject(object, "mass", def.mass);
    cJSON_AddNumberToObject(object, "conductivity", def.conductivity);
    cJSON_AddNumberToObject(object, "specific_heat", def.specific_heat);
    cJSON_AddBoolToObject(object, "fixed_temperature", def.fixed_temperature);
    cJSON_AddStringToObject(object, "heat_kind", kinds[def.heat_kind]);
    cJSON_AddNumberToObject(object, "heat_range", def.heat_range);
    cJSON_AddNumberToObject(object, "temperature", key.temperature);
    cJSON_AddNumberToObject(object, "power", key.power);
    cJSON_AddBoolToObject(object, "enabled", key.enabled);
}

static void addForce(cJSON *root)
{
    const tlwForceDef def = tlwDefaultForceDef();
    cJSON *force = cJSON_AddObjectToObject(root, "force");
    cJSON_AddNumberToObject(force, "falloff", def.falloff);
    cJSON_AddNumberToObject(force, "min_distance", def.min_distance);
    cJSON_AddNumberToObject(force, "max_distance", def.max_distance);
}

int tlwRunDefaults(tlwArgs *args)
{
    if (!tlwCheckArgs(args, "defaults"))
        return TLW_EXIT_USAGE;
    cJSON *root = cJSON_CreateObject();
    addScene(root);
    addMaterial(root);
    addObject(root);
    addForce(root);
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    if (!text) {
        tlwComplain("There is not enough memory.");
        return TLW_EXIT_ERROR;
    }
    puts(text);
    cJSON_free(text);
    return TLW_EXIT_OK;
}
