"""Names and tooltips: everything that the artist sees is explained."""

import bpy


def visible_properties(group):
    for prop in group.bl_rna.properties:
        if prop.identifier in ("rna_type", "name") or prop.is_hidden:
            continue
        if prop.type in ("COLLECTION",) or (prop.type == "POINTER" and prop.identifier.endswith("_object")):
            continue
        yield prop


def test_every_setting_has_a_name_and_a_tooltip(folder):
    from tallow.model.properties import CLASSES
    unexplained = [f"{cls.__name__}.{prop.identifier}" for cls in CLASSES for prop in visible_properties(cls)
                   if not prop.description or not prop.name]
    assert not unexplained, unexplained


def test_tooltips_read_well(folder):
    from tallow.model.properties import CLASSES
    texts = [(f"{cls.__name__}.{prop.identifier}", prop.description)
             for cls in CLASSES for prop in visible_properties(cls)]
    texts += [(f"{cls.__name__}.{prop.identifier}.{item.identifier}", item.description) for cls in CLASSES
              for prop in visible_properties(cls) if prop.type == "ENUM" for item in prop.enum_items_static]
    odd = [name for name, text in texts if text and (text.endswith(".") or text[0].islower())]
    assert not odd, odd


def test_every_operator_has_a_tooltip(folder):
    from tallow.ui.operators import CLASSES
    assert not [cls.bl_idname for cls in CLASSES if not cls.bl_description or not cls.bl_label]
    for cls in CLASSES:
        assert hasattr(bpy.ops.tallow, cls.bl_idname.split(".")[1])


def test_panels_are_in_the_order_of_the_questions(folder):
    from tallow.ui.panels import CLASSES
    tops = [cls.bl_label for cls in CLASSES if not hasattr(cls, "bl_parent_id")]
    # The first is there only when the copy of the add-on is not whole.
    assert tops == ["Not Ready to Bake", "What is this object?", "Where does it happen?", "When does it melt?", "Bake",
                    "Show", "Render", "World"]


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
