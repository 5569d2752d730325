//! When to look whether an iteration has converged.

/// When to look at the Ritz pairs: they cost about as much as a product with a sparse matrix, so not after each.
#[derive(Default)]
pub(super) struct Pace {
    /// The step after which to look again.
    pub next: usize,
    last: Option<(usize, f64)>,
}

impl Pace {
    /// After `products` products the worst residual was `excess` times what is wanted: extrapolates.
    pub fn note(&mut self, products: usize, excess: f64) {
        let log = excess.max(1e-300).ln();
        let wait = match self.last {
            Some((then, before)) if products > then && before > log => {
                let rate = (before - log) / (products - then) as f64;
                // A little earlier: the convergence quickens.
                (0.9 * log / rate).floor()
            }
            _ => 8.0,
        };
        self.next = products + (wait.clamp(1.0, 1e6) as usize);
        self.last = Some((products, log));
    }
}
