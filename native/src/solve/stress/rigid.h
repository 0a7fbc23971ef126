// Rigid motions of labelled parts of a stress level: six numbers per label, in place of the velocities of its faces.
//
// A face belongs to the higher label of the two cells it separates. Its modes are the three translations and the three
// rotations about the label's centre, lengths in units of the label's radius.
#ifndef TLW_SOLVE_STRESS_RIGID_H
#define TLW_SOLVE_STRESS_RIGID_H

#include "solve/stress/level.h"

// Eight cells of a span (stress/level.h).
typedef struct tlwRigidRow {
    int16_t label[3]; // of the row's faces, per component; 0 none, -1 several
    bool strained;    // some mode strains a sample that touches one of the row's faces
} tlwRigidRow;

typedef struct tlwRigidParts {
    const tlwStressLevel *level; // its spans must stay as they are
    const int16_t *label;        // per cell, 0 = none
    int count;                   // labels are 1 .. count
    double (*centre)[3];         // per label, cells
    double *radius;              // per label, cells
    double (*mass)[6][6];        // per label: its modes' mass matrix
    tlwRigidRow *rows;           // tlwSpan.row counts them
    uint8_t *strains; // per cell: bit `kind` is set where some mode strains the sample: its faces have several labels,
                      // or some have none. A rigid motion of one label strains no sample within that label
    double *sums;     // parallel sums, per chunk
} tlwRigidParts;

tlwResult tlwInitRigidParts(tlwThreads *threads, tlwRigidParts *parts, const tlwStressLevel *level,
                            const int16_t *label, int count);
void tlwFreeRigidParts(tlwRigidParts *parts);

// Modes of `component` of the face at domain coordinates i, j, k: three mode numbers 0 .. 5 and their values.
static inline void tlwRigidModes(const double centre[3], double radius, int component, double i, double j, double k,
                                 int mode[3], double value[3])
{
    double at[3] = {i + 0.5, j + 0.5, k + 0.5};
    at[component] -= 0.5;
    int b = (component + 1) % 3, c = (component + 2) % 3;
    mode[0] = component, value[0] = 1;
    mode[1] = 3 + b, value[1] = (at[c] - centre[c]) / radius; // rotation about b moves along a by the offset in c
    mode[2] = 3 + c, value[2] = -(at[b] - centre[b]) / radius;
}

static inline int tlwFaceLabel(const tlwStressLevel *level, const int16_t *label, int component, int64_t face)
{
    const int64_t stride[3] = {1, level->grid.stride_y, level->grid.stride_z};
    int16_t here = label[face], below = label[face - stride[component]];
    return level->mass[component][face] > 0 ? (here > below ? here : below) : 0;
}

#endif
