//! The model in its file: each connected component under names that begin with its number.

use super::{Fitted, SpectralModel};
use crate::extension::LocalLinear;
use crate::method::Entry;
use crate::model::{Archive, Attribute, Model};
use crate::parameters::Value;
use crate::spectral::{Anchors, Assigner, ComponentModel, Formula, Normalizer, Relation};
use lowland_base::{Error, Result, units};

/// Reads the anchors of a component: from the beginning of its names and the width of new rows.
type LoadAnchors<'f> = &'f dyn Fn(&str, usize, &Archive) -> Result<Box<dyn Anchors>>;

impl SpectralModel {
    pub(super) fn saved(&self) -> Archive {
        let mut archive = Archive::new(self.parameters(), self.report());
        archive.put_fact("features", self.fitted.features);
        archive.put_fact("components", self.components());
        archive.put_fact("rows", self.fitted.embedding.nrows());
        archive.put_fact("connected_components", self.connected_components().len());
        archive.put_fact("single", usize::from(self.single));
        archive.put("embedding", self.fitted.embedding.clone());
        for attribute in &self.fitted.attributes {
            archive.put_vector(&format!("attribute.{}", attribute.name), &attribute.value.numbers());
        }
        if let Some(assigner) = &self.assigner {
            assigner.save(&mut archive);
        }
        for (number, part) in self.connected_components().iter().enumerate() {
            save(part, &prefix(number), &mut archive);
        }
        archive
    }

    /// From a model file; `known` are the names and meanings of the attributes that only this method has.
    pub(crate) fn load(
        entry: &'static Entry,
        settings: Vec<(&'static str, Value)>,
        archive: &Archive,
        known: &'static [(&'static str, &'static str)],
        anchors: impl Fn(&str, usize, &Archive) -> Result<Box<dyn Anchors>>,
    ) -> Result<Self> {
        let features = archive.count("features")?;
        let (rows, components) = (archive.count("rows")?, archive.count("components")?);
        let count = archive.count("connected_components")?;
        if count > rows {
            return Err(Error::ModelFile {
                problem: format!(
                    "{} of {}",
                    lowland_base::units::count(count, "connected component"),
                    lowland_base::units::count(rows, "row")
                ),
            });
        }
        let part = |number: usize| load(&prefix(number), (rows, features, components), &anchors, archive);
        let fitted = Fitted {
            entry,
            settings,
            features,
            connected_components: (0..count).map(part).collect::<Result<_>>()?,
            embedding: archive.matrix("embedding", (rows, components))?,
            report: archive.report().clone(),
            attributes: known
                .iter()
                .map(|&(name, meaning)| {
                    let stored = format!("attribute.{name}");
                    let values = archive.vector(&stored, archive.width(&stored))?;
                    Ok(match values.as_slice() {
                        Some(&[steps]) if name == "n_iter" => Attribute::new(name, meaning, steps as usize),
                        _ => Attribute::new(name, meaning, values),
                    })
                })
                .collect::<Result<_>>()?,
        };
        let mut model = Self::of_precision(fitted, archive.count("single")? == 1);
        model.assigner = Assigner::load(components, archive)?;
        Ok(model)
    }
}

fn prefix(number: usize) -> String {
    format!("component{number}.")
}

fn save(part: &ComponentModel, prefix: &str, archive: &mut Archive) {
    let name = |what: &str| format!("{prefix}{what}");
    archive.put_indices(&name("members"), &part.members);
    archive.put(&name("coordinates"), part.coordinates.clone());
    archive.put_vector(&name("translation"), &part.translation);
    archive.put_vector(&name("weights"), &part.weights);
    let word = match &part.formula {
        Formula::Kernel { anchors, normalizer, map, shift } => {
            normalizer.save(prefix, archive);
            anchors.save(prefix, archive);
            archive.put(&name("map"), map.clone());
            archive.put_fact(&name("shift"), *shift);
            "kernel"
        }
        Formula::Landmarks { anchors, normalizer, map, offset } => {
            normalizer.save(prefix, archive);
            anchors.save(prefix, archive);
            archive.put(&name("map"), map.clone());
            archive.put_vector(&name("offset"), offset);
            "landmarks"
        }
        Formula::Laplacian { anchors, normalizer, eigenvalues, least_degree } => {
            normalizer.save(prefix, archive);
            anchors.save(prefix, archive);
            archive.put_vector(&name("eigenvalues"), eigenvalues);
            archive.put_fact(&name("least_degree"), *least_degree);
            "laplacian"
        }
        Formula::LocalLinear(rule) => {
            rule.save(prefix, archive);
            "local-linear"
        }
    };
    archive.put_fact(&name("formula"), word);
}

fn load(
    prefix: &str,
    (rows, features, components): (usize, usize, usize),
    anchors: LoadAnchors<'_>,
    archive: &Archive,
) -> Result<ComponentModel> {
    let name = |what: &str| format!("{prefix}{what}");
    let word = archive.word(&name("formula"))?;
    let (formula, count) = if word == "local-linear" {
        let rule = LocalLinear::load(prefix, features, archive)?;
        let count = rule.len();
        (Formula::LocalLinear(rule), count)
    } else {
        let anchors = anchors(prefix, features, archive)?;
        let count = anchors.len();
        let normalizer = Normalizer::load(prefix, count, archive)?;
        let map = || archive.matrix(&name("map"), (count, components));
        let formula = match word {
            "kernel" => {
                Formula::Kernel { anchors, normalizer, map: map()?, shift: archive.number(&name("shift"))? }
            }
            "landmarks" => {
                let offset = archive.vector(&name("offset"), components)?.to_vec();
                Formula::Landmarks { anchors, normalizer, map: map()?, offset }
            }
            "laplacian" => {
                let stored = name("eigenvalues");
                let eigenvalues = archive.vector(&stored, archive.width(&stored).min(components))?.to_vec();
                let least_degree = archive.number(&name("least_degree"))?;
                Formula::Laplacian { anchors, normalizer, eigenvalues, least_degree }
            }
            other => {
                return Err(Error::ModelFile { problem: format!("it names an unknown formula '{other}'") });
            }
        };
        (formula, count)
    };
    let members = archive.indices(&name("members"), rows)?;
    let relation = formula.relation();
    if matches!(relation, Relation::Edges { .. }) && members.len() != relation.len() {
        let problem = format!("{} for {} of a graph", members.len(), units::count(relation.len(), "row"));
        return Err(Error::ModelFile { problem });
    }
    Ok(ComponentModel {
        members,
        coordinates: archive.matrix(&name("coordinates"), (count, components))?,
        translation: archive.vector(&name("translation"), components)?.to_vec(),
        weights: archive.vector(&name("weights"), components)?.to_vec(),
        formula,
    })
}
