"""Paper in place of a window: panels draw on it, and tests read what they wrote."""

from types import SimpleNamespace

import bpy


class Paper:
    """Takes any call that a layout takes. Keeps the texts of labels, and the names of properties and operators."""

    def __init__(self, texts=None, names=None):
        self.texts = [] if texts is None else texts
        self.names = [] if names is None else names

    def __getattr__(self, kind):
        def call(*arguments, **more):
            if kind == "label":
                self.texts.append(more.get("text", ""))
            self.names.extend(argument for argument in arguments if isinstance(argument, str))
            return Paper(self.texts, self.names)
        return call


def drawn(draw, width=400):
    """What a panel or the preferences draw, in a sidebar of so many pixels. Without a window nothing else tells."""
    context = SimpleNamespace(scene=bpy.context.scene, object=bpy.context.object, region=SimpleNamespace(width=width),
                              preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)))
    paper = Paper()
    draw(SimpleNamespace(layout=paper), context)
    return paper
