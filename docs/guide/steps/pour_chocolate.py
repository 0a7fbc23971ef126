"""Chocolate is poured over Suzanne: an inflow that a keyframe switches off."""

import bpy
import hands
import studio

FRAMES = (14, 50, 110)


def steps() -> None:
    scene = bpy.context.scene
    hands.delete_cube()  # 1
    hands.add("monkey", "Suzanne", (0.0, 0.0, 0.6))
    bpy.context.object.rotation_euler = (-0.6, 0.0, 0.0)
    bpy.ops.object.shade_smooth()
    bpy.ops.object.subdivision_set(level=2)
    hands.role("SOLID")  # 2
    hands.add("cube", "Tray", (0.0, 0.0, -0.1), (2.5, 2.5, 0.1))
    hands.role("SOLID")
    hands.add("cylinder", "Spout", (0.0, 0.0, 2.5), radius=0.25, depth=0.3)  # 3
    hands.role("INFLOW")
    spout = bpy.context.object
    spout.tallow.material = "soft_chocolate"
    spout.tallow.velocity = (0.0, 0.0, -3.0)  # 4
    spout.keyframe_insert("tallow.enabled", frame=1)  # 5
    scene.frame_set(80)
    spout.tallow.enabled = False
    spout.keyframe_insert("tallow.enabled", frame=80)
    scene.frame_set(1)
    hands.select("Suzanne", "Spout")  # 6
    bpy.ops.tallow.fit_domain()
    for side in ("x0", "x1", "y0", "y1"):
        setattr(scene.tallow, f"wall_{side}", "OPEN")
    hands.frames(120)  # 7
    bpy.ops.tallow.add_material()
    hands.bake()


def look() -> None:
    studio.paint("Suzanne", (0.85, 0.62, 0.35), 0.6)
    studio.paint("Tray", (0.75, 0.75, 0.78), 0.3)
    studio.film((0.0, 0.0, 0.85), 3.7, (0.35, -1.0, 0.38), floor=-0.21, **studio.WARM)
