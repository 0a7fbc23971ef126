"""Suzanne wears an image, and the image melts with her."""

import bpy
import hands
import studio

FRAMES = (1, 14, 24)


def steps() -> None:
    hands.delete_cube()  # 1
    hands.add("monkey", "Suzanne")
    bpy.ops.object.shade_smooth()
    bpy.ops.object.subdivision_set(level=2)
    tree, shader = hands.new_material()  # 2
    texture = tree.nodes.new("ShaderNodeTexImage")  # 3
    texture.image = bpy.data.images.new("Grid", 1024, 1024)
    texture.image.generated_type = "COLOR_GRID"
    tree.links.new(texture.outputs["Color"], shader.inputs["Base Color"])
    bpy.ops.tallow.quick_melt()  # 4
    bpy.context.scene.tallow.mesh_detail = 2  # 5
    hands.bake()


def look() -> None:
    plate = bpy.data.objects["Tallow Hot Plate"]
    bottom = min((plate.matrix_world @ vertex.co).z for vertex in plate.data.vertices)
    studio.hide("Tallow Floor")
    studio.film((0.0, -0.1, -0.35), 3.3, (0.30, -1.0, 0.42), floor=bottom, **studio.COOL)
