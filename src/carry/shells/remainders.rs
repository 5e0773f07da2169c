//! What of thick cloth is on none of its sides.

use super::{COVERED, Faces, Fate};
use crate::topology::{EdgeFaces, Topology};

/// What connects to sides without being opposite anything: rims, seams, and cloth that goes on where the other side ends.
pub(super) struct Remainders {
    /// The remainder that each polygon is of, if it is on no side.
    of_polygon: Vec<Option<usize>>,
    /// Area of each, m2.
    areas: Vec<f32>,
    /// The remainders that touch each side, ascending.
    at_side: Vec<Vec<usize>>,
    /// The sides that each touches, ascending.
    sides: Vec<Vec<usize>>,
    /// Width of each: its area over the length of its edges with sides, metres.
    widths: Vec<f32>,
}

impl Remainders {
    pub(super) fn new(cloth: &Topology, edges: &EdgeFaces, faces: &Faces, side_of: &[Option<usize>]) -> Remainders {
        let side_count = side_of.iter().flatten().max().map_or(0, |&side| side + 1);
        let mut found = Remainders {
            of_polygon: vec![None; side_of.len()],
            areas: Vec::new(),
            at_side: vec![Vec::new(); side_count],
            sides: Vec::new(),
            widths: Vec::new(),
        };
        for seed in 0..side_of.len() {
            if side_of[seed].is_some() || found.of_polygon[seed].is_some() {
                continue;
            }
            let index = found.areas.len();
            let (mut area, mut border) = (0.0, 0.0);
            let mut touched = Vec::new();
            let mut front = vec![seed];
            found.of_polygon[seed] = Some(index);
            while let Some(polygon) = front.pop() {
                area += faces.areas[polygon];
                for corner in cloth.polygons.range(polygon) {
                    for &across in edges.sides(edges.edge_of(corner)) {
                        let other = edges.polygon_of(across as usize);
                        if let Some(side) = side_of[other] {
                            let [a, b] = edges.ends(edges.edge_of(corner)).map(|p| cloth.positions[p as usize]);
                            border += a.distance(b);
                            touched.push(side);
                        } else if found.of_polygon[other].is_none() {
                            found.of_polygon[other] = Some(index);
                            front.push(other);
                        }
                    }
                }
            }
            touched.sort_unstable();
            touched.dedup();
            touched.iter().for_each(|&side| found.at_side[side].push(index));
            found.areas.push(area);
            found.widths.push(if border > 0.0 { area / border } else { f32::INFINITY });
            found.sides.push(touched);
        }
        found
    }

    /// Whether cloth ends at the border of a side with `area`: what is beyond is as narrow as a rim of that `width`, or little.
    pub(super) fn end_at(&self, side: usize, area: f32, width: f32) -> bool {
        let beyond = self.at_side[side].iter().filter(|&&r| self.widths[r] > width);
        beyond.map(|&r| self.areas[r]).sum::<f32>() <= (1.0 - COVERED) * area
    }

    /// Those that touch carried sides only are carried too.
    pub(super) fn follow(&self, carried: &mut [bool], becomes: &[Option<Fate>]) {
        let is_carried =
            |sides: &Vec<usize>| !sides.is_empty() && sides.iter().all(|&side| becomes[side] == Some(Fate::Carried));
        for (polygon, remainder) in self.of_polygon.iter().enumerate() {
            carried[polygon] |= remainder.is_some_and(|remainder| is_carried(&self.sides[remainder]));
        }
    }
}
