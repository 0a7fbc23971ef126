// Connected parts of a set of cells.
#ifndef TLW_GRID_COMPONENTS_H
#define TLW_GRID_COMPONENTS_H

#include "grid/grid.h"

#include <stdbool.h>

// Which cells are members, and whether two neighbouring members are connected across the lower face of `cell` along
// `axis`.
typedef struct tlwComponentRule {
    bool (*is_member)(void *user, int64_t cell);
    bool (*is_joined)(void *user, int64_t cell, int axis); // may be null: always
    void *user;
} tlwComponentRule;

// Write 0 (no member) or 1 .. *count to `labels` (int32 field, zero outside the active tiles) on the active tiles.
// Numbers follow the order of tiles. Several threads call the rule at once.
tlwResult tlwLabelComponents(tlwThreads *threads, const tlwGrid *grid, const tlwComponentRule *rule, int32_t *labels,
                             int *count);

#endif
