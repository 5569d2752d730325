//! From eigenvectors of a Laplacian to coordinates, and what is reported about them.

use super::{GraphRecipe, Laplacian, Output};
use crate::matrix::to_array;
use crate::model::{Quantity, Report};
use crate::spectral::Spectrum;
use lowland_base::{Error, Result};
use lowland_linalg::Eigenpairs;
use ndarray::Array2;

/// An eigenvalue of the walk below this cannot be divided by.
const SMALLEST_WALK: f64 = 1e-12;
/// An eigenvalue of less than so many times its error cannot be inverted.
const UNRESOLVED: f64 = 100.0;

impl GraphRecipe {
    /// Coordinates, and the map that gives them from normalized rows.
    pub(super) fn spectrum(&self, found: &Eigenpairs<f64>, degrees: &[f64]) -> Result<Spectrum> {
        let n = degrees.len() as f64;
        let volume: f64 = degrees.iter().sum();
        let vectors: Array2<f64> = to_array(found.vectors.as_ref());
        let (mut coordinates, mut map) = (vectors.clone(), vectors);
        let mut weights = Vec::new();
        self.resolved(found, degrees)?;
        for (c, &m) in found.values.iter().enumerate() {
            // The eigenvalue of the walk; for the unnormalized Laplacian that of a walk on even degrees.
            let walk = match self.laplacian {
                Laplacian::Unnormalized => 1.0 - m * n / volume,
                _ => 1.0 - m,
            };
            let factor = match self.output {
                Output::Unit => 1.0,
                Output::Diffusion(t) => walk.signum() * walk.abs().powf(t),
                Output::Commute => (volume / m).sqrt(),
                Output::Heat(t) => (-0.5 * t * m).exp(),
            };
            let unit = if self.output == Output::Unit { n.sqrt() } else { 1.0 };
            let back = if walk.abs() > SMALLEST_WALK { 1.0 / walk } else { 0.0 };
            for (i, &d) in degrees.iter().enumerate() {
                let entry = coordinates[(i, c)];
                let (scale, share) = match self.laplacian {
                    // A vertex without edges is at the origin.
                    Laplacian::RandomWalk if d > 0.0 => ((volume / d).sqrt(), d / volume),
                    Laplacian::RandomWalk => (0.0, 0.0),
                    _ => (unit, 1.0),
                };
                coordinates[(i, c)] = entry * scale * factor;
                map[(i, c)] = entry * scale * factor * share * back;
            }
            weights.push(match self.laplacian {
                Laplacian::RandomWalk => walk / (factor * factor).max(f64::MIN_POSITIVE),
                Laplacian::Symmetric => walk / (unit * factor).powi(2),
                Laplacian::Unnormalized => 0.0,
            });
        }
        Ok(Spectrum {
            values: found.values.clone(),
            residuals: found.residuals.clone(),
            coordinates,
            map,
            weights,
            further: Vec::new(),
            shift: 0.0,
            warnings: Vec::new(),
        })
    }

    /// Commute times are inverses of eigenvalues: they are unknown where those are rounding.
    fn resolved(&self, found: &Eigenpairs<f64>, degrees: &[f64]) -> Result<()> {
        let largest = degrees.iter().fold(0.0f64, |largest, &d| largest.max(d));
        let norm = if self.laplacian == Laplacian::Unnormalized { 2.0 * largest } else { 2.0 };
        let unresolved = |&(&m, &r): &(&f64, &f64)| m <= UNRESOLVED * (r + norm * f64::EPSILON);
        if self.output != Output::Commute {
            return Ok(());
        }
        match found.values.iter().zip(&found.residuals).find(unresolved) {
            None => Ok(()),
            Some((&m, &r)) => {
                let rounding = r + norm * f64::EPSILON;
                let problem = format!(
                    "{m:.1e} is an eigenvalue whose inverse commute times need, and is within the rounding of {rounding:.1e}: \
                     the graph is nearly disconnected"
                );
                Err(Error::malformed(
                    "graph",
                    problem,
                    "choose heat-kernel, or connect the groups by more edges or larger weights",
                ))
            }
        }
    }

    /// From an eigenvalue of the Laplacian to that of the kernel that the embedding belongs to.
    pub(super) fn of_kernel(&self, m: f64) -> f64 {
        match self.output {
            Output::Commute => 1.0 / m,
            Output::Heat(t) => (-t * m).exp(),
            _ if self.laplacian == Laplacian::Unnormalized => m,
            _ => 1.0 - m,
        }
    }

    /// Eigenvalues of the kernel that the embedding belongs to, and what was minimized.
    pub(super) fn report(&self, found: &Eigenpairs<f64>, spectrum: &Spectrum, degrees: &[f64]) -> Report {
        let pairs = found.values.iter().zip(&found.residuals);
        let (eigenvalues, residuals) = match self.output {
            // Of L^+: |L^+ v - v / m| <= |L v - m v| / (m m_1).
            Output::Commute => {
                let least = found.values.first().copied().unwrap_or(1.0);
                pairs.map(|(&m, &r)| (1.0 / m, r / (m * least))).unzip()
            }
            // Of exp(-t L), whose derivative is at most t.
            Output::Heat(t) => pairs.map(|(&m, &r)| ((-t * m).exp(), t * r)).unzip(),
            _ if self.laplacian == Laplacian::Unnormalized => pairs.map(|(&m, &r)| (m, r)).unzip(),
            _ => pairs.map(|(&m, &r)| (1.0 - m, r)).unzip(),
        };
        let quantity = |name: &str, value: f64| Quantity { name: name.into(), value };
        let mut objective = vec![quantity("sum of Laplacian eigenvalues", found.values.iter().sum())];
        if let (Output::Diffusion(_), Some(last)) = (self.output, found.values.last()) {
            objective.push(quantity("last kept eigenvalue of the walk", 1.0 - last));
        }
        objective.push(quantity("volume", degrees.iter().sum()));
        Report { objective, eigenvalues, residuals, warnings: spectrum.warnings.clone(), ..Report::default() }
    }
}
