//! A sparse symmetric positive definite matrix as L D L^T, row by row (Davis, *Algorithm 849: A concise sparse Cholesky
//! factorization package*, 2005). Plain `f64` arithmetic in a fixed order: the same bits on any machine.

/// A matrix by columns: entries above the diagonal and on it, rows ascending or not.
#[derive(Clone, Debug, Default)]
pub(super) struct Upper {
    pub(super) starts: Vec<usize>,
    pub(super) rows: Vec<u32>,
    pub(super) values: Vec<f64>,
}

/// Where L has entries.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// Next row that a column reaches in the elimination tree.
    parents: Vec<u32>,
    /// First entry of each column of L.
    starts: Vec<usize>,
}

/// L without its unit diagonal, by columns, and D.
#[derive(Clone, Debug, Default)]
pub(super) struct Factor {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
}

/// No parent.
const NONE: u32 = u32::MAX;

impl Pattern {
    /// Elimination tree and column lengths.
    pub(super) fn of(matrix: &Upper) -> Pattern {
        let n = matrix.starts.len() - 1;
        let mut parents = vec![NONE; n];
        let mut counts = vec![0_usize; n];
        let mut seen = vec![NONE; n];
        for column in 0..n {
            seen[column] = column as u32;
            for &row in &matrix.rows[matrix.starts[column]..matrix.starts[column + 1]] {
                let mut row = row as usize;
                while seen[row] != column as u32 {
                    if parents[row] == NONE {
                        parents[row] = column as u32;
                    }
                    counts[row] += 1;
                    seen[row] = column as u32;
                    row = parents[row] as usize;
                }
            }
        }
        let mut starts = vec![0; n + 1];
        for (i, count) in counts.iter().enumerate() {
            starts[i + 1] = starts[i] + count;
        }
        Pattern { parents, starts }
    }

    /// Entries of L.
    pub(super) fn entries(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }
}

impl Factor {
    /// Factors `matrix`, which has `pattern`.
    pub(super) fn new(matrix: &Upper, pattern: &Pattern) -> Factor {
        let n = pattern.parents.len();
        let entries = pattern.entries();
        let (mut rows, mut values, mut diagonal) = (vec![0_u32; entries], vec![0.0_f64; entries], vec![0.0_f64; n]);
        let mut ends = pattern.starts[..n].to_vec();
        let (mut sums, mut seen) = (vec![0.0_f64; n], vec![NONE; n]);
        let (mut path, mut reached) = (Vec::<usize>::new(), Vec::<usize>::new());
        for column in 0..n {
            // The row of L with this number: its entries are found along the elimination tree, leaves first.
            reached.clear();
            seen[column] = column as u32;
            for entry in matrix.starts[column]..matrix.starts[column + 1] {
                let mut row = matrix.rows[entry] as usize;
                sums[row] += matrix.values[entry];
                path.clear();
                while seen[row] != column as u32 {
                    path.push(row);
                    seen[row] = column as u32;
                    row = pattern.parents[row] as usize;
                }
                // Later paths lead to earlier ones: from the back, each row comes before its parents.
                reached.extend(path.iter().rev());
            }
            let mut pivot = std::mem::take(&mut sums[column]);
            for &row in reached.iter().rev() {
                let sum = std::mem::take(&mut sums[row]);
                let (start, end) = (pattern.starts[row], ends[row]);
                for entry in start..end {
                    sums[rows[entry] as usize] -= values[entry] * sum;
                }
                let value = sum / diagonal[row];
                pivot -= value * sum;
                (rows[end], values[end]) = (column as u32, value);
                ends[row] += 1;
            }
            diagonal[column] = pivot;
        }
        Factor { starts: pattern.starts.clone(), rows, values, diagonal }
    }

    /// Replaces three right-hand sides by their solutions.
    pub(super) fn solve(&self, right: &mut [[f64; 3]]) {
        for column in 0..right.len() {
            let x = right[column];
            for entry in self.starts[column]..self.starts[column + 1] {
                let row = &mut right[self.rows[entry] as usize];
                (0..3).for_each(|i| row[i] -= self.values[entry] * x[i]);
            }
        }
        for (x, pivot) in right.iter_mut().zip(&self.diagonal) {
            x.iter_mut().for_each(|x| *x /= pivot);
        }
        for column in (0..right.len()).rev() {
            let mut x = right[column];
            for entry in self.starts[column]..self.starts[column + 1] {
                let row = right[self.rows[entry] as usize];
                (0..3).for_each(|i| x[i] -= self.values[entry] * row[i]);
            }
            right[column] = x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Laplacian of a ring with chords, and a mass.
    fn ring(n: usize) -> Vec<Vec<f64>> {
        let mut matrix = vec![vec![0.0; n]; n];
        for i in 0..n {
            matrix[i][i] += 0.5;
            for (j, k) in [((i + 1) % n, 2.0), ((i + 3) % n, 1.0)] {
                matrix[i][i] += k;
                matrix[j][j] += k;
                matrix[i][j] -= k;
                matrix[j][i] -= k;
            }
        }
        matrix
    }

    fn upper(matrix: &[Vec<f64>]) -> Upper {
        let mut upper = Upper { starts: vec![0], ..Upper::default() };
        for (column, entries) in matrix.iter().enumerate() {
            for (row, &value) in entries.iter().enumerate().take(column + 1).filter(|(_, value)| **value != 0.0) {
                upper.rows.push(row as u32);
                upper.values.push(value);
            }
            upper.starts.push(upper.rows.len());
        }
        upper
    }

    #[test]
    fn solutions_multiply_back_to_the_right_hand_sides() {
        let matrix = ring(23);
        let upper = upper(&matrix);
        let factor = Factor::new(&upper, &Pattern::of(&upper));
        let right: Vec<[f64; 3]> = (0..23).map(|i| [1.0, f64::from(i), f64::from(i % 5) - 2.0]).collect();
        let mut solution = right.clone();
        factor.solve(&mut solution);
        for (row, wanted) in matrix.iter().zip(&right) {
            for (i, wanted) in wanted.iter().enumerate() {
                let product: f64 = row.iter().zip(&solution).map(|(a, x)| a * x[i]).sum();
                assert!((product - wanted).abs() < 1e-12, "{product} instead of {wanted}");
            }
        }
    }
}
