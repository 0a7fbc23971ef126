// Joints hold bodies in liquid, on each other and on animated solids.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "body_helpers.h"

// Where a point that belongs to a body at the start is now.
static tlwVec3 pointOf(World *w, int object, tlwVec3 start)
{
    tlwBodyState s = bodyOf(w, object);
    return tlwAdd(s.position, tlwRotate(s.rotation, start));
}

// An arm on a hinge in the air swings a block on a ball joint into the water.
static void test_joints_hold_while_a_block_swings_into_the_water(void **state)
{
    (void)state;
    tlwSceneDef def = poolDef();
    def.domain_max = (tlwVec3){0.4, 0.2, 0.32};
    def.cell_size = 0.02;
    World w = poolOf(&def);
    const tlwVec3 axle = {0.14, 0.1, 0.2}, pin = {0.27, 0.1, 0.2};
    int arm = addBody(&w, "Arm", (tlwVec3){0.14, 0.09, 0.19}, (tlwVec3){0.26, 0.11, 0.21}, 2000);
    int bob = addBody(&w, "Bob", (tlwVec3){0.29, 0.07, 0.17}, (tlwVec3){0.35, 0.13, 0.23}, 3000);
    addJoint(&w, "Axle", TLW_JOINT_HINGE, arm, -1, axle);
    addJoint(&w, "Pin", TLW_JOINT_BALL, arm, bob, pin);
    run(&w);
    double off = 0, gap = 0, lean = 0, lowest = 1, fastest = 0;
    for (int frame = 0; frame < FRAMES(24); frame++) {
        advance(&w, 1.0 / 24);
        tlwBodyState s = bodyOf(&w, arm);
        off = fmax(off, tlwLength(tlwSub(pointOf(&w, arm, axle), axle)));
        gap = fmax(gap, tlwLength(tlwSub(pointOf(&w, arm, pin), pointOf(&w, bob, pin))));
        lean = fmax(lean, 1 - tlwRotate(s.rotation, (tlwVec3){0, 1, 0}).y);
        lowest = fmin(lowest, bodyOf(&w, bob).centre.z);
        fastest = fmax(fastest, tlwLength(bodyOf(&w, bob).velocity));
    }
    print_message("axle off by %.3f mm, pin by %.3f mm, axis by %.2g, bob down to %.3f m at up to %.2f m/s\n",
                  1000 * off, 1000 * gap, lean, lowest, fastest);
    OUTCOME(off < 1e-4 && gap < 1e-4);
    OUTCOME(lean < 1e-6);
    OUTCOME(lowest < 0.06 && fastest > 0.8 && fastest < 2);
    end(&w);
}

// A solid that is moved by keys, and a body that hangs on it. At the end: where the joint is, from the solid's side.
static int hangOnCrank(World *w, tlwJointKind kind, bool turns)
{
    float positions[24];
    tlwObjectDef def = tlwDefaultObjectDef();
    tlwKey keys[2] = {tlwDefaultKey(), tlwDefaultKey()};
    for (int n = 0; n < 2; n++)
        keys[n].position = (tlwVec3){0.08 + 0.08 * n, 0.12, 0.2};
    keys[1].time = 0.25;
    if (turns)
        keys[1].rotation = (tlwQuat){sqrt(0.5), 0, 0, sqrt(0.5)}; // a quarter turn about z
    def.name = "Crank";
    def.role = TLW_ROLE_SOLID;
    def.mesh = boxMesh(positions, (tlwVec3){-0.015, -0.015, -0.015}, (tlwVec3){0.015, 0.015, 0.015});
    def.keys = keys;
    def.key_count = 2;
    tlwJointDef joint = tlwDefaultJointDef();
    if (tlwAddObject(w->scene, &def, &joint.object_b) != TLW_OK)
        fail_msg("%s", tlwGetMessage(w->context));
    joint.object_a = addBody(w, "Hook", (tlwVec3){0.065, 0.105, 0.15}, (tlwVec3){0.095, 0.135, 0.18}, 2000);
    joint.name = "Pin";
    joint.kind = kind;
    joint.anchor = (tlwVec3){0.08, 0.12, 0.18};
    joint.axis = kind == TLW_JOINT_SLIDER ? (tlwVec3){0, 0, 1} : (tlwVec3){0, 1, 0};
    if (tlwAddJoint(w->scene, &joint) != TLW_OK)
        fail_msg("%s", tlwGetMessage(w->context));
    return joint.object_a;
}

static void test_an_animated_solid_drags_a_body_by_its_joint(void **state)
{
    (void)state;
    static const char *const names[] = {"fixed", "ball", "hinge", "slider"};
    for (int kind = TLW_JOINT_FIXED; kind <= TLW_JOINT_SLIDER; kind++) {
        World w = pool();
        int hook = hangOnCrank(&w, (tlwJointKind)kind, kind == TLW_JOINT_FIXED);
        run(&w);
        for (int n = 0; n < FRAMES(6); n++)
            advance(&w, 1.0 / 24);
        tlwBodyState body = bodyOf(&w, hook);
        // Its top, where the joint was made; the body's own origin is that of the world at the start.
        tlwVec3 top = tlwAdd(body.position, tlwRotate(body.rotation, (tlwVec3){0.08, 0.12, 0.18}));
        double off = hypot(top.x - 0.16, top.y - 0.12);
        print_message("%s: top at %.4f %.4f %.4f, turn %.3f about z\n", names[kind], top.x, top.y, top.z,
                      2 * atan2(body.rotation.z, body.rotation.w));
        OUTCOME(off < 1e-3);
        if (kind == TLW_JOINT_SLIDER)
            OUTCOME(top.z < 0.15); // slides down its rail
        else
            OUTCOME(fabs(top.z - 0.18) < 1e-3);
        if (kind == TLW_JOINT_FIXED)
            OUTCOME(fabs(2 * atan2(body.rotation.z, body.rotation.w) - acos(0)) < 1e-2);
        end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints_hold_while_a_block_swings_into_the_water),
        cmocka_unit_test(test_an_animated_solid_drags_a_body_by_its_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
