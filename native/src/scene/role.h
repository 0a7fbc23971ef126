// Roles: one table with the traits of each kind of object. Code asks for a trait, not for a role.
#ifndef TLW_SCENE_ROLE_H
#define TLW_SCENE_ROLE_H

#include "tallow/tallow.h"

#include <stdbool.h>

#define TLW_ROLE_COUNT (TLW_ROLE_HEAT + 1) // after the last value of tlwRole

typedef struct tlwRoleTraits {
    const char *name;  // of the role in scene.json
    bool has_material; // names a material
    bool fills;        // its volume is full of material at the start
    bool gives;        // material comes out of it
    bool takes;        // material inside it is removed
    bool obstacle;     // material cannot enter it
    bool stays;        // an obstacle also while its keys switch it off
    bool body;         // forces move it, not keys
    bool heats;        // its keys carry a temperature or a power
    bool warms_inside; // gives its power to what is inside it
    bool shines;       // gives its power to the surfaces that it sees; its mesh is only a place
    bool may_deform;   // its mesh may change from frame to frame
} tlwRoleTraits;

// Traits of an object with a known role.
const tlwRoleTraits *tlwGetTraits(const tlwObjectDef *def);

// "liquid"; "unknown" for a number that is no role.
const char *tlwGetRoleName(tlwRole role);
bool tlwIsRole(int role);

// The names in the order of tlwRole, and null after the last.
void tlwListRoleNames(const char *names[TLW_ROLE_COUNT + 1]);

// Filters for sets of objects.
typedef bool tlwObjectFilter(const tlwObjectDef *def);
bool tlwIsObstacle(const tlwObjectDef *def);
bool tlwIsLiquid(const tlwObjectDef *def);       // full of material at the start
bool tlwIsSource(const tlwObjectDef *def);       // inflows and outflows
bool tlwIsHeatedVolume(const tlwObjectDef *def); // warms what is inside it

#endif
