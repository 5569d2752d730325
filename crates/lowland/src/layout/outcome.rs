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
    /// What a descent of so many iterations ends with.
    pub(crate) fn finished(
        embedding: Mat<f64>,
        loss: f64,
        history: Vec<(usize, f64)>,
        iterations: usize,
        stopped: bool,
    ) -> Self {
        let mut layout = Self { embedding, loss, history, iterations, stopped };
        layout.set_loss(loss);
        layout
    }

    /// Puts the loss of coordinates that were changed after the descent in the place of the last one.
    pub(crate) fn set_loss(&mut self, loss: f64) {
        self.loss = loss;
        enter(&mut self.history, self.iterations, loss);
    }
}

/// Enters the loss after an iteration in place of what is known of it and of later ones.
pub(crate) fn enter(history: &mut Vec<(usize, f64)>, iteration: usize, loss: f64) {
    history.retain(|entry| entry.0 < iteration);
    history.push((iteration, loss));
}
