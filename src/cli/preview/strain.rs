//! How much cloth is stretched.

use super::show::Drawing;
use super::source::Take;
use crate::geometry::{self, Vec3};
use crate::preview::{Entry, FULL_STRAIN, Figure, FigureKind, Paint, Pose, mean_stretches, strain_colour};

/// What a take's stretch is measured by, worked out once for all of its frames.
pub(super) struct Strain {
    /// Edges of each figure.
    pub(super) edges: Vec<Vec<[u32; 2]>>,
    /// Where its vertices are when nothing is stretched.
    rest: Pose,
    is_cloth: Vec<bool>,
}

impl Strain {
    pub(super) fn new(take: &Take) -> Strain {
        let figures = &take.film.figures;
        Strain {
            edges: figures.iter().enumerate().map(|(index, figure)| edges(take, index, figure)).collect(),
            rest: take.rest(),
            is_cloth: figures.iter().map(|figure| figure.kind == FigureKind::Cloth).collect(),
        }
    }

    /// The mean stretch of the edges at each vertex of each figure that is cloth.
    pub(super) fn stretches(&self, pose: &Pose) -> Vec<Option<Vec<f32>>> {
        let of = |(index, positions): (usize, &Vec<Vec3>)| {
            let rest = self.rest.get(index).filter(|_| self.is_cloth[index])?;
            let edges = self.edges[index].iter().map(|ends| ends.map(|v| v as usize));
            Some(mean_stretches(edges, rest, positions))
        };
        pose.iter().enumerate().map(of).collect()
    }

    /// The same as colours.
    pub(super) fn drawing(&self, pose: &Pose) -> Drawing {
        let colour = |stretch: f32| strain_colour(stretch, FULL_STRAIN);
        let paint = |stretches: Vec<f32>| Paint::PerVertex(stretches.into_iter().map(colour).collect());
        let paints = self.stretches(pose).into_iter().map(|stretches| stretches.map(paint)).collect();
        Drawing { paints, legend: vec![legend()], ..Drawing::default() }
    }
}

fn legend() -> Entry {
    const STEPS: i16 = 20;
    let colours = (-STEPS..=STEPS).map(|step| strain_colour(f32::from(step), f32::from(STEPS))).collect();
    let percent = 100.0 * FULL_STRAIN;
    let labels = vec![format!("-{percent} %"), "0 %".to_owned(), format!("+{percent} %")];
    Entry::Scale { title: "stretch".to_owned(), colours, labels }
}

/// Edges of the file's faces where they are known, else of the triangles.
fn edges(take: &Take, index: usize, figure: &Figure) -> Vec<[u32; 2]> {
    if let Some(played) = take.scene.as_ref().filter(|_| index == 0) {
        return played.shown().file_edges.iter().map(|e| e.map(|p| p.0)).collect();
    }
    geometry::edges(&figure.triangles)
}
