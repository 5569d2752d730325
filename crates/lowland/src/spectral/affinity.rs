//! From the lengths of edges to affinities, and the affinities of a new point to the training points (Bengio 2.3-2.4,
//! Maaten 3.1.5 and 3.2.2).

use super::anchors::{KernelRows, SparseRow};
use super::stored::{load_graph, save_graph};
use super::{Anchors, KnownRows, Neighborhood, Relation};
use crate::choices;
use crate::extension::Neighbors;
use crate::model::Archive;
use lowland_base::{Csr, Error, Result, Run};
use lowland_neighbors::Graph;
use ndarray::{ArrayView1, ArrayView2};

choices! {
    /// How the weight of an edge follows from its length.
    pub enum Affinity {
        /// `exp(-d^2 / (2 s^2))`, the width `s` the same for all; at least 1e-10 between neighbors.
        Gaussian = "gaussian" | "rbf" | "heat",
        /// `exp(-d^2 / (s_i s_j))`, each `s` the distance to the seventh neighbor (Zelnik-Manor and Perona
        /// 2004); at least 1e-10.
        Local = "local" | "self-tuning",
        /// 1 for neighbors, 0 for others.
        Binary = "binary" | "nearest-neighbors" | "connectivity",
    }
}

/// The neighbor that sets a local width (Zelnik-Manor and Perona 2004).
pub(crate) const SEVENTH: usize = 7;
/// The least affinity of an edge, however long it is: without it, a connected graph would fall apart by rounding, and
/// points far away would be connected components by themselves.
const LEAST: f64 = 1e-10;

/// How affinities follow from the lengths of edges, fitted to a graph.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FittedAffinity {
    Binary,
    Gaussian {
        width: f64,
    },
    Local {
        widths: Vec<f64>,
    },
    /// The numbers given are affinities already.
    Given,
}

impl FittedAffinity {
    /// Fits the rule. A width of `None` is the median length of an edge.
    pub fn fit(affinity: Affinity, width: Option<f64>, graph: &Graph<f64>) -> Self {
        match affinity {
            Affinity::Binary => Self::Binary,
            Affinity::Gaussian => Self::Gaussian { width: width.unwrap_or_else(|| median_length(graph)) },
            Affinity::Local => {
                let width = |i: usize| {
                    let mut lengths = graph.neighbors(i).1.to_vec();
                    lengths.sort_by(f64::total_cmp);
                    seventh(&lengths)
                };
                Self::Local { widths: (0..graph.len()).map(width).collect() }
            }
        }
    }

    /// The affinity of an edge of this length from a point of this width to training point `to`.
    fn of(&self, length: f64, width_of_point: f64, to: usize) -> f64 {
        let affinity = match self {
            Self::Binary => 1.0,
            Self::Gaussian { width } => gaussian(length, *width, *width, 0.5),
            Self::Local { widths } => gaussian(length, width_of_point, widths[to], 1.0),
            Self::Given => return length,
        };
        affinity.max(LEAST)
    }

    /// The affinities of all edges of a graph, with these loops (none where empty).
    pub fn weights(&self, graph: &Graph<f64>, loops: &[f64]) -> Result<Csr<f64>> {
        let n = graph.len();
        let lengths = graph.distances();
        let entries = lengths.nnz() + loops.len();
        let (mut offsets, mut columns, mut values) =
            (Vec::with_capacity(n + 1), Vec::with_capacity(entries), Vec::with_capacity(entries));
        offsets.push(0);
        for i in 0..n {
            let width = if let Self::Local { widths } = self { widths[i] } else { 0.0 };
            let (to, lengths) = graph.neighbors(i);
            let before = to.partition_point(|&j| (j as usize) < i);
            for (entry, (&j, &length)) in to.iter().zip(lengths).enumerate() {
                if entry == before && !loops.is_empty() {
                    columns.push(i as u32);
                    values.push(loops[i]);
                }
                columns.push(j);
                values.push(self.of(length, width, j as usize));
            }
            if before == to.len() && !loops.is_empty() {
                columns.push(i as u32);
                values.push(loops[i]);
            }
            offsets.push(columns.len());
        }
        Csr::new(n, n, offsets, columns, values)
    }
}

/// `exp(-share d^2 / (a b))`; 1 for points that coincide.
fn gaussian(length: f64, a: f64, b: f64, share: f64) -> f64 {
    if length == 0.0 { 1.0 } else { (-share * (length / a) * (length / b)).exp() }
}

/// The seventh of ascending lengths that are not zero, or the last; 1 where all are.
fn seventh(lengths: &[f64]) -> f64 {
    let apart = &lengths[lengths.partition_point(|&length| length == 0.0)..];
    apart.get(SEVENTH - 1).or(apart.last()).copied().unwrap_or(1.0)
}

/// The median length of the edges between different points; 1 where there are none.
pub(crate) fn median_length(graph: &Graph<f64>) -> f64 {
    let mut lengths: Vec<f64> =
        graph.distances().values().iter().copied().filter(|&length| length > 0.0).collect();
    if lengths.is_empty() {
        return 1.0;
    }
    let middle = lengths.len() / 2;
    *lengths.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// The number of points that all of their neighbors coincide with: which of them are neighbors was decided by their order.
pub(crate) fn only_duplicate_neighbors(graph: &Graph<f64>) -> usize {
    let same = |i: &usize| {
        let lengths = graph.neighbors(*i).1;
        !lengths.is_empty() && lengths.iter().all(|&length| length == 0.0)
    };
    (0..graph.len()).filter(same).count()
}

/// Training points and their affinities; a new point has edges to its neighbors.
pub(crate) struct AffinityAnchors {
    pub neighborhood: Neighborhood,
    pub relation: Relation,
    pub affinity: FittedAffinity,
    /// The affinities between training points, loops included: a new row that equals one of them is that point.
    weights: KnownRows,
}

impl AffinityAnchors {
    pub fn new(
        neighborhood: Neighborhood,
        relation: Relation,
        affinity: FittedAffinity,
        weights: Csr<f64>,
    ) -> Self {
        Self { neighborhood, relation, affinity, weights: KnownRows::of_affinities(weights) }
    }

    pub fn load(
        neighborhood: Neighborhood,
        prefix: &str,
        features: usize,
        archive: &Archive,
    ) -> Result<Self> {
        let name = |what: &str| format!("{prefix}{what}");
        let n = archive.count(&name("vertices"))?;
        let relation = Relation::load(prefix, n, features, neighborhood.metric, archive)?;
        let affinity = match archive.word(&name("affinity"))? {
            "binary" => FittedAffinity::Binary,
            "gaussian" => FittedAffinity::Gaussian { width: archive.number(&name("width"))? },
            "local" => FittedAffinity::Local { widths: archive.vector(&name("widths"), n)?.to_vec() },
            "given" => FittedAffinity::Given,
            other => {
                return Err(Error::ModelFile { problem: format!("it names an unknown affinity '{other}'") });
            }
        };
        Ok(Self::new(neighborhood, relation, affinity, load_graph(prefix, n, archive)?))
    }
}

impl Anchors for AffinityAnchors {
    fn len(&self) -> usize {
        self.weights.rows().nrows()
    }

    fn relation(&self) -> &Relation {
        &self.relation
    }

    fn relation_mut(&mut self) -> &mut Relation {
        &mut self.relation
    }

    fn rows(&self, queries: ArrayView2<'_, f64>, run: &Run) -> Result<KernelRows> {
        if let (FittedAffinity::Given, Some(columns)) = (&self.affinity, self.relation.similarities()) {
            let affinities = |row: ArrayView1<'_, f64>| {
                let entries = columns.iter().enumerate().map(|(j, &c)| (j as u32, row[c]));
                let entries: Vec<(u32, f64)> = entries.filter(|entry| entry.1 > 0.0).collect();
                SparseRow { known: self.weights.find(&entries), entries }
            };
            return Ok(KernelRows::Sparse(queries.rows().into_iter().map(affinities).collect()));
        }
        let lists = self.relation.neighbors(self.neighborhood.rule, queries, run)?;
        let affinities = |list: Neighbors| match list.first() {
            // A new point that coincides with a training point has its affinities.
            Some(&(same, 0.0)) => {
                SparseRow { entries: self.weights.row(same as usize).collect(), known: vec![same as usize] }
            }
            _ => {
                let lengths: Vec<f64> = list.iter().map(|entry| entry.1).collect();
                let width = seventh(&lengths);
                let affinity = |(j, length)| (j, self.affinity.of(length, width, j as usize));
                SparseRow { entries: list.into_iter().map(affinity).collect(), known: Vec::new() }
            }
        };
        Ok(KernelRows::Sparse(lists.into_iter().map(affinities).collect()))
    }

    fn affinities(&self) -> Option<&Csr<f64>> {
        Some(self.weights.rows())
    }

    fn save(&self, prefix: &str, archive: &mut Archive) {
        let name = |what: &str| format!("{prefix}{what}");
        archive.put_fact(&name("vertices"), self.len());
        self.relation.save(prefix, archive);
        let word = match &self.affinity {
            FittedAffinity::Binary => "binary",
            FittedAffinity::Gaussian { width } => {
                archive.put_fact(&name("width"), *width);
                "gaussian"
            }
            FittedAffinity::Local { widths } => {
                archive.put_vector(&name("widths"), widths);
                "local"
            }
            FittedAffinity::Given => "given",
        };
        archive.put_fact(&name("affinity"), word);
        save_graph(prefix, self.weights.rows(), archive);
    }
}

/// Refuses similarities below zero; the first of the rows is row `start`.
pub(crate) fn refuse_negative(similarities: ArrayView2<'_, f64>, start: usize) -> Result<()> {
    let Some(((row, column), value)) = similarities.indexed_iter().find(|entry| *entry.1 < 0.0) else {
        return Ok(());
    };
    let row = start + row;
    let problem = format!("similarity ({row}, {column}) is {value}, but must be 0 or more");
    Err(Error::malformed("matrix of similarities", problem, "correct it first"))
}
