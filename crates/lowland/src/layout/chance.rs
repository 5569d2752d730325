//! Random numbers that depend on what they are for and not on who draws them when: a hash of the seed and of counters. So
//! threads can draw in any order, and the bits stay the same.

/// A stream of numbers for one purpose.
#[derive(Debug, Clone, Copy)]
pub struct Chance(u64);

impl Chance {
    /// The stream of a seed, a purpose, and two counters.
    #[inline(always)]
    pub fn new(seed: u64, purpose: u64, first: u64, second: u64) -> Self {
        let key = mix(seed ^ mix(purpose));
        Self(mix(
            mix(key ^ first.wrapping_mul(0x9e37_79b9_7f4a_7c15)) ^ second.wrapping_mul(0xd1b5_4a32_d192_ed03)
        ))
    }

    /// The number at an index of the stream.
    #[inline(always)]
    pub fn at(self, index: u64) -> u64 {
        mix(self.0.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// A whole number below `bound`.
    #[inline(always)]
    pub fn below(self, index: u64, bound: usize) -> usize {
        (((self.at(index) >> 32) * bound as u64) >> 32) as usize
    }

    /// The stream in 32 bits, for [`below`].
    #[inline(always)]
    pub fn short(self) -> u32 {
        (self.0 >> 32) as u32 ^ self.0 as u32
    }
}

/// A whole number below `bound` at an index of a short stream, by a hash of 32 bits that fills the vector units: for many
/// draws of little weight.
#[inline(always)]
pub fn below(stream: u32, index: u32, bound: u32) -> u32 {
    let hash = mix32(stream ^ index.wrapping_mul(0x9e37_79b9));
    ((u64::from(hash) * u64::from(bound)) >> 32) as u32
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood 2014).
#[inline(always)]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The finalizer of MurmurHash3 for 32 bits (Appleby 2011).
#[inline(always)]
fn mix32(mut z: u32) -> u32 {
    z = (z ^ (z >> 16)).wrapping_mul(0x85eb_ca6b);
    z = (z ^ (z >> 13)).wrapping_mul(0xc2b2_ae35);
    z ^ (z >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_even_and_streams_are_apart() {
        let chance = Chance::new(3, 1, 4, 1);
        let mut counts = [0_u32; 10];
        (0..100_000).for_each(|index| counts[chance.below(index, 10)] += 1);
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 500), "{counts:?}");
        // The first two of a stream, over many streams; and one after the other in one stream.
        let (mut firsts, mut pairs) = ([0_u32; 100], [0_u32; 100]);
        for stream in 0..100_000 {
            let other = Chance::new(3, 1, 4, u64::from(stream)).short();
            firsts[(10 * below(other, 0, 10) + below(other, 1, 10)) as usize] += 1;
            let short = chance.short();
            pairs[(10 * below(short, 2 * stream, 10) + below(short, 2 * stream + 1, 10)) as usize] += 1;
        }
        assert!(firsts.iter().chain(&pairs).all(|count| count.abs_diff(1000) < 160), "{firsts:?} {pairs:?}");
        let other = Chance::new(3, 1, 4, 2);
        assert!((0..1000).filter(|&index| chance.below(index, 2) == other.below(index, 2)).count() < 600);
    }
}
