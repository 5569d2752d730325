//! Two dimensions.

use crate::Scatter;
use crate::classes::{Paints, dot_style, mixed_order};
use crate::frame::{self, Area};
use crate::scene::{Dot, Item, Scene};
use crate::ticks::{padded, range};

/// Up to this ratio of the two spreads a unit is as long on both axes.
const EQUAL_UP_TO: f64 = 4.0;

pub fn draw(plot: &Scatter<'_>) -> Scene {
    let columns = plot.coordinates.ncols();
    let note = if columns > 2 {
        format!("{}; components 1 and 2 of {columns} are shown", plot.subtitle)
    } else {
        plot.subtitle.to_owned()
    };
    let mut scene = frame::begin(plot.title, &note);
    let paints = Paints::of(plot);
    let area = Area::beside(paints.key_width());
    let spans = [0, 1].map(|j| padded(range(plot.coordinates.column(j).iter().copied()), 0.04));
    let [x, y] = equal(spans, &area);
    let (across, up) = (area.across(x), area.up(y));
    frame::axis_below(&mut scene, &area, &across, "component 1");
    frame::axis_left(&mut scene, &area, &up, "component 2");
    frame::border(&mut scene, &area);

    let places: Vec<(f32, f32)> =
        plot.coordinates.rows().into_iter().map(|row| (across.at(row[0]), up.at(row[1]))).collect();
    let (radius, alpha) = dot_style(&places);
    let dots = mixed_order(places.len())
        .filter(|&i| places[i].0.is_finite() && places[i].1.is_finite())
        .map(|i| {
            let ((x, y), (color, mark)) = (places[i], paints.each[i]);
            Dot { x, y, radius, mark, color, alpha }
        })
        .collect();
    scene.items.push(Item::Dots(dots));
    paints.draw_names(&mut scene, &places);
    paints.draw_key(&mut scene, &area);
    scene
}

/// Widens one of the two ranges so that a unit is as long on both axes, unless that wastes the picture.
pub fn equal([x, y]: [(f64, f64); 2], area: &Area) -> [(f64, f64); 2] {
    let (wide, high) = (x.1 - x.0, y.1 - y.0);
    if wide > EQUAL_UP_TO * high || high > EQUAL_UP_TO * wide {
        return [x, y];
    }
    let (room_x, room_y) = (f64::from(area.width()), f64::from(area.height()));
    let unit = (wide / room_x).max(high / room_y);
    let widened = |(low, high): (f64, f64), room: f64| {
        let (middle, half) = (low / 2.0 + high / 2.0, unit * room / 2.0);
        (middle - half, middle + half)
    };
    [widened(x, room_x), widened(y, room_y)]
}
