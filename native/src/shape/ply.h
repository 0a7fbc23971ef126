// PLY files: meshes in, surfaces and particles out (docs/scene-format.md).
#ifndef TLW_SHAPE_PLY_H
#define TLW_SHAPE_PLY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tlwPlyInfo {
    int64_t vertices, faces;
    bool has_velocity, has_temperature; // written by Tallow
} tlwPlyInfo;

#endif
