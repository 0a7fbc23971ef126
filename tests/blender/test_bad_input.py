"""Every mistake an artist can make ends in one clear sentence, and Blender goes on."""

import os
import sys
from pathlib import Path

import bpy
import scenes


def test_no_domain(folder):
    scenes.clear()
    scenes.add_box("Box").tallow.role = "WAX"
    scenes.expect_error(bpy.ops.tallow.bake, "no domain", "Fit Domain")


def test_a_deleted_domain_is_no_domain(folder):
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    scene.collection.objects.unlink(scene.tallow.domain)
    scenes.expect_error(bpy.ops.tallow.bake, "no domain")
    bpy.ops.tallow.fit_domain(use_selection=False)
    assert bpy.ops.tallow.bake() == {"FINISHED"}


def test_no_liquid(folder):
    wax = scenes.wax_in_a_box(folder)
    for wax.tallow.role in ("SOLID", "RIGID", "OUTFLOW"):
        scenes.expect_error(bpy.ops.tallow.bake, "Wax or Liquid")


def test_a_disabled_object_is_named(folder):
    scenes.wax_in_a_box(folder).hide_viewport = True
    scenes.expect_error(bpy.ops.tallow.bake, "Wax", "disabled", "Enable it")


def test_coordinates_that_are_no_numbers_are_named(folder):
    from tallow.model import amount
    wax = scenes.wax_in_a_box(folder)
    scene, right = bpy.context.scene, [vertex.co.x for vertex in wax.data.vertices]
    before = amount.memory(scene)
    for wrong in (wax.data.vertices[:1], wax.data.vertices):
        for vertex in wrong:
            vertex.co.x = float("nan")
        wax.data.update()
        bpy.context.view_layer.update()
        amount._shares.clear()
        assert 0 < amount.memory(scene) <= before  # the sidebar asks for it in every redraw
    scenes.expect_error(bpy.ops.tallow.bake, "Wax", "not numbers", "another mesh")
    for vertex, x in zip(wax.data.vertices, right):
        vertex.co.x = x
    wax.data.update()
    bpy.context.view_layer.update()
    assert amount.memory(scene) == before
    assert bpy.ops.tallow.bake() == {"FINISHED"}


def test_empty_mesh_is_named(folder):
    scenes.wax_in_a_box(folder)
    empty = bpy.data.objects.new("Hollow", bpy.data.meshes.new("Hollow"))
    bpy.context.scene.collection.objects.link(empty)
    empty.location = (0, 0, 0.3)
    empty.tallow.role = "WAX"
    scenes.expect_error(bpy.ops.tallow.bake, "Hollow", "no faces")


def test_mesh_that_a_modifier_empties_is_named(folder):
    wax = scenes.wax_in_a_box(folder)
    wax.modifiers.new("Gone", "MASK").vertex_group = wax.vertex_groups.new(name="none").name
    scenes.expect_error(bpy.ops.tallow.bake, "Wax", "no faces")
    assert not [path for path in folder.rglob("*") if path.is_file()]


def test_flat_mesh_is_named(folder):
    wax = scenes.wax_in_a_box(folder)
    for vertex in wax.data.vertices:
        vertex.co.z = 0.0
    scenes.expect_error(bpy.ops.tallow.bake, "Wax", "flat", "Solidify")


def test_object_outside_the_domain_is_named(folder):
    wax = scenes.wax_in_a_box(folder)
    wax.location.x = 50
    bpy.context.view_layer.update()
    scenes.expect_error(bpy.ops.tallow.bake, "Wax", "outside the domain")


def test_object_that_sticks_out_is_a_warning(folder):
    wax = scenes.wax_in_a_box(folder)
    bpy.context.scene.tallow.domain.location.x += 0.3
    bpy.context.view_layer.update()
    bpy.ops.tallow.bake()
    from tallow.baking import job
    assert any("Wax" in text and "cut off" in text for text in job.status_of(bpy.context.scene).warnings)


def test_a_turned_object_whose_corners_are_empty_does_not_stick_out(folder):
    wax = scenes.wax_in_a_box(folder)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.2, location=wax.location, rotation=(0.6, 0.6, 0.6))
    ball = bpy.context.object
    wax.tallow.role, ball.tallow.role = "NONE", "WAX"
    bpy.context.view_layer.update()
    from tallow.baking import job
    from tallow.model import domain
    low, high = domain.bounds(bpy.context.scene.tallow.domain)
    assert max(domain.bounds(ball)[1] - high) > 0.0, "the box around it must reach out, or this shows nothing"
    bpy.ops.tallow.bake()
    assert not [text for text in job.status_of(bpy.context.scene).warnings if "sticks out" in text]


def test_flat_domain(folder):
    scenes.wax_in_a_box(folder)
    bpy.context.scene.tallow.domain.scale.z = 0
    bpy.context.view_layer.update()
    scenes.expect_error(bpy.ops.tallow.bake, "domain")


def test_domain_thinner_than_a_cell(folder):
    scenes.wax_in_a_box(folder)
    bpy.context.scene.tallow.domain.scale.z *= 0.001
    bpy.context.view_layer.update()
    scenes.expect_error(bpy.ops.tallow.bake, "domain", "along Z", "less than a cell", "Scale it up")


def test_domain_as_small_as_dust(folder):
    wax = scenes.wax_in_a_box(folder)
    for obj in (wax, bpy.context.scene.tallow.domain):
        obj.scale, obj.location = obj.scale * 1e-4, obj.location * 1e-4
    bpy.context.view_layer.update()
    scenes.expect_error(bpy.ops.tallow.bake, "mm wide", "0.02 mm", "Make the domain larger")


def test_object_smaller_than_a_cell_is_named(folder):
    wax = scenes.wax_in_a_box(folder)
    wax.scale = wax.scale * 0.01
    bpy.context.view_layer.update()
    scenes.expect_error(bpy.ops.tallow.bake, "Wax", "smaller than a cell")


def heated_wax(folder):
    """Wax of 40 cm, and a plate below it that was made last and is still selected."""
    wax = scenes.wax_in_a_box(folder)
    plate = scenes.add_box("Plate", 0.4, (0.0, 0.0, -0.1))
    scenes.select(plate)
    bpy.ops.tallow.set_role(role="HEAT")
    return wax, plate


def test_a_domain_is_never_fitted_to_a_heater_alone(folder):
    from tallow.model import domain
    wax, plate = heated_wax(folder)
    bpy.ops.tallow.fit_domain()
    low, high = domain.bounds(bpy.context.scene.tallow.domain)
    assert high.z > 0.5 and low.z < -0.3
    scenes.select(wax)
    bpy.ops.tallow.fit_domain()
    assert domain.bounds(bpy.context.scene.tallow.domain)[0].z > -0.1


def test_wax_that_would_take_days_is_told_and_sped_up(folder):
    from tallow.baking import job
    heated_wax(folder)
    scene = bpy.context.scene
    bpy.ops.tallow.bake()
    told = [text for text in job.status_of(scene).warnings
            if text.startswith("Wax takes about") and "Melt Within the Shot" in text]
    assert len(told) == 1
    bpy.ops.tallow.melt_in_shot()
    assert scene.tallow.thermal_speed > 1e4
    bpy.ops.tallow.bake()
    assert not any("takes about" in text for text in job.status_of(scene).warnings)


def test_reversed_frame_range(folder):
    scenes.wax_in_a_box(folder)
    tallow = bpy.context.scene.tallow
    tallow.use_scene_range, tallow.frame_start, tallow.frame_end = False, 20, 10
    scenes.expect_error(bpy.ops.tallow.bake, "20", "10")


def test_far_too_many_cells(folder):
    scenes.wax_in_a_box(folder, resolution=2048)
    text = scenes.expect_error(bpy.ops.tallow.bake, "memory", "Lower the resolution")
    assert "GB" in text


def test_cache_folder_that_is_a_file(folder):
    scenes.wax_in_a_box(folder)
    (folder / "file").write_text("x")
    bpy.context.scene.tallow.cache_folder = str(folder / "file")
    scenes.expect_error(bpy.ops.tallow.bake, "cache folder", "Choose another")


def test_read_only_cache_folder(folder):
    if os.name != "posix":
        return "SKIP"
    scenes.wax_in_a_box(folder)
    # /proc refuses every write, from root too.
    bpy.context.scene.tallow.cache_folder = "/proc/tallow"
    scenes.expect_error(bpy.ops.tallow.bake, "cache folder", "Choose another")


def test_material_that_cannot_be(folder):
    wax = scenes.wax_in_a_box(folder)
    scenes.select(wax)
    bpy.ops.tallow.edit_material()
    own = bpy.context.scene.tallow.materials[0]
    own.latent_heat, own.solidus, own.liquidus = 1000.0, 80.0, 20.0
    scenes.expect_error(bpy.ops.tallow.bake, "Wax", own.name, "melt")


def test_liquid_without_weight(folder):
    wax = scenes.wax_in_a_box(folder)
    wax.tallow.role = "LIQUID"
    scenes.select(wax)
    bpy.ops.tallow.edit_material()
    own = bpy.context.scene.tallow.materials[0]
    for own.density in ((0.0, 0.0), (-5.0, -5.0)):  # a field takes the least that can be baked instead
        assert 0.0099 < min(own.density) < 0.0101
    wax.tallow.material = "water"
    from tallow.model import materials
    found = materials.all_presets()
    water = found["water"]
    try:
        for density in (0.0, -5.0):  # of a preset that somebody wrote
            found["water"] = {**water, "density": [density, 998.0]}
            scenes.expect_error(bpy.ops.tallow.bake, "Wax", water["label"], "density", "more than zero",
                                "choose another")
    finally:
        found["water"] = water


def test_body_without_weight(folder):
    wax = scenes.wax_in_a_box(folder)
    for wax.tallow.density, wax.tallow.mass in ((0.0, 0.0), (-5.0, -5.0)):
        assert wax.tallow.density > 0.09 and wax.tallow.mass > 0.0


def test_custom_material_survives_and_can_be_removed(folder):
    wax = scenes.wax_in_a_box(folder)
    scenes.select(wax)
    bpy.ops.tallow.edit_material()
    own = bpy.context.scene.tallow.materials[0]
    own.name = "Renamed"
    assert wax.tallow.material == f"custom_{own.uid}"
    bpy.ops.tallow.add_curve_point()
    points = len(own.points)
    bpy.ops.tallow.remove_curve_point(index=0)
    assert len(own.points) == points - 1
    bpy.ops.tallow.remove_material()
    assert wax.tallow.material == "thick_wax" and not bpy.context.scene.tallow.materials


def test_missing_library_is_said_in_plain_words(folder):
    scenes.wax_in_a_box(folder)
    fake = os.environ.pop("TALLOW_BAKER")
    os.environ["TALLOW_LIBRARY"] = str(folder / "nowhere.so")
    from tallow.baker import library
    if library.candidates()[1].is_file() or library.candidates()[-1].is_file():
        os.environ["TALLOW_LIBRARY"] = str(Path(__file__))  # found first, and not a library
    try:
        scenes.expect_error(bpy.ops.tallow.bake, "native library")
    finally:
        os.environ["TALLOW_BAKER"] = fake
        del os.environ["TALLOW_LIBRARY"]


def test_a_python_that_does_not_work_is_passed_over(folder):
    from tallow.core.process import find_interpreter
    import tallow
    baker = Path(tallow.__file__).parent / "baker"
    broken = folder / "python"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    assert find_interpreter([str(broken), "", "/nowhere/python"], baker) is None
    assert find_interpreter([str(broken), sys.executable, "python3"], baker) in (sys.executable, "python3")
