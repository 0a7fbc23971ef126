#include "step/bodies/shapes.h"

#include "base/context.h"
#include "base/memory.h"
#include "rigid/sdf_collider.h"
#include "scene/scene.h"
#include "shape/sdf_sample.h"

#include <string.h>

tlwResult tlwCopyShape(const tlwBodies *bodies, const tlwPlacedMesh *solid, tlwMesh *mesh)
{
    tlwMessage *message = &bodies->context->message;
    if (solid->vertex_velocity)
        return tlwCopyMesh(&solid->shape, message, mesh);
    TLW_TRY(tlwCopyMesh(&bodies->scene->objects[solid->object].mesh, message, mesh));
    tlwTransformMesh(mesh, (tlwVec3){0, 0, 0}, (tlwQuat){1, 0, 0, 0}, solid->scale);
    return TLW_OK;
}

static tlwResult keepPositions(const tlwBodies *bodies, const tlwPlacedMesh *solid, tlwBodyLink *link)
{
    size_t count = 3 * (size_t)solid->shape.vertex_count;
    if (!link->positions)
        link->positions = tlwAlloc(count, sizeof *link->positions);
    if (!link->vertex_velocity)
        link->vertex_velocity = tlwAlloc(count, sizeof *link->vertex_velocity);
    if (!link->positions || !link->vertex_velocity)
        return tlwFailMemory(&bodies->context->message, "the obstacles");
    memcpy(link->positions, solid->shape.positions, count * sizeof *link->positions);
    return TLW_OK;
}

tlwResult tlwRenewShape(const tlwBodies *bodies, const tlwPlacedMesh *solid, tlwBodyLink *link)
{
    tlwMesh mesh;
    TLW_TRY(tlwCopyShape(bodies, solid, &mesh));
    int64_t sheet = bodies->scene->objects[solid->object].sheet;
    mesh.triangle_count = sheet ? sheet : mesh.triangle_count;
    tlwCollider *collider = NULL;
    tlwResult result = tlwCreateSdfCollider(solid->sdf, &mesh, 0, &collider, &bodies->context->message);
    tlwDestroyMesh(&mesh);
    if (result == TLW_OK && solid->vertex_velocity)
        result = keepPositions(bodies, solid, link);
    if (result != TLW_OK) {
        tlwDestroyCollider(collider);
        return result;
    }
    tlwDestroyCollider(link->collider);
    link->collider = collider;
    link->builds = solid->builds;
    link->sdf = solid->sdf;
    link->scale = solid->scale;
    return TLW_OK;
}

void tlwFreeBodyShape(tlwBodyLink *link)
{
    tlwDestroyCollider(link->collider);
    tlwFree(link->positions);
    tlwFree(link->vertex_velocity);
}

tlwResult tlwRenewShapes(tlwBodies *bodies, const tlwPlacedMeshes *solids, bool all)
{
    for (int n = 0; n < bodies->link_count; n++) {
        tlwBodyLink *link = &bodies->links[n];
        const tlwPlacedMesh *solid = &solids->items[link->solid];
        if (solid->builds - link->builds <= (all ? 0 : 1))
            continue;
        TLW_TRY(tlwRenewShape(bodies, solid, link));
        bodies->world->bodies[link->body].collider = link->collider;
    }
    return TLW_OK;
}

static void sampleStretch(const void *user, const tlwVec3 *points, int count, tlwVec3 *drift)
{
    tlwVec3 s = ((const tlwBodyLink *)user)->stretch;
    for (int i = 0; i < count; i++)
        drift[i] = (tlwVec3){s.x * points[i].x, s.y * points[i].y, s.z * points[i].z};
}

static void sampleDeformation(const void *user, const tlwVec3 *points, int count, tlwVec3 *drift)
{
    const tlwBodyLink *link = user;
    for (int i = 0; i < count; i++) {
        float p[3] = {(float)points[i].x, (float)points[i].y, (float)points[i].z}, v[3];
        tlwSampleSdfVelocity(link->sdf, link->vertex_velocity, p, 1, v);
        drift[i] = (tlwVec3){v[0], v[1], v[2]};
    }
}

static tlwSurfaceDrift stretch(const tlwObjectDef *def, double time, double dt, tlwBodyLink *link)
{
    tlwVec3 from = link->scale, to = tlwSampleKeys(def->keys, def->key_count, time + dt).scale;
    if (tlwLength(tlwSub(to, from)) <= 1e-6 * tlwLength(to) || from.x == 0 || from.y == 0 || from.z == 0)
        return (tlwSurfaceDrift){0};
    link->stretch = (tlwVec3){(to.x / from.x - 1) / dt, (to.y / from.y - 1) / dt, (to.z / from.z - 1) / dt};
    tlwVec3 corners[2] = {link->collider->box_min, link->collider->box_max}, drift[2];
    sampleStretch(link, corners, 2, drift);
    tlwVec3 far = {fmax(fabs(drift[0].x), fabs(drift[1].x)), fmax(fabs(drift[0].y), fabs(drift[1].y)),
                   fmax(fabs(drift[0].z), fabs(drift[1].z))};
    return (tlwSurfaceDrift){sampleStretch, link, tlwLength(far)};
}

// A collider of the previous field moves its vertices to where the present field has them. A collider of the present
// field moves them on at their velocity.
static tlwSurfaceDrift deform(const tlwPlacedMesh *solid, double dt, tlwBodyLink *link)
{
    double square = 0;
    for (int64_t n = 0; n < solid->shape.vertex_count; n++) {
        float *v = link->vertex_velocity + 3 * n;
        for (int a = 0; a < 3; a++)
            v[a] = link->builds == solid->builds
                       ? solid->vertex_velocity[3 * n + a]
                       : (solid->shape.positions[3 * n + a] - link->positions[3 * n + a]) / (float)dt;
        square = fmax(square, (double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
    }
    return square > 0 ? (tlwSurfaceDrift){sampleDeformation, link, sqrt(square)} : (tlwSurfaceDrift){0};
}

void tlwSetShapeDrifts(tlwBodies *bodies, const tlwPlacedMeshes *solids, double time, double dt)
{
    for (int n = 0; n < bodies->link_count; n++) {
        tlwBodyLink *link = &bodies->links[n];
        const tlwPlacedMesh *solid = &solids->items[link->solid];
        if (link->rigid)
            continue;
        const tlwObjectDef *def = &bodies->scene->objects[solid->object].def;
        bodies->world->bodies[link->body].drift =
            link->positions ? deform(solid, dt, link) : stretch(def, time, dt, link);
    }
}
