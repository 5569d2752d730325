//! Where a descent begins: at coordinates, or at a checkpoint that it goes on from.

use super::points::to_matrix;
use crate::method::Training;
use faer::{Mat, MatRef};
use lowland_base::{Checkpoint, Error, FitIdentity, Result, Scalar, units};

/// The first layout of a descent, and the order in which the user gave its points.
#[derive(Debug, Clone, Copy)]
pub struct InitialLayout<'a> {
    /// One point a row.
    pub layout: MatRef<'a, f64>,
    /// Row `i` of the layout is row `order[i]` of the input; `None` where they are the same.
    pub order: Option<&'a [usize]>,
    /// What the descent remembers of the iterations before, in the order of the input.
    pub checkpoint: Option<&'a Checkpoint>,
}

impl<'a> From<MatRef<'a, f64>> for InitialLayout<'a> {
    fn from(layout: MatRef<'a, f64>) -> Self {
        Self { layout, order: None, checkpoint: None }
    }
}

impl Training<'_, '_> {
    /// A descent on these data that begins at a layout of its own: row `i` of it is row `order[i]` of the input.
    pub(crate) fn initial<'a>(&'a self, layout: MatRef<'a, f64>, order: &'a [usize]) -> InitialLayout<'a> {
        InitialLayout { layout, order: Some(order), checkpoint: self.checkpoint }
    }
}

impl InitialLayout<'_> {
    /// Refuses a layout of another number of points.
    pub fn check(&self, points: usize) -> Result<()> {
        let rows = self.layout.nrows();
        if rows == points {
            return Ok(());
        }
        let problem = format!(
            "{} in the start of the layout for {}",
            units::count(rows, "row"),
            units::count(points, "point")
        );
        Err(Error::malformed("start of the layout", problem, "give one row for each point"))
    }

    /// How many iterations are behind it, of at most so many, which the parameter of this name says.
    pub fn iteration(&self, limit: usize, parameter: &str) -> Result<usize> {
        let behind = self.checkpoint.map_or(0, |checkpoint| checkpoint.iteration);
        if behind <= limit {
            return Ok(behind);
        }
        let iterations = units::count(behind, "iteration");
        let are = units::one_or_many(behind, "is", "are");
        let problem =
            format!("{iterations} {are} behind the checkpoint, and the descent would end after {limit}");
        Err(Error::conflict(
            parameter,
            problem,
            format!("raise {parameter}, or start without the checkpoint"),
        ))
    }

    /// The losses before it.
    pub fn history(&self) -> Vec<(usize, f64)> {
        self.checkpoint.map(|checkpoint| checkpoint.history.clone()).unwrap_or_default()
    }

    /// What the descent remembers, `widths.len()` quantities, in the order of the layout. `None` at the first iteration.
    pub fn memory(&self, widths: &[usize]) -> Result<Option<Vec<Mat<f64>>>> {
        let Some(checkpoint) = self.checkpoint.filter(|checkpoint| checkpoint.iteration > 0) else {
            return Ok(None);
        };
        let shapes = checkpoint.memory.iter().map(Mat::shape);
        if !shapes.eq(widths.iter().map(|&width| (self.layout.nrows(), width))) {
            let problem = "the checkpoint is of another method, or of other data";
            return Err(Error::malformed("checkpoint", problem, "start without it"));
        }
        Ok(Some(checkpoint.memory.iter().map(|values| self.of_layout(values)).collect()))
    }

    /// A checkpoint of the layout so far.
    pub fn checkpoint<T: Scalar, const D: usize>(
        &self,
        (iteration, loss): (usize, f64),
        history: &[(usize, f64)],
        layout: &[[T; D]],
        memory: Vec<Mat<f64>>,
    ) -> Checkpoint {
        Checkpoint {
            iteration,
            loss,
            layout: self.of_input(to_matrix(layout, self.layout.ncols())),
            memory: memory.into_iter().map(|values| self.of_input(values)).collect(),
            history: history.to_vec(),
            of: FitIdentity::default(),
        }
    }

    fn of_layout(&self, values: &Mat<f64>) -> Mat<f64> {
        match self.order {
            None => values.clone(),
            Some(order) => Mat::from_fn(values.nrows(), values.ncols(), |i, c| values[(order[i], c)]),
        }
    }

    fn of_input(&self, values: Mat<f64>) -> Mat<f64> {
        let Some(order) = self.order else { return values };
        let mut out = Mat::zeros(values.nrows(), values.ncols());
        for (i, &row) in order.iter().enumerate() {
            (0..values.ncols()).for_each(|c| out[(row, c)] = values[(i, c)]);
        }
        out
    }
}
