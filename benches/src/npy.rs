//! NumPy's array files, as far as the benchmarks need them: little-endian numbers of four types in C order,
//! and nothing after them. Whatever else is refused.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// An array of any number of dimensions, the last running fastest.
#[derive(Debug, PartialEq)]
pub struct Array<T> {
    pub shape: Vec<usize>,
    pub values: Vec<T>,
}

impl<T> Array<T> {
    /// The rows and columns of a matrix.
    pub fn rows_columns(&self) -> Result<(usize, usize), String> {
        match self.shape[..] {
            [rows, columns] => Ok((rows, columns)),
            _ => Err(format!("a matrix is needed, not an array of shape {:?}", self.shape)),
        }
    }
}

/// A number that such a file can hold.
pub trait Element: Copy {
    /// NumPy's name for it.
    const DESCR: &'static str;
    const SIZE: usize;
    /// From exactly `SIZE` bytes.
    fn decode(bytes: &[u8]) -> Self;
}

macro_rules! element {
    ($($type:ty, $descr:literal;)*) => {$(
        impl Element for $type {
            const DESCR: &'static str = $descr;
            const SIZE: usize = size_of::<$type>();
            fn decode(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$type>()];
                own.copy_from_slice(bytes);
                <$type>::from_le_bytes(own)
            }
        }
    )*};
}

element! {
    f32, "<f4";
    f64, "<f8";
    u8, "|u1";
    i64, "<i8";
}

/// What stands before the numbers.
#[derive(Debug, PartialEq)]
struct Header {
    descr: String,
    shape: Vec<usize>,
}

/// NumPy's name for the numbers of a file, so that a work can choose its type.
pub fn descr(file: &Path) -> Result<String, String> {
    let mut input = open(file)?;
    Ok(header(&mut input)?.descr)
}

/// The array of a file.
pub fn read<T: Element>(file: &Path) -> Result<Array<T>, String> {
    decode(open(file)?)
}

fn open(file: &Path) -> Result<impl Read, String> {
    Ok(BufReader::with_capacity(1 << 20, File::open(file).map_err(text)?))
}

fn text(error: io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the file ends too early".into(),
        _ => error.to_string(),
    }
}

fn decode<T: Element>(mut input: impl Read) -> Result<Array<T>, String> {
    let Header { descr, shape } = header(&mut input)?;
    if descr != T::DESCR {
        return Err(format!("its numbers are `{descr}`, not `{}`", T::DESCR));
    }
    let count = shape.iter().try_fold(1_usize, |product, &length| product.checked_mul(length));
    let count = count.filter(|n| n.checked_mul(T::SIZE).is_some()).ok_or("its shape is too large")?;
    let mut values = Vec::new();
    values.try_reserve_exact(count).map_err(|_| "its shape is too large")?;
    let mut block = vec![0; T::SIZE * (1 << 16)];
    while values.len() < count {
        let bytes = &mut block[..T::SIZE * (count - values.len()).min(1 << 16)];
        input.read_exact(bytes).map_err(text)?;
        values.extend(bytes.chunks_exact(T::SIZE).map(T::decode));
    }
    match input.read(&mut [0]).map_err(text)? {
        0 => Ok(Array { shape, values }),
        _ => Err("bytes follow the array".into()),
    }
}

fn header(input: &mut impl Read) -> Result<Header, String> {
    let mut start = [0; 8];
    input.read_exact(&mut start).map_err(text)?;
    if start[..6] != *b"\x93NUMPY" {
        return Err("not a NumPy array file".into());
    }
    let mut length = [0; 4];
    // Version 1 has two bytes for the length of the header, versions 2 and 3 have four.
    let size = match start[6..] {
        [1, 0] => 2,
        [2 | 3, 0] => 4,
        [major, minor] => return Err(format!("format {major}.{minor} is not known")),
        _ => unreachable!("two of eight bytes are left"),
    };
    input.read_exact(&mut length[..size]).map_err(text)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > 1 << 16 {
        return Err(format!("a header of {length} bytes is too long"));
    }
    let mut dictionary = vec![0; length];
    input.read_exact(&mut dictionary).map_err(text)?;
    let dictionary = String::from_utf8(dictionary).map_err(|_| "the header is no text")?;
    parse(&dictionary).ok_or_else(|| format!("the header is not understood: {}", dictionary.trim()))
}

/// Reads `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`, exactly as NumPy writes it.
fn parse(dictionary: &str) -> Option<Header> {
    let rest = dictionary.trim_end().strip_prefix("{'descr': '")?;
    let (descr, rest) = rest.split_once('\'')?;
    let rest = rest.strip_prefix(", 'fortran_order': False, 'shape': (")?;
    let inside = rest.strip_suffix("), }")?;
    let inside = inside.strip_suffix(',').unwrap_or(inside);
    let number = |word: &str| word.bytes().all(|b| b.is_ascii_digit()).then(|| word.parse().ok())?;
    let shape = if inside.is_empty() { Some(Vec::new()) } else { inside.split(", ").map(number).collect() };
    Some(Header { descr: descr.into(), shape: shape? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: u8, dictionary: &str, numbers: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([version, 0]);
        match version {
            1 => bytes.extend((dictionary.len() as u16).to_le_bytes()),
            _ => bytes.extend((dictionary.len() as u32).to_le_bytes()),
        }
        bytes.extend(dictionary.as_bytes());
        bytes.extend(numbers);
        bytes
    }

    fn header_of(descr: &str, shape: &str) -> String {
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}    \n")
    }

    #[test]
    fn every_type_and_version() {
        let numbers: Vec<u8> = [1.5_f64, -2.0, 0.0, 1e300, f64::MIN_POSITIVE, 3.0]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        for version in [1, 2, 3] {
            let array: Array<f64> = decode(&*file(version, &header_of("<f8", "2, 3"), &numbers)).unwrap();
            assert_eq!(array.rows_columns(), Ok((2, 3)));
            assert_eq!(array.values, [1.5, -2.0, 0.0, 1e300, f64::MIN_POSITIVE, 3.0]);
        }
        let single: Array<f32> = decode(&*file(1, &header_of("<f4", "1,"), &0.1_f32.to_le_bytes())).unwrap();
        assert_eq!(single, Array { shape: vec![1], values: vec![0.1] });
        let bytes: Array<u8> = decode(&*file(1, &header_of("|u1", "3,"), &[0, 127, 255])).unwrap();
        assert_eq!(bytes.values, [0, 127, 255]);
        let whole: Array<i64> = decode(&*file(1, &header_of("<i8", ""), &i64::MIN.to_le_bytes())).unwrap();
        assert_eq!(whole, Array { shape: vec![], values: vec![i64::MIN] });
        let none: Array<u8> = decode(&*file(1, &header_of("|u1", "0, 5"), &[])).unwrap();
        assert_eq!(none, Array { shape: vec![0, 5], values: vec![] });
    }

    #[test]
    fn more_than_one_block() {
        let count = (1 << 16) + 7;
        let numbers: Vec<u8> = (0..count as i64).flat_map(i64::to_le_bytes).collect();
        let array: Array<i64> = decode(&*file(1, &header_of("<i8", &format!("{count},")), &numbers)).unwrap();
        assert!(array.values.iter().copied().eq(0..count as i64));
    }

    #[test]
    fn whatever_else_is_refused() {
        let four = header_of("|u1", "4,");
        let refused = [
            (file(1, &four, &[1, 2, 3]), "ends too early"),
            (file(1, &four, &[1, 2, 3, 4, 5]), "bytes follow"),
            (file(1, &header_of("<f8", "1,"), &[0; 8]), "its numbers are `<f8`"),
            (file(1, &header_of(">i8", "1,"), &[0; 8]), "its numbers are `>i8`"),
            (file(4, &four, &[1, 2, 3, 4]), "format 4.0"),
            (file(1, &four.replace("False", "True"), &[1, 2, 3, 4]), "not understood"),
            (file(1, &header_of("|u1", "-4,"), &[1, 2, 3, 4]), "not understood"),
            (file(1, &header_of("|u1", "4, x"), &[1, 2, 3, 4]), "not understood"),
            (file(1, &header_of("|u1", "18446744073709551615, 2"), &[]), "too large"),
            (b"PK\x03\x04 not an array".to_vec(), "not a NumPy array"),
            (b"\x93NUM".to_vec(), "ends too early"),
        ];
        for (bytes, why) in refused {
            let error = decode::<u8>(&*bytes).unwrap_err();
            assert!(error.contains(why), "`{error}` does not say `{why}`");
        }
    }
}
