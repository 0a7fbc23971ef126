// Material that has not melted shows the surface of the object's mesh, as fine as the surface mesh can. The grid knows
// that surface to a fraction of a cell only, and the fit of the volume moves it a little from frame to frame.
#ifndef TLW_STEP_VIEWS_DETAIL_H
#define TLW_STEP_VIEWS_DETAIL_H

#include "step/obstacles/placed_mesh.h"
#include "step/views/attributes.h"
#include "step/views/start_mesh.h"
#include "step/views/unmelted.h"

// What became of a vertex.
typedef struct tlwKept {
    float share;     // 0 = as it was meshed, 1 = on the object's mesh
    float rests;     // 0 = the fit of the volume moves it, 1 = it stays as it was meshed
    float rest[3];   // m, world: where it was at the start
    float target[3]; // m: where that place of the mesh is now
    float normal[3]; // of the mesh at `rest`, as at the start
    uint16_t part;   // tlwUnmelted.part
    uint8_t origin;  // tlwParticles.origin
} tlwKept;

// Memory of tlwKeepDetail. Zero it before the first use.
typedef struct tlwDetail {
    tlwStartMesh *starts; // made once
    int start_count;
    tlwPlacedMeshes liquids; // the same objects, with distance fields
    tlwFrameState state;     // of the present frame
    tlwUnmelted unmelted;
    float *meshed;  // positions of the vertices as they were meshed
    float *normals; // of these, as long as areas
    tlwKept *kept;  // per vertex
    int64_t capacity, kept_capacity;
} tlwDetail;

// Find what has not melted. The first call also places the meshes.
tlwResult tlwPrepareDetail(const tlwFrameState *state, tlwDetail *detail);

// A tlwTileFn (shape/tiles.h) for `user` = a prepared tlwDetail: tlwFillVisibleTile, and the level set of the start
// where nothing has changed.
void tlwFillKeptTile(void *user, int64_t tile, float *values);

// Remember the vertices as they were meshed, before the fit of the volume.
tlwResult tlwRememberMesh(const tlwFrameState *state, const tlwMesh *mesh, tlwDetail *detail);

// Put the vertices of unmelted material onto the meshes.
void tlwKeepDetail(const tlwFrameState *state, tlwMesh *mesh, tlwDetail *detail);

// The place of the mesh nearest to `rest` (m, world, as at the start), for a vertex of the same material as `like`.
// Returns its distance in cells.
float tlwFindKeptPlace(const tlwDetail *detail, const tlwKept *like, const float rest[3], tlwKept *found);

// Rest places of these vertices, which are more exact than those of particles.
void tlwKeepPlaces(const tlwDetail *detail, int64_t count, tlwRestPlace *places);
void tlwFreeDetail(tlwDetail *detail);

#endif
