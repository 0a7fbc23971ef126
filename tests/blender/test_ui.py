"""Names and tooltips: everything that the artist sees is explained."""

import re
import sys

import bpy
import scenes
from paper import drawn


def all_classes():
    """Every class of the add-on that Blender knows, wherever it is defined."""
    kinds = (bpy.types.PropertyGroup, bpy.types.Operator, bpy.types.AddonPreferences, bpy.types.Panel, bpy.types.Menu)
    modules = [module for name, module in sorted(sys.modules.items()) if name.split(".")[0] == "tallow"]
    found = {value for module in modules for value in vars(module).values() if isinstance(value, type)}
    # What begins with a line is shared by others, and not registered itself.
    return sorted((cls for cls in found if issubclass(cls, kinds) and cls not in kinds and cls.__name__[0] != "_"),
                  key=lambda cls: cls.__name__)


def own_properties(cls):
    """What the artist can point at. Hidden ones are the add-on's memory and in no panel."""
    inherited = {"rna_type", *(cls.bl_rna.base.properties.keys() if cls.bl_rna.base else ())}
    return [prop for prop in cls.bl_rna.properties if prop.identifier not in inherited and not prop.is_hidden]


def is_sentence(text):
    """As Blender wants a tooltip: it begins with a capital, says more than a word, and Blender adds the full stop."""
    return bool(re.fullmatch(r"[A-Z0-9\"'(*+-].*[\w)\"'%°²³]", text)) and len(text.split()) > 1 and "  " not in text


def test_every_setting_has_a_name_and_a_tooltip(folder):
    groups = [cls for cls in all_classes() if not issubclass(cls, (bpy.types.Panel, bpy.types.Menu))]
    assert {"TallowScene", "TallowObject", "TallowMaterial", "TALLOW_OT_bake"} <= {cls.__name__ for cls in groups}
    unexplained = [f"{cls.__name__}.{prop.identifier}" for cls in groups for prop in own_properties(cls)
                   if not is_sentence(prop.description) or not prop.name]
    assert not unexplained, unexplained


def test_every_choice_of_a_setting_has_a_tooltip(folder):
    choices = [(f"{cls.__name__}.{prop.identifier}.{item.identifier}", item.description) for cls in all_classes()
               for prop in own_properties(cls) if prop.type == "ENUM" for item in prop.enum_items_static]
    odd = [name for name, text in choices if not is_sentence(text)]
    assert not odd, odd


def test_every_operator_and_menu_has_a_tooltip(folder):
    from tallow.ui.operators import CLASSES
    found = [cls for cls in all_classes() if issubclass(cls, (bpy.types.Operator, bpy.types.Menu))]
    assert set(CLASSES) <= set(found)
    odd = [cls.bl_idname for cls in found if not is_sentence(cls.bl_description) or not cls.bl_label]
    assert not odd, odd
    for cls in CLASSES:
        assert hasattr(bpy.ops.tallow, cls.bl_idname.split(".")[1])


def test_quick_buttons_and_ready_scenes_stay_reachable(folder):
    from tallow.ui import menus
    from tallow.ui.panels import objects
    scenes.wax_in_a_box(folder)
    assert menus._draw in bpy.types.VIEW3D_MT_add._dyn_ui_initialize()
    for baked in (False, True):
        if baked:
            bpy.ops.tallow.bake()
        for draw in (objects.TALLOW_PT_object.draw, menus.TALLOW_MT_add.draw):
            assert {"tallow.quick_melt", "tallow.quick_liquid", "tallow.ready_scene"} <= set(drawn(draw).names)


def test_the_line_under_real_size_says_how_large_the_wax_is(folder):
    from tallow.ui.panels.domains import TALLOW_PT_domain

    def line():
        paper = drawn(TALLOW_PT_domain.draw)
        return [text for text in paper.texts if "in life" in text], "life_centimetres" in paper.names

    wax, tallow = scenes.wax_in_a_box(folder), bpy.context.scene.tallow
    assert line() == (["Wax is 40 cm in life, by Real Size"], False)
    tallow.life_size = "TABLE"
    assert line() == (["Wax is 12 cm in life, by Real Size"], False)
    tallow.life_size, tallow.life_centimetres = "OWN", 250.0
    assert line() == (["Wax is 2.5 m in life, by Real Size"], True)
    wax.tallow.role = "SOLID"
    assert line() == ([], False), "nothing melts or flows, so there is nothing to measure by"


def top_panels():
    from tallow.ui.panels import CLASSES
    shown = [cls for cls in CLASSES if not hasattr(cls, "bl_parent_id")]
    return [cls.bl_label for cls in shown if not hasattr(cls, "poll") or cls.poll(bpy.context)]


def test_panels_are_in_the_order_of_the_questions(folder):
    scenes.wax_in_a_box(folder)
    questions = ["What is this object?", "Where does it happen?", "When does it melt?", "Bake"]
    assert top_panels() == [*questions, "Show", "Render", "World"]
    bpy.ops.tallow.bake()
    assert top_panels() == ["Show", "Render", *questions, "World"]
    from tallow.baking import job
    whole, job.is_baking = job.is_baking, lambda _scene: True
    try:
        assert top_panels() == [*questions, "Show", "Render", "World"]  # nothing moves while it bakes
    finally:
        job.is_baking = whole
    bpy.ops.tallow.free()
    assert top_panels() == [*questions, "Show", "Render", "World"]


def test_the_add_on_can_be_turned_off_and_on(folder):
    import addon_utils
    handlers = sum(len(getattr(bpy.app.handlers, name))
                   for name in ("frame_change_post", "load_post", "save_pre", "undo_post"))
    addon_utils.disable("tallow")
    assert not hasattr(bpy.types.Scene, "tallow")
    addon_utils.enable("tallow", default_set=True)
    assert hasattr(bpy.types.Scene, "tallow")
    assert handlers == sum(len(getattr(bpy.app.handlers, name))
                           for name in ("frame_change_post", "load_post", "save_pre", "undo_post"))


def test_saved_choices_survive_a_reload(folder):
    cube = bpy.data.objects["Cube"]
    cube.tallow.role = "INFLOW"
    cube.tallow.material = "honey"
    bpy.context.view_layer.objects.active = cube
    bpy.ops.tallow.edit_material()
    bpy.context.scene.tallow.materials[0].name = "Mine"
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "a.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "a.blend"))
    cube = bpy.data.objects["Cube"]
    from tallow.model.materials import lookup
    assert cube.tallow.role == "INFLOW" and lookup(bpy.context.scene, cube.tallow.material)["label"] == "Mine"


def test_every_role_of_the_table_is_complete(folder):
    from tallow.model import icons, materials, roles
    known = bpy.data.objects["Cube"].tallow.bl_rna.properties.keys()
    for role in roles.TABLE:
        groups = role.settings + role.motion + role.heat + (role.exported,)
        names = {setting.name for group in groups for setting in group} | set(role.keyed) | set(role.first)
        names |= {setting.when.setting for group in groups for setting in group if setting.when}
        assert names <= set(known), (role.identifier, names - set(known))
        assert icons.name(*role.icons) != "NONE", role.identifier
        assert role.identifier == "NONE" or (role.member and role.words), role.identifier
        assert role.fluid == bool(role.materials), role.identifier
        assert set(role.materials) <= set(materials.all_presets()), role.identifier


def test_the_numbers_of_roles_are_those_of_saved_files(folder):
    items = bpy.data.objects["Cube"].tallow.bl_rna.properties["role"].enum_items
    assert {item.identifier: item.value for item in items} == {
        "NONE": 0, "WAX": 1, "LIQUID": 2, "INFLOW": 3, "OUTFLOW": 4, "SOLID": 5, "RIGID": 6, "HEAT": 7}


# Settings of `scene.tallow` whose names in scene.json are others.
OTHER_NAMES = {"film_coefficient": "film", "ambient_temperature": "ambient"}
# Settings that say beside themselves why they begin with another value.
DELIBERATE = {"restitution", "density", "mass", "conductivity", "power", "save_particles", "save_compact",
              "keep_detail", "keep_every"}
# Not settings of the add-on.
HIDDEN = {"fps", "pressure_tolerance", "viscosity_tolerance", "max_iterations", "save_mesh"}


def first_value(group, name):
    prop = group.bl_rna.properties[name]
    value = list(prop.default_array) if getattr(prop, "is_array", False) else prop.default
    return value.lower() if isinstance(value, str) else value


def same(value, expected, kelvin):
    if isinstance(expected, list):
        return all(abs(a - b) < 1e-6 for a, b in zip(value, expected))
    if isinstance(expected, str):
        return value == expected
    return abs(value + (273.15 if kelvin else 0.0) - expected) < 1e-4


def test_settings_begin_as_the_library_says(folder):
    from tallow.core import defaults
    cube, scene = bpy.data.objects["Cube"].tallow, bpy.context.scene.tallow
    for name, expected in defaults.SCENE.items():
        if name == "walls":
            walls = ("wall_x0", "wall_x1", "wall_y0", "wall_y1", "wall_z0", "wall_z1")
            for wall, side in zip(walls, expected.values()):
                assert first_value(scene, wall) == side, wall
        elif name not in HIDDEN:
            value = first_value(scene, OTHER_NAMES.get(name, name))
            assert same(value, expected, "temperature" in name) == (name not in DELIBERATE), name
    for name, expected in defaults.OBJECT.items():
        assert same(first_value(cube, name), expected, name == "temperature") == (name not in DELIBERATE), name
