"""The picture at the head of the README: six letters of coloured wax melt in the warmth of an oven."""

import math

import bpy
import hands
import studio
from tallow.demo import kit

FRAMES = (1, 16, 32, 48, 64, 96)
LETTERS = (("T", (0.80, 0.07, 0.06)), ("A", (0.93, 0.30, 0.03)), ("L", (0.95, 0.62, 0.06)), ("L", (0.22, 0.55, 0.14)),
           ("O", (0.03, 0.36, 0.60)), ("W", (0.35, 0.10, 0.48)))
GAP = 0.10


def letter(text: str) -> bpy.types.Object:
    bpy.ops.object.text_add(rotation=(math.radians(90.0), 0.0, 0.0))
    obj = bpy.context.object
    obj.name = obj.data.body = text
    obj.data.size, obj.data.extrude, obj.data.offset = 1.6, 0.16, 0.035
    obj.data.bevel_depth, obj.data.bevel_resolution = 0.06, 3
    return obj


def steps() -> None:
    scene = bpy.context.scene
    hands.delete_cube()
    place, letters = 0.0, []
    for number, (text, color) in enumerate(LETTERS, 1):
        obj = letter(text)
        obj.name = f"{number} {text}"
        bpy.context.view_layer.update()
        low = min(corner[0] for corner in obj.bound_box)
        obj.location.x = place - low
        place += obj.dimensions.x + GAP
        letters.append((obj, color))
    bpy.context.view_layer.update()
    for obj, color in letters:
        obj.location.x -= 0.5 * (place - GAP)
        obj.location.z = -min(corner[1] for corner in obj.bound_box)
        kit.cast(obj, "WAX", material="thick_wax")
        kit.recipe(obj, f"Wax {obj.name}", [(60.0, 16.0), (90.0, 6.0)], color=color)
    hands.add("cube", "Plate", (0.0, 0.0, -0.1), (4.4, 1.5, 0.1))
    hands.role("SOLID")
    bpy.context.object.tallow.temperature, bpy.context.object.tallow.conductivity = 70.0, 0.1
    scene.tallow.life_size = "OWN"
    scene.tallow.life_scale = 0.05
    kit.where((-4.1, -1.2, -0.08), (4.1, 1.1, 1.4))
    scene.tallow.resolution = 128
    scene.tallow.ambient, scene.tallow.film = 160.0, 40.0
    hands.frames(96)
    scene.tallow.melt_percent, scene.tallow.melt_frame = 95, 72
    bpy.ops.tallow.melt_in_shot()
    print("NOTE", scene.tallow.melt_note)
    bpy.ops.tallow.add_material(style="WAX")


def look() -> None:
    studio.paint("Plate", (0.80, 0.80, 0.78), 0.25)
    studio.film((0.0, -0.15, 0.35), 4.6, (0.0, -1.0, 0.55), floor=-0.2, light=0.6, sky=0.6, air=(0.35, 0.42, 0.55),
                table=(0.10, 0.12, 0.15))
    bpy.data.objects["Rim"].data.energy *= 0.2
