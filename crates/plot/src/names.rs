//! The names of classes: their order, and their positions in the picture where there are too many for the key alone.

use crate::classes::{COLORS, Class};
use crate::frame::Area;
use crate::scene::Scene;
use crate::text;
use std::cmp::Ordering;

const SIZE: f32 = 13.0;

/// A name may be so wide.
const ROOM: f32 = 180.0;
/// How many points of a class are tried as a position for its name.
const TRIED: usize = 24;

/// Writes each name near the middle of its class, where no other name stands; a class that is everywhere has no such place.
/// The large classes choose first.
pub fn draw(scene: &mut Scene, classes: &[Class], class: &[usize], positions: &[(f32, f32)], area: &Area) {
    if classes.len() <= COLORS {
        return;
    }
    let mut members = vec![Vec::new(); classes.len()];
    for (position, class) in positions.iter().zip(class) {
        if position.0.is_finite() && position.1.is_finite() {
            members[*class].push(*position);
        }
    }
    let whole =
        spread(&positions.iter().copied().filter(|p| p.0.is_finite() && p.1.is_finite()).collect::<Vec<_>>());
    let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
    let names = text::told_apart(&names, SIZE, ROOM);
    let mut order: Vec<usize> = (0..classes.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(members[i].len()));
    let mut taken: Vec<(f32, f32, f32)> = Vec::new();
    for i in order {
        let (members, color) = (&members[i], classes[i].color);
        if members.is_empty() || color == scene.theme.other {
            continue;
        }
        let own = spread(members);
        if (0..2).any(|j| 2.0 * own[j] >= whole[j]) {
            continue;
        }
        let half = text::width(&names[i], SIZE) / 2.0;
        let free = |(x, y): (f32, f32)| {
            let inside =
                x - half > area.left && x + half < area.right && y - SIZE > area.top && y < area.bottom;
            inside && taken.iter().all(|(a, b, c)| (x - a).abs() > half + c + 4.0 || (y - b).abs() > SIZE)
        };
        if let Some((x, y)) = candidates(members).into_iter().map(|(x, y)| (x, y + 4.0)).find(|at| free(*at))
        {
            scene.label(x, y, SIZE, scene.theme.legible(color), names[i].clone());
            taken.push((x, y, half));
        }
    }
}

/// The middle of a class, then points of it, the nearest to the middle first.
fn candidates(members: &[(f32, f32)]) -> Vec<(f32, f32)> {
    let of = |j: usize| members.iter().map(|p| if j == 0 { p.0 } else { p.1 }).collect();
    let middle = (quartiles(of(0))[1], quartiles(of(1))[1]);
    let mut near = members.to_vec();
    near.sort_by(|a, b| {
        let far = |p: &(f32, f32)| (p.0 - middle.0).hypot(p.1 - middle.1);
        far(a).total_cmp(&far(b))
    });
    let step = near.len().div_ceil(TRIED).max(1);
    std::iter::once(middle).chain(near.into_iter().step_by(step)).collect()
}

/// Between the quartiles, across and up.
fn spread(positions: &[(f32, f32)]) -> [f32; 2] {
    [0, 1].map(|j| {
        let [low, _, high] = quartiles(positions.iter().map(|p| if j == 0 { p.0 } else { p.1 }).collect());
        high - low
    })
}

/// The two quartiles and, between them, the median.
fn quartiles(mut values: Vec<f32>) -> [f32; 3] {
    values.sort_by(f32::total_cmp);
    [1, 2, 3].map(|k| values.get(k * values.len() / 4).copied().unwrap_or(0.0))
}

/// As people sort names: k2 comes before k10.
pub fn in_order(a: &str, b: &str) -> Ordering {
    parts(a).partial_cmp(&parts(b)).unwrap_or(Ordering::Equal).then_with(|| a.cmp(b))
}

/// A name in parts: numbers first, as numbers; then words.
fn parts(name: &str) -> Vec<(f64, &str)> {
    if let Some(number) = name.parse().ok().filter(|number: &f64| number.is_finite()) {
        return vec![(number, "")];
    }
    let mut parts = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let digits = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        parts.push(if digits { (part.parse().unwrap_or(f64::MAX), "") } else { (f64::INFINITY, part) });
        rest = after;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_as_people_sort_them() {
        let mut names = ["k10", "k2", "k1", "10", "9", "-1.5", "b", "a3x", "nan"];
        names.sort_by(|a, b| in_order(a, b));
        assert_eq!(names, ["-1.5", "9", "10", "a3x", "b", "k1", "k2", "k10", "nan"]);
    }
}
