#include "scene/check.h"

#include "base/context.h"
#include "base/vec.h"
#include "scene/keys.h"
#include "scene/object.h"
#include "scene/role.h"
#include "scene/scene.h"

#include <unistd.h>

// Fitted to the peak memory of bakes with 8 particles a cell. The three terms are: the grid fields of a liquid cell; a
// particle with its copy for output and scratch; the band of cells around the surface, which grows with the number of
// liquid cells to the power 2/3.
#define BYTES_PER_CELL_GRID 440.0
#define BYTES_PER_PARTICLE 195.0
#define BYTES_OF_SURFACE 114000.0

// Upper bound of an object's volume inside the domain at the start, m3: the smaller of its own volume and that of the
// box that it shares with the domain.
static double getVolumeInside(const tlwScene *scene, const tlwObject *object)
{
    tlwVec3 low, high;
    tlwGetObjectBounds(object, 0, &low, &high);
    low = tlwMax3(low, scene->def.domain_min);
    high = tlwMin3(high, scene->def.domain_max);
    if (!(high.x > low.x && high.y > low.y && high.z > low.z))
        return 0;
    tlwVec3 scale = tlwSampleKeys(object->def.keys, object->def.key_count, 0).scale;
    double volume = fabs(tlwGetMeshVolume(&object->mesh) * scale.x * scale.y * scale.z);
    return fmin(volume, (high.x - low.x) * (high.y - low.y) * (high.z - low.z));
}

static bool entersDomain(const tlwScene *scene, const tlwObject *object)
{
    for (int i = 0; i < object->def.key_count; i++) {
        tlwVec3 low, high;
        tlwGetObjectBounds(object, object->def.keys[i].time, &low, &high);
        tlwVec3 a = scene->def.domain_min, b = scene->def.domain_max;
        if (high.x > a.x && low.x < b.x && high.y > a.y && low.y < b.y && high.z > a.z && low.z < b.z)
            return true;
    }
    return false;
}

static tlwResult checkMemory(const tlwScene *scene, double cells, tlwMessage *message)
{
    double per_cell = pow(scene->def.particles_per_axis, 3);
    double gigabytes =
        (cells * (BYTES_PER_CELL_GRID + per_cell * BYTES_PER_PARTICLE) + pow(cells, 2.0 / 3) * BYTES_OF_SURFACE) / 1e9;
    double dx = scene->def.cell_size;
    if (cells > TLW_MAX_LIQUID_CELLS)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "The liquid would fill %.0f million cells, which needs about %.0f GB of memory; use cells of at "
                       "least %.2g m instead of %.2g m.",
                       cells / 1e6, gigabytes, dx * cbrt(cells / TLW_MAX_LIQUID_CELLS), dx);
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e9;
    if (there > 0 && gigabytes > 0.9 * there)
        tlwLog(scene->context, TLW_LOG_WARNING,
               "The liquid fills %.1f million cells and needs about %.1f GB of memory, but this computer has %.1f GB; "
               "use larger cells than %.2g m.",
               cells / 1e6, gigabytes, there, dx);
    return TLW_OK;
}

// A body must fit and start between closed walls. Beyond an open side a body may start, but no liquid acts on it there.
static tlwResult checkBody(const tlwScene *scene, const tlwObject *object, tlwMessage *message)
{
    tlwVec3 low, high, a = scene->def.domain_min, b = scene->def.domain_max;
    tlwGetObjectBounds(object, 0, &low, &high);
    const double from[3] = {low.x, low.y, low.z}, to[3] = {high.x, high.y, high.z};
    const double first[3] = {a.x, a.y, a.z}, last[3] = {b.x, b.y, b.z};
    const tlwWall *walls = scene->def.walls;
    for (int n = 0; n < 3; n++) {
        bool closed[2] = {walls[2 * n] != TLW_WALL_OPEN, walls[2 * n + 1] != TLW_WALL_OPEN};
        double size = to[n] - from[n], room = last[n] - first[n];
        if (closed[0] && closed[1] && size > room)
            return tlwFail(message, TLW_BAD_ARGUMENT,
                           "%s is %.3g m long along %c, but the domain has only %.3g m between its walls; make the "
                           "domain larger or the body smaller.",
                           object->def.name, size, "xyz"[n], room);
        if ((closed[0] && to[n] <= first[n]) || (closed[1] && from[n] >= last[n]))
            return tlwFail(
                message, TLW_BAD_ARGUMENT,
                "%s lies outside the domain, behind its closed %c%c wall; move it inside, or open that side.",
                object->def.name, to[n] <= first[n] ? '-' : '+', "xyz"[n]);
    }
    if (!entersDomain(scene, object))
        tlwLog(scene->context, TLW_LOG_WARNING, "%s starts outside the domain; no liquid acts on it there.",
               object->def.name);
    return TLW_OK;
}

// Warn about an inflow thinner than a cell: an inflow controls only faces of the grid that are at least half inside it.
static void checkInflow(const tlwScene *scene, const tlwObject *object)
{
    tlwVec3 low, high, scale = tlwSampleKeys(object->def.keys, object->def.key_count, 0).scale;
    tlwGetMeshBounds(&object->mesh, &low, &high);
    double thin = fmin(fmin((high.x - low.x) * fabs(scale.x), (high.y - low.y) * fabs(scale.y)),
                       (high.z - low.z) * fabs(scale.z));
    if (thin < 0.999 * scene->def.cell_size)
        tlwLog(
            scene->context, TLW_LOG_WARNING,
            "%s is %.2g m thin, less than a cell (%.2g m), so it cannot push thick liquids and its stream is ragged. "
            "Make it thicker, or use smaller cells.",
            object->def.name, thin, scene->def.cell_size);
}

tlwResult tlwCheckScene(tlwScene *scene)
{
    tlwMessage *message = &scene->context->message;
    int sources = 0, inside = 0;
    const char *outside = NULL;
    double volume = 0;
    for (int i = 0; i < scene->object_count; i++) {
        const tlwObject *object = &scene->objects[i];
        const tlwRoleTraits *traits = tlwGetTraits(&object->def);
        if (traits->has_material) {
            sources++;
            double own = traits->fills ? getVolumeInside(scene, object) : 0;
            volume += own;
            if (traits->gives)
                checkInflow(scene, object);
            if (own > 0 || (traits->gives && entersDomain(scene, object))) {
                inside++;
                continue;
            }
            outside = object->def.name;
            tlwLog(scene->context, TLW_LOG_WARNING, "%s lies outside the domain and adds no liquid.", object->def.name);
        } else if (traits->body) {
            TLW_TRY(checkBody(scene, object, message));
        }
    }
    if (sources == 0)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "The scene has no liquid: give at least one object the role liquid or inflow.");
    if (inside == 0)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "%s lies outside the domain, so there is nothing to simulate; fit the domain around it.",
                       outside);
    double dx = scene->def.cell_size;
    return checkMemory(scene, volume / (dx * dx * dx), message);
}
