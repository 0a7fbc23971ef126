#include "step/views/sample.h"

#include "base/vec.h"
#include "grid/sample.h"

bool tlwIsField(int field)
{
    return field >= TLW_FIELD_VELOCITY && field <= TLW_FIELD_VISCOSITY;
}

void tlwSampleFlow(const tlwFlow *flow, tlwField field, const double *points, int count, double *out)
{
    const tlwGrid *grid = &flow->grid;
    const int slots[] = {-1, flow->phi, flow->pressure, flow->temperature, flow->viscosity};
    float *velocity[3];
    for (int a = 0; a < 3; a++)
        velocity[a] = tlwGetFloats(grid, flow->velocity[a]);
    for (int n = 0; n < count; n++) {
        tlwVec3 w = {points[3 * n], points[3 * n + 1], points[3 * n + 2]};
        w = tlwScale(tlwSub(w, grid->origin), 1 / grid->dx);
        float p[3] = {(float)w.x, (float)w.y, (float)w.z}, v[3];
        if (field == TLW_FIELD_VELOCITY) {
            tlwSampleVelocity(grid, velocity, p, v);
            for (int a = 0; a < 3; a++)
                out[3 * n + a] = v[a];
        } else {
            out[n] = tlwSampleCentre(grid, tlwGetFloats(grid, slots[field]), p);
        }
    }
}
