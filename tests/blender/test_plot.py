"""The plot of a bake: when it is there, and that it follows the frames."""

import bpy
import scenes


def test_the_plot_is_there_while_baking_and_when_it_is_kept(folder):
    from tallow.baking import job
    from tallow.ui import live_plot
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    bpy.ops.tallow.bake()
    assert live_plot.charts_of(scene) == []  # it is over
    whole, job.is_baking = job.is_baking, lambda _scene: True
    try:
        assert [chart.title for chart in live_plot.charts_of(scene)][0] == "Time per Frame"
        scene.tallow.show_plot = False
        assert live_plot.charts_of(scene) == []
    finally:
        job.is_baking = whole
    scene.tallow.keep_plot = True
    charts = live_plot.charts_of(scene)
    assert {chart.title for chart in charts} == {"Time per Frame", "Residual", "Volume Drift", "Heat", "Motion"}
    assert all(len(chart.frames) == 6 for chart in charts)
    scene.frame_end = 8
    bpy.ops.tallow.resume()
    assert all(len(chart.frames) == 8 for chart in live_plot.charts_of(scene))  # it follows


def test_a_small_view_has_the_first_charts(folder):
    from tallow.ui import live_plot
    scenes.wax_in_a_box(folder)
    scene = bpy.context.scene
    bpy.ops.tallow.bake()
    scene.tallow.keep_plot = True
    charts = live_plot.charts_of(scene)
    assert live_plot.that_fit(charts, 2000.0, 1.0) == charts
    assert live_plot.that_fit(charts, 250.0, 1.0) == charts[:2]
    assert live_plot.that_fit(charts, 20.0, 1.0) == []
