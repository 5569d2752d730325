//! How new points are seen by the methods of local geometry: as a sum of their neighbors with weights.

use super::tangent::Tangent;
use super::weights::Reconstruction;
use crate::model::Archive;
use crate::spectral::{Anchors, Disconnected, Neighborhood, Rule, Sparse};
use lowland_base::{Result, Run, parallel};
use lowland_neighbors::Metric;
use ndarray::{Array2, ArrayView2};

/// Anchors and what each of them weighs.
type Weighed = Vec<(u32, f64)>;

/// New points that one task works on.
const POINTS: usize = 64;

/// Where the weights of a new point come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Weights {
    /// Those that best rebuild it (Saul and Roweis). They are the kernel `c I - M` of LLE in the limit of a large `c`,
    /// divided by `c` (Bengio 2.6 and 3.1).
    Rebuilding {
        /// As in the fit.
        reg: f64,
    },
    /// Those of the affine map that is fitted to its neighborhood's tangent coordinates.
    Tangent {
        /// The dimension of the tangent space.
        dimensions: usize,
    },
}

/// The training points of a model that knows its neighborhoods. The map of its piece is the embedding itself.
pub(super) struct LocalAnchors {
    pub points: Array2<f64>,
    pub k: usize,
    pub weights: Weights,
}

impl LocalAnchors {
    fn neighbors(&self, k: usize, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Vec<Weighed>> {
        euclidean(k, Disconnected::Error).among(self.points.view(), queries, run)
    }

    pub fn load(
        k: usize,
        weights: Weights,
        prefix: &str,
        features: usize,
        archive: &Archive,
    ) -> Result<Self> {
        let anchors = archive.count(&format!("{prefix}anchors"))?;
        let points = archive.matrix(&format!("{prefix}points"), (anchors, features))?;
        Ok(Self { points, k, weights })
    }
}

/// The k nearest by the straight line: the geometry of these methods is that of the rows.
pub(crate) fn euclidean(k: usize, policy: Disconnected) -> Neighborhood {
    Neighborhood { rule: Rule::Nearest(k), metric: Metric::Euclidean, policy }
}

impl Anchors for LocalAnchors {
    fn len(&self) -> usize {
        self.points.nrows()
    }

    fn rows(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        let mut out = Array2::zeros((queries.nrows(), self.len()));
        for (mut row, weights) in out.rows_mut().into_iter().zip(self.weigh(queries, run)?) {
            weights.into_iter().for_each(|(anchor, weight)| row[anchor as usize] = weight);
        }
        Ok(out)
    }

    fn sparse(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Option<Vec<Sparse>>> {
        Ok(Some(self.weigh(queries, run)?.into_iter().map(Sparse::Row).collect()))
    }

    fn nearest(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Option<Vec<f64>>> {
        let lists = self.neighbors(1, queries, run)?;
        Ok(Some(lists.iter().map(|list| list.first().map_or(f64::INFINITY, |near| near.1)).collect()))
    }

    fn save(&self, prefix: &str, archive: &mut Archive) {
        archive.put_fact(&format!("{prefix}anchors"), self.len());
        archive.put(&format!("{prefix}points"), self.points.clone());
    }
}

impl LocalAnchors {
    fn weigh(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Vec<Weighed>> {
        let lists = self.neighbors(self.k, queries, run)?;
        let points = self.points.view();
        let parts = parallel::map_chunks(run, lists.len(), POINTS, |range| {
            let (mut tangent, mut solver) = (Tangent::default(), Reconstruction::default());
            let (mut list, mut weights) = (Vec::new(), Vec::new());
            let mut rows: Vec<Weighed> = Vec::with_capacity(range.len());
            for query in range {
                let near = &lists[query];
                // Whoever is where a training point is goes where that went.
                if let Some(&(same, _)) = near.first().filter(|near| near.1 == 0.0) {
                    rows.push(vec![(same, 1.0)]);
                    continue;
                }
                list.clear();
                list.extend(near.iter().map(|&(point, _)| point));
                match self.weights {
                    Weights::Rebuilding { reg } => {
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
}
