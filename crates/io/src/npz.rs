//! NumPy's `.npz`: a ZIP archive of `.npy` files, stored or deflated. Read by its central directory, with
//! every offset, size and checksum verified.

use crate::npy::{self, Content};
use crate::source::{DAMAGED, Source, refuse, unfold};
use flate2::Crc;
use lowland::{AnyMatrix, Error, Result};
use std::io::Write;

/// One file of the archive, as the central directory has it.
struct Member {
    name: String,
    method: u16,
    crc: u32,
    compressed: u64,
    size: u64,
    offset: u64,
}

/// Reads the array of this name, or the only one.
pub(crate) fn read(bytes: &[u8], wanted: Option<&str>, most: u64) -> Result<Content> {
    let members = directory(bytes)?;
    let plain = |member: &Member| member.name.trim_end_matches(".npy").to_owned();
    let names: Vec<String> = members.iter().map(plain).collect();
    let sparse = |name: &str| names.iter().any(|n| n == name);
    if wanted.is_none() && sparse("indptr") && sparse("indices") && sparse("format") {
        return Err(refuse("", "it holds a sparse matrix", "store it dense (SciPy: toarray)"));
    }
    let list = || format!("choose one by file.npz:name, of: {}", crate::table::abbreviated(&names));
    let at = match wanted {
        Some(name) => names
            .iter()
            .position(|n| n == name)
            .ok_or_else(|| refuse("", format!("there is no array '{name}'"), list()))?,
        None if members.len() == 1 => 0,
        None if members.is_empty() => {
            return Err(refuse("", "it holds no array", "give a file with an array"));
        }
        None => return Err(refuse("", format!("it holds {} arrays", members.len()), list())),
    };
    let position = format!("in its array '{}'", names[at]);
    content(bytes, &members[at], most).map_err(|error| match error {
        Error::File { path, position: inner, problem, remedy } => {
            let position = if inner.is_empty() { position } else { format!("{position}, {inner}") };
            Error::File { path, position, problem, remedy }
        }
        other => other,
    })
}

fn content(bytes: &[u8], member: &Member, most: u64) -> Result<Content> {
    let short = || refuse("", "it reaches beyond the end of the file", DAMAGED);
    let at = |offset: u64, length: u64| slice(bytes, offset, length).ok_or_else(short);
    let local = at(member.offset, 30)?;
    if !local.starts_with(b"PK\x03\x04") {
        return Err(refuse("", "its local header is missing", DAMAGED));
    }
    let skip = 30 + u64::from(u16_at(local, 26)) + u64::from(u16_at(local, 28));
    let start = member.offset.checked_add(skip).ok_or_else(short)?;
    let stored = at(start, member.compressed)?;
    let unfolded;
    let data = match member.method {
        0 if member.size != member.compressed => {
            return Err(refuse("", "its two sizes differ although it is not compressed", DAMAGED));
        }
        0 => stored,
        8 => {
            unfolded = unfold(flate2::read::DeflateDecoder::new(stored), member.size, most)?;
            &unfolded[..]
        }
        method => {
            let problem = format!("its compression (method {method}) is unknown");
            return Err(refuse("", problem, "write it with numpy.savez or savez_compressed"));
        }
    };
    let mut crc = Crc::new();
    crc.update(data);
    if crc.sum() != member.crc {
        return Err(refuse("", "its checksum is wrong", DAMAGED));
    }
    npy::read(&mut Source::bytes(data))
}

/// The central directory: found from the end of the file.
fn directory(bytes: &[u8]) -> Result<Vec<Member>> {
    let bad = |what: &str| refuse("in its ZIP directory", what.to_owned(), DAMAGED);
    // The end record is 22 bytes and a comment of up to 65,535.
    let tail = bytes.len().saturating_sub(22 + 65_535);
    let end = memchr::memmem::rfind(&bytes[tail..], b"PK\x05\x06").map(|at| tail + at);
    let end = end.filter(|&end| bytes.len() - end >= 22).ok_or_else(|| bad("there is none"))?;
    let record = &bytes[end..];
    let (mut count, mut size, mut offset) =
        (u64::from(u16_at(record, 10)), u64::from(u32_at(record, 12)), u64::from(u32_at(record, 16)));
    // Beyond 4 GiB or 65,535 members, a second record before it holds the numbers.
    if count == 0xffff || size == 0xffff_ffff || offset == 0xffff_ffff {
        let locator = end.checked_sub(20).map(|at| &bytes[at..end]).filter(|l| l.starts_with(b"PK\x06\x07"));
        let locator = locator.ok_or_else(|| bad("its ZIP64 locator is missing"))?;
        let record = slice(bytes, u64_at(locator, 8), 56).filter(|r| r.starts_with(b"PK\x06\x06"));
        let record = record.ok_or_else(|| bad("its ZIP64 record is missing"))?;
        (count, size, offset) = (u64_at(record, 32), u64_at(record, 40), u64_at(record, 48));
    }
    let mut rest = slice(bytes, offset, size).ok_or_else(|| bad("it lies beyond the end of the file"))?;
    let mut members = Vec::new();
    while rest.len() >= 46 && rest.starts_with(b"PK\x01\x02") {
        let [name, extra, comment] = [28, 30, 32].map(|at| usize::from(u16_at(rest, at)));
        let whole = 46 + name + extra + comment;
        if rest.len() < whole {
            return Err(bad("an entry is cut short"));
        }
        if u16_at(rest, 8) & 1 != 0 {
            return Err(refuse("in its ZIP directory", "it is encrypted", "decrypt it first"));
        }
        let mut member = Member {
            name: String::from_utf8_lossy(&rest[46..46 + name]).into_owned(),
            method: u16_at(rest, 10),
            crc: u32_at(rest, 16),
            compressed: u32_at(rest, 20).into(),
            size: u32_at(rest, 24).into(),
            offset: u32_at(rest, 42).into(),
        };
        member.zip64(&rest[46 + name..46 + name + extra]).ok_or_else(|| bad("a ZIP64 entry is cut short"))?;
        members.push(member);
        rest = &rest[whole..];
    }
    if !rest.is_empty() || members.len() as u64 != count {
        return Err(bad("it does not hold the entries that it claims"));
    }
    Ok(members)
}

impl Member {
    /// Takes the sizes that do not fit 32 bits from the extra field 1: in order, only those.
    fn zip64(&mut self, mut extra: &[u8]) -> Option<()> {
        while extra.len() >= 4 {
            let (id, length) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
            let mut field = extra.get(4..4 + length)?;
            extra = &extra[4 + length..];
            if id != 1 {
                continue;
            }
            for number in [&mut self.size, &mut self.compressed, &mut self.offset] {
                if *number == 0xffff_ffff {
                    *number = u64_at(field.get(..8)?, 0);
                    field = &field[8..];
                }
            }
        }
        Some(())
    }
}

fn slice(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(length).ok()?)?)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// Writes an archive with one stored array, `arr_0`, as `numpy.savez` does; with ZIP64 sizes throughout.
pub(crate) fn write(matrix: &AnyMatrix, out: &mut dyn Write) -> std::io::Result<()> {
    const NAME: &[u8] = b"arr_0.npy";
    let mut sums = Sums { crc: Crc::new(), size: 0 };
    npy::write(matrix, &mut sums)?;
    let (crc, size) = (sums.crc.sum(), sums.size);
    // Version 4.5, no flags, stored, 1 January 1980; both sizes in the extra field.
    let mut common = Vec::from(*b"\x2d\0\0\0\0\0\0\0\x21\0");
    common.extend(crc.to_le_bytes());
    common.extend([0xff; 8]);
    common.extend((NAME.len() as u16).to_le_bytes());
    common.extend(20u16.to_le_bytes());
    let mut extra = vec![1, 0, 16, 0];
    extra.extend(size.to_le_bytes());
    extra.extend(size.to_le_bytes());
    out.write_all(b"PK\x03\x04")?;
    [&common[..], NAME, &extra].iter().try_for_each(|part| out.write_all(part))?;
    npy::write(matrix, out)?;

    let directory = 30 + (NAME.len() + extra.len()) as u64 + size;
    let mut end = Vec::from(*b"PK\x01\x02\x2d\0");
    end.extend(&common);
    end.extend([0; 14]);
    end.extend(NAME);
    end.extend(&extra);
    let length = end.len() as u64;
    end.extend(b"PK\x06\x06");
    end.extend(44u64.to_le_bytes());
    end.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    [1, 1, length, directory].iter().for_each(|n: &u64| end.extend(n.to_le_bytes()));
    end.extend(b"PK\x06\x07\0\0\0\0");
    end.extend((directory + length).to_le_bytes());
    end.extend(1u32.to_le_bytes());
    end.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    end.extend((length as u32).to_le_bytes());
    end.extend([0xff, 0xff, 0xff, 0xff, 0, 0]);
    out.write_all(&end)
}

/// Counts and sums what is written: the sizes come before the data.
struct Sums {
    crc: Crc,
    size: u64,
}

impl Write for Sums {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.crc.update(bytes);
        self.size += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
