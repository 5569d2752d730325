//! From batches of typed columns to a frame: columns of words, dates and numbers, each in its role.

use crate::csv::number;
use crate::dates;
use crate::frame::{Flaw, Frame, Role, is_missing};
use crate::source::{DAMAGED, promised, refuse};
use crate::table::{is_text, narrow, numbers, words};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, SchemaRef, TimeUnit};
use lowland::{AnyMatrix, Result};
use ndarray::Array2;
use std::collections::BTreeMap;

/// Gathers batches into a frame.
pub(crate) struct Collect {
    schema: SchemaRef,
    roles: Vec<Role>,
    columns: BTreeMap<usize, Vec<f64>>,
    words: BTreeMap<usize, Vec<String>>,
    flaws: BTreeMap<usize, Flaw>,
    rows: usize,
    promised: usize,
}

impl Collect {
    pub fn new(schema: SchemaRef, roles: &[Role], promised: usize) -> Self {
        let of = |role: Role| (0..roles.len()).filter(move |&j| roles[j] == role);
        let columns = of(Role::Number).map(|j| (j, Vec::new())).collect();
        let words = of(Role::Words).map(|j| (j, Vec::new())).collect();
        let flaws = BTreeMap::new();
        Self { schema, roles: roles.to_vec(), columns, words, flaws, rows: 0, promised }
    }

    /// Appends the rows of a batch.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.num_columns() != self.roles.len() {
            return Err(refuse("", "a batch does not have the columns of the table", DAMAGED));
        }
        for (j, column) in batch.columns().iter().enumerate() {
            match self.roles[j] {
                Role::Skip => {}
                Role::Words => {
                    let words = texts(column)?.into_iter().map(Option::unwrap_or_default);
                    self.words.entry(j).or_default().extend(words);
                }
                Role::Number => {
                    let values = self.columns.entry(j).or_default();
                    let first = values.len();
                    let mut flaw = Flaw::new(j);
                    if narrow(column.data_type()).is_some() {
                        values.resize(first + column.len(), f64::NAN);
                        numbers(column, |i, v| {
                            values[first + i] = if column.is_null(i) { f64::NAN } else { v }
                        });
                        for (i, _) in values[first..].iter().enumerate().filter(|(_, v)| v.is_nan()) {
                            flaw.missing(self.rows + i);
                        }
                    } else {
                        for (i, text) in texts(column)?.into_iter().enumerate() {
                            let text = text.unwrap_or_default();
                            let value = number(text.trim().as_bytes());
                            match value {
                                Some(_) => {}
                                None if is_missing(&text) => flaw.missing(self.rows + i),
                                None => flaw.bad(self.rows + i, &text),
                            }
                            values.push(value.unwrap_or(f64::NAN));
                        }
                    }
                    if flaw.bad + flaw.missing > 0 {
                        self.flaws.entry(j).or_insert_with(|| Flaw::new(j)).join(flaw);
                    }
                }
            }
        }
        self.rows += batch.num_rows();
        Ok(())
    }

    /// The whole, if it has the rows that were promised.
    pub fn finish(self) -> Result<Frame> {
        if self.promised != self.rows {
            return Err(promised(self.promised, self.rows));
        }
        let single = self.columns.keys().all(|&j| narrow(self.schema.field(j).data_type()) == Some(true));
        let kept: Vec<Vec<f64>> = self.columns.into_values().collect();
        let shape = (self.rows, kept.len());
        let matrix = if single && !kept.is_empty() {
            AnyMatrix::F32(Array2::from_shape_fn(shape, |(i, j)| kept[j][i] as f32))
        } else {
            AnyMatrix::F64(Array2::from_shape_fn(shape, |(i, j)| kept[j][i]))
        };
        Ok(Frame { matrix, words: self.words, flaws: self.flaws.into_values().collect() })
    }
}

/// The cells of a column as a text file would hold them.
fn texts(column: &ArrayRef) -> Result<Vec<Option<String>>> {
    let there = |i: usize, text: String| (!column.is_null(i)).then_some(text);
    let seconds =
        |per: i64, value: i64| dates::written(value.div_euclid(per), per > 1 && value.rem_euclid(per) != 0);
    macro_rules! each {
        ($type:ty, $text:expr) => {
            column
                .as_primitive::<$type>()
                .values()
                .iter()
                .enumerate()
                .map(|(i, &v)| there(i, $text(v)))
                .collect()
        };
    }
    let kind = column.data_type();
    Ok(match kind {
        DataType::Boolean => column
            .as_boolean()
            .iter()
            .map(|v| v.map(|v| if v { "true" } else { "false" }.to_owned()))
            .collect(),
        DataType::Int64 => each!(Int64Type, |v: i64| v.to_string()),
        DataType::UInt64 => each!(UInt64Type, |v: u64| v.to_string()),
        DataType::Date32 => each!(Date32Type, |v: i32| dates::written(i64::from(v) * 86_400, false)),
        DataType::Date64 => each!(Date64Type, |v: i64| seconds(1000, v)),
        DataType::Timestamp(TimeUnit::Second, _) => each!(TimestampSecondType, |v: i64| seconds(1, v)),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            each!(TimestampMillisecondType, |v: i64| seconds(1000, v))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            each!(TimestampMicrosecondType, |v: i64| seconds(1_000_000, v))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            each!(TimestampNanosecondType, |v: i64| seconds(1_000_000_000, v))
        }
        DataType::Decimal128(_, scale) => {
            let unit = 10f64.powi(i32::from(*scale));
            each!(Decimal128Type, |v: i128| format!("{}", v as f64 / unit))
        }
        kind if is_text(kind) => {
            words(column)?.into_iter().enumerate().map(|(i, word)| there(i, word)).collect()
        }
        kind if narrow(kind).is_some() => {
            let mut texts = vec![None; column.len()];
            numbers(column, |i, v| texts[i] = there(i, format!("{v}")));
            texts
        }
        kind => (0..column.len()).map(|i| there(i, format!("({kind})"))).collect(),
    })
}
