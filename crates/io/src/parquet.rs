//! Parquet. The footer and the header of every page are looked over before the decoder sees them: it
//! allocates by the sizes that they claim.

use crate::frame::{Frame, Role};
use crate::source::{DAMAGED, bomb, refuse};
use crate::table::{Gather, batches, decoder, guarded};
use crate::typed::Collect;
use crate::{Data, ReadOptions, thrift};
use ::parquet::arrow::ArrowWriter;
use ::parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use ::parquet::basic::Compression;
use ::parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use ::parquet::file::properties::WriterProperties;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use lowland::{AnyMatrix, Error, Result};
use std::io::Write;

fn bad(what: impl Into<String>) -> Error {
    refuse("in its structure", what, DAMAGED)
}

/// Reads a table of numeric columns.
pub(crate) fn read(bytes: Vec<u8>, options: &ReadOptions) -> Result<Data> {
    guarded(|| {
        let bytes = Bytes::from(bytes);
        let (builder, rows) = checked(&bytes, options)?;
        let mut gather = Gather::new(builder.schema().clone(), options, rows, bytes.len())?;
        for batch in builder.with_batch_size(8192).build().map_err(decoder)? {
            gather.push(&batch.map_err(decoder)?)?;
        }
        gather.finish()
    })
}

/// The names of the columns.
pub(crate) fn names(bytes: &Bytes, options: &ReadOptions) -> Result<Vec<String>> {
    guarded(|| {
        let (builder, _) = checked(bytes, options)?;
        Ok(builder.schema().fields().iter().map(|field| field.name().clone()).collect())
    })
}

/// Reads the columns in their roles.
pub(crate) fn frame(bytes: &Bytes, options: &ReadOptions, roles: &[Role]) -> Result<Frame> {
    guarded(|| {
        let (builder, rows) = checked(bytes, options)?;
        let mut collect = Collect::new(builder.schema().clone(), roles, rows);
        for batch in builder.with_batch_size(8192).build().map_err(decoder)? {
            collect.push(&batch.map_err(decoder)?)?;
        }
        collect.finish()
    })
}

/// A reader of a file that has been looked over, and its rows.
fn checked(bytes: &Bytes, options: &ReadOptions) -> Result<(ParquetRecordBatchReaderBuilder<Bytes>, usize)> {
    check_footer(bytes)?;
    // The Arrow schema that some writers put beside Parquet's own adds nothing that is needed here.
    let reader_options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(bytes.clone(), reader_options)
        .map_err(decoder)?;
    let rows = check_pages(bytes, builder.metadata(), options.most_unfolded(bytes.len()))?;
    Ok((builder, rows))
}

fn check_footer(bytes: &[u8]) -> Result<()> {
    if !bytes.starts_with(b"PAR1") {
        return Err(refuse("byte 0", "it does not begin as a Parquet file", "name it by what it is"));
    }
    let Some((head, [a, b, c, d, b'P', b'A', b'R', b'1'])) = bytes.split_last_chunk::<8>() else {
        return Err(bad("its end is missing"));
    };
    let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
    let start = head.len().checked_sub(length).ok_or_else(|| bad("its footer is longer than the file"))?;
    thrift::structure(&head[start..]).ok_or_else(|| bad("its footer is malformed"))?;
    Ok(())
}

/// Every page lies inside the file, unfolds within the bound, and the counts agree. The rows of the table.
fn check_pages(bytes: &[u8], metadata: &ParquetMetaData, most: u64) -> Result<usize> {
    let (mut total, mut unfolded) = (0u64, 0u64);
    for group in metadata.row_groups() {
        let rows = u64::try_from(group.num_rows()).map_err(|_| bad("it claims a negative number of rows"))?;
        total = total.saturating_add(rows);
        for column in group.columns() {
            let count = u64::try_from(column.num_values()).ok();
            if count != Some(rows) {
                return Err(bad(format!("column '{}' does not have a value a row", column.column_path())));
            }
            unfolded = unfolded.saturating_add(check_column(bytes, column, most)?);
        }
    }
    let width = metadata.file_metadata().schema_descr().num_columns() as u64;
    let matrix = total.saturating_mul(width).saturating_mul(8);
    if unfolded > most || matrix > most {
        return Err(bomb(most));
    }
    if u64::try_from(metadata.file_metadata().num_rows()) != Ok(total) {
        return Err(bad("its row groups do not have the rows that it claims"));
    }
    usize::try_from(total).map_err(|_| bad("it claims more rows than memory can hold"))
}

/// Walks over the pages of a column; the bytes that they unfold to.
fn check_column(bytes: &[u8], column: &ColumnChunkMetaData, most: u64) -> Result<u64> {
    let size = |number: Option<i64>| number.and_then(|number| usize::try_from(number).ok());
    let beyond = || bad(format!("column '{}' reaches beyond the end", column.column_path()));
    let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
    let start = size(Some(start)).ok_or_else(beyond)?;
    let length = size(Some(column.compressed_size())).ok_or_else(beyond)?;
    let mut rest = bytes.get(start..).and_then(|rest| rest.get(..length)).ok_or_else(beyond)?;
    let (mut values, mut unfolded) = (0u64, 0u64);
    while !rest.is_empty() {
        let malformed = || bad(format!("a page of column '{}' is malformed", column.column_path()));
        let (header, head) = thrift::structure(rest).ok_or_else(malformed)?;
        let field = |path: &[i16]| size(thrift::number(&header, path));
        let (kind, plain, packed) = (field(&[1]), field(&[2]), field(&[3]));
        let (Some(kind), Some(plain), Some(packed)) = (kind, plain, packed) else { return Err(malformed()) };
        rest = rest.get(head..).and_then(|rest| rest.get(packed..)).ok_or_else(malformed)?;
        if column.compression() == Compression::UNCOMPRESSED && plain != packed {
            return Err(malformed());
        }
        unfolded = unfolded.saturating_add(plain as u64);
        let count = match kind {
            0 => field(&[5, 1]).ok_or_else(malformed)?,
            2 => {
                // A dictionary stores its values one by one: at least a bit each.
                let entries = field(&[7, 1]).ok_or_else(malformed)?;
                if entries > plain.saturating_mul(8) {
                    return Err(malformed());
                }
                0
            }
            3 => {
                let levels = field(&[8, 5]).zip(field(&[8, 6])).ok_or_else(malformed)?;
                if levels.0.saturating_add(levels.1) > plain.min(packed) {
                    return Err(malformed());
                }
                field(&[8, 1]).ok_or_else(malformed)?
            }
            _ => 0,
        };
        values = values.saturating_add(count as u64);
        if unfolded > most {
            return Err(bomb(most));
        }
    }
    if values != column.num_values() as u64 {
        return Err(bad(format!("the pages of column '{}' do not have its values", column.column_path())));
    }
    Ok(unfolded)
}

/// Writes a matrix, a column each dimension.
pub(crate) fn write(
    matrix: &AnyMatrix,
    columns: Option<&[String]>,
    out: &mut (dyn Write + Send),
) -> Result<()> {
    let (schema, batches) = batches(matrix, columns)?;
    write_batches(&schema, batches, out)
}

/// Writes batches.
pub(crate) fn write_batches(
    schema: &SchemaRef,
    batches: impl Iterator<Item = Result<RecordBatch>>,
    out: &mut (dyn Write + Send),
) -> Result<()> {
    // Coordinates seldom repeat: a dictionary of them is no gain.
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .build();
    let mut writer = ArrowWriter::try_new(out, schema.clone(), Some(properties)).map_err(decoder)?;
    for batch in batches {
        writer.write(&batch?).map_err(decoder)?;
    }
    writer.close().map(|_| ()).map_err(decoder)
}
