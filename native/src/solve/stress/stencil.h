// What the kernels of the stress system share; private to native/src/solve/stress.
#ifndef TLW_SOLVE_STRESS_STENCIL_H
#define TLW_SOLVE_STRESS_STENCIL_H

#include "solve/stress/level.h"

// Pointers as locals, so that a loop does not reload them.
typedef struct Stencil {
    const float *xx, *yy, *zz, *xy, *xz, *yz, *bulk;
    bool has_bulk;
    const float *mu, *mv, *mw;
    int64_t y, z;
    // Only for rowOfA_m: coefficients of one row of eight, in the order of OwnCoefficient.
    const float (*own)[TLW_TILE];
    int64_t own_row;
} Stencil;

// The samples around a cell's faces, as rowOfA names them.
enum OwnCoefficient {
    OWN_xx0,
    OWN_xx1,
    OWN_yy0,
    OWN_yy1,
    OWN_zz0,
    OWN_zz1,
    OWN_xy,
    OWN_xz,
    OWN_yz,
    OWN_xy_y,
    OWN_xz_z,
    OWN_xy_x,
    OWN_yz_z,
    OWN_xz_x,
    OWN_yz_y,
    OWN_bulk,
    OWN_bulk_x,
    OWN_bulk_y,
    OWN_bulk_z,
    OWN_COUNT
};

// `has_bulk`: whether the level has bulk samples. Kernels are compiled for either answer.
static inline __attribute__((always_inline)) Stencil makeStencil(const tlwStressLevel *level, bool has_bulk)
{
    return (Stencil){level->c[0],          level->c[1],    level->c[2],
                     level->c[3],          level->c[4],    level->c[5],
                     level->c[TLW_BULK],   has_bulk,       level->mass[0],
                     level->mass[1],       level->mass[2], level->grid.stride_y,
                     level->grid.stride_z, NULL,           0};
}

// The rows of eight cells of spans begin .. end - 1; `row` is the first cell's window index.
#define TLW_FOR_SPAN_ROWS(level, begin, end, row)                                                                      \
    for (int64_t n_##row = (begin); n_##row < (end); n_##row++)                                                        \
        for (int64_t row = (level)->spans[n_##row].base, end_##row = row + (level)->spans[n_##row].cells;              \
             row < end_##row; row += TLW_TILE)

// Domain coordinates of a window index.
static inline void locateCell(const tlwGrid *grid, int64_t row, int cell[3])
{
    int64_t plane = row / grid->stride_z, rest = row - plane * grid->stride_z, line = rest / grid->stride_y;
    cell[0] = grid->window_min[0] + (int)(rest - line * grid->stride_y);
    cell[1] = grid->window_min[1] + (int)line;
    cell[2] = grid->window_min[2] + (int)plane;
}

#define COEFFICIENT(kind, at, name) s->kind[at]
#define REAL double
#define IN double
#define NAME(x) x##_d
#include "solve/stress/stencil.inc"
#undef REAL
#undef IN
#undef NAME

#define REAL float
#define IN float
#define NAME(x) x##_f
#include "solve/stress/stencil.inc"
#undef REAL
#undef IN
#undef NAME

// Single-precision vector, summed in double, with coefficients from the caller.
#undef COEFFICIENT
#define COEFFICIENT(kind, at, name) s->own[OWN_##name][i - s->own_row]
#define REAL double
#define IN float
#define NAME(x) x##_m
#include "solve/stress/stencil.inc"
#undef REAL
#undef IN
#undef NAME
#undef COEFFICIENT

// The diagonal of A at window index i; where there is no unknown it may be zero.
static inline __attribute__((always_inline)) void diagonalOfA(const Stencil *s, int64_t i, float d[3])
{
    const int64_t y = s->y, z = s->z;
    d[0] = s->mu[i] + (((s->xx[i] + s->xx[i - 1]) + (s->xy[i] + s->xy[i + y])) + (s->xz[i] + s->xz[i + z]));
    d[1] = s->mv[i] + (((s->yy[i] + s->yy[i - y]) + (s->xy[i] + s->xy[i + 1])) + (s->yz[i] + s->yz[i + z]));
    d[2] = s->mw[i] + (((s->zz[i] + s->zz[i - z]) + (s->xz[i] + s->xz[i + 1])) + (s->yz[i] + s->yz[i + y]));
    if (s->has_bulk) {
        d[0] += s->bulk[i] + s->bulk[i - 1];
        d[1] += s->bulk[i] + s->bulk[i - y];
        d[2] += s->bulk[i] + s->bulk[i - z];
    }
}

// Kernels read some twenty arrays at once, along short runs of x. That is more than the processor's own prefetchers
// follow. So each row prefetches what the next row along y will be the first to read. On two threads a smoothing step
// of 128^3 cells takes 8.6 ms without prefetching and 4.4 ms with it.
#define PREFETCH3(at, i)                                                                                               \
    do {                                                                                                               \
        __builtin_prefetch((at)[0] + (i));                                                                             \
        __builtin_prefetch((at)[1] + (i));                                                                             \
        __builtin_prefetch((at)[2] + (i));                                                                             \
    } while (0)

static inline __attribute__((always_inline)) void prefetchStencil(const Stencil *s, int64_t i)
{
    const int64_t y = s->y, z = s->z;
    __builtin_prefetch(s->xx + i + y);
    if (s->yy != s->xx) {
        __builtin_prefetch(s->yy + i + y);
        __builtin_prefetch(s->zz + i + y);
    }
    if (s->has_bulk)
        __builtin_prefetch(s->bulk + i + y);
    __builtin_prefetch(s->xy + i + 2 * y);
    __builtin_prefetch(s->xz + i + y + z);
    __builtin_prefetch(s->yz + i + y + z);
    __builtin_prefetch(s->mu + i + y);
    __builtin_prefetch(s->mv + i + y);
    __builtin_prefetch(s->mw + i + y);
}

// Cells that the loops of a level visit.
static inline double countSpanCells(const tlwStressLevel *level)
{
    double cells = 0;
    for (int n = 0; n < level->span_count; n++)
        cells += level->spans[n].cells;
    return cells;
}

// Numbers of four bytes that describe a cell's rows of A: c (the normal ones may be one array) and mass.
static inline int countCoefficients(const tlwStressLevel *level)
{
    return (level->c[TLW_YY] == level->c[TLW_XX] ? 4 : 6) + (level->c[TLW_BULK] ? 1 : 0) + 3;
}

static inline double addLanes(const double lanes[TLW_TILE])
{
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

static inline double *partialsOf(const tlwStressLevel *level, int64_t begin)
{
    return level->partial + begin / TLW_SPAN_BLOCK * TLW_PARTIALS;
}

static inline double sumPartials(const tlwStressLevel *level, int which)
{
    double sum = 0;
    for (int n = 0; n * TLW_SPAN_BLOCK < level->span_count; n++)
        sum += level->partial[n * TLW_PARTIALS + which];
    return sum;
}

#endif
