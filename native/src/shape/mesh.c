#include "shape/mesh.h"

#include "base/memory.h"
#include "base/vec.h"

#include <string.h>

bool tlwReserveMesh(tlwMesh *mesh, int64_t vertices, int64_t triangles)
{
    if (vertices > INT32_MAX || triangles > INT32_MAX / 3)
        return false;
    void *positions = mesh->positions, *indices = mesh->triangles;
    bool ok = tlwReserve(&positions, &mesh->vertex_capacity, 3 * vertices, sizeof(float));
    mesh->positions = positions;
    ok = ok && tlwReserve(&indices, &mesh->triangle_capacity, 3 * triangles, sizeof(int32_t));
    mesh->triangles = indices;
    return ok;
}

static tlwResult copyArrays(const float *positions, int64_t vertices, const int32_t *triangles, int64_t triangle_count,
                            tlwMessage *message, tlwMesh *mesh)
{
    memset(mesh, 0, sizeof *mesh);
    if (!tlwReserveMesh(mesh, vertices, triangle_count)) {
        tlwDestroyMesh(mesh);
        return tlwFailMemory(message, "a mesh");
    }
    if (vertices)
        memcpy(mesh->positions, positions, 3 * (size_t)vertices * sizeof(float));
    if (triangle_count)
        memcpy(mesh->triangles, triangles, 3 * (size_t)triangle_count * sizeof(int32_t));
    mesh->vertex_count = vertices;
    mesh->triangle_count = triangle_count;
    return TLW_OK;
}

tlwResult tlwCreateMesh(const tlwMeshData *data, tlwMessage *message, tlwMesh *mesh)
{
    memset(mesh, 0, sizeof *mesh);
    if (data->vertex_count < 0 || data->triangle_count < 0 || (data->vertex_count > 0 && !data->positions) ||
        (data->triangle_count > 0 && !data->triangles))
        return tlwFail(message, TLW_BAD_ARGUMENT, "A mesh was handed over with negative counts or missing arrays.");
    return copyArrays(data->positions, data->vertex_count, data->triangles, data->triangle_count, message, mesh);
}

tlwResult tlwCopyMesh(const tlwMesh *source, tlwMessage *message, tlwMesh *mesh)
{
    return copyArrays(source->positions, source->vertex_count, source->triangles, source->triangle_count, message,
                      mesh);
}

void tlwDestroyMesh(tlwMesh *mesh)
{
    tlwFree(mesh->positions);
    tlwFree(mesh->triangles);
    memset(mesh, 0, sizeof *mesh);
}

bool tlwAddVertex(tlwMesh *mesh, float x, float y, float z)
{
    if (!tlwReserveMesh(mesh, mesh->vertex_count + 1, 0))
        return false;
    float *p = mesh->positions + 3 * mesh->vertex_count++;
    p[0] = x;
    p[1] = y;
    p[2] = z;
    return true;
}

bool tlwAddTriangle(tlwMesh *mesh, int32_t a, int32_t b, int32_t c)
{
    if (!tlwReserveMesh(mesh, 0, mesh->triangle_count + 1))
        return false;
    int32_t *t = mesh->triangles + 3 * mesh->triangle_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
    return true;
}

static tlwVec3 vertexAt(const tlwMesh *mesh, int32_t v)
{
    const float *p = mesh->positions + 3 * (int64_t)v;
    return (tlwVec3){p[0], p[1], p[2]};
}

void tlwGetMeshBounds(const tlwMesh *mesh, tlwVec3 *low, tlwVec3 *high)
{
    *low = *high = (tlwVec3){0, 0, 0};
    if (mesh->vertex_count == 0)
        return;
    float lo[3], hi[3];
    memcpy(lo, mesh->positions, sizeof lo);
    memcpy(hi, mesh->positions, sizeof hi);
    for (int64_t v = 0; v < mesh->vertex_count; v++)
        for (int a = 0; a < 3; a++) {
            float x = mesh->positions[3 * v + a];
            lo[a] = x < lo[a] ? x : lo[a];
            hi[a] = x > hi[a] ? x : hi[a];
        }
    *low = (tlwVec3){lo[0], lo[1], lo[2]};
    *high = (tlwVec3){hi[0], hi[1], hi[2]};
}

// A reference point near the mesh. Sums of signed volumes about the world's origin would lose digits for a mesh far
// away.
static tlwVec3 middleOf(const tlwMesh *mesh)
{
    tlwVec3 low, high;
    tlwGetMeshBounds(mesh, &low, &high);
    return tlwScale(tlwAdd(low, high), 0.5);
}

double tlwGetMeshVolume(const tlwMesh *mesh)
{
    tlwVec3 o = middleOf(mesh);
    double six = 0;
    for (int64_t t = 0; t < mesh->triangle_count; t++) {
        const int32_t *v = mesh->triangles + 3 * t;
        tlwVec3 a = tlwSub(vertexAt(mesh, v[0]), o), b = tlwSub(vertexAt(mesh, v[1]), o),
                c = tlwSub(vertexAt(mesh, v[2]), o);
        six += tlwDot(a, tlwCross(b, c));
    }
    return six / 6;
}

double tlwGetMeshArea(const tlwMesh *mesh)
{
    double two = 0;
    for (int64_t t = 0; t < mesh->triangle_count; t++) {
        const int32_t *v = mesh->triangles + 3 * t;
        tlwVec3 a = vertexAt(mesh, v[0]);
        two += tlwLength(tlwCross(tlwSub(vertexAt(mesh, v[1]), a), tlwSub(vertexAt(mesh, v[2]), a)));
    }
    return two / 2;
}

bool tlwIsTriangleDegenerate(const tlwMesh *mesh, int64_t triangle)
{
    const int32_t *v = mesh->triangles + 3 * triangle;
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
        return true;
    tlwVec3 a = vertexAt(mesh, v[0]), b = vertexAt(mesh, v[1]), c = vertexAt(mesh, v[2]);
    tlwVec3 ab = tlwSub(b, a), ac = tlwSub(c, a), bc = tlwSub(c, b);
    double longest = fmax(tlwDot(ab, ab), fmax(tlwDot(ac, ac), tlwDot(bc, bc)));
    return !(tlwLength(tlwCross(ab, ac)) / 2 > 1e-10 * longest);
}

// Sum over the tetrahedra (o, a, b, c): with det = a . (b x c), the integral of x_i x_j is
// det / 120 * (sum of products over corner pairs + the same over equal corners), o being the origin.
void tlwGetMassProperties(const tlwMesh *mesh, tlwMassProperties *properties)
{
    tlwVec3 o = middleOf(mesh);
    double six = 0, first[3] = {0}, second[3][3] = {{0}};
    for (int64_t t = 0; t < mesh->triangle_count; t++) {
        double p[3][3], sum[3];
        for (int k = 0; k < 3; k++) {
            tlwVec3 v = tlwSub(vertexAt(mesh, mesh->triangles[3 * t + k]), o);
            p[k][0] = v.x;
            p[k][1] = v.y;
            p[k][2] = v.z;
        }
        double det = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                     p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                     p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
        six += det;
        for (int i = 0; i < 3; i++) {
            sum[i] = p[0][i] + p[1][i] + p[2][i];
            first[i] += det * sum[i];
        }
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++)
                second[i][j] += det * (sum[i] * sum[j] + p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j]);
    }
    double volume = six / 6;
    double centre[3] = {0};
    for (int i = 0; i < 3 && volume != 0; i++)
        centre[i] = first[i] / 24 / volume;
    double moment[3][3]; // integral of x_i x_j about the centre
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            moment[i][j] = moment[j][i] = second[i][j] / 120 - volume * centre[i] * centre[j];
    double trace = moment[0][0] + moment[1][1] + moment[2][2];
    properties->volume = volume;
    properties->centre = tlwAdd(o, (tlwVec3){centre[0], centre[1], centre[2]});
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            properties->inertia[i][j] = (i == j ? trace : 0) - moment[i][j];
}

void tlwTransformMesh(tlwMesh *mesh, tlwVec3 position, tlwQuat rotation, tlwVec3 scale)
{
    tlwMat3 r = tlwQuatToMat3(tlwQuatNormalize(rotation));
    for (int64_t v = 0; v < mesh->vertex_count; v++) {
        float *p = mesh->positions + 3 * v;
        tlwVec3 q = tlwAdd(tlwMulMat3(r, (tlwVec3){p[0] * scale.x, p[1] * scale.y, p[2] * scale.z}), position);
        p[0] = (float)q.x;
        p[1] = (float)q.y;
        p[2] = (float)q.z;
    }
    if (!(scale.x * scale.y * scale.z < 0))
        return;
    for (int64_t t = 0; t < mesh->triangle_count; t++) {
        int32_t swap = mesh->triangles[3 * t + 1];
        mesh->triangles[3 * t + 1] = mesh->triangles[3 * t + 2];
        mesh->triangles[3 * t + 2] = swap;
    }
}
