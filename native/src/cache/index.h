// bake.json: which frames of a cache exist. Rewritten as a whole after every frame, always after the frame's files.
#ifndef TLW_CACHE_INDEX_H
#define TLW_CACHE_INDEX_H

#include "base/result.h"

typedef struct tlwIndexFrame {
    int frame;
    char *entry; // its JSON object, owned
} tlwIndexFrame;

typedef struct tlwIndex {
    char *library;    // version that wrote it, owned
    char *scene_name; // owned
    uint64_t scene_hash;
    double fps, cell_size;
    int frame_start, frame_end;
    tlwVec3 domain_min, domain_max;
    bool finished;
    tlwIndexFrame *frames; // rising
    int frame_count;
    int64_t frame_capacity;
} tlwIndex;

// TLW_BAD_FILE when there is none or it cannot be read. `index` need not be initialised and is left empty on failure.
tlwResult tlwReadIndex(tlwContext *context, const char *folder, tlwIndex *index);
tlwResult tlwWriteIndex(const tlwIndex *index, const char *folder, tlwMessage *message);
void tlwFreeIndex(tlwIndex *index);

// Takes a copy of the entry. Frames come in rising order.
tlwResult tlwAddIndexFrame(tlwIndex *index, int frame, const char *entry, tlwMessage *message);
bool tlwHasIndexFrame(const tlwIndex *index, int frame);

// A number of a frame's entry; 0 when it has none. Changing one keeps the rest of the entry.
double tlwGetIndexNumber(const tlwIndex *index, int frame, const char *key);
tlwResult tlwChangeIndexFrame(tlwIndex *index, int frame, const char *key, double value, tlwMessage *message);

// Forgets the frames after `frame`; the files stay until they are deleted or overwritten.
void tlwCutIndex(tlwIndex *index, int frame);

#endif
