// A checkpoint holds any number of bodies.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "body_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ACROSS = 7, BODIES = ACROSS * ACROSS * ACROSS };

// Small boxes on a lattice above the pool.
static World makeWorld(int objects[BODIES])
{
    World w = pool();
    for (int n = 0; n < BODIES; n++) {
        char name[16];
        snprintf(name, sizeof name, "Box%d", n);
        tlwVec3 low = {0.01 + 0.032 * (n % ACROSS), 0.01 + 0.032 * (n / ACROSS % ACROSS),
                       0.125 + 0.016 * (n / (ACROSS * ACROSS))};
        objects[n] = addBody(&w, name, low, (tlwVec3){low.x + 0.01, low.y + 0.01, low.z + 0.01}, 500 + n);
    }
    run(&w);
    return w;
}

static void test_hundreds_of_bodies_go_on_from_a_checkpoint(void **state)
{
    (void)state;
    int first[BODIES], second[BODIES];
    char path[] = "tallow_many_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    World whole = makeWorld(first), resumed = makeWorld(second);
    advance(&whole, 1.0 / 24);
    tlwResult result = tlwSaveState(whole.sim, path);
    if (result != TLW_OK)
        fail_msg("%s", tlwGetMessage(whole.context));
    assert_int_equal(tlwLoadState(resumed.sim, path), TLW_OK);
    unlink(path);
    advance(&whole, 1.0 / 48);
    advance(&resumed, 1.0 / 48);
    for (int n = 0; n < BODIES; n++) {
        tlwBodyState a = bodyOf(&whole, first[n]), b = bodyOf(&resumed, second[n]);
        assert_memory_equal(&a.position, &b.position, sizeof a.position);
        assert_memory_equal(&a.velocity, &b.velocity, sizeof a.velocity);
    }
    end(&whole);
    end(&resumed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hundreds_of_bodies_go_on_from_a_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
