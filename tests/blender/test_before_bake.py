"""What would go wrong is a line in the panel before the bake, at the object that it is about."""

import bpy
import numpy as np
import scenes


def told(*words, about=None):
    from tallow.baking.export import checks
    bpy.context.view_layer.update()
    return [p.text for p in checks.check_scene(bpy.context.scene)
            if all(word in p.text for word in words) and (about is None or p.concerns(about))]


def test_a_turned_domain_is_told_and_straightened(folder):
    from tallow.model import domain
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    box = scene.tallow.domain
    before = domain.size(scene)
    assert not told("turned")
    box.rotation_euler = (0.0, 0.0, np.pi / 2)
    assert not told("turned")  # a quarter turn is as good as none
    box.rotation_euler = (0.0, 0.0, 0.4)
    assert told("turned", "Straighten Domain", about=box) and domain.size(scene).x > 1.2 * before.x
    middle = box.location.copy()
    assert bpy.ops.tallow.straighten_domain() == {"FINISHED"}
    assert not told("turned")
    assert (domain.size(scene) - before).length < 1e-5 and (box.location - middle).length < 1e-6


def test_wax_at_a_closed_side_is_told(folder):
    wax = scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    low = [min((scene.tallow.domain.matrix_world @ v.co)[i] for v in scene.tallow.domain.data.vertices) for i in (0, 2)]
    assert not told("closed side")
    wax.location.z = low[1] + 0.2  # it lies on the floor, as things do
    assert not told("closed side")
    wax.location.x = low[0] + 0.2001
    assert told("Wax reaches the closed side -X", "Fit Domain", about=wax)
    wax.tallow.role = "LIQUID"
    assert not told("closed side")  # a pool in a tank
    wax.location.z += 0.05
    assert told("closed side")
    wax.tallow.role = "WAX"
    scene.tallow.wall_x0 = "OPEN"
    assert not told("closed side")
    wax.location.x -= 0.1
    assert told("Wax", "sticks out", "cut off", about=wax)


def heated(folder, kind):
    wax = scenes.wax_in_a_box(folder)
    heater = scenes.add_box("Heater", 0.2, (0.0, 0.0, 0.0))
    heater.tallow.role, heater.tallow.heat_kind = "HEAT", kind
    bpy.context.scene.tallow.thermal_speed = 1e6
    scenes.select(wax)
    return wax, heater


def test_a_hot_plate_that_touches_nothing_is_told(folder):
    wax, heater = heated(folder, "SOLID")
    assert not told("Heater")
    heater.location.x = 0.35
    assert told("Heater touches nothing", "Wax is", "away", about=heater), told()
    heater.keyframe_insert("location", frame=1)
    assert not told("touches nothing")  # it may come closer
    heater.animation_data_clear()
    assert told("touches nothing")
    wax.scale, wax.location.z, heater.location = (0.3, 0.3, 0.3), 0.5, (0.0, 0.0, 0.19)
    assert not told("touches nothing")  # the wax falls onto it
    heater.location = (0.0, 0.0, 0.8)
    assert told("touches nothing")
    wax.tallow.role = "LIQUID"
    assert not told("touches nothing")


def test_a_volume_without_wax_is_told(folder):
    wax, heater = heated(folder, "VOLUME")
    heater.location = (0.0, 0.0, 0.3)
    assert not told("Heater")
    heater.location = (0.4, 0.0, 0.3)
    assert told("Heater holds nothing", about=heater)
    heater.location, heater.tallow.power = (0.0, 0.0, 0.3), 0.0
    assert told("Heater has no power", about=heater)


def test_a_lamp_out_of_reach_is_told(folder):
    wax, heater = heated(folder, "LAMP")
    heater.location = (0.0, 0.0, 2.5)
    assert not told("Heater")
    heater.tallow.heat_range = 1.0
    assert told("Heater heats nothing", "Wax is 2 m away", "Range is 1 m", about=heater)
    heater.tallow.heat_range = 3.0
    assert not told("Heater")
    shade = scenes.add_box("Shade", 0.5, (0.0, 0.0, 2.5))
    shade.tallow.role = "SOLID"
    assert told("Heater shines from inside Shade", about=heater)
    heater.tallow.enabled = False
    assert told("Heater is turned off", about=heater)


def test_a_hot_ring_around_wax_is_told_until_it_touches(folder):
    wax, heater = heated(folder, "SOLID")
    bpy.data.objects.remove(heater)
    bpy.ops.mesh.primitive_torus_add(major_radius=0.5, minor_radius=0.05, location=(0.0, 0.0, 0.3))
    ring = bpy.context.object
    ring.name, ring.tallow.role, ring.tallow.heat_kind = "Ring", "HEAT", "SOLID"
    assert told("Ring touches nothing that can melt", "Wax is about", about=ring)
    for scale in (0.55, 0.4):  # its tube touches the cube, then crosses it
        ring.scale = (scale, scale, 1.0)
        assert not told("Ring")
    ring.scale, ring.location.z = (1.0, 1.0, 1.0), 0.1
    wax.scale = (2.4, 0.2, 0.2)  # a bar that falls onto it
    assert not told("Ring touches")


def test_a_lamp_in_the_shade_is_told(folder):
    wax, heater = heated(folder, "LAMP")
    heater.location = (2.0, 0.3, 0.5)
    wall = scenes.add_box("Wall", 1.0, (1.0, 0.0, 0.3))
    wall.scale, wall.tallow.role = (0.1, 3.0, 3.0), "SOLID"
    assert told("Heater heats nothing", "Wall stands between", about=heater)
    wall.location.z = -1.1  # half of the wax looks over it
    assert not told("Wall stands")
    wall.location.z = 0.3
    wall.keyframe_insert("location", frame=1)
    wall.location.x = 5.0
    wall.keyframe_insert("location", frame=6)
    assert not told("Wall stands")  # it may go away
    wall.animation_data_clear()
    wall.location.x = 1.0
    assert told("Wall stands")
    wall.hide_viewport = True
    assert not told("Wall stands")


def test_heaters_that_are_disabled_or_cold_are_told(folder):
    wax, heater = heated(folder, "SOLID")
    heater.hide_viewport = True
    assert told("Heater is disabled", "Outliner", about=heater) and told("Nothing in the scene can melt Wax")
    heater.hide_viewport = False
    bpy.context.scene.tallow.ambient = 80.0
    assert not told("Heater")
    heater.tallow.temperature = wax.tallow.temperature
    assert told("Heater heats nothing", "Raise its temperature", about=heater)
    heater.tallow.keyframe_insert("temperature", frame=1)
    assert not told("Heater heats nothing")


def test_parts_thinner_than_a_cell_are_told(folder):
    scenes.clear()
    bpy.ops.object.text_add()
    text = bpy.context.object
    text.name, text.data.body, text.data.extrude = "Title", "Tallow", 0.05
    bpy.context.view_layer.update()
    scenes.select(text)
    bpy.ops.tallow.set_role(role="WAX")
    bpy.ops.tallow.fit_domain()
    tallow = bpy.context.scene.tallow
    tallow.resolution = 24
    found = told("% of Title is thinner than a cell", "Raise the resolution to", about=text)
    assert found and int(found[0].split(" %")[0]) > 50
    tallow.resolution = int(found[0].split("resolution to ")[1].split(",")[0])
    assert tallow.resolution < 200 and not told("thinner than a cell")
    box = scenes.wax_in_a_box(folder)
    assert not told("thinner")
    box.scale.x = 0.05
    found = told("% of Wax is thinner", about=box)
    assert found and int(found[0].split(" %")[0]) > 90


def worn():
    from tallow.baking.export import checks
    bpy.context.view_layer.update()
    return [note for note in checks.known_notes(bpy.context.scene) if "thinner than one and a half cells" in note.text]


def test_parts_that_lose_their_edges_are_told_at_the_object(folder):
    from paper import drawn
    from tallow.ui.panels import baking, objects
    from quick_melts import SHAPES
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    SHAPES["text"]()
    text = bpy.context.object
    bpy.ops.tallow.quick_melt()
    found, tallow = worn(), bpy.context.scene.tallow
    assert len(found) == 1 and found[0].concerns(text) and "Surface Detail to 2" in found[0].text, found
    for draw in (objects.TALLOW_PT_object.draw, baking.TALLOW_PT_bake.draw):
        assert found[0].text in " ".join(drawn(draw).texts)
    assert not told("thinner")  # a hint, and no warning
    tallow.mesh_detail = 2
    assert "Surface Detail" not in worn()[0].text
    before, needed = tallow.resolution, int(found[0].text.split("resolution to ")[1].split(",")[0])
    assert before < needed < 2 * before
    tallow.resolution = needed
    assert not worn()
    tallow.resolution = before // 2
    assert not worn() and told("thinner than a cell", about=text)


def test_thick_shapes_and_ready_scenes_are_not_told_to_have_more_cells(folder):
    from tallow import demo
    from quick_melts import SHAPES
    for name in demo.SCENES:
        bpy.ops.tallow.ready_scene(name=name)
        assert not worn(), (name, worn())
    for name in ("cube", "sphere", "torus"):
        for heat in ("PLATE", "LAMP"):
            bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
            SHAPES[name]()
            bpy.ops.tallow.quick_melt(resolution=28, heat=heat)
            assert not worn(), (name, worn())


def test_one_frame_is_told_and_seconds_are_never_none(folder):
    wax, heater = heated(folder, "SOLID")
    scene = bpy.context.scene
    scene.tallow.thermal_speed = 1.0
    scene.frame_end = 4
    assert not told("lasts 0 s") and not told("one frame")
    scene.frame_end = 1
    assert told("one frame", "Raise the last frame") and not told("lasts 0 s")


def test_more_memory_than_there_is_is_an_error(folder):
    from tallow.baking.export import checks
    from tallow.core import machine
    from tallow.model import amount
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    needed, there = amount.memory(scene), machine.memory
    try:
        for share, fatal in ((0.99, True), (1.1, False), (2.0, None)):
            machine.memory = lambda share=share: machine.Memory(int(share * needed), True)
            found = [p for p in checks.check_scene(scene) if "memory" in p.text]
            assert [p.fatal for p in found] == ([] if fatal is None else [fatal]), found
        machine.memory = lambda: machine.Memory(int(0.99 * needed), True)
        scenes.expect_error(bpy.ops.tallow.bake, "memory", "this Blender may have", "Lower the resolution")
    finally:
        machine.memory = there


def test_what_has_molten_is_that_of_the_frame_on_screen(folder):
    from tallow import playback
    from tallow.baking import job
    from tallow.ui.panels import baking
    scenes.wax_in_a_box(folder, frames=5)
    bpy.ops.tallow.bake()
    scene = bpy.context.scene
    for frame, share in ((1, "0 %"), (3, "50 %"), (5, "100 %"), (2, "25 %")):
        scene.frame_set(frame)
        rows = dict(baking.shown_rows(scene, playback.cache_of(scene), job.status_of(scene)))
        assert rows["Molten"] == share and rows["Frame"] == str(frame) and "at most" in rows["Baker RAM"], rows


def instancer(name, location):
    """An object that is nothing but instances of a cube on the corners of a square."""
    tree = bpy.data.node_groups.new(name, "GeometryNodeTree")
    if hasattr(tree, "interface"):
        tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    else:
        tree.outputs.new("NodeSocketGeometry", "Geometry")
    kinds = ("GeometryNodeMeshGrid", "GeometryNodeInstanceOnPoints", "GeometryNodeMeshCube", "NodeGroupOutput")
    grid, put, cube, leave = (tree.nodes.new(kind) for kind in kinds)
    for socket, value in zip(grid.inputs, (0.3, 0.3, 2, 2)):
        socket.default_value = value
    cube.inputs["Size"].default_value = (0.1, 0.1, 0.1)
    tree.links.new(grid.outputs["Mesh"], put.inputs["Points"])
    tree.links.new(cube.outputs["Mesh"], put.inputs["Instance"])
    tree.links.new(put.outputs["Instances"], leave.inputs[0])
    obj = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    bpy.context.scene.collection.objects.link(obj)
    obj.location = location
    obj.modifiers.new("Nodes", "NODES").node_group = tree
    bpy.context.view_layer.update()
    return obj


def exported_mesh(name):
    from pathlib import Path
    from tallow.core import ply
    data = ply.read(Path(bpy.context.scene.tallow.bake_path) / "scene" / "meshes" / f"{name}.ply")
    points = ply.columns(data["vertex"], "x", "y", "z").astype(float)
    return points, data["face"]["vertex_indices"]


def volume(points, faces):
    a, b, c = (points[faces[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def test_instances_of_geometry_nodes_are_baked(folder):
    from tallow.model import domain
    scenes.wax_in_a_box(folder)
    many = instancer("Many", (0.5, 0.0, 0.3))
    many.tallow.role = "WAX"
    bpy.ops.tallow.fit_domain(use_selection=False)
    low, high = domain.bounds(many)
    assert abs(low.x - 0.3) < 1e-5 and abs(high.x - 0.7) < 1e-5
    assert bpy.ops.tallow.bake() == {"FINISHED"}
    points, faces = exported_mesh("Many")
    assert len(points) == 4 * 8 and abs(volume(points, faces) - 4 * 1e-3) < 1e-6
    assert abs(np.ptp(points, axis=0) - [0.4, 0.4, 0.1]).max() < 1e-5


def plane(name, size, location, rotation=(0.0, 0.0, 0.0)):
    bpy.ops.mesh.primitive_plane_add(size=size, location=location, rotation=rotation)
    obj = bpy.context.object
    obj.name = name
    return obj


def test_a_plane_is_a_floor_whatever_side_it_shows(folder):
    for turn in (0.0, np.pi):
        for role in ("SOLID", "HEAT"):
            scenes.wax_in_a_box(folder)
            floor = plane("Floor", 2.0, (0.0, 0.0, 0.08), (turn, 0.0, 0.0))
            floor.tallow.role = role
            assert bpy.ops.tallow.bake() == {"FINISHED"}
            points, faces = exported_mesh("Floor")
            thick = volume(points, faces) / 4.0
            low = min((bpy.context.scene.tallow.domain.matrix_world @ v.co).z
                      for v in bpy.context.scene.tallow.domain.data.vertices)
            assert thick > 0.08 - low, (thick, turn, role)  # it goes down to the floor of the domain
            world = np.array(floor.matrix_world.to_3x3()) @ points.T
            assert world[2].max() < 1e-6 and world[2].min() < -0.05
            from tallow.baking import staleness
            assert staleness.found_changes(bpy.context.scene) == []


def test_a_plane_with_something_behind_it_or_that_moves_is_a_board(folder):
    from tallow.model import domain
    wax = scenes.wax_in_a_box(folder)
    board = plane("Board", 0.5, (0.0, 0.0, -0.05), (0.3, 0.2, 0.0))
    board.tallow.role = "SOLID"
    board.keyframe_insert("location", frame=1)
    board.location.x = 0.2
    board.keyframe_insert("location", frame=6)
    bpy.ops.tallow.bake()
    cell = domain.cell_size(bpy.context.scene)
    assert abs(volume(*exported_mesh("Board")) - 0.25 * 4 * cell) < 1e-4
    board.animation_data_clear()
    other = scenes.add_box("Below", 0.1, (0.0, 0.0, -0.2))
    other.tallow.role = "SOLID"
    bpy.ops.tallow.bake()
    assert 0.25 * 1.9 * cell < volume(*exported_mesh("Board")) < 0.25 * 4.1 * cell
    assert wax.tallow.role == "WAX"


def test_a_flat_volume_heater_is_named(folder):
    wax, heater = heated(folder, "VOLUME")
    for vertex in heater.data.vertices:
        vertex.co.z = 0.0
    heater.location.z = 0.3
    scenes.expect_error(bpy.ops.tallow.bake, "Heater", "flat", "thickness")
    assert wax.tallow.role == "WAX"
