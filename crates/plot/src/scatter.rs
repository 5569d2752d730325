//! Two dimensions.

use crate::Scatter;
use crate::classes::{Paints, dot_style, mixed_order};
use crate::frame::{self, Area};
use crate::scene::{Dot, Item, Scene};
use crate::ticks::{Axis, limits, padded};
use crate::{beyond, images};

/// Up to this ratio of the two spreads a unit is as long on both axes.
const EQUAL_UP_TO: f64 = 4.0;

pub fn draw(plot: &Scatter<'_>) -> Scene {
    let columns = plot.coordinates.ncols();
    let mut note = plot.style.subtitle.to_owned();
    if columns > 2 {
        note += &format!("; components 1 and 2 of {columns} are shown");
    }
    let paints = Paints::of(plot, &Scene::new(&plot.style).theme);
    let bare = Scene::new(&plot.style);
    let area = Area::beside(&bare, paints.key_width(Area::beside(&bare, 0.0).height()));
    let spans = [0, 1].map(|j| padded(limits(plot.coordinates.column(j).iter().copied()), 0.04));
    let [x, y] = equal(spans, &area);
    let (across, up) = (area.across(x), area.up(y));
    let raw: Vec<(f32, f32)> =
        plot.coordinates.rows().into_iter().map(|row| (across.at(row[0]), up.at(row[1]))).collect();
    let (positions, outside) = beyond::brought_in(&raw, &area);
    note += &beyond::note(outside.len());
    let mut scene = frame::begin(&plot.style, &note);
    draw_axes(&mut scene, &area, (&across, &up), plot.axes);

    draw_edges(&mut scene, plot, &positions);
    let (radius, alpha) = dot_style(&positions);
    let dots = mixed_order(positions.len())
        .filter(|&i| positions[i].0.is_finite() && positions[i].1.is_finite())
        .map(|i| {
            let ((x, y), (color, mark)) = (positions[i], paints.each[i]);
            Dot { x, y, radius, mark, color, alpha }
        })
        .collect();
    scene.items.push(Item::Dots(dots));
    beyond::ring(&mut scene, &positions, &outside);
    if let Some(shown) = &plot.images {
        images::draw(&mut scene, shown, &positions, &paints, &area);
    }
    paints.draw_names(&mut scene, &positions, &area);
    paints.draw_key(&mut scene, &area);
    scene
}

fn draw_axes(scene: &mut Scene, area: &Area, (across, up): (&Axis, &Axis), names: Option<[&str; 2]>) {
    let names = names.unwrap_or(["component 1", "component 2"]);
    frame::axis_below(scene, area, across, names[0]);
    frame::axis_left(scene, area, up, names[1]);
    frame::border(scene, area);
}

/// The edges of the neighbor graph, below the points.
fn draw_edges(scene: &mut Scene, plot: &Scatter<'_>, positions: &[(f32, f32)]) {
    let end =
        |vertex: u32| positions.get(vertex as usize).copied().filter(|p| p.0.is_finite() && p.1.is_finite());
    let ends: Vec<[(f32, f32); 2]> =
        plot.edges.iter().filter_map(|&(a, b)| Some([end(a)?, end(b)?])).collect();
    if !ends.is_empty() {
        let color = scene.theme.grid.mixed(scene.theme.edge, 0.6);
        scene.items.push(Item::Lines { ends, width: 0.6, color });
    }
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
