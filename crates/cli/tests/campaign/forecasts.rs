//! What a fit is forecast to take, against what it takes: an upper bound, and of much no more than twice as much.

use super::program::{Count, Folder, Table};
use super::whole;

/// Below this, what the allocator and the threads hold is as large as the fit: only too little is wrong there.
const MUCH: f64 = (50 << 20) as f64;

/// Shapes that make each kind of work large, but not slow: the method, the data, other settings.
const CASES: &[(&str, &str, &str)] = &[
    ("pca", "swiss-roll?n=100", ""),
    ("pca", "hd?n=200000", ""),
    ("pca", "wide", ""),
    ("ppca", "hd?n=200000", ""),
    ("ppca", "gaussian", ""),
    ("factor-analysis", "hd?n=200000", ""),
    ("truncated-svd", "hd?n=200000", ""),
    ("truncated-svd", "wide", ""),
    ("simple-pca", "hd?n=200000", ""),
    ("random-projection", "hd?n=200000", ""),
    ("random-projection", "wide", ""),
    ("fast-ica", "hd?n=100000", ""),
    ("projection-pursuit", "hd?n=20000", ""),
    ("kernel-pca", "swiss-roll?n=4000", ""),
    ("kernel-pca", "gaussian", ""),
    ("classical-mds", "swiss-roll?n=4000", ""),
    ("landmark-mds", "swiss-roll?n=50000", ""),
    ("isomap", "swiss-roll?n=3000", ""),
    ("isomap", "gaussian", ""),
    ("landmark-isomap", "swiss-roll?n=20000", ""),
    ("c-isomap", "swiss-roll?n=3000", ""),
    ("lle", "swiss-roll?n=20000", ""),
    ("lle", "gaussian", ""),
    ("modified-lle", "swiss-roll?n=10000", ""),
    ("hessian-lle", "swiss-roll?n=10000", ""),
    ("ltsa", "swiss-roll?n=20000", ""),
    ("ltsa", "gaussian", ""),
    ("lpp", "swiss-roll?n=20000", ""),
    ("npe", "swiss-roll?n=20000", ""),
    ("onpp", "swiss-roll?n=10000", ""),
    ("lltsa", "swiss-roll?n=10000", ""),
    ("laplacian-eigenmaps", "swiss-roll?n=20000", ""),
    ("laplacian-eigenmaps", "gaussian", ""),
    ("spectral-clustering", "swiss-roll?n=10000", ""),
    ("diffusion-maps", "swiss-roll?n=4000", ""),
    ("commute-time", "swiss-roll?n=20000", ""),
    ("heat-kernel", "swiss-roll?n=20000", ""),
    ("sammon", "swiss-roll?n=300", ""),
    ("sammon", "swiss-roll?n=2500", ""),
    ("mds", "swiss-roll?n=2500", ""),
    ("t-sne", "swiss-roll?n=5000", "--set max_iter=50"),
    ("umap", "swiss-roll?n=10000", "--set n_epochs=20"),
    ("pacmap", "swiss-roll?n=10000", ""),
    ("autoencoder", "swiss-roll?n=5000", ""),
];

pub fn campaign(table: &mut Table) {
    let folder = Folder::new();
    // Linear maps take a moment each; of the others one that fills in.
    let quick = |case: &&(&str, &str, &str)| {
        let (method, data, _) = case;
        ["pca", "random-projection", "truncated-svd", "npe"].contains(method)
            || (*method, *data) == ("lle", "gaussian")
    };
    let cases: Vec<_> = if whole() { CASES.iter().collect() } else { CASES.iter().filter(quick).collect() };
    write_tables(&folder);
    table
        .notes
        .push("\n| method | data | forecast MiB | took MiB | ratio |\n|---|---|---:|---:|---:|".into());
    for &&(method, data, settings) in &cases {
        let named = match data {
            "wide" | "gaussian" => format!("{data}.npy"),
            _ => format!("data:{data}"),
        };
        let line = format!("embed {named} -m {method} -d 2 {settings} --json --threads 2");
        let ran = folder.run("", &line);
        let mut judged = ran.judged();
        if judged.0 == Count::Done {
            let (promised, mut took) = measured(&ran.out);
            // Pages that were there before the fit are used again now and then, and whether two threads hold their blocks at
            // once is chance (3 x 1,000,000: from 74 to 143 MiB): the most of some runs counts.
            for _ in 0..12 {
                if promised <= MUCH || promised <= 2.0 * took {
                    break;
                }
                took = took.max(measured(&folder.run("", &line).out).1);
            }
            let ratio = promised / took;
            let mib = |bytes: f64| bytes / (1 << 20) as f64;
            table.notes.push(format!(
                "| {method} | {data} | {:.1} | {:.1} | {ratio:.2} |",
                mib(promised),
                mib(took)
            ));
            if promised < took {
                judged = (Count::Broken, format!("{:.0} MiB for {:.0}", mib(promised), mib(took)));
            } else if promised > MUCH && ratio > 2.0 {
                judged =
                    (Count::Broken, format!("{:.0} MiB for {:.0}, {ratio:.1} x", mib(promised), mib(took)));
            }
        }
        table.count("forecasts", &format!("{method} {data}"), judged);
    }
}

/// What was promised, and what the fit took.
fn measured(report: &str) -> (f64, f64) {
    let report: serde_json::Value = serde_json::from_str(report).unwrap();
    let number = |name: &str| report[name].as_f64().unwrap_or(f64::NAN);
    (number("forecast_memory_bytes"), number("fit_memory_bytes"))
}

/// Arrays that no generator makes: 3 x 1,000,000, and rows without a structure, whose factors fill in.
fn write_tables(folder: &Folder) {
    let write = |name: &str, (rows, columns): (usize, usize)| {
        let mut state = 88_172_645_463_325_252_u64;
        let mut number = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let values =
            ndarray::Array2::from_shape_fn((rows, columns), |_| (0..6).map(|_| number()).sum::<f64>() - 3.0);
        let output = lowland_io::Output::prepare(&folder.file(name), true, &[]).unwrap();
        output.write(&values.into(), None).unwrap();
    };
    write("wide.npy", (3, 1_000_000));
    write("gaussian.npy", (5000, 10));
}
