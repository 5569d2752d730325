//! Fast Fourier transforms of several columns at once: a column a lane, so that plain loops fill the vector units.
//! Stockham's form, which needs no reordering, with the factors 4, 2, 3 and 5.

use lowland_base::Scalar;

/// Columns at a time.
pub const LANES: usize = 8;

/// A complex number in each lane.
#[derive(Debug, Clone, Copy)]
pub struct Lane<T> {
    pub re: [T; LANES],
    pub im: [T; LANES],
}

impl<T: Scalar> Lane<T> {
    /// Zero in each lane.
    pub fn zero() -> Self {
        Self { re: [T::zero(); LANES], im: [T::zero(); LANES] }
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self { re: each(self.re, other.re, |a, b| a + b), im: each(self.im, other.im, |a, b| a + b) }
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self { re: each(self.re, other.re, |a, b| a - b), im: each(self.im, other.im, |a, b| a - b) }
    }

    #[inline(always)]
    fn scaled(self, by: T) -> Self {
        Self { re: self.re.map(|a| a * by), im: self.im.map(|a| a * by) }
    }

    /// Times `-i`.
    #[inline(always)]
    fn turned(self) -> Self {
        Self { re: self.im, im: self.re.map(|a| -a) }
    }

    #[inline(always)]
    fn times(self, (c, s): (T, T)) -> Self {
        Self {
            re: each(self.re, self.im, |re, im| re * c - im * s),
            im: each(self.re, self.im, |re, im| re * s + im * c),
        }
    }
}

#[inline(always)]
fn each<T: Scalar>(a: [T; LANES], b: [T; LANES], f: impl Fn(T, T) -> T) -> [T; LANES] {
    let mut out = a;
    for lane in 0..LANES {
        out[lane] = f(a[lane], b[lane]);
    }
    out
}

/// The smallest even number with no factor but 2, 3 and 5 that is not below `n`.
pub fn smooth(n: usize) -> usize {
    let is_smooth = |mut n: usize| {
        for factor in [2, 3, 5] {
            while n.is_multiple_of(factor) {
                n /= factor;
            }
        }
        n == 1
    };
    let mut size = n.max(2).next_multiple_of(2);
    while !is_smooth(size) {
        size += 2;
    }
    size
}

/// A transform of one length.
#[derive(Debug, Clone)]
pub struct Fft<T> {
    factors: Vec<usize>,
    /// `exp(-2 pi i k / n)`.
    roots: Vec<(T, T)>,
}

impl<T: Scalar> Fft<T> {
    /// Of a length that [`smooth`] gave.
    pub fn new(n: usize) -> Self {
        let (mut factors, mut rest) = (Vec::new(), n);
        for factor in [4, 2, 3, 5] {
            while rest % factor == 0 {
                factors.push(factor);
                rest /= factor;
            }
        }
        let angle = |k: usize| -2.0 * std::f64::consts::PI * k as f64 / n as f64;
        let roots = (0..n).map(|k| (T::of(angle(k).cos()), T::of(angle(k).sin()))).collect();
        Self { factors, roots }
    }

    /// The length.
    pub fn len(&self) -> usize {
        self.roots.len()
    }

    /// Transforms `x` in place. The inverse, but for `1 / n`, is this with real and imaginary parts exchanged before
    /// and after.
    #[inline(always)]
    pub fn forward(&self, x: &mut Vec<Lane<T>>, scratch: &mut Vec<Lane<T>>) {
        let (mut length, mut stride) = (self.len(), 1);
        for &factor in &self.factors {
            match factor {
                4 => self.pass(x, scratch, length, stride, four),
                2 => self.pass(x, scratch, length, stride, two),
                3 => self.pass(x, scratch, length, stride, three),
                _ => self.pass(x, scratch, length, stride, five),
            }
            std::mem::swap(x, scratch);
            length /= factor;
            stride *= factor;
        }
    }

    #[inline(always)]
    fn pass<const R: usize>(
        &self,
        x: &[Lane<T>],
        y: &mut [Lane<T>],
        length: usize,
        stride: usize,
        butterfly: impl Fn([Lane<T>; R]) -> [Lane<T>; R],
    ) {
        let parts = length / R;
        for (p, out) in y.chunks_exact_mut(stride * R).take(parts).enumerate() {
            let inputs: [&[Lane<T>]; R] = std::array::from_fn(|k| &x[stride * (p + k * parts)..][..stride]);
            for q in 0..stride {
                let values = butterfly(std::array::from_fn(|k| inputs[k][q]));
                out[q] = values[0];
                for k in 1..R {
                    let value = values[k];
                    out[k * stride + q] =
                        if p == 0 { value } else { value.times(self.roots[p * k * stride]) };
                }
            }
        }
    }
}

#[inline(always)]
fn two<T: Scalar>([a, b]: [Lane<T>; 2]) -> [Lane<T>; 2] {
    [a.plus(b), a.minus(b)]
}

#[inline(always)]
fn four<T: Scalar>([a, b, c, d]: [Lane<T>; 4]) -> [Lane<T>; 4] {
    let (even, odd) = (a.plus(c), a.minus(c));
    let (sum, turned) = (b.plus(d), b.minus(d).turned());
    [even.plus(sum), odd.plus(turned), even.minus(sum), odd.minus(turned)]
}

#[inline(always)]
fn three<T: Scalar>([a, b, c]: [Lane<T>; 3]) -> [Lane<T>; 3] {
    let sum = b.plus(c);
    let middle = a.minus(sum.scaled(T::of(0.5)));
    let turned = b.minus(c).turned().scaled(T::of(0.75f64.sqrt()));
    [a.plus(sum), middle.plus(turned), middle.minus(turned)]
}

#[inline(always)]
fn five<T: Scalar>([a, b, c, d, e]: [Lane<T>; 5]) -> [Lane<T>; 5] {
    let (angle, twice) = (2.0 * std::f64::consts::PI / 5.0, 4.0 * std::f64::consts::PI / 5.0);
    let (c1, s1) = (T::of(angle.cos()), T::of(angle.sin()));
    let (c2, s2) = (T::of(twice.cos()), T::of(twice.sin()));
    let (p, q) = (b.plus(e), c.plus(d));
    let (m, n) = (b.minus(e), c.minus(d));
    let first = a.plus(p.scaled(c1)).plus(q.scaled(c2));
    let second = a.plus(p.scaled(c2)).plus(q.scaled(c1));
    let turned = m.scaled(s1).plus(n.scaled(s2)).turned();
    let turned_twice = m.scaled(s2).minus(n.scaled(s1)).turned();
    [
        a.plus(p).plus(q),
        first.plus(turned),
        second.plus(turned_twice),
        second.minus(turned_twice),
        first.minus(turned),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transform_is_the_sum_it_stands_for() {
        for n in [2, 4, 6, 10, 12, 30, 48, 60, 90, 150] {
            let fft = Fft::<f64>::new(n);
            let value =
                |k: usize, lane: usize| (((k * 7 + lane * 3) % 11) as f64, ((k * 5 + lane) % 7) as f64);
            let mut x = vec![Lane::zero(); n];
            for (k, x) in x.iter_mut().enumerate() {
                for lane in 0..LANES {
                    (x.re[lane], x.im[lane]) = value(k, lane);
                }
            }
            fft.forward(&mut x, &mut vec![Lane::zero(); n]);
            for k in 0..n {
                for lane in 0..LANES {
                    let (mut re, mut im) = (0.0, 0.0);
                    for j in 0..n {
                        let angle = -2.0 * std::f64::consts::PI * ((j * k) % n) as f64 / n as f64;
                        let (a, b) = value(j, lane);
                        re += a * angle.cos() - b * angle.sin();
                        im += a * angle.sin() + b * angle.cos();
                    }
                    assert!((x[k].re[lane] - re).abs() < 1e-9 && (x[k].im[lane] - im).abs() < 1e-9, "{n}");
                }
            }
        }
    }

    #[test]
    fn smooth_numbers_are_even_and_not_below() {
        assert_eq!([1, 7, 12, 13, 31, 101, 433].map(smooth), [2, 8, 12, 16, 32, 108, 450]);
    }
}
