// Properties of a material at a temperature: heat content, melt, viscosity, density.
#ifndef TLW_SCENE_MATERIAL_H
#define TLW_SCENE_MATERIAL_H

#include "base/result.h"

#define TLW_MATERIAL_COOKIE (0x7A110003 ^ TLW_ABI_VERSION)

// A material of a scene, with values derived from its def.
typedef struct tlwMaterial {
    tlwMaterialDef def;                         // def.name is owned
    bool melts;                                 // false: latent heat 0, liquid at every temperature
    double enthalpy_solidus, enthalpy_liquidus; // J/kg
    double log_viscosity[TLW_MAX_CURVE];
    double log_solid_viscosity;
} tlwMaterial;

// Names appear in messages and files. Fails for a missing name, more than 255 bytes and control characters. `kind` is
// "object" and so on.
tlwResult tlwCheckName(const char *kind, const char *name, tlwMessage *message);

// Check `def` and fill `material`, taking a copy of the name. The message names the material and the member.
tlwResult tlwMakeMaterial(const tlwMaterialDef *def, tlwMaterial *material, tlwMessage *message);
void tlwFreeMaterial(tlwMaterial *material);

// Heat content in J/kg, relative to the solid at 0 K (for a material that never freezes: to the liquid at 0 K). Below
// the solidus the solid's specific heat applies, above the liquidus the liquid's. Between them the latent heat is
// spread evenly over the temperatures, and the specific heat changes from solid to liquid with the melt. Where solidus
// and liquidus are equal, material at exactly that temperature is solid.
double tlwGetEnthalpy(const tlwMaterial *material, double temperature);

// Inverse of tlwGetEnthalpy. Both rise strictly, except on the plateau of a sharp melting point.
double tlwGetTemperature(const tlwMaterial *material, double enthalpy);

// 0 solid .. 1 liquid.
double tlwGetMelt(const tlwMaterial *material, double enthalpy);

// Pa s. The liquid's viscosity is linear in log(viscosity) between the points of the curve and constant beyond its
// ends. In the melting range, log(viscosity) goes from that of `solid_viscosity` to the liquid's with the melt.
double tlwGetViscosity(const tlwMaterial *material, double temperature, double melt);

// Mixtures of solid and liquid by melt. Density is mixed as volume per mass, so that melting conserves mass.
double tlwGetDensity(const tlwMaterial *material, double melt);
double tlwGetConductivity(const tlwMaterial *material, double melt);
double tlwGetSpecificHeat(const tlwMaterial *material, double melt);

#endif
