//! One dimension: how many points lie where, and the points themselves below.

use crate::classes::{Key, Paints, dot_style, mixed_order};
use crate::color::{CLASSES, Rgb};
use crate::frame::{self, Area};
use crate::scene::{Dot, Item, Scene};
use crate::ticks::{Axis, limits, padded};
use crate::{Scatter, beyond};

pub fn draw(plot: &Scatter<'_>) -> Scene {
    let bare = Scene::new(&plot.style);
    let paints = Paints::of(plot, &bare.theme);
    let whole = Area::beside(&bare, paints.key_width(Area::beside(&bare, 0.0).height()));
    let values: Vec<f64> =
        if plot.coordinates.ncols() == 0 { Vec::new() } else { plot.coordinates.column(0).to_vec() };
    let span = limits(values.iter().copied());
    let far = |value: &&f64| value.is_finite() && !(span.0..=span.1).contains(*value);
    let note = beyond::note(values.iter().filter(far).count());
    let mut scene = frame::begin(&plot.style, &(plot.style.subtitle.to_owned() + &note));
    let counts = Area { bottom: whole.top + 0.66 * whole.height(), ..whole };
    let below = Area { top: counts.bottom + 18.0, ..whole };
    let across = whole.across(padded(span, 0.03));
    draw_counts(&mut scene, &counts, &across, &values, span, &paints);
    frame::axis_below(&mut scene, &below, &across, "component 1");
    frame::border(&mut scene, &below);

    // The golden ratio spreads neighbors in the file over the height.
    let height = |i: usize| (i as f64 * 0.618_033_988_749_895).fract() as f32;
    let position = |i: usize| (across.at(values[i]), below.top + 10.0 + (below.height() - 20.0) * height(i));
    let raw: Vec<(f32, f32)> = (0..values.len()).map(position).collect();
    let (positions, outside) = beyond::brought_in(&raw, &below);
    let (radius, alpha) = dot_style(&positions);
    let dots = mixed_order(values.len())
        .filter(|&i| values[i].is_finite())
        .map(|i| {
            let ((x, y), (color, mark)) = (positions[i], paints.each[i]);
            Dot { x, y, radius, mark, color, alpha }
        })
        .collect();
    scene.items.push(Item::Dots(dots));
    beyond::ring(&mut scene, &positions, &outside);
    paints.draw_key(&mut scene, &whole);
    scene
}

/// Bars, one on the other for the classes.
fn draw_counts(
    scene: &mut Scene,
    area: &Area,
    across: &Axis,
    values: &[f64],
    (low, high): (f64, f64),
    paints: &Paints,
) {
    let bins = ((2.0 * (values.len() as f64).cbrt()).ceil() as usize).clamp(8, 80);
    let colors: Vec<Rgb> = match &paints.key {
        Key::Classes(classes) => classes.iter().map(|class| class.color).collect(),
        _ => vec![CLASSES[0].mixed(Rgb(0x94_a4a2), 0.5)],
    };
    let mut table = vec![vec![0_usize; colors.len()]; bins];
    for (value, class) in values.iter().zip(&paints.class).filter(|(value, _)| value.is_finite()) {
        let bin = ((value - low) / (high - low) * bins as f64) as usize;
        table[bin.min(bins - 1)][*class] += 1;
    }
    let tallest = table.iter().map(|bin| bin.iter().sum::<usize>()).max().unwrap_or(0).max(1);
    let up = area.up((0.0, tallest as f64 * 1.05));
    frame::axis_left(scene, area, &up, "points");
    let edge = |bin: usize| across.at(low + (high - low) * bin as f64 / bins as f64);
    for (bin, counts) in table.iter().enumerate() {
        let mut sum = 0;
        for (count, color) in counts.iter().zip(&colors).filter(|(count, _)| **count > 0) {
            let (bottom, top) = (up.at(sum as f64), up.at((sum + count) as f64));
            scene.rect(edge(bin), top, edge(bin + 1) - edge(bin) - 1.0, bottom - top, *color);
            sum += count;
        }
    }
    frame::border(scene, area);
}
