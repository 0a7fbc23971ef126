// The same inputs give the same bits: again, with more threads, and after saving and loading.
#include "rigid_shapes.h"

#include "rigid/save.h"

#define DT (1.0 / 240)

// A pile with balls, boxes, a hook on a hinge and two bodies fixed to each other.
static void buildPile(Scene *s, Shape *hook, tlwThreads *threads)
{
    openScene(s, v3(0, 0, -9.81));
    s->world->def.threads = threads;
    addWall(s, v3(0, 0, 1), 0, 0.5);
    for (int i = 0; i < 14; i++) {
        tlwVec3 at = v3(0.11 * (i % 3) + 0.01 * i, 0.12 * (i % 2), 0.15 + 0.22 * i);
        tlwBody b = i % 3 ? boxBody(s, 1 + 0.1 * i, v3(0.1, 0.07, 0.05), at) : ballBody(s, 1, 0.09, at);
        b.spin = v3(i, -2 * i, 3);
        b.restitution = 0.2;
        addBody(s, b);
    }
    *hook = (Shape){0};
    addPart(hook, v3(0.2, 0.05, 0.05), v3(0, 0, 0), 0);
    addPart(hook, v3(0.05, 0.05, 0.15), v3(-0.15, 0, 0.1), 0);
    tlwBody b = shapeBody(s, hook, 500, 300, 0.0125);
    tlwPlaceBody(&b, v3(0.6, 0, 1), (tlwQuat){1, 0, 0, 0});
    int index = addBody(s, b), joint;
    assert_int_equal(tlwAddRigidJoint(s->world, TLW_JOINT_HINGE, index, -1, v3(0.8, 0, 1), v3(0, 1, 0), &joint, NULL),
                     TLW_OK);
    assert_int_equal(tlwAddRigidJoint(s->world, TLW_JOINT_FIXED, 1, 2, v3(0, 0, 0), v3(0, 0, 0), &joint, NULL), TLW_OK);
}

static void assertSameBits(const tlwRigidWorld *a, const tlwRigidWorld *b)
{
    unsigned char *bytes[2];
    size_t size[2];
    assert_int_equal(tlwSaveRigidWorld(a, &bytes[0], &size[0], NULL), TLW_OK);
    assert_int_equal(tlwSaveRigidWorld(b, &bytes[1], &size[1], NULL), TLW_OK);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    tlwFree(bytes[0]);
    tlwFree(bytes[1]);
}

static void test_threads_do_not_change_a_bit(void **state)
{
    (void)state;
    Scene one, many;
    Shape hooks[2];
    buildPile(&one, &hooks[0], NULL);
    tlwThreads *threads = tlwCreateThreads(2);
    buildPile(&many, &hooks[1], threads);
    for (int i = 0; i < 3; i++) {
        run(&one, 0.25, DT);
        run(&many, 0.25, DT);
        assertSameBits(one.world, many.world);
    }
    assert_true(one.world->contacts.count > 10);
    closeScene(&one);
    closeScene(&many);
    tlwDestroyThreads(threads);
    freeShape(&hooks[0]);
    freeShape(&hooks[1]);
}

static void test_loaded_world_goes_on_bit_for_bit(void **state)
{
    (void)state;
    Scene first, second;
    Shape hooks[2];
    buildPile(&first, &hooks[0], NULL);
    buildPile(&second, &hooks[1], NULL);
    run(&first, 0.6, DT);
    unsigned char *bytes;
    size_t size;
    assert_int_equal(tlwSaveRigidWorld(first.world, &bytes, &size, NULL), TLW_OK);
    assert_int_equal(tlwLoadRigidWorld(second.world, bytes, size, NULL), TLW_OK);
    assertSameBits(first.world, second.world);
    run(&first, 0.4, DT);
    run(&second, 0.4, DT);
    assertSameBits(first.world, second.world);
    tlwFree(bytes);
    closeScene(&first);
    closeScene(&second);
    freeShape(&hooks[0]);
    freeShape(&hooks[1]);
}

static void test_damaged_bytes_change_nothing(void **state)
{
    (void)state;
    Scene s;
    Shape hook;
    buildPile(&s, &hook, NULL);
    run(&s, 0.3, DT);
    unsigned char *bytes;
    size_t size;
    assert_int_equal(tlwSaveRigidWorld(s.world, &bytes, &size, NULL), TLW_OK);
    run(&s, 0.1, DT);
    double before = body(&s, 3)->position.z;
    for (size_t cut = 0; cut < size; cut += 97)
        assert_int_equal(tlwLoadRigidWorld(s.world, bytes, cut, &s.message), TLW_BAD_FILE);
    for (int i = 0; i < 40; i++) { // the head: magic and counts
        unsigned char old = bytes[i];
        bytes[i] = (unsigned char)~old;
        tlwResult result = tlwLoadRigidWorld(s.world, bytes, size, &s.message);
        bytes[i] = old;
        assert_true(result == TLW_BAD_FILE || (i >= 8 && i < 16)); // 8..15 is a plain number
        if (i < 8)
            assert_true(body(&s, 3)->position.z == before);
    }
    assert_int_equal(tlwLoadRigidWorld(s.world, bytes, size, &s.message), TLW_OK);
    assert_true(body(&s, 3)->position.z != before);
    run(&s, 0.1, DT);
    assert_true(body(&s, 3)->position.z == before);
    tlwFree(bytes);
    closeScene(&s);
    freeShape(&hook);
}

static void test_removed_body_leaves_nothing_behind(void **state)
{
    (void)state;
    Scene s;
    Shape hook;
    buildPile(&s, &hook, NULL);
    run(&s, 0.5, DT);
    tlwRemoveRigidBody(s.world, 1);
    for (int64_t i = 0; i < s.world->contacts.count; i++)
        assert_true(s.world->contacts.items[i].body_a != 1 && s.world->contacts.items[i].body_b != 1);
    assert_false(s.world->joints[1].used);
    run(&s, 0.5, DT);
    int index = addBody(&s, ballBody(&s, 1, 0.05, v3(3, 3, 1)));
    assert_int_equal(index, 1);
    run(&s, 1, DT);
    assert_true(fabs(body(&s, 1)->position.z - 0.05) < 1e-3);
    closeScene(&s);
    freeShape(&hook);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_do_not_change_a_bit),
        cmocka_unit_test(test_loaded_world_goes_on_bit_for_bit),
        cmocka_unit_test(test_damaged_bytes_change_nothing),
        cmocka_unit_test(test_removed_body_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
