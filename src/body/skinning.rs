//! Linear blend skinning: `p' = sum of w_j M_j p`, with `M_j = world of joint j * inverse bind matrix j`.
//!
//! Matrices are composed in f64 and applied in f32, four lanes a column, so that compilers vectorise the loop. The order of
//! additions is that of the weights: the same bits on every machine.

use rayon::prelude::*;

use crate::geometry::{DAffine3, DVec3, Vec3};
use crate::import::{BodyPart, SkinWeights};

/// A 3 x 4 matrix by columns, the fourth lane unused.
pub(super) type Columns = [[f32; 4]; 4];

/// Vertices that one task poses at least.
const VERTICES_PER_TASK: usize = 1024;

/// Vertices of `part` in the world, appended to `out`: by the matrices of its skin, or by the one of its node.
pub(super) fn pose_part(part: &BodyPart, morph_weights: &[f32], matrices: &[Columns], out: &mut Vec<Vec3>) {
    let morphed;
    let positions = if morph_weights.iter().all(|&weight| weight == 0.0) {
        &part.positions
    } else {
        morphed = part.morphed(morph_weights);
        &morphed
    };
    match part.skin {
        Some(_) => blend(&part.weights, matrices, positions, out),
        None => {
            let matrix = matrices.first().copied().unwrap_or_default();
            out.extend(positions.iter().map(|&position| transform(&matrix, position)));
        }
    }
}

/// A matrix as it is applied.
pub(super) fn to_columns(matrix: DAffine3) -> Columns {
    let column = |v: DVec3| [v.x as f32, v.y as f32, v.z as f32, 0.0];
    let m = matrix.matrix3;
    [column(m.x_axis), column(m.y_axis), column(m.z_axis), column(matrix.translation)]
}

fn blend(weights: &SkinWeights, matrices: &[Columns], positions: &[Vec3], out: &mut Vec<Vec3>) {
    let blended = |((&start, &end), &position): ((&u32, &u32), &Vec3)| {
        let range = start as usize..end as usize;
        let joints = weights.joints.get(range.clone()).unwrap_or_default();
        let mut sum = Columns::default();
        for (&joint, &weight) in joints.iter().zip(weights.weights.get(range).unwrap_or_default()) {
            if let Some(matrix) = matrices.get(usize::from(joint)) {
                add_scaled(&mut sum, matrix, weight);
            }
        }
        transform(&sum, position)
    };
    let ends = weights.starts.get(1..).unwrap_or_default();
    let spans = weights.starts.par_iter().zip(ends);
    out.par_extend(spans.zip(positions).with_min_len(VERTICES_PER_TASK).map(blended));
}

fn add_scaled(sum: &mut Columns, matrix: &Columns, weight: f32) {
    for (sum, column) in sum.iter_mut().zip(matrix) {
        for (sum, value) in sum.iter_mut().zip(column) {
            *sum += value * weight;
        }
    }
}

fn transform(matrix: &Columns, p: Vec3) -> Vec3 {
    let [x, y, z, w] = matrix;
    let mut moved = *w;
    for (lane, moved) in moved.iter_mut().enumerate().take(3) {
        *moved += x[lane] * p.x + y[lane] * p.y + z[lane] * p.z;
    }
    Vec3::new(moved[0], moved[1], moved[2])
}
