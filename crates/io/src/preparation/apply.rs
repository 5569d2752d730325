//! New rows go the way of the table that a model was fitted to.

use super::encode::How;
use super::prepare::options;
use super::rows::{assemble, kept_rows, label_values, texts};
use super::unusable::UnusableColumns;
use super::{Choices, ColumnRef, Missing, Prepared, Purpose, TableRecipe, Taken, fill};
use crate::frame::{Flaw, Role, TableFile};
use crate::select::Columns;
use crate::source::refuse;
use crate::table::abbreviated;
use crate::{Labels, on_path};
use lowland::names::{edit_distance, simplified};
use lowland::units::{count, count_grouped};
use lowland::{Model, Result, Run};
use std::collections::{HashMap, HashSet};

/// Reads a table and takes from it what the recipe took, in its way. What the choices say about the id, the label and
/// missing values goes before it.
pub fn apply(
    recipe: &TableRecipe,
    imputer: Option<&dyn Model>,
    source: &str,
    choices: &Choices,
    purpose: Purpose,
    run: &Run,
) -> Result<Prepared> {
    let known = |name: &str| recipe.taken.iter().any(|taken| recipe.named && taken.column.name == name);
    let mut file = TableFile::open(source, &options(choices), &known)?;
    on_path(source, || Applying { recipe, file: &mut file, choices, purpose }.run(imputer, run))
}

struct Applying<'f> {
    recipe: &'f TableRecipe,
    file: &'f mut TableFile<'static>,
    choices: &'f Choices,
    purpose: Purpose,
}

impl Applying<'_> {
    fn run(&mut self, imputer: Option<&dyn Model>, run: &Run) -> Result<Prepared> {
        self.check_choices()?;
        let (mut warnings, mut notes) = (self.file.notes.clone(), Vec::new());
        let indexes = self.indexes(&mut warnings)?;
        let names = self.file.names.clone();
        let columns = Columns { names: names.as_deref(), width: self.file.width };
        let id =
            self.beside("--id", self.choices.id.as_deref(), self.recipe.id.as_ref(), columns, &indexes)?;
        let label = self.choices.label.as_deref();
        let label = self.beside("--label-column", label, self.recipe.label.as_ref(), columns, &indexes)?;
        let rest = if self.purpose.carry { Role::Words } else { Role::Skip };
        let mut roles = vec![rest; columns.width];
        for (taken, &j) in self.recipe.taken.iter().zip(&indexes) {
            roles[j] = if taken.how == How::Number { Role::Number } else { Role::Words };
        }
        [id, label].into_iter().flatten().for_each(|j| roles[j] = Role::Words);
        let mut frame = self.file.read(&roles)?;
        let total = frame.matrix.dim().0;
        let policy = self.choices.missing.or(self.recipe.missing);
        let keeps = self.purpose.holes && self.choices.missing.is_none() && self.recipe.missing.is_none();
        let fills = match policy {
            Some(Missing::Ppca) => imputer.is_some(),
            Some(Missing::Mean) => self.recipe.scaling.is_some(),
            Some(Missing::DropRows) => true,
            Some(Missing::Error) | None => keeps || policy.is_none() && self.file.is_array(),
        };
        let wrong: Vec<&Flaw> = frame.flaws.iter().filter(|flaw| flaw.bad > 0 || !fills).collect();
        if !wrong.is_empty() {
            let used = self.recipe.taken.len();
            return Err(UnusableColumns {
                columns,
                rows: total,
                used,
                label_free: false,
                fitting: false,
                fill: "drop-rows",
            }
            .error(&wrong));
        }
        let (matrix, origins) = assemble(&mut frame, &self.recipe.taken, &indexes, &|taken, unknown| {
            let (word, row) =
                unknown.iter().min_by_key(|(_, row)| **row).map_or(("", 0), |(w, r)| (w.as_str(), *r));
            let words: Vec<String> = unknown.keys().map(|word| format!("'{word}'")).collect();
            let problem = format!(
                "{} in column '{}' that the fit did not see: {}, the first ('{word}') here",
                count(unknown.len(), "category").replace("categorys", "categories"),
                taken.column.name,
                abbreviated(&words)
            );
            let remedy = format!("correct them to {}, or leave out these rows", taken.how.takes());
            refuse(self.file.position(row), problem, remedy)
        })?;
        if !fills && fill::holes(&matrix) > 0 {
            let problem = format!(
                "{} in the columns that are encoded",
                count_grouped(fill::holes(&matrix), "missing value")
            );
            return Err(refuse("", problem, "take --missing drop-rows"));
        }
        let words = |j: usize| frame.words.get(&j).cloned().unwrap_or_default();
        let (matrix, rows, note) =
            if policy == Some(Missing::DropRows) { kept_rows(matrix, None)? } else { (matrix, None, None) };
        notes.extend(note);
        let pick = |words: Vec<String>| match &rows {
            Some(rows) => rows.iter().map(|&i| words[i].clone()).collect(),
            None => words,
        };
        let called =
            |stored: &Option<ColumnRef>, j: usize, usual: &str| match names.as_ref().map(|names| &names[j]) {
                Some(name) if !name.is_empty() => name.clone(),
                _ => stored.as_ref().map_or_else(|| usual.to_owned(), |column| column.name.clone()),
            };
        let ids = id.map(|j| (called(&self.recipe.id, j, "id"), Labels::Words(pick(words(j)))));
        let labels = match label {
            Some(j) => {
                let name = called(&self.recipe.label, j, "label");
                // New rows need not be labeled; what is there is passed on.
                let words = pick(words(j));
                let values = label_values(words.clone(), self.file, rows.as_deref(), false)
                    .unwrap_or(Labels::Words(words));
                Some((name, values))
            }
            None => None,
        };
        let fitted: HashSet<usize> = indexes.iter().copied().collect();
        let carried = (0..columns.width).filter(|j| self.purpose.carry && !fitted.contains(j));
        let carried = carried
            .map(|j| {
                (
                    j,
                    names.as_ref().map_or_else(|| format!("column {}", j + 1), |n| n[j].clone()),
                    Labels::Words(pick(words(j))),
                )
            })
            .collect();
        let open = fill::holes(&matrix);
        let standardize = self.recipe.standardize;
        let scaling = self.recipe.scaling.as_ref();
        let filling = matches!(policy, Some(Missing::Ppca | Missing::Mean));
        if open > 0 && policy == Some(Missing::Ppca) {
            fill::check_rows(&matrix, self.file, "take --missing drop-rows or mean")?;
        } else if keeps && !self.purpose.carry && !self.file.is_array() {
            fill::check_rows(&matrix, self.file, "leave it out (--missing drop-rows), or fill it in")?;
        }
        let unscaled = (standardize && self.purpose.carry).then(|| matrix.clone());
        let matrix = fill::filled(matrix, (policy, standardize), scaling, imputer, run)?;
        if open > 0 && filling {
            notes.push(format!("{} filled in as in the fit", fill::were_missing(open)));
        }
        let texts = if self.purpose.carry {
            texts(self.file, &self.recipe.taken, &origins, rows.as_deref())?
        } else {
            Vec::new()
        };
        Ok(Prepared {
            matrix,
            unscaled,
            columns: self.recipe.named.then(|| self.recipe.columns()),
            labels,
            ids,
            carried,
            origins,
            texts,
            rows,
            total,
            first_line: self.file.first_line(),
            recipe: None,
            imputer: None,
            warnings,
            notes,
            flags: Vec::new(),
        })
    }

    fn check_choices(&self) -> Result<()> {
        let given = [
            (!self.choices.columns.is_empty(), "--columns"),
            (!self.choices.encode.is_empty(), "--encode"),
            (self.choices.standardize, "--standardize"),
        ];
        match given.iter().find(|(given, _)| *given) {
            Some((_, flag)) => {
                let problem =
                    format!("{flag}: the model brings the columns of its fit, and what became of them");
                Err(refuse("", problem, format!("leave out {flag}")))
            }
            None => Ok(()),
        }
    }

    /// Where the columns of the fit are in this file: by name where both have names, else by position.
    fn indexes(&self, warnings: &mut Vec<String>) -> Result<Vec<usize>> {
        let taken = &self.recipe.taken;
        let width = self.file.width;
        if let (true, Some(names)) = (self.recipe.named, &self.file.names) {
            // Of equal names the first; there may be many columns, which must not be searched for each.
            let mut positions: HashMap<&str, usize> = HashMap::with_capacity(names.len());
            for (j, name) in names.iter().enumerate() {
                positions.entry(name).or_insert(j);
            }
            let find = |taken: &Taken| {
                let nameless = taken.column.name == format!("column {}", taken.column.index + 1);
                let named = positions.get(taken.column.name.as_str()).copied();
                named.or_else(|| {
                    (nameless && names.get(taken.column.index)?.is_empty()).then_some(taken.column.index)
                })
            };
            let found: Vec<Option<usize>> = taken.iter().map(find).collect();
            let lost: Vec<&str> = taken
                .iter()
                .zip(&found)
                .filter(|(_, at)| at.is_none())
                .map(|(t, _)| t.column.name.as_str())
                .collect();
            return if lost.is_empty() {
                Ok(found.into_iter().flatten().collect())
            } else {
                Err(self.lost(&lost, names))
            };
        }
        if self.recipe.named {
            warnings
                .push("0 names of columns in it: they were taken by their position, as in the fit".into());
        }
        if width == self.recipe.width {
            return Ok(taken.iter().map(|taken| taken.column.index).collect());
        }
        if width == taken.len() {
            return Ok((0..width).collect());
        }
        let problem = format!(
            "{} in it, but the table of the fit had {}, of which {} were used",
            count(width, "column"),
            self.recipe.width,
            taken.len()
        );
        Err(refuse("", problem, "give the same columns as in the fit"))
    }

    fn lost(&self, lost: &[&str], names: &[String]) -> lowland::Error {
        let taken = &self.recipe.taken;
        let new: Vec<&String> =
            names.iter().filter(|name| !taken.iter().any(|taken| taken.column.name == **name)).collect();
        let hint = |name: &&str| {
            let wanted = simplified(name);
            let changes = |other: &&&String| edit_distance(&simplified(other), &wanted);
            let near = new.iter().min_by_key(changes).filter(|other| {
                let other = simplified(other);
                changes(&&&other) * 2 <= wanted.chars().count()
                    || other.contains(&wanted)
                    || wanted.contains(&other)
            });
            near.map_or_else(|| format!("'{name}'"), |near| format!("'{name}' ('{near}' is there)"))
        };
        let lost: Vec<String> = lost.iter().map(hint).collect();
        let problem = format!(
            "{} of the {} columns of the fit {} not there: {}",
            lost.len(),
            taken.len(),
            if lost.len() == 1 { "is" } else { "are" },
            abbreviated(&lost)
        );
        refuse("", problem, format!("give them these names; it has {}", abbreviated(names)))
    }

    /// The id or label column: as chosen, or that of the fit where it is there.
    fn beside(
        &self,
        flag: &str,
        chosen: Option<&str>,
        stored: Option<&ColumnRef>,
        columns: Columns<'_>,
        indexes: &[usize],
    ) -> Result<Option<usize>> {
        let found = match (chosen, stored) {
            (Some(name), _) => Some(columns.one(flag, name)?),
            (None, None) => None,
            (None, Some(column)) => match columns.names {
                Some(names) if self.recipe.named => names.iter().position(|name| *name == column.name),
                _ => (columns.width == self.recipe.width).then_some(column.index),
            },
        };
        match found {
            Some(j) if indexes.contains(&j) && chosen.is_some() => {
                let problem = format!("{flag}: {} took part in the fit", columns.called(j));
                Err(refuse("", problem, "choose another column"))
            }
            other => Ok(other.filter(|j| !indexes.contains(j))),
        }
    }
}
