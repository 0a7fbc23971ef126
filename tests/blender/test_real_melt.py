"""Quick Melt with the real baker melts any shape of any size by the frame that it promised, by a plate or a lamp.

A share of the combinations in few cells. `tests/quick-melt` bakes all of them, in as many cells as the button takes.
"""

import bpy
import quick_melts

FRAMES, RESOLUTION = 72, 28
STANDING = ("cube", "sphere", "torus", "Suzanne", "text")


def melt(folder, shape, size, heat):
    found = quick_melts.melt(folder, shape, size, heat, FRAMES, RESOLUTION)
    print(f"MEASURED {found}")
    assert not found.faults(), (shape, size, heat, found.faults())


def test_everything_melts_on_a_plate(folder):
    for number, shape in enumerate(STANDING):
        melt(folder / shape, shape, quick_melts.SIZES[number % 4], "PLATE")


def test_everything_melts_under_a_lamp(folder):
    for number, shape in enumerate(STANDING):
        melt(folder / shape, shape, quick_melts.SIZES[(number + 2) % 4], "LAMP")


def test_text_that_lies_on_the_plate_melts(folder):
    """Of its puddle, thinner than a cell, the mesh holds more than there is: quick-melt.md has the figures."""
    found = quick_melts.melt(folder, "lying text", 2.0, "PLATE", FRAMES, RESOLUTION)
    print(f"MEASURED {found}")
    assert [fault for fault in found.faults() if "mesh" not in fault] == []


def test_what_falls_off_the_plate_melts_on(folder):
    """A large lump of this size of Suzanne comes to lie beside the plate."""
    melt(folder, "Suzanne", 0.02, "PLATE")


def test_melt_within_the_shot_knows_a_hot_plane(folder):
    """The steps of README, with a plane under Blender's first cube."""
    from tallow.model import domain
    cube, scene = bpy.data.objects["Cube"], bpy.context.scene
    bpy.ops.object.select_all(action="DESELECT")
    cube.select_set(True)
    bpy.context.view_layer.objects.active = cube
    bpy.ops.tallow.set_role(role="WAX")
    for size in (6.0, 12.0):
        bpy.ops.mesh.primitive_plane_add(size=size, location=(0.0, 0.0, -1.0))
        bpy.ops.tallow.set_role(role="HEAT")
        bpy.context.object.tallow.heat_kind = "SOLID"
        bpy.ops.tallow.fit_domain()
        low, high = domain.bounds(scene.tallow.domain)
        assert -1.0 - low.z > max(high - low) / 18  # a cell of the search
        scene.frame_end = 72
        bpy.ops.tallow.melt_in_shot()
        assert scene.tallow.melt_note.startswith("About 95 % will be molten by frame 72"), scene.tallow.melt_note
        bpy.data.objects.remove(bpy.context.object)
