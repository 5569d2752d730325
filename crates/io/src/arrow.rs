//! Arrow IPC files, which are Feather v2. The sizes that every message claims are checked before the decoder
//! sees them.

use crate::frame::{Frame, Role};
use crate::source::{DAMAGED, bomb, refuse};
use crate::table::{Gather, batches, decoder, guarded};
use crate::typed::Collect;
use crate::{Data, ReadOptions};
use arrow_array::RecordBatch;
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use arrow_schema::SchemaRef;
use lowland::{AnyMatrix, Result};
use std::borrow::Cow;
use std::io::{Cursor, Write};

/// Reads a table of numeric columns.
pub(crate) fn read(bytes: Cow<'_, [u8]>, options: &ReadOptions) -> Result<Data> {
    guarded(|| {
        let (reader, rows) = checked(&bytes, options)?;
        let mut gather = Gather::new(reader.schema(), options, rows, bytes.len())?;
        for batch in reader {
            gather.push(&batch.map_err(decoder)?)?;
        }
        gather.finish()
    })
}

/// The names of the columns.
pub(crate) fn names(bytes: &[u8], options: &ReadOptions) -> Result<Vec<String>> {
    guarded(|| {
        let (reader, _) = checked(bytes, options)?;
        Ok(reader.schema().fields().iter().map(|field| field.name().clone()).collect())
    })
}

/// Reads the columns in their roles.
pub(crate) fn frame(bytes: &[u8], options: &ReadOptions, roles: &[Role]) -> Result<Frame> {
    guarded(|| {
        let (reader, rows) = checked(bytes, options)?;
        let mut collect = Collect::new(reader.schema(), roles, rows);
        for batch in reader {
            collect.push(&batch.map_err(decoder)?)?;
        }
        collect.finish()
    })
}

/// A reader of a file that has been looked over, and its rows.
fn checked<'b>(bytes: &'b [u8], options: &ReadOptions) -> Result<(FileReader<Cursor<&'b [u8]>>, usize)> {
    if bytes.starts_with(b"FEA1") {
        return Err(refuse("", "it is Feather v1, which is not read", "write it again as Feather v2"));
    }
    let rows = check(bytes, options.most_unfolded(bytes.len()))?;
    Ok((FileReader::try_new(Cursor::new(bytes), None).map_err(decoder)?, rows))
}

/// Footer, blocks, buffers: all inside the file; compressed buffers within the bound. The rows that it claims.
fn check(bytes: &[u8], most: u64) -> Result<usize> {
    let bad = |what: &str| refuse("in its structure", what.to_owned(), DAMAGED);
    if !bytes.starts_with(b"ARROW1") {
        return Err(refuse("byte 0", "it does not begin as an Arrow file", "name it by what it is"));
    }
    let (head, tail) =
        bytes.split_at_checked(bytes.len().saturating_sub(10)).ok_or_else(|| bad("it is too short"))?;
    if !tail.ends_with(b"ARROW1") || tail.len() != 10 {
        return Err(bad("its end is missing"));
    }
    let length = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]) as usize;
    let start = head.len().checked_sub(length).filter(|&start| start >= 8);
    let start = start.ok_or_else(|| bad("its footer is longer than the file"))?;
    let footer = arrow_ipc::root_as_footer(&head[start..]).map_err(|_| bad("its footer is malformed"))?;
    let (mut unfolded, mut total) = (0u64, 0usize);
    for block in footer.dictionaries().iter().flatten().chain(footer.recordBatches().iter().flatten()) {
        let (Ok(at), Ok(metadata), Ok(body)) = (
            usize::try_from(block.offset()),
            usize::try_from(block.metaDataLength()),
            usize::try_from(block.bodyLength()),
        ) else {
            return Err(bad("a block has a negative size"));
        };
        let rest = bytes.get(at..).ok_or_else(|| bad("a block lies beyond the end"))?;
        let (message, rest) =
            rest.split_at_checked(metadata).ok_or_else(|| bad("a block reaches beyond the end"))?;
        let body = rest.get(..body).ok_or_else(|| bad("a block reaches beyond the end"))?;
        let (rows, size) = check_block(message, body)?;
        total = total.saturating_add(rows);
        unfolded = unfolded.saturating_add(size);
        if unfolded > most {
            return Err(bomb(most));
        }
    }
    Ok(total)
}

/// Checks one batch: the rows of the table that it claims, and the bytes that it unfolds to.
fn check_block(message: &[u8], body: &[u8]) -> Result<(usize, u64)> {
    let bad = |what: &str| refuse("in its structure", what.to_owned(), DAMAGED);
    // Since 2019 a message begins with four bytes of ones; then comes its length.
    let skip = if message.starts_with(&[0xff; 4]) { 8 } else { 4 };
    let message = message.get(skip..).ok_or_else(|| bad("a message is cut short"))?;
    let message = arrow_ipc::root_as_message(message).map_err(|_| bad("a message is malformed"))?;
    let rows = message.header_as_record_batch().map_or(0, |batch| batch.length());
    let rows = usize::try_from(rows).map_err(|_| bad("a batch has a negative number of rows"))?;
    let batch = message.header_as_record_batch().or_else(|| message.header_as_dictionary_batch()?.data());
    let batch = batch.ok_or_else(|| bad("a block is not a batch"))?;
    let mut unfolded = 0u64;
    for buffer in batch.buffers().iter().flatten() {
        let (Ok(at), Ok(length)) = (usize::try_from(buffer.offset()), usize::try_from(buffer.length()))
        else {
            return Err(bad("a buffer has a negative size"));
        };
        let end = at.checked_add(length).filter(|&end| end <= body.len());
        let end = end.ok_or_else(|| bad("a buffer reaches beyond its block"))?;
        if batch.compression().is_some() && length > 0 {
            let head =
                body[at..end].first_chunk::<8>().ok_or_else(|| bad("a compressed buffer is cut short"))?;
            // -1: this buffer is not compressed after all.
            let claimed = i64::from_le_bytes(*head);
            if claimed < -1 {
                return Err(bad("a compressed buffer claims a negative size"));
            }
            unfolded = unfolded.saturating_add(claimed.max(0) as u64);
        }
    }
    Ok((rows, unfolded))
}

/// Writes a matrix, a column each dimension.
pub(crate) fn write(matrix: &AnyMatrix, columns: Option<&[String]>, out: &mut dyn Write) -> Result<()> {
    let (schema, batches) = batches(matrix, columns)?;
    write_batches(&schema, batches, out)
}

/// Writes batches.
pub(crate) fn write_batches(
    schema: &SchemaRef,
    batches: impl Iterator<Item = Result<RecordBatch>>,
    out: &mut dyn Write,
) -> Result<()> {
    let mut writer = FileWriter::try_new(out, schema).map_err(decoder)?;
    for batch in batches {
        writer.write(&batch?).map_err(decoder)?;
    }
    writer.finish().map_err(decoder)
}
