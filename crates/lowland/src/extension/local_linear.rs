//! The rule: weights over the neighbors of a new point, and its image by them.

use super::{IndexedPoints, Reconstruction, Tangent};
use crate::model::Archive;
use lowland_base::{Error, Result, Run, parallel};
use lowland_neighbors::Metric;
use ndarray::{Array2, ArrayView2};

/// New points that one task works on.
const POINTS: usize = 64;

/// Training points and what each of them weighs in the description of a new point.
pub(crate) type Weighted = Vec<(u32, f64)>;

/// Where the weights of a new point come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Weights {
    /// Those that best reconstruct it (Saul and Roweis 2003). They are the kernel `c I - M` of LLE in the limit of a
    /// large `c`, divided by `c` (Bengio 2.6 and 3.1).
    Reconstruction {
        /// The ridge, relative to the trace of the local Gram matrix.
        reg: f64,
    },
    /// Those of the affine map that is fitted to the tangent coordinates of its neighbors.
    Tangent {
        /// The dimension of the tangent space.
        dimensions: usize,
    },
}

/// The local-linear extension from training points to whatever images they have.
pub(crate) struct LocalLinear {
    points: IndexedPoints,
    k: usize,
    weights: Weights,
}

impl LocalLinear {
    /// By the `k` nearest points, in the geometry of the straight line.
    pub fn new(points: Array2<f64>, k: usize, weights: Weights) -> Self {
        Self { points: IndexedPoints::new(points, Metric::Euclidean), k, weights }
    }

    /// The same rule from the images of the points.
    pub fn turned(&self, images: Array2<f64>) -> Self {
        Self::new(images, self.k, self.weights)
    }

    /// The number of training points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    pub fn points(&self) -> &IndexedPoints {
        &self.points
    }

    /// The weights of each new point.
    pub fn weights(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Vec<Weighted>> {
        let lists = self.points.nearest(queries, self.k, run)?;
        let points = self.points.view();
        let parts = parallel::map_chunks(run, lists.len(), POINTS, |range| {
            let (mut tangent, mut solver) = (Tangent::default(), Reconstruction::default());
            let (mut list, mut weights) = (Vec::new(), Vec::new());
            let mut rows: Vec<Weighted> = Vec::with_capacity(range.len());
            for query in range {
                let near = &lists[query];
                // A new point that coincides with a training point has the image of that.
                if let Some(&(same, _)) = near.first().filter(|near| near.1 == 0.0) {
                    rows.push(vec![(same, 1.0)]);
                    continue;
                }
                list.clear();
                list.extend(near.iter().map(|&(point, _)| point));
                match self.weights {
                    Weights::Reconstruction { reg } => {
                        weights.clear();
                        weights.extend_from_slice(solver.weights(&points, &list, queries.row(query), reg));
                    }
                    Weights::Tangent { dimensions } => {
                        tangent.weights(&points, &list, queries.row(query), dimensions, &mut weights);
                    }
                }
                rows.push(list.iter().copied().zip(weights.iter().copied()).collect());
            }
            rows
        })?;
        Ok(parts.concat())
    }

    /// The image of each new point, where `images` are those of the training points, one a row.
    pub fn extend(
        &self,
        queries: ArrayView2<'_, f64>,
        images: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Array2<f64>> {
        let mut out = Array2::zeros((queries.nrows(), images.ncols()));
        for (mut out, weights) in out.rows_mut().into_iter().zip(self.weights(queries, run)?) {
            for (point, weight) in weights {
                out.scaled_add(weight, &images.row(point as usize));
            }
        }
        Ok(out)
    }

    /// Into a model file, under names that begin with `prefix`.
    pub fn save(&self, prefix: &str, archive: &mut Archive) {
        let name = |what: &str| format!("{prefix}{what}");
        let (word, number) = match self.weights {
            Weights::Reconstruction { reg } => ("reconstruction", reg),
            Weights::Tangent { dimensions } => ("tangent", dimensions as f64),
        };
        archive.put_fact(&name("anchors"), self.len());
        archive.put_fact(&name("n_neighbors"), self.k);
        archive.put_fact(&name("weights_by"), word);
        archive.put_fact(&name("weights_with"), number);
        self.points.save(&name("points"), archive);
    }

    /// From a model file, of points with so many features.
    pub fn load(prefix: &str, features: usize, archive: &Archive) -> Result<Self> {
        let name = |what: &str| format!("{prefix}{what}");
        let broken = |problem: String| Err(Error::ModelFile { problem });
        let shape = (archive.count(&name("anchors"))?, features);
        let number = archive.number(&name("weights_with"))?;
        let weights = match archive.word(&name("weights_by"))? {
            _ if !(0.0..1e9).contains(&number) => return broken(format!("its weights come with {number}")),
            "reconstruction" => Weights::Reconstruction { reg: number },
            "tangent" => Weights::Tangent { dimensions: number as usize },
            other => return broken(format!("it names unknown weights '{other}'")),
        };
        let k = archive.count(&name("n_neighbors"))?;
        if k == 0 {
            return broken("it has 0 neighbors".into());
        }
        let points = IndexedPoints::load(&name("points"), shape, Metric::Euclidean, archive)?;
        Ok(Self { points, k, weights })
    }
}
