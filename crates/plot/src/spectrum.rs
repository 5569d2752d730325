//! A spectrum: the eigenvalues, and the share of the whole that the first of them explain together.

use crate::Spectrum;
use crate::color::{CLASSES, EDGE, INK, SOFT};
use crate::frame::{self, Area};
use crate::scene::{Anchor, Dot, Item, Mark, Scene, WIDTH};
use crate::ticks::{Axis, padded, range, ticks};

pub fn draw(plot: &Spectrum<'_>) -> Scene {
    let mut scene = frame::begin(plot.title, plot.subtitle);
    let values: Vec<f64> = plot.eigenvalues.iter().copied().filter(|v| v.is_finite()).collect();
    let whole = Area::beside(0.0);
    let total: f64 = values.iter().sum();
    let share =
        plot.share.filter(|share| share.is_finite() && total > 0.0 && values.iter().all(|v| *v >= 0.0));
    let Some(share) = share else {
        draw_values(&mut scene, &whole, &values);
        return scene;
    };
    let left = Area { right: WIDTH / 2.0 - 20.0, ..whole };
    let right = Area { left: WIDTH / 2.0 + 68.0, ..whole };
    draw_values(&mut scene, &left, &values);
    let mut sum = 0.0;
    let shares: Vec<f64> = values
        .iter()
        .map(|value| {
            sum += value;
            100.0 * share * sum / total
        })
        .collect();
    draw_shares(&mut scene, &right, &shares);
    scene
}

fn draw_values(scene: &mut Scene, area: &Area, values: &[f64]) {
    let (low, high) = range(values.iter().copied().chain([0.0]));
    let up = area.up(if low < 0.0 { padded((low, high), 0.05) } else { (0.0, high * 1.06) });
    let across = places(area, values.len());
    frame::axis_left(scene, area, &up, "eigenvalue");
    counted(scene, area, &across, values.len());
    let step = (area.width() / values.len().max(1) as f32).min(90.0);
    let width = if step > 4.0 { 0.72 * step } else { step };
    for (i, value) in values.iter().enumerate() {
        let (x, zero, tip) = (across.at(i as f64 + 1.0), up.at(0.0), up.at(*value));
        scene.rect(x - width / 2.0, zero.min(tip), width, (zero - tip).abs().max(0.75), CLASSES[0]);
    }
    scene.line((area.left, up.at(0.0)), (area.right, up.at(0.0)), 1.0, EDGE);
    frame::border(scene, area);
}

fn draw_shares(scene: &mut Scene, area: &Area, shares: &[f64]) {
    let up = area.up((0.0, 104.0));
    let across = places(area, shares.len());
    frame::axis_left(scene, area, &up, "explained together, per cent");
    counted(scene, area, &across, shares.len());
    let points: Vec<(f32, f32)> =
        shares.iter().enumerate().map(|(i, share)| (across.at(i as f64 + 1.0), up.at(*share))).collect();
    scene.items.push(Item::Line { points: points.clone(), width: 2.0, color: CLASSES[2], dashed: false });
    if points.len() <= 60 {
        let dot =
            |(x, y): (f32, f32)| Dot { x, y, radius: 3.5, mark: Mark::Circle, color: CLASSES[2], alpha: 1.0 };
        scene.items.push(Item::Dots(points.iter().copied().map(dot).collect()));
    }
    if let (Some((x, y)), Some(last)) = (points.last(), shares.last()) {
        scene.label(x.min(area.right - 28.0), y + 24.0, 12.0, INK, format!("{last:.1} %"));
    }
    frame::border(scene, area);
}

/// The components, counted from one.
fn places(area: &Area, count: usize) -> Axis {
    area.across((0.5, count.max(1) as f64 + 0.5))
}

fn counted(scene: &mut Scene, area: &Area, across: &Axis, count: usize) {
    let round = ticks(0.0, count as f64, f64::from(area.width() / 60.0)).into_iter().map(|tick| tick.0);
    let places: Vec<f64> =
        if count <= 12 { (1..=count).map(|i| i as f64).collect() } else { round.collect() };
    for place in places.into_iter().filter(|place| *place >= 1.0 && place.fract() == 0.0) {
        scene.text(across.at(place), area.bottom + 19.0, 12.0, SOFT, Anchor::Middle, place.to_string());
    }
    let middle = (area.left + area.right) / 2.0;
    scene.text(middle, area.bottom + 43.0, 13.0, INK, Anchor::Middle, "component");
}
