// The stress system on one grid: (M + sum over samples s of c_s d_s d_s') x = b, with x on the faces u, v, w.
//
// A sample is one component of the strain rate times the cell size. Normal samples sit at cell centres and couple two
// faces, xx at (i,j,k): u(i+1) - u(i). Shear samples sit on edges and couple four, xy at the edge through the cell's
// lower x and y corner: u(j) - u(j-1) + v(i) - v(i-1). All d entries are +-1; c carries viscosity, time step, size and
// the share of the volume that is liquid (Wang 2017, eq. 3.35 in 3D). Nothing is assembled: a row of A is read off the
// six c's around a face.
//
// Bulk samples sit at cell centres and couple the six faces of a cell: its divergence times the cell size. They resist
// a change of volume. A level may have none; its kernels then do not look for them.
//
// Faces and samples share the window indices of cells, so every kernel is a plain loop along x.
#ifndef TLW_SOLVE_STRESS_LEVEL_H
#define TLW_SOLVE_STRESS_LEVEL_H

#include "grid/grid.h"

enum { TLW_XX = 0, TLW_YY = 1, TLW_ZZ = 2, TLW_XY = 3, TLW_XZ = 4, TLW_YZ = 5, TLW_BULK = 6, TLW_KINDS = 7 };

#define TLW_SAMPLE_FACES 6 // of one sample, at most

// A run of cells along x, which may cross up to TLW_SPAN_TILES tiles: longer runs keep the prefetcher busy. 16 tiles
// against 4 made a smoothing step of 128^3 cells a quarter faster.
#define TLW_SPAN_TILES 16

typedef struct tlwSpan {
    int64_t base;
    int cells; // a multiple of 8
    int row;   // rows of eight in the spans before it
} tlwSpan;

// Spans in one parallel block, which also has one set of partial sums.
#define TLW_SPAN_BLOCK 128
// For loops without sums: even small levels have a block for every thread.
#define TLW_SMALL_SPAN_BLOCK 32

typedef struct tlwStressLevel {
    tlwGrid grid;        // its tiles hold every unknown and every sample
    float *c[TLW_KINDS]; // by TLW_XX ..; the three normal ones may be the same memory; no bulk samples: null
    float *mass[3]; // per face: > 0 unknown, 0 no face, < 0 prescribed (its velocity is zero here, see tlwStressSystem)
    tlwSpan *spans; // every row of every tile, or only those with unknowns (tlwTrimSpans)
    int span_count;
    double *partial; // TLW_PARTIALS sums per block of spans
} tlwStressLevel;

#define TLW_PARTIALS 4

// Three components of something on the faces.
typedef struct tlwFaceFloats {
    float *at[3];
} tlwFaceFloats;

typedef struct tlwFaceDoubles {
    double *at[3];
} tlwFaceDoubles;

// Make the level's grid active on `tiles` and give it zero coefficients. `shared_normal`: xx, yy, zz are one array.
tlwResult tlwInitStressLevel(tlwStressLevel *level, const int dims[3], const int (*tiles)[3], int count,
                             bool shared_normal);
void tlwFreeStressLevel(tlwStressLevel *level);

// Call once the masses are known. From then on loops visit only the rows of eight cells that hold unknowns. Vectors
// stay zero in the other rows.
tlwResult tlwTrimSpans(tlwThreads *threads, tlwStressLevel *level);
// Give the level bulk samples, all zero. False when memory is out.
bool tlwAddBulk(tlwStressLevel *level);

bool tlwAddFaceFloats(tlwStressLevel *level, tlwFaceFloats *faces);
bool tlwAddFaceDoubles(tlwStressLevel *level, tlwFaceDoubles *faces);

void tlwFillDoubles(tlwThreads *threads, const tlwGrid *grid, double *field, double value);

int64_t tlwCountUnknowns(tlwThreads *threads, const tlwStressLevel *level);

// y = A x; returns x'y.
double tlwApplyStress(tlwThreads *threads, const tlwStressLevel *level, const tlwFaceDoubles *x, tlwFaceDoubles *y);

// r = b - A x; returns r' M^-1 r. `r` may be null.
double tlwStressResidual(tlwThreads *threads, const tlwStressLevel *level, const tlwFaceFloats *b,
                         const tlwFaceDoubles *x, tlwFaceDoubles *r);

// Single precision, for the preconditioner. r = b - A x.
void tlwStressResidualFloat(tlwThreads *threads, const tlwStressLevel *level, const tlwFaceFloats *b,
                            const tlwFaceFloats *x, tlwFaceFloats *r);

// One step of a three-term smoother: previous <- x + alpha (x - previous) + beta D^-1 (b - A x), D the diagonal of A.
// `previous_is_zero`: `previous` counts as zero, whatever finite numbers it holds.
void tlwSmoothStress(tlwThreads *threads, const tlwStressLevel *level, const tlwFaceFloats *b, const tlwFaceFloats *x,
                     float alpha, float beta, bool previous_is_zero, tlwFaceFloats *previous);

// x = beta D^-1 b: the first step of a smoother that starts from zero.
void tlwScaleByDiagonal(tlwThreads *threads, const tlwStressLevel *level, const tlwFaceFloats *b, float beta,
                        tlwFaceFloats *x);

// An upper bound of the largest eigenvalue of D^-1 A (Gershgorin), between 1 and 4; with bulk samples up to 6.
double tlwBoundStress(tlwThreads *threads, const tlwStressLevel *level);

// The faces of sample `kind` stored at window index `i`: component, index and sign of each. Returns 2, 4 or 6.
static inline int tlwSampleFaces(const tlwGrid *grid, int kind, int64_t i, int component[TLW_SAMPLE_FACES],
                                 int64_t face[TLW_SAMPLE_FACES], int sign[TLW_SAMPLE_FACES])
{
    const int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    if (kind <= TLW_ZZ) {
        component[0] = component[1] = kind;
        face[0] = i + stride[kind], sign[0] = 1;
        face[1] = i, sign[1] = -1;
        return 2;
    }
    if (kind == TLW_BULK) {
        for (int f = 0; f < 6; f++) {
            component[f] = f >> 1;
            face[f] = f & 1 ? i : i + stride[f >> 1];
            sign[f] = f & 1 ? -1 : 1;
        }
        return 6;
    }
    int a = kind == TLW_YZ ? 1 : 0, b = kind == TLW_XY ? 1 : 2;
    component[0] = component[1] = a;
    face[0] = i, sign[0] = 1;
    face[1] = i - stride[b], sign[1] = -1;
    component[2] = component[3] = b;
    face[2] = i, sign[2] = 1;
    face[3] = i - stride[a], sign[3] = -1;
    return 4;
}

#endif
