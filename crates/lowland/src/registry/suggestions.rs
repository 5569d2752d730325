//! What to say to a name that no method has: what was meant, or what comes nearest.

use super::{all, names};
use lowland_base::names::{edit_distance, simplified};
use lowland_base::units::alternatives;

/// Well-known methods that may not be here, by their names, and the methods nearest to them. A name that is
/// registered is found before anyone looks here, so an entry that has come to be there does no harm.
const ELSEWHERE: &[(&[&str], &[&str])] = &[
    (&["sammon", "sammon-mapping", "sammons-mapping"], &["classical-mds", "t-sne"]),
    (
        &["nonmetric-mds", "nmds", "metric-mds", "smacof", "kruskal", "iso-mds"],
        &["classical-mds", "landmark-mds"],
    ),
    (&["largevis", "trimap", "ivis", "ncvis", "localmap"], &["umap", "pacmap", "t-sne"]),
    (&["sne", "symmetric-sne", "bh-sne", "multicore-tsne", "tsne-cuda", "rtsne"], &["t-sne"]),
    (&["parametric-umap", "densmap", "aligned-umap", "supervised-umap"], &["umap"]),
    (&["phate", "palantir"], &["diffusion-maps", "umap"]),
    (&["vae", "variational-autoencoder", "dae", "denoising-autoencoder"], &["autoencoder"]),
    (
        &["nmf", "non-negative-matrix-factorization", "lda-topics", "plsa"],
        &["truncated-svd", "factor-analysis"],
    ),
    (
        &["sparse-pca", "robust-pca", "rpca", "minibatch-pca", "dictionary-learning", "spca"],
        &["pca", "simple-pca"],
    ),
    (&["mca", "famd", "correspondence-analysis", "ca"], &["pca"]),
    (&["som", "kohonen", "self-organizing-map", "gtm", "principal-curves"], &["isomap", "autoencoder"]),
    (&["gplvm", "gaussian-process-latent-variable-model", "bgplvm"], &["ppca", "kernel-pca"]),
    (&["cca", "pls", "canonical-correlation-analysis", "partial-least-squares"], &["lda", "oriented-pca"]),
    (&["lmnn", "itml", "metric-learning", "supervised-pca"], &["nca", "lda"]),
    (&["k-means", "kmeans", "dbscan", "hdbscan", "gmm", "agglomerative", "leiden"], &["spectral-clustering"]),
    (
        &["force-atlas", "forceatlas2", "node2vec", "deepwalk", "fruchterman-reingold"],
        &["laplacian-eigenmaps", "umap"],
    ),
    (&["varimax", "promax", "quartimax"], &["factor-analysis"]),
    (&["nystroem", "nystrom", "random-fourier-features", "rbf-sampler"], &["kernel-pca"]),
];

/// Fewer letters than this say little about what was meant.
const TELLING: usize = 3;

/// The end of the sentence.
pub(super) fn remedy(name: &str) -> String {
    let wanted = simplified(name);
    let registered = |candidates: &[&'static str]| -> Vec<&'static str> {
        candidates.iter().copied().filter(|name| all().iter().any(|entry| entry.name == *name)).collect()
    };
    let elsewhere = ELSEWHERE.iter().find(|(known, _)| known.iter().any(|k| simplified(k) == wanted));
    if let Some((_, near)) = elsewhere {
        let near = registered(near);
        if !near.is_empty() {
            return format!("it is not here yet, and {} comes nearest", alternatives(&near));
        }
    }
    let meant = meant(name, &wanted);
    if meant.is_empty() {
        return "no known name is like it: see the list of methods".into();
    }
    let quoted: Vec<String> = meant.iter().map(|name| format!("'{name}'")).collect();
    format!("did you mean {}?", alternatives(&quoted.iter().map(String::as_str).collect::<Vec<_>>()))
}

/// The methods of which a name has these words or nearly these letters, the best first: at most three.
fn meant(name: &str, wanted: &str) -> Vec<&'static str> {
    let words: Vec<String> = name.split(|c: char| !c.is_alphanumeric()).map(simplified).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
    let mut found: Vec<(usize, usize, &'static str)> = Vec::new();
    for (order, &entry) in all().iter().enumerate() {
        // A name of its own goes before those that it is also known by.
        let own = |known: &str| usize::from(known != entry.name);
        let ranks = names(entry).filter_map(|known| Some(rank(known, wanted, &words)? + own(known)));
        if let Some(rank) = ranks.min() {
            found.push((rank, order, entry.name));
        }
    }
    found.sort_unstable();
    let best = found.first().map_or(0, |(rank, ..)| rank / GRADE);
    found.into_iter().filter(|(rank, ..)| rank / GRADE == best).take(3).map(|(.., name)| name).collect()
}

/// Ranks of one kind of likeness.
const GRADE: usize = 100;

/// How much a known name is like the wanted one, less is more: few changes, a word of it, a part of it.
fn rank(known: &str, wanted: &str, words: &[&str]) -> Option<usize> {
    let whole = simplified(known);
    let changes = edit_distance(&whole, wanted);
    // One change in three letters, two in six, and so on.
    if changes * 3 <= wanted.chars().count().max(TELLING) {
        return Some(if changes <= 1 { changes } else { GRADE + changes });
    }
    let parts: Vec<String> = known.split('-').map(simplified).collect();
    let has = |word: &&&str| {
        word.len() >= TELLING
            && parts.iter().any(|part| part == **word || part.strip_suffix('s') == Some(**word))
    };
    let shared = words.iter().filter(has).count();
    if shared > 0 {
        let left = words.len() - shared + parts.len().saturating_sub(shared);
        return Some(2 * GRADE + left.min(GRADE - 1));
    }
    let inside =
        wanted.len() >= TELLING && whole.contains(wanted) || whole.len() > TELLING && wanted.contains(&whole);
    if inside {
        return Some(3 * GRADE + whole.len().abs_diff(wanted.len()).min(GRADE - 1));
    }
    let near = |part: &String| {
        let least = part.chars().count().min(wanted.chars().count());
        least > TELLING && edit_distance(part, wanted) * 4 <= least
    };
    parts.iter().any(near).then_some(4 * GRADE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_parts_of_names_are_known() {
        for (typed, meant) in [
            ("eigenmaps", "laplacian-eigenmaps"),
            ("eigenmap", "laplacian-eigenmaps"),
            ("laplacian", "laplacian-eigenmaps"),
            ("diffusion", "diffusion-maps"),
            ("tsn", "t-sne"),
            ("t-snee", "t-sne"),
            ("hessian", "hessian-lle"),
            ("factor", "factor-analysis"),
            ("isomop", "isomap"),
            ("auto-encoder-network", "autoencoder"),
            ("kernelpca2", "kernel-pca"),
            ("umpa", "umap"),
        ] {
            let words = remedy(typed);
            assert!(words.starts_with(&format!("did you mean '{meant}'")), "{typed}: {words}");
        }
        for (typed, never) in [("eigenmaps", "c-isomap"), ("tsn", "hlle"), ("mapping", "pca")] {
            assert!(!remedy(typed).contains(&format!("'{never}'")), "{typed}: {}", remedy(typed));
        }
        assert!(remedy("zzz").contains("list of methods"), "{}", remedy("zzz"));
        assert!(remedy("").contains("list of methods"), "{}", remedy(""));
    }

    #[test]
    fn what_is_elsewhere_is_said_with_what_is_here() {
        assert!(remedy("PHATE").contains("diffusion-maps or umap"), "{}", remedy("PHATE"));
        for (names, near) in ELSEWHERE {
            assert!(
                !near.is_empty() && near.iter().all(|near| super::super::find(near).is_ok()),
                "{names:?}"
            );
        }
    }
}
