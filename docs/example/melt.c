// A cube of wax melts on a hot plate for one second. Build and run:
//     cc -std=c11 melt.c $(pkg-config --cflags --libs tallow) -o melt && ./melt
#include <stdio.h>
#include <stdlib.h>
#include <tallow/tallow.h>

static tlwContext *context;
static tlwScene *scene;

static void check(tlwResult result)
{
    if (result == TLW_OK)
        return;
    fprintf(stderr, "%s: %s\n", tlwGetResultName(result), context ? tlwGetMessage(context) : "no context");
    exit(1);
}

// A box around the z axis, `r` to each side.
static void addBox(tlwObjectDef def, float r, float bottom, float top, double celsius)
{
    const float corners[] = {-r, -r, bottom, r, -r, bottom, -r, r, bottom, r, r, bottom,
                             -r, -r, top,    r, -r, top,    -r, r, top,    r, r, top};
    const int32_t triangles[] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    tlwKey key = tlwDefaultKey();
    key.temperature = celsius + 273.15;
    def.mesh = (tlwMeshData){corners, 8, triangles, 12};
    def.keys = &key;
    def.key_count = 1;
    check(tlwAddObject(scene, &def, &(int){0}));
}

int main(void)
{
    tlwContextDef callbacks = tlwDefaultContextDef();
    check(tlwCreateContext(&callbacks, &context));

    tlwSceneDef room = tlwDefaultSceneDef();
    room.domain_min = (tlwVec3){-0.1, -0.1, 0};
    room.domain_max = (tlwVec3){0.1, 0.1, 0.1};
    room.cell_size = 0.005;
    room.thermal_speed = 300; // in this second heat goes as far as in five real minutes
    check(tlwCreateScene(context, &room, &scene));

    tlwMaterialDef wax = tlwDefaultMaterialDef(); // water; what follows makes it paraffin
    wax.name = "Paraffin";
    wax.density_solid = wax.density_liquid = 900;
    wax.solidus = 55 + 273.15;
    wax.liquidus = 60 + 273.15;
    wax.latent_heat = 2.1e5;
    tlwObjectDef cube = tlwDefaultObjectDef(), plate = tlwDefaultObjectDef();
    check(tlwAddMaterial(scene, &wax, &cube.material));
    cube.name = "Cube";
    plate.name = "Hot plate";
    plate.role = TLW_ROLE_HEAT;
    plate.conductivity = 200;
    addBox(plate, 0.08f, 0.005f, 0.02f, 150);
    addBox(cube, 0.02f, 0.02f, 0.06f, 20);

    tlwSim *sim;
    check(tlwCreateSim(scene, &sim));
    for (int frame = 1; frame <= 24; frame++) {
        tlwStats stats;
        check(tlwAdvance(sim, 1.0 / 24));
        tlwGetStats(sim, &stats);
        printf("frame %2d: %.2f ml of wax, %.0f %% melted\n", frame, 1e6 * stats.surface_volume, 100 * stats.melted);
    }
    tlwDestroySim(sim);
    tlwDestroyScene(scene);
    tlwDestroyContext(context);
}
