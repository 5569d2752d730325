//! The closed form of probabilistic PCA (Tipping and Bishop 1999), and the rules for its number of factors.

use super::Gaussian;
use crate::parameters::{Field, Kind, Value};
use crate::projective::{minka, spectrum::Spectrum};
use ndarray::Array2;

/// How many components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dimension {
    /// As many as leave some noise: one less than the smaller of rows and columns.
    #[default]
    Auto,
    /// This many.
    Count(usize),
    /// By Minka's approximation of the evidence (2000).
    Minka,
    /// By Bishop's automatic relevance determination (1999).
    Relevance,
}

impl Field for Dimension {
    fn kind() -> Kind {
        let options = vec![
            ("mle", "the largest evidence, by Minka's approximation"),
            (
                "ard",
                "Bishop's automatic relevance determination: directions that the prior prunes are left out",
            ),
        ];
        let count = Kind::Integer { min: 1, max: i64::MAX };
        Kind::AnyOf { kinds: vec![Kind::Auto, count, Kind::Choice { options }] }
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Auto => Some(Self::Auto),
            Value::Integer(count) => usize::try_from(*count).ok().map(Self::Count),
            Value::Text(word) if word == "mle" => Some(Self::Minka),
            Value::Text(word) if word == "ard" => Some(Self::Relevance),
            _ => None,
        }
    }

    fn to_value(&self) -> Value {
        match self {
            Self::Auto => Value::Auto,
            Self::Count(count) => Value::Integer(i64::try_from(*count).unwrap_or(i64::MAX)),
            Self::Minka => Value::Text("mle".into()),
            Self::Relevance => Value::Text("ard".into()),
        }
    }
}

/// One less than the smaller of rows and columns, so that some noise is left; but at least one.
pub(crate) fn default_count(n: usize, d: usize) -> usize {
    n.min(d).saturating_sub(1).max(1)
}

/// `W = U (L - s2)^1/2` and `s2` the mean of the variances left out (Burges eqs. 1.8 and 1.9, with divisor n), and
/// the mean log-likelihood of a row.
pub(crate) fn fit(spectrum: &Spectrum, dimension: Dimension) -> (Gaussian, f64) {
    let (n, d) = (spectrum.rows as f64, spectrum.mean.len());
    let sound = spectrum.variances.iter().take_while(|&&v| v > spectrum.resolution && v > 0.0).count();
    let ml = |v: f64| v * (n - 1.0) / n;
    let variances: Vec<f64> =
        spectrum.variances.iter().enumerate().map(|(j, &v)| if j < sound { ml(v) } else { 0.0 }).collect();
    let total = ml(spectrum.total);
    let rest = |k: usize| (total - variances[..k].iter().sum::<f64>()).max(0.0);
    let noise_of = |k: usize| {
        let rest = rest(k);
        // A rest within rounding of the total is none.
        if k >= d || rest <= f64::EPSILON * d as f64 * total { 0.0 } else { rest / (d - k) as f64 }
    };
    let most = variances.len();
    let k = match dimension {
        Dimension::Count(count) => count.min(most),
        Dimension::Auto => most,
        Dimension::Minka => minka::rank(&spectrum.variances, spectrum.rows, sound).min(most),
        Dimension::Relevance => relevant(&variances, noise_of, n, d),
    };
    let noise = noise_of(k);
    let loadings = Array2::from_shape_fn((d, k), |(i, j)| {
        spectrum.directions[(i, j)] * (variances[j] - noise).max(0.0).sqrt()
    });
    let kept: f64 = variances[..k].iter().map(|v| v.max(f64::MIN_POSITIVE).ln()).sum();
    let left = if noise > 0.0 { (d - k) as f64 * noise.ln() } else { 0.0 };
    let likelihood = -0.5 * (d as f64 * (2.0 * std::f64::consts::PI).ln() + kept + left + d as f64);
    (Gaussian { mean: spectrum.mean.clone(), loadings, noise: vec![noise; d] }, likelihood)
}

/// The number of directions that Bishop's prior leaves. A direction with variance `l` has a weight `a = |w|^2`, and the
/// prior's precision is `d / a`: `n a (l - a - s2) = d (a + s2)^2` has a root only for
/// `l >= s2 (sqrt(d/n) + sqrt(1 + d/n))^2`. Directions are taken one after the other as long as the next one passes, with
/// the noise that it and all after it would make.
fn relevant(variances: &[f64], noise_of: impl Fn(usize) -> f64, n: f64, d: usize) -> usize {
    let ratio = d as f64 / n;
    let edge = (ratio.sqrt() + (1.0 + ratio).sqrt()).powi(2);
    let most = variances.len().min(d - 1);
    let passes = |&k: &usize| variances[k] > edge * noise_of(k);
    (0..most).take_while(passes).count().max(1)
}
