//! The published values, as data.

use lowland::{Error, Result};

/// What is measured in tables 3 to 8 of Maaten et al.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The leave-one-out error of the nearest neighbor.
    Error,
    /// T(12).
    Trustworthiness,
    /// C(12).
    Continuity,
}

impl Measure {
    /// The name of the figure in a judgment.
    pub fn figure(self) -> &'static str {
        match self {
            Self::Error => "one_nn_error",
            Self::Trustworthiness => "trustworthiness",
            Self::Continuity => "continuity",
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Error => "1-NN error",
            Self::Trustworthiness => "T(12)",
            Self::Continuity => "C(12)",
        }
    }
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The number of the table.
    pub table: usize,
    /// What is measured.
    pub measure: Measure,
    /// The data set.
    pub set: String,
    /// The dimension that it was reduced to.
    pub d: usize,
    /// A value for each technique, in the order of [`Tables::columns`].
    pub values: Vec<Option<f64>>,
}

/// Tables 3 to 8.
#[derive(Debug, Clone, PartialEq)]
pub struct Tables {
    /// The techniques.
    pub columns: Vec<String>,
    /// All rows.
    pub rows: Vec<Row>,
}

/// A line of table 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// The technique.
    pub technique: String,
    /// The computations, as printed.
    pub time: String,
    /// The power of n in them.
    pub time_power: f64,
    /// The memory, as printed.
    pub memory: String,
    /// The power of n in it.
    pub memory_power: f64,
}

const MAATEN: &str = include_str!("../published/maaten2009.tsv");
const COSTS: &str = include_str!("../published/maaten2009-costs.tsv");
const NOTES: &str = include_str!("../published/maaten2009-notes.tsv");

/// The lines that are not remarks, in fields.
fn fields(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let kept = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    kept.map(|line| line.split('\t').collect())
}

fn broken(what: &str, line: &[&str]) -> Error {
    let problem = format!("{what} in the line '{}' of the published values", line.join(" "));
    Error::malformed("published values", problem, "correct the line")
}

/// Tables 3 to 8 of Maaten et al.
pub fn maaten() -> Result<Tables> {
    let mut lines = fields(MAATEN);
    let head = lines.next().unwrap_or_default();
    let columns: Vec<String> = head.iter().skip(4).map(|name| (*name).to_owned()).collect();
    let mut rows = Vec::new();
    for line in lines {
        if line.len() != columns.len() + 4 {
            return Err(broken("a wrong number of fields", &line));
        }
        let measure = match line[1] {
            "error" => Measure::Error,
            "trustworthiness" => Measure::Trustworthiness,
            "continuity" => Measure::Continuity,
            _ => return Err(broken("an unknown measure", &line)),
        };
        let whole = |text: &str| text.parse().map_err(|_| broken("a value that is not numeric", &line));
        let values = line[4..].iter().map(|value| match *value {
            "" => Ok(None),
            value => value.parse().map(Some).map_err(|_| broken("a value that is not numeric", &line)),
        });
        rows.push(Row {
            table: whole(line[0])?,
            measure,
            set: line[2].to_owned(),
            d: whole(line[3])?,
            values: values.collect::<Result<_>>()?,
        });
    }
    Ok(Tables { columns, rows })
}

/// Table 1 of Maaten et al.
pub fn costs() -> Result<Vec<Cost>> {
    let power =
        |text: &str, line: &[&str]| text.parse().map_err(|_| broken("a value that is not numeric", line));
    let cost = |line: Vec<&str>| match line.as_slice() {
        [technique, time, time_power, memory, memory_power] => Ok(Cost {
            technique: (*technique).to_owned(),
            time: (*time).to_owned(),
            time_power: power(time_power, &line)?,
            memory: (*memory).to_owned(),
            memory_power: power(memory_power, &line)?,
        }),
        _ => Err(broken("a wrong number of fields", &line)),
    };
    fields(COSTS).map(cost).collect()
}

/// Why a cell of tables 3 to 8 differs, where that is known: by data set, technique and measure; `*` is any.
pub fn note(set: &str, technique: &str, measure: Measure) -> Option<&'static str> {
    let fits = |field: &str, name: &str| field == "*" || field.split(',').any(|one| one == name);
    let fitting = |line: &Vec<&'static str>| {
        line.len() == 4 && fits(line[0], set) && fits(line[1], technique) && fits(line[2], measure.figure())
    };
    fields(NOTES).find(fitting).map(|line| line[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_whole_but_for_the_lost_rows() {
        let tables = maaten().unwrap();
        assert_eq!(tables.columns.len(), 14);
        assert_eq!(tables.rows.len(), 30);
        let count = |row: &Row| row.values.iter().flatten().count();
        for row in &tables.rows {
            let expected = match (row.table, row.set.as_str()) {
                (3, "swiss-roll") | (6, "nisis") => 1,
                (3 | 6, _) => 14,
                _ => 13,
            };
            assert_eq!(count(row), expected, "table {} {}", row.table, row.set);
            assert!(row.values.iter().flatten().all(|value| (0.0..=1.0).contains(value)));
        }
        assert_eq!(tables.rows.iter().map(count).sum::<usize>(), 374);
        // Some cells, read by eye.
        let at = |table: usize, set: &str, column: &str| {
            let column = tables.columns.iter().position(|name| name == column).unwrap();
            tables.rows.iter().find(|row| row.table == table && row.set == set).unwrap().values[column]
        };
        assert_eq!(at(3, "swiss-roll", "MC"), Some(0.2266));
        assert_eq!(at(3, "helix", "LTSA"), Some(0.0092));
        assert_eq!(at(3, "broken-swiss-roll", "Autoenc."), Some(0.8786));
        assert_eq!(at(6, "orl", "LEM"), Some(0.9750));
        assert_eq!(at(6, "nisis", "None"), Some(0.0824));
        assert_eq!(at(7, "coil20", "LEM"), Some(0.27));
        assert_eq!(at(8, "hiva", "MVU"), Some(0.94));
        assert_eq!(at(4, "helix", "None"), None);
    }

    #[test]
    fn table_one_and_the_notes_name_techniques_of_the_tables() {
        let tables = maaten().unwrap();
        assert_eq!(costs().unwrap().len(), 14);
        for line in fields(NOTES) {
            assert_eq!(line.len(), 4, "{line:?}");
            for name in line[1].split(',') {
                assert!(name == "*" || tables.columns.iter().any(|column| column == name), "{name}");
            }
            for name in line[0].split(',') {
                assert!(name == "*" || tables.rows.iter().any(|row| row.set == name), "{name}");
            }
            for name in line[2].split(',') {
                assert!(["*", "one_nn_error", "trustworthiness", "continuity"].contains(&name), "{name}");
            }
        }
    }
}
