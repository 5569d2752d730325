//! The thirteen techniques and their grids: table 2, and the other readings where it can be read in more than one way.

use lowland::compare::{Cell, NEIGHBORS, Setting};
use lowland::parameters::Value;
use lowland::registry;
use std::collections::BTreeMap;

use Setting::{Integer, Real, Word};

/// A column of the tables.
pub struct Technique {
    /// Its name there.
    pub column: &'static str,
    /// A name of the method in the registry; a version without it says that the technique is not available.
    pub method: &'static str,
    /// How the protocol can be read; the first as printed.
    pub readings: &'static [Reading],
}

/// One way to read the protocol.
pub struct Reading {
    /// In words.
    pub name: &'static str,
    /// What is done to the data first.
    pub scale: Scale,
    /// Parameters that have one value.
    pub fixed: &'static [(&'static str, Setting)],
    /// Parameters that are tried, in all combinations.
    pub axes: &'static [(&'static str, &'static [Setting])],
    /// The dimension of the embedding.
    pub components: Components,
    /// The data sets for which it is another reading; none is all.
    pub only: &'static [&'static str],
}

/// What is done to the data before a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Nothing.
    AsIs,
    /// One shift and one factor for all values, so that they are from 0 to 1.
    UnitRange,
}

/// How many components an embedding has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Components {
    /// The target dimension of the data set.
    Target,
    /// The same, but no more than the neighbors allow, `k - 2` (6.1: it cannot be higher than the neighbors).
    TangentsOf,
    /// The same for Hessian LLE, which fits `1 + d + d (d + 1) / 2` functions to `k` neighbors.
    HessiansOf,
    /// The target dimension, with the fewest neighbors that suffice for its tangents and these many more.
    TangentsWith(&'static [usize]),
    /// The same for Hessians, where they are at most sixty.
    HessiansWith(&'static [usize]),
}

/// How much of every axis of a grid is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steps {
    /// All of it.
    All,
    /// Both ends and the middle.
    Three,
    /// The middle, and little training: the small run.
    Middle,
}

impl Steps {
    fn of(self, values: &[Setting]) -> Vec<Setting> {
        let middle = values.len() / 2;
        match (self, values) {
            (Self::Middle, [_, ..]) => vec![values[middle]],
            (Self::Three, [first, .., last]) if values.len() > 3 => vec![*first, values[middle], *last],
            _ => values.to_vec(),
        }
    }
}

const LARGEST: (&str, Setting) = ("disconnected", Word("largest"));
const JOIN: (&str, Setting) = ("disconnected", Word("join"));
const FEW_NEIGHBORS: &[Setting] = &[Integer(5), Integer(10), Integer(15)];
const MIXTURES: &[Setting] = &[Integer(5), Integer(10), Integer(15), Integer(20), Integer(25)];
const TIMES: &[Setting] = &[Real(10.0), Real(40.0), Real(70.0), Real(100.0)];

const PRINTED: Reading = Reading {
    name: "table 2",
    scale: Scale::AsIs,
    fixed: &[],
    axes: &[],
    components: Components::Target,
    only: &[],
};
const NEIGHBORHOODS: Reading = Reading {
    name: "table 2: k from 5 to 15; the largest connected component, the others out of sample",
    fixed: &[LARGEST],
    axes: &[("n_neighbors", NEIGHBORS)],
    ..PRINTED
};
const JOINED: Reading = Reading {
    name: "connected components of the graph joined by their shortest edges",
    fixed: &[JOIN],
    axes: &[("n_neighbors", FEW_NEIGHBORS)],
    ..PRINTED
};

/// The broken roll is two connected components of the same size, whatever the neighbors.
const SEPARATE: Reading = Reading {
    name: "connected components of the graph embedded each by itself, side by side",
    fixed: &[("disconnected", Word("separate"))],
    axes: &[("n_neighbors", FEW_NEIGHBORS)],
    only: &["broken-swiss-roll"],
    ..PRINTED
};

/// The columns of tables 3 to 8 after 'None'.
pub const TECHNIQUES: &[Technique] = &[
    Technique { column: "PCA", method: "pca", readings: &[PRINTED] },
    Technique { column: "Isomap", method: "isomap", readings: &[NEIGHBORHOODS, JOINED, SEPARATE] },
    Technique {
        column: "KPCA",
        method: "kernel-pca",
        readings: &[
            Reading { name: "table 2: (x.y + 1)^5", fixed: POLYNOMIAL, ..PRINTED },
            Reading {
                name: "the same of data scaled to a range of 1",
                scale: Scale::UnitRange,
                fixed: POLYNOMIAL,
                ..PRINTED
            },
        ],
    },
    Technique {
        column: "MVU",
        method: "mvu",
        readings: &[
            Reading {
                name: "table 2: k from 5 to 15, in steps of 5; edges may shrink, and are kept to 1 %",
                fixed: &[("tol", Real(1e-2))],
                axes: &[("n_neighbors", FEW_NEIGHBORS)],
                ..PRINTED
            },
            Reading { fixed: &[("tol", Real(1e-2)), ("disconnected", Word("separate"))], ..SEPARATE },
        ],
    },
    Technique {
        column: "DM",
        method: "diffusion-maps",
        readings: &[
            Reading {
                name: "table 2: t from 10 to 100 in steps of 30, a width of 1; coordinates times the eigenvalues, eq. 12",
                fixed: &[("alpha", Real(0.0)), ("width", Real(1.0))],
                axes: &[("t", TIMES)],
                ..PRINTED
            },
            Reading {
                name: "the same of data scaled to a range of 1",
                scale: Scale::UnitRange,
                fixed: &[("alpha", Real(0.0)), ("width", Real(1.0))],
                axes: &[("t", &[Real(10.0), Real(50.0), Real(100.0)])],
                ..PRINTED
            },
            Reading {
                name: "a width of 1 for a range of 1, eigenvectors not scaled, t as the power of the density",
                scale: Scale::UnitRange,
                fixed: &[("t", Real(0.0)), ("width", Real(1.0))],
                axes: &[("alpha", &[Real(0.0), Real(0.5), Real(1.0)])],
                ..PRINTED
            },
            Reading {
                name: "the width by the neighbors, eigenvectors not scaled",
                fixed: &[("t", Real(0.0))],
                axes: &[("alpha", &[Real(0.0), Real(1.0)])],
                ..PRINTED
            },
        ],
    },
    Technique {
        column: "LLE",
        method: "lle",
        readings: &[
            NEIGHBORHOODS,
            Reading {
                name: "the same with a ridge of 1e-5: the ridge is not printed",
                fixed: &[LARGEST, ("reg", Real(1e-5))],
                axes: &[("n_neighbors", NEIGHBORS)],
                ..PRINTED
            },
            JOINED,
            SEPARATE,
        ],
    },
    Technique {
        column: "LEM",
        method: "laplacian-eigenmaps",
        readings: &[
            Reading {
                name: "table 2: k from 5 to 15, a width of 1",
                fixed: &[LARGEST, ("width", Real(1.0))],
                ..NEIGHBORHOODS
            },
            Reading {
                name: "the width relative to the longest edge: weights are almost equal",
                fixed: &[LARGEST, ("affinity", Word("binary"))],
                axes: &[("n_neighbors", NEIGHBORS)],
                ..PRINTED
            },
            JOINED,
            SEPARATE,
        ],
    },
    Technique {
        column: "HLLE",
        method: "hessian-lle",
        readings: &[
            Reading { components: Components::HessiansOf, ..NEIGHBORHOODS },
            Reading {
                name: "as many neighbors as the target dimension needs",
                fixed: &[LARGEST],
                components: Components::HessiansWith(&[0, 5, 10]),
                ..PRINTED
            },
            Reading { components: Components::HessiansOf, ..SEPARATE },
        ],
    },
    Technique {
        column: "LTSA",
        method: "ltsa",
        readings: &[
            Reading { components: Components::TangentsOf, ..NEIGHBORHOODS },
            Reading {
                name: "as many neighbors as the target dimension needs",
                fixed: &[LARGEST],
                components: Components::TangentsWith(&[3, 10, 20]),
                ..PRINTED
            },
            Reading { components: Components::TangentsOf, ..SEPARATE },
        ],
    },
    Technique { column: "Sammon", method: "sammon", readings: &[PRINTED] },
    Technique {
        column: "Autoenc.",
        method: "autoencoder",
        readings: &[Reading { name: "table 2: three hidden layers", ..PRINTED }],
    },
    Technique {
        column: "LLC",
        method: "llc",
        readings: &[Reading {
            name: "table 2: k from 5 to 15 and m from 5 to 25, in steps of 5",
            axes: &[("n_neighbors", FEW_NEIGHBORS), (MODELS, MIXTURES)],
            ..PRINTED
        }],
    },
    Technique {
        column: "MC",
        method: "charting",
        readings: &[Reading {
            name: "table 2: m from 5 to 25, in steps of 5",
            axes: &[(MODELS, MIXTURES)],
            ..PRINTED
        }],
    },
];

/// The number of local models.
const MODELS: &str = "n_analyzers";

/// Settings of the small run: method, parameter, value.
const LITTLE: &[(&str, &str, Setting)] = &[
    ("autoencoder", "max_iter", Integer(20)),
    ("autoencoder", "pretraining_epochs", Integer(5)),
    ("autoencoder", "lbfgs_steps", Integer(20)),
    ("mvu", "max_iter", Integer(5)),
    ("mvu", "n_neighbors", Integer(5)),
    ("llc", MODELS, Integer(5)),
    ("charting", MODELS, Integer(5)),
];

const POLYNOMIAL: &[(&str, Setting)] =
    &[("kernel", Word("polynomial")), ("degree", Integer(5)), ("gamma", Real(1.0)), ("coef0", Real(1.0))];

impl Technique {
    /// The registered name, if there is one.
    pub fn registered(&self) -> Option<&'static str> {
        registry::find(self.method).ok().map(|entry| entry.name)
    }
}

impl Reading {
    /// The cells of a method for a target dimension of data with so many columns. `steps` says how much of
    /// every axis is tried. Parameters that the method does not have are left out.
    pub fn cells(&self, method: &'static str, d: usize, columns: usize, steps: Steps) -> Vec<Cell> {
        let mut settings = BTreeMap::new();
        for (name, setting) in self.fixed {
            if has(method, name) {
                settings.insert((*name).to_owned(), Value::from(*setting));
            }
        }
        for (_, name, setting) in LITTLE.iter().filter(|(of, ..)| steps == Steps::Middle && *of == method) {
            settings.insert((*name).to_owned(), Value::from(*setting));
        }
        let mut found = vec![settings];
        let mut cross = |name: String, values: Vec<Value>| {
            let with = |value: &Value, cell: &BTreeMap<String, Value>| {
                let mut cell = cell.clone();
                cell.insert(name.clone(), value.clone());
                cell
            };
            found = found
                .iter()
                .flat_map(|cell| values.iter().map(|value| with(value, cell)).collect::<Vec<_>>())
                .collect();
        };
        let little = |name: &str| {
            steps == Steps::Middle && LITTLE.iter().any(|(of, known, _)| *of == method && *known == name)
        };
        for (name, values) in self.axes {
            if has(method, name) && !little(name) {
                cross((*name).to_owned(), steps.of(values).into_iter().map(Value::from).collect());
            }
        }
        let neighbors = |from: usize, more: &[usize]| -> Vec<Value> {
            let more = if steps == Steps::Middle { &more[..more.len().min(1)] } else { more };
            more.iter().map(|extra| Value::Integer((from + extra) as i64)).collect()
        };
        match self.components {
            Components::TangentsWith(more) => cross("n_neighbors".into(), neighbors(d + 2, more)),
            Components::HessiansWith(more) if hessians(d) <= MOST_HESSIANS => {
                cross("n_neighbors".into(), neighbors(hessians(d), more));
            }
            Components::HessiansWith(_) => return Vec::new(),
            Components::Target | Components::TangentsOf | Components::HessiansOf => {}
        }
        // No technique gives more components than there are columns.
        let d = d.min(columns);
        let mut cells: Vec<Cell> = Vec::new();
        for mut settings in found {
            let k = match settings.get("n_neighbors") {
                Some(Value::Integer(k)) => usize::try_from(*k).unwrap_or(0),
                _ => usize::MAX,
            };
            let most = match self.components {
                Components::TangentsOf => k.saturating_sub(2).max(1),
                Components::HessiansOf => (1..).take_while(|&d| hessians(d) <= k).last().unwrap_or(1),
                _ => d,
            };
            if most < d {
                settings.insert("n_components".into(), Value::Integer(most as i64));
            }
            cells.push(Cell { method: method.to_owned(), settings });
        }
        cells
    }
}

/// The most neighbors that a Hessian is asked to have.
const MOST_HESSIANS: usize = 60;

/// The neighbors that Hessian LLE needs in `d` dimensions.
fn hessians(d: usize) -> usize {
    1 + d + d * (d + 1) / 2
}

/// Whether the method has this parameter.
fn has(method: &str, name: &str) -> bool {
    registry::find(method).is_ok_and(|entry| (entry.parameters)().iter().any(|p| p.name == name))
}
