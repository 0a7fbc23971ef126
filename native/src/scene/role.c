#include "scene/role.h"

// One row per role. Heat sources come last, with one row per tlwHeatKind, in the order of that enum.
static const tlwRoleTraits table[] = {
    [TLW_ROLE_LIQUID] = {.name = "liquid", .has_material = true, .fills = true},
    [TLW_ROLE_INFLOW] = {.name = "inflow", .has_material = true, .gives = true},
    [TLW_ROLE_OUTFLOW] = {.name = "outflow", .takes = true},
    [TLW_ROLE_SOLID] = {.name = "solid", .obstacle = true, .may_deform = true},
    [TLW_ROLE_RIGID] = {.name = "rigid", .obstacle = true, .body = true},
    [TLW_ROLE_HEAT +
        TLW_HEAT_SOLID] = {.name = "heat", .obstacle = true, .stays = true, .heats = true, .may_deform = true},
    [TLW_ROLE_HEAT + TLW_HEAT_VOLUME] = {.name = "heat", .heats = true, .warms_inside = true, .may_deform = true},
    [TLW_ROLE_HEAT + TLW_HEAT_LAMP] = {.name = "heat", .heats = true, .shines = true, .may_deform = true},
};

const tlwRoleTraits *tlwGetTraits(const tlwObjectDef *def)
{
    return &table[def->role == TLW_ROLE_HEAT ? (int)TLW_ROLE_HEAT + (int)def->heat_kind : (int)def->role];
}

bool tlwIsRole(int role)
{
    return role >= 0 && role < TLW_ROLE_COUNT;
}

const char *tlwGetRoleName(tlwRole role)
{
    return tlwIsRole((int)role) ? table[role].name : "unknown";
}

void tlwListRoleNames(const char *names[TLW_ROLE_COUNT + 1])
{
    for (int n = 0; n < TLW_ROLE_COUNT; n++)
        names[n] = table[n].name;
    names[TLW_ROLE_COUNT] = NULL;
}

bool tlwIsObstacle(const tlwObjectDef *def)
{
    return tlwGetTraits(def)->obstacle;
}

bool tlwIsLiquid(const tlwObjectDef *def)
{
    return tlwGetTraits(def)->fills;
}

bool tlwIsSource(const tlwObjectDef *def)
{
    return tlwGetTraits(def)->gives || tlwGetTraits(def)->takes;
}

bool tlwIsHeatedVolume(const tlwObjectDef *def)
{
    return tlwGetTraits(def)->warms_inside;
}
