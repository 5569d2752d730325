//! Which of the principal directions are kept.

use super::super::smaller;
use super::Pca;
use crate::choices;
use crate::matrix::to_array;
use crate::model::{Archive, Quantity, Report, Warning};
use crate::parameters::Components;
use crate::projective::{minka, spectrum, spectrum::Spectrum};
use crate::spectral::FURTHER_EIGENVALUES;
use lowland_base::{Error, Result};
use ndarray::{Array2, Axis};
use std::ops::Range;

choices! {
    /// Which directions are kept.
    pub enum Selection {
        /// Those of largest variance.
        Leading = "leading" | "major",
        /// Those of smallest variance: what the data hardly do (minor components).
        Minor = "minor",
        /// Of both ends, those that leave the most nearly equal variances out (extreme components).
        Extreme = "extreme",
    }
}

/// Below this, the smaller variances of the same data would lose digits or vanish.
const SMALLEST_VARIANCE: f64 = 1e-304;

/// What is kept of a spectrum.
pub(super) struct Kept {
    pub rows: usize,
    pub mean: Vec<f64>,
    /// One unit direction a row; zero where the data have no more.
    pub directions: Array2<f64>,
    pub variances: Vec<f64>,
    /// The variance in all directions.
    pub total: f64,
    pub report: Report,
}

impl Kept {
    /// From a model file.
    pub fn load(archive: &Archive) -> Result<Self> {
        let (d, k, rows) = (archive.count("features")?, archive.count("components")?, archive.count("rows")?);
        if rows < 2 || k > rows.min(d) {
            let problem = format!("{} of {rows} x {d} values", lowland_base::units::count(k, "component"));
            return Err(Error::ModelFile { problem });
        }
        let variances = archive.vector("variances", k)?.to_vec();
        let total = archive.number("total_variance")?;
        if total < 0.0 || variances.iter().any(|&variance| variance < 0.0) {
            return Err(Error::ModelFile { problem: "it has a negative variance".into() });
        }
        let report = archive.report().clone();
        let (mean, directions) = (archive.vector("mean", d)?.to_vec(), archive.matrix("components", (k, d))?);
        Ok(Self { rows, mean, directions, variances, total, report })
    }

    /// The mean variance along the directions left out (Burges eq. 1.9).
    pub fn noise(&self) -> f64 {
        let (k, d) = self.directions.dim();
        let rest = self.total - self.variances.iter().sum::<f64>();
        // A rest within rounding of the total is none.
        let rounding = f64::EPSILON * d as f64 * self.total;
        if k == d || rest <= rounding { 0.0 } else { rest / (d - k) as f64 }
    }
}

impl Pca {
    /// Keeps what was asked for. Directions that rounding hides become zero, with a warning.
    pub(super) fn select(&self, spectrum: Spectrum) -> Result<Kept> {
        let d = spectrum.mean.len();
        let found = spectrum.variances.len();
        if spectrum.variances.first().is_some_and(|&v| v < SMALLEST_VARIANCE) && spectrum.spread > 0.0 {
            return Err(Error::TooSmall {
                what: "data",
                spread: spectrum.spread,
                bound: SMALLEST_VARIANCE.sqrt(),
            });
        }
        let rank = spectrum.variances.iter().take_while(|&&v| v > spectrum.resolution && v > 0.0).count();
        let kept = self.kept(&spectrum, rank);
        if let Components::Count(count) = self.n_components
            && count > found
        {
            let bound = format!("at most {found}, {}", smaller(spectrum.rows, d));
            return Err(Error::too_many_components(count, found, bound, "rows"));
        }
        // Beyond the rank the leading directions are noise; the other end of the spectrum is just what is asked for.
        let left_out = self.left_out(&spectrum, kept);
        let chosen: Vec<usize> = (0..found).filter(|j| !left_out.contains(j)).collect();
        let leading = self.select == Selection::Leading;
        let variances: Vec<f64> =
            chosen.iter().map(|&j| if j < rank { spectrum.variances[j] } else { 0.0 }).collect();
        let all: Array2<f64> = to_array(spectrum.directions.as_ref().transpose());
        let mut directions = all.select(Axis(0), &chosen);
        for j in (0..kept).filter(|&j| leading && j >= rank) {
            directions.row_mut(j).fill(0.0);
        }
        let residual = |&j: &usize| if j < rank || !leading { spectrum.residuals[j] } else { 0.0 };
        let residuals = chosen.iter().map(residual).collect();
        // All of n rows less their mean span n - 1 directions at most: that is no surprise.
        let expected = if self.n_components == Components::All { kept.min(spectrum.rows - 1) } else { kept };
        let mut warnings = Vec::new();
        if rank < expected && leading {
            let remedy = spectrum.finer.into();
            warnings.push(Warning::RankDeficient { asked: kept, rank, remedy });
        }
        let following = spectrum.variances.iter().chain(&spectrum.further).skip(kept).copied();
        let resolved = following.take_while(|&v| v > spectrum.resolution && v > 0.0);
        let further = if leading { resolved.take(FURTHER_EIGENVALUES).collect() } else { Vec::new() };
        let explained: f64 = variances.iter().sum();
        let total = spectrum.total.max(explained);
        let share = if total > 0.0 { explained / total } else { 1.0 };
        let mut objective = vec![
            Quantity { name: "explained variance".into(), value: explained },
            Quantity { name: "explained variance share".into(), value: share },
            Quantity {
                name: "mean squared reconstruction error".into(),
                value: (total - explained) * (spectrum.rows - 1) as f64 / spectrum.rows as f64,
            },
        ];
        objective.extend(spectrum::entropy(&variances).map(|value| Quantity {
            name: "entropy of the projection, were it Gaussian, in bits".into(),
            value,
        }));
        let report = Report {
            objective,
            eigenvalues: variances.clone(),
            further_eigenvalues: further,
            residuals,
            warnings,
            ..Report::default()
        };
        Ok(Kept { rows: spectrum.rows, mean: spectrum.mean, directions, variances, total, report })
    }

    /// Which of the directions found are not kept.
    fn left_out(&self, spectrum: &Spectrum, kept: usize) -> Range<usize> {
        let variances = &spectrum.variances;
        let d = variances.len();
        match self.select {
            Selection::Leading => kept..d,
            Selection::Minor => 0..d - kept,
            Selection::Extreme => {
                // The likelihood is largest where the arithmetic mean of the variances left out exceeds their geometric
                // mean least (Welling, Agakov and Williams 2004).
                let floor = variances[0] * f64::EPSILON;
                let spread = |from: usize| {
                    let out = &variances[from..from + d - kept];
                    let size = out.len().max(1) as f64;
                    let mean = out.iter().sum::<f64>() / size;
                    mean.max(floor).ln() - out.iter().map(|v| v.max(floor).ln()).sum::<f64>() / size
                };
                let from = (0..=kept).min_by(|&a, &b| spread(a).total_cmp(&spread(b)).then(b.cmp(&a)));
                let from = from.unwrap_or(kept);
                from..from + d - kept
            }
        }
    }

    /// How many of the components found are kept, by the rule that was asked for. A rule keeps none beyond the
    /// rank, for they explain nothing.
    fn kept(&self, spectrum: &Spectrum, rank: usize) -> usize {
        let found = spectrum.variances.len();
        match self.n_components {
            Components::All => found,
            Components::Count(count) => count.min(found),
            Components::Minka => minka::rank(&spectrum.variances, spectrum.rows, rank),
            Components::Variance(share) => {
                let mut sum = 0.0;
                let enough = spectrum.variances.iter().position(|variance| {
                    sum += variance;
                    sum > share * spectrum.total
                });
                enough.map_or(rank, |last| last + 1).min(rank).max(1)
            }
        }
    }
}
