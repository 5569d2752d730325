//! Just enough of Thrift's compact protocol to look over what a Parquet file claims before a decoder believes it.

/// The most that structures may be nested: Parquet needs about ten.
const DEEPEST: u32 = 32;

/// The whole numbers of a structure and of the structures in its fields, by the numbers of the fields:
/// `[5, 1]` is field 1 of field 5.
pub(crate) type Numbers = Vec<(Vec<i16>, i64)>;

/// Walks over one structure at the front: its numbers, and its length in bytes. `None` if anything in it
/// reaches beyond the end: then no list in it is longer than the bytes that hold it.
pub(crate) fn structure(bytes: &[u8]) -> Option<(Numbers, usize)> {
    let mut walk = Walk { bytes, at: 0, numbers: Vec::new() };
    walk.structure(&mut Vec::new(), 0)?;
    Some((walk.numbers, walk.at))
}

/// One number of a structure.
pub(crate) fn number(numbers: &Numbers, path: &[i16]) -> Option<i64> {
    numbers.iter().find(|(at, _)| at == path).map(|&(_, value)| value)
}

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    numbers: Numbers,
}

impl Walk<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn skip(&mut self, count: u64) -> Option<()> {
        let end = self.at.checked_add(usize::try_from(count).ok()?)?;
        self.at = (end <= self.bytes.len()).then_some(end)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn structure(&mut self, path: &mut Vec<i16>, depth: u32) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        let mut field = 0i16;
        loop {
            let head = self.byte()?;
            let kind = head & 15;
            if kind == 0 {
                return Some(());
            }
            field = match head >> 4 {
                0 => i16::try_from(self.zigzag()?).ok()?,
                step => field.checked_add(step.into())?,
            };
            path.push(field);
            // A boolean field is its own type.
            if kind > 2 {
                self.value(kind, path, depth)?;
            }
            path.pop();
        }
    }

    fn value(&mut self, kind: u8, path: &mut Vec<i16>, depth: u32) -> Option<()> {
        match kind {
            1..=3 => self.skip(1),
            4..=6 => {
                let value = self.zigzag()?;
                if path.len() <= 2 {
                    self.numbers.push((path.clone(), value));
                }
                Some(())
            }
            7 => self.skip(8),
            8 => {
                let length = self.varint()?;
                self.skip(length)
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = match head >> 4 {
                    15 => self.varint()?,
                    count => count.into(),
                };
                self.elements(count, &[head & 15], depth)
            }
            11 => match self.varint()? {
                0 => Some(()),
                count => {
                    let kinds = self.byte()?;
                    self.elements(count, &[kinds >> 4, kinds & 15], depth)
                }
            },
            12 => self.structure(path, depth + 1),
            _ => None,
        }
    }

    /// Every element takes at least a byte: a longer list cannot be there.
    fn elements(&mut self, count: u64, kinds: &[u8], depth: u32) -> Option<()> {
        if count > (self.bytes.len() - self.at) as u64 || depth > DEEPEST {
            return None;
        }
        // What lies inside lists is not kept: no path would say which element. A longer path says so.
        let mut inside = vec![0; 3];
        for _ in 0..count {
            for &kind in kinds {
                self.value(kind, &mut inside, depth + 1)?;
            }
        }
        Some(())
    }
}
