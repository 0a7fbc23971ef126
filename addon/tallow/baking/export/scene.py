# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples the scene over its frames and writes the scene folder."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List, Optional

import bpy
from mathutils import Matrix

from ...core import presets
from ...core.scene_file import SceneData, SceneWriter, number, world_with_keys
from ...model import meshes, placement, roles, shot, units
from ...model.materials import lookup, why_none
from .. import suspension
from . import carry, motion, objects, settings, shape_checks, sheets, snapshot


class ExportError(Exception):
    """The scene cannot be baked; the text is for the artist."""


class Exporter:
    def __init__(self, context: bpy.types.Context, folder: Path) -> None:
        self.context = context
        self.scene = context.scene
        self.scale = units.metres_per_unit(self.scene)
        self.first, self.last = shot.frame_range(self.scene)
        self.writer = SceneWriter(folder)
        self.warnings: List[str] = []
        self.materials: Dict[str, Dict] = {}
        self.meshes: Dict[str, meshes.Triangles] = {}
        self.carried: Dict[str, carry.Carried] = {}
        self.objects = [obj for obj in roles.with_role(self.scene) if self._takes_part(obj)]
        self.fields = [obj for obj in sorted(self.scene.objects, key=lambda obj: obj.name) if self._is_field(obj)]
        self.joints = sorted((obj for obj in self.scene.objects if objects.is_joint(obj)), key=lambda obj: obj.name)
        self.joint_places: Dict[bpy.types.Object, Matrix] = {}
        self.tracks = {obj: motion.Track(obj) for obj in self.objects + self.fields}
        self.world: List[Dict] = []  # a key per frame, or one
        self.world_changes = settings.world_changes(self.scene)
        self.stems = {obj: self.writer.unique_stem(obj.name) for obj in self.objects}
        self.deformations = {obj: motion.Deformation(obj, self.stems[obj]) for obj in self.objects
                             if roles.of(obj).deforms and motion.may_deform(obj)}

    def _takes_part(self, obj: bpy.types.Object) -> bool:
        if roles.takes_part(obj, self.context.view_layer):
            return True
        self._warn(f"{obj.name} is disabled in the viewport or excluded, and is left out.")
        return False

    def _is_field(self, obj: bpy.types.Object) -> bool:
        if objects.is_force(obj):
            return self._takes_part(obj)
        if objects.is_other_force(obj) and roles.takes_part(obj, self.context.view_layer):
            self._warn(f"{obj.name}: Tallow has no force field of the kind {objects.force_label(obj)}; it is left out.")
        return False

    def _warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    def run(self) -> List[str]:
        self._sample()
        scene = SceneData(name=self.scene.name, frames={"start": self.first, "end": self.last,
                                                        "fps": shot.frame_rate(self.scene)},
                          domain=settings.domain_member(self.scene), world=world_with_keys(self.world),
                          solver=settings.solver_member(self.scene), output=settings.output_member(self.scene),
                          display=settings.display_member(self.scene, self.scale))
        scene.objects = [self._object(obj) for obj in self.objects]
        scene.forces = [objects.force_member(self.tracks[obj], self.scale) for obj in self.fields]
        joints = (self._joint(obj) for obj in self.joints)
        scene.joints = [joint for joint in joints if joint]
        scene.materials = list(self.materials.values())
        moving = [obj for obj in self.tracks if motion.moves(obj) or obj in self.deformations]
        self.writer.write_motion(snapshot.digests(self.scene, moving))
        self.writer.write_scene(scene)
        return self.warnings

    def _sample(self) -> None:
        """Go through the frames, only as many as something moves in, and come back to where the artist was."""
        # Wax and liquid are only placed at the start; what they do then is the simulation.
        moving = [obj for obj in self.tracks if not roles.of(obj).source and motion.moves(obj)]
        original = self.scene.frame_current
        for obj in self.tracks:
            obj.update_tag()  # settings that a script changed do not reach the evaluated copy by themselves
        with suspension.suspended():
            try:
                if moving or self.deformations or self.world_changes or original != self.first or any(motion.moves(obj) for obj in self.joints):
                    self.scene.frame_set(self.first)
                else:
                    self.context.view_layer.update()
                for obj in self.objects:
                    self._take_mesh(obj)
                self._take_carried()
                self._sample_frame(self.first, list(self.tracks), self.deformations)
                self.joint_places = {obj: (placement.start_matrix(obj) or placement.world(obj)).copy() for obj in self.joints}
                if moving or self.deformations or self.world_changes:
                    # The last step already looks at where solids go next: without the frame after, they would stop dead.
                    for frame in range(self.first + 1, self.last + 2):
                        self.scene.frame_set(frame)
                        self._sample_frame(frame, moving, self.deformations if frame <= self.last else {})
            finally:
                if self.scene.frame_current != original:
                    self.scene.frame_set(original)

    def _sample_frame(self, frame: int, moving: List[bpy.types.Object], deformations: Dict) -> None:
        depsgraph = self.context.evaluated_depsgraph_get()
        time = (frame - self.first) / shot.frame_rate(self.scene)
        if self.world_changes or not self.world:
            self.world.append({"time": number(time), **settings.world_member(self.scene)})
        for obj in moving:
            self.tracks[obj].sample(depsgraph, time, placement.start_matrix(obj))
        for deformation in deformations.values():
            deformation.sample(self.writer, depsgraph, frame, self.scale)

    def _take_mesh(self, obj: bpy.types.Object) -> None:
        mesh = meshes.evaluated(obj, self.context.evaluated_depsgraph_get())
        wrong = shape_checks.why_unfit(obj, roles.of(obj), mesh)
        if wrong:
            raise ExportError(wrong)
        self.meshes[obj.name] = mesh

    def _take_carried(self) -> None:
        """What the surface shows of the objects it is made of. When one of them has something to show, all take part."""
        if not self.scene.tallow.carry:
            return
        depsgraph = self.context.evaluated_depsgraph_get()
        fluids = [obj for obj in self.objects if roles.of(obj).fluid]
        if any(carry.has_something(obj, depsgraph) for obj in fluids):
            found = {obj.name: carry.collect(obj, depsgraph, self.warnings) for obj in fluids}
            self.carried = {name: carried for name, carried in found.items() if carried}
            carry.drop_conflicts(self.carried, self.warnings)

    def _carry(self, obj: bpy.types.Object) -> Dict:
        carried = self.carried[obj.name]
        inner = meshes.transform(carried.mesh, self.tracks[obj].inner_matrix() * self.scale)
        path = self.writer.write_mesh(self.writer.unique_stem(obj.name + "-carried"), inner.positions, inner.indices,
                                      carried.columns, carried.face_columns)
        return {"mesh": path, **carried.member}

    def _object(self, obj: bpy.types.Object) -> Dict:
        track, deformation = self.tracks[obj], self.deformations.get(obj)
        if deformation and deformation.broken:
            raise ExportError(f"{obj.name} changes its number of faces while it moves. Tallow needs the same faces on every "
                              "frame: turn off the modifier that does it.")
        deforms = bool(deformation and deformation.changed)
        if deformation and not deforms:
            deformation.discard(self.writer)
        inner = meshes.transform(self.meshes[obj.name], track.inner_matrix() * self.scale)
        if roles.is_solid(obj) and not deforms and meshes.is_flat(inner):
            inner = sheets.thicken(self.scene, inner, track, [other for other in self.objects if other != obj], self.scale)
        path = self.writer.write_mesh(self.stems[obj], inner.positions, inner.indices)
        keys = track.keys(self.scale, with_place=not deforms)
        member = objects.object_member(obj, path, keys, self._material(obj), self.scale)
        if deforms:
            member["deform"] = {"pattern": f"meshes/{self.stems[obj]}_%06d.ply", "first": self.first, "last": self.last}
        if obj.name in self.carried:
            member["carry"] = self._carry(obj)
        return member

    def _joint(self, obj: bpy.types.Object) -> Optional[Dict]:
        held = [body for body in (obj.rigid_body_constraint.object1, obj.rigid_body_constraint.object2) if body]
        for body in held:
            if objects.is_held(body) and body not in self.objects:
                names = " and ".join(other.name for other in held)
                self.warnings.append(f"{obj.name} is a joint of {names}, and {body.name} is left out; so is the joint.")
                return None
            if body in self.deformations and self.deformations[body].changed:
                self.warnings.append(f"{obj.name} is a joint of {body.name}, which changes its shape; the joint is left out.")
                return None
        return objects.joint_member(obj, held, self.joint_places[obj], self.scale, self.warnings)

    def _material(self, obj: bpy.types.Object) -> Optional[str]:
        if not roles.of(obj).fluid:
            return None
        identifier = obj.tallow.material
        if identifier not in self.materials:
            material = lookup(self.scene, identifier)
            if material is None:
                raise ExportError(why_none(obj))
            wrong = presets.problems(material)
            if wrong:
                raise ExportError(f"The material {material['label']} of {obj.name} cannot be used: {wrong[0]}. "
                                  "Change its numbers, or choose another one.")
            taken = {member["name"] for member in self.materials.values()}
            name, number = material["label"], 2
            while name in taken:
                name, number = f"{material['label']} {number}", number + 1
            self.materials[identifier] = presets.scene_member(material, name)
        return self.materials[identifier]["name"]


def export_scene(context: bpy.types.Context, folder: Path) -> List[str]:
    """Write the scene folder. Returns warnings; raises ExportError with a sentence for the artist."""
    return Exporter(context, Path(folder)).run()
