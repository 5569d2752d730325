//! The data of the experiments: built in, or from the folder of real data.

use lowland::{AnyMatrix, Error, Result, Run, data};
use lowland_io::{Labels, ReadOptions};
use ndarray::{Array2, Axis};
use rand::seq::index;
use std::path::{Path, PathBuf};

/// The noise of Maaten's artificial data.
const NOISE: f64 = 0.05;

/// Points with their classes.
#[derive(Debug, Clone)]
pub struct Set {
    /// The points.
    pub points: AnyMatrix,
    /// The class of each.
    pub labels: Vec<i64>,
}

/// HD as the authors' toolbox draws it: on a grid.
pub const HD_GRID: &str = "hd-grid";

/// The corners of a grid over the unit cube, as many values a dimension as give about `n` of them.
fn grid(n: usize, dimensions: usize) -> Array2<f64> {
    let values = (n as f64).powf(1.0 / dimensions as f64).round().max(2.0) as usize;
    let digit = |i: usize, j: usize| i / values.pow((dimensions - 1 - j) as u32) % values;
    let corner = |(i, j): (usize, usize)| digit(i, j) as f64 / (values - 1) as f64;
    Array2::from_shape_fn((values.pow(dimensions as u32), dimensions), corner)
}

/// Whether the data are drawn anew by each seed.
pub fn is_artificial(name: &str) -> bool {
    name == HD_GRID || data::find(name).is_ok()
}

/// The folder of real data.
#[derive(Debug, Clone)]
pub struct Folder(pub Option<PathBuf>);

impl Folder {
    /// A file that is there.
    fn file(&self, name: &str) -> Option<String> {
        let path: &Path = self.0.as_deref()?;
        let path = path.join(name);
        path.is_file().then(|| path.display().to_string())
    }

    /// A matrix; `None` where the file is not there.
    pub fn matrix(&self, name: &str) -> Result<Option<AnyMatrix>> {
        let Some(path) = self.file(name) else { return Ok(None) };
        Ok(Some(lowland_io::read(&path, &ReadOptions::default())?.matrix))
    }

    /// Whole numbers, one a row; `None` where the file is not there.
    fn labels(&self, name: &str) -> Result<Option<Vec<i64>>> {
        let Some(path) = self.file(name) else { return Ok(None) };
        match lowland_io::read_labels(&path, None)? {
            Labels::Numbers(numbers) => Ok(Some(numbers.into_iter().map(|v| v as i64).collect())),
            Labels::Words(_) => Err(Error::malformed(
                "labels",
                format!("the labels of {path} are words"),
                "give whole numbers",
            )),
        }
    }

    /// One of Maaten's data sets, at most so many rows and columns of it; `None` where its files are not there.
    pub fn maaten(&self, name: &str, most: (usize, usize), run: &Run) -> Result<Option<Set>> {
        if name == HD_GRID {
            let sample = data::find("hd")?.sample_at(grid(most.0, 5).view(), NOISE, run.seed())?;
            return Ok(Some(Set { points: sample.points.into(), labels: sample.labels }));
        }
        if let Ok(generator) = data::find(name) {
            let sample = generator.sample(most.0, NOISE, run.seed())?;
            return Ok(Some(Set { points: sample.points.into(), labels: sample.labels }));
        }
        let files = match name {
            "mnist" => ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"),
            "coil20" => ("coil20.npy", "coil20.labels.npy"),
            "orl" => ("orl.npy", "orl.labels.npy"),
            "hiva" => ("hiva.npy", "hiva.labels.npy"),
            _ => return Ok(None),
        };
        let (Some(points), Some(labels)) = (self.matrix(files.0)?, self.labels(files.1)?) else {
            return Ok(None);
        };
        if points.dim().0 != labels.len() {
            return Err(Error::LabelCount { labels: labels.len(), rows: points.dim().0 });
        }
        // Images of bytes become shares of white: the polynomial kernel and the widths depend on the scale.
        let scale = if matches!(name, "mnist" | "orl") { 1.0 / 255.0 } else { 1.0 };
        let rows = some_rows(labels.len(), most.0, run);
        // Evenly over the picture.
        let width = points.dim().1;
        let columns: Vec<usize> = (0..width.min(most.1)).map(|j| j * width / width.min(most.1)).collect();
        let points = match points {
            AnyMatrix::F32(x) => {
                AnyMatrix::from(x.select(Axis(0), &rows).select(Axis(1), &columns) * (scale as f32))
            }
            AnyMatrix::F64(x) => AnyMatrix::from(x.select(Axis(0), &rows).select(Axis(1), &columns) * scale),
        };
        Ok(Some(Set { points, labels: rows.iter().map(|&row| labels[row]).collect() }))
    }
}

/// At most so many rows, drawn by the seed, in their order.
pub fn some_rows(n: usize, most: usize, run: &Run) -> Vec<usize> {
    if n <= most {
        return (0..n).collect();
    }
    let mut rows = index::sample(&mut run.rng("rows of an experiment"), n, most).into_vec();
    rows.sort_unstable();
    rows
}

/// All values moved and divided so that they are from 0 to 1, by one shift and one factor.
pub fn unit_range(points: &AnyMatrix) -> AnyMatrix {
    fn scaled(x: Array2<f64>) -> Array2<f64> {
        let low = x.iter().copied().fold(f64::INFINITY, f64::min);
        let high = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if high > low { x.mapv(|v| (v - low) / (high - low)) } else { x }
    }
    match points {
        AnyMatrix::F32(x) => AnyMatrix::from(scaled(x.mapv(f64::from)).mapv(|v| v as f32)),
        AnyMatrix::F64(x) => AnyMatrix::from(scaled(x.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_none_and_what_is_drawn_depends_on_the_seed() {
        let none = Folder(None);
        let run = Run::new();
        assert!(none.maaten("mnist", (10, 10), &run).unwrap().is_none());
        assert!(none.maaten("nisis", (10, 10), &run).unwrap().is_none());
        let one = none.maaten("helix", (50, 10), &run).unwrap().unwrap();
        let two = none.maaten("helix", (50, 10), &Run::new().with_seed(1)).unwrap().unwrap();
        assert_eq!((one.points.dim(), one.labels.len()), ((50, 3), 50));
        assert_ne!(one.points, two.points);
        assert_eq!(some_rows(5, 9, &run), [0, 1, 2, 3, 4]);
        let some = some_rows(100, 10, &run);
        assert!(some.len() == 10 && some.windows(2).all(|w| w[0] < w[1]));
        let corners = grid(5_000, 5);
        assert_eq!(corners.dim(), (3_125, 5));
        assert_eq!(corners.row(1).to_vec(), [0.0, 0.0, 0.0, 0.0, 0.25]);
        assert_eq!(none.maaten(HD_GRID, (500, 10), &run).unwrap().unwrap().points.dim(), (243, 10));
        let unit = unit_range(&one.points).into_f64();
        let (low, high) = unit.iter().fold((1.0_f64, 0.0_f64), |(l, h), &v| (l.min(v), h.max(v)));
        assert_eq!((low, high), (0.0, 1.0));
    }
}
