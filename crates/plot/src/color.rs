//! Colors: ten for classes that people with any color vision can tell apart, and a map for numbers whose
//! equal steps look equal.

/// Red, green, blue in one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub u32);

/// The colors of all that is not data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Theme {
    pub paper: Rgb,
    pub ink: Rgb,
    pub soft: Rgb,
    pub grid: Rgb,
    pub edge: Rgb,
    pub pane: Rgb,
    /// Of the rare classes together, and of what has no value.
    pub other: Rgb,
    /// How much of the color map is left out at its dark end, which would drown in dark paper.
    pub left_out: f64,
}

pub const LIGHT: Theme = Theme {
    paper: Rgb(0xff_ffff),
    ink: Rgb(0x1f_2933),
    soft: Rgb(0x61_6e7c),
    grid: Rgb(0xe4_e7eb),
    edge: Rgb(0x9a_a5b1),
    pane: Rgb(0xf5_f7fa),
    other: OTHER,
    left_out: 0.0,
};

pub const DARK: Theme = Theme {
    paper: Rgb(0x14_191f),
    ink: Rgb(0xe6_eaee),
    soft: Rgb(0x9a_a5b1),
    grid: Rgb(0x2b_333c),
    edge: Rgb(0x5a_6672),
    pane: Rgb(0x1b_2129),
    other: Rgb(0x5b_6570),
    left_out: 0.28,
};

/// Of rare classes, on light paper.
pub const OTHER: Rgb = Rgb(0xb8_bfc8);

impl Theme {
    /// The color of a number between 0 and 1.
    pub fn map(&self, share: f64) -> Rgb {
        map(self.left_out + (1.0 - self.left_out) * share.clamp(0.0, 1.0))
    }

    /// A color of the data, for letters: as far from the paper as is legible.
    pub fn legible(&self, color: Rgb) -> Rgb {
        let toward = if *self == DARK { Rgb(0xff_ffff) } else { Rgb(0) };
        color.mixed(toward, 0.45)
    }
}

/// For classes: M. Petroff, Accessible color sequences for data visualization, 2021.
pub const CLASSES: [Rgb; 10] = [
    Rgb(0x3f_90da),
    Rgb(0xff_a90e),
    Rgb(0xbd_1f01),
    Rgb(0x83_2db6),
    Rgb(0x94_a4a2),
    Rgb(0xa9_6b59),
    Rgb(0xe7_6300),
    Rgb(0xb9_ac70),
    Rgb(0x71_7581),
    Rgb(0x92_dadd),
];

/// Viridis without its last twentieth, which is too light for white paper.
const VIRIDIS: [u32; 24] = [
    0x440154, 0x471063, 0x481f70, 0x472c7a, 0x443983, 0x404588, 0x3b518b, 0x365d8d, 0x31678e, 0x2c718e,
    0x297b8e, 0x25858e, 0x218f8d, 0x1f998a, 0x20a386, 0x26ad81, 0x34b679, 0x44bf70, 0x5ac864, 0x70cf57,
    0x8bd646, 0xa8db34, 0xc2df23, 0xdfe318,
];

impl Rgb {
    pub fn bytes(self) -> [u8; 3] {
        let [_, r, g, b] = self.0.to_be_bytes();
        [r, g, b]
    }

    /// This color with a share of another.
    pub fn mixed(self, other: Self, share: f64) -> Self {
        let (a, b) = (self.bytes(), other.bytes());
        let part = |k: usize| (f64::from(a[k]) * (1.0 - share) + f64::from(b[k]) * share).round() as u8;
        Self(u32::from_be_bytes([0, part(0), part(1), part(2)]))
    }
}

impl std::fmt::Display for Rgb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:06x}", self.0)
    }
}

/// The color of a number between 0 and 1.
pub fn map(share: f64) -> Rgb {
    let position = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let low = (position as usize).min(VIRIDIS.len() - 2);
    Rgb(VIRIDIS[low]).mixed(Rgb(VIRIDIS[low + 1]), position - low as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CIE lightness.
    fn lightness(color: Rgb) -> f64 {
        let linear = |byte: u8| {
            let v = f64::from(byte) / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        let [r, g, b] = color.bytes().map(linear);
        116.0 * (0.2126 * r + 0.7152 * g + 0.0722 * b).cbrt() - 16.0
    }

    #[test]
    fn the_map_grows_lighter_in_even_steps() {
        let steps: Vec<f64> = (0..20)
            .map(|i| lightness(map(f64::from(i + 1) / 20.0)) - lightness(map(f64::from(i) / 20.0)))
            .collect();
        let mean = steps.iter().sum::<f64>() / 20.0;
        assert!(steps.iter().all(|step| (step / mean - 1.0).abs() < 0.3), "{steps:?}");
    }
}
