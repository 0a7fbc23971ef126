#include "rigid/sdf_collider.h"

#include "rigid/mesh_balls.h"
#include "shape/sdf_sample.h"

static void sampleSdf(const void *user, const tlwVec3 *points, int count, double *distance, tlwVec3 *gradient)
{
    enum { CHUNK = 128 };
    float p[3 * CHUNK], d[CHUNK], g[3 * CHUNK];
    for (int first = 0; first < count; first += CHUNK) {
        int n = count - first < CHUNK ? count - first : CHUNK;
        for (int i = 0; i < n; i++) {
            p[3 * i] = (float)points[first + i].x;
            p[3 * i + 1] = (float)points[first + i].y;
            p[3 * i + 2] = (float)points[first + i].z;
        }
        tlwSampleSdfGradient(user, p, n, d, g);
        for (int i = 0; i < n; i++) {
            distance[first + i] = d[i];
            gradient[first + i] = (tlwVec3){g[3 * i], g[3 * i + 1], g[3 * i + 2]};
        }
    }
}

tlwResult tlwCreateSdfCollider(const tlwSdf *sdf, const tlwMesh *mesh, int target, tlwCollider **collider,
                               tlwMessage *message)
{
    if (mesh->vertex_count > INT32_MAX || mesh->triangle_count > INT32_MAX / 3)
        return tlwFail(message, TLW_BAD_MESH, "A collider mesh has more than 700 million triangles; simplify it.");
    tlwVec3 low, high;
    tlwGetMeshBounds(mesh, &low, &high);
    tlwVec3 side = tlwSub(high, low);
    double voxel = tlwGetSdfVoxelSize(sdf), thin = fmin(side.x, fmin(side.y, side.z));
    tlwBallDef def = tlwDefaultBallDef();
    if (target > 0)
        def.target = target;
    // The field rounds corners over about half a voxel, so balls must not be smaller. Balls larger than a voxel would
    // round corners more.
    def.inset = tlwClamp(0.02 * thin, 0.5 * voxel, voxel);
    tlwMeshData data = {mesh->positions, (int)mesh->vertex_count, mesh->triangles, (int)mesh->triangle_count};
    return tlwCreateFieldCollider(sampleSdf, sdf, tlwGetSdfBand(sdf), &data, &def, collider, message);
}

tlwResult tlwSetBodyMass(tlwBody *body, const tlwMesh *mesh, double density, double mass, tlwMessage *message)
{
    const char *name = body->name ? body->name : "A rigid body";
    tlwMassProperties properties;
    tlwGetMassProperties(mesh, &properties);
    if (!(properties.volume > 0))
        return tlwFail(message, TLW_BAD_MESH, "%s encloses no volume; close its mesh or make it a solid.", name);
    if (mass < 0 || (mass == 0 && !(density > 0)) || !isfinite(mass) || !isfinite(density))
        return tlwFail(message, TLW_BAD_ARGUMENT, "%s needs a density or a mass above 0, not %g kg/m3 and %g kg.", name,
                       density, mass);
    body->mass = mass > 0 ? mass : density * properties.volume;
    body->centre = properties.centre;
    double scale = body->mass / properties.volume;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            body->inertia.m[i][j] = scale * properties.inertia[i][j];
    return TLW_OK;
}
