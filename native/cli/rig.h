// A small scene built and run through the public API, for `verify` and `bench`. After the first failure every call does
// nothing and returns false (or -1), and `failure` holds the message. So a case need not check each result.
#ifndef TLW_CLI_RIG_H
#define TLW_CLI_RIG_H

#include "shapes.h"

typedef struct tlwRig {
    tlwContext *context;
    tlwScene *scene;
    tlwSim *sim;
    bool failed;
    char failure[512];
} tlwRig;

// A context and an empty scene. Free with tlwFreeRig in any case.
bool tlwStartRig(tlwRig *rig, const tlwSceneDef *def, int threads);
void tlwFreeRig(tlwRig *rig);

int tlwAddRigMaterial(tlwRig *rig, const tlwMaterialDef *def);

// Add an object and free the shape. `def` gives everything else; null = the defaults. Without keys in `def` the object
// gets one key at rest.
int tlwAddRigObject(tlwRig *rig, const char *name, tlwRole role, tlwShape shape, const tlwObjectDef *def);

// Liquid of a material at a temperature (K).
int tlwAddRigLiquid(tlwRig *rig, const char *name, tlwShape shape, int material, double temperature);

// Create the simulation from the scene, then advance it.
bool tlwRunRig(tlwRig *rig);
bool tlwAdvanceRig(tlwRig *rig, double seconds);
tlwStats tlwGetRigStats(const tlwRig *rig); // zeros after a failure

// Unless `result` is TLW_OK, records the context's message as the failure.
bool tlwCheckRig(tlwRig *rig, tlwResult result);

// A material that flows with one viscosity and never freezes.
tlwMaterialDef tlwMakeLiquid(const char *name, double density, double viscosity);

// Paraffin, except that solid and liquid have the same density. A case may change that.
tlwMaterialDef tlwMakeParaffin(void);

#endif
