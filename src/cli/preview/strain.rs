//! How much cloth is stretched.

use super::show::Drawing;
use super::source::Take;
use crate::geometry::Vec3;
use crate::preview::{Entry, Figure, FigureKind, Paint, Pose, strain_colour};

/// Stretch at the end of the scale of colours.
pub(super) const FULL_SCALE: f32 = 0.1;

/// The mean stretch of the edges at each vertex of cloth, as colours.
pub(super) fn drawing(take: &Take, pose: &Pose) -> Drawing {
    Drawing { paints: paints(take, pose), legend: vec![legend()], ..Drawing::default() }
}

fn legend() -> Entry {
    const STEPS: i16 = 20;
    let colours = (-STEPS..=STEPS).map(|step| strain_colour(f32::from(step), f32::from(STEPS))).collect();
    let percent = 100.0 * FULL_SCALE;
    let labels = vec![format!("-{percent} %"), "0 %".to_owned(), format!("+{percent} %")];
    Entry::Scale { title: "stretch".to_owned(), colours, labels }
}

fn paints(take: &Take, pose: &Pose) -> Vec<Option<Paint>> {
    let rest = take.rest();
    let strain = |(index, positions): (usize, &Vec<Vec3>)| {
        let figure = take.film.figures.get(index).filter(|figure| figure.kind == FigureKind::Cloth)?;
        let stretches = stretches(&edges(take, index, figure), rest.get(index)?, positions);
        Some(Paint::PerVertex(stretches.into_iter().map(|stretch| strain_colour(stretch, FULL_SCALE)).collect()))
    };
    pose.iter().enumerate().map(strain).collect()
}

/// Edges of the file's faces where they are known, else of the triangles.
pub(super) fn edges(take: &Take, index: usize, figure: &Figure) -> Vec<[u32; 2]> {
    if let Some(played) = take.scene.as_ref().filter(|_| index == 0) {
        return played.shown().file_edges.iter().map(|e| e.map(|p| p.0)).collect();
    }
    let mut edges: Vec<[u32; 2]> = figure
        .triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Mean of the stretch of all edges at each vertex; 0 where there is none.
pub(super) fn stretches(edges: &[[u32; 2]], rest: &[Vec3], positions: &[Vec3]) -> Vec<f32> {
    let mut sums = vec![(0.0_f32, 0_u32); positions.len()];
    for ends in edges {
        let [a, b] = ends.map(|v| v as usize);
        let at_rest = rest[a].distance(rest[b]);
        if at_rest > 0.0 {
            let stretch = positions[a].distance(positions[b]) / at_rest - 1.0;
            [a, b].into_iter().for_each(|v| sums[v] = (sums[v].0 + stretch, sums[v].1 + 1));
        }
    }
    sums.into_iter().map(|(sum, count)| sum / count.max(1) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_shows_the_mean_stretch_of_its_edges() {
        let rest = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let positions = [Vec3::ZERO, Vec3::X * 1.1, Vec3::Y];
        let stretches = stretches(&[[0, 1], [0, 2]], &rest, &positions);
        assert!((stretches[0] - 0.05).abs() < 1e-6 && (stretches[1] - 0.1).abs() < 1e-6);
        assert_eq!(stretches[2], 0.0);
    }
}
