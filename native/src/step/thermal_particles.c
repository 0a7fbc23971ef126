#include "step/thermal_particles.h"

#include "base/memory.h"

#include <math.h>
#include <stdatomic.h>

#define NOISE_SHARE 0.01   // PIC share of a step in which nothing conducts
#define SUBCELL_DECAY 10.0 // pi^2: how fast conduction evens out differences within a cell
#define SHIFT_ROUNDS 12

typedef struct Transfer {
    tlwFlow *flow;
    const tlwParticles *particles;
    const int64_t *tile_start;
    const tlwMaterial *materials;
    double *mass, *heat;
    double ambient, share;
    atomic_bool failed;
} Transfer;

static int64_t getCell(const tlwGrid *grid, const tlwParticles *p, int64_t n)
{
    return tlwCellIndex(grid, (int)floorf(p->position[0][n]), (int)floorf(p->position[1][n]),
                        (int)floorf(p->position[2][n]));
}

// End of the run of particles that share the cell of particle `first`.
static int64_t findRunEnd(const tlwGrid *grid, const tlwParticles *p, int64_t first, int64_t end, int64_t *cell)
{
    *cell = getCell(grid, p, first);
    int64_t n = first + 1;
    while (n < end && getCell(grid, p, n) == *cell)
        n++;
    return n;
}

static uint8_t findMaterial(const tlwParticles *p, int64_t begin, int64_t end)
{
    uint8_t best = p->material[begin];
    double best_mass = -1;
    for (int64_t n = begin; n < end; n++) {
        uint8_t candidate = p->material[n];
        if (best_mass >= 0 && candidate == best)
            continue;
        double mass = 0;
        for (int64_t m = begin; m < end; m++)
            mass += p->material[m] == candidate ? p->mass[m] : 0;
        if (mass > best_mass) {
            best = candidate;
            best_mass = mass;
        }
    }
    return best;
}

static void gatherCell(Transfer *t, int64_t cell, int64_t begin, int64_t end)
{
    const tlwParticles *p = t->particles;
    const tlwFlow *flow = t->flow;
    const tlwGrid *grid = &flow->grid;
    uint8_t own = findMaterial(p, begin, end);
    const tlwMaterial *material = &t->materials[own];
    double mass = 0, energy = 0, volume = 0;
    for (int64_t n = begin; n < end; n++) {
        const tlwMaterial *m = &t->materials[p->material[n]];
        double h = p->enthalpy[n];
        volume += p->mass[n] / tlwGetDensity(m, tlwGetMelt(m, h));
        if (m != material)
            h = tlwGetEnthalpy(material, tlwGetTemperature(m, h));
        mass += p->mass[n];
        energy += p->mass[n] * h;
    }
    if (!(mass > 0))
        return;
    double h = energy / mass;
    t->mass[cell] = mass;
    tlwGetBytes(grid, flow->material)[cell] = own;
    tlwGetFloats(grid, flow->fill)[cell] = (float)(volume / (grid->dx * grid->dx * grid->dx));
    tlwGetFloats(grid, flow->density)[cell] = (float)(mass / volume);
    tlwGetFloats(grid, flow->enthalpy)[cell] = (float)h;
    tlwGetFloats(grid, flow->temperature)[cell] = (float)tlwGetTemperature(material, h);
    tlwGetFloats(grid, flow->melt)[cell] = (float)tlwGetMelt(material, h);
}

static void gatherRange(void *context, int64_t begin, int64_t end)
{
    Transfer *t = context;
    const tlwFlow *flow = t->flow;
    const tlwGrid *grid = &flow->grid;
    for (int64_t tile = begin; tile < end; tile++) {
        TLW_FOR_ROWS(grid, &grid->tiles[tile], j, k, row) for (int64_t c = row; c < row + TLW_TILE; c++)
        {
            t->mass[c] = 0;
            tlwGetBytes(grid, flow->material)[c] = 0;
            tlwGetFloats(grid, flow->fill)[c] = 0;
            tlwGetFloats(grid, flow->density)[c] = 0;
            tlwGetFloats(grid, flow->enthalpy)[c] = 0;
            tlwGetFloats(grid, flow->temperature)[c] = (float)t->ambient;
            tlwGetFloats(grid, flow->melt)[c] = 0;
        }
        int64_t cell, next, last = t->tile_start[tile + 1];
        for (int64_t n = t->tile_start[tile]; n < last; n = next) {
            next = findRunEnd(grid, t->particles, n, last, &cell);
            gatherCell(t, cell, n, next);
        }
    }
}

void tlwGatherHeat(tlwThreads *threads, tlwFlow *flow, const tlwParticles *particles, const int64_t *tile_start,
                   const tlwMaterial *materials, double ambient_temperature, int mass)
{
    Transfer t = {.flow = flow,
                  .particles = particles,
                  .tile_start = tile_start,
                  .materials = materials,
                  .mass = tlwGetDoubles(&flow->grid, mass),
                  .ambient = ambient_temperature};
    tlwParallelFor(threads, flow->grid.tile_count, TLW_TILE_BLOCK, gatherRange, &t);
}

// A tile's cells and one more on each side.
#define SIDE (TLW_TILE + 2)
typedef struct Block {
    float change[SIDE * SIDE * SIDE];     // J/kg
    float fresh[SIDE * SIDE * SIDE];      // new enthalpy, J/kg
    int16_t material[SIDE * SIDE * SIDE]; // -1 = no mass
    bool still;                           // nothing changes and nothing differs
} Block;

static void loadBlock(const Transfer *t, const tlwTile *tile, Block *b)
{
    const tlwGrid *grid = &t->flow->grid;
    const float *enthalpy = tlwGetFloats(grid, t->flow->enthalpy);
    const uint8_t *material = tlwGetBytes(grid, t->flow->material);
    float low = INFINITY, high = -INFINITY;
    int n = 0;
    b->still = true;
    for (int k = -1; k <= TLW_TILE; k++)
        for (int j = -1; j <= TLW_TILE; j++)
            for (int i = -1; i <= TLW_TILE; i++, n++) {
                int64_t c = tile->base + i + j * grid->stride_y + k * grid->stride_z;
                b->material[n] = -1;
                if (!(t->mass[c] > 0))
                    continue;
                b->material[n] = material[c];
                b->change[n] = (float)(t->heat[c] / t->mass[c]);
                b->fresh[n] = (float)(enthalpy[c] + t->heat[c] / t->mass[c]);
                b->still = b->still && b->change[n] == 0;
                low = fminf(low, b->fresh[n]);
                high = fmaxf(high, b->fresh[n]);
            }
    b->still = b->still && !(high > low);
}

// The change and the new state at a particle, between the cells around it that hold the same material as its own, and
// the smallest and largest new value among them.
typedef struct Sample {
    double change, fresh, low, high;
} Sample;

static Sample sampleBlock(const Block *b, const tlwTile *tile, const tlwParticles *p, int64_t n, int own)
{
    int base[3];
    double w[3];
    for (int a = 0; a < 3; a++) {
        double x = p->position[a][n] - tile->cell[a] + 0.5; // the block's first centre is at 0
        base[a] = (int)tlwClamp(floor(x), 0, SIDE - 2);
        w[a] = tlwClamp(x - base[a], 0, 1);
    }
    Sample s = {0, 0, INFINITY, -INFINITY};
    int corner = base[0] + SIDE * (base[1] + SIDE * base[2]);
    for (int q = 0; q < 8; q++) {
        int c = corner + (q & 1) + SIDE * ((q >> 1) & 1) + SIDE * SIDE * (q >> 2);
        double weight = (q & 1 ? w[0] : 1 - w[0]) * (q & 2 ? w[1] : 1 - w[1]) * (q & 4 ? w[2] : 1 - w[2]);
        if (b->material[c] != b->material[own])
            c = own;
        s.change += weight * b->change[c];
        s.fresh += weight * b->fresh[c];
        s.low = fmin(s.low, b->fresh[c]);
        s.high = fmax(s.high, b->fresh[c]);
    }
    return s;
}

// A particle's enthalpy on the way, and how far it may go.
typedef struct Value {
    double h, low, high;
} Value;

static Value movePart(const Transfer *t, const Block *b, const tlwTile *tile, int64_t n, int own)
{
    const tlwParticles *p = t->particles;
    double h = p->enthalpy[n];
    if (p->material[n] != b->material[own]) { // a guest: it takes part in the cell's heat and nears its temperature
        const tlwMaterial *guest = &t->materials[p->material[n]], *host = &t->materials[b->material[own]];
        double gap = tlwGetTemperature(host, b->fresh[own]) - tlwGetTemperature(guest, h);
        return (Value){h + b->change[own] + t->share * tlwGetSpecificHeat(guest, tlwGetMelt(guest, h)) * gap, -INFINITY,
                       INFINITY};
    }
    Sample s = sampleBlock(b, tile, p, n, own);
    Value v = {.low = fmin(s.low, h), .high = fmax(s.high, h)};
    double flip = h + s.change;
    v.h = tlwClamp(flip + t->share * (s.fresh - flip), v.low, v.high);
    return v;
}

// Shift a cell's particles until together they have received its heat. Those at their limit stay; the last round, which
// is reached only when guests upset the balance, moves all.
static void shiftParts(const Transfer *t, Value *values, int64_t begin, int64_t count, double missing, double mass)
{
    const float *m = t->particles->mass + begin;
    for (int round = 0; round < SHIFT_ROUNDS && fabs(missing) > 1e-12 * mass; round++) {
        bool last = round + 1 == SHIFT_ROUNDS;
        double movable = 0;
        for (int64_t n = 0; n < count; n++)
            movable += last || (missing > 0 ? values[n].h < values[n].high : values[n].h > values[n].low) ? m[n] : 0;
        double shift = movable > 0 ? missing / movable : 0;
        for (int64_t n = 0; n < count; n++) {
            double h = values[n].h + shift;
            h = last ? h : tlwClamp(h, values[n].low, values[n].high);
            missing -= m[n] * (h - values[n].h);
            values[n].h = h;
        }
    }
}

static void returnTile(Transfer *t, int64_t tile_number, Block *b, Value *values)
{
    const tlwGrid *grid = &t->flow->grid;
    const tlwTile *tile = &grid->tiles[tile_number];
    const tlwParticles *p = t->particles;
    double carry = 0; // J that rounding has held back so far
    int64_t cell, next, last = t->tile_start[tile_number + 1];
    for (int64_t first = t->tile_start[tile_number]; first < last; first = next) {
        next = findRunEnd(grid, p, first, last, &cell);
        int at[3];
        for (int a = 0; a < 3; a++)
            at[a] = (int)floorf(p->position[a][first]) - tile->cell[a] + 1;
        int own = at[0] + SIDE * (at[1] + SIDE * at[2]);
        if (b->material[own] < 0)
            continue;
        double missing = t->heat[cell], mass = 0;
        for (int64_t n = first; n < next; n++) {
            values[n - first] = movePart(t, b, tile, n, own);
            missing -= p->mass[n] * (values[n - first].h - p->enthalpy[n]);
            mass += p->mass[n];
        }
        shiftParts(t, values, first, next - first, missing, mass);
        for (int64_t n = first; n < next; n++) {
            if (!(p->mass[n] > 0))
                continue;
            double exact = values[n - first].h + carry / p->mass[n];
            p->enthalpy[n] = (float)exact;
            carry = p->mass[n] * (exact - p->enthalpy[n]);
        }
    }
}

static void returnRange(void *context, int64_t begin, int64_t end)
{
    Transfer *t = context;
    int64_t most = 0;
    for (int64_t tile = begin; tile < end; tile++) {
        int64_t count = t->tile_start[tile + 1] - t->tile_start[tile];
        most = count > most ? count : most;
    }
    if (most == 0)
        return;
    Block *block = tlwAlloc(1, sizeof *block);
    Value *values = tlwAlloc((size_t)most, sizeof *values);
    for (int64_t tile = begin; tile < end && block && values; tile++) {
        if (t->tile_start[tile + 1] == t->tile_start[tile])
            continue;
        loadBlock(t, &t->flow->grid.tiles[tile], block);
        if (!block->still)
            returnTile(t, tile, block, values);
    }
    if (!block || !values)
        atomic_store(&t->failed, true);
    tlwFree(values);
    tlwFree(block);
}

// The cells' own new state. Density and fill follow the melt; what other materials in the cell do is left out.
static void updateRange(void *context, int64_t begin, int64_t end)
{
    Transfer *t = context;
    const tlwFlow *flow = t->flow;
    const tlwGrid *grid = &flow->grid;
    float *enthalpy = tlwGetFloats(grid, flow->enthalpy), *temperature = tlwGetFloats(grid, flow->temperature);
    float *melt = tlwGetFloats(grid, flow->melt), *density = tlwGetFloats(grid, flow->density);
    float *fill = tlwGetFloats(grid, flow->fill);
    for (int64_t tile = begin; tile < end; tile++)
        TLW_FOR_ROWS(grid, &grid->tiles[tile], j, k, row) for (int64_t c = row; c < row + TLW_TILE; c++)
        {
            if (!(t->mass[c] > 0) || t->heat[c] == 0)
                continue;
            const tlwMaterial *m = &t->materials[tlwGetBytes(grid, flow->material)[c]];
            double h = enthalpy[c] + t->heat[c] / t->mass[c], now = tlwGetMelt(m, h);
            double ratio = tlwGetDensity(m, now) / tlwGetDensity(m, melt[c]);
            enthalpy[c] = (float)h;
            temperature[c] = (float)tlwGetTemperature(m, h);
            melt[c] = (float)now;
            density[c] = (float)(density[c] * ratio);
            fill[c] = (float)(fill[c] / ratio);
        }
}

tlwResult tlwReturnHeat(tlwThreads *threads, tlwFlow *flow, tlwParticles *particles, const int64_t *tile_start,
                        const tlwMaterial *materials, double conduction, int mass, int heat)
{
    Transfer t = {.flow = flow,
                  .particles = particles,
                  .tile_start = tile_start,
                  .materials = materials,
                  .mass = tlwGetDoubles(&flow->grid, mass),
                  .heat = tlwGetDoubles(&flow->grid, heat)};
    t.share = fmax(NOISE_SHARE, 1 - exp(-SUBCELL_DECAY * conduction));
    tlwParallelFor(threads, flow->grid.tile_count, TLW_TILE_BLOCK, returnRange, &t);
    if (atomic_load(&t.failed))
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(threads, flow->grid.tile_count, TLW_TILE_BLOCK, updateRange, &t);
    return TLW_OK;
}

typedef struct Listing {
    const tlwParticles *particles;
    const tlwMaterial *materials;
    float *temperature, *melt;
} Listing;

static void listRange(void *context, int64_t begin, int64_t end)
{
    const Listing *l = context;
    for (int64_t n = begin; n < end; n++) {
        const tlwMaterial *m = &l->materials[l->particles->material[n]];
        if (l->temperature)
            l->temperature[n] = (float)tlwGetTemperature(m, l->particles->enthalpy[n]);
        if (l->melt)
            l->melt[n] = (float)tlwGetMelt(m, l->particles->enthalpy[n]);
    }
}

void tlwGetParticleHeat(tlwThreads *threads, const tlwParticles *particles, const tlwMaterial *materials,
                        float *temperature, float *melt)
{
    Listing listing = {particles, materials, temperature, melt};
    tlwParallelFor(threads, particles->count, 4096, listRange, &listing);
}

static double enthalpyRange(void *context, int64_t begin, int64_t end)
{
    const Listing *l = context;
    double sum = 0;
    for (int64_t n = begin; n < end; n++)
        sum += (double)l->particles->mass[n] * l->particles->enthalpy[n];
    return sum;
}

static double meltedRange(void *context, int64_t begin, int64_t end)
{
    const Listing *l = context;
    double sum = 0;
    for (int64_t n = begin; n < end; n++)
        sum += l->particles->mass[n] * tlwGetMelt(&l->materials[l->particles->material[n]], l->particles->enthalpy[n]);
    return sum;
}

static double massRange(void *context, int64_t begin, int64_t end)
{
    const Listing *l = context;
    double sum = 0;
    for (int64_t n = begin; n < end; n++)
        sum += l->particles->mass[n];
    return sum;
}

void tlwSumParticleHeat(tlwThreads *threads, const tlwParticles *particles, const tlwMaterial *materials,
                        double *enthalpy, double *melted)
{
    Listing listing = {particles, materials, NULL, NULL};
    double mass = tlwParallelSum(threads, particles->count, 4096, massRange, &listing);
    *enthalpy = tlwParallelSum(threads, particles->count, 4096, enthalpyRange, &listing);
    *melted = mass > 0 ? tlwParallelSum(threads, particles->count, 4096, meltedRange, &listing) / mass : 0;
}
