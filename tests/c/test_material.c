// Materials: heat content, melt and viscosity, and the sentences for what cannot be used.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scene/material.h"

#include <math.h>
#include <string.h>

static tlwMaterialDef paraffin(void)
{
    tlwMaterialDef def = tlwDefaultMaterialDef();
    def.name = "Paraffin";
    def.density_solid = 900;
    def.density_liquid = 780;
    def.specific_heat_solid = 2100;
    def.specific_heat_liquid = 2900;
    def.conductivity_solid = 0.25;
    def.conductivity_liquid = 0.15;
    def.solidus = 328.15;
    def.liquidus = 333.15;
    def.latent_heat = 210000;
    def.viscosity = (tlwCurve){2, {333.15, 353.15}, {0.0075, 0.005}};
    return def;
}

static tlwMaterial make(tlwMaterialDef def)
{
    tlwMaterial material;
    tlwMessage message = {""};
    assert_int_equal(tlwMakeMaterial(&def, &material, &message), TLW_OK);
    return material;
}

static void checkRises(const tlwMaterial *material)
{
    double last = -1;
    for (int i = 0; i <= 4000; i++) {
        double temperature = 250 + 0.05 * i;
        double enthalpy = tlwGetEnthalpy(material, temperature);
        assert_true(enthalpy > last);
        assert_true(fabs(tlwGetTemperature(material, enthalpy) - temperature) < 1e-10 * temperature);
        last = enthalpy;
    }
}

static void test_enthalpy_rises_and_inverts(void **state)
{
    (void)state;
    tlwMaterialDef defs[4] = {paraffin(), paraffin(), paraffin(), tlwDefaultMaterialDef()};
    defs[1].specific_heat_solid = 2900; // equal, and the liquid's lower than the solid's
    defs[2].specific_heat_liquid = 800;
    defs[2].latent_heat = 1; // specific heats rule the quadratic
    defs[3].name = "Water";
    for (int i = 0; i < 4; i++) {
        tlwMaterial material = make(defs[i]);
        checkRises(&material);
        tlwFreeMaterial(&material);
    }
}

static void test_melting_takes_the_latent_heat(void **state)
{
    (void)state;
    tlwMaterial wax = make(paraffin());
    double heat = tlwGetEnthalpy(&wax, 333.15) - tlwGetEnthalpy(&wax, 328.15);
    assert_true(fabs(heat - (210000 + 5 * 2500)) < 1e-6);
    assert_true(tlwGetMelt(&wax, tlwGetEnthalpy(&wax, 328.15)) == 0);
    assert_true(tlwGetMelt(&wax, tlwGetEnthalpy(&wax, 333.15)) == 1);
    assert_true(fabs(tlwGetMelt(&wax, tlwGetEnthalpy(&wax, 330.65)) - 0.5) < 1e-12);
    // A degree takes the specific heat and an even share of the latent heat.
    double melt = tlwGetMelt(&wax, tlwGetEnthalpy(&wax, 331.0));
    double slope = (tlwGetEnthalpy(&wax, 331.001) - tlwGetEnthalpy(&wax, 330.999)) / 0.002;
    assert_true(fabs((tlwGetSpecificHeat(&wax, melt) + 210000 / 5.0) / slope - 1) < 1e-6);
    tlwFreeMaterial(&wax);
}

static void test_sharp_melting_point_holds_its_temperature(void **state)
{
    (void)state;
    tlwMaterialDef def = paraffin();
    def.solidus = def.liquidus = 273.15;
    tlwMaterial ice = make(def);
    double solid = tlwGetEnthalpy(&ice, 273.15);
    assert_true(tlwGetMelt(&ice, solid) == 0);
    for (int i = 0; i <= 10; i++) {
        double h = solid + 0.1 * i * def.latent_heat;
        assert_true(tlwGetTemperature(&ice, h) == 273.15);
        assert_true(fabs(tlwGetMelt(&ice, h) - 0.1 * i) < 1e-12);
    }
    assert_true(tlwGetEnthalpy(&ice, 273.16) > solid + def.latent_heat);
    tlwFreeMaterial(&ice);
}

static void test_material_without_latent_heat_never_freezes(void **state)
{
    (void)state;
    tlwMaterialDef def = tlwDefaultMaterialDef();
    def.name = "Water";
    tlwMaterial water = make(def);
    assert_true(tlwGetMelt(&water, tlwGetEnthalpy(&water, 1)) == 1);
    assert_true(fabs(tlwGetViscosity(&water, 200, 0) - 1e-3) < 1e-15);
    assert_true(tlwGetDensity(&water, 0) == 998);
    tlwFreeMaterial(&water);
}

static void test_viscosity_is_straight_in_its_logarithm(void **state)
{
    (void)state;
    tlwMaterial wax = make(paraffin());
    assert_true(fabs(tlwGetViscosity(&wax, 343.15, 1) - sqrt(0.0075 * 0.005)) < 1e-15);
    assert_true(fabs(tlwGetViscosity(&wax, 300, 1) - 0.0075) < 1e-15);
    assert_true(fabs(tlwGetViscosity(&wax, 500, 1) - 0.005) < 1e-15);
    assert_true(fabs(tlwGetViscosity(&wax, 353.15, 1) - 0.005) < 1e-15);
    // In the melting range it leads from the solid's value to the liquid's.
    assert_true(fabs(tlwGetViscosity(&wax, 328.15, 0) / 1e5 - 1) < 1e-12);
    assert_true(fabs(tlwGetViscosity(&wax, 333.15, 1) / 0.0075 - 1) < 1e-12);
    assert_true(fabs(tlwGetViscosity(&wax, 330.65, 0.5) / sqrt(1e5 * 0.0075) - 1) < 1e-12);
    tlwFreeMaterial(&wax);
}

static void test_melting_keeps_mass(void **state)
{
    (void)state;
    tlwMaterial wax = make(paraffin());
    // 1 kg, half molten: half a kilogram of each side by side.
    double volume = 0.5 / 900 + 0.5 / 780;
    assert_true(fabs(tlwGetDensity(&wax, 0.5) - 1 / volume) < 1e-9);
    assert_true(tlwGetDensity(&wax, 0) == 900 && tlwGetDensity(&wax, 1) == 780);
    assert_true(tlwGetConductivity(&wax, 0.5) == 0.2);
    tlwFreeMaterial(&wax);
}

static void expectRefusal(tlwMaterialDef def, const char *word)
{
    tlwMaterial material;
    tlwMessage message = {""};
    assert_int_equal(tlwMakeMaterial(&def, &material, &message), TLW_BAD_ARGUMENT);
    assert_non_null(strstr(message.text, word));
}

static void test_bad_materials_are_refused_by_member(void **state)
{
    (void)state;
    tlwMaterialDef def = paraffin();
    def.cookie = 0;
    expectRefusal(def, "tlwDefaultMaterialDef");
    def = paraffin();
    def.name = "";
    expectRefusal(def, "unnamed material");
    char longer[400];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    def.name = longer;
    expectRefusal(def, "too long");
    def.name = "two\nlines";
    expectRefusal(def, "material two has a line break");
    def = paraffin();
    def.density_liquid = -1;
    expectRefusal(def, "Paraffin: density_liquid");
    def = paraffin();
    def.specific_heat_solid = NAN;
    expectRefusal(def, "specific_heat_solid");
    def = paraffin();
    def.solidus = 400;
    expectRefusal(def, "solidus");
    def = paraffin();
    def.viscosity.temperature[1] = 333.15;
    expectRefusal(def, "must rise");
    def = paraffin();
    def.viscosity.value[0] = 0;
    expectRefusal(def, "viscosity at 333.15 K");
    def = paraffin();
    def.viscosity.count = TLW_MAX_CURVE + 1;
    expectRefusal(def, "17 points");
    def = paraffin();
    def.color[2] = NAN;
    expectRefusal(def, "color[2]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enthalpy_rises_and_inverts),
        cmocka_unit_test(test_melting_takes_the_latent_heat),
        cmocka_unit_test(test_sharp_melting_point_holds_its_temperature),
        cmocka_unit_test(test_material_without_latent_heat_never_freezes),
        cmocka_unit_test(test_viscosity_is_straight_in_its_logarithm),
        cmocka_unit_test(test_melting_keeps_mass),
        cmocka_unit_test(test_bad_materials_are_refused_by_member),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
