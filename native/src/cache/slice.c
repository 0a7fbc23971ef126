// A layer of cells out of a baked frame, for whoever shows it.
#include "base/context.h"
#include "shape/vdb_read.h"

#include <math.h>

tlwResult tlwReadSlice(tlwContext *context, const char *path, int axis, double place, float *cells, int64_t capacity,
                       int64_t *count)
{
    if (!context)
        return TLW_BAD_ARGUMENT;
    if (!path || !count || axis < 0 || axis > 2 || !isfinite(place) || capacity < 0 || (capacity > 0 && !cells))
        return tlwFail(&context->message, TLW_BAD_ARGUMENT,
                       "A slice needs a file, an axis from 0 to 2, a place, and room for its cells.");
    return tlwReadVdbSlice(path, axis, place, &context->message, cells, capacity, count);
}
