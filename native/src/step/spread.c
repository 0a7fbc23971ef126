#include "step/spread.h"

#include "base/kernel.h"
#include "grid/sample_lanes.h"
#include "step/advect.h"

#include <string.h>

typedef struct Shift {
    const tlwGrid *grid;
    float *shift[3];
    tlwParticles *particles;
} Shift;

static inline float limitShift(float cells)
{
    return cells > 0.25f ? 0.25f : cells < -0.25f ? -0.25f : cells;
}

// Eight at a time; the last ones alone.
TLW_KERNEL static void shiftRange(void *context, int64_t begin, int64_t end)
{
    const Shift *s = context;
    float per_cell = (float)(1 / s->grid->dx), *const *position = s->particles->position;
    const uint32_t *frozen = s->particles->frozen;
    int64_t n = begin;
    for (; tlwFitsLanes(s->grid) && n + TLW_LANES <= end; n += TLW_LANES) {
        float p[3][TLW_LANES], d[3][TLW_LANES];
        for (int a = 0; a < 3; a++)
            memcpy(p[a], position[a] + n, sizeof p[a]);
        tlwSampleVelocityLanes(s->grid, s->shift, (const float(*)[TLW_LANES])p, d);
        for (int a = 0; a < 3; a++)
            for (int l = 0; l < TLW_LANES; l++) {
                float moved = p[a][l] + limitShift(d[a][l] * per_cell);
                position[a][n + l] = frozen[n + l] ? p[a][l] : moved;
            }
    }
    for (; n < end; n++) {
        if (frozen[n])
            continue;
        float p[3] = {position[0][n], position[1][n], position[2][n]}, d[3];
        tlwSampleVelocity(s->grid, s->shift, p, d);
        for (int a = 0; a < 3; a++)
            position[a][n] += limitShift(d[a] * per_cell);
    }
}

tlwResult tlwSpreadParticles(tlwThreads *threads, const tlwFlow *flow, tlwPressure *pressure, tlwParticles *particles)
{
    const tlwGrid *grid = &flow->grid;
    int slots[3];
    Shift s = {.grid = grid, .particles = particles};
    bool needed = false;
    tlwSolveStats stats;
    tlwResult result = tlwSolveDensity(pressure, slots, &needed, &stats);
    if (result == TLW_OK && needed) {
        for (int a = 0; a < 3; a++)
            s.shift[a] = tlwGetFloats(grid, slots[a]);
        tlwParallelFor(threads, particles->count, 4096, shiftRange, &s);
        tlwCollideParticles(threads, flow, particles);
    }
    return result;
}
