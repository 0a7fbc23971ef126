"""The artist's own materials: saved as presets, and kept by objects that go to another file."""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

import bpy
import scenes


@contextmanager
def own_folder():
    """Presets of this test, and not of whoever runs it."""
    from tallow.model import materials
    before = materials.user_folder
    with tempfile.TemporaryDirectory() as folder:
        materials.user_folder = lambda: Path(folder) / "presets"
        materials.all_presets.cache_clear()
        try:
            yield Path(folder) / "presets"
        finally:
            materials.user_folder = before
            materials.all_presets.cache_clear()


def own_material(obj, name, latent_heat=12345.0):
    from tallow.model.materials import find_custom
    scenes.select(obj)
    bpy.ops.tallow.edit_material()
    own = find_custom(bpy.context.scene, obj.tallow.material)
    own.name, own.latent_heat = name, latent_heat
    return own


def test_a_material_is_saved_and_deleted_as_a_preset(folder):
    from tallow.model.materials import lookup, material_items
    wax = scenes.wax_in_a_box(folder)
    with own_folder() as place:
        own_material(wax, "Magic Goo / 2")
        assert bpy.ops.tallow.save_preset() == {"FINISHED"}
        assert [path.name for path in place.iterdir()] == ["magic_goo_2.json"]
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        wax = scenes.wax_in_a_box(folder)
        names = [item[0] for item in material_items(None, bpy.context)]
        assert "user_magic_goo_2" in names and "custom_1" not in names
        wax.tallow.material = "user_magic_goo_2"
        assert lookup(bpy.context.scene, wax.tallow.material)["latent_heat"] == 12345.0
        bpy.ops.tallow.bake()
        scenes.select(wax)
        assert bpy.ops.tallow.delete_preset() == {"FINISHED"}
        assert not list(place.iterdir())
        assert lookup(bpy.context.scene, wax.tallow.material)["latent_heat"] == 12345.0


def test_an_impossible_material_is_no_preset(folder):
    wax = scenes.wax_in_a_box(folder)
    with own_folder() as place:
        own = own_material(wax, "Odd")
        own.liquidus = own.solidus - 10.0
        scenes.expect_error(bpy.ops.tallow.save_preset, "Odd", "molten at a lower temperature")
        assert not place.exists()


def test_a_folder_that_cannot_be_written_is_told(folder):
    from tallow.model import materials
    wax = scenes.wax_in_a_box(folder)
    own_material(wax, "Goo")
    before = materials.user_folder
    (folder / "file").write_text("")
    materials.user_folder = lambda: folder / "file" / "presets"
    try:
        scenes.expect_error(bpy.ops.tallow.save_preset, "cannot be saved")
    finally:
        materials.user_folder = before


def append(blend, name):
    with bpy.data.libraries.load(str(blend)) as (_source, target):
        target.objects = [name]
    bpy.context.scene.collection.objects.link(target.objects[0])
    bpy.context.view_layer.update()
    return target.objects[0]


def test_appended_objects_keep_their_material(folder):
    from tallow.model.materials import find_custom
    wax = scenes.wax_in_a_box(folder)
    own_material(wax, "Goo", 12345.0)
    wax.tallow.temperature = 7.0
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "source.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    other = scenes.wax_in_a_box(folder)
    other.name = "Other"
    own_material(other, "Other Goo", 777.0)  # has the same number as Goo has in its file
    wax = append(folder / "source.blend", "Wax")
    scene = bpy.context.scene
    assert find_custom(scene, wax.tallow.material).name == "Goo" and wax.tallow.temperature == 7.0
    assert find_custom(scene, wax.tallow.material).latent_heat == 12345.0
    assert find_custom(scene, other.tallow.material).name == "Other Goo"
    again = append(folder / "source.blend", "Wax")  # the same material, once
    assert find_custom(scene, again.tallow.material).name == "Goo" and len(scene.tallow.materials) == 2


def test_another_choice_after_a_save_stays(folder):
    wax = scenes.wax_in_a_box(folder)
    own_material(wax, "Goo")
    first = wax.tallow.material
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "a.blend"))
    own_material(wax, "Goo 2")
    second = wax.tallow.material
    assert first != second
    scenes.add_box("More")
    bpy.context.view_layer.update()
    assert wax.tallow.material == second
    wax.tallow.material = "chocolate"
    scenes.add_box("Even more")
    assert wax.tallow.material == "chocolate" and os.path.exists(folder / "a.blend")
