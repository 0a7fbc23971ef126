// A small pool for bodies, and joints.
#ifndef TLW_TEST_BODY_HELPERS_H
#define TLW_TEST_BODY_HELPERS_H

#include "sim_helpers.h"

static inline tlwSceneDef poolDef(void)
{
    tlwSceneDef def = smallTank();
    def.domain_max = (tlwVec3){0.24, 0.24, 0.24};
    def.cell_size = 0.015 * COARSER; // two tiles across
    return def;
}

static inline World poolOf(const tlwSceneDef *def)
{
    World w = begin(2, def);
    addBox(&w, TLW_ROLE_LIQUID, "Pool", (tlwVec3){-0.05, -0.05, -0.05}, (tlwVec3){0.3, 0.3, 0.12}, (tlwVec3){0, 0, 0});
    return w;
}

static inline World pool(void)
{
    tlwSceneDef def = poolDef();
    return poolOf(&def);
}

static inline void addJoint(World *w, const char *name, tlwJointKind kind, int a, int b, tlwVec3 anchor)
{
    tlwJointDef def = tlwDefaultJointDef();
    def.name = name;
    def.kind = kind;
    def.object_a = a;
    def.object_b = b;
    def.anchor = anchor;
    def.axis = (tlwVec3){0, 1, 0};
    if (tlwAddJoint(w->scene, &def) != TLW_OK)
        fail_msg("%s", tlwGetMessage(w->context));
}

#endif
