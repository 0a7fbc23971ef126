"""The moving picture at the head of the README: a chocolate bunny on a hot plate, by Quick Melt."""

import bpy
import hands
import studio
from tallow.demo import kit

FRAMES = tuple(range(5, 61))
# Ellipsoids: centre and radii. The bunny looks along -y.
BUNNY = (((0.0, 0.15, 0.62), (0.62, 0.70, 0.66)), ((0.0, -0.12, 1.0), (0.42, 0.42, 0.50)),  # belly, chest
         ((0.0, -0.30, 1.52), (0.44, 0.46, 0.42)), ((0.0, -0.68, 1.42), (0.20, 0.18, 0.16)),  # head, muzzle
         ((-0.20, -0.08, 2.20), (0.15, 0.12, 0.52)), ((0.20, -0.08, 2.20), (0.15, 0.12, 0.52)),  # ears
         ((-0.38, -0.32, 0.16), (0.20, 0.42, 0.16)), ((0.38, -0.32, 0.16), (0.20, 0.42, 0.16)),  # feet
         ((-0.27, -0.50, 0.90), (0.13, 0.22, 0.13)), ((0.27, -0.50, 0.90), (0.13, 0.22, 0.13)),  # paws
         ((0.0, 0.88, 0.45), (0.22, 0.22, 0.22)))  # tail


def steps() -> None:
    hands.delete_cube()
    bunny = kit.lumps("Bunny", BUNNY, (0.0, 0.0, 0.0), 0.03)
    bunny.rotation_euler = (0.0, 0.0, -0.5)
    hands.select("Bunny")
    hands.role("WAX")
    bunny.tallow.material = "soft_chocolate"
    bpy.ops.tallow.quick_melt(frames=60, by=90)
    hands.bake()


def look() -> None:
    plate = bpy.data.objects["Tallow Hot Plate"]
    bottom = min((plate.matrix_world @ vertex.co).z for vertex in plate.data.vertices)
    studio.hide("Tallow Floor")
    studio.paint("Tallow Hot Plate", (0.80, 0.80, 0.78), 0.3)
    bpy.context.scene.tallow.smoothing = 4
    studio.film((0.05, 0.0, 0.95), 3.9, (0.0, -1.0, 0.32), floor=bottom, light=1.0, sky=0.6,
                air=(0.62, 0.46, 0.42), table=(0.50, 0.26, 0.24))
