// `tallow bench`: scenes whose speed is measured. The list is in bench_scenes.c.
#ifndef TLW_CLI_BENCH_H
#define TLW_CLI_BENCH_H

#include "rig.h"

typedef struct tlwBenchScene {
    const char *name;
    const char *description; // one line
    // Builds the scene but does not call tlwRunRig. `variant` runs from 0; its meaning depends on the scene.
    void (*build)(tlwRig *rig, int resolution, int variant, int threads);
    int variants;
    int resolution; // cells along the longest side unless the caller says otherwise
    int frames;     // measured, after a frame to warm up
    double step;    // s per frame
} tlwBenchScene;

#endif
