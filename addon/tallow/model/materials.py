# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials: the presets' enum, and custom ones that live in the scene."""

import uuid
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import bpy
from bpy.props import CollectionProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, StringProperty

from ..core import presets
from ..core.defaults import MATERIAL
from ..core.presets import ZERO_CELSIUS

CUSTOM = "custom_"
USER = "user_"  # presets that the artist saved
START = MATERIAL["viscosity"][0]  # kelvin, Pa s
_items: List[Tuple] = []  # Blender keeps pointers to these strings, so they must live on


@lru_cache(maxsize=1)
def all_presets() -> Dict[str, Dict]:
    """Those that come with Tallow, then the artist's own."""
    found = presets.load_materials(Path(__file__).resolve().parent.parent)
    own = presets.load_folder(user_folder())
    return {**found, **{USER + stem: {**preset, "look": 0} for stem, preset in own.items()}}


def user_folder() -> Path:
    """Where Blender keeps what its users save as presets."""
    return Path(bpy.utils.user_resource("SCRIPTS", path="presets/tallow/materials"))


def is_user_preset(identifier: str) -> bool:
    return identifier.startswith(USER)


def save_preset(own: "TallowMaterial") -> str:
    """Write a material as a preset of the artist's own; one of the same name is replaced. Returns its identifier. Raises OSError."""
    stem = presets.write_preset(user_folder(), own.as_dict())
    all_presets.cache_clear()
    return USER + stem


def delete_preset(identifier: str) -> None:
    """Raises OSError."""
    (user_folder() / f"{identifier[len(USER):]}.json").unlink()
    all_presets.cache_clear()


def chosen(obj: bpy.types.Object) -> str:
    """What was chosen for an object; empty when nothing was. Blender warns on the console where a choice is read that was never made."""
    return obj.tallow.material if obj.tallow.is_property_set("material") else ""


def material_items(_self, context) -> List[Tuple]:
    """Presets for the look, presets as in life, then the scene's own materials. The numbers are stable, so that saved files keep
    their choice."""
    global _items
    items: List[Tuple] = []
    for heading, for_look in (("For the Look", True), ("As in Life", False)):
        items.append(("", heading, ""))
        items += [(key, preset["label"], preset["description"], "NONE", zlib.crc32(key.encode()) & 0x3FFFFFFF)
                  for key, preset in all_presets().items() if bool(preset["look"]) == for_look and not is_user_preset(key)]
    saved = [(key, preset["label"], "A preset that you saved", "PRESET", zlib.crc32(key.encode()) & 0x3FFFFFFF)
             for key, preset in all_presets().items() if is_user_preset(key)]
    items += [("", "Your Presets", "")] + saved if saved else []
    scene = context.scene if context else bpy.context.scene
    if scene:
        items += [("", "In This Scene", "")] if len(scene.tallow.materials) else []
        items += [(f"{CUSTOM}{own.uid}", own.name, "Your own material", "USER", 0x40000000 + own.uid)
                  for own in scene.tallow.materials]
    if items != _items:
        _items = items
    return _items


class TallowCurvePoint(bpy.types.PropertyGroup):
    """One point of a viscosity curve."""

    temperature: FloatProperty(name="Temperature (°C)", description="Degrees Celsius", default=START[0] - ZERO_CELSIUS, min=-273.0,
                               max=3000.0, precision=1, step=100)
    viscosity: FloatProperty(name="Viscosity (Pa·s)", default=START[1], min=1e-6, max=1e18, precision=4,
                             description="Pascal seconds: water 0.001, oil 0.1, honey 10, toothpaste 100")


def _pair(name: str, unit: str, member: str, text: str, low: float, high: float):
    return FloatVectorProperty(name=f"{name} ({unit})", size=2, default=MATERIAL[member], min=low, max=high, precision=3,
                               description=f"{text}, solid and liquid")


class TallowMaterial(bpy.types.PropertyGroup):
    """A material of the artist's own, all in SI units except temperatures in degrees Celsius."""

    uid: IntProperty(options={"HIDDEN"})
    stamp: StringProperty(options={"HIDDEN"})  # the same in all files, so that an appended object finds its own
    density: _pair("Density", "kg/m³", "density", "Weight of a cubic metre", 0.01, 1e5)
    specific_heat: _pair("Specific heat", "J/kg K", "specific_heat", "Energy that warms a kilogram by one degree", 1.0, 1e6)
    conductivity: _pair("Conductivity", "W/m K", "conductivity", "How well heat passes through", 1e-4, 1e5)
    solidus: FloatProperty(name="Melts from (°C)", default=MATERIAL["solidus"] - ZERO_CELSIUS, min=-273.0, max=3000.0,
                           precision=1, step=100,
                           description="Below this temperature the material is solid")
    liquidus: FloatProperty(name="Molten at (°C)", default=MATERIAL["liquidus"] - ZERO_CELSIUS, min=-273.0, max=3000.0,
                            precision=1, step=100,
                            description="Above this temperature the material is liquid")
    latent_heat: FloatProperty(name="Latent Heat", default=MATERIAL["latent_heat"], min=0.0, max=1e7, precision=0, step=100000,
                               description="Energy that melting takes, in J/kg, without getting warmer. 0: it never freezes")
    solid_viscosity: FloatProperty(name="Solid (Pa·s)", default=MATERIAL["solid_viscosity"], min=1e-3, max=1e18, precision=1,
                                   description="Of a soft solid, and at the cold end of the melting range")
    # Surface tension is not simulated yet; copies of presets keep what the presets say.
    surface_tension: FloatProperty(default=MATERIAL["surface_tension"], min=0.0, max=10.0, options={"HIDDEN"})
    contact_angle: FloatProperty(default=MATERIAL["contact_angle"], min=0.0, max=180.0, options={"HIDDEN"})
    frozen: EnumProperty(name="When Solid", default=MATERIAL["frozen"].upper(), description="What cold material does", items=(
        ("RIGID", "Hard", "Cold parts move as rigid pieces and do not creep"),
        ("SOFT", "Soft", "Cold parts are very thick liquid that slowly sags")))
    color: FloatVectorProperty(name="Colour", subtype="COLOR", size=3, default=MATERIAL["color"], min=0.0, max=1.0,
                               description="Suggested colour in the viewport and for the wax shader")
    points: CollectionProperty(name="Viscosity Curve", type=TallowCurvePoint, description="Viscosities at temperatures, from cold to hot")
    active_point: IntProperty(options={"HIDDEN"})

    def as_dict(self) -> Dict:
        """The material in the form of a preset file."""
        points = [[p.temperature + ZERO_CELSIUS, p.viscosity] for p in self.points] or MATERIAL["viscosity"]
        return {"name": self.name, "label": self.name, "description": self.name,
                "density": list(self.density), "specific_heat": list(self.specific_heat),
                "conductivity": list(self.conductivity), "solidus": self.solidus + ZERO_CELSIUS,
                "liquidus": self.liquidus + ZERO_CELSIUS, "latent_heat": self.latent_heat,
                "viscosity": presets.curve_points(points), "solid_viscosity": self.solid_viscosity,
                "surface_tension": self.surface_tension, "contact_angle": self.contact_angle,
                "frozen": self.frozen.lower(), "color": list(self.color)}

    def set_from(self, preset: Dict) -> None:
        for key in ("density", "specific_heat", "conductivity", "latent_heat", "solid_viscosity", "surface_tension",
                    "contact_angle"):
            setattr(self, key, preset[key])
        self.color = preset["color"][:3]
        self.solidus, self.liquidus = preset["solidus"] - ZERO_CELSIUS, preset["liquidus"] - ZERO_CELSIUS
        self.frozen = str(preset["frozen"]).upper()
        self.points.clear()
        for kelvin, value in preset["viscosity"]:
            point = self.points.add()
            point.temperature, point.viscosity = kelvin - ZERO_CELSIUS, value


def find_custom(scene: bpy.types.Scene, identifier: str) -> Optional[TallowMaterial]:
    if not identifier.startswith(CUSTOM):
        return None
    return next((own for own in scene.tallow.materials if f"{CUSTOM}{own.uid}" == identifier), None)


def add_custom(scene: bpy.types.Scene, name: str, source: Dict) -> TallowMaterial:
    own = scene.tallow.materials.add()
    own.uid = 1 + max((other.uid for other in scene.tallow.materials), default=0)
    own.stamp = uuid.uuid4().hex
    own.name = name
    own.set_from(source)
    return own


def lookup(scene: bpy.types.Scene, identifier: str) -> Optional[Dict]:
    """The material behind an enum value, in preset form; None when it is gone."""
    own = find_custom(scene, identifier)
    return own.as_dict() if own else all_presets().get(identifier)


def why_none(obj: bpy.types.Object) -> str:
    """Why `lookup` finds nothing for the material of an object, and what to do. A saved choice is only a number."""
    tallow = obj.tallow
    if not tallow.is_property_set("material"):
        return f"{obj.name} has no material. Choose one under 'What is this object?'."
    named = f" ({tallow.material_name})" if tallow.material_name else ""
    return (f"The material of {obj.name}{named} is not there: this file comes from a Tallow that has it, or it was deleted. "
            "Choose another one under 'What is this object?'.")


def first_preset(*names: str) -> str:
    """The first of these presets that exists; empty when none does."""
    return next((name for name in names if name in all_presets()), "")


CLASSES = (TallowCurvePoint, TallowMaterial)
