"""A stone sinks in honey and a cork swims on it."""

import bpy
import hands
import studio
from tallow.demo import kit

FRAMES = (1, 14, 90)


def steps() -> None:
    scene = bpy.context.scene
    hands.delete_cube()  # 1
    hands.add("cube", "Honey", (0.0, 0.0, 1.0), (1.4, 0.9, 1.0))
    hands.role("LIQUID")  # 2
    bpy.context.object.tallow.material = "honey"
    hands.add("ico_sphere", "Stone", (-0.6, 0.0, 2.9), radius=0.4, subdivisions=4)  # 3
    bpy.ops.object.shade_smooth()
    hands.role("RIGID")
    bpy.context.object.tallow.density = 2700.0
    hands.add("cylinder", "Cork", (0.6, 0.0, 2.7), radius=0.3, depth=0.7)  # 4
    bpy.context.object.rotation_euler = (0.5, 0.4, 0.0)
    hands.role("RIGID")
    bpy.context.object.tallow.density = 240.0
    scene.tallow.padding = 0.0  # 5
    hands.select("Stone", "Cork", "Honey")
    bpy.ops.tallow.fit_domain()
    scene.tallow.resolution = 48  # 6
    hands.frames(96)
    bpy.ops.tallow.add_material(style="LIQUID")
    hands.bake()


def look() -> None:
    studio.paint("Stone", (0.25, 0.24, 0.23), 0.7)
    kit.grainy(bpy.data.objects["Stone"].active_material, 0.06, coordinates="")
    studio.paint("Cork", (0.62, 0.42, 0.24), 0.8)
    studio.clear_amber()
    studio.film((0.0, 0.0, 1.55), 4.0, (0.22, -1.0, 0.30), floor=-0.02, **{**studio.WARM, "light": 1.5, "sky": 0.7})
