//! How much cloth is stretched.

use super::show::Drawing;
use super::source::Take;
use crate::geometry::Vec3;
use crate::preview::{Entry, FULL_STRAIN, Figure, FigureKind, Paint, Pose, mean_stretches, strain_colour};

/// The mean stretch of the edges at each vertex of cloth, as colours.
pub(super) fn drawing(take: &Take, pose: &Pose) -> Drawing {
    Drawing { paints: paints(take, pose), legend: vec![legend()], ..Drawing::default() }
}

fn legend() -> Entry {
    const STEPS: i16 = 20;
    let colours = (-STEPS..=STEPS).map(|step| strain_colour(f32::from(step), f32::from(STEPS))).collect();
    let percent = 100.0 * FULL_STRAIN;
    let labels = vec![format!("-{percent} %"), "0 %".to_owned(), format!("+{percent} %")];
    Entry::Scale { title: "stretch".to_owned(), colours, labels }
}

fn paints(take: &Take, pose: &Pose) -> Vec<Option<Paint>> {
    let rest = take.rest();
    let strain = |(index, positions): (usize, &Vec<Vec3>)| {
        let figure = take.film.figures.get(index).filter(|figure| figure.kind == FigureKind::Cloth)?;
        let stretches = stretches(&edges(take, index, figure), rest.get(index)?, positions);
        Some(Paint::PerVertex(stretches.into_iter().map(|stretch| strain_colour(stretch, FULL_STRAIN)).collect()))
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

/// The mean stretch of these edges at each vertex.
pub(super) fn stretches(edges: &[[u32; 2]], rest: &[Vec3], positions: &[Vec3]) -> Vec<f32> {
    mean_stretches(edges.iter().map(|ends| ends.map(|v| v as usize)), rest, positions)
}
