//! Growing an orthonormal basis block by block.

use crate::{scale, tall};
use faer::linalg::matmul::matmul;
use faer::prelude::IntoConst;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use lowland_base::{Result, Run, Scalar, parallel, precompiled};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// How the columns that were added relate to what stood in their place: `W = Q H + W' R`.
pub(crate) struct Extension<T> {
    /// `H`, the part inside the basis.
    pub inside: Mat<T>,
    /// `R`, upper triangular. A zero on its diagonal marks a column that was dependent on the others and
    /// has been replaced by a random direction.
    pub triangle: Mat<T>,
    /// How many columns were replaced.
    pub fresh: usize,
}

/// Orthonormal columns that span what the first columns span, for every number of them. The signs stay.
pub fn orthonormalize<T: Scalar>(columns: Mat<T>, run: &Run) -> Result<Mat<T>> {
    T::run_precompiled::<Orthonormalize>((columns, run))
}

precompiled!(Orthonormalize, both, orthonormalize_in(columns: Mat<T>, run: &'r Run) -> Result<Mat<T>>);

fn orthonormalize_in<T: Scalar>(mut columns: Mat<T>, run: &Run) -> Result<Mat<T>> {
    let size = columns.col_iter().map(|column| scale::norm(column).wide()).fold(0.0, f64::max);
    extend(columns.as_mut(), 0, 0, size, &mut run.rng("orthonormal columns"), run)?;
    Ok(columns)
}

/// Makes the columns from `have` on orthonormal to all before them and to each other. A column that is left
/// with rounding error only, of vectors of norm `size` or of its own, is replaced by a random one. The columns
/// `0..local` are expected to be orthogonal to the new ones already, up to rounding.
pub(crate) fn extend<T: Scalar>(
    mut basis: MatMut<'_, T>,
    have: usize,
    local: usize,
    size: f64,
    rng: &mut impl Rng,
    run: &Run,
) -> Result<Extension<T>> {
    let width = basis.ncols() - have;
    let (old, mut new) = basis.as_mut().split_at_col_mut(have);
    let old = old.into_const();
    let lengths = parallel::map_chunks(run, width, 1, |j| scale::norm(new.as_ref().col(j.start)))?;
    let floors: Vec<f64> = lengths.iter().map(|length| 4.0 * T::EPSILON.wide() * length.max(size)).collect();
    // What the recurrence knows to be there, then everything: the second time removes what rounding left.
    let mut inside = Mat::zeros(have, width);
    let near = tall::project_out(old.get(.., local..), new.as_mut(), run)?;
    inside.as_mut().subrows_mut(local, have - local).copy_from(near);
    let Some(first) = together(new.as_mut(), &floors, run)? else {
        inside += tall::project_out(old, new.as_mut(), run)?;
        let (triangle, fresh) = one_by_one(old, new, inside.as_mut(), &floors, rng, run)?;
        return Ok(Extension { inside, triangle, fresh });
    };
    let rest = tall::project_out(old, new.as_mut(), run)?;
    inside += multiplied(rest.as_ref(), first.as_ref());
    // Nearly orthonormal by now, so that none can be dependent on the others.
    let second = match together(new.as_mut(), &vec![0.0; width], run)? {
        Some(second) => second,
        None => one_by_one(old, new, Mat::zeros(have, width).as_mut(), &vec![0.0; width], rng, run)?.0,
    };
    Ok(Extension { inside, triangle: multiplied(second.as_ref(), first.as_ref()), fresh: 0 })
}

/// What a column may lose to those before it without being taken on its own.
const LOSS: f64 = 1e-5;
/// Lengths whose squares are far from the ends of the range of numbers.
const LENGTHS: std::ops::Range<f64> = 1e-15..1e15;

/// Makes the columns orthonormal all at once, by the Cholesky factor `R` of their inner products, which is
/// returned: as far as those determine it, so that doing it twice leaves rounding errors only. `None`, and nothing is
/// changed, where columns nearly depend on each other or are nearly gone.
fn together<T: Scalar>(mut new: MatMut<'_, T>, floors: &[f64], run: &Run) -> Result<Option<Mat<T>>> {
    let width = new.ncols();
    let products = tall::inner(new.as_ref(), new.as_ref(), run)?;
    let mut triangle = Mat::zeros(width, width);
    for (j, floor) in floors.iter().enumerate() {
        run.check()?;
        for i in 0..=j {
            let known: T = (0..i).map(|k| triangle[(k, i)] * triangle[(k, j)]).sum();
            let left = products[(i, j)] - known;
            if i < j {
                triangle[(i, j)] = left / triangle[(i, i)];
                continue;
            }
            let (length, left) = (products[(j, j)].wide().sqrt(), left.wide().max(0.0).sqrt());
            let is_sound = LENGTHS.contains(&length) && left > LOSS * length && left > floor / LOSS;
            if !is_sound {
                return Ok(None);
            }
            triangle[(j, j)] = T::of(left);
        }
    }
    tall::divide(new.as_mut(), triangle.as_ref(), run)?;
    Ok(Some(triangle))
}

/// The product of two small matrices.
fn multiplied<T: Scalar>(a: MatRef<'_, T>, b: MatRef<'_, T>) -> Mat<T> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    matmul(out.as_mut(), Accum::Replace, a, b, T::one(), Par::Seq);
    out
}

/// Makes the columns orthonormal one after the other: the factor `R`, and the number of those that were replaced.
fn one_by_one<T: Scalar>(
    old: MatRef<'_, T>,
    mut new: MatMut<'_, T>,
    mut inside: MatMut<'_, T>,
    floors: &[f64],
    rng: &mut impl Rng,
    run: &Run,
) -> Result<(Mat<T>, usize)> {
    let (have, width) = (old.ncols(), new.ncols());
    let mut triangle = Mat::zeros(width, width);
    let mut fresh = 0;
    for (j, &floor) in floors.iter().enumerate() {
        let (before, mut column) = {
            let (before, rest) = new.as_mut().split_at_col_mut(j);
            (before.into_const(), rest.subcols_mut(0, 1))
        };
        let mut length = scale::norm(column.as_ref().col(0));
        for attempt in 0..4 {
            if attempt > 0 {
                // Most of it has canceled: what is left must be cleaned again.
                project(old, column.as_mut(), inside.as_mut().subcols_mut(j, 1), run)?;
            }
            let above = triangle.as_mut().submatrix_mut(0, j, j, 1);
            project(before, column.as_mut(), above, run)?;
            let left = scale::norm(column.as_ref().col(0));
            let canceled = left < 0.5 * length;
            length = left;
            if !canceled || left <= floor {
                break;
            }
        }
        if length > floor {
            triangle[(j, j)] = T::of(length);
        } else {
            fresh += 1;
            let mut ignored = (Mat::zeros(have, 1), Mat::zeros(j, 1));
            fill_normal(column.as_mut(), rng);
            for _ in 0..3 {
                project(old, column.as_mut(), ignored.0.as_mut(), run)?;
                project(before, column.as_mut(), ignored.1.as_mut(), run)?;
                normalize(column.as_mut());
            }
            continue;
        }
        normalize(column.as_mut());
    }
    Ok((triangle, fresh))
}

/// Random normal entries.
pub(crate) fn fill_normal<T: Scalar>(mut block: MatMut<'_, T>, rng: &mut impl Rng) {
    for column in block.as_mut().col_iter_mut() {
        for x in column.iter_mut() {
            let value: f64 = StandardNormal.sample(rng);
            *x = T::of(value);
        }
    }
}

fn normalize<T: Scalar>(mut column: MatMut<'_, T>) {
    let length = scale::norm(column.as_ref().col(0));
    if length > 0.0 {
        let inverse = T::of(1.0 / length);
        for i in 0..column.nrows() {
            column[(i, 0)] *= inverse;
        }
    }
}

/// Takes the part within the columns of `q` out of `w`, and adds its coefficients to `coefficients`.
fn project<T: Scalar>(
    q: MatRef<'_, T>,
    w: MatMut<'_, T>,
    mut coefficients: MatMut<'_, T>,
    run: &Run,
) -> Result<()> {
    if q.ncols() > 0 {
        coefficients += tall::project_out(q, w, run)?;
    }
    Ok(())
}
