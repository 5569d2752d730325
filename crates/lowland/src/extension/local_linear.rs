//! The rule: weights over the neighbors of a new point, and its image by them.

use super::{IndexedPoints, Reconstruction, Tangent};
use crate::InputKind;
use crate::model::Archive;
use crate::spectral::{Relation, Rule, Source};
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
    relation: Relation,
    /// All distances between the training objects, where a row holds distances to them.
    between: Option<Array2<f64>>,
    k: usize,
    weights: Weights,
}

impl LocalLinear {
    /// By the `k` nearest points, in the geometry of the straight line.
    pub fn new(points: Array2<f64>, k: usize, weights: Weights) -> Self {
        let relation = Relation::Points(IndexedPoints::new(points, Metric::Euclidean));
        Self { relation, between: None, k, weights }
    }

    /// By the `k` nearest of objects that are known by the distances between them, with the weights that reconstruct: a
    /// new row holds its distances to them.
    pub fn by_distances(between: Array2<f64>, k: usize, reg: f64) -> Self {
        let relation =
            Relation::Columns { kind: InputKind::Distances, columns: (0..between.nrows()).collect() };
        Self { relation, between: Some(between), k, weights: Weights::Reconstruction { reg } }
    }

    /// The same rule from the images of the points.
    pub fn turned(&self, images: Array2<f64>) -> Self {
        Self::new(images, self.k, self.weights)
    }

    /// The number of training points.
    pub fn len(&self) -> usize {
        self.relation.len()
    }

    /// What a new row says about the training objects.
    pub fn relation(&self) -> &Relation {
        &self.relation
    }

    pub fn relation_mut(&mut self) -> &mut Relation {
        &mut self.relation
    }

    /// The training objects.
    pub fn objects(&self) -> Option<Source> {
        match (&self.between, self.relation.points()) {
            (Some(between), _) => Some(Source::Distances(between.clone())),
            (None, points) => points.map(|points| Source::Points(points.to_owned())),
        }
    }

    /// The weights of each new point.
    pub fn weights(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<Vec<Weighted>> {
        let lists = self.relation.neighbors(Rule::Nearest(self.k), queries, run)?;
        let none = ArrayView2::from(&[[]; 0]);
        let points = self.relation.points().unwrap_or(none);
        let between = self.between.as_ref().map(|between| between.view());
        let parts = parallel::map_chunks(run, lists.len(), POINTS, |range| {
            let (mut tangent, mut solver) = (Tangent::default(), Reconstruction::default());
            let (mut list, mut to, mut weights) = (Vec::new(), Vec::new(), Vec::new());
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
                match (self.weights, &between) {
                    (Weights::Reconstruction { reg }, Some(between)) => {
                        to.clear();
                        to.extend(near.iter().map(|&(_, distance)| distance));
                        weights.clear();
                        weights.extend_from_slice(solver.weights_by_distances(between, &list, &to, reg));
                    }
                    (Weights::Reconstruction { reg }, None) => {
                        weights.clear();
                        weights.extend_from_slice(solver.weights(&points, &list, queries.row(query), reg));
                    }
                    (Weights::Tangent { dimensions }, _) => {
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
        self.relation.save(prefix, archive);
        if let Some(between) = &self.between {
            archive.put(&name("between"), between.clone());
        }
    }

    /// From a model file, of points with so many features.
    pub fn load(prefix: &str, features: usize, archive: &Archive) -> Result<Self> {
        let name = |what: &str| format!("{prefix}{what}");
        let broken = |problem: String| Err(Error::ModelFile { problem });
        let count = archive.count(&name("anchors"))?;
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
        let relation = Relation::load(prefix, count, features, Metric::Euclidean, archive)?;
        let between = match &relation {
            Relation::Points(_) => None,
            Relation::Columns { kind: InputKind::Distances, .. }
                if matches!(weights, Weights::Reconstruction { .. }) =>
            {
                Some(archive.matrix(&name("between"), (count, count))?)
            }
            Relation::Columns { kind, .. } => return broken(format!("its rows are {kind}")),
            Relation::Edges { .. } => return broken("its rows are edges of a graph".into()),
        };
        Ok(Self { relation, between, k, weights })
    }
}
