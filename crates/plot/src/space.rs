//! Three dimensions: a parallel view from above and aside. What is farther is smaller and paler.

use crate::classes::{Paints, dot_style};
use crate::frame::{self, Area};
use crate::scene::{Anchor, Dot, Item, Scene};
use crate::ticks::{limits, padded, range, ticks};
use crate::{Scatter, beyond};
use ndarray::ArrayView1;

const TURN: f64 = 0.58;
const RISE: f64 = 0.42;
/// Up to this ratio of the spreads a unit is as long on all axes.
const EQUAL_UP_TO: f64 = 4.0;

/// The view: from data to the picture and the depth.
struct View {
    middle: [f64; 3],
    half: [f64; 3],
    /// Half the length of each edge of the box, in its own units.
    reach: [f64; 3],
    center: (f64, f64),
    scale: f64,
}

impl View {
    fn new(spans: [(f64, f64); 3], area: &Area) -> Self {
        let half = spans.map(|(low, high)| (high - low) / 2.0);
        let largest = half.iter().copied().fold(0.0, f64::max);
        let least = half.iter().copied().fold(f64::INFINITY, f64::min);
        let reach = if largest > EQUAL_UP_TO * least { [1.0; 3] } else { half.map(|h| h / largest) };
        let middle = spans.map(|(low, high)| low / 2.0 + high / 2.0);
        let mut view = Self { middle, half, reach, center: (0.0, 0.0), scale: 1.0 };
        let corners: Vec<(f64, f64)> =
            (0..8).map(|k| view.flat([0, 1, 2].map(|j| if k >> j & 1 == 0 { -1.0 } else { 1.0 }))).collect();
        let (left, right) = range(corners.iter().map(|c| c.0));
        let (low, high) = range(corners.iter().map(|c| c.1));
        let room = (f64::from(area.width()) - 130.0, f64::from(area.height()) - 70.0);
        view.scale = (room.0 / (right - left)).min(room.1 / (high - low));
        view.center = (
            f64::from(area.left + area.right) / 2.0 - view.scale * (left + right) / 2.0,
            f64::from(area.top + area.bottom) / 2.0 - 10.0 + view.scale * (low + high) / 2.0,
        );
        view
    }

    /// A position in the box, -1 to 1 along each edge, as right and up.
    fn flat(&self, position: [f64; 3]) -> (f64, f64) {
        let [x, y, z] = [0, 1, 2].map(|j| position[j] * self.reach[j]);
        let back = x * TURN.sin() + y * TURN.cos();
        (x * TURN.cos() - y * TURN.sin(), z * RISE.cos() + back * RISE.sin())
    }

    fn depth(&self, position: [f64; 3]) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|j| position[j] * self.reach[j]);
        (x * TURN.sin() + y * TURN.cos()) * RISE.cos() - z * RISE.sin()
    }

    fn at(&self, position: [f64; 3]) -> (f32, f32) {
        let (right, up) = self.flat(position);
        ((self.center.0 + self.scale * right) as f32, (self.center.1 - self.scale * up) as f32)
    }

    fn inside(&self, j: usize, value: f64) -> f64 {
        (value - self.middle[j]) / self.half[j]
    }
}

pub fn draw(plot: &Scatter<'_>) -> Scene {
    let spans = [0, 1, 2].map(|j| padded(limits(plot.coordinates.column(j).iter().copied()), 0.05));
    let far = |row: &ArrayView1<'_, f64>| {
        (0..3).any(|j| row[j].is_finite() && !(spans[j].0..=spans[j].1).contains(&row[j]))
    };
    let outside: Vec<usize> =
        (0..plot.coordinates.nrows()).filter(|&i| far(&plot.coordinates.row(i))).collect();
    let note = beyond::note(outside.len());
    let mut scene = frame::begin(&plot.style, &(plot.style.subtitle.to_owned() + &note));
    let paints = Paints::of(plot, &scene.theme);
    let area = Area::beside(&scene, paints.key_width(Area::beside(&scene, 0.0).height()));
    let view = View::new(spans, &area);
    draw_box(&mut scene, &view, spans);

    let positions: Vec<[f64; 3]> = (plot.coordinates.rows().into_iter())
        .map(|row| [0, 1, 2].map(|j| view.inside(j, row[j]).clamp(-1.0, 1.0)))
        .collect();
    let depths: Vec<f64> = positions.iter().map(|position| view.depth(*position)).collect();
    let (near, far) = range(depths.iter().copied());
    let mut order: Vec<usize> = (0..positions.len()).filter(|&i| depths[i].is_finite()).collect();
    order.sort_by(|&a, &b| depths[b].total_cmp(&depths[a]));
    let flat: Vec<(f32, f32)> = positions.iter().map(|position| view.at(*position)).collect();
    let (radius, alpha) = dot_style(&flat);
    let pane = scene.theme.pane;
    let dots = order
        .into_iter()
        .map(|i| {
            let share = (depths[i] - near) / (far - near);
            let ((x, y), (color, mark)) = (flat[i], paints.each[i]);
            let radius = radius * (1.2 - 0.45 * share as f32);
            Dot { x, y, radius, mark, color: color.mixed(pane, 0.45 * share), alpha: alpha.max(0.3) }
        })
        .collect();
    scene.items.push(Item::Dots(dots));
    beyond::ring(&mut scene, &flat, &outside);
    paints.draw_names(&mut scene, &flat, &area);
    paints.draw_key(&mut scene, &area);
    scene
}

/// The floor and the two far walls, with grid and labels.
fn draw_box(scene: &mut Scene, view: &View, spans: [(f64, f64); 3]) {
    let corner = |position: [f64; 3]| view.at(position);
    // Each far face: its fixed axis, the value there, and its two free axes.
    let faces = [(2, -1.0, 0, 1), (0, 1.0, 1, 2), (1, 1.0, 0, 2)];
    let on = |fixed: usize, value: f64, a: usize, b: usize, u: f64, v: f64| {
        let mut position = [0.0; 3];
        (position[fixed], position[a], position[b]) = (value, u, v);
        corner(position)
    };
    for (fixed, value, a, b) in faces {
        let ring = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let points: Vec<_> = ring.iter().map(|(u, v)| on(fixed, value, a, b, *u, *v)).collect();
        scene.items.push(Item::Polygon { points: points.clone(), fill: scene.theme.pane });
        for (axis, other) in [(a, b), (b, a)] {
            for (tick, _) in ticks(spans[axis].0, spans[axis].1, 4.0) {
                let u = view.inside(axis, tick);
                let from = on(fixed, value, axis, other, u, -1.0);
                scene.line(from, on(fixed, value, axis, other, u, 1.0), 1.0, scene.theme.grid);
            }
        }
        let mut closed = points;
        closed.push(closed[0]);
        scene.items.push(Item::Line {
            points: closed,
            width: 1.0,
            color: scene.theme.grid.mixed(scene.theme.edge, 0.5),
            dashed: false,
        });
    }
    // Each labeled edge: its axis, a position on it, and the direction away from the box.
    let edges = [(0, [0.0, -1.0, -1.0], 1), (1, [-1.0, 0.0, -1.0], 0), (2, [-1.0, 1.0, 0.0], 0)];
    for (axis, mut position, away) in edges {
        position[axis] = 0.0;
        let mut beyond = position;
        beyond[away] = if axis == 2 { -2.0 } else { 2.0 * position[away] };
        let ((x0, y0), (x1, y1)) = (corner(position), corner(beyond));
        let (dx, dy) = if axis == 2 { (-1.0, 0.0) } else { (x1 - x0, y1 - y0) };
        let length = dx.hypot(dy).max(1e-3);
        let (dx, dy) = (dx / length, dy / length);
        let anchor = if axis == 0 { Anchor::Start } else { Anchor::End };
        for (tick, label) in ticks(spans[axis].0, spans[axis].1, 4.0) {
            position[axis] = view.inside(axis, tick);
            let (x, y) = corner(position);
            scene.line((x, y), (x + 5.0 * dx, y + 5.0 * dy), 1.0, scene.theme.edge);
            scene.text(x + 9.0 * dx, y + 9.0 * dy + 4.0 + 3.0 * dy, 11.0, scene.theme.soft, anchor, label);
        }
        let name = format!("component {}", axis + 1);
        if axis == 2 {
            scene.upright(x0 - 52.0, y0, 13.0, scene.theme.ink, name);
        } else {
            let side = if axis == 0 { Anchor::Start } else { Anchor::End };
            scene.text(x0 + 44.0 * dx, y0 + 44.0 * dy.max(0.6), 13.0, scene.theme.ink, side, name);
        }
    }
}
