// Repair of an artist's mesh, so that it encloses a volume.
#ifndef TLW_SHAPE_REPAIR_H
#define TLW_SHAPE_REPAIR_H

#include "shape/mesh.h"

// What tlwRepairMesh found and did.
typedef struct tlwRepairReport {
    int64_t own_triangles;     // the first triangles of the result, which fill no hole
    bool flat;                 // encloses no volume
    int64_t open_edges;        // edges with one triangle only, before filling
    double filled;             // share of the surface that is filled holes
    int64_t holes;             // boundary loops that were filled
    int64_t nonmanifold_edges; // edges with more than two triangles; left as they are
    int64_t dropped;           // triangles without area that were left out
    int64_t turned;            // triangles that faced against their neighbours and were turned round
    int64_t islands;           // connected parts
    int64_t inverted_islands;  // parts that were inside out and were turned round
} tlwRepairReport;

// Turn an artist's mesh into one that encloses a volume. Fails with TLW_BAD_MESH and a sentence that names the object
// for: no triangles, positions that are not finite, indices out of range, only triangles without area, no enclosed
// volume (a flat plane). Otherwise:
// - leaves out triangles without area,
// - treats vertices at exactly the same place as one when it looks for open edges, since exporters split vertices at
//   seams,
// - turns triangles so that neighbours agree, and parts so that they face outwards; a part that faces inwards and lies
//   inside another part is a cavity and stays,
// - fills every hole: small loops by the cheapest diagonals, long ones by a fan from their centre.
// The original vertices keep their indices and positions; new ones are appended. `report` may be null.
// Cost: linear, about 0.5 us per triangle.
tlwResult tlwRepairMesh(tlwMesh *mesh, const char *object_name, tlwMessage *message, tlwRepairReport *report);

// The same for a solid, which may be flat: a sheet of faces is a wall too.
tlwResult tlwRepairSolid(tlwMesh *mesh, const char *object_name, tlwMessage *message, tlwRepairReport *report);

// One sentence for the log, "Suzanne is not closed: 168 open edges in 5 holes; filled.", or an empty text when there is
// nothing to say.
void tlwDescribeRepair(const tlwRepairReport *report, const char *object_name, char *text, size_t size);

#endif
