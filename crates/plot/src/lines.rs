//! Curves over one axis: how a figure depends on a number, with intervals where it has them.

use crate::Picture;
use crate::color::CLASSES;
use crate::frame::{self, Area};
use crate::scene::{Anchor, Dot, Item, Mark, Scene};
use crate::style::Style;
use crate::text;
use crate::ticks::{padded, range};

/// Curves to be shown.
#[derive(Debug, Clone, Copy)]
pub struct Lines<'a> {
    /// The curves; ten have colors of their own.
    pub curves: &'a [Curve<'a>],
    /// What the axis below means.
    pub across: &'a str,
    /// What the axis at the left means.
    pub up: &'a str,
    /// A height that is marked, such as 0.
    pub level: Option<f64>,
    /// Title, size, paper.
    pub style: Style<'a>,
}

/// One curve.
#[derive(Debug, Clone, Copy)]
pub struct Curve<'a> {
    /// Its name in the key.
    pub name: &'a str,
    /// Position and height of each point, from left to right; what is not finite is left out.
    pub points: &'a [[f64; 2]],
    /// The interval of each point; none, or as many as points.
    pub intervals: &'a [[f64; 2]],
    /// Whether the line is dashed.
    pub dashed: bool,
}

/// Draws curves.
pub fn lines(plot: &Lines<'_>) -> Picture {
    Picture(draw(plot))
}

const KEY: f32 = 12.0;
/// Above this many points of a curve, the points themselves are not marked.
const MARKED: usize = 40;

fn draw(plot: &Lines<'_>) -> Scene {
    let mut scene = frame::begin(&plot.style, plot.style.subtitle);
    let widest = plot.curves.iter().map(|curve| text::width(curve.name, KEY)).fold(0.0, f32::max);
    let area = Area::beside(&scene, if plot.curves.len() > 1 { widest + 34.0 } else { 0.0 });
    let points = || plot.curves.iter().flat_map(|curve| curve.points.iter());
    let heights = points().map(|point| point[1]);
    let bounds = plot.curves.iter().flat_map(|curve| curve.intervals.iter().flatten().copied());
    let across = area.across(padded(range(points().map(|point| point[0])), 0.02));
    let up = area.up(padded(range(heights.chain(bounds).chain(plot.level)), 0.04));
    frame::axis_below(&mut scene, &area, &across, plot.across);
    frame::axis_left(&mut scene, &area, &up, plot.up);
    if let Some(level) = plot.level {
        let y = up.at(level);
        scene.line((area.left, y), (area.right, y), 1.5, scene.theme.soft);
    }
    for (at, curve) in plot.curves.iter().enumerate() {
        let color = CLASSES[at % CLASSES.len()];
        for (point, interval) in curve.points.iter().zip(curve.intervals) {
            if point.iter().chain(interval).all(|value| value.is_finite()) {
                let x = across.at(point[0]);
                scene.line((x, up.at(interval[0])), (x, up.at(interval[1])), 1.5, color);
            }
        }
        let finite = curve.points.iter().filter(|point| point.iter().all(|value| value.is_finite()));
        let points: Vec<(f32, f32)> = finite.map(|point| (across.at(point[0]), up.at(point[1]))).collect();
        if points.len() <= MARKED {
            let dot = |&(x, y): &(f32, f32)| Dot { x, y, radius: 3.5, mark: Mark::Circle, color, alpha: 1.0 };
            scene.items.push(Item::Dots(points.iter().map(dot).collect()));
        }
        scene.items.push(Item::Line { points, width: 2.0, color, dashed: curve.dashed });
        if plot.curves.len() > 1 {
            let y = area.top + 14.0 + 20.0 * at as f32;
            let line = vec![(area.right + 10.0, y - 4.0), (area.right + 30.0, y - 4.0)];
            scene.items.push(Item::Line { points: line, width: 2.0, color, dashed: curve.dashed });
            scene.text(area.right + 36.0, y, KEY, scene.theme.ink, Anchor::Start, curve.name);
        }
    }
    frame::border(&mut scene, &area);
    scene
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    #[test]
    fn every_curve_is_a_line_with_its_name_and_what_is_not_finite_is_left_out() {
        let first = Curve {
            name: "first",
            points: &[[0.0, 1.0], [1.0, f64::NAN], [2.0, 3.0]],
            intervals: &[[0.5, 1.5], [0.0, 1.0], [2.0, 4.0]],
            dashed: false,
        };
        let second =
            Curve { name: "second", points: &[[0.0, 2.0], [2.0, 2.0]], intervals: &[], dashed: true };
        let style = Style { title: "Curves", subtitle: "two", ..Style::default() };
        let plot = Lines { curves: &[first, second], across: "share", up: "delta", level: Some(0.0), style };
        let svg = String::from_utf8(lines(&plot).encode(Format::Svg).unwrap()).unwrap();
        assert_eq!(svg.matches("<circle").count(), 4, "{svg}");
        for word in ["first", "second", "share", "delta"] {
            assert!(svg.contains(word), "{word}");
        }
        assert!(!svg.contains("NaN"), "{svg}");
        let nothing = Lines { curves: &[], level: None, ..plot };
        assert!(lines(&nothing).encode(Format::Png).is_ok());
    }
}
