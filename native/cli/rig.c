#include "rig.h"

#include <stdio.h>
#include <string.h>

bool tlwCheckRig(tlwRig *rig, tlwResult result)
{
    if (result == TLW_OK)
        return true;
    if (!rig->failed)
        snprintf(rig->failure, sizeof rig->failure, "%s: %s", tlwGetResultName(result), tlwGetMessage(rig->context));
    rig->failed = true;
    return false;
}

bool tlwStartRig(tlwRig *rig, const tlwSceneDef *def, int threads)
{
    *rig = (tlwRig){0};
    tlwContextDef context = tlwDefaultContextDef();
    context.threads = threads;
    return tlwCheckRig(rig, tlwCreateContext(&context, &rig->context)) &&
           tlwCheckRig(rig, tlwCreateScene(rig->context, def, &rig->scene));
}

void tlwFreeRig(tlwRig *rig)
{
    tlwDestroySim(rig->sim);
    tlwDestroyScene(rig->scene);
    tlwDestroyContext(rig->context);
    rig->sim = NULL;
    rig->scene = NULL;
    rig->context = NULL;
}

int tlwAddRigMaterial(tlwRig *rig, const tlwMaterialDef *def)
{
    int material = -1;
    if (!rig->failed)
        tlwCheckRig(rig, tlwAddMaterial(rig->scene, def, &material));
    return material;
}

int tlwAddRigObject(tlwRig *rig, const char *name, tlwRole role, tlwShape shape, const tlwObjectDef *def)
{
    int object = -1;
    tlwKey key = tlwDefaultKey();
    tlwObjectDef made = def ? *def : tlwDefaultObjectDef();
    made.name = name;
    made.role = role;
    made.mesh = tlwGetShapeMesh(&shape);
    if (made.key_count == 0) {
        made.keys = &key;
        made.key_count = 1;
    }
    if (!rig->failed)
        tlwCheckRig(rig, tlwAddObject(rig->scene, &made, &object));
    tlwFreeShape(&shape);
    return object;
}

int tlwAddRigLiquid(tlwRig *rig, const char *name, tlwShape shape, int material, double temperature)
{
    tlwKey key = tlwDefaultKey();
    key.temperature = temperature;
    tlwObjectDef def = tlwDefaultObjectDef();
    def.material = material;
    def.keys = &key;
    def.key_count = 1;
    return tlwAddRigObject(rig, name, TLW_ROLE_LIQUID, shape, &def);
}

bool tlwRunRig(tlwRig *rig)
{
    return !rig->failed && tlwCheckRig(rig, tlwCreateSim(rig->scene, &rig->sim));
}

bool tlwAdvanceRig(tlwRig *rig, double seconds)
{
    return !rig->failed && rig->sim && tlwCheckRig(rig, tlwAdvance(rig->sim, seconds));
}

tlwStats tlwGetRigStats(const tlwRig *rig)
{
    tlwStats stats = {0};
    if (!rig->failed && rig->sim)
        tlwGetStats(rig->sim, &stats);
    return stats;
}

tlwMaterialDef tlwMakeLiquid(const char *name, double density, double viscosity)
{
    tlwMaterialDef def = tlwDefaultMaterialDef();
    def.name = name;
    def.density_solid = def.density_liquid = density;
    def.viscosity = (tlwCurve){.count = 1, .temperature = {293.15}, .value = {viscosity}};
    return def;
}

tlwMaterialDef tlwMakeParaffin(void)
{
    tlwMaterialDef def = tlwDefaultMaterialDef();
    def.name = "Paraffin";
    def.density_solid = def.density_liquid = 900;
    def.specific_heat_solid = 2100;
    def.specific_heat_liquid = 2900;
    def.conductivity_solid = 0.25;
    def.conductivity_liquid = 0.15;
    def.solidus = 55 + 273.15;
    def.liquidus = 60 + 273.15;
    def.latent_heat = 2.1e5;
    def.viscosity = (tlwCurve){.count = 1, .temperature = {353.15}, .value = {5e-3}};
    def.solid_viscosity = 1e4;
    def.surface_tension = 0;
    return def;
}
