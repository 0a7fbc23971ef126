# SPDX-License-Identifier: GPL-3.0-or-later
"""Ready scenes."""

import bpy
from bpy.props import EnumProperty

from ... import demo
from ...baking import installation, job

ITEMS = tuple((name, module.LABEL, module.TEXT) for name, module in demo.SCENES.items())


class TALLOW_OT_ready_scene(bpy.types.Operator):
    bl_idname = "tallow.ready_scene"
    bl_label = "Ready Scene"
    bl_description = "Build a scene that is ready to bake. It takes the place of what is in this scene"
    bl_options = {"REGISTER", "UNDO"}

    name: EnumProperty(name="Scene", description="Which scene to build", items=ITEMS)

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT" and job.current() is None

    @classmethod
    def description(cls, _context, properties) -> str:
        return demo.SCENES[properties.name].TEXT + ". Takes the place of what is in this scene"

    def invoke(self, context, _event):
        if not context.scene.objects:
            return self.execute(context)
        return context.window_manager.invoke_props_dialog(self, width=340)

    def draw(self, context):
        count = len(context.scene.objects)
        self.layout.label(text=f"This removes {count} object{'s' if count > 1 else ''} from the scene.", icon="ERROR")
        self.layout.prop(self, "name")

    def execute(self, context):
        incomplete = installation.problem()
        if incomplete:  # before anything of the scene is removed
            self.report({"ERROR"}, incomplete)
            return {"CANCELLED"}
        demo.build(self.name)
        _look_through_camera(context)
        self.report({"INFO"}, f"{demo.SCENES[self.name].LABEL} is ready. Press Bake")
        return {"FINISHED"}


def _look_through_camera(context) -> None:
    """Scenes are centimetres or metres large; where the views were before, there may be nothing to see."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.spaces.active.region_3d.view_perspective = "CAMERA"


CLASSES = (TALLOW_OT_ready_scene,)
