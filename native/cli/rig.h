// A small scene built and run through the public API, for `verify` and `bench`. After the first failure every call does
// nothing and returns false (or -1), and `failure` holds the sentence: a case may go on without looking at each result.
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

// An object with one key at its place, `def` giving the rest; frees the shape. `def` may be null for the defaults; its
// keys are used when it has some.
int tlwAddRigObject(tlwRig *rig, const char *name, tlwRole role, tlwShape shape, const tlwObjectDef *def);

// Liquid of a material at a temperature (K).
int tlwAddRigLiquid(tlwRig *rig, const char *name, tlwShape shape, int material, double temperature);

// From scene to simulation, then on by a time.
bool tlwRunRig(tlwRig *rig);
bool tlwAdvanceRig(tlwRig *rig, double seconds);
tlwStats tlwGetRigStats(const tlwRig *rig); // zeros after a failure

// Remembers the context's message as the failure unless `result` is TLW_OK.
bool tlwCheckRig(tlwRig *rig, tlwResult result);

// A material that flows with one viscosity and never freezes.
tlwMaterialDef tlwMakeLiquid(const char *name, double density, double viscosity);

// Paraffin, but for its density, which is the same in both states unless a case says otherwise.
tlwMaterialDef tlwMakeParaffin(void);

#endif
