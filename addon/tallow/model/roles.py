# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object can be in the simulation: one table, and questions about it.

The enum property, the panel's rows, the export, the checks and the display are all driven by this table. To add a role, add a row.
A setting that no role has yet is a property in `properties/objects.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import bpy

TYPES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}


class When(NamedTuple):
    """A condition: another setting of the object has one of these values."""
    setting: str
    values: Tuple[str, ...]


class Setting(NamedTuple):
    """A property of `Object.tallow`, as the panel shows it and the export writes it."""
    name: str
    expand: bool = False  # an enum whose values lie side by side
    when: Optional[When] = None


Settings = Tuple[Setting, ...]
Groups = Tuple[Settings, ...]  # of a panel; each is a block of fields


@dataclass(frozen=True)
class Role:
    identifier: str
    number: int  # in saved files: never changes
    label: str
    description: str
    icons: Tuple[str, ...]  # the first that this Blender has
    button: str = ""  # a label that fits on half a sidebar, where `label` does not

    # What the panels show.
    settings: Groups = ()
    motion: Groups = ()  # under "Motion at the Start"
    heat: Groups = ()  # under "Heat"

    # What scene.json gets.
    member: str = ""  # its `role` there
    words: str = ""  # "a rigid body", for sentences
    exported: Settings = ()  # written once
    keyed: Tuple[str, ...] = ()  # settings that can be animated, written as keys

    # What it does.
    source: bool = False  # turns into liquid or wax on the first frame; its own mesh then gives way to the baked surface
    frozen: bool = False  # starts solid
    pours: bool = False  # gives liquid during the shot
    body: bool = False  # is moved by the simulation
    heater: bool = False
    can_warm: bool = False  # its temperature may melt wax
    deforms: bool = False  # may change its shape over time
    fitted: bool = False  # a domain that is fitted to everything holds it
    held: Union[bool, When] = False  # a joint can hold it
    ghost: Union[bool, When] = False  # shown as wires and never rendered

    # What it starts with. Roles of one family keep what the artist chose for the other.
    family: str = ""
    materials: Tuple[str, ...] = ()  # presets; the first that exists
    temperature: float = 20.0  # degrees C, of roles without a material
    first: Dict[str, Any] = field(default_factory=dict)

    @property
    def fluid(self) -> bool:
        """Whether it has a material that flows or melts."""
        return self.family == "fluid"


def _group(*names: Union[str, Setting]) -> Settings:
    return tuple(name if isinstance(name, Setting) else Setting(name) for name in names)


TEMPERATURE, ENABLED, SURFACE = _group("temperature"), _group("enabled"), Setting("surface", expand=True)
START = (_group("velocity"), _group("spin"))
IS_SOLID, IS_POWER, IS_LAMP = (When("heat_kind", kinds) for kinds in (("SOLID",), ("VOLUME", "LAMP"), ("LAMP",)))
BY_DENSITY, BY_MASS = (Setting(name, when=When("weigh_by", (name.upper(),))) for name in ("density", "mass"))

TABLE: Tuple[Role, ...] = (
    Role("NONE", 0, "None", "Not part of the simulation", ("X",)),
    Role("WAX", 1, "Wax", "Solid material that melts when it gets hot and hardens when it cools", ("MESH_MONKEY",),
         settings=(TEMPERATURE,), motion=START,
         member="liquid", words="wax", exported=_group("velocity", "spin"), keyed=("temperature",),
         source=True, frozen=True, fitted=True,
         family="fluid", materials=("thick_wax", "paraffin")),
    Role("LIQUID", 2, "Liquid", "Liquid that flows from the start", ("MATFLUID", "MOD_FLUIDSIM"),
         settings=(TEMPERATURE,), motion=START,
         member="liquid", words="liquid", exported=_group("velocity", "spin"), keyed=("temperature",),
         source=True, can_warm=True, fitted=True,
         family="fluid", materials=("water",)),
    Role("INFLOW", 3, "Inflow", "Pours liquid into the scene", ("IMPORT",),
         settings=(TEMPERATURE, _group("velocity"), _group("local_velocity"), ENABLED),
         member="inflow", words="an inflow", keyed=("temperature", "velocity", "enabled"),
         pours=True, can_warm=True, fitted=True, ghost=True,
         family="fluid", materials=("water",)),
    Role("OUTFLOW", 4, "Outflow", "Removes liquid that enters it", ("EXPORT",),
         settings=(ENABLED,),
         member="outflow", words="an outflow", keyed=("temperature", "enabled"),
         ghost=True),
    Role("SOLID", 5, "Solid", "An obstacle: still, or moving as you animated it", ("MESH_CUBE",),
         settings=(_group(SURFACE), _group("friction", "restitution")), heat=(_group("temperature", "conductivity"),),
         member="solid", words="a solid", exported=_group("surface", "conductivity", "friction", "restitution"),
         keyed=("temperature",),
         can_warm=True, deforms=True, held=True,
         family="solid"),
    Role("RIGID", 6, "Rigid Body", "Moved by the liquid, by gravity and by contact", ("RIGID_BODY",),
         settings=(_group(Setting("weigh_by", expand=True), BY_DENSITY, BY_MASS), _group(SURFACE, "friction", "restitution"),
                   _group("follow_bake")),
         motion=START, heat=(_group("temperature", "conductivity", "specific_heat"), _group("fixed_temperature")),
         member="rigid", words="a rigid body",
         exported=_group("velocity", "spin", "surface", "conductivity", "friction", "restitution", BY_DENSITY, BY_MASS,
                         "specific_heat", "fixed_temperature"), keyed=("temperature",),
         body=True, can_warm=True, fitted=True, held=True,
         family="solid"),
    Role("HEAT", 7, "Heat Source", "Warms what it touches, holds or shines on", ("LIGHT_SUN", "LIGHT"), button="Heater",
         settings=(_group(Setting("heat_kind", expand=True)),
                   _group(Setting("temperature", when=IS_SOLID), Setting("conductivity", when=IS_SOLID),
                          Setting("power", when=IS_POWER), Setting("heat_range", when=IS_LAMP)),
                   _group(SURFACE._replace(when=IS_SOLID)), ENABLED),
         member="heat", words="a heat source", exported=_group("surface", "conductivity", "heat_kind", "heat_range"),
         keyed=("temperature", "power", "enabled"),
         heater=True, can_warm=True, deforms=True, fitted=True, held=IS_SOLID, ghost=IS_POWER,
         temperature=200.0, first={"conductivity": 50.0}),
)
BY_NAME: Dict[str, Role] = {role.identifier: role for role in TABLE}


def named(trait: str) -> Tuple[str, ...]:
    """The identifiers of the roles that have a trait."""
    return tuple(role.identifier for role in TABLE if getattr(role, trait))


SOURCES, FLUIDS, FROZEN, POURING, BODIES, HEATERS, FITTED = (
    named(trait) for trait in ("source", "fluid", "frozen", "pours", "body", "heater", "fitted"))

OBSTACLES = tuple(role.identifier for role in TABLE if role.deforms and not role.heater)


def of(obj: bpy.types.Object) -> Role:
    """The object's role. A role of a newer Tallow counts as none."""
    return BY_NAME.get(obj.tallow.role, TABLE[0])


def holds(condition: Union[bool, Optional[When]], obj: bpy.types.Object) -> bool:
    """Whether a trait or a condition of the table is true of an object."""
    return getattr(obj.tallow, condition.setting) in condition.values if isinstance(condition, When) else bool(condition)


def is_solid(obj: bpy.types.Object) -> bool:
    """Whether it stands in the way without being moved: an obstacle or a hot solid."""
    return of(obj).deforms and (not of(obj).heater or holds(IS_SOLID, obj))


def active(settings: Settings, obj: bpy.types.Object) -> List[Setting]:
    """Those settings that matter as the others are set."""
    return [setting for setting in settings if setting.when is None or holds(setting.when, obj)]


def can_have_role(obj: Optional[bpy.types.Object]) -> bool:
    return obj is not None and obj.type in TYPES and not is_managed(obj)


def shown_objects(scene: bpy.types.Scene) -> List[bpy.types.Object]:
    """What playback fills."""
    tallow = scene.tallow
    return [obj for obj in (tallow.surface_object, tallow.particles_object, tallow.volume_object) if obj]


def is_managed(obj: bpy.types.Object) -> bool:
    """Whether Tallow made it: the domain, the surface, the particles."""
    for scene in bpy.data.scenes:
        if obj == scene.tallow.domain or obj in shown_objects(scene):
            return True
    return False


def with_role(scene: bpy.types.Scene, *roles: str) -> List[bpy.types.Object]:
    """Objects of the scene that have one of these roles (any role when none is named), by name."""
    found = [obj for obj in scene.objects
             if obj.type in TYPES and obj.tallow.role != "NONE" and (not roles or obj.tallow.role in roles)]
    return sorted(found, key=lambda obj: obj.name)


def takes_part(obj: bpy.types.Object, layer: bpy.types.ViewLayer) -> bool:
    """Whether an object is in a bake at all: not when it is disabled in the viewport or in an excluded collection."""
    return obj.name in layer.objects and not obj.hide_viewport


def why_no_role(obj: Optional[bpy.types.Object]) -> str:
    """A sentence about an object that cannot have a role."""
    if obj is None:
        return "Select a mesh first"
    if is_managed(obj):
        return f"{obj.name} was made by Tallow. Select a mesh of your own"
    if obj.type == "LIGHT":
        return f"{obj.name} only gives light. Any small mesh can be a heat lamp: make it a Heater and choose Lamp"
    return f"{obj.name} is not a mesh. Select a mesh first"
