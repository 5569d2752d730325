//! A table becomes the matrix of a fit.

use super::encode::{How, Kind, MOST_CATEGORIES, Requests};
use super::rows::{assemble, kept_rows, label_values, texts};
use super::unusable::too_many;
use super::{Choices, ColumnRef, Missing, Prepared, Purpose, Scaling, TableRecipe, Taken, fill, notice};
use crate::frame::{Frame, Role, TableFile, chosen};
use crate::select::{Columns, items};
use crate::source::refuse;
use crate::{AnyMatrix, Labels, ReadOptions, on_path};
use lowland::units::{count, count_grouped};
use lowland::{Result, Run};

/// Reads a table and makes a matrix of it, as it was chosen.
pub fn prepare(source: &str, choices: &Choices, purpose: Purpose, run: &Run) -> Result<Prepared> {
    let options = options(choices);
    let mut file = TableFile::open(source, &options, &|name| is_wanted(choices, name))?;
    on_path(source, || Preparing::new(&mut file, choices, purpose)?.run(run))
}

pub(super) fn options(choices: &Choices) -> ReadOptions {
    ReadOptions { header: choices.header, memory: choices.memory, ..ReadOptions::default() }
}

/// Whether the choices speak of a column of this name.
fn is_wanted(choices: &Choices, name: &str) -> bool {
    let lists = choices.columns.iter().chain(&choices.drop);
    let parts = lists.flat_map(|list| items(list)).flat_map(|item| item.split(':').chain([item]));
    let single = choices.id.iter().chain(&choices.label).map(String::as_str);
    let mut all = parts.chain(single).chain(Requests::named(&choices.encode));
    let bare = |word: &str| word.trim_matches('"').to_owned();
    crate::csv::number(name.as_bytes()).is_none() && all.any(|word| bare(word) == name)
}

/// What is decided about each column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Plan {
    Number,
    Encode(Kind),
    /// Beside the matrix: the id, the label, or what is carried.
    Beside,
    Out,
}

pub(super) struct Preparing<'f> {
    pub(super) file: &'f mut TableFile<'static>,
    pub(super) names: Option<Vec<String>>,
    pub(super) width: usize,
    pub(super) choices: &'f Choices,
    pub(super) purpose: Purpose,
    pub(super) id: Option<usize>,
    pub(super) label: Option<usize>,
    pub(super) requests: Requests,
    pub(super) plans: Vec<Plan>,
    pub(super) warnings: Vec<String>,
    pub(super) notes: Vec<String>,
    pub(super) flags: Vec<String>,
}

impl<'f> Preparing<'f> {
    fn new(file: &'f mut TableFile<'static>, choices: &'f Choices, purpose: Purpose) -> Result<Self> {
        let (names, width) = (file.names.clone(), file.width);
        let columns = Columns { names: names.as_deref(), width };
        let there = |name: &Option<String>| {
            let name = name.as_ref()?;
            columns.names?.iter().position(|known| known == name)
        };
        let one =
            |flag, name: &Option<String>| name.as_deref().map(|name| columns.one(flag, name)).transpose();
        let id = one("--id", &choices.id)?.or_else(|| there(&choices.id_if_there));
        let label = one("--label-column", &choices.label)?.or_else(|| there(&choices.label_if_there));
        if let (Some(id), Some(label)) = (id, label)
            && id == label
        {
            let problem = format!("{} is named as the id and as the label", columns.called(id));
            return Err(refuse("", problem, "name one column for each"));
        }
        let requests = Requests::parse(&choices.encode, columns)?;
        // There may be a million columns: a list of the numbers must not be searched for each.
        let mut taken = vec![choices.columns.is_empty(); width];
        for j in columns.all("--columns", &choices.columns)? {
            taken[j] = true;
        }
        for j in columns.all("--drop", &choices.drop)? {
            taken[j] = false;
        }
        let rest = if purpose.carry { Plan::Beside } else { Plan::Out };
        let plan = |j: usize| match requests.single.get(&j) {
            _ if Some(j) == id || Some(j) == label => Plan::Beside,
            _ if !taken[j] => rest.clone(),
            Some(kind) => Plan::Encode(kind.clone()),
            None => Plan::Number,
        };
        let plans: Vec<Plan> = (0..width).map(plan).collect();
        let warnings = file.notes.clone();
        let (notes, flags) = (Vec::new(), Vec::new());
        let this =
            Self { file, names, width, choices, purpose, id, label, requests, plans, warnings, notes, flags };
        if !this.plans.iter().any(|plan| matches!(plan, Plan::Number | Plan::Encode(_))) {
            return Err(match width {
                0 => refuse("", "0 columns in the data", "give at least one"),
                _ => {
                    refuse("", format!("0 of its {} are left", count(width, "column")), "drop fewer of them")
                }
            });
        }
        Ok(this)
    }

    pub(super) fn columns(&self) -> Columns<'_> {
        Columns { names: self.names.as_deref(), width: self.width }
    }

    fn read(&mut self) -> Result<Frame> {
        let role = |plan: &Plan| match plan {
            Plan::Number => Role::Number,
            Plan::Encode(_) | Plan::Beside => Role::Words,
            Plan::Out => Role::Skip,
        };
        let roles: Vec<Role> = self.plans.iter().map(role).collect();
        self.file.read(&roles)
    }

    fn numbers(&self) -> Vec<usize> {
        (0..self.width).filter(|&j| self.plans[j] == Plan::Number).collect()
    }

    pub(super) fn policy(&self) -> Option<Missing> {
        match self.choices.missing {
            Some(missing) => Some(missing),
            None if self.purpose.holes => None,
            None if self.purpose.explore => Some(Missing::Ppca),
            None => self.unasked(),
        }
    }

    /// Where nothing was said. An array is judged by the method, as it is everywhere.
    fn unasked(&self) -> Option<Missing> {
        if self.file.is_array() { None } else { Some(Missing::Error) }
    }

    fn run(mut self, run: &Run) -> Result<Prepared> {
        let mut frame = self.read()?;
        let first = self.numbers();
        self.leave_out_indexes(&frame, &first);
        let again = self.decide(&frame, &first)?;
        if again {
            frame = self.read()?;
        } else {
            let kept: Vec<usize> =
                (0..first.len()).filter(|&at| self.plans[first[at]] == Plan::Number).collect();
            if kept.len() < first.len() {
                frame.matrix = chosen(&frame.matrix, &kept);
            }
        }
        let total = frame.matrix.dim().0;
        if total == 0 {
            return Err(refuse("", "0 rows in the data", "give at least one"));
        }
        let taken = self.taken(&frame)?;
        let (matrix, origins) = self.assembled(&mut frame, &taken)?;
        let names: Vec<String> =
            taken.iter().flat_map(|taken| taken.how.columns(&taken.column.name)).collect();
        if !self.file.is_array() {
            let plain: Vec<usize> = self.numbers();
            let is_number = |&at: &usize| self.plans.get(origins[at]) == Some(&Plan::Number);
            let of_numbers: Vec<usize> = (0..origins.len()).filter(is_number).collect();
            self.warnings.extend(notice::identifiers(self.columns(), &chosen(&matrix, &of_numbers), &plain));
        }
        let words = |j: usize| frame.words.get(&j).cloned().unwrap_or_default();
        let beside = |j: usize| (self.name(j), words(j));
        let (ids, labels) = (self.id.map(beside), self.label.map(beside));
        let (matrix, rows) = self.whole(matrix, labels.as_ref().map(|(_, words)| words.as_slice()))?;
        let pick = |words: Vec<String>| match &rows {
            Some(rows) => rows.iter().map(|&i| words[i].clone()).collect(),
            None => words,
        };
        let ids = ids.map(|(name, words)| (name, Labels::Words(pick(words))));
        let labels = match labels {
            Some((name, words)) => {
                Some((name, label_values(pick(words), self.file, rows.as_deref(), self.purpose.unlabeled)?))
            }
            None => None,
        };
        let beside_columns = (0..self.width).filter(|&j| self.plans[j] == Plan::Beside);
        let carried = if self.purpose.carry {
            beside_columns.map(|j| (j, self.name(j), Labels::Words(pick(words(j))))).collect()
        } else {
            Vec::new()
        };

        let open = fill::holes(&matrix);
        let policy = match self.policy() {
            // Nothing is filled in that nobody has asked for.
            Some(_) if self.purpose.explore && self.choices.missing.is_none() && open == 0 => self.unasked(),
            policy => policy,
        };
        if policy.is_none() && self.purpose.holes && !self.purpose.carry && !self.file.is_array() {
            fill::check_rows(&matrix, self.file, "leave it out (--missing drop-rows), or fill it in")?;
        }
        let warned = self.purpose.scales || self.purpose.explore;
        let filling = matches!(policy, Some(Missing::Ppca | Missing::Mean));
        let scaling = (warned || self.choices.standardize || filling).then(|| Scaling::of(&matrix));
        let apart = scaling.as_ref().filter(|_| warned && !self.choices.standardize);
        let apart = apart.and_then(|scaling| notice::scales(&names, &matrix, scaling));
        let standardize = self.choices.standardize || self.purpose.explore && apart.is_some();
        if let Some(words) = apart {
            if standardize {
                self.flags.push("--standardize".into());
                let how = words.split(": distances").next().unwrap_or_default().to_owned();
                self.notes.push(format!("{how}; every column was standardized"));
            } else {
                self.warnings.push(words);
            }
        }
        let imputer = match (policy, &scaling) {
            (Some(Missing::Ppca), Some(scaling)) if open > 0 && matrix.dim().1 > 1 => {
                fill::check_rows(&matrix, self.file, "take --missing drop-rows or mean")?;
                Some(fill::imputer(&matrix, scaling, run)?)
            }
            _ => None,
        };
        // A single column has nothing to be predicted from but its mean.
        let policy = policy.map(|policy| match policy {
            Missing::Ppca if imputer.is_none() && matrix.dim().1 == 1 => Missing::Mean,
            other => other,
        });
        let extremes = if standardize || filling { None } else { Scaling::of_extremes(&matrix) };
        let standardize = standardize || extremes.is_some();
        if let Some(power) = extremes.as_ref().and_then(Scaling::power) {
            self.warnings.push(format!(
                "{power:.1e} is what all values were divided by, since their squares would {}; the result is that of the \
                 rescaled data (--standardize scales each column by itself)",
                if power > 1.0 { "overflow" } else { "vanish" }
            ));
        }
        let scaling = extremes.or(scaling.filter(|_| standardize || filling));
        // A table that is written again keeps its units and its holes.
        let changed = standardize || filling && open > 0;
        let unscaled = (changed && self.purpose.carry).then(|| matrix.clone());
        let matrix = fill::filled(matrix, (policy, standardize), scaling.as_ref(), imputer.as_deref(), run)?;
        if open > 0 && filling {
            let by = if imputer.is_some() { "ppca" } else { "the means of their columns" };
            self.notes.push(format!("{} filled in by {by}", fill::were_missing(open)));
            if self.choices.missing.is_none() {
                self.flags.push("--missing ppca".into());
            }
        }
        let texts = if self.purpose.carry {
            texts(self.file, &taken, &origins, rows.as_deref())?
        } else {
            Vec::new()
        };
        let reference = |j: usize| ColumnRef { name: self.name(j), index: j };
        let recipe = TableRecipe {
            named: self.names.is_some(),
            width: self.width,
            taken,
            id: self.id.map(reference),
            label: self.label.map(reference),
            missing: policy,
            scaling,
            standardize,
        };
        let plain =
            recipe.taken.len() == self.width && recipe.taken.iter().all(|taken| taken.how == How::Number);
        let trivial = !recipe.named && plain && recipe.scaling.is_none();
        Ok(Prepared {
            matrix,
            unscaled,
            columns: self.names.is_some().then_some(names),
            labels,
            ids,
            carried,
            origins,
            texts,
            rows,
            total,
            first_line: self.file.first_line(),
            recipe: (!trivial).then_some(recipe),
            imputer,
            warnings: self.warnings,
            notes: self.notes,
            flags: self.flags,
        })
    }

    fn name(&self, j: usize) -> String {
        match self.names.as_ref().map(|names| names[j].clone()) {
            Some(name) if !name.is_empty() => name,
            _ if Some(j) == self.id => "id".into(),
            _ if Some(j) == self.label => "label".into(),
            _ => format!("column {}", j + 1),
        }
    }

    /// What each column becomes, with what its words are.
    fn taken(&self, frame: &Frame) -> Result<Vec<Taken>> {
        let mut taken = Vec::new();
        let mut many = Vec::new();
        for (j, plan) in self.plans.iter().enumerate() {
            let how = match plan {
                Plan::Number => How::Number,
                Plan::Encode(kind) => {
                    let words = frame.words.get(&j).map_or(&[][..], Vec::as_slice);
                    let how = How::learn(kind, words, &self.columns().called(j))?;
                    match &how {
                        How::OneHot(known) | How::Ordinal(known)
                            if known.len() > MOST_CATEGORIES && !self.requests.single.contains_key(&j) =>
                        {
                            many.push((j, known.len()));
                        }
                        _ => {}
                    }
                    how
                }
                Plan::Beside | Plan::Out => continue,
            };
            taken.push(Taken { column: ColumnRef { name: self.name(j), index: j }, how });
        }
        if many.is_empty() { Ok(taken) } else { Err(too_many(self.columns(), &many)) }
    }

    /// The matrix of all that is taken, and the column of the file that each of its columns comes from.
    fn assembled(&self, frame: &mut Frame, taken: &[Taken]) -> Result<(AnyMatrix, Vec<usize>)> {
        let indexes: Vec<usize> = taken.iter().map(|taken| taken.column.index).collect();
        assemble(frame, taken, &indexes, &|_, unknown| {
            let word = unknown.keys().next().cloned().unwrap_or_default();
            refuse("", format!("'{word}' cannot be encoded"), "correct it")
        })
    }

    /// Without the rows that miss a value, where that is the choice; the rows that are kept.
    fn whole(
        &mut self,
        matrix: AnyMatrix,
        labels: Option<&[String]>,
    ) -> Result<(AnyMatrix, Option<Vec<usize>>)> {
        let policy = self.policy();
        if policy == Some(Missing::Error) && fill::holes(&matrix) > 0 {
            let problem = format!(
                "{} in the columns that are encoded or in the array",
                count_grouped(fill::holes(&matrix), "missing value")
            );
            return Err(refuse("", problem, "take --missing drop-rows, mean or ppca"));
        }
        if policy != Some(Missing::DropRows) {
            return Ok((matrix, None));
        }
        let (matrix, rows, note) = kept_rows(matrix, labels)?;
        self.notes.extend(note);
        Ok((matrix, rows))
    }
}
