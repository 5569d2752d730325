//! What surrounds the data: heading, axes, grid.

use crate::scene::{Anchor, Scene};
use crate::style::Style;
use crate::text;
use crate::ticks::Axis;

/// A part of the picture.
#[derive(Clone, Copy)]
pub struct Area {
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

impl Area {
    /// The room for the data when the key at the right takes so much.
    pub fn beside(scene: &Scene, key: f32) -> Self {
        Self { left: 78.0, top: 92.0, right: scene.width - 32.0 - key, bottom: scene.height - 68.0 }
    }

    pub fn width(&self) -> f32 {
        self.right - self.left
    }

    pub fn height(&self) -> f32 {
        self.bottom - self.top
    }

    pub fn across(&self, (low, high): (f64, f64)) -> Axis {
        Axis { low, high, start: self.left, end: self.right }
    }

    pub fn up(&self, (low, high): (f64, f64)) -> Axis {
        Axis { low, high, start: self.bottom, end: self.top }
    }
}

/// A scene with its two lines at the top.
pub fn begin(style: &Style<'_>, subtitle: &str) -> Scene {
    let mut scene = Scene::new(style);
    scene.title = format!("{}: {subtitle}", style.title);
    let room = scene.width - 64.0;
    scene.text(32.0, 46.0, 21.0, scene.theme.ink, Anchor::Start, text::fit(style.title, 21.0, room));
    scene.text(32.0, 70.0, 13.0, scene.theme.soft, Anchor::Start, text::fit(subtitle, 13.0, room));
    scene
}

/// Grid and labels of the axis below.
pub fn axis_below(scene: &mut Scene, area: &Area, axis: &Axis, name: &str) {
    for (value, label) in axis.ticks(90.0) {
        let x = axis.at(value);
        scene.line((x, area.top), (x, area.bottom), 1.0, scene.theme.grid);
        scene.text(x, area.bottom + 19.0, 12.0, scene.theme.soft, Anchor::Middle, label);
    }
    scene.text(
        (area.left + area.right) / 2.0,
        area.bottom + 43.0,
        13.0,
        scene.theme.ink,
        Anchor::Middle,
        name,
    );
}

/// Grid and labels of the axis at the left.
pub fn axis_left(scene: &mut Scene, area: &Area, axis: &Axis, name: &str) {
    let ticks = axis.ticks(70.0);
    for (value, label) in &ticks {
        let y = axis.at(*value);
        scene.line((area.left, y), (area.right, y), 1.0, scene.theme.grid);
        scene.text(area.left - 9.0, y + 4.0, 12.0, scene.theme.soft, Anchor::End, label);
    }
    let widest = ticks.iter().map(|tick| text::width(&tick.1, 12.0)).fold(0.0, f32::max);
    let x = (area.left - 9.0 - widest - 12.0).max(14.0);
    scene.upright(x, (area.top + area.bottom) / 2.0, 13.0, scene.theme.ink, name);
}

/// The box around the data; drawn last, so that nothing covers it.
pub fn border(scene: &mut Scene, area: &Area) {
    let (a, b) = ((area.left, area.top), (area.right, area.bottom));
    for (from, to) in [(a, (b.0, a.1)), ((b.0, a.1), b), (b, (a.0, b.1)), ((a.0, b.1), a)] {
        scene.line(from, to, 1.0, scene.theme.edge);
    }
}
