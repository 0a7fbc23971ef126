// One frame of a cache: its files and its entry in bake.json.
#ifndef TLW_CACHE_FRAME_H
#define TLW_CACHE_FRAME_H

#include "cache/text.h"
#include "step/views/particles.h"
#include "step/views/surface_mesh.h"
#include "tallow/tallow.h"

// Wall clock of a frame, s.
typedef struct tlwFrameTimes {
    double seconds; // from the previous frame to this one
    double waited;  // part of `seconds` spent waiting for output
} tlwFrameTimes;

// The frame's rigid_*.json; empty when there are no bodies and no frozen pieces.
tlwResult tlwDescribeBodies(const tlwSim *sim, const tlwScene *scene, int frame, tlwText *text);

// Memory that frames are made in. Zero it before the first use.
typedef struct tlwFrameBuffers {
    tlwSurfaceBuffers surface;
    tlwParticleBuffers particles;
} tlwFrameBuffers;

// Writes the files that the scene asks for (surface, mesh, particles, rigid bodies) and leaves the frame's JSON object
// in `entry`. Messages go to the state's context.
tlwResult tlwWriteFrame(const tlwFrameState *state, tlwFrameBuffers *buffers, const char *folder, int frame,
                        const tlwText *bodies, const tlwFrameTimes *times, tlwText *entry);
void tlwFreeFrameBuffers(tlwFrameBuffers *buffers);

#endif
