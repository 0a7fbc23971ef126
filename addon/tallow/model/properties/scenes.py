# SPDX-License-Identifier: GPL-3.0-or-later
"""`Scene.tallow`: domain, world, bake, display."""

import bpy
from bpy.props import (BoolProperty, CollectionProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty,
                       PointerProperty, StringProperty)

from ...core import estimate
from ...core.defaults import SCENE
from ...core.presets import ZERO_CELSIUS
from .. import observers, units
from ..materials import TallowMaterial

WALLS = (
    ("SLIP", "Slip", "Liquid slides along this side"),
    ("NO_SLIP", "Stick", "Liquid sticks to this side"),
    ("OPEN", "Open", "Liquid leaves through this side and is gone"),
)
LIFE_SIZES = (
    ("TABLE", "Table", f"As a thing on a table: the largest wax or liquid is {100 * units.ON_A_TABLE:.0f} cm in life"),
    ("OWN", "Own", "You say how large the largest wax or liquid is in life"),
    ("UNITS", "Metres", "As it is modelled: a metre of the scene is a metre in life"),
)
COLORS = (
    ("NONE", "Material", "The surface as its material says"),
    ("TEMPERATURE", "Temperature", "Cold is blue, hot is red"),
    ("MELT", "Molten Part", "Solid is blue, molten is orange"),
    ("VISCOSITY", "Viscosity", "Thick is dark, thin is bright"),
    ("SPEED", "Speed", "Still is dark, fast is bright"),
)
COLOR_RANGES = (
    ("BAKE", "Bake", "From the lowest to the highest value of all baked frames"),
    ("FRAME", "Frame", "From the lowest to the highest value of the frame on screen"),
    ("OWN", "Own", "From a value that you set to another"),
)
AXES = (
    ("X", "X", "Cut across the X axis"),
    ("Y", "Y", "Cut across the Y axis"),
    ("Z", "Z", "Cut across the Z axis"),
)
TRANSPORTS = (
    ("APIC", "APIC", "Affine particles: smooth and lively, keeps swirls. The best choice"),
    ("FLIP", "FLIP", "Splashier and noisier; blend with the slider below"),
    ("SEMI_LAGRANGIAN", "Semi-Lagrangian", "Grid only, calm; for comparison"),
    ("MACCORMACK", "MacCormack", "Grid only, second order; for comparison"),
    ("BFECC", "BFECC", "Grid only, second order; for comparison"),
)


def _wall(label: str, side: str):
    return EnumProperty(name=label, items=WALLS, default=SCENE["walls"][side].upper(), options=set(),
                        description=f"What liquid does at the {label} side of the domain")


def _show(self, context) -> None:
    observers.display_changed(self.id_data)


def _smooth(self, context) -> None:
    observers.smoothing_changed(self.id_data)


def _show_color(self, context) -> None:
    observers.colors_changed(self.id_data)


def _get_progress(self) -> float:
    return 100.0 * max(observers.ask_progress(self.id_data), default=0.0)


def _set_progress(self, value: float) -> None:
    """A progress bar looks active only when it can be set; setting it does nothing."""


def _life_size_chosen(self, context) -> None:
    """Own starts from the size of the moment before."""
    if self.life_size == "OWN" and self.life_scale <= 0.0:
        units.set_life_size(self.id_data, units.ON_A_TABLE)


def _get_life_size(self) -> float:
    return 100.0 * units.get_life_size(self.id_data)


def _set_life_size(self, value: float) -> None:
    units.set_life_size(self.id_data, 0.01 * value)


def _is_object(self, obj) -> bool:
    return obj.type == "MESH"


class TallowScene(bpy.types.PropertyGroup):
    materials: CollectionProperty(name="Own Materials", type=TallowMaterial, description="The materials that were made in this scene")

    # Where does it happen?
    life_size: EnumProperty(name="Real Size", items=LIFE_SIZES, default="TABLE", update=_life_size_chosen, options=set(),
                            description="How large things are in life. Small things melt sooner and flow faster on the screen")
    life_scale: FloatProperty(min=0.0, options={"HIDDEN"})  # metres per Blender unit, when the artist chose
    life_centimetres: FloatProperty(name="In Life (cm)", min=0.01, soft_max=1000.0, max=1e6, precision=1, step=100,
                                    get=_get_life_size, set=_set_life_size, options=set(),
                                    description="The longest side of the largest wax or liquid, in life, in centimetres")
    domain: PointerProperty(name="Domain", type=bpy.types.Object, poll=_is_object,
                            description="The box in which everything happens. Move and scale it like any object")
    resolution: IntProperty(name="Resolution", default=64, min=8, soft_max=256, max=2048, options=set(),
                            description="Cells along the longest side of the domain. Twice as many show half as small "
                                        "details and take about ten times as long")
    preview_quality: IntProperty(name="Preview Quality", default=100, min=10, max=100, subtype="PERCENTAGE", options=set(),
                                 description="Share of the resolution that a bake has. 50 % takes about a tenth of the time, to see whether "
                                             "the motion is right. 100 % is the final bake")
    padding: FloatProperty(name="Room Around", default=0.35, min=0.0, soft_max=2.0, options=set(),
                           description="Space left around the objects when the domain is fitted, as a part of their size")
    wall_x0: _wall("-X", "-x")
    wall_x1: _wall("+X", "+x")
    wall_y0: _wall("-Y", "-y")
    wall_y1: _wall("+Y", "+y")
    wall_z0: _wall("Bottom", "-z")
    wall_z1: _wall("Top", "+z")
    wall_friction: FloatProperty(name="Wall Friction", default=SCENE["wall_friction"], min=0.0, soft_max=1.0, max=10.0, options=set(),
                                 description="How strongly slip walls hold back the liquid that slides on them, and all closed walls the rigid "
                                             "bodies. At 0 liquid slides freely and bodies have a friction of 0.5")

    # World
    ambient: FloatProperty(name="Air (°C)", default=SCENE["ambient_temperature"] - ZERO_CELSIUS, min=-273.0, soft_max=100.0,
                           max=3000.0, precision=1, step=100,
                           description="Temperature of the air, in degrees Celsius. Can be animated")
    use_scene_gravity: BoolProperty(name="Scene Gravity", default=True, options=set(),
                                    description="Use the gravity of Blender's scene properties")
    gravity: FloatVectorProperty(name="Gravity (m/s²)", subtype="XYZ", size=3, default=SCENE["gravity"],
                                 description="Gravity of the simulation. Can be animated")
    thermal_speed: FloatProperty(name="Heat Speed-up", default=SCENE["thermal_speed"], min=0.0, soft_max=1e5, max=estimate.MOST_SPEED,
                                 precision=0, step=10000,
                                 description="How many times faster heat moves than in life. A real candle takes minutes "
                                             "to melt, a shot lasts seconds. 0 turns heat off. Can be animated")
    melt_percent: IntProperty(name="Molten", default=95, min=1, max=100, subtype="PERCENTAGE", options=set(),
                              description="How much of the wax Melt Within the Shot makes molten")
    melt_frame: IntProperty(name="By Frame", default=0, min=0, max=1048574, options=set(),
                            description="The frame by which it is molten. 0: the last one")
    melt_note: StringProperty(options={"HIDDEN", "SKIP_SAVE"})  # what the last search found, in words
    melt_key: StringProperty(options={"HIDDEN"})  # of the scene that it was made for (export/fingerprint.py)
    melt_missed: BoolProperty(options={"HIDDEN"})  # it found nothing that melts enough
    melt_speed: FloatProperty(options={"HIDDEN"})  # that it found
    melt_strength: FloatProperty(options={"HIDDEN", "SKIP_SAVE"})  # times that heaters would have to be stronger
    film: FloatProperty(name="Air Cooling", default=SCENE["film_coefficient"], min=0.0, max=10000.0, precision=1,
                        description="Heat that the air takes from surfaces, in W/m² K. Still air 10, wind 50, water 500. "
                                    "Can be animated")
    emissivity: FloatProperty(name="Glow Cooling", default=SCENE["emissivity"], min=0.0, max=1.0,
                              description="Heat that surfaces lose by radiation: polished metal 0.1, wax 0.9. Matters for "
                                          "lava and glass. Can be animated")
    time_scale: FloatProperty(name="Time Scale", default=SCENE["time_scale"], min=0.01, max=100.0, soft_min=0.1, soft_max=4.0, precision=2,
                              step=5, description="How fast the shot shows what happens: 1 as in life, 0.25 in slow motion, 4 sped up. "
                                                  "Animated objects stay on their frames. Can be animated")

    # Bake
    cache_folder: StringProperty(name="Cache Folder", subtype="DIR_PATH", options=set(),
                                 description="Where bakes are kept. Empty: next to the .blend file")
    uid: StringProperty(options={"HIDDEN"})  # by which a scene is known whatever its name (session.py)
    bake_path: StringProperty(options={"HIDDEN"})  # the bake that is shown, absolute
    bake_seen: StringProperty(options={"HIDDEN"})  # the bakes that were there when this one was chosen, one a line
    bake_relative: StringProperty(options={"HIDDEN"})  # the same from the .blend, for projects that are moved
    use_scene_range: BoolProperty(name="Scene Range", default=True, options=set(),
                                  description="Bake the frames of the scene's timeline")
    frame_start: IntProperty(name="First Frame", default=SCENE["frame_start"], min=0, max=1048574, options=set(),
                             description="First frame")
    frame_end: IntProperty(name="Last Frame", default=SCENE["frame_end"], min=0, max=1048574, options=set(), description="Last frame")
    keep_old: BoolProperty(name="Keep Old Bakes", default=False, options=set(),
                           description="Keep previous bakes on the disk, also when a new one is finished and saved")
    follow: BoolProperty(name="Follow", default=True, options=set(),
                         description="Move the timeline along while baking, to watch new frames as they land")
    show_plot: BoolProperty(name="Live Plot", default=True, options=set(),
                            description="While baking, draw the time per stage, the residual, the volume and the energy of the frames so far "
                                        "in a corner of the view")
    keep_plot: BoolProperty(name="Plot in the View", default=False, options=set(),
                            description="Draw the plot of the bake also after it is done. A line marks the frame on screen")
    progress: FloatProperty(name="Progress", subtype="PERCENTAGE", min=0.0, max=100.0, precision=0, get=_get_progress,
                            set=_set_progress, options={"SKIP_SAVE"}, description="How much of the range is baked")

    # Solver
    transport: EnumProperty(name="Motion", items=TRANSPORTS, default=SCENE["transport"].upper(), options=set(),
                            description="How velocity travels with the liquid")
    flip_blend: FloatProperty(name="FLIP Blend", default=SCENE["flip_blend"], min=0.0, max=1.0, options=set(),
                              description="0 is calm, 1 is splashy and noisy")
    coupling: EnumProperty(name="Bodies", default=SCENE["coupling"].upper(), options=set(), items=(
        ("JOINT", "Together", "Bodies and liquid are solved in one system: stable for light and heavy bodies"),
        ("SPLIT", "One by One", "Bodies and liquid take turns; for comparison")),
        description="How rigid bodies and liquid act on each other")
    particles_per_axis: IntProperty(name="Particles", default=SCENE["particles_per_axis"], min=1, max=4, options=set(),
                                    description="Particles per cell and axis: 2 is 8 in every cell")
    cfl: FloatProperty(name="Step Length", default=SCENE["cfl"], min=0.5, max=10.0, precision=1, options=set(),
                       description="Cells that liquid may cross in one step. Smaller is slower and more exact")
    max_substeps: IntProperty(name="Most Steps", default=SCENE["max_substeps"], min=1, max=1000, options=set(),
                              description="Most steps in a frame. More motion than that is slowed, with a warning")
    seed: IntProperty(name="Seed", default=SCENE["seed"], min=0, max=2 ** 31 - 1, options=set(),
                      description="Another number gives another, equally right, splash")
    threads: IntProperty(name="Threads", default=SCENE["threads"], min=0, max=1024, options=set(),
                         description="0: one per core. The result is the same for any number")
    # Not the library's default: particles are most of a bake, and few shots use them.
    save_particles: BoolProperty(name="Particles", default=False, options=set(),
                                 description="Write particles, for the particle view and effects. They take several times the "
                                             "room of all the rest. A bake also writes them while Show > Particles is on")
    # Not the library's default, which is for files that other programs read.
    save_compact: BoolProperty(name="Compact Files", default=True, options=set(),
                               description="Pack meshes and particles to about a third of their size. Turn off for files that other "
                                           "programs can read (plain PLY)")
    save_vdb: BoolProperty(name="OpenVDB Volumes", default=SCENE["save_vdb"], options=set(),
                           description="Write level sets with temperature, viscosity and velocity, for volumes and other "
                                       "programs")
    mesh_detail: IntProperty(name="Surface Detail", default=SCENE["mesh_detail"], min=1, max=2, options=set(),
                             description="2 makes a surface mesh with four times the triangles")
    mesh_smoothing: IntProperty(name="Surface Smoothing", default=SCENE["mesh_smoothing"], min=0, max=20, options=set(),
                                description="Rounds of smoothing that are made part of the meshes and keep their volume. Unmelted "
                                            "parts that keep their detail stay as they are")
    # Off in the library, so that its other users get what was simulated.
    keep_detail: BoolProperty(name="Keep Detail", default=True, options=set(),
                              description="Wax that has not melted shows the surface of its own mesh instead of what the grid knows of "
                                          "it, and does not move at all where it rests")
    carry: BoolProperty(name="Carry Textures", default=True, options=set(),
                        description="The surface keeps the materials, UV maps, colours and attributes of wax and liquid objects, so "
                                    "that their textures melt with them. Objects that have none of these cost nothing")
    checkpoint_every: IntProperty(name="Save State Every", default=SCENE["checkpoint_every"], min=0, max=1000, options=set(),
                                  description="Frames between states from which a bake can be resumed. 0: none")
    # Not the library's default: artists change their minds in the middle of a shot.
    keep_every: IntProperty(name="Keep State Every", default=30, min=0, max=1000, options=set(),
                            description="Of these frames the state is kept, for Bake From Here. A state is as large as many frames. 0: only the "
                                        "two newest")

    # Show
    show_surface: BoolProperty(name="Surface", default=True, update=_show, options=set(),
                               description="Show the surface of the liquid")
    smoothing: IntProperty(name="Smoothing", default=0, min=0, soft_max=10, max=100, update=_smooth, options=set(),
                           description="Rounds off lumps and edges of a cell's size, here and in the render. The bake stays "
                                       "as it is. Too much of it pulls liquid away from glass around it")
    show_particles: BoolProperty(name="Particles", default=False, update=_show, options=set(),
                                 description="Show the particles inside the liquid")
    particle_percent: IntProperty(name="Preview Detail", default=25, min=1, max=100, subtype="PERCENTAGE", update=_show,
                                  options=set(), description="Share of the particles that is shown")
    show_cells: BoolProperty(name="Grid", default=False, options=set(),
                             description="Draw the grid cells on the sides of the domain, to judge the resolution")
    show_color: EnumProperty(name="Colour By", items=COLORS, default="NONE", update=_show_color, options=set(),
                             description="Colour surface, particles and cells by what happens in them. The surface needs solid shading")
    color_range: EnumProperty(name="Colour Range", items=COLOR_RANGES, default="BAKE", update=_show_color, options=set(),
                              description="Which values the first and the last colour stand for")
    temperature_range: FloatVectorProperty(name="Range (°C)", size=2, default=(20.0, 100.0), min=-273.15, max=5000.0, precision=1, step=100,
                                           update=_show_color, options=set(),
                                           description="Temperatures of the first and the last colour, in degrees Celsius")
    speed_range: FloatVectorProperty(name="Range (m/s)", size=2, default=(0.0, 1.0), min=0.0, max=10000.0, precision=3, step=1,
                                     update=_show_color, options=set(),
                                     description="Speeds of the first and the last colour, in metres in life a second")
    viscosity_range: FloatVectorProperty(name="Range (Pa·s)", size=2, default=(0.001, 1000.0), min=1e-6, max=1e12, precision=4, step=1,
                                         update=_show_color, options=set(),
                                         description="Viscosities of the first and the last colour. Water 0.001, honey 10")
    show_legend: BoolProperty(name="Legend", default=True, options=set(),
                              description="Draw the colours and their values at the left of the view")
    render_colors: BoolProperty(name="In Render", default=False, update=_show_color, options=set(),
                                description="Also render surface and particles in these colours. Their own materials come back when you "
                                            "turn it off")
    show_slice: BoolProperty(name="Slice", default=False, update=_show, options=set(),
                             description="Show a layer of the bake's grid cells, coloured by Colour By. Needs OpenVDB Volumes in Files")
    slice_axis: EnumProperty(name="Axis", items=AXES, default="Y", update=_show, options=set(), description="Across which axis the slice is")
    slice_place: FloatProperty(name="Place", default=50.0, min=0.0, max=100.0, precision=1, subtype="PERCENTAGE", update=_show,
                               options=set(), description="Where the slice is, from one side of the domain to the other")
    surface_object: PointerProperty(name="Surface Object", type=bpy.types.Object, description="The object that shows the surface of the bake")
    particles_object: PointerProperty(name="Particles Object", type=bpy.types.Object, description="The object that shows the particles of the bake")
    volume_object: PointerProperty(name="Volume Object", type=bpy.types.Object, description="The object that shows the volume of the bake")


CLASSES = (TallowScene,)
