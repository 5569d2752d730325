//! A Shepard diagram: the distances of a layout over the dissimilarities they stand for, and the disparities that they are
//! compared with.

use crate::color::CLASSES;
use crate::frame::{self, Area};
use crate::scene::{Anchor, Dot, Item, Mark, Scene};
use crate::ticks::{padded, range};
use crate::{Picture, Shepard};

/// Draws a Shepard diagram.
pub fn shepard(plot: &Shepard<'_>) -> Picture {
    Picture(draw(plot))
}

fn draw(plot: &Shepard<'_>) -> Scene {
    let mut scene = frame::begin(&plot.style, plot.style.subtitle);
    let area = Area::beside(&scene, 0.0);
    let mut pairs: Vec<[f64; 3]> = plot
        .pairs
        .rows()
        .into_iter()
        .filter(|row| row.len() == 3 && row.iter().all(|value| value.is_finite()))
        .map(|row| [row[0], row[1], row[2]])
        .collect();
    pairs.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let across = area.across(padded(range(pairs.iter().map(|pair| pair[0]).chain([0.0])), 0.02));
    let up = area.up(padded(range(pairs.iter().flat_map(|pair| [pair[1], pair[2]]).chain([0.0])), 0.02));
    frame::axis_below(&mut scene, &area, &across, "dissimilarity");
    frame::axis_left(&mut scene, &area, &up, "distance in the layout");
    let alpha = if pairs.len() > 2000 { 0.25 } else { 0.6 };
    let dot = |pair: &[f64; 3]| Dot {
        x: across.at(pair[0]),
        y: up.at(pair[2]),
        radius: 2.0,
        mark: Mark::Circle,
        color: CLASSES[0],
        alpha,
    };
    scene.items.push(Item::Dots(pairs.iter().map(dot).collect()));
    let points = pairs.iter().map(|pair| (across.at(pair[0]), up.at(pair[1]))).collect();
    scene.items.push(Item::Line { points, width: 2.0, color: CLASSES[1], dashed: false });
    let key = "line: disparity; dots: pairs of rows";
    let ink = scene.theme.ink;
    scene.text(area.right, area.top - 8.0, 12.0, ink, Anchor::End, key);
    frame::border(&mut scene, &area);
    scene
}

#[cfg(test)]
mod tests {
    use crate::{Format, Shepard, Style, shepard};

    #[test]
    fn every_pair_is_a_dot_and_the_disparities_are_a_line() {
        let pairs = ndarray::array![[1.0, 1.5, 1.0], [2.0, 1.5, 2.0], [3.0, 3.0, 3.5], [4.0, f64::NAN, 1.0]];
        let style = Style { title: "Non-metric MDS of x", subtitle: "3 pairs", ..Style::default() };
        let plot = Shepard { pairs: pairs.view(), style };
        let svg = String::from_utf8(shepard(&plot).encode(Format::Svg).unwrap()).unwrap();
        assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
        assert!(svg.contains("dissimilarity") && svg.contains("<polyline"), "{svg}");
        let nothing = ndarray::Array2::zeros((0, 3));
        let plot = Shepard { pairs: nothing.view(), style: Style::default() };
        assert!(shepard(&plot).encode(Format::Png).is_ok());
    }
}
