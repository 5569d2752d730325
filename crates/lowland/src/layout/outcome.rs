//! What a descent ends with.

use faer::Mat;

/// A finished layout.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// One point a row.
    pub embedding: Mat<f64>,
    /// What was minimized, for these coordinates.
    pub loss: f64,
    /// The loss after some numbers of iterations.
    pub history: Vec<(usize, f64)>,
    /// How many iterations were made.
    pub iterations: usize,
    /// Whether an observer ended it before its time.
    pub stopped: bool,
}

impl Layout {
    /// Puts the loss of coordinates that were changed after the descent in the place of the last one.
    pub(crate) fn set_loss(&mut self, loss: f64) {
        self.loss = loss;
        self.history.retain(|entry| entry.0 < self.iterations);
        self.history.push((self.iterations, loss));
    }
}
