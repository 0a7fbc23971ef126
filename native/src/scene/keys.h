// Keyframed motion: where an object is, and how fast it moves, at a time.
#ifndef TLW_SCENE_KEYS_H
#define TLW_SCENE_KEYS_H

#include "base/result.h"

// Check keys. The message is a sentence that starts with `who` ("Funnel", "Force Wind").
tlwResult tlwCheckKeys(const char *who, const tlwKey *keys, int count, tlwMessage *message);

// The key at a time: linear in position, scale, velocity, temperature and power, slerp in rotation, `enabled` from the
// last key at or before the time. Constant before the first and after the last key.
tlwKey tlwSampleKeys(const tlwKey *keys, int count, double time);

// Rigid motion of an object at a time.
typedef struct tlwMotion {
    tlwVec3 origin;   // world position of the object's origin
    tlwVec3 velocity; // of that origin, m/s
    tlwVec3 spin;     // rad/s, world axes
} tlwMotion;

// Mean motion over [time - interval / 2, time + interval / 2]. Pass the middle and the length of a substep: then an
// obstacle arrives exactly where its keys put it.
tlwMotion tlwSampleMotion(const tlwKey *keys, int count, double time, double interval);

// Whether position, rotation or scale ever change.
bool tlwAreKeysMoving(const tlwKey *keys, int count);

// Object space to world space.
tlwVec3 tlwToWorld(const tlwKey *key, tlwVec3 point);

#endif
