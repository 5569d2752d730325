//! The names of classes: their order, and their places in the picture where there are too many for the key alone.

use crate::classes::{COLORS, Class};
use crate::color::{OTHER, Rgb};
use crate::scene::Scene;
use crate::text;
use std::cmp::Ordering;

const SIZE: f32 = 13.0;

/// Writes each name at the middle of its class, where it has one and where no other name stands.
pub fn draw(scene: &mut Scene, classes: &[Class], class: &[usize], places: &[(f32, f32)]) {
    if classes.len() <= COLORS {
        return;
    }
    let mut members = vec![(Vec::new(), Vec::new()); classes.len()];
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    for (place, class) in places.iter().zip(class) {
        if place.0.is_finite() && place.1.is_finite() {
            xs.push(place.0);
            ys.push(place.1);
            members[*class].0.push(place.0);
            members[*class].1.push(place.1);
        }
    }
    let whole = [quartiles(xs), quartiles(ys)];
    let mut taken: Vec<(f32, f32, f32)> = Vec::new();
    for (class, (xs, ys)) in classes.iter().zip(members) {
        if xs.is_empty() || class.color == OTHER {
            continue;
        }
        let own = [quartiles(xs), quartiles(ys)];
        // A class that is everywhere has no place for its name.
        let spread = |[low, _, high]: [f32; 3]| high - low;
        let compact = (0..2).all(|j| 2.0 * spread(own[j]) < spread(whole[j]));
        let (x, y) = (own[0][1], own[1][1] + 4.0);
        let half = text::width(&class.name, SIZE) / 2.0;
        let free = taken.iter().all(|(a, b, c)| (x - a).abs() > half + c + 4.0 || (y - b).abs() > SIZE);
        if compact && free && half < 90.0 {
            scene.label(x, y, SIZE, class.color.mixed(Rgb(0), 0.45), class.name.clone());
            taken.push((x, y, half));
        }
    }
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
