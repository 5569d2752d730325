//! The similarity in a UMAP layout: `1 / (1 + a d^(2b))`, fitted to one that is 1 up to `min_dist` and falls off over
//! `spread`.

use lowland_base::{Error, Result};

/// The similarity `1 / (1 + a d^(2b))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curve {
    /// How steep.
    pub a: f64,
    /// How flat at the top.
    pub b: f64,
}

impl Curve {
    /// At a squared distance.
    pub fn similarity(&self, squared: f64) -> f64 {
        1.0 / (1.0 + self.a * squared.powf(self.b))
    }

    /// The least-squares fit at 300 distances up to three spreads, as in umap-learn, by Levenberg and Marquardt's steps.
    pub fn fitted(spread: f64, min_dist: f64) -> Result<Self> {
        if !(spread > 0.0 && spread.is_finite()) {
            return Err(Error::parameter("spread", spread, "above 0", "1 is usual"));
        }
        if !(0.0..=spread).contains(&min_dist) {
            return Err(Error::parameter(
                "min_dist",
                min_dist,
                format!("0 to {spread}, the spread"),
                "0.1 is usual; raise spread with it",
            ));
        }
        let samples: Vec<(f64, f64)> = (0..300)
            .map(|i| {
                let x = 3.0 * spread * f64::from(i) / 299.0;
                (x, if x < min_dist { 1.0 } else { (-(x - min_dist) / spread).exp() })
            })
            .collect();
        let error = |curve: Self| -> f64 {
            samples.iter().map(|&(x, y)| (curve.similarity(x * x) - y).powi(2)).sum()
        };
        let mut at = Self { a: 1.0, b: 1.0 };
        let (mut least, mut damping) = (error(at), 1e-3);
        for _ in 0..500 {
            let (mut aa, mut ab, mut bb, mut ra, mut rb) = (0.0, 0.0, 0.0, 0.0, 0.0);
            for &(x, y) in samples.iter().filter(|sample| sample.0 > 0.0) {
                let f = at.similarity(x * x);
                let by_a = -f * f * x.powf(2.0 * at.b);
                let by_b = by_a * at.a * 2.0 * x.ln();
                aa += by_a * by_a;
                ab += by_a * by_b;
                bb += by_b * by_b;
                ra += by_a * (y - f);
                rb += by_b * (y - f);
            }
            let (da, db) = (aa * (1.0 + damping), bb * (1.0 + damping));
            let determinant = da * db - ab * ab;
            let next = Self {
                a: at.a + (db * ra - ab * rb) / determinant,
                b: at.b + (da * rb - ab * ra) / determinant,
            };
            let found = error(next);
            if next.a > 0.0 && next.b > 0.0 && found <= least {
                let done = (next.a - at.a).abs() + (next.b - at.b).abs() < 1e-13;
                (at, least, damping) = (next, found, damping * 0.2);
                if done {
                    break;
                }
            } else {
                damping *= 10.0;
                if damping > 1e12 {
                    break;
                }
            }
        }
        Ok(at)
    }
}
