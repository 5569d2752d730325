//! Dense matrices of either precision: what the front ends hold, while the methods are generic.

use lowland_base::Scalar;
use ndarray::{Array2, ArrayView2, Axis};

/// A matrix that is `f32` or `f64`, as its source was.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyMatrix {
    /// Single precision.
    F32(Array2<f32>),
    /// Double precision.
    F64(Array2<f64>),
}

impl AnyMatrix {
    /// Rows and columns.
    pub fn dim(&self) -> (usize, usize) {
        match self {
            Self::F32(m) => m.dim(),
            Self::F64(m) => m.dim(),
        }
    }

    /// Some of the rows, in this order.
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::F32(x) => Self::F32(x.select(Axis(0), rows)),
            Self::F64(x) => Self::F64(x.select(Axis(0), rows)),
        }
    }

    /// What was found in double precision, in that of the input.
    pub(crate) fn rounded(found: Array2<f64>, single: bool) -> Self {
        if single { Self::F32(found.mapv(|value| value as f32)) } else { Self::F64(found) }
    }

    /// A copy in double precision.
    pub fn to_f64(&self) -> Array2<f64> {
        match self {
            Self::F32(m) => m.mapv(f64::from),
            Self::F64(m) => m.clone(),
        }
    }

    /// The matrix in double precision; a copy only where it was not.
    pub fn into_f64(self) -> Array2<f64> {
        match self {
            Self::F32(m) => m.mapv(f64::from),
            Self::F64(m) => m,
        }
    }

    /// The matrix, if it is of this precision.
    pub fn as_typed<T: Element>(&self) -> Option<&Array2<T>> {
        T::typed(self)
    }
}

impl From<Array2<f32>> for AnyMatrix {
    fn from(matrix: Array2<f32>) -> Self {
        Self::F32(matrix)
    }
}

impl From<Array2<f64>> for AnyMatrix {
    fn from(matrix: Array2<f64>) -> Self {
        Self::F64(matrix)
    }
}

/// A scalar that knows its arm of the two-armed types.
pub trait Element: Scalar {
    /// `single` or `double`.
    const PRECISION: &'static str;
    /// Puts a matrix into its arm.
    fn erase(matrix: Array2<Self>) -> AnyMatrix;
    /// Takes a matrix out of its arm.
    fn typed(matrix: &AnyMatrix) -> Option<&Array2<Self>>;
    /// Puts an input into its arm.
    fn erase_input(input: crate::Input<'_, Self>) -> crate::AnyInput<'_>;
}

macro_rules! element {
    ($t:ty, $arm:ident, $precision:literal) => {
        impl Element for $t {
            const PRECISION: &'static str = $precision;
            fn erase(matrix: Array2<Self>) -> AnyMatrix {
                AnyMatrix::$arm(matrix)
            }
            fn typed(matrix: &AnyMatrix) -> Option<&Array2<Self>> {
                match matrix {
                    AnyMatrix::$arm(matrix) => Some(matrix),
                    _ => None,
                }
            }
            fn erase_input(input: crate::Input<'_, Self>) -> crate::AnyInput<'_> {
                crate::AnyInput::$arm(input)
            }
        }
    };
}
element!(f32, F32, "single");
element!(f64, F64, "double");

/// A matrix of zeros that may be large.
pub(crate) fn large_zeros(rows: usize, columns: usize) -> lowland_base::Result<Array2<f64>> {
    let values = lowland_base::pages::zeros(rows * columns)?;
    Ok(Array2::from_shape_vec((rows, columns), values).unwrap_or_else(|_| Array2::zeros((rows, columns))))
}

/// An array seen by faer, without a copy, whatever its strides.
pub(crate) fn faer_view<'a, T: Scalar>(view: ArrayView2<'a, T>) -> faer::MatRef<'a, T> {
    view::of(view)
}

mod view {
    //! The one place with `unsafe` in this crate: faer has no safe constructor from two strides.
    #![allow(unsafe_code)]

    use ndarray::ArrayView2;

    pub fn of<'a, T>(view: ArrayView2<'a, T>) -> faer::MatRef<'a, T> {
        let (rows, columns) = view.dim();
        let strides = (view.strides()[0], view.strides()[1]);
        // SAFETY: an ArrayView2 guarantees that every element (i, j) of its shape lies at ptr + i s0 + j s1
        // inside one live allocation that is not written to during 'a; faer asks for exactly that.
        unsafe { faer::MatRef::from_raw_parts(view.as_ptr(), rows, columns, strides.0, strides.1) }
    }
}

/// A faer matrix as an array in row-major order, in precision `T`.
pub(crate) fn to_array<T: Scalar, S: Scalar>(matrix: faer::MatRef<'_, S>) -> Array2<T> {
    Array2::from_shape_fn((matrix.nrows(), matrix.ncols()), |(i, j)| T::of(matrix[(i, j)].wide()))
}

/// Some rows and the same columns of a square matrix.
pub(crate) fn square<T: Copy>(matrix: ArrayView2<'_, T>, chosen: &[usize]) -> Array2<T> {
    Array2::from_shape_fn((chosen.len(), chosen.len()), |(i, j)| matrix[(chosen[i], chosen[j])])
}

/// An order of the rows that is theirs and not the table's: by their values, equal ones as they come. What depends on the order
/// of the rows does not depend on the table's then: row `i` of the sorted ones is row `order[i]` of the table.
pub(crate) fn sorted_rows<T: Scalar>(x: ArrayView2<'_, T>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..x.nrows()).collect();
    order.sort_by(|&a, &b| {
        let (one, other) = (x.row(a), x.row(b));
        // Rows of images begin with hundreds of equal values: slices are passed over quickly. Both zeros are the same.
        let first = match (one.as_slice(), other.as_slice()) {
            (Some(one), Some(other)) => one.iter().zip(other).position(|(a, b)| a != b),
            _ => one.iter().zip(&other).position(|(a, b)| a != b),
        };
        first.map_or_else(|| a.cmp(&b), |at| one[at].wide().total_cmp(&other[at].wide()))
    });
    order
}
