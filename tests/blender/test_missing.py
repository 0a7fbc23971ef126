"""A frame that is missing or damaged is named, and a render repeats the last one or stops, as the preferences say."""

import os
import re
import subprocess
from pathlib import Path

import bpy
import scenes


def baked(folder, frames=6):
    scenes.wax_in_a_box(folder / "cache", frames=frames)
    body = scenes.add_box("Ball", 0.1, (0.15, 0.0, 0.3))
    body.tallow.role = "RIGID"
    bpy.context.scene.tallow.save_particles = True
    bpy.ops.tallow.bake()
    return Path(bpy.context.scene.tallow.bake_path)


def notes():
    from tallow import playback
    from tallow.core import integrity
    scene = bpy.context.scene
    return playback.note(scene), integrity.describe(playback.shown.all_faults(scene))


def test_a_whole_bake_has_nothing_to_tell(folder):
    baked(folder)
    for frame in (1, 4, 6):
        bpy.context.scene.frame_set(frame)
        assert notes() == ("", [])


def test_missing_and_damaged_files_are_named(folder):
    cache = baked(folder)
    scene = bpy.context.scene
    scene.tallow.show_particles = True
    (cache / "mesh" / "mesh_000003.ply").unlink()
    scene.frame_set(3)
    assert notes() == ("Frame 3: its surface file is missing; you see the surface of frame 2",
                       ["The surface file of frame 3 is missing"])
    path = cache / "mesh" / "mesh_000005.ply"
    path.write_bytes(path.read_bytes()[:-20])
    scene.frame_set(5)
    assert notes()[0].startswith("Frame 5: its surface file is damaged")
    (cache / "particles" / "particles_000004.ply").unlink()
    (cache / "rigid" / "rigid_000004.json").write_text('{"bodies": [')
    scene.frame_set(4)
    assert notes()[0] == ("Frame 4: its particles file is missing and its bodies file is damaged; "
                          "you see no particles and the bodies of frame 3")
    assert len(notes()[1]) == 4, notes()
    scene.frame_set(2)
    assert notes()[0] == ""
    for frame in (1, 2):
        (cache / "mesh" / f"mesh_{frame:06d}.ply").unlink()
    assert "The surface files of frames 1 to 3 are missing" in notes()[1]


def run_blender(folder, *words, **variables):
    """Another Blender with the add-on, as on a farm. (exit code, what it printed)."""
    import tallow
    start = folder / "start.py"
    start.write_text(f"import sys\nsys.path.insert(0, {str(Path(tallow.__file__).parent.parent)!r})\n"
                     "import addon_utils, bpy\naddon_utils.enable('tallow', default_set=True)\n"
                     "from tallow import playback\nplayback.on_load()\n"
                     "bpy.app.handlers.render_post.append(lambda scene, *_: print('SEEN', scene.frame_current, "
                     "repr(top(scene.tallow.surface_object)), scene.objects['Ball'].matrix_world.translation.x))\n"
                     "top = lambda obj: max((vertex.co.z for vertex in obj.data.vertices), default=None)\n"
                     f"bpy.context.preferences.addons['tallow'].preferences.missing_frames = {variables.pop('DO')!r}\n")
    result = subprocess.run([bpy.app.binary_path, "-b", "--factory-startup", str(folder / "shot.blend"),
                             "--python", str(start), *words],
                            capture_output=True, text=True, env={**os.environ, **variables})
    return result.returncode, result.stdout + result.stderr


def shot(folder):
    from tallow.model import staging
    cache = baked(folder)
    scene = bpy.context.scene
    staging.ensure_camera_and_light(scene)
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 1, False
    scene.render.resolution_x = scene.render.resolution_y = 16
    scene.render.filepath = str(folder / "out_")
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    (cache / "mesh" / "mesh_000004.ply").unlink()


def written(folder):
    return [int(re.search(r"(\d+)\.png", path.name)[1]) for path in sorted(folder.glob("out_*.png"))]


def test_a_render_that_repeats_frames_says_which(folder):
    shot(folder)
    code, text = run_blender(folder, "-a", DO="REPEAT")
    assert code == 0 and written(folder) == [1, 2, 3, 4, 5, 6], text
    assert [line for line in text.splitlines() if line.startswith("Tallow:")] == [
        "Tallow: Frame 4: its surface file is missing; the render shows the surface of frame 3."], text
    code, text = run_blender(folder, "-f", "9", DO="REPEAT")
    assert code == 0 and "Tallow: Frame 9 is not baked; showing 6." in text


def test_the_last_frame_before_a_missing_one_is_shown_wherever_the_file_was_saved(folder):
    from tallow import playback
    shot(folder)
    scene, tops, places = bpy.context.scene, {}, {}
    cache = Path(scene.tallow.bake_path)
    for frame in (1, 2, 3, 5, 6):
        scene.frame_set(frame)
        tops[frame] = float(scenes.positions(scene.tallow.surface_object.data)[:, 2].max())
        places[frame] = scene.objects["Ball"].matrix_world.translation.x
    assert len(set(tops.values())) == len(set(places.values())) == 5
    (cache / "rigid" / "rigid_000004.json").unlink()
    bpy.ops.wm.save_mainfile()  # on frame 6

    def seen(text):
        found = re.findall(r"SEEN (\d+) ([\d.e-]+|None) ([\d.e-]+)", text)
        return {int(frame): None if top == "None" else (float(top), float(x)) for frame, top, x in found}

    def same(found, frame):
        return abs(found[0] - tops[frame]) < 1e-5 and abs(found[1] - places[frame]) < 1e-5
    script = "import bpy; bpy.context.scene.frame_set(4); bpy.ops.render.render()"
    for words in (("-f", "4"), ("-a",), ("--python-expr", script)):
        text = run_blender(folder, *words, DO="REPEAT")[1]
        assert same(seen(text)[4], 3), text
        assert "the render shows the surface of frame 3 and the bodies of frame 3." in text, text
    scene.frame_set(4)
    assert abs(scenes.positions(scene.tallow.surface_object.data)[:, 2].max() - tops[3]) < 1e-5
    scene.frame_set(6)
    for frame in (1, 2, 3):
        (cache / "mesh" / f"mesh_{frame:06d}.ply").unlink()
    scene.frame_set(4)  # none before it: the first that is there
    assert abs(scenes.positions(scene.tallow.surface_object.data)[:, 2].max() - tops[5]) < 1e-5
    assert "you see the surface of frame 5" in playback.note(scene)
    for frame in (5, 6):
        (cache / "mesh" / f"mesh_{frame:06d}.ply").unlink()
    scene.frame_set(2)
    assert len(scene.tallow.surface_object.data.vertices) == 0 and "you see no surface" in playback.note(scene)


def test_a_render_that_stops_keeps_the_frames_before(folder):
    shot(folder)
    code, text = run_blender(folder, "-a", DO="STOP")
    assert code == 3 and written(folder) == [1, 2, 3], text
    assert "Tallow: The render stopped. Frame 4: its surface file is missing." in text


def spoil(path):
    """Wrong contents in a file of the right size."""
    data = bytearray(path.read_bytes())
    data[-60:] = 60 * b"\xff"
    path.write_bytes(bytes(data))


def test_a_file_of_the_right_size_with_wrong_contents_is_damaged(folder):
    shot(folder)
    scene = bpy.context.scene
    cache = Path(scene.tallow.bake_path)
    (cache / "mesh" / "mesh_000004.ply").write_bytes((cache / "mesh" / "mesh_000003.ply").read_bytes())
    spoil(cache / "mesh" / "mesh_000005.ply")
    scene.frame_set(5)
    assert notes() == ("Frame 5: its surface file is damaged; you see the surface of frame 4",
                       ["The surface file of frame 5 is damaged"])
    code, text = run_blender(folder, "-a", DO="REPEAT")
    assert code == 0 and "Frame 5: its surface file is damaged; the render shows the surface of frame 4." in text, text
    for path in folder.glob("out_*.png"):
        path.unlink()
    code, text = run_blender(folder, "-a", DO="STOP")
    assert code == 3 and written(folder) == [1, 2, 3, 4] and "Frame 5: its surface file is damaged" in text, text
    # Whole again, it is trusted again.
    (cache / "mesh" / "mesh_000005.ply").write_bytes((cache / "mesh" / "mesh_000003.ply").read_bytes())
    scene.frame_set(4)
    scene.frame_set(5)
    assert notes() == ("", [])


def test_single_frames_stop_too(folder):
    shot(folder)
    code, text = run_blender(folder, "-f", "4", DO="STOP")
    assert code == 3 and written(folder) == [] and "Frame 4" in text
    code, text = run_blender(folder, "-f", "5", DO="STOP")
    assert code == 0 and written(folder) == [5], text
    code, text = run_blender(folder, "-f", "9", DO="REPEAT", TALLOW_MISSING_FRAMES="stop")
    assert code == 3 and written(folder) == [5] and "Frame 9 is not baked" in text
    code, text = run_blender(folder, "--python-expr", "import bpy; bpy.context.scene.frame_set(4); "
                             "bpy.ops.render.render(write_still=True)", DO="STOP")
    assert code == 3 and written(folder) == [5], text


def test_a_render_that_is_to_stop_waits_until_blender_has_drawn(folder):
    from tallow.playback import missing

    class Drawing:
        """A scene that refuses to be written to while a window is drawn."""

        def __init__(self, left):
            self.left, self.frame = left, 4

        @property
        def frame_current(self):
            return self.frame

        @frame_current.setter
        def frame_current(self, value):
            self.left -= 1
            if self.left:
                raise AttributeError("Writing to ID classes in this context is not allowed")
            self.frame = value

    short, long = Drawing(3), Drawing(1000)
    missing._go_beyond(short)
    missing._go_beyond(long)
    assert short.frame_current == missing.BEYOND
    assert long.frame_current == 4 and long.left < 1000, "the next frame tries again"
