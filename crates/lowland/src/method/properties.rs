//! What kind of technique a method is, and what it costs: the columns of Maaten's table 1, for what is done here.

use super::Entry;
use serde::Serialize;

/// What the letters of costs mean.
const LETTERS: &[(char, &str)] = &[
    ('n', "rows"),
    ('D', "columns"),
    ('d', "components"),
    ('k', "neighbors"),
    ('i', "iterations"),
    ('m', "landmarks or local models"),
    ('w', "weights of the network"),
    ('q', "versions of a signal"),
];

/// The properties of a technique; [`Properties::letters`] says what the letters of its costs mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Properties {
    /// Whether it gives an explicit map from the data to the embedding.
    pub parametric: bool,
    /// Whether what it optimizes has no local optima: an eigenproblem, or a convex function.
    pub convex: bool,
    /// What the time of a fit grows with.
    pub cost: &'static str,
    /// What its memory grows with, the data aside.
    pub memory: &'static str,
}

impl Properties {
    /// The letters that stand in its costs, with their meaning.
    pub fn letters(&self) -> Vec<(char, &'static str)> {
        let alone = |word: &str| word.trim_matches(|c: char| !c.is_alphabetic()).to_owned();
        let both = [self.cost, self.memory].join(" ").replace('^', " ");
        let words: Vec<String> = both.split_whitespace().map(alone).collect();
        LETTERS
            .iter()
            .copied()
            .filter(|(letter, _)| words.iter().any(|word| *word == letter.to_string()))
            .collect()
    }
}

impl Entry {
    /// The properties of the method, where they are known.
    pub fn properties(&self) -> Option<&'static Properties> {
        TABLE.iter().find(|(names, _)| names.contains(&self.name)).map(|(_, properties)| properties)
    }
}

const fn of(parametric: bool, convex: bool, cost: &'static str, memory: &'static str) -> Properties {
    Properties { parametric, convex, cost, memory }
}

const TABLE: &[(&[&str], Properties)] = &[
    (&["pca"], of(true, true, "n D^2 + d D^2", "D^2")),
    (&["ppca", "lda"], of(true, true, "n D^2 + D^3", "D^2")),
    (&["fast-ica"], of(true, false, "n D^2 + D^3 + i n d^2", "D^2 + n d")),
    (&["factor-analysis"], of(true, false, "n D^2 + i D^2 d", "D^2")),
    (&["truncated-svd"], of(true, true, "i n D d", "(n + D) d")),
    (&["simple-pca"], of(true, true, "n D d", "D d")),
    (&["random-projection"], of(true, true, "n D d", "D d")),
    (&["projection-pursuit"], of(true, false, "n D^2 + i n d", "D^2 + n d")),
    (&["nca"], of(true, false, "i n^2 d + i n D d", "D d + n d")),
    (&["oriented-pca"], of(true, true, "n q D^2 + D^3", "D^2")),
    (&["distortion-discriminant-analysis"], of(true, true, "n q D^2 + D^3", "D^2")),
    (&["lpp", "npe", "onpp", "lltsa"], of(true, true, "n D log n + n k D + n D^2", "n k^2 + n D + D^2")),
    (&["kernel-pca", "classical-mds"], of(false, true, "n^2 (D + i d)", "n^2")),
    (&["landmark-mds"], of(false, true, "n m D + m^3", "n m")),
    (&["fastmap"], of(false, true, "n d (D + d)", "n d")),
    (&["isomap", "c-isomap"], of(false, true, "n^2 (k + log n + i d)", "n^2")),
    (&["landmark-isomap"], of(false, true, "m n (k + log n) + m^3", "n m")),
    (&["mvu"], of(false, true, "i (n k^2 d + a sparse factorization of n k^2 entries)", "n (k^2 + d)")),
    (&["landmark-mvu"], of(false, true, "n m k^2 + i (n k d + m^3)", "n (k + m)")),
    (
        &["fast-mvu"],
        of(false, true, "n k m + i (n k d + a sparse factorization of n k entries)", "n (k + m)"),
    ),
    (&["diffusion-maps"], of(false, true, "n^2 (D + i d)", "n^2")),
    (
        &["laplacian-eigenmaps", "spectral-clustering", "commute-time", "heat-kernel"],
        of(false, true, "n D log n + a sparse factorization of n k entries", "n k log n"),
    ),
    (
        &["lle", "modified-lle", "hessian-lle", "ltsa"],
        of(false, true, "n D log n + n k^3 + a sparse factorization of n k^2 entries", "n k^2 log n"),
    ),
    (&["sammon", "mds", "nonmetric-mds"], of(false, false, "i n^2 d", "n^2, or n where pairs are drawn")),
    (&["t-sne"], of(false, false, "n D log n + i n (k + log n)", "n k")),
    (&["umap", "pacmap"], of(false, false, "n D log n + i n k", "n k")),
    (&["mixture-ppca", "mixture-of-factor-analyzers"], of(true, false, "i n m D d", "n (D + m d) + m D d")),
    (&["manifold-parzen-windows"], of(false, true, "n D log n + n k^2 D", "n D d")),
    (&["llc"], of(true, false, "i n m D d + n k^3 + (m d)^3", "n (D + m d) + (m d)^2")),
    (&["charting"], of(true, false, "i n m D d + n (m d)^2 + (m d)^3", "n (D + m d) + (m d)^2")),
    (&["autoencoder", "rbm"], of(true, false, "i n w", "w")),
];

#[cfg(test)]
mod tests {
    use crate::registry;

    #[test]
    fn the_techniques_of_the_table_have_its_properties() {
        let found = |name: &str| *registry::find(name).unwrap().properties().unwrap();
        for parametric in ["pca", "autoencoder"] {
            assert!(found(parametric).parametric, "{parametric}");
        }
        for other in
            ["classical-mds", "isomap", "kernel-pca", "diffusion-maps", "lle", "ltsa", "sammon", "mvu"]
        {
            assert!(!found(other).parametric, "{other}");
        }
        for entry in registry::all() {
            let properties = entry.properties().unwrap_or_else(|| panic!("{}", entry.name));
            // What ends in one of many optima is not convex.
            let local = entry.capabilities.local_optimum;
            let exempt = ["factor-analysis", "spectral-clustering"].contains(&entry.name);
            assert!(exempt || properties.convex != local, "{}", entry.name);
            // A map that goes on to new points by itself is linear or a network.
            assert!(!properties.cost.is_empty() && !properties.memory.is_empty(), "{}", entry.name);
            // Every letter is explained.
            let known: Vec<char> = properties.letters().iter().map(|(letter, _)| *letter).collect();
            let costs = format!("{} {}", properties.cost, properties.memory).replace('a', "");
            let single = costs.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() == 1);
            assert!(single.flat_map(str::chars).all(|letter| known.contains(&letter)), "{}", entry.name);
        }
    }
}
