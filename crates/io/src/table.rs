//! What the columnar formats share: from batches of typed columns to a matrix and back.

use crate::source::{DAMAGED, promised, refuse};
use crate::{Data, Integers, Labels, Part, ReadOptions, Sheet, column_index};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, Float32Array, Float64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use lowland::{AnyMatrix, Result};
use ndarray::{Array2, ArrayView2, s};
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Once};

/// Rows of a batch that is written.
const BATCH: usize = 1 << 16;

/// The first few names.
pub(crate) fn abbreviated(names: &[String]) -> String {
    let shown = names.iter().take(12).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > 12 { format!("{shown} and {} more", names.len() - 12) } else { shown }
}

thread_local! {
    /// Whether a panic of this thread is an answer that is waited for, not news.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder of another crate: it may refuse a damaged file by a panic, which must neither end the program
/// nor be reported as if it had.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                report(panic);
            }
        }));
    });
    GUARDED.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    result.unwrap_or_else(|_| Err(refuse("", "the decoder gave up on its contents", DAMAGED)))
}

/// The words of a decoder that refuses.
pub(crate) fn decoder(error: impl std::fmt::Display) -> lowland::Error {
    refuse("", error.to_string(), DAMAGED)
}

/// Gathers batches into a matrix.
pub(crate) struct Gather {
    schema: SchemaRef,
    label: Option<usize>,
    /// Whether values may be missing.
    missing: bool,
    /// The rows whose labels are missing, where they may be.
    unlabeled: Option<Vec<usize>>,
    values: Values,
    rows: usize,
    /// The rows that the file claims.
    promised: usize,
    /// Numbers for which room is made in one go: no more than the file's size warrants.
    warranted: usize,
    numbers: Vec<f64>,
    /// Labels of 64-bit integers, whose digits matter.
    bits: Vec<u64>,
    words: Vec<String>,
}

enum Values {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// Whether the type is a number, and if so whether single precision holds it exactly.
pub(crate) fn narrow(kind: &DataType) -> Option<bool> {
    use DataType::{
        Boolean, Float16, Float32, Float64, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64,
    };
    match kind {
        Boolean | Int8 | UInt8 | Int16 | UInt16 | Float16 | Float32 => Some(true),
        Int32 | UInt32 | Int64 | UInt64 | Float64 => Some(false),
        _ => None,
    }
}

pub(crate) fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => matches!(**values, DataType::Utf8 | DataType::LargeUtf8),
        _ => false,
    }
}

impl Gather {
    /// Checks the types of all columns before any value is read. The file is of `size` bytes.
    pub fn new(schema: SchemaRef, options: &ReadOptions, promised: usize, size: usize) -> Result<Self> {
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        if names.is_empty() {
            return Err(refuse("", "it has no columns", "give a file with numeric columns"));
        }
        let label = options.label_column.as_deref();
        let label = label.map(|wanted| column_index(wanted, Some(&names), names.len())).transpose()?;
        let mut single = true;
        for (j, field) in schema.fields().iter().enumerate() {
            let position = format!("column '{}'", field.name());
            match narrow(field.data_type()) {
                _ if field.name().starts_with("__index_level_") => {
                    return Err(refuse(
                        position,
                        "it is the index of a data frame",
                        "write the frame without its index",
                    ));
                }
                Some(narrow) if Some(j) != label => single &= narrow,
                Some(_) => {}
                None if is_text(field.data_type()) && Some(j) == label => {}
                None => {
                    let problem = format!("its type {} is not a number", field.data_type());
                    return Err(refuse(
                        position,
                        problem,
                        "drop it, or name it as the label column if it holds words",
                    ));
                }
            }
        }
        let values = if single { Values::F32(Vec::new()) } else { Values::F64(Vec::new()) };
        let warranted = (size / if single { 4 } else { 8 }).saturating_add(1 << 20);
        Ok(Self {
            schema,
            label,
            missing: options.missing,
            unlabeled: options.missing_labels.then(Vec::new),
            values,
            rows: 0,
            promised,
            warranted,
            numbers: Vec::new(),
            bits: Vec::new(),
            words: Vec::new(),
        })
    }

    /// Appends the rows of a batch.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.num_columns() != self.schema.fields().len() {
            return Err(refuse("", "a batch does not have the columns of the table", DAMAGED));
        }
        let first = self.rows;
        self.rows += batch.num_rows();
        let kept = batch.num_columns() - usize::from(self.label.is_some());
        let claimed = self.promised.saturating_mul(kept).min(self.warranted);
        match &mut self.values {
            Values::F32(values) => extend(values, self.rows.saturating_mul(kept), claimed)?,
            Values::F64(values) => extend(values, self.rows.saturating_mul(kept), claimed)?,
        }
        let mut j = 0;
        for (at, (column, field)) in batch.columns().iter().zip(self.schema.fields()).enumerate() {
            let missing = if Some(at) == self.label { self.unlabeled.is_some() } else { self.missing };
            if column.null_count() > 0 && !missing {
                let row = (0..column.len()).find(|&i| column.is_null(i)).unwrap_or(0);
                let position = format!("row {}, column '{}'", first + row, field.name());
                return Err(refuse(
                    position,
                    "a value is missing (null)",
                    "fill them in with 'lowland impute', or remove them",
                ));
            }
            if Some(at) != self.label {
                let holes = column.null_count() > 0;
                let value = |i: usize, v: f64| if holes && column.is_null(i) { f64::NAN } else { v };
                match &mut self.values {
                    Values::F32(values) => {
                        numbers(column, |i, v| values[(first + i) * kept + j] = value(i, v) as f32);
                    }
                    Values::F64(values) => {
                        numbers(column, |i, v| values[(first + i) * kept + j] = value(i, v))
                    }
                }
                j += 1;
                continue;
            }
            if let Some(rows) = &mut self.unlabeled {
                rows.extend((0..column.len()).filter(|&i| column.is_null(i)).map(|i| first + i));
            }
            if is_text(field.data_type()) {
                self.words.extend(words(column)?);
            } else {
                match field.data_type() {
                    DataType::Int64 => {
                        self.bits
                            .extend(column.as_primitive::<Int64Type>().values().iter().map(|&v| v as u64));
                    }
                    DataType::UInt64 => self.bits.extend(column.as_primitive::<UInt64Type>().values()),
                    _ => numbers(column, |_, v| self.numbers.push(v)),
                }
            }
        }
        Ok(())
    }

    /// The whole, if it has the rows that were promised.
    pub fn finish(self) -> Result<Data> {
        if self.promised != self.rows {
            return Err(promised(self.promised, self.rows));
        }
        let kept = self.schema.fields().len() - usize::from(self.label.is_some());
        let shape = (self.rows, kept);
        let odd = |_| refuse("", "its columns differ in length", DAMAGED);
        let matrix = match self.values {
            Values::F32(values) => Array2::from_shape_vec(shape, values).map_err(odd)?.into(),
            Values::F64(values) => Array2::from_shape_vec(shape, values).map_err(odd)?.into(),
        };
        let fields = self.schema.fields().iter().enumerate();
        let columns = fields.filter(|&(j, _)| Some(j) != self.label).map(|(_, field)| field.name().clone());
        let unlabeled = self.unlabeled.unwrap_or_default();
        let mut labels = self.label.map(|at| match self.schema.field(at).data_type() {
            kind @ (DataType::Int64 | DataType::UInt64) => {
                let mut bits = self.bits;
                unlabeled.iter().for_each(|&row| bits[row] = 0);
                Integers { bits, signed: *kind == DataType::Int64 }.labels()
            }
            kind if is_text(kind) => Labels::Words(self.words),
            _ => Labels::Numbers(self.numbers),
        });
        for row in unlabeled {
            match &mut labels {
                Some(Labels::Numbers(numbers)) => numbers[row] = f64::NAN,
                Some(Labels::Words(words)) => words[row].clear(),
                None => {}
            }
        }
        Ok(Data { matrix, columns: Some(columns.collect()), labels })
    }
}

/// Makes `values` longer, by zeros. Room is made for `claimed` of them at first, and then for a quarter more each
/// time: doubling would hold three times what is there.
fn extend<T: Copy + Default>(values: &mut Vec<T>, length: usize, claimed: usize) -> Result<()> {
    if length > values.capacity() {
        let room = length.max(claimed).max(values.capacity() + values.capacity() / 4) - values.len();
        let full = |_| refuse("", "there is not enough memory for its rows", "free some memory");
        values.try_reserve_exact(room).map_err(full)?;
    }
    values.resize(length, T::default());
    Ok(())
}

/// Every number of a column whose type [`narrow`] knows.
pub(crate) fn numbers(column: &ArrayRef, mut store: impl FnMut(usize, f64)) {
    macro_rules! each {
        ($($kind:ident => $type:ty),*) => {
            match column.data_type() {
                DataType::Boolean => {
                    column.as_boolean().values().iter().enumerate().for_each(|(i, v)| store(i, f64::from(u8::from(v))));
                }
                DataType::Float16 => {
                    column.as_primitive::<Float16Type>().values().iter().enumerate().for_each(|(i, v)| store(i, v.to_f64()));
                }
                $(DataType::$kind => {
                    column.as_primitive::<$type>().values().iter().enumerate().for_each(|(i, &v)| store(i, v as f64));
                })*
                _ => {}
            }
        };
    }
    each!(
        Int8 => Int8Type, Int16 => Int16Type, Int32 => Int32Type, Int64 => Int64Type, UInt8 => UInt8Type,
        UInt16 => UInt16Type, UInt32 => UInt32Type, UInt64 => UInt64Type, Float32 => Float32Type,
        Float64 => Float64Type
    );
}

/// The words of a column of text, in a dictionary or not.
pub(crate) fn words(column: &ArrayRef) -> Result<Vec<String>> {
    let owned = |word: Option<&str>| word.unwrap_or_default().to_owned();
    Ok(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().iter().map(owned).collect(),
        DataType::LargeUtf8 => column.as_string::<i64>().iter().map(owned).collect(),
        DataType::Utf8View => column.as_string_view().iter().map(owned).collect(),
        _ => {
            let bad = || refuse("", "a label is missing in its dictionary", DAMAGED);
            let dictionary = column.as_any_dictionary_opt().ok_or_else(bad)?;
            let known = words(dictionary.values())?;
            if known.is_empty() && !column.is_empty() {
                return Err(bad());
            }
            let keys = dictionary.normalized_keys();
            keys.into_iter().map(|key| known.get(key).cloned().ok_or_else(bad)).collect::<Result<_>>()?
        }
    })
}

/// The matrix as batches of one column each dimension, named `c0`, `c1`, ... if no names are given.
pub(crate) fn batches(
    matrix: &AnyMatrix,
    columns: Option<&[String]>,
) -> Result<(SchemaRef, impl Iterator<Item = Result<RecordBatch>>)> {
    let (rows, width) = matrix.dim();
    if let Some(names) = columns.filter(|names| names.len() != width) {
        return Err(lowland::Error::Width {
            what: "list of column names",
            expected: width,
            found: names.len(),
        });
    }
    let kind = if matches!(matrix, AnyMatrix::F32(_)) { DataType::Float32 } else { DataType::Float64 };
    let name = |j: usize| columns.map_or_else(|| format!("c{j}"), |names| names[j].clone());
    let fields: Vec<Field> = (0..width).map(|j| Field::new(name(j), kind.clone(), false)).collect();
    let schema = Arc::new(Schema::new(fields));
    let of = schema.clone();
    let batches = (0..rows).step_by(BATCH).map(move |start| {
        let end = rows.min(start + BATCH);
        let arrays = match matrix {
            AnyMatrix::F32(m) => arrays(m.slice(s![start..end, ..]), |v| Arc::new(Float32Array::from(v))),
            AnyMatrix::F64(m) => arrays(m.slice(s![start..end, ..]), |v| Arc::new(Float64Array::from(v))),
        };
        RecordBatch::try_new(of.clone(), arrays).map_err(decoder)
    });
    Ok((schema, batches))
}

fn arrays<T: Copy>(part: ArrayView2<'_, T>, array: impl Fn(Vec<T>) -> ArrayRef) -> Vec<ArrayRef> {
    part.columns().into_iter().map(|column| array(column.iter().copied().collect())).collect()
}

fn label_array(labels: &Labels) -> (DataType, ArrayRef) {
    match labels {
        Labels::Numbers(numbers) => (DataType::Float64, Arc::new(Float64Array::from(numbers.clone()))),
        Labels::Words(words) => (DataType::Utf8, Arc::new(StringArray::from_iter_values(words))),
    }
}

/// The labels as a batch of one column.
pub(crate) fn label_batch(labels: &Labels) -> Result<RecordBatch> {
    let (kind, array) = label_array(labels);
    let schema = Arc::new(Schema::new(vec![Field::new("label", kind, false)]));
    RecordBatch::try_new(schema, vec![array]).map_err(decoder)
}

/// The columns of a sheet as one batch.
pub(crate) fn sheet_batch(sheet: &Sheet<'_>) -> Result<RecordBatch> {
    let column = |part: &Part<'_>| -> (DataType, ArrayRef) {
        match (part, sheet.matrix) {
            (Part::Number(j), AnyMatrix::F32(m)) => {
                (DataType::Float32, Arc::new(Float32Array::from(m.column(*j).to_vec())))
            }
            (Part::Number(j), AnyMatrix::F64(m)) => {
                (DataType::Float64, Arc::new(Float64Array::from(m.column(*j).to_vec())))
            }
            (Part::Other(labels), _) => label_array(labels),
        }
    };
    let columns: Vec<_> = sheet.columns.iter().map(|(name, part)| (name, column(part))).collect();
    let fields = columns.iter().map(|(name, (kind, _))| Field::new(name.as_str(), kind.clone(), false));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    RecordBatch::try_new(schema, columns.into_iter().map(|(_, (_, array))| array).collect()).map_err(decoder)
}
