//! The formulas: how the true parameters of a point are drawn, where the point then lies, which label it has.
//! Maaten's data are those of appendix B of the comparative review, with its labels.

use super::Draw;
use ndarray::{ArrayView2, Axis};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::{PI, TAU};

type Rng = ChaCha8Rng;

fn uniform(rng: &mut Rng) -> f64 {
    rng.random::<f64>()
}

/// 0 or 1: the parity of a whole number.
fn parity(number: f64) -> i64 {
    number.rem_euclid(2.0) as i64
}

fn roll_angle(p: f64) -> f64 {
    1.5 * PI * (1.0 + 2.0 * p)
}

pub fn draw_roll(draw: Draw, rng: &mut Rng, truth: &mut [f64]) {
    truth[0] = roll_angle(draw.uneven(uniform(rng)));
    truth[1] = 30.0 * uniform(rng);
}

/// The turn misses the middle fifth of its range.
pub fn draw_broken_roll(draw: Draw, rng: &mut Rng, truth: &mut [f64]) {
    let p = 0.8 * draw.uneven(uniform(rng));
    truth[0] = roll_angle(if p < 0.4 { p } else { p + 0.2 });
    truth[1] = 30.0 * uniform(rng);
}

/// A roll of height 21 without the points of a window.
pub fn draw_holed_roll(draw: Draw, rng: &mut Rng, truth: &mut [f64]) {
    loop {
        truth[0] = roll_angle(draw.uneven(uniform(rng)));
        truth[1] = 21.0 * uniform(rng);
        if !in_hole(truth) {
            return;
        }
    }
}

/// The window of the holed roll.
pub fn in_hole(truth: &[f64]) -> bool {
    (9.0..12.0).contains(&truth[0]) && (9.0..14.0).contains(&truth[1])
}

pub fn roll(truth: &[f64], x: &mut [f64]) {
    let t = truth[0];
    x.copy_from_slice(&[t * t.cos(), t * t.sin(), truth[1]]);
}

/// The angle gives way to the arc length of the spiral `r = t`, from its center.
pub fn unroll(truth: &mut [f64]) {
    let t = truth[0];
    truth[0] = 0.5 * (t * t.hypot(1.0) + t.asinh());
}

pub fn roll_label(truth: &[f64]) -> i64 {
    parity((truth[0] / 2.0).round() + (truth[1] / 12.0).round())
}

pub fn draw_turn(draw: Draw, rng: &mut Rng, truth: &mut [f64]) {
    truth[0] = TAU * draw.uneven(uniform(rng));
}

/// Even steps around the circle.
pub fn draw_even_turn(draw: Draw, _: &mut Rng, truth: &mut [f64]) {
    let (step, n) = ((draw.index + 1) as f64, draw.n as f64);
    truth[0] = if draw.density == 1.0 { TAU * step / n } else { TAU * draw.uneven(step / n) };
}

pub fn helix(truth: &[f64], x: &mut [f64]) {
    let t = truth[0];
    let r = 2.0 + (8.0 * t).cos();
    x.copy_from_slice(&[r * t.cos(), r * t.sin(), (8.0 * t).sin()]);
}

pub fn helix_label(truth: &[f64]) -> i64 {
    parity((1.5 * truth[0]).round())
}

/// Uniform in the square from -1 to 1.
pub fn draw_square(draw: Draw, rng: &mut Rng, truth: &mut [f64]) {
    truth[0] = 1.0 - 2.0 * draw.uneven(uniform(rng));
    truth[1] = 1.0 - 2.0 * uniform(rng);
}

pub fn twin_peaks(truth: &[f64], x: &mut [f64]) {
    x.copy_from_slice(&[truth[0], truth[1], 10.0 * (PI * truth[0]).sin() * (3.0 * truth[1]).tanh()]);
}

/// The rule of the authors' toolbox, which adds the least value of a column where one would subtract it.
pub fn twin_peaks_labels(points: ArrayView2<'_, f64>) -> Vec<i64> {
    let least = points.fold_axis(Axis(0), f64::INFINITY, |a, b| a.min(*b));
    let bands = |row: ndarray::ArrayView1<'_, f64>| {
        parity(row.iter().zip(&least).map(|(x, least)| ((x + least) / 10.0).round()).sum())
    };
    points.rows().into_iter().map(bands).collect()
}

/// Uniform in the unit cube of five dimensions.
pub fn draw_cube(draw: Draw, rng: &mut Rng, truth: &mut [f64]) {
    truth.fill_with(|| uniform(rng));
    truth[0] = draw.uneven(truth[0]);
}

pub fn hd(t: &[f64], x: &mut [f64]) {
    x.copy_from_slice(&[
        t[0].cos(),
        (3.0 * t[1]).tanh(),
        t[0] + t[2],
        t[3] * t[1].sin(),
        (t[0] + t[4]).sin(),
        t[4] * t[1].cos(),
        t[4] + t[3],
        t[1],
        t[2] * t[3],
        t[0],
    ]);
}

pub fn hd_label(truth: &[f64]) -> i64 {
    parity(truth.iter().map(|t| t.round()).sum())
}

pub fn draw_s(draw: Draw, rng: &mut Rng, truth: &mut [f64]) {
    truth[0] = 3.0 * PI * (draw.uneven(uniform(rng)) - 0.5);
    truth[1] = 2.0 * uniform(rng);
}

fn s(t: f64) -> [f64; 2] {
    [t.sin(), t.signum() * (t.cos() - 1.0)]
}

pub fn s_curve(truth: &[f64], x: &mut [f64]) {
    let [across, up] = s(truth[0]);
    x.copy_from_slice(&[across, truth[1], up]);
}

pub fn s_label(truth: &[f64]) -> i64 {
    parity(truth[0].round() + truth[1].round())
}

/// A fifth of the points on the upper bend and the rest on the lower one; few in the middle, where they meet.
pub fn draw_bends(draw: Draw, rng: &mut Rng, truth: &mut [f64]) {
    let side = if draw.index < draw.n.div_ceil(5) { -1.0 } else { 1.0 };
    truth[0] = side * 1.5 * PI * draw.uneven(uniform(rng)).sqrt();
}

pub fn bends(truth: &[f64], x: &mut [f64]) {
    x.copy_from_slice(&s(truth[0]));
}

pub fn bends_label(truth: &[f64]) -> i64 {
    i64::from(truth[0] > 0.0)
}

pub fn draw_sheets(draw: Draw, rng: &mut Rng, truth: &mut [f64]) {
    truth[0] = TAU * draw.uneven(uniform(rng));
    truth[1] = 5.0 * uniform(rng);
}

pub fn sheets(truth: &[f64], x: &mut [f64]) {
    let (sin, cos) = truth[0].sin_cos();
    x.copy_from_slice(&[cos, cos * sin, truth[1]]);
}

/// The two lobes of the eight, each in bands of height.
pub fn sheets_label(truth: &[f64]) -> i64 {
    parity(f64::from(truth[0].cos() > 0.0) + (truth[1] / 2.0).round())
}

/// A sphere without its poles and without a slice.
pub fn draw_severed(draw: Draw, rng: &mut Rng, truth: &mut [f64]) {
    truth[0] = (TAU - 0.55) * draw.uneven(uniform(rng));
    truth[1] = PI * (0.125 + 0.75 * uniform(rng));
}

pub fn sphere(truth: &[f64], x: &mut [f64]) {
    let (sin, cos) = truth[1].sin_cos();
    x.copy_from_slice(&[sin * truth[0].cos(), sin * truth[0].sin(), cos]);
}

pub fn sphere_label(truth: &[f64]) -> i64 {
    parity(truth[0].round() + (2.0 * truth[1]).round())
}

/// The middles of the boxes.
pub const BOXES: [[f64; 3]; 5] =
    [[5.0, 5.0, 5.0], [1.0, 2.0, 8.0], [9.0, 1.0, 3.0], [8.0, 9.0, 8.0], [2.0, 8.0, 1.0]];
/// Half the width of a box.
pub const BOX_REACH: f64 = 0.8;
/// Points on the line from a box to the first, where there are points enough.
const BRIDGE: usize = 9;

pub fn draw_boxes(draw: Draw, rng: &mut Rng, truth: &mut [f64]) {
    let count = BOXES.len();
    let class = draw.index % count;
    let round = draw.index / count;
    truth[0] = class as f64;
    if draw.n >= 20 * count && class > 0 && round < BRIDGE {
        let share = (round + 1) as f64 / (BRIDGE + 1) as f64;
        for j in 0..3 {
            truth[j + 1] = share * (BOXES[0][j] - BOXES[class][j]);
        }
    } else {
        truth[1..].fill_with(|| BOX_REACH * (1.0 - 2.0 * uniform(rng)));
    }
}

pub fn boxes(truth: &[f64], x: &mut [f64]) {
    let middle = BOXES[truth[0] as usize];
    for j in 0..3 {
        x[j] = middle[j] + truth[j + 1];
    }
}

pub fn class(truth: &[f64]) -> i64 {
    truth[0] as i64
}

/// Two rings, of radius 1 and 1/2, in turn.
pub fn draw_rings(draw: Draw, rng: &mut Rng, truth: &mut [f64]) {
    truth[0] = (draw.index % 2) as f64;
    truth[1] = TAU * draw.uneven(uniform(rng));
}

pub fn rings(truth: &[f64], x: &mut [f64]) {
    let radius = 1.0 - 0.5 * truth[0];
    x.copy_from_slice(&[radius * truth[1].cos(), radius * truth[1].sin()]);
}

pub fn draw_moons(draw: Draw, rng: &mut Rng, truth: &mut [f64]) {
    truth[0] = (draw.index % 2) as f64;
    truth[1] = PI * draw.uneven(uniform(rng));
}

pub fn moons(truth: &[f64], x: &mut [f64]) {
    let (sin, cos) = truth[1].sin_cos();
    x.copy_from_slice(&if truth[0] == 0.0 { [cos, sin] } else { [1.0 - cos, 0.5 - sin] });
}

/// The middles of the blobs: the corners of a tetrahedron.
pub const BLOBS: [[f64; 3]; 4] = [[4.0, 4.0, 4.0], [4.0, -4.0, -4.0], [-4.0, 4.0, -4.0], [-4.0, -4.0, 4.0]];

pub fn draw_blobs(draw: Draw, rng: &mut Rng, truth: &mut [f64]) {
    truth[0] = (draw.index % BLOBS.len()) as f64;
    truth[1..].fill_with(|| StandardNormal.sample(rng));
}

pub fn blobs(truth: &[f64], x: &mut [f64]) {
    let middle = BLOBS[truth[0] as usize];
    for j in 0..3 {
        x[j] = middle[j] + truth[j + 1];
    }
}
