// Meshes that several test programs build.
#ifndef TLW_TEST_SHAPES_H
#define TLW_TEST_SHAPES_H

#include "shape/mesh.h"

#include <math.h>
#include <string.h>

#define TEST_PI 3.14159265358979323846

static inline void addBox(tlwMesh *mesh, tlwVec3 low, tlwVec3 high)
{
    static const int32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                         {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    int32_t first = (int32_t)mesh->vertex_count;
    for (int i = 0; i < 8; i++)
        tlwAddVertex(mesh, (float)(i & 1 ? high.x : low.x), (float)(i & 2 ? high.y : low.y),
                     (float)(i & 4 ? high.z : low.z));
    for (int f = 0; f < 12; f++)
        tlwAddTriangle(mesh, first + faces[f][0], first + faces[f][1], first + faces[f][2]);
}

// Sphere of `rows` by 2 `rows` quads, poles closed by triangles.
static inline void addSphere(tlwMesh *mesh, tlwVec3 centre, double radius, int rows)
{
    int columns = 2 * rows;
    int32_t first = (int32_t)mesh->vertex_count;
    tlwReserveMesh(mesh, mesh->vertex_count + (int64_t)columns * (rows - 1) + 2,
                   mesh->triangle_count + 2L * columns * (rows - 1));
    tlwAddVertex(mesh, (float)centre.x, (float)centre.y, (float)(centre.z - radius));
    for (int r = 1; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            double theta = TEST_PI * r / rows, phi = 2 * TEST_PI * c / columns;
            tlwAddVertex(mesh, (float)(centre.x + radius * sin(theta) * cos(phi)),
                         (float)(centre.y + radius * sin(theta) * sin(phi)), (float)(centre.z - radius * cos(theta)));
        }
    tlwAddVertex(mesh, (float)centre.x, (float)centre.y, (float)(centre.z + radius));
    int32_t last = (int32_t)mesh->vertex_count - 1;
    for (int c = 0; c < columns; c++) {
        int32_t d = (c + 1) % columns;
        tlwAddTriangle(mesh, first, first + 1 + d, first + 1 + c);
        for (int r = 0; r + 2 < rows; r++) {
            int32_t a = first + 1 + r * columns;
            tlwAddTriangle(mesh, a + c, a + d, a + columns + d);
            tlwAddTriangle(mesh, a + c, a + columns + d, a + columns + c);
        }
        int32_t a = first + 1 + (rows - 2) * columns;
        tlwAddTriangle(mesh, last, a + c, a + d);
    }
}

// Torus around z.
static inline void addTorus(tlwMesh *mesh, double ring, double tube, int n, int m)
{
    int32_t first = (int32_t)mesh->vertex_count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double u = 2 * TEST_PI * i / n, v = 2 * TEST_PI * j / m;
            tlwAddVertex(mesh, (float)((ring + tube * cos(v)) * cos(u)), (float)((ring + tube * cos(v)) * sin(u)),
                         (float)(tube * sin(v)));
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int32_t a = first + i * m + j, b = first + (i + 1) % n * m + j;
            int32_t c = first + (i + 1) % n * m + (j + 1) % m, d = first + i * m + (j + 1) % m;
            tlwAddTriangle(mesh, a, b, c);
            tlwAddTriangle(mesh, a, c, d);
        }
}

// Turn every triangle from `first` on inside out.
static inline void invert(tlwMesh *mesh, int64_t first)
{
    for (int64_t t = first; t < mesh->triangle_count; t++) {
        int32_t swap = mesh->triangles[3 * t + 1];
        mesh->triangles[3 * t + 1] = mesh->triangles[3 * t + 2];
        mesh->triangles[3 * t + 2] = swap;
    }
}

static inline double randomIn(uint32_t *state, double low, double high)
{
    *state = *state * 1664525u + 1013904223u;
    return low + (high - low) * ((double)(*state >> 8) / 16777216.0);
}

#endif
