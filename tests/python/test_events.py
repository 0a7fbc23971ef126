import pytest
from tallow.core import events
from tallow.core.events import Status


def test_only_events_are_parsed():
    assert events.parse('{"event": "done", "frames": 3}') == {"event": "done", "frames": 3}
    for line in ("", "hello", "{", "[1]", '{"frame": 1}', '{"event": 3}', "null"):
        assert events.parse(line) is None


def test_a_whole_bake():
    status = Status()
    status.apply({"event": "start", "frames": [1, 4], "resume_from": None, "cells": 10, "library": "1.2.3"})
    assert status.state == "baking" and status.fraction == 0 and status.seconds_left is None
    status.apply({"event": "progress", "frame": 1, "done": 0.5, "stage": "pressure"})
    assert status.fraction == pytest.approx(1 / 8) and status.stage == "pressure"
    for frame in (1, 2):
        status.apply({"event": "frame", "frame": frame, "seconds": 2.0, "particle_volume": 0.99, "target_volume": 1.0})
    assert status.fraction == 0.5 and status.seconds_left == pytest.approx(4.0)
    assert status.volume_drift == pytest.approx(-0.01)
    status.apply({"event": "done", "frames": 4, "seconds": 9})
    assert status.state == "done" and not status.running and status.seconds_left is None


def test_a_resumed_bake_starts_where_it_left_off():
    status = Status()
    status.apply({"event": "start", "frames": [1, 10], "resume_from": 5, "cells": 0, "library": ""})
    assert status.frame == 5 and status.fraction == 0.5


def test_warnings_are_kept_once_and_infos_are_not():
    status = Status()
    for level in ("info", "warning", "warning", "error"):
        status.apply({"event": "log", "level": level, "text": f"a {level}"})
    assert status.warnings == ["a warning", "a error"]


def test_cancel_and_error():
    status = Status()
    status.apply({"event": "cancelled", "last_frame": 7})
    assert status.state == "cancelled" and status.frame == 7
    status = Status()
    status.apply({"event": "error", "result": "TLW_BAD_MESH", "text": "Suzanne is empty."})
    assert status.state == "failed" and status.error == "Suzanne is empty."


def test_unknown_events_and_odd_values_do_no_harm():
    status = Status()
    for event in ({"event": "sparkle"}, {"event": "progress", "done": None, "stage": None}, {"event": "start"},
                  {"event": "frame"}, {"event": "log"}, {"event": "error"}):
        status.apply(event)
    assert status.error


@pytest.mark.parametrize("seconds, text",
                         [(0.4, "0.4 s"), (0.0416, "0.042 s"), (0, "0 s"), (59, "59 s"),
                          (200, "3 min 20 s"), (7500, "2 h 05 min")])
def test_times_are_readable(seconds, text):
    assert events.format_seconds(seconds) == text
