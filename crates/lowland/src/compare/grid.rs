//! Which settings of a method are tried: Maaten's table 2, and what has no line there.

use super::cell::Cell;
use crate::method::Entry;
use crate::parameters::{Value, split_list};
use lowland_base::{Error, Result};
use std::collections::BTreeMap;

/// A number or a word of a grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Setting {
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// A word.
    Word(&'static str),
}

/// The settings of one method: all combinations of the values of its axes, for each of its variants.
#[derive(Debug, Clone, Copy)]
pub struct Grid {
    /// The method.
    pub method: &'static str,
    /// Settings that belong together. Every variant is crossed with all axes.
    pub variants: &'static [&'static [(&'static str, Setting)]],
    /// Parameters and the values that each takes.
    pub axes: &'static [(&'static str, &'static [Setting])],
    /// Single settings that are tried beside these, unless values of one's own are given.
    pub beside: &'static [&'static [(&'static str, Setting)]],
    /// Where the grid is from.
    pub source: &'static str,
}

use Setting::{Integer, Real, Word};

/// The neighbors that table 2 tries wherever a method has them.
pub const NEIGHBORS: &[Setting] = &[
    Integer(5),
    Integer(6),
    Integer(7),
    Integer(8),
    Integer(9),
    Integer(10),
    Integer(11),
    Integer(12),
    Integer(13),
    Integer(14),
    Integer(15),
];

/// Where the neighbors are from.
pub const NEIGHBORS_SOURCE: &str = "Maaten et al. 2009, table 2: 5 to 15 neighbors";

/// Every fifth of table 2's local models, 5 to 25.
const ANALYZERS: &[Setting] = &[Integer(5), Integer(10), Integer(15), Integer(20), Integer(25)];

/// A method by stress has one setting: neighbors have no effect on straight distances.
const fn straight(method: &'static str) -> Grid {
    let source = "no line in table 2: the defaults; n_neighbors has an effect only where geodesic = true";
    Grid { method, variants: &[&[]], axes: &[], beside: &[], source }
}

/// The methods whose grid is not their defaults, or 5 to 15 neighbors.
pub const GRIDS: &[Grid] = &[
    Grid {
        method: "kernel-pca",
        variants: &[
            &[
                ("kernel", Word("polynomial")),
                ("degree", Integer(5)),
                ("gamma", Real(1.0)),
                ("coef0", Real(1.0)),
            ],
            &[("kernel", Word("gaussian"))],
        ],
        axes: &[],
        beside: &[],
        source: "Maaten et al. 2009, table 2: (x.y + 1)^5; and the Gaussian of median width",
    },
    Grid {
        method: "diffusion-maps",
        variants: &[&[]],
        axes: &[("t", &[Real(0.0), Real(1.0)])],
        beside: &[],
        source: "not the times of Maaten et al. 2009, table 2 (10 to 100), which leave nothing but the first coordinates: \
                 the unscaled eigenvectors (t = 0) and one step of the walk; the width by the median",
    },
    Grid {
        method: "isomap",
        variants: &[&[]],
        axes: &[("n_neighbors", NEIGHBORS)],
        beside: &[
            &[("graph", Word("mutual")), ("n_neighbors", Integer(6))],
            &[("graph", Word("mutual")), ("n_neighbors", Integer(8))],
            &[("graph", Word("mutual")), ("n_neighbors", Integer(10))],
            &[("graph", Word("mutual")), ("n_neighbors", Integer(12))],
        ],
        source: "Maaten et al. 2009, table 2: 5 to 15 neighbors; and edges between neighbors of each other alone, which of few \
                 points of a folded sheet are often the only ones without a short circuit",
    },
    Grid {
        method: "lle",
        variants: &[&[]],
        axes: &[("n_neighbors", NEIGHBORS), ("reg", &[Real(1e-3), Real(1e-5)])],
        beside: &[],
        source: "Maaten et al. 2009, table 2: 5 to 15 neighbors; and beside the usual ridge one of a hundredth",
    },
    Grid {
        method: "heat-kernel",
        variants: &[&[("t", Real(1.0))], &[("t", Real(10.0))]],
        axes: &[("n_neighbors", &[Integer(5), Integer(10), Integer(15)])],
        beside: &[],
        source: "no line in table 2: two times, and the ends and the middle of its neighbors",
    },
    Grid {
        method: "mvu",
        variants: &[&[]],
        axes: &[("n_neighbors", &[Integer(5), Integer(10), Integer(15)])],
        beside: &[],
        source: "Maaten et al. 2009, table 2: 5 to 15 neighbors, the ends and the middle, for it takes its time",
    },
    Grid {
        method: "landmark-mvu",
        variants: &[&[]],
        axes: &[("n_neighbors", &[Integer(5), Integer(10), Integer(15)])],
        beside: &[],
        source: "no line in table 2: the ends and the middle of the neighbors of mvu",
    },
    Grid {
        method: "fast-mvu",
        variants: &[&[]],
        axes: &[("n_neighbors", &[Integer(5), Integer(10), Integer(15)])],
        beside: &[],
        source: "no line in table 2: the ends and the middle of the neighbors of mvu",
    },
    straight("sammon"),
    straight("mds"),
    straight("nonmetric-mds"),
    Grid {
        method: "t-sne",
        variants: &[&[]],
        axes: &[("perplexity", &[Real(10.0), Real(30.0), Real(50.0)])],
        beside: &[],
        source: "no line in table 2: the range of perplexities that its authors name, 5 to 50",
    },
    Grid {
        method: "umap",
        variants: &[&[]],
        axes: &[("n_neighbors", &[Integer(5), Integer(15), Integer(30)])],
        beside: &[],
        source: "no line in table 2: its default, and few and many neighbors",
    },
    Grid {
        method: "pacmap",
        variants: &[&[]],
        axes: &[("n_neighbors", &[Integer(5), Integer(10), Integer(20)])],
        beside: &[],
        source: "no line in table 2: its default, and half and twice of it",
    },
    Grid {
        method: "llc",
        variants: &[&[]],
        axes: &[("n_analyzers", ANALYZERS), ("n_neighbors", &[Integer(5), Integer(10), Integer(15)])],
        beside: &[],
        source: "Maaten et al. 2009, table 2: 5 to 25 local models and 5 to 15 neighbors, every fifth of them",
    },
    Grid {
        method: "charting",
        variants: &[&[]],
        axes: &[("n_analyzers", ANALYZERS)],
        beside: &[],
        source: "Maaten et al. 2009, table 2: 5 to 25 local models, every fifth of them",
    },
    Grid {
        method: "mixture-ppca",
        variants: &[&[]],
        axes: &[("n_analyzers", ANALYZERS)],
        beside: &[],
        source: "no line in table 2: the numbers of local models of llc and charting",
    },
    Grid {
        method: "mixture-of-factor-analyzers",
        variants: &[&[]],
        axes: &[("n_analyzers", ANALYZERS)],
        beside: &[],
        source: "no line in table 2: the numbers of local models of llc and charting",
    },
];

/// Methods that are compared only when they are named, and why.
pub const BY_NAME_ONLY: &[(&str, &str)] = &[
    (
        "mvu",
        "it takes minutes where others take seconds; landmark-mvu stands for it, name it if you have the time",
    ),
    (
        "fast-mvu",
        "it takes minutes where others take seconds; landmark-mvu stands for it, name it if you have the time",
    ),
    ("mixture-ppca", "it is a density; its picture is that of pca, denoised"),
    ("mixture-of-factor-analyzers", "it is a density; its picture is that of pca, denoised"),
    ("manifold-parzen-windows", "it is a density; its picture is that of pca, denoised"),
    ("spectral-clustering", "it makes clusters; its embedding is that of laplacian-eigenmaps"),
    ("oriented-pca", "its labels are signals with distorted versions, not classes; name it if yours are"),
    (
        "distortion-discriminant-analysis",
        "its labels are signals with distorted versions, not classes; name it if yours are",
    ),
];

/// Values that replace a grid's own: for one method, or for all that have the parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    /// The method, or every one.
    pub method: Option<String>,
    /// The parameter.
    pub parameter: String,
    /// What it takes.
    pub values: Vec<Value>,
}

impl std::str::FromStr for Override {
    type Err = Error;

    /// `n_neighbors=5,10` or `isomap.n_neighbors=5,10`; a list is in brackets, as in `hidden=[500,250],[100]`.
    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            let bound = "[METHOD.]PARAMETER=VALUE,VALUE,...";
            Error::parameter("grid", text, bound, "write isomap.n_neighbors=5,10,15")
        };
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        let (method, parameter) = match name.trim().split_once('.') {
            Some((method, parameter)) => (Some(method.trim()), parameter.trim()),
            None => (None, name.trim()),
        };
        let values: Vec<Value> =
            split_list(values).into_iter().filter(|v| !v.is_empty()).map(Value::parse).collect();
        if parameter.is_empty() || method.is_some_and(str::is_empty) || values.is_empty() {
            return Err(wrong());
        }
        Ok(Self { method: method.map(str::to_owned), parameter: parameter.replace('-', "_"), values })
    }
}

impl From<Setting> for Value {
    fn from(setting: Setting) -> Self {
        match setting {
            Integer(value) => Self::Integer(value),
            Real(value) => Self::Real(value),
            Word(word) => Self::Text(word.to_owned()),
        }
    }
}

/// The cells of a method: those in the middle of its axes first, so that what a budget cuts off are the ends.
pub fn cells(entry: &'static Entry, overrides: &[Override]) -> Vec<Cell> {
    let has = |name: &str| (entry.parameters)().iter().any(|parameter| parameter.name == name);
    let known = GRIDS.iter().find(|grid| grid.method == entry.name);
    let mut variants: Vec<Vec<(String, Value)>> = match known {
        Some(grid) => grid.variants.iter().map(|variant| pairs(variant)).collect(),
        None => vec![Vec::new()],
    };
    let mut axes: Vec<(String, Vec<Value>)> = match known {
        Some(grid) => grid.axes.iter().map(|(name, values)| axis(name, values)).collect(),
        None if has("n_neighbors") => vec![axis("n_neighbors", NEIGHBORS)],
        None => Vec::new(),
    };
    for other in overrides.iter().filter(|other| concerns(other, entry) && has(&other.parameter)) {
        for variant in &mut variants {
            variant.retain(|(name, _)| *name != other.parameter);
        }
        axes.retain(|(name, _)| *name != other.parameter);
        axes.push((other.parameter.clone(), other.values.clone()));
    }
    variants.dedup();
    let mut found: Vec<(usize, Vec<(String, Value)>)> = variants.into_iter().map(|v| (0, v)).collect();
    for (name, values) in &axes {
        let middle = (values.len() - 1) / 2;
        let with = |(off, cell): &(usize, Vec<(String, Value)>)| {
            let (off, cell) = (*off, cell.clone());
            values.iter().enumerate().map(move |(index, value)| {
                let mut cell = cell.clone();
                cell.push((name.clone(), value.clone()));
                (off + index.abs_diff(middle), cell)
            })
        };
        found = found.iter().flat_map(with).collect();
    }
    if let Some(grid) =
        known.filter(|_| !overrides.iter().any(|other| concerns(other, entry) && has(&other.parameter)))
    {
        found.extend(grid.beside.iter().enumerate().map(|(at, settings)| (at, pairs(settings))));
    }
    found.sort_by_key(|(off, _)| *off);
    let mut seen: Vec<Vec<(String, Value)>> = Vec::new();
    found.retain(|(_, settings)| {
        let new = !seen.contains(settings);
        seen.push(settings.clone());
        new
    });
    let cell = |(_, settings): (usize, Vec<(String, Value)>)| Cell {
        method: entry.name.to_owned(),
        settings: settings.into_iter().collect::<BTreeMap<_, _>>(),
    };
    found.into_iter().map(cell).collect()
}

pub(super) fn concerns(other: &Override, entry: &'static Entry) -> bool {
    let named = |name: &String| crate::registry::find(name).is_ok_and(|found| found.name == entry.name);
    other.method.as_ref().is_none_or(named)
}

fn pairs(settings: &[(&str, Setting)]) -> Vec<(String, Value)> {
    settings.iter().map(|(name, setting)| ((*name).to_owned(), (*setting).into())).collect()
}

fn axis(name: &str, values: &[Setting]) -> (String, Vec<Value>) {
    (name.to_owned(), values.iter().map(|&value| value.into()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn every_setting_of_every_grid_is_one_of_the_method() {
        for grid in GRIDS {
            assert!(registry::find(grid.method).is_ok(), "{}", grid.method);
        }
        for (name, _) in BY_NAME_ONLY {
            assert!(registry::find(name).is_ok(), "{name}");
        }
        for entry in registry::all() {
            let found = cells(entry, &[]);
            assert!(!found.is_empty());
            for cell in &found {
                cell.method(2).unwrap_or_else(|e| panic!("{cell}: {e}"));
            }
        }
    }

    #[test]
    fn table_two_is_the_default_and_the_middle_comes_first() {
        let isomap = cells(registry::find("isomap").unwrap(), &[]);
        let (mutual, isomap): (Vec<Cell>, Vec<Cell>) =
            isomap.into_iter().partition(|cell| cell.settings.contains_key("graph"));
        assert_eq!(mutual.len(), 4);
        let neighbors: Vec<&Value> = isomap.iter().map(|cell| &cell.settings["n_neighbors"]).collect();
        assert_eq!(neighbors.len(), 11);
        assert_eq!(neighbors[0], &Value::Integer(10));
        assert!(
            neighbors[9..].contains(&&Value::Integer(5)) && neighbors[9..].contains(&&Value::Integer(15))
        );
        assert_eq!(cells(registry::find("pca").unwrap(), &[]).len(), 1);
        assert_eq!(cells(registry::find("diffusion-maps").unwrap(), &[]).len(), 2);
    }

    #[test]
    fn neighbors_are_tried_only_where_they_have_an_effect() {
        for name in ["sammon", "mds", "nonmetric-mds"] {
            let entry = registry::find(name).unwrap();
            assert_eq!(cells(entry, &[]).len(), 1, "{name}");
            let geodesic: Vec<Override> =
                ["geodesic=true", "n_neighbors=5,9"].map(|text| text.parse().unwrap()).into();
            assert_eq!(cells(entry, &geodesic).len(), 2, "{name}");
        }
    }

    #[test]
    fn overrides_take_the_place_of_an_axis() {
        let few: Override = "n_neighbors=6,9".parse().unwrap();
        let one: Override = "Isomap.n-neighbors = 7".parse().unwrap();
        let isomap = registry::find("isomap").unwrap();
        assert_eq!(cells(isomap, std::slice::from_ref(&few)).len(), 2);
        assert_eq!(cells(isomap, &["n_neighbors=6,6,6".parse().unwrap()]).len(), 1);
        let both = cells(isomap, &[few.clone(), one]);
        assert_eq!(both.len(), 1);
        assert_eq!(both[0].settings["n_neighbors"], Value::Integer(7));
        assert_eq!(cells(registry::find("pca").unwrap(), &[few]).len(), 1);
        let kernel = registry::find("kernel-pca").unwrap();
        assert_eq!(cells(kernel, &["kernel-pca.kernel=linear,cosine".parse().unwrap()]).len(), 4);
        let metrics: Override = "metric=minkowski(3),euclidean".parse().unwrap();
        assert_eq!(cells(isomap, std::slice::from_ref(&metrics)).len(), 22);
        let lists: Override = "hidden=[500,250],[100]".parse().unwrap();
        assert_eq!(lists.values, [Value::parse("500,250"), Value::parse("[100]")]);
        for wrong in ["n_neighbors", "=5", "isomap.=5", ".k=5", "k="] {
            assert!(wrong.parse::<Override>().is_err(), "{wrong}");
        }
    }
}
