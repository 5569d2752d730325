//! From eigenvectors of a Laplacian to coordinates, and what is told about them.

use super::{GraphRecipe, Laplacian, Output};
use crate::matrix::to_array;
use crate::model::{Quantity, Report};
use crate::spectral::Spectrum;
use lowland_linalg::Eigenpairs;
use ndarray::Array2;

/// An eigenvalue of the walk below this cannot be divided by.
const SMALLEST_WALK: f64 = 1e-12;

impl GraphRecipe {
    /// Coordinates, and the map that gives them from normalised rows.
    pub(super) fn spectrum(&self, found: &Eigenpairs<f64>, degrees: &[f64]) -> Spectrum {
        let n = degrees.len() as f64;
        let volume: f64 = degrees.iter().sum();
        let vectors: Array2<f64> = to_array(found.vectors.as_ref());
        let (mut coordinates, mut map) = (vectors.clone(), vectors);
        let mut weights = Vec::new();
        for (c, &m) in found.values.iter().enumerate() {
            // The eigenvalue of the walk; for the unnormalised Laplacian that of a walk on even degrees.
            let walk = match self.laplacian {
                Laplacian::Unnormalised => 1.0 - m * n / volume,
                _ => 1.0 - m,
            };
            let factor = match self.output {
                Output::Unit => 1.0,
                Output::Diffusion(t) => walk.signum() * walk.abs().powf(t),
                Output::Commute => (volume / m.max(f64::MIN_POSITIVE)).sqrt(),
                Output::Heat(t) => (-0.5 * t * m).exp(),
            };
            let unit = if self.output == Output::Unit { n.sqrt() } else { 1.0 };
            let back = if walk.abs() > SMALLEST_WALK { 1.0 / walk } else { 0.0 };
            for (i, &d) in degrees.iter().enumerate() {
                let entry = coordinates[(i, c)];
                let (place, share) = match self.laplacian {
                    Laplacian::RandomWalk => ((volume / d).sqrt(), d / volume),
                    _ => (unit, 1.0),
                };
                coordinates[(i, c)] = entry * place * factor;
                map[(i, c)] = entry * place * factor * share * back;
            }
            weights.push(match self.laplacian {
                Laplacian::RandomWalk => walk / (factor * factor).max(f64::MIN_POSITIVE),
                Laplacian::Symmetric => walk / (unit * factor).powi(2),
                Laplacian::Unnormalised => 0.0,
            });
        }
        Spectrum {
            values: found.values.clone(),
            residuals: found.residuals.clone(),
            coordinates,
            map,
            weights,
            shift: 0.0,
            warnings: Vec::new(),
        }
    }

    /// Eigenvalues of the kernel that the embedding belongs to, and what was minimised.
    pub(super) fn report(&self, found: &Eigenpairs<f64>, spectrum: &Spectrum, degrees: &[f64]) -> Report {
        let pairs = found.values.iter().zip(&found.residuals);
        let (eigenvalues, residuals) = match self.output {
            // Of L^+: |L^+ v - v / m| <= |L v - m v| / (m m_1).
            Output::Commute => {
                let least = found.values.first().copied().unwrap_or(1.0).max(f64::MIN_POSITIVE);
                pairs
                    .map(|(&m, &r)| (1.0 / m.max(f64::MIN_POSITIVE), r / (m * least).max(f64::MIN_POSITIVE)))
                    .unzip()
            }
            // Of exp(-t L), whose derivative is at most t.
            Output::Heat(t) => pairs.map(|(&m, &r)| ((-t * m).exp(), t * r)).unzip(),
            _ if self.laplacian == Laplacian::Unnormalised => pairs.map(|(&m, &r)| (m, r)).unzip(),
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
