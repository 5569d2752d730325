//! Damaged files of every format: cut at every length, every byte flipped, spliced, their claims blown up.
//! Reading one may refuse it or not, but must neither panic, nor take long, nor take more memory than
//! 64 MiB + 4 x the file. `LOWLAND_MUTATIONS` sets the number of random splices of each file.

mod counting;

use counting::peak_of;
use lowland_io::{ReadOptions, read_bytes};
use std::time::{Duration, Instant};

/// A small generator, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }
}

struct Trial {
    /// A name with the format's extension.
    name: &'static str,
    refused: usize,
    tried: usize,
}

impl Trial {
    fn attempt(&mut self, bytes: &[u8], what: &str) {
        let start = Instant::now();
        let (result, peak) = peak_of(|| read_bytes(self.name, bytes, &ReadOptions::default()));
        let took = start.elapsed();
        let bound = (64 << 20) + 4 * bytes.len();
        assert!(peak <= bound, "{what}: {peak} bytes allocated for a file of {}", bytes.len());
        assert!(took < Duration::from_secs(5), "{what}: took {took:?}");
        self.tried += 1;
        self.refused += usize::from(result.is_err());
    }

    fn mutate(&mut self, name: &str, original: &[u8]) {
        self.attempt(original, name);
        for length in 0..original.len() {
            self.attempt(&original[..length], &format!("{name} cut to {length}"));
        }
        for at in 0..original.len() {
            for mask in [0x01, 0x80, 0xff] {
                let mut bytes = original.to_vec();
                bytes[at] ^= mask;
                self.attempt(&bytes, &format!("{name} byte {at} ^ {mask:#x}"));
            }
            // A size of 4 or 8 bytes blown up, either end first.
            for huge in [
                &[0xff, 0xff, 0xff, 0x7f][..],
                &[0x7f, 0xff, 0xff, 0xff],
                &[0, 0, 0, 0, 0, 1, 0, 0],
                &[0xff; 8],
            ] {
                let mut bytes = original.to_vec();
                let end = original.len().min(at + huge.len());
                bytes[at..end].copy_from_slice(&huge[..end - at]);
                self.attempt(&bytes, &format!("{name} byte {at} = {huge:?}"));
            }
        }
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ original.len() as u64);
        let rounds = std::env::var("LOWLAND_MUTATIONS").ok().and_then(|rounds| rounds.parse().ok());
        for round in 0..rounds.unwrap_or(2000) {
            let mut bytes = original.to_vec();
            for _ in 0..=dice.roll(4) {
                let (from, to) = (dice.roll(bytes.len()), dice.roll(bytes.len()));
                let length = dice.roll(64).min(bytes.len() - from.max(to));
                match dice.roll(4) {
                    0 => bytes.copy_within(from..from + length, to),
                    1 => drop(bytes.drain(to..to + length)),
                    2 => {
                        let part = bytes[from..from + length].to_vec();
                        bytes.splice(to..to, part);
                    }
                    _ => bytes[to] = dice.roll(256) as u8,
                }
                if bytes.is_empty() {
                    break;
                }
            }
            self.attempt(&bytes, &format!("{name} splice {round}"));
        }
    }
}

/// One test, one thread: the allocator counts for the whole program.
#[test]
fn damaged_files_are_harmless() {
    let formats: [(&str, &[&str]); 7] = [
        ("x.npy", &["f8le.npy", "fortran.npy", "cube_fortran.npy", "words_unicode.npy"]),
        ("x.npz", &["one.npz", "packed.npz"]),
        ("x.csv", &["plain.csv", "kind.csv", "blanks.txt"]),
        ("x.mat", &["one.mat", "packed.mat", "several.mat"]),
        ("x.idx", &["images-idx3-ubyte", "images-idx3-ubyte.gz", "f8.idx"]),
        (
            "x.parquet",
            &[
                "groups.parquet",
                "null.parquet",
                "numbers_snappy.parquet",
                "numbers_zstd.parquet",
                "numbers_lz4.parquet",
                "numbers_gzip.parquet",
            ],
        ),
        ("x.arrow", &["null.arrow", "numbers_lz4.feather", "numbers_zstd.feather"]),
    ];
    for (name, names) in formats {
        let mut trial = Trial { name, refused: 0, tried: 0 };
        for name in names {
            let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
            let original = std::fs::read(&path).expect(name);
            trial.mutate(name, &original);
        }
        // The damage must be real, and not all of it lethal, or nothing was tested.
        assert!(trial.refused > trial.tried / 4, "{names:?}: {} of {}", trial.refused, trial.tried);
        assert!(trial.refused < trial.tried, "{names:?}");
    }
}
