//! `JOINTS_n` and `WEIGHTS_n` -> normalised skin weights.

use gltf::Semantic;

use super::values::Values;
use crate::import::SkinWeights;

/// Weights whose sum is further from 1 are worth a notice (8-bit weights miss it by up to 1 %).
const SUM_TOLERANCE: f32 = 0.02;

/// What had to be mended.
#[derive(Default)]
struct Mended {
    sums: usize,
    negative: usize,
    empty: usize,
}

/// Reads all sets of influences of `primitive`; `joints` is the number of joints of its skin.
pub(super) fn read_weights(
    primitive: &gltf::Primitive<'_>,
    vertices: usize,
    joints: usize,
    place: &str,
    values: &mut Values<'_, '_>,
) -> Option<SkinWeights> {
    let mut sets = Vec::new();
    for set in 0.. {
        let pair = primitive.get(&Semantic::Joints(set)).zip(primitive.get(&Semantic::Weights(set)));
        let Some((indices, weights)) = pair else { break };
        let indices = values.integers(indices.index(), &format!("JOINTS_{set} of {place}"))?;
        let weights = values.numbers(weights.index(), &format!("WEIGHTS_{set} of {place}"))?;
        // Integer weights without `normalized` are taken by their ratio: they are normalised in any case.
        sets.push((indices, weights));
    }
    values.charge(12 * vertices as u64 * (1 + sets.len() as u64), place)?;
    let mut skin = SkinWeights { starts: vec![0], ..SkinWeights::default() };
    let mut mended = Mended::default();
    for vertex in 0..vertices {
        for (indices, weights) in &sets {
            let four = 4 * vertex..4 * vertex + 4;
            let pairs = indices.get(four.clone()).unwrap_or_default().iter().zip(weights.get(four).unwrap_or_default());
            for (&joint, &weight) in pairs.filter(|&(_, &weight)| weight != 0.0) {
                if joint as usize >= joints {
                    let found = format_args!("joint {joint} on vertex {vertex}");
                    values.faults.push(
                        format_args!("JOINTS of {place}"),
                        found,
                        format_args!("a joint below {joints}"),
                    );
                    return None;
                }
                mended.negative += usize::from(weight < 0.0);
                skin.joints.push(joint as u16);
                skin.weights.push(weight.max(0.0));
            }
        }
        close_vertex(&mut skin, &mut mended);
    }
    report(&mended, place, values);
    Some(skin)
}

/// Normalises the influences of the vertex at the end; without any, it follows the first joint.
fn close_vertex(skin: &mut SkinWeights, mended: &mut Mended) {
    let start = skin.starts.last().map_or(0, |&start| start as usize);
    let sum: f64 = skin.weights.iter().skip(start).map(|&weight| f64::from(weight)).sum();
    if sum > 0.0 && sum.is_finite() {
        mended.sums += usize::from((sum as f32 - 1.0).abs() > SUM_TOLERANCE);
        for weight in skin.weights.iter_mut().skip(start) {
            *weight = (f64::from(*weight) / sum) as f32;
        }
    } else {
        mended.empty += 1;
        skin.joints.truncate(start);
        skin.weights.truncate(start);
        skin.joints.push(0);
        skin.weights.push(1.0);
    }
    skin.starts.push(skin.joints.len() as u32);
}

fn report(mended: &Mended, place: &str, values: &mut Values<'_, '_>) {
    let lines = [
        (mended.sums, "have weights that do not sum to 1: normalised"),
        (mended.negative, "have negative weights: taken as 0"),
        (mended.empty, "have no weights: they follow the first joint"),
    ];
    for (count, what) in lines.into_iter().filter(|&(count, _)| count > 0) {
        values.notice(format!("{place}: {count} vertices {what}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_normalised_and_vertices_without_any_follow_the_first_joint() {
        let mut skin = SkinWeights { starts: vec![0], joints: vec![3, 5], weights: vec![3.0, 1.0] };
        let mut mended = Mended::default();
        close_vertex(&mut skin, &mut mended);
        close_vertex(&mut skin, &mut mended);
        assert_eq!((skin.weights, skin.joints, skin.starts), (vec![0.75, 0.25, 1.0], vec![3, 5, 0], vec![0, 2, 3]));
        assert_eq!((mended.sums, mended.empty), (1, 1));
    }
}
