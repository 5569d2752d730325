//! A spectrum: the eigenvalues, and beside them the share of the whole that the first of them explain together, or what they
//! leave unexplained.

use crate::Spectrum;
use crate::color::{CLASSES, Rgb};
use crate::frame::{self, Area};
use crate::scene::{Anchor, Dot, Item, Mark, Scene};
use crate::ticks::{Axis, padded, range, ticks};

/// Values below this part of what they are compared with are rounding.
const ROUNDING: f64 = 1e-14;

pub fn draw(plot: &Spectrum<'_>) -> Scene {
    let mut scene = frame::begin(&plot.style, plot.style.subtitle);
    let rounding = ROUNDING * plot.norm.abs();
    let level = |v: f64| if v.abs() <= rounding { 0.0 } else { v };
    let finite = |values: &[f64]| -> Vec<f64> {
        values.iter().copied().filter(|v| v.is_finite()).map(level).collect()
    };
    let mut values = finite(plot.eigenvalues);
    let kept = values.len();
    let total: f64 = values.iter().sum();
    values.extend(finite(plot.further));
    let whole = Area::beside(&scene, 0.0);
    let share =
        plot.share.filter(|share| share.is_finite() && total > 0.0 && values.iter().all(|v| *v >= 0.0));
    let residual = finite(plot.residual_variance);
    let left = Area { right: scene.width / 2.0 - 20.0, ..whole };
    let right = Area { left: scene.width / 2.0 + 68.0, ..whole };
    if !residual.is_empty() {
        draw_values(&mut scene, &left, &values, kept);
        let percents: Vec<f64> = residual.iter().map(|r| 100.0 * r).collect();
        draw_curve(&mut scene, &right, &percents, kept, "residual variance, percent");
    } else if let Some(share) = share {
        draw_values(&mut scene, &left, &values, kept);
        let mut sum = 0.0;
        let shares: Vec<f64> = values
            .iter()
            .map(|value| {
                sum += value;
                (100.0 * share * sum / total).min(100.0)
            })
            .collect();
        draw_curve(&mut scene, &right, &shares, kept, "explained together, percent");
    } else {
        draw_values(&mut scene, &whole, &values, kept);
    }
    scene
}

/// What is not kept is paler.
fn shade(scene: &Scene, color: Rgb, at: usize, kept: usize) -> Rgb {
    if at < kept { color } else { color.mixed(scene.theme.paper, 0.6) }
}

fn draw_values(scene: &mut Scene, area: &Area, values: &[f64], kept: usize) {
    let zero = values.iter().all(|v| *v == 0.0);
    let (low, high) = if zero { (0.0, 1.0) } else { range(values.iter().copied().chain([0.0])) };
    let up = area.up(if low < 0.0 { padded((low, high), 0.05) } else { (0.0, high * 1.06) });
    let across = positions(area, values.len());
    frame::axis_left(scene, area, &up, "eigenvalue");
    counted(scene, area, &across, values.len());
    let step = (area.width() / values.len().max(1) as f32).min(90.0);
    let width = if step > 4.0 { 0.72 * step } else { step };
    for (i, value) in values.iter().enumerate() {
        let (x, zero, tip) = (across.at(i as f64 + 1.0), up.at(0.0), up.at(*value));
        let color = shade(scene, CLASSES[0], i, kept);
        scene.rect(x - width / 2.0, zero.min(tip), width, (zero - tip).abs().max(0.75), color);
    }
    scene.line((area.left, up.at(0.0)), (area.right, up.at(0.0)), 1.0, scene.theme.edge);
    if kept < values.len() {
        divide(scene, area, &across, kept);
    }
    frame::border(scene, area);
}

/// A line after the components that are kept.
fn divide(scene: &mut Scene, area: &Area, across: &Axis, kept: usize) {
    let x = across.at(kept as f64 + 0.5);
    let points = vec![(x, area.top), (x, area.bottom)];
    scene.items.push(Item::Line { points, width: 1.0, color: scene.theme.edge, dashed: true });
    scene.text(x - 5.0, area.top + 15.0, 11.0, scene.theme.soft, Anchor::End, "kept");
    scene.text(x + 5.0, area.top + 15.0, 11.0, scene.theme.soft, Anchor::Start, "further");
}

fn draw_curve(scene: &mut Scene, area: &Area, percents: &[f64], kept: usize, name: &str) {
    let highest = percents.iter().copied().fold(0.0, f64::max);
    let rising = percents.first() <= percents.last();
    let up = area.up((0.0, if rising { 104.0 } else { (1.1 * highest).max(1e-3) }));
    let across = positions(area, percents.len());
    frame::axis_left(scene, area, &up, name);
    counted(scene, area, &across, percents.len());
    let points: Vec<(f32, f32)> =
        percents.iter().enumerate().map(|(i, share)| (across.at(i as f64 + 1.0), up.at(*share))).collect();
    scene.items.push(Item::Line { points: points.clone(), width: 2.0, color: CLASSES[2], dashed: false });
    if points.len() <= 60 {
        let dots = points.iter().enumerate().map(|(i, &(x, y))| {
            let color = shade(scene, CLASSES[2], i, kept);
            Dot { x, y, radius: 3.5, mark: Mark::Circle, color, alpha: 1.0 }
        });
        let dots = dots.collect();
        scene.items.push(Item::Dots(dots));
    }
    let last = kept.clamp(1, percents.len().max(1)) - 1;
    if let (Some((x, y)), Some(value)) = (points.get(last), percents.get(last)) {
        let y = if rising { y + 24.0 } else { y - 14.0 };
        let digits = if *value < 1.0 { 2 } else { 1 };
        let x = x.clamp(area.left + 28.0, area.right - 28.0);
        scene.label(x, y.max(area.top + 14.0), 12.0, scene.theme.ink, format!("{value:.digits$} %"));
    }
    frame::border(scene, area);
}

/// The components, counted from one.
fn positions(area: &Area, count: usize) -> Axis {
    area.across((0.5, count.max(1) as f64 + 0.5))
}

fn counted(scene: &mut Scene, area: &Area, across: &Axis, count: usize) {
    let round = ticks(0.0, count as f64, f64::from(area.width() / 60.0)).into_iter().map(|tick| tick.0);
    let positions: Vec<f64> =
        if count <= 12 { (1..=count).map(|i| i as f64).collect() } else { round.collect() };
    let (ink, soft) = (scene.theme.ink, scene.theme.soft);
    for position in positions.into_iter().filter(|position| *position >= 1.0 && position.fract() == 0.0) {
        scene.text(across.at(position), area.bottom + 19.0, 12.0, soft, Anchor::Middle, position.to_string());
    }
    let middle = (area.left + area.right) / 2.0;
    scene.text(middle, area.bottom + 43.0, 13.0, ink, Anchor::Middle, "component");
}
