//! Solves with a supernodal Cholesky factor, several right-hand sides at once. The elimination tree is cut into
//! branches that know nothing of each other and go in parallel, and the trunk below them. Which they are depends on
//! the matrix alone, and what the branches hand down is summed in their order: so are the bits.

use faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky;
use lowland_base::simd::vectorized;
use lowland_base::{Result, Run};
use rayon::prelude::*;
use std::hint::black_box;
use std::ops::Range;

/// A branch has at most this share of the factor.
const BRANCHES: usize = 16;
/// Supernodes between two looks at the switch.
const NODES: usize = 1024;
/// Columns that are taken together.
const PANEL: usize = 4;
/// The most numbers of the next supernode that are read ahead.
const AHEAD: usize = 1 << 14;
/// Supernodes of fewer numbers than this are not read ahead.
const SMALL: usize = 512;

/// First column and rows below the diagonal block of a supernode, and its columns, one after another.
struct Node<'a> {
    start: usize,
    pattern: &'a [u32],
    values: &'a [f64],
    width: usize,
    height: usize,
}

impl Node<'_> {
    /// Reads a number of each cache line, so that these come together and are at hand when the columns are worked on.
    #[inline(always)]
    fn touch(&self) {
        if self.values.len() >= SMALL {
            let read =
                self.values.iter().take(AHEAD).step_by(8).fold(0, |read, value| read ^ value.to_bits());
            black_box((read, self.pattern.iter().step_by(16).fold(0, |read, row| read ^ row)));
        }
    }
}

/// Supernodes that follow each other, their columns, and the rows of the trunk that they meet, by their positions there.
#[derive(Debug, Clone)]
struct Branch {
    nodes: Range<usize>,
    columns: Range<usize>,
    met: Vec<u32>,
}

/// The elimination tree, cut.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    branches: Vec<Branch>,
    /// The supernodes of the trunk, and their rows.
    trunk: Vec<usize>,
    rows: Vec<u32>,
    /// Where a row is in the trunk.
    positions: Vec<u32>,
}

/// Columns, and rows below them, of a supernode.
pub(super) fn shape(nodes: &SymbolicSupernodalCholesky<u32>, node: usize) -> (usize, usize) {
    (columns(nodes, node).len(), nodes.nnz_per_super()[node] as usize)
}

fn columns(nodes: &SymbolicSupernodalCholesky<u32>, node: usize) -> Range<usize> {
    nodes.supernode_begin()[node] as usize..nodes.supernode_end()[node] as usize
}

fn pattern(nodes: &SymbolicSupernodalCholesky<u32>, node: usize) -> &[u32] {
    &nodes.row_idx()[nodes.col_ptr_for_row_idx()[node] as usize..][..shape(nodes, node).1]
}

fn supernode<'a>(nodes: &'a SymbolicSupernodalCholesky<u32>, values: &'a [f64], node: usize) -> Node<'a> {
    let (width, below) = shape(nodes, node);
    let height = width + below;
    let values = &values[nodes.col_ptr_for_val()[node] as usize..][..width * height];
    Node { start: columns(nodes, node).start, pattern: pattern(nodes, node), values, width, height }
}

impl Tree {
    pub fn new(nodes: &SymbolicSupernodalCholesky<u32>) -> Self {
        let count = nodes.n_supernodes();
        let order = if count == 0 { 0 } else { columns(nodes, count - 1).end };
        let mut owner = vec![0; order];
        for node in 0..count {
            owner[columns(nodes, node)].fill(node);
        }
        // The first row below a supernode is in its parent. Children come before their parents.
        let parents: Vec<Option<usize>> =
            (0..count).map(|node| pattern(nodes, node).first().map(|&row| owner[row as usize])).collect();
        let mut work: Vec<usize> =
            (0..count).map(|node| shape(nodes, node)).map(|(w, b)| w * (w + b)).collect();
        let most = work.iter().sum::<usize>() / BRANCHES;
        let (mut first, mut size): (Vec<usize>, _) = ((0..count).collect(), vec![1; count]);
        for node in 0..count {
            if let Some(parent) = parents[node] {
                work[parent] += work[node];
                size[parent] += size[node];
                first[parent] = first[parent].min(first[node]);
            }
        }
        // A subtree that is small enough, and whose supernodes follow each other, is a branch.
        let fits = |node: usize| work[node] <= most && node + 1 - first[node] == size[node];
        let mut branches: Vec<(Branch, usize)> = Vec::new();
        let mut trunk = Vec::new();
        let mut node = count;
        while node > 0 {
            node -= 1;
            if !fits(node) {
                trunk.push(node);
                continue;
            }
            let own = first[node]..node + 1;
            let span = columns(nodes, own.start).start..columns(nodes, node).end;
            match branches.last_mut() {
                // Small neighbors go together.
                Some((next, total)) if next.nodes.start == own.end && *total + work[node] <= most => {
                    (next.nodes.start, next.columns.start) = (own.start, span.start);
                    *total += work[node];
                }
                _ => branches.push((Branch { nodes: own, columns: span, met: Vec::new() }, work[node])),
            }
            node = first[node];
        }
        trunk.reverse();
        let rows: Vec<u32> =
            trunk.iter().flat_map(|&node| columns(nodes, node)).map(|row| row as u32).collect();
        let mut positions = vec![u32::MAX; order];
        for (position, &row) in rows.iter().enumerate() {
            positions[row as usize] = position as u32;
        }
        let mut branches: Vec<Branch> = branches.into_iter().rev().map(|(branch, _)| branch).collect();
        for branch in &mut branches {
            let outside = |&row: &u32| row as usize >= branch.columns.end;
            let patterns = branch.nodes.clone().flat_map(|node| pattern(nodes, node));
            branch.met = patterns.copied().filter(outside).map(|row| positions[row as usize]).collect();
            branch.met.sort_unstable();
            branch.met.dedup();
        }
        Self { branches, trunk, rows, positions }
    }

    /// `x = (L L')^-1 x`, row by row of a block of `W` right-hand sides.
    pub fn solve<const W: usize>(
        &self,
        nodes: &SymbolicSupernodalCholesky<u32>,
        values: &[f64],
        x: &mut [f64],
        run: &Run,
    ) -> Result<()> {
        let x = x.as_chunks_mut::<W>().0;
        let mut trunk: Vec<[f64; W]> = self.rows.iter().map(|&row| x[row as usize]).collect();
        let handed: Vec<Vec<[f64; W]>> = run.install(|| {
            let parts: Vec<_> = self.branches.iter().zip(self.split(x)).collect();
            let forward = |(branch, own): (&Branch, _)| self.forward(nodes, values, branch, own, run);
            parts.into_par_iter().map(forward).collect::<Result<_>>()
        })?;
        for (branch, part) in self.branches.iter().zip(handed) {
            for (&position, part) in branch.met.iter().zip(&part) {
                add(&mut trunk[position as usize], part);
            }
        }
        self.through_trunk(nodes, values, &mut trunk, run)?;
        for (&row, value) in self.rows.iter().zip(&trunk) {
            x[row as usize] = *value;
        }
        run.install(|| {
            let parts: Vec<_> = self.branches.iter().zip(self.split(x)).collect();
            let back = |(branch, own): (&Branch, _)| self.back(nodes, values, branch, own, &trunk, run);
            parts.into_par_iter().map(back).collect::<Result<()>>()
        })
    }

    /// The rows of each branch.
    fn split<'x, T>(&self, mut x: &'x mut [T]) -> Vec<&'x mut [T]> {
        let mut done = 0;
        let mut parts = Vec::with_capacity(self.branches.len());
        for Branch { columns, .. } in &self.branches {
            let (head, rest) = x.split_at_mut(columns.end - done);
            parts.push(&mut head[columns.start - done..]);
            (x, done) = (rest, columns.end);
        }
        parts
    }

    /// `L^-1` on a branch: what its rows become, and what is to be added to the trunk's.
    fn forward<const W: usize>(
        &self,
        nodes: &SymbolicSupernodalCholesky<u32>,
        values: &[f64],
        branch: &Branch,
        own: &mut [[f64; W]],
        run: &Run,
    ) -> Result<Vec<[f64; W]>> {
        let Branch { nodes: range, columns, met } = branch;
        let mut handed = vec![[0.0; W]; met.len()];
        let mut slots = vec![0; self.rows.len()];
        (0..).zip(met).for_each(|(slot, &position)| slots[position as usize] = slot);
        let mut below = Vec::new();
        for node in range.clone() {
            if node % NODES == 0 {
                run.check()?;
            }
            if node + 1 < range.end {
                supernode(nodes, values, node + 1).touch();
            }
            let node = supernode(nodes, values, node);
            below.clear();
            below.resize(node.pattern.len(), [0.0; W]);
            eliminate(&node, &mut own[node.start - columns.start..][..node.width], &mut below);
            let inside = node.pattern.partition_point(|&row| (row as usize) < columns.end);
            for (&row, part) in node.pattern[..inside].iter().zip(&below) {
                add(&mut own[row as usize - columns.start], part);
            }
            for (&row, part) in node.pattern[inside..].iter().zip(&below[inside..]) {
                add(&mut handed[slots[self.positions[row as usize] as usize] as usize], part);
            }
        }
        Ok(handed)
    }

    /// `L^-T` on a branch, where the trunk is known.
    fn back<const W: usize>(
        &self,
        nodes: &SymbolicSupernodalCholesky<u32>,
        values: &[f64],
        branch: &Branch,
        own: &mut [[f64; W]],
        trunk: &[[f64; W]],
        run: &Run,
    ) -> Result<()> {
        let Branch { nodes: range, columns, .. } = branch;
        let mut below = Vec::new();
        for node in range.clone().rev() {
            if node % NODES == 0 {
                run.check()?;
            }
            if node > range.start {
                supernode(nodes, values, node - 1).touch();
            }
            let node = supernode(nodes, values, node);
            below.clear();
            let inside = node.pattern.partition_point(|&row| (row as usize) < columns.end);
            below.extend(node.pattern[..inside].iter().map(|&row| own[row as usize - columns.start]));
            below.extend(
                node.pattern[inside..].iter().map(|&row| trunk[self.positions[row as usize] as usize]),
            );
            substitute(&node, &mut own[node.start - columns.start..][..node.width], &below);
        }
        Ok(())
    }

    /// `(L L')^-1` on the trunk.
    fn through_trunk<const W: usize>(
        &self,
        nodes: &SymbolicSupernodalCholesky<u32>,
        values: &[f64],
        trunk: &mut [[f64; W]],
        run: &Run,
    ) -> Result<()> {
        let mut below = Vec::new();
        for &node in &self.trunk {
            run.check()?;
            let node = supernode(nodes, values, node);
            below.clear();
            below.resize(node.pattern.len(), [0.0; W]);
            eliminate(&node, &mut trunk[self.positions[node.start] as usize..][..node.width], &mut below);
            for (&row, part) in node.pattern.iter().zip(&below) {
                add(&mut trunk[self.positions[row as usize] as usize], part);
            }
        }
        for &node in self.trunk.iter().rev() {
            run.check()?;
            let node = supernode(nodes, values, node);
            below.clear();
            below.extend(node.pattern.iter().map(|&row| trunk[self.positions[row as usize] as usize]));
            substitute(&node, &mut trunk[self.positions[node.start] as usize..][..node.width], &below);
        }
        Ok(())
    }
}

fn add<const W: usize>(sum: &mut [f64; W], part: &[f64; W]) {
    for w in 0..W {
        sum[w] += part[w];
    }
}

/// Solves with the triangle on the diagonal, and subtracts from `below` what the columns have there.
fn eliminate<const W: usize>(node: &Node<'_>, pivots: &mut [[f64; W]], below: &mut [[f64; W]]) {
    let &Node { values, width, height, .. } = node;
    vectorized(
        #[inline(always)]
        || {
            for panel in (0..width).step_by(PANEL) {
                let end = (panel + PANEL).min(width);
                for c in panel..end {
                    let column = &values[c * height..][..height];
                    for w in 0..W {
                        pivots[c][w] /= column[c];
                    }
                    let (solved, rest) = pivots.split_at_mut(c + 1);
                    subtract(&mut rest[..end - c - 1], [&column[c + 1..end]], [&solved[c]]);
                }
                let (solved, rest) = pivots.split_at_mut(end);
                if end - panel == PANEL {
                    let column = |p: usize| &values[(panel + p) * height..][..height];
                    let solved: [&[f64; W]; PANEL] = std::array::from_fn(|p| &solved[panel + p]);
                    subtract(rest, std::array::from_fn(|p| &column(p)[end..width]), solved);
                    subtract(below, std::array::from_fn(|p| &column(p)[width..]), solved);
                } else {
                    for c in panel..end {
                        let column = &values[c * height..][..height];
                        subtract(rest, [&column[end..width]], [&solved[c]]);
                        subtract(below, [&column[width..]], [&solved[c]]);
                    }
                }
            }
        },
    );
}

/// Solves with the transpose of the triangle on the diagonal, where the rows `below` are known.
fn substitute<const W: usize>(node: &Node<'_>, pivots: &mut [[f64; W]], below: &[[f64; W]]) {
    let &Node { values, width, height, .. } = node;
    vectorized(
        #[inline(always)]
        || {
            for panel in (0..width).step_by(PANEL).rev() {
                let end = (panel + PANEL).min(width);
                let column = |c: usize| &values[c * height..][..height];
                let mut sums = [[0.0; W]; PANEL];
                if end - panel == PANEL {
                    multiply(
                        &pivots[end..],
                        std::array::from_fn(|p| &column(panel + p)[end..width]),
                        &mut sums,
                    );
                    multiply(below, std::array::from_fn(|p| &column(panel + p)[width..]), &mut sums);
                } else {
                    for (c, sum) in (panel..end).zip(&mut sums) {
                        let sum = std::array::from_mut(sum);
                        multiply(&pivots[end..], [&column(c)[end..width]], sum);
                        multiply(below, [&column(c)[width..]], sum);
                    }
                }
                for c in (panel..end).rev() {
                    let mut own = [sums[c - panel]];
                    multiply(&pivots[c + 1..end], [&column(c)[c + 1..end]], &mut own);
                    for w in 0..W {
                        pivots[c][w] = (pivots[c][w] - own[0][w]) / column(c)[c];
                    }
                }
            }
        },
    );
}

/// `x -= l pivots'`, for the columns `l`.
#[inline(always)]
fn subtract<const W: usize, const P: usize>(x: &mut [[f64; W]], l: [&[f64]; P], pivots: [&[f64; W]; P]) {
    let l = l.map(|column| &column[..x.len()]);
    for (i, x) in x.iter_mut().enumerate() {
        for p in 0..P {
            for w in 0..W {
                x[w] = (-l[p][i]).mul_add(pivots[p][w], x[w]);
            }
        }
    }
}

/// `sums += l' x`, for the columns `l`.
#[inline(always)]
fn multiply<const W: usize, const P: usize>(x: &[[f64; W]], l: [&[f64]; P], sums: &mut [[f64; W]; P]) {
    let l = l.map(|column| &column[..x.len()]);
    let mut own = *sums;
    for (i, x) in x.iter().enumerate() {
        for p in 0..P {
            for w in 0..W {
                own[p][w] = l[p][i].mul_add(x[w], own[p][w]);
            }
        }
    }
    *sums = own;
}
