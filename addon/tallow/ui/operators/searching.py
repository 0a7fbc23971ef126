# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that end with a search for the heat speed-up. With a window they stay alive meanwhile, and Esc ends them."""

import time

from ...baking import melting

# What an artist may do during a search: look at the scene.
LOOKING = {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE", "MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "TRACKPADPAN", "TRACKPADZOOM",
           "NDOF_MOTION", "WINDOW_DEACTIVATE"}
INTERVAL = 0.1  # seconds between looks at the baker
STOPPED = "The search was stopped. Press Melt Within the Shot to search again, or set Heat Speed-up by hand."


class Searching:
    """`prepare` sets up the scene. `follow_up` may ask for another search. `fail` says why there is no answer."""

    _search = _timer = None
    _began = 0.0

    def prepare(self, context):
        return {"FINISHED"}

    def follow_up(self, context, plan) -> bool:
        return False

    def fail(self, error):
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}

    def execute(self, context):
        """As scripts call it, and a changed setting of the last operator: waits for the answer."""
        done = self.prepare(context)
        if "FINISHED" not in done:
            return done
        try:
            while True:
                plan = melting.find(context)
                done = self._take(context, plan)
                if done:
                    return done
        except melting.MeltError as error:
            return self.fail(error)

    def invoke(self, context, _event):
        if context.window is None:
            return self.execute(context)
        done = self.prepare(context)
        if "FINISHED" not in done:
            return done
        try:
            self._search = melting.Search(context)
        except melting.MeltError as error:
            return self.fail(error)
        self._began = time.monotonic()
        self._timer = context.window_manager.event_timer_add(INTERVAL, window=context.window)
        context.window_manager.modal_handler_add(self)
        self._tell(context)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            return self._end(context, lambda: self.fail(melting.MeltError(STOPPED)))
        if event.type != "TIMER":
            return {"PASS_THROUGH"} if event.type in LOOKING else {"RUNNING_MODAL"}
        self._tell(context)
        try:
            plan = self._search.poll()
            if plan is None:
                return {"PASS_THROUGH"}  # others have timers as well
            done = self._take(context, plan)
            if done:
                return self._end(context, lambda: done)
            self._search = melting.Search(context)
        except melting.MeltError as error:
            return self._end(context, lambda: self.fail(error))
        return {"RUNNING_MODAL"}

    def cancel(self, context):
        """Blender closes, or opens another file."""
        self._end(context, lambda: {"CANCELLED"})

    def _take(self, context, plan):
        """Set what was found. Empty when another search has to follow."""
        melting.apply(context.scene, plan)
        if self.follow_up(context, plan):
            context.view_layer.update()
            return set()
        self.report({"INFO"} if plan.found else {"WARNING"}, context.scene.tallow.melt_note)
        return {"FINISHED"}

    def _tell(self, context) -> None:
        seconds = int(time.monotonic() - self._began)
        context.workspace.status_text_set(f"Tallow looks for the heat speed-up ({seconds} s). Esc: stop")
        context.window.cursor_set("WAIT")

    def _end(self, context, finish):
        if self._search:
            self._search.close()
        if self._timer:
            context.window_manager.event_timer_remove(self._timer)
        self._search = self._timer = None
        context.workspace.status_text_set(None)
        context.window.cursor_set("DEFAULT")
        for area in context.window.screen.areas:
            area.tag_redraw()
        return finish()
