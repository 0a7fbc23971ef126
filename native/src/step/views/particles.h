// Particles in world units, for others to look at.
#ifndef TLW_STEP_VIEWS_PARTICLES_H
#define TLW_STEP_VIEWS_PARTICLES_H

#include "step/views/frame_state.h"

// Memory behind a tlwParticleView. Zero it before the first use.
typedef struct tlwParticleBuffers {
    float *position, *velocity, *rest; // 3 each
    float *temperature, *melt;
    int64_t capacity;
} tlwParticleBuffers;

// `view` shows `buffers` and the particles until the next call.
tlwResult tlwListParticles(const tlwFrameState *state, tlwParticleBuffers *buffers, tlwParticleView *view);
void tlwFreeParticleBuffers(tlwParticleBuffers *buffers);

#endif
