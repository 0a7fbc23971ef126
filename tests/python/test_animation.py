"""Animation curves, as Blender up to 4.3 and from 4.4 on keeps them."""

from pathlib import Path
from types import SimpleNamespace

from tallow.core import animation


def curve(path):
    return SimpleNamespace(data_path=path)


def old_data(*paths):
    return SimpleNamespace(action=SimpleNamespace(fcurves=[curve(path) for path in paths]), drivers=[], nla_tracks=[])


class Strip:
    """Of a layered action: one bag of curves per slot."""

    def __init__(self, bags):
        self.bags = bags

    def channelbag(self, slot, ensure=False):
        assert not ensure
        return self.bags.get(slot)


def new_data(slot, *paths):
    bags = {"OBCrank": SimpleNamespace(fcurves=[curve("scale")]),
            "OBTap": SimpleNamespace(fcurves=[curve(path) for path in paths])}
    action = SimpleNamespace(layers=[SimpleNamespace(strips=[Strip({}), Strip(bags)])], slots=list(bags))
    return SimpleNamespace(action=action, action_slot=slot, drivers=[], nla_tracks=[])


def test_curves_of_both_kinds_of_action():
    for data in (old_data("tallow.enabled", "location"), new_data("OBTap", "tallow.enabled", "location")):
        assert [found.data_path for found in animation.curves(data)] == ["tallow.enabled", "location"]
        assert animation.find_curve(data, "location").data_path == "location"
        assert animation.find_curve(data, "scale") is None


def test_an_action_with_both_gives_the_curves_of_the_slot():
    """In 4.4 and 4.5 `fcurves` are those of an action's first slot, whichever object asks."""
    data = new_data("OBTap", "location")
    data.action.fcurves = [curve("scale")]
    assert [found.data_path for found in animation.curves(data)] == ["location"]


def test_what_has_no_curves():
    assert animation.curves(None) == []
    assert animation.curves(SimpleNamespace(action=None)) == []
    assert animation.curves(new_data(None, "location")) == []  # an action that was given to nothing
    assert animation.curves(new_data("OBOther", "location")) == []


def strip(action):
    return SimpleNamespace(action=action, strips=[])


def test_what_moves_an_object():
    for kind in (old_data, lambda *paths: new_data("OBTap", *paths)):
        for path in ("location", "rotation_euler", "rotation_quaternion", "scale", "delta_location"):
            assert animation.moves_place(kind("color", path)), path
        assert not animation.moves_place(kind("color", "tallow.temperature", "modifiers[0].scale", "hide_render"))
        assert not animation.moves_place(kind())
    assert not animation.moves_place(None)
    driven = old_data("color")
    driven.drivers = [curve("pass_index")]
    assert not animation.moves_place(driven)
    driven.drivers.append(curve("rotation_euler"))
    assert animation.moves_place(driven)


def test_what_moves_an_object_by_strips():
    for path, moves in (("color", False), ("location", True)):
        data = SimpleNamespace(action=None, drivers=[],
                               nla_tracks=[SimpleNamespace(strips=[strip(old_data(path).action)])])
        assert animation.moves_place(data) == moves
        nested = SimpleNamespace(action=None, strips=[strip(old_data(path).action)])  # a meta strip
        data.nla_tracks = [SimpleNamespace(strips=[nested])]
        assert animation.moves_place(data) == moves


def test_nothing_else_asks_an_action_for_its_curves():
    """From 5.0 on actions have no `fcurves`."""
    addon = Path(animation.__file__).resolve().parents[1]
    assert [path.name for path in sorted(addon.rglob("*.py"))
            if "fcurves" in path.read_text(encoding="utf-8")] == ["animation.py"]


def test_nothing_else_switches_nodes_on():
    """From 6.0 on materials and worlds have no `use_nodes`."""
    root = Path(animation.__file__).resolve().parents[3]
    found = [path.relative_to(root).as_posix() for folder in ("addon", "tests/blender", "docs")
             for path in sorted((root / folder).rglob("*.py")) if "use_nodes" in path.read_text(encoding="utf-8")]
    assert found == ["addon/tallow/model/nodes.py"]
