# SPDX-License-Identifier: GPL-3.0-or-later
"""Object, force and joint members of scene.json."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional

import bpy
from mathutils import Matrix, Vector

from ...core.scene_file import number, vector
from ...model import roles
from .motion import Track, rotation_of

FORCES = {"WIND": "wind", "FORCE": "point", "VORTEX": "vortex", "DRAG": "drag"}
LENGTHS = ("DISTANCE", "VELOCITY")
FACTORS = {"spin": 2.0 * math.pi}  # turns to radians
JOINTS = {"FIXED": "fixed", "POINT": "ball", "HINGE": "hinge", "SLIDER": "slider"}


def object_member(obj: bpy.types.Object, mesh: Optional[str], keys: List[Dict], material: Optional[str],
                  scale: float) -> Dict:
    """Everything but `deform`. Only the members that the role reads."""
    role = roles.of(obj)
    member: Dict = {"name": obj.name, "role": role.member}
    if mesh:
        member["mesh"] = mesh
    member["keys"] = keys
    if material:
        member["material"] = material
    for setting in roles.active(role.exported, obj):
        member[setting.name] = _value(obj.tallow, setting.name, scale)
    return member


def _value(tallow: bpy.types.PropertyGroup, name: str, scale: float) -> Any:
    """A setting in SI units and lower case. The property itself says whether it is a length."""
    value = getattr(tallow, name)
    if isinstance(value, str):
        return value.lower()
    if isinstance(value, int):  # a number that counts, or yes and no
        return value
    factor = scale if tallow.bl_rna.properties[name].subtype in LENGTHS else FACTORS.get(name, 1.0)
    return number(factor * value) if isinstance(value, float) else vector(factor * part for part in value)


def is_force(obj: bpy.types.Object) -> bool:
    return bool(obj.field and obj.field.type in FORCES)


def is_other_force(obj: bpy.types.Object) -> bool:
    """Whether it has a force field of Blender's that Tallow does not know."""
    return bool(obj.field and obj.field.type != "NONE" and obj.field.type not in FORCES)


def force_label(obj: bpy.types.Object) -> str:
    return obj.field.bl_rna.properties["type"].enum_items[obj.field.type].name


def force_member(track: Track, scale: float) -> Dict:
    field = track.obj.field
    keys = track.keys(scale)
    # `keys` has left out repeated samples, so strengths are looked up by their time.
    strength = {number(time): settings["strength"] for time, settings in zip(track.times, track.settings)}
    strengths = [number(s) for s in strength.values()]
    if len(set(strengths)) > 1:
        keys = _all_keys(track, scale)
    for key in keys:
        key.pop("temperature", None)
        key["power"] = number(strength[key["time"]])
    return {"name": track.obj.name, "kind": FORCES[field.type], "keys": keys, "falloff": number(field.falloff_power),
            "min_distance": number(field.distance_min * scale if field.use_min_distance else 0.0),
            "max_distance": number(field.distance_max * scale if field.use_max_distance else 0.0)}


def _all_keys(track: Track, scale: float) -> List[Dict]:
    return [{"time": number(time), "position": vector(matrix.translation * scale), "rotation": vector(rotation_of(matrix))}
            for time, matrix in zip(track.times, track.matrices)]


def is_joint(obj: bpy.types.Object) -> bool:
    """Whether it is a rigid-body constraint of Blender that holds one of our bodies."""
    constraint = obj.rigid_body_constraint
    return bool(constraint and constraint.enabled
                and any(body and roles.of(body).body for body in (constraint.object1, constraint.object2)))


def is_held(obj: bpy.types.Object) -> bool:
    """Whether a joint can hold it: a body, or a solid that drags bodies along."""
    return roles.holds(roles.of(obj).held, obj)


def joint_member(obj: bpy.types.Object, held: List[bpy.types.Object], place: Matrix, scale: float,
                 warnings: List[str]) -> Optional[Dict]:
    """A rigid-body constraint as a joint; None, with a warning, when it cannot be one. `place` is that of its first frame."""
    constraint = obj.rigid_body_constraint
    if constraint.type not in JOINTS:
        kind = constraint.type.title().replace("_", " ")
        warnings.append(f"{obj.name}: Tallow has no joint of the kind {kind}; it is left out.")
        return None
    bodies = sorted((body for body in held if is_held(body)), key=lambda body: not roles.of(body).body)
    for other in held:
        if not is_held(other):
            warnings.append(f"{obj.name}: {other.name} is neither a rigid body nor a solid, so the joint holds {bodies[0].name} "
                            "in place instead. Give it one of these roles if it moves.")
    _warn_of_limits(obj.name, constraint, warnings)
    # Blender turns a hinge about its local z and moves a slider along its local x.
    axis = place.to_3x3() @ Vector((1, 0, 0) if constraint.type == "SLIDER" else (0, 0, 1))
    return {"name": obj.name, "kind": JOINTS[constraint.type], "a": bodies[0].name,
            "b": bodies[1].name if len(bodies) > 1 else None,
            "anchor": vector(place.translation * scale), "axis": vector(axis.normalized())}


def _warn_of_limits(name: str, constraint: bpy.types.RigidBodyConstraint, warnings: List[str]) -> None:
    if constraint.type == "HINGE" and constraint.use_limit_ang_z:
        warnings.append(f"{name}: Tallow's hinges have no limits; it turns all the way round.")
    if constraint.type == "SLIDER" and constraint.use_limit_lin_x:
        warnings.append(f"{name}: Tallow's sliders have no limits; it slides all the way.")
    if constraint.use_breaking:
        warnings.append(f"{name}: Tallow's joints do not break; it holds whatever pulls at it.")
