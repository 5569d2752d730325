//! The registry's line of a method: its names and texts, and what it can do.

use super::{Fit, Method, bibtex};
use crate::InputKind;
use crate::fingerprint::Fingerprint;
use crate::model::{Archive, Model, Provenance};
use crate::parameters::Parameter;
use lowland_base::{Result, Run};

/// What a method can do, for the front ends and for the conformance suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Capabilities {
    /// The kinds of input it takes.
    pub inputs: &'static [InputKind],
    /// Whether a model can go back from the embedding.
    pub inverse: bool,
    /// Whether the seed can change the embedding beyond rounding in some setting, such as landmarks that are drawn or a
    /// random start. Where it is false, the seed changes no bit, but for the last digits of a solver that starts at
    /// random. The conformance suite looks for such a setting, and for such a change.
    pub random: bool,
    /// Whether the embedding is a local optimum of its objective, which depends on the start: from data that differ in
    /// the last digits it may be another one. (Clusters that are found in an embedding do not count.)
    pub local_optimum: bool,
    /// Whether the data may come in chunks that are never held together.
    pub chunks: bool,
    /// Whether a model is a probability density of the data: likelihoods of new rows, and samples.
    pub density: bool,
    /// Whether a model is a density up to a factor that is not known: free energies of new rows, and samples.
    pub energy: bool,
    /// Whether a model is a mixture: responsibilities of its parts for new rows.
    pub mixture: bool,
    /// Whether a fit needs one label a row: see [`Method::fit_labeled`].
    pub labels: bool,
    /// Whether a fit learns from labels where there are some, and does without where there are none. A label of -1 is one
    /// that is not known.
    pub optional_labels: bool,
    /// Whether a fit may begin with given coordinates: see [`Method::fit_from`].
    pub start: bool,
    /// Whether a fit under way can be kept as a checkpoint and gone on with: see [`Method::resume`].
    pub resume: bool,
    /// Whether the edges of a graph may go one way: its rows are lists of neighbors.
    pub directed: bool,
    /// Whether NaN means a missing value, in the fit and in new rows, and a model imputes it.
    pub missing: bool,
    /// Whether NaN in given distances is a pair whose distance is not known.
    pub missing_pairs: bool,
    /// Whether the embedding is the same, up to its own units, whatever the units of the columns are.
    pub any_units: bool,
}

impl Capabilities {
    /// Points in, an embedding out, the same for every seed, and nothing beyond: what an entry starts from.
    pub const PLAIN: Self = Self {
        inputs: &[InputKind::Points],
        inverse: false,
        random: false,
        local_optimum: false,
        chunks: false,
        density: false,
        energy: false,
        mixture: false,
        labels: false,
        optional_labels: false,
        start: false,
        resume: false,
        directed: false,
        missing: false,
        missing_pairs: false,
        any_units: false,
    };
}

/// One line of the registry.
pub struct Entry {
    /// The canonical name: lower case, with hyphens.
    pub name: &'static str,
    /// Other names, those of peers among them.
    pub aliases: &'static [&'static str],
    /// The name in full.
    pub title: &'static str,
    /// One or two sentences on what it does and when to take it.
    pub summary: &'static str,
    /// The paper.
    pub citation: &'static str,
    /// What it can do.
    pub capabilities: Capabilities,
    /// Its parameters.
    pub parameters: fn() -> Vec<Parameter>,
    /// The method with its defaults.
    pub create: fn() -> Box<dyn Method>,
    /// A model from its archive.
    pub load: fn(&Archive) -> Result<Box<dyn Model>>,
}

impl Entry {
    /// What follows from the type of the method; its names and texts are still to be given.
    pub const fn of<M: Fit>() -> Self {
        Self {
            name: "",
            aliases: &[],
            title: "",
            summary: "",
            citation: "",
            capabilities: Capabilities::PLAIN,
            parameters: M::parameters,
            create: || Box::new(M::default()),
            load: |archive| {
                let method: M = archive.method(M::ENTRY.name)?;
                Ok(Box::new(method.load(archive)?))
            },
        }
    }
}

impl Entry {
    /// What a fit of this method is of.
    pub(crate) fn provenance(
        &self,
        hash: Fingerprint,
        (rows, columns): (usize, usize),
        run: &Run,
    ) -> Provenance {
        Provenance {
            version: env!("CARGO_PKG_VERSION").into(),
            seed: run.seed(),
            input_hash: hash.hex(),
            rows,
            columns,
            citation: self.citation.into(),
            bibtex: self.bibtex(),
        }
    }

    /// The papers of the method in the form of BibTeX, one entry each.
    pub fn bibtex(&self) -> String {
        self.citation.split(';').map(|work| bibtex::entry(work.trim())).collect::<Vec<_>>().join("\n")
    }
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}
