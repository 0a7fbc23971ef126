"""Preview Quality: fewer cells, and never taken for the final bake."""

import io
from contextlib import redirect_stdout

import bpy
import scenes


def lines():
    from tallow.baking import staleness
    return staleness.describe(staleness.found_changes(bpy.context.scene))


def prepared(folder, quality):
    scenes.wax_in_a_box(folder, resolution=32)
    bpy.context.scene.tallow.preview_quality = quality
    return bpy.context.scene


def test_a_preview_has_fewer_cells_and_the_panel_counts_them(folder):
    from tallow.model import domain
    from tallow.ui.panels import domains
    scene = prepared(folder, 100)
    final = domain.cell_size(scene)
    assert not domain.is_preview(scene)
    scene.tallow.preview_quality = 50
    assert domain.resolution(scene) == 16 and abs(domain.cell_size(scene) / final - 2.0) < 1e-6
    words = domains.preview_words(scene)
    scene.tallow.preview_quality = 25
    assert "A preview with" in words and "final bake has" in words and words != domains.preview_words(scene)


def test_a_preview_is_called_one_everywhere(folder):
    from tallow import playback
    from tallow.baking import paths
    from tallow.core import bake_list
    from tallow.ui.panels import baking
    scene = prepared(folder, 50)
    assert baking.button_text(scene, None) == "Bake Preview"
    bpy.ops.tallow.bake()
    cache = playback.cache_of(scene)
    assert cache.preview == 50 and lines() == []
    assert baking.button_text(scene, cache) == "Bake Preview Again"
    scene.frame_set(3)
    assert playback.note(scene) == "Preview bake: 50 % of the final resolution"
    assert "preview 50 %, 16 cells" in bake_list.size(bake_list.entry_of(paths.bake_folder(scene)))
    scene.tallow.preview_quality = 100
    assert lines() == ["Domain: Preview Quality"] and baking.button_text(scene, cache) == "Bake Final"
    bpy.ops.tallow.bake()
    cache = playback.cache_of(scene)
    assert cache.preview == 100 and lines() == [] and "preview" not in cache.scene["display"]
    assert playback.note(scene) == "" and baking.button_text(scene, cache) == "Bake Again"
    scene.tallow.preview_quality = 50
    assert lines() == ["Domain: Preview Quality"] and baking.button_text(scene, cache) == "Bake Preview"


def test_a_preview_cannot_be_resumed_as_the_final_bake(folder):
    scene = prepared(folder, 50)
    bpy.ops.tallow.bake()
    scene.frame_end, scene.tallow.preview_quality = 9, 100
    scenes.expect_error(bpy.ops.tallow.resume, "cannot go on")


def test_a_render_of_a_preview_says_so(folder):
    scene = prepared(folder, 50)
    bpy.ops.tallow.bake()
    from tallow.playback import missing
    said = io.StringIO()
    with redirect_stdout(said):
        missing.on_init(scene)
        missing.on_end()
    assert "Preview bake: 50 %" in said.getvalue() and "Preview Quality to 100 %" in said.getvalue()


def test_a_draft_of_an_older_file_is_a_preview(folder):
    from tallow.model import versions
    tallow = prepared(folder, 100).tallow
    tallow.property_unset("preview_quality")
    tallow["draft"], tallow["draft_percent"] = 1, 40
    versions.on_load()
    assert tallow.preview_quality == 40 and "draft" not in tallow
    tallow.preview_quality = 100
    versions.on_load()
    assert tallow.preview_quality == 100
    tallow["draft"], tallow["draft_percent"] = 0, 40
    tallow.property_unset("preview_quality")
    versions.on_load()
    assert tallow.preview_quality == 100
