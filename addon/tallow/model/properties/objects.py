# SPDX-License-Identifier: GPL-3.0-or-later
"""`Object.tallow`: what an object is in the simulation."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, StringProperty

from ...core.defaults import OBJECT
from ...core.presets import ZERO_CELSIUS
from .. import icons, role_effects, roles
from ..materials import material_items

ROLES = tuple((role.identifier, role.label, role.description, icons.name(*role.icons), role.number) for role in roles.TABLE)
HEAT_KINDS = (
    ("SOLID", "Hot Solid", "An obstacle that stays at its temperature, like a hot plate"),
    ("VOLUME", "Volume", "Adds power to the material inside its shape"),
    ("LAMP", "Lamp", "Shines power from its centre onto the surfaces that it sees"),
)
SURFACES = (
    ("SLIP", "Slip", "Liquid slides along the surface"),
    ("STICK", "Stick", "Liquid sticks to the surface, as real ones do"),
)


def _role_changed(self, context) -> None:
    role_effects.on_role_changed(self.id_data)


def _material_changed(self, context) -> None:
    role_effects.on_material_changed(self.id_data)


def _temperature_changed(self, context) -> None:
    role_effects.on_temperature_changed(self.id_data)


def _kind_changed(self, context) -> None:
    role_effects.update_display(self.id_data)


class TallowObject(bpy.types.PropertyGroup):
    role: EnumProperty(name="Role", items=ROLES, default="NONE", update=_role_changed, options=set(),
                       description="What this object is in the simulation")
    material: EnumProperty(name="Material", items=material_items, update=_material_changed, options=set(),
                           description="What it is made of")
    temperature: FloatProperty(name="Temperature (°C)", default=OBJECT["temperature"] - ZERO_CELSIUS, min=-273.0, soft_max=500.0,
                               max=3000.0, precision=1, step=100, update=_temperature_changed,
                               description="Degrees Celsius. Of wax and liquid, at the start; can be animated "
                                                     "for solids, inflows and heat sources")
    velocity: FloatVectorProperty(name="Velocity", subtype="VELOCITY", size=3, default=OBJECT["velocity"], precision=2,
                                  description="Speed and direction at the start. Of an inflow: at all times, like a nozzle, "
                                              "so that it gives speed times area; zero keeps its volume full")
    local_velocity: BoolProperty(name="Follow Rotation", default=True, options=set(),
                                 description="The velocity turns with the object")
    spin: FloatVectorProperty(name="Spin (turns/s)", subtype="XYZ", size=3, default=OBJECT["spin"], precision=2, options=set(),
                              description="Turns per second around each axis at the start")
    enabled: BoolProperty(name="On", default=OBJECT["enabled"], description="Works only while this is on. Can be animated")

    surface: EnumProperty(name="Surface", items=SURFACES, default=OBJECT["surface"].upper(), options=set(),
                          description="What liquid does at its surface")
    friction: FloatProperty(name="Friction", default=OBJECT["friction"], min=0.0, soft_max=1.0, max=10.0, options=set(),
                            description="0 is ice, 1 is rubber. Where liquid slips, it is slowed by this too")
    # Not the library's default: a body that bounces a little looks alive.
    restitution: FloatProperty(name="Bounciness", default=0.2, min=0.0, max=1.0, options=set(),
                               description="0 stops dead, 1 bounces back to where it fell from")
    weigh_by: EnumProperty(name="Weight", default="DENSITY", options=set(), description="How heavy the body is", items=(
        ("DENSITY", "Density", "Weight from the object's volume"), ("MASS", "Mass", "Weight as a number")))
    # Not the library's default: a first body floats in water.
    density: FloatProperty(name="Density (kg/m³)", default=700.0, min=0.1, max=1e5, precision=0, step=10000, options=set(),
                           description="Wood 550, ice 917, water 998, stone 2700, iron 7900, lead 11300. Less than the "
                                       "liquid floats")
    # Not the library's default, with which the density counts. Here `weigh_by` chooses.
    mass: FloatProperty(name="Mass (kg)", default=1.0, min=1e-6, max=1e9, precision=3, options=set(),
                        description="What the body weighs in life, in kilograms")
    # Not the library's default, an insulator: a solid that is made hot is expected to warm what it touches.
    conductivity: FloatProperty(name="Heat Conduction", default=0.5, min=0.0, max=1000.0, precision=2, options=set(),
                                description="How well heat passes, in W/m K. 0 insulates, wood 0.1, glass 1, iron 80")
    specific_heat: FloatProperty(name="Specific Heat", default=OBJECT["specific_heat"], min=1.0, max=1e5, precision=0, step=10000,
                                 options=set(), description="Energy that warms a kilogram by one degree, in J/kg K")
    fixed_temperature: BoolProperty(name="Hold Temperature", default=OBJECT["fixed_temperature"], options=set(),
                                    description="Stay at this temperature instead of cooling and warming")

    heat_kind: EnumProperty(name="Kind", items=HEAT_KINDS, default=OBJECT["heat_kind"].upper(), update=_kind_changed, options=set(),
                            description="How it gives off heat")
    # Not the library's default, which is no power: a first lamp shines.
    power: FloatProperty(name="Power (W)", default=1000.0, min=-1e7, max=1e7, precision=0, step=10000,
                         description="Watts. A hot plate has 2000, a patio heater 10000. Can be animated")
    heat_range: FloatProperty(name="Range", subtype="DISTANCE", default=OBJECT["heat_range"], min=0.0, options=set(),
                              description="No heat beyond this distance. 0: no limit")

    follow_bake: BoolProperty(name="Follow Bake", default=True, options=set(),
                              description="Move as baked. Turn off to animate the body yourself")

    # What the chosen material is called, for a file that is opened where the material is not.
    material_name: StringProperty(options={"HIDDEN"})
    # Whether the artist chose the temperature, and the role that the settings were made for.
    temperature_by_hand: BoolProperty(options={"HIDDEN"})
    last_role: StringProperty(options={"HIDDEN"})
    # What the object looked like before it got its role, so that taking the role away gives it back.
    saved_display: StringProperty(options={"HIDDEN"})
    saved_hide_render: BoolProperty(options={"HIDDEN"})
    # Its own material as it was when the file was saved, for other files (model/keepsakes.py).
    kept_material: StringProperty(options={"HIDDEN"})
    # Where a baked body stood before the bake, and where playback last put it: in the world, and relative to its parent.
    has_rest: BoolProperty(options={"HIDDEN"})
    rest_matrix: FloatVectorProperty(size=16, options={"HIDDEN"})
    placed_matrix: FloatVectorProperty(size=16, options={"HIDDEN"})
    placed_basis: FloatVectorProperty(size=16, options={"HIDDEN"})
    # Its name in a bake, and that bake's folder: the artist may rename it.
    baked_name: StringProperty(options={"HIDDEN"})
    baked_in: StringProperty(options={"HIDDEN"})
    # Whether playback took it out of Blender's own rigid body simulation.
    made_kinematic: BoolProperty(options={"HIDDEN"})


CLASSES = (TallowObject,)
