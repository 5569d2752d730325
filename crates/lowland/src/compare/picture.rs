//! The picture of an embedding: how far it can be trusted, whether it has collapsed, and whether another is the same.

use super::cell::{Figures, shown};
use super::number::rounded;
use crate::AnyInput;
use crate::quality::{Evaluation, Evaluator};
use lowland_base::{Result, Run};
use ndarray::{Array2, s};
use serde::{Deserialize, Serialize};

/// What a picture needs: some of the points, the same for all cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// The first two components of each, or one and 0.
    pub positions: Vec<[f64; 2]>,
    /// The trustworthiness of each point's neighborhood in the picture.
    pub trustworthiness: Vec<f64>,
    /// Its continuity.
    pub continuity: Vec<f64>,
    /// The mean of both in all components, where there are more than the picture shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept_all_components: Vec<f64>,
    /// Distances in the embedding between some pairs, by which two embeddings are compared.
    pub sampled_distances: Vec<f64>,
}

/// How far a picture can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PictureQuality {
    /// The trustworthiness of the two components that are drawn.
    pub trustworthiness: f64,
    /// Their continuity.
    pub continuity: f64,
    /// The share of the picture that half of the points take up.
    pub half_share: f64,
    /// Whether that is next to nothing: there is nothing to see.
    pub collapsed: bool,
}

impl PictureQuality {
    /// The mean of trustworthiness and continuity.
    pub fn kept(&self) -> f64 {
        self.trustworthiness / 2.0 + self.continuity / 2.0
    }
}

/// Judges the first two components and keeps what a picture needs.
pub(super) fn judge(
    data: AnyInput<'_>,
    embedding: &Array2<f64>,
    found: &Evaluation,
    evaluator: &Evaluator<'_>,
    (figures, most): (Figures, usize),
    run: &Run,
) -> Result<(Picture, PictureQuality)> {
    let flat = if embedding.ncols() > 2 && figures == Figures::All {
        let two = embedding.slice(s![.., ..2]).to_owned();
        Some(Evaluator { labels: None, ..*evaluator }.evaluate(data, AnyInput::from(&two), run)?)
    } else {
        None
    };
    let drawn = flat.as_ref().unwrap_or(found);
    let points = &drawn.per_point;
    let shown = shown(points.rows.len(), most, run);
    let row = |at: usize| embedding.row(points.rows[at] as usize);
    let position = |&at: &usize| [0, 1].map(|j| row(at).get(j).copied().map_or(0.0, rounded));
    let short = |values: &[f64]| -> Vec<f64> { shown.iter().map(|&at| rounded(values[at])).collect() };
    let positions: Vec<[f64; 2]> = shown.iter().map(position).collect();
    let kept_all_components = match flat {
        Some(_) => {
            let both = found.per_point.trustworthiness.iter().zip(&found.per_point.continuity);
            short(&both.map(|(t, c)| t / 2.0 + c / 2.0).collect::<Vec<f64>>())
        }
        None => Vec::new(),
    };
    let sampled_distances = (0..SAMPLED_PAIRS)
        .filter(|_| shown.len() > 1)
        .map(|pair| {
            let (a, b) = sampled_pair(pair, shown.len());
            let (a, b) = (row(shown[a]), row(shown[b]));
            let largest = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let sum: f64 =
                a.iter().zip(b).map(|(a, b)| ((a - b) / largest.max(f64::MIN_POSITIVE)).powi(2)).sum();
            rounded(largest * sum.sqrt())
        })
        .collect();
    let (half_share, collapsed) = crowding(&positions, embedding.ncols());
    let value = |name: &str| drawn.get(name).map_or(f64::NAN, |estimate| estimate.value);
    let quality = PictureQuality {
        trustworthiness: value("trustworthiness"),
        continuity: value("continuity"),
        half_share,
        collapsed,
    };
    let picture = Picture {
        positions,
        trustworthiness: short(&points.trustworthiness),
        continuity: short(&points.continuity),
        kept_all_components,
        sampled_distances,
    };
    Ok((picture, quality))
}

/// Pairs of points by whose distances embeddings are compared.
const SAMPLED_PAIRS: usize = 300;

/// Two different points of `n`, spread evenly.
fn sampled_pair(pair: usize, n: usize) -> (usize, usize) {
    let first = (pair * n) / SAMPLED_PAIRS % n;
    let step = 1 + (pair * 7919) % (n - 1);
    (first, (first + step) % n)
}

/// Embeddings with distances that differ by less than this, as a share of their root mean square, are the same but for
/// their position, orientation and scale.
const SAME: f64 = 2e-3;

/// Whether two embeddings are the same but for their position, orientation and scale.
pub(super) fn coincide(a: &Picture, b: &Picture) -> bool {
    let (Some(a), Some(b)) = (unit(&a.sampled_distances), unit(&b.sampled_distances)) else { return false };
    let off = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    a.len() == b.len() && off.sqrt() < SAME
}

/// Of length 1.
fn unit(sampled_distances: &[f64]) -> Option<Vec<f64>> {
    let largest = sampled_distances.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return None;
    }
    let length = sampled_distances.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
    Some(sampled_distances.iter().map(|x| x / largest / length).collect())
}

/// Cells of a picture along each side, and of the line of a single component.
const SIDE: usize = 32;
const LINE: usize = 1024;
/// Half of the points in this share of the picture or less, and far less than one cell each, is next to nothing: a normal
/// distribution has 8 %.
const NOTHING: f64 = 0.007;
const DENSE: f64 = 0.2;

/// The share of the picture that half of the points take up, in the fewest cells that hold them, and whether that is next
/// to nothing. Few points cannot fill all cells: they could take up one each.
fn crowding(positions: &[[f64; 2]], components: usize) -> (f64, bool) {
    let (across, up) = if components > 1 { (SIDE, SIDE) } else { (LINE, 1) };
    let span = |axis: usize| {
        positions
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p[axis]), high.max(p[axis])))
    };
    let spans = [span(0), span(1)];
    // As it is drawn: both axes have one scale.
    let width = spans.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
    if positions.len() < 3 {
        return (1.0, false);
    }
    if width == 0.0 || !width.is_finite() {
        return (0.0, true);
    }
    let mut counts = vec![0_usize; across * up];
    for position in positions {
        let cell = |axis: usize, cells: usize| {
            (((position[axis] - spans[axis].0) / width * cells as f64) as usize).min(cells - 1)
        };
        counts[cell(1, up) * across + cell(0, across)] += 1;
    }
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let half = positions.len().div_ceil(2);
    let mut held = 0;
    let needed = counts
        .iter()
        .take_while(|&&count| {
            let more = held < half;
            held += count;
            more
        })
        .count();
    let most = (across * up).min(positions.len()) as f64;
    let few = (needed as f64) <= (NOTHING * most).max(1.0);
    (needed as f64 / most, few && (needed as f64) < DENSE * half as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_spots_have_collapsed_and_squares_and_curves_have_not() {
        let square: Vec<[f64; 2]> = (0..400).map(|i| [f64::from(i % 20), f64::from(i / 20)]).collect();
        let curve: Vec<[f64; 2]> = (0..400).map(|i| [f64::from(i).cos(), f64::from(i).sin()]).collect();
        for picture in [&square, &curve] {
            assert!(!crowding(picture, 2).1, "{:?}", crowding(picture, 2));
        }
        // A tenth of the points on rays, the others where they begin.
        let rays: Vec<[f64; 2]> = (0..400)
            .map(|i| match i % 10 {
                0 => [f64::from(i), 0.0],
                5 => [0.0, f64::from(i)],
                _ => [f64::from(i % 7) * 0.01, f64::from(i % 3) * 0.01],
            })
            .collect();
        // Four clusters, each in a spot.
        let spots: Vec<[f64; 2]> =
            (0..400).map(|i| [f64::from(i % 2) + 1e-4 * f64::from(i % 9), f64::from(i / 2 % 2)]).collect();
        for picture in [&rays, &spots] {
            assert!(crowding(picture, 2).1, "{:?}", crowding(picture, 2));
        }
        let line: Vec<[f64; 2]> = (0..400).map(|i| [f64::from(i), 0.0]).collect();
        assert!(!crowding(&line, 1).1 && !crowding(&line, 2).1);
        assert!(!crowding(&[], 2).1 && !crowding(&square[..8], 2).1);
        assert!(crowding(&[[1.0, 1.0]; 30], 2).1);
    }

    #[test]
    fn turned_and_scaled_embeddings_are_the_same() {
        let picture = |sampled_distances: Vec<f64>| Picture {
            positions: Vec::new(),
            trustworthiness: Vec::new(),
            continuity: Vec::new(),
            kept_all_components: Vec::new(),
            sampled_distances,
        };
        let sampled_distances: Vec<f64> = (0..SAMPLED_PAIRS).map(|i| 1.0 + (i as f64 * 0.7).sin()).collect();
        let scaled = picture(sampled_distances.iter().map(|x| 1e-200 * x).collect());
        let other = picture(sampled_distances.iter().map(|x| x * x).collect());
        let own = picture(sampled_distances);
        assert!(coincide(&own, &scaled) && !coincide(&own, &other));
        assert!(!coincide(&picture(vec![0.0; 5]), &picture(vec![0.0; 5])));
    }
}
