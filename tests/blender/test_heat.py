"""Roles, materials and temperatures that go together, and words where they do not."""

import bpy
import scenes


def told(*words):
    from tallow.baking.export import checks
    return [p.text for p in checks.check_scene(bpy.context.scene)
            if not p.fatal and all(word in p.text for word in words)]


def box_with(role, material, name="Thing"):
    scenes.clear()
    obj = scenes.add_box(name, 0.4, (0.0, 0.0, 0.3))
    scenes.select(obj)
    bpy.ops.tallow.set_role(role=role)
    obj.tallow.material = material
    bpy.ops.tallow.fit_domain()
    return obj


def test_every_material_flows_as_a_liquid_and_stands_as_wax(folder):
    from tallow.core.presets import ZERO_CELSIUS, viscosity_at
    from tallow.model.materials import all_presets
    for name, material in all_presets().items():
        for role in ("LIQUID", "INFLOW"):
            obj = box_with(role, name)
            kelvin = obj.tallow.temperature + ZERO_CELSIUS
            assert material["latent_heat"] == 0.0 or kelvin > material["liquidus"] + 15.0, (name, kelvin)
            assert viscosity_at(material, kelvin) < 5000.0, (name, kelvin)
            assert not told("Thing", "solid"), name
        obj = box_with("WAX", name)
        if material["latent_heat"] > 0.0:
            assert obj.tallow.temperature + ZERO_CELSIUS < material["solidus"] - 5.0, name
            assert not told("Thing", "from the start"), name


def test_a_temperature_set_by_hand_stays(folder):
    obj = box_with("INFLOW", "chocolate")
    obj.tallow.temperature = 45.0
    obj.tallow.material = "paraffin"
    assert obj.tallow.temperature == 45.0
    bpy.ops.tallow.set_role(role="HEAT")
    assert obj.tallow.temperature == 200.0
    bpy.ops.tallow.set_role(role="LIQUID")
    obj.tallow.material = "lava"
    assert obj.tallow.temperature > 1200.0


def test_liquid_and_inflow_keep_what_was_chosen(folder):
    obj = box_with("LIQUID", "honey")
    obj.tallow.temperature = 40.0
    bpy.ops.tallow.set_role(role="INFLOW")
    assert (obj.tallow.material, obj.tallow.temperature) == ("honey", 40.0)
    bpy.ops.tallow.set_role(role="WAX")  # honey never hardens
    assert (obj.tallow.material, obj.tallow.temperature) == ("thick_wax", 20.0)
    obj.tallow.material = "chocolate"
    bpy.ops.tallow.set_role(role="LIQUID")
    assert obj.tallow.material == "chocolate" and obj.tallow.temperature > 40.0


def test_a_frozen_liquid_is_told(folder):
    for role in ("LIQUID", "INFLOW"):
        obj = box_with(role, "chocolate")
        obj.tallow.temperature = 20.0
        assert len(told("Thing", "28 °C", "Raise its temperature")) == 1
        obj.tallow.temperature = 40.0
        assert not told("Raise its temperature")


def test_wax_that_is_liquid_from_the_start_is_told(folder):
    obj = box_with("WAX", "paraffin")
    obj.tallow.temperature = 80.0
    assert len(told("Thing", "from the start", "60 °C")) == 1
    obj.tallow.material = "honey"
    assert len(told("Thing", "never hardens")) == 1
    obj.tallow.material, obj.tallow.temperature = "glass", 20.0  # so thick when it is cold that it stands
    assert not told("never hardens")


def test_wax_that_nothing_can_melt_is_told(folder):
    obj = box_with("WAX", "paraffin")
    scene = bpy.context.scene
    assert len(told("Nothing", "melt Thing", "20 °C", "55 °C")) == 1
    scene.tallow.ambient = 90.0
    assert not told("melt Thing")
    scene.tallow.ambient = 20.0
    plate = scenes.add_box("Plate", 0.4, (0.0, 0.0, -0.1))
    plate.tallow.role = "HEAT"
    assert not told("Nothing") and not told("only")
    plate.tallow.temperature = 40.0
    assert len(told("Thing", "Plate", "only 40 °C", "55 °C")) == 1
    plate.tallow.keyframe_insert("temperature", frame=1)  # it may get hotter
    assert not told("only 40 °C")
    plate.animation_data_clear()
    plate.tallow.role, plate.tallow.temperature = "RIGID", 300.0  # a hot ball melts wax as well
    assert not told("Nothing")
    plate.tallow.temperature, scene.tallow.thermal_speed = 20.0, 0.0  # heat is turned off
    assert not told("Nothing")
    assert obj.tallow.role == "WAX"


def test_wax_whose_heater_was_deleted_is_told_what_melts_it(folder):
    from paper import drawn
    from tallow.ui.panels import baking, objects

    def shown():
        bpy.context.view_layer.update()
        return [" ".join(drawn(draw).texts) for draw in (objects.TALLOW_PT_object.draw, baking.TALLOW_PT_bake.draw)]
    for heat, prop, melters in (("LAMP", "Tallow Lamp", "the air (65 °C) and Tallow Floor (65 °C)"),
                                ("PLATE", "Tallow Hot Plate", "the air (65 °C) and Tallow Floor (122 °C)")):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        cube, scene = scenes.add_box("Cube", 2.0), bpy.context.scene
        scenes.select(cube)
        bpy.ops.tallow.quick_melt(frames=24, resolution=32, heat=heat)
        assert not any("no heater" in text or "Nothing" in text for text in shown())
        bpy.data.objects.remove(scene.objects[prop])
        floor = scene.objects["Tallow Floor"]
        assert all(f"There is no heater. Cube is melted by {melters}." in text for text in shown()), (heat, shown())
        assert not told("Cube is melted")  # it is no fault
        floor.tallow.temperature = 20.0
        assert all("Cube is melted by the air (65 °C)." in text for text in shown()), shown()
        scene.tallow.ambient = 20.0
        for text in shown():
            assert "Nothing in the scene can melt Cube" in text and "Make another object a Heater" in text, text
        floor.tallow.temperature = 90.0
        assert not any("Nothing in the scene" in text for text in shown())
        floor.location.x += 50.0  # hot, and far away
        assert all("Nothing in the scene can melt Cube" in text for text in shown())


def test_no_ready_scene_is_told_off(folder):
    from tallow import demo
    for name in demo.SCENES:
        bpy.ops.tallow.ready_scene(name=name)
        bpy.context.view_layer.update()
        assert not told(), (name, told())


def test_quick_melt_and_quick_liquid_keep_what_was_chosen(folder):
    obj = box_with("WAX", "chocolate")
    obj.tallow.temperature = 12.0
    bpy.ops.tallow.quick_melt(frames=5)
    assert (obj.tallow.material, obj.tallow.temperature) == ("chocolate", 12.0)
    obj = box_with("LIQUID", "honey")
    obj.tallow.temperature = 35.0
    bpy.ops.tallow.quick_liquid(frames=5)
    assert (obj.tallow.material, obj.tallow.temperature) == ("honey", 35.0)


def test_wax_that_heat_never_reaches_in_time_is_told(folder):
    from tallow.core import estimate
    house = box_with("WAX", "paraffin", "House")
    house.scale = (100.0, 100.0, 100.0)
    plate = scenes.add_box("Plate", 0.4, (0.0, 0.0, -0.1))
    plate.tallow.role = "HEAT"
    bpy.context.view_layer.update()
    bpy.ops.tallow.fit_domain()
    bpy.context.scene.tallow.thermal_speed = 1e7
    bpy.context.scene.frame_end = 10
    assert len(told("House takes about", "cannot be sped up more")) == 1
    settings = bpy.types.Scene.bl_rna.properties["tallow"].fixed_type
    assert settings.properties["thermal_speed"].hard_max == estimate.MOST_SPEED


def test_lamps_and_heated_volumes_can_be_too_slow_as_well(folder):
    from tallow.model import heating
    scene = bpy.context.scene
    for kind in ("LAMP", "VOLUME"):
        box_with("WAX", "paraffin")
        heater = scenes.add_box("Heater", 0.2, (0.0, 0.0, 0.9))
        heater.tallow.role, heater.tallow.heat_kind, heater.tallow.power = "HEAT", kind, 100.0
        scene.tallow.thermal_speed, scene.frame_end = 1.0, 48
        assert len(told("Thing takes about", "Melt Within the Shot")) == 1, kind
        bpy.ops.tallow.melt_in_shot()
        assert scene.tallow.thermal_speed > 100.0 and not told("takes about")
        slow = heating.slowest(scene).seconds
        heater.tallow.power = 1000.0
        assert abs(heating.slowest(scene).seconds / slow - 0.1) < 1e-3


def test_surface_tension_is_no_setting_while_it_does_nothing(folder):
    scenes.wax_in_a_box(folder)
    assert not hasattr(bpy.context.scene.tallow, "surface_tension")
    from tallow.baking.export.settings import solver_member
    assert "surface_tension_scale" not in solver_member(bpy.context.scene)
    bpy.ops.tallow.edit_material()
    kept = bpy.context.scene.tallow.materials[0].as_dict()["surface_tension"]
    assert abs(kept - 0.025) < 1e-6


def test_an_editable_copy_is_the_same_material(folder):
    from tallow.model.materials import all_presets
    for name, preset in all_presets().items():
        box_with("LIQUID", name)
        bpy.ops.tallow.edit_material()
        copy = bpy.context.scene.tallow.materials[-1].as_dict()
        for (kelvin, value), (own_kelvin, own) in zip(preset["viscosity"], copy["viscosity"]):
            assert abs(own_kelvin - kelvin) < 0.01 and abs(own / value - 1.0) < 1e-5, (name, kelvin, value, own)
        for key in ("density", "specific_heat", "conductivity"):
            assert all(abs(a / b - 1.0) < 1e-5 for a, b in zip(copy[key], preset[key])), (name, key)
        assert abs(copy["solid_viscosity"] / preset["solid_viscosity"] - 1.0) < 1e-5, name


def test_a_light_is_told_that_a_mesh_can_be_a_heat_lamp(folder):
    light = bpy.data.objects["Light"]
    scenes.select(light)
    from tallow.model.roles import why_no_role
    assert "heat lamp" in why_no_role(light) and "mesh" in why_no_role(light)
    assert "made by Tallow" not in why_no_role(bpy.data.objects["Camera"])
    assert bpy.ops.tallow.set_role(role="HEAT") == {"CANCELLED"}
