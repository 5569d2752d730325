//! Images at the points that they belong to, as many as have room.

use crate::Images;
use crate::classes::{Key, Paints, mixed_order};
use crate::frame::Area;
use crate::scene::{Item, Scene};

/// The longer side of an image, as a share of the shorter side of the picture, and its most pixels.
const SIDE: f32 = 0.055;
const MOST_PIXELS: usize = 40;

pub fn draw(scene: &mut Scene, images: &Images<'_>, positions: &[(f32, f32)], paints: &Paints, area: &Area) {
    let (rows, columns) = images.shape;
    if rows * columns != images.pixels.ncols() || images.pixels.nrows() != positions.len() {
        return;
    }
    let long = SIDE * area.width().min(area.height()) + 8.0;
    let unit = long / rows.max(columns) as f32;
    let (width, height) = (unit * columns as f32, unit * rows as f32);
    let finite = || images.pixels.iter().copied().filter(|value| value.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let gray = |value: f64| {
        let share = if high > low && value.is_finite() { (value - low) / (high - low) } else { 0.5 };
        (255.0 * share) as u8
    };
    // Of large images every second pixel, or every third, and so on.
    let step = rows.max(columns).div_ceil(MOST_PIXELS).max(1);
    let mut taken: Vec<(f32, f32)> = Vec::new();
    for i in mixed_order(positions.len()) {
        let (x, y) = (positions[i].0 - width / 2.0, positions[i].1 - height / 2.0);
        let inside = x > area.left && y > area.top && x + width < area.right && y + height < area.bottom;
        let free = |&(a, b): &(f32, f32)| (x - a).abs() > width + 3.0 || (y - b).abs() > height + 3.0;
        if !inside || !taken.iter().all(free) {
            continue;
        }
        taken.push((x, y));
        if !matches!(paints.key, Key::None) {
            scene.rect(x - 1.5, y - 1.5, width + 3.0, height + 3.0, paints.each[i].0);
        }
        let row = images.pixels.row(i);
        let pixels =
            (0..rows).step_by(step).flat_map(|r| (0..columns).step_by(step).map(move |c| r * columns + c));
        let gray = pixels.map(|at| gray(row[at])).collect();
        scene.items.push(Item::Image { x, y, width, height, columns: columns.div_ceil(step), gray });
    }
}
