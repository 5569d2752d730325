//! Many embeddings of the same points side by side.

use crate::classes::{Paints, mixed_order};
use crate::frame::{self, Area};
use crate::scatter::equal;
use crate::scene::{Anchor, Dot, Item, Scene};
use crate::ticks::{limits, padded};
use crate::{Coloring, Scatter, Style, beyond, text};
use ndarray::ArrayView2;

/// One embedding of a sheet.
#[derive(Debug, Clone, Copy)]
pub struct Panel<'a> {
    /// The line above.
    pub name: &'a str,
    /// One point a row; of more than two columns the first two are shown.
    pub coordinates: ArrayView2<'a, f64>,
}

const NAME: f32 = 12.0;
const MARGIN: f32 = 32.0;
const GAP: f32 = 12.0;
const TOP: f32 = 90.0;

pub fn draw(panels: &[Panel<'_>], coloring: Coloring<'_>, style: &Style<'_>) -> Scene {
    let mut scene = frame::begin(style, style.subtitle);
    let room = (scene.width - 2.0 * MARGIN, scene.height - TOP - 24.0);
    // Panels as square as can be.
    let shape = |columns: usize| {
        let rows = panels.len().div_ceil(columns).max(1);
        let (width, height) = (room.0 / columns as f32, room.1 / rows as f32 - NAME);
        (width.min(height) * 1000.0) as i64
    };
    let columns = (1..=panels.len().max(1)).max_by_key(|&columns| shape(columns)).unwrap_or(1);
    let rows = panels.len().div_ceil(columns).max(1);
    let (width, height) = (room.0 / columns as f32, room.1 / rows as f32);
    for (i, panel) in panels.iter().enumerate() {
        let (left, top) = (MARGIN + width * (i % columns) as f32, TOP + height * (i / columns) as f32);
        let area =
            Area { left, top: top + NAME + 5.0, right: left + width - GAP, bottom: top + height - GAP };
        let name = text::fit(panel.name, NAME, area.width());
        scene.text(left, top + NAME, NAME, scene.theme.ink, Anchor::Start, name);
        draw_panel(&mut scene, panel, coloring, (style, &area));
    }
    scene
}

fn draw_panel(
    scene: &mut Scene,
    panel: &Panel<'_>,
    coloring: Coloring<'_>,
    (style, area): (&Style<'_>, &Area),
) {
    let coordinates = panel.coordinates;
    scene.rect(area.left, area.top, area.width(), area.height(), scene.theme.pane);
    if coordinates.ncols() < 2 {
        return;
    }
    let plot = Scatter { coordinates, coloring, edges: &[], images: None, axes: None, style: *style };
    let paints = Paints::of(&plot, &scene.theme);
    let spans = [0, 1].map(|j| padded(limits(coordinates.column(j).iter().copied()), 0.05));
    let [x, y] = equal(spans, area);
    let (across, up) = (area.across(x), area.up(y));
    let raw: Vec<(f32, f32)> =
        coordinates.rows().into_iter().map(|row| (across.at(row[0]), up.at(row[1]))).collect();
    let (positions, _) = beyond::brought_in(&raw, area);
    let radius =
        (0.35 * (area.width() * area.height() / positions.len().max(1) as f32).sqrt()).clamp(0.6, 2.5);
    let dots = mixed_order(positions.len())
        .filter(|&i| positions[i].0.is_finite() && positions[i].1.is_finite())
        .map(|i| {
            let ((x, y), (color, mark)) = (positions[i], paints.each[i]);
            Dot { x, y, radius, mark, color, alpha: 0.8 }
        })
        .collect();
    scene.items.push(Item::Dots(dots));
}
