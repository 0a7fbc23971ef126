#include "scene/material.h"

#include "base/memory.h"
#include "base/vec.h"

#include <string.h>

tlwMaterialDef tlwDefaultMaterialDef(void)
{
    return (tlwMaterialDef){
        .density_solid = 998,
        .density_liquid = 998,
        .specific_heat_solid = 4182,
        .specific_heat_liquid = 4182,
        .conductivity_solid = 0.6,
        .conductivity_liquid = 0.6,
        .solidus = 273.15,
        .liquidus = 273.15,
        .latent_heat = 0,
        .viscosity = {.count = 1, .temperature = {293.15}, .value = {1.0e-3}},
        .solid_viscosity = 1e5,
        .surface_tension = 0.0728,
        .contact_angle = 60,
        .frozen = TLW_FROZEN_RIGID,
        .color = {0.35f, 0.6f, 0.85f},
        .cookie = TLW_MATERIAL_COOKIE,
    };
}

tlwResult tlwCheckName(const char *kind, const char *name, tlwMessage *message)
{
    if (!name || !name[0])
        return tlwFail(message, TLW_BAD_ARGUMENT, "An unnamed %s is in the scene; give it a name.", kind);
    if (strlen(name) > 255)
        return tlwFail(message, TLW_BAD_ARGUMENT, "The name of the %s %.40s... is too long; give it at most 255 bytes.",
                       kind, name);
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return tlwFail(message, TLW_BAD_ARGUMENT,
                           "The name of the %s %.*s has a line break or a control character.", kind, (int)(c - name),
                           name);
    return TLW_OK;
}

static tlwResult checkRange(const char *name, const char *member, double value, double low, double high,
                            tlwMessage *message)
{
    if (value >= low && value <= high)
        return TLW_OK;
    return tlwFail(message, TLW_BAD_ARGUMENT, "Material %s: %s is %g, but must lie between %g and %g.", name, member,
                   value, low, high);
}

static tlwResult checkCurve(const char *name, const tlwCurve *curve, tlwMessage *message)
{
    if (curve->count < 1 || curve->count > TLW_MAX_CURVE)
        return tlwFail(message, TLW_BAD_ARGUMENT, "Material %s: its viscosity curve has %d points; give 1 to %d.", name,
                       curve->count, TLW_MAX_CURVE);
    for (int i = 0; i < curve->count; i++) {
        if (!(curve->temperature[i] > 0) || !isfinite(curve->temperature[i]))
            return tlwFail(message, TLW_BAD_ARGUMENT,
                           "Material %s: point %d of its viscosity curve is at %g K; give a temperature above 0 K.",
                           name, i + 1, curve->temperature[i]);
        if (!(curve->value[i] >= 1e-9 && curve->value[i] <= 1e18))
            return tlwFail(message, TLW_BAD_ARGUMENT,
                           "Material %s: the viscosity at %g K is %g Pa s, but must lie between 1e-9 and 1e18.", name,
                           curve->temperature[i], curve->value[i]);
        if (i > 0 && !(curve->temperature[i] > curve->temperature[i - 1]))
            return tlwFail(message, TLW_BAD_ARGUMENT,
                           "Material %s: the temperatures of its viscosity curve must rise, but %g K follows %g K.",
                           name, curve->temperature[i], curve->temperature[i - 1]);
    }
    return TLW_OK;
}

static tlwResult checkMaterial(const tlwMaterialDef *def, const char *name, tlwMessage *message)
{
    const struct {
        const char *member;
        double value, low, high;
    } ranges[] = {
        {"density_solid", def->density_solid, 0.01, 1e5},
        {"density_liquid", def->density_liquid, 0.01, 1e5},
        {"specific_heat_solid", def->specific_heat_solid, 1, 1e6},
        {"specific_heat_liquid", def->specific_heat_liquid, 1, 1e6},
        {"conductivity_solid", def->conductivity_solid, 0, 1e5},
        {"conductivity_liquid", def->conductivity_liquid, 0, 1e5},
        {"solidus", def->solidus, 0, 1e5},
        {"liquidus", def->liquidus, 0, 1e5},
        {"latent_heat", def->latent_heat, 0, 1e9},
        {"solid_viscosity", def->solid_viscosity, 1e-9, 1e18},
        {"surface_tension", def->surface_tension, 0, 100},
        {"contact_angle", def->contact_angle, 0, 180},
        {"color[0]", def->color[0], 0, 1e6},
        {"color[1]", def->color[1], 0, 1e6},
        {"color[2]", def->color[2], 0, 1e6},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        TLW_TRY(checkRange(name, ranges[i].member, ranges[i].value, ranges[i].low, ranges[i].high, message));
    if (def->solidus > def->liquidus)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "Material %s: its solidus (%g K) is above its liquidus (%g K); exchange them.", name,
                       def->solidus, def->liquidus);
    if ((int)def->frozen < TLW_FROZEN_RIGID || (int)def->frozen > TLW_FROZEN_SOFT)
        return tlwFail(message, TLW_BAD_ARGUMENT, "Material %s: frozen is %d, but must be rigid (0) or soft (1).", name,
                       (int)def->frozen);
    return checkCurve(name, &def->viscosity, message);
}

tlwResult tlwMakeMaterial(const tlwMaterialDef *def, tlwMaterial *material, tlwMessage *message)
{
    if (!def || def->cookie != TLW_MATERIAL_COOKIE)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "A material was not made by tlwDefaultMaterialDef of this version of Tallow.");
    TLW_TRY(tlwCheckName("material", def->name, message));
    TLW_TRY(checkMaterial(def, def->name, message));

    tlwMaterial made = {.def = *def};
    made.def.name = tlwCopyString(def->name);
    if (!made.def.name)
        return tlwFailMemory(message, "a material");
    made.melts = def->latent_heat > 0;
    made.enthalpy_solidus = def->specific_heat_solid * def->solidus;
    made.enthalpy_liquidus =
        made.enthalpy_solidus + def->latent_heat +
        0.5 * (def->specific_heat_solid + def->specific_heat_liquid) * (def->liquidus - def->solidus);
    for (int i = 0; i < def->viscosity.count; i++)
        made.log_viscosity[i] = log(def->viscosity.value[i]);
    made.log_solid_viscosity = log(def->solid_viscosity);
    *material = made;
    return TLW_OK;
}

void tlwFreeMaterial(tlwMaterial *material)
{
    tlwFree((char *)material->def.name);
    material->def.name = NULL;
}

double tlwGetEnthalpy(const tlwMaterial *material, double temperature)
{
    const tlwMaterialDef *def = &material->def;
    if (!material->melts)
        return def->specific_heat_liquid * temperature;
    if (temperature <= def->solidus)
        return def->specific_heat_solid * temperature;
    if (temperature >= def->liquidus)
        return material->enthalpy_liquidus + def->specific_heat_liquid * (temperature - def->liquidus);
    double span = def->liquidus - def->solidus;
    double melt = (temperature - def->solidus) / span;
    double mean_heat = def->specific_heat_solid + 0.5 * (def->specific_heat_liquid - def->specific_heat_solid) * melt;
    return material->enthalpy_solidus + melt * (def->latent_heat + span * mean_heat);
}

double tlwGetMelt(const tlwMaterial *material, double enthalpy)
{
    const tlwMaterialDef *def = &material->def;
    if (!material->melts || enthalpy >= material->enthalpy_liquidus)
        return 1;
    if (enthalpy <= material->enthalpy_solidus)
        return 0;
    // a f^2 + b f = q, with the root that stays exact when both specific heats are equal (a = 0).
    double span = def->liquidus - def->solidus;
    double a = 0.5 * span * (def->specific_heat_liquid - def->specific_heat_solid);
    double b = def->latent_heat + span * def->specific_heat_solid;
    double q = enthalpy - material->enthalpy_solidus;
    return tlwClamp(2 * q / (b + sqrt(fmax(b * b + 4 * a * q, 0))), 0, 1);
}

double tlwGetTemperature(const tlwMaterial *material, double enthalpy)
{
    const tlwMaterialDef *def = &material->def;
    if (!material->melts)
        return enthalpy / def->specific_heat_liquid;
    if (enthalpy <= material->enthalpy_solidus)
        return enthalpy / def->specific_heat_solid;
    if (enthalpy >= material->enthalpy_liquidus)
        return def->liquidus + (enthalpy - material->enthalpy_liquidus) / def->specific_heat_liquid;
    return def->solidus + tlwGetMelt(material, enthalpy) * (def->liquidus - def->solidus);
}

static double logLiquidViscosity(const tlwMaterial *material, double temperature)
{
    const tlwCurve *curve = &material->def.viscosity;
    int last = curve->count - 1;
    if (temperature >= curve->temperature[last])
        return material->log_viscosity[last];
    if (!(temperature > curve->temperature[0]))
        return material->log_viscosity[0];
    int i = 1;
    while (curve->temperature[i] < temperature)
        i++;
    double t = (temperature - curve->temperature[i - 1]) / (curve->temperature[i] - curve->temperature[i - 1]);
    return (1 - t) * material->log_viscosity[i - 1] + t * material->log_viscosity[i];
}

double tlwGetViscosity(const tlwMaterial *material, double temperature, double melt)
{
    double liquid = logLiquidViscosity(material, temperature);
    if (!material->melts || melt >= 1)
        return exp(liquid);
    return exp((1 - melt) * material->log_solid_viscosity + melt * liquid);
}

double tlwGetDensity(const tlwMaterial *material, double melt)
{
    const tlwMaterialDef *def = &material->def;
    if (!material->melts)
        return def->density_liquid;
    return 1 / ((1 - melt) / def->density_solid + melt / def->density_liquid);
}

double tlwGetConductivity(const tlwMaterial *material, double melt)
{
    const tlwMaterialDef *def = &material->def;
    return material->melts ? (1 - melt) * def->conductivity_solid + melt * def->conductivity_liquid
                           : def->conductivity_liquid;
}

double tlwGetSpecificHeat(const tlwMaterial *material, double melt)
{
    const tlwMaterialDef *def = &material->def;
    return material->melts ? (1 - melt) * def->specific_heat_solid + melt * def->specific_heat_liquid
                           : def->specific_heat_liquid;
}
