//! Points that lie far beyond the others: drawn at the border, ringed, and counted in the line below the title.

use crate::frame::Area;
use crate::scene::{Item, Scene};

/// How far from the border they are drawn.
const INSET: f32 = 7.0;

/// All positions inside the area, and which of them were not.
pub fn brought_in(positions: &[(f32, f32)], area: &Area) -> (Vec<(f32, f32)>, Vec<usize>) {
    let mut outside = Vec::new();
    let inside = positions
        .iter()
        .enumerate()
        .map(|(i, &(x, y))| {
            if !(x.is_finite() && y.is_finite()) {
                return (x, y);
            }
            let within = (area.left..=area.right).contains(&x) && (area.top..=area.bottom).contains(&y);
            if within {
                return (x, y);
            }
            outside.push(i);
            (x.clamp(area.left + INSET, area.right - INSET), y.clamp(area.top + INSET, area.bottom - INSET))
        })
        .collect();
    (inside, outside)
}

/// What is said about them.
pub fn note(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "; 1 point far out is drawn at the border, ringed".to_owned(),
        count => format!("; {count} points far out are drawn at the border, ringed"),
    }
}

pub fn ring(scene: &mut Scene, positions: &[(f32, f32)], outside: &[usize]) {
    const REACH: f32 = 6.0;
    for &(x, y) in outside.iter().map(|&i| &positions[i]) {
        let points = vec![(x, y - REACH), (x + REACH, y), (x, y + REACH), (x - REACH, y), (x, y - REACH)];
        scene.items.push(Item::Line { points, width: 1.4, color: scene.theme.ink, dashed: false });
    }
}
