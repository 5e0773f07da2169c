//! An OBJ sequence as a body: meshes of one topology, straight lines between them.

use super::Moment;
use super::parts::sampled_frames;
use super::playback::Closing;
use crate::geometry::{RigidMotion, Vec3};
use crate::import::MeshSequence;

/// Cosine of half the angle up to which a body goes straight from pose to pose: a third of a right angle.
const STRAIGHT: f64 = 0.966;

/// A sequence and how fast it plays.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    meshes: MeshSequence,
    frames_per_second: f64,
    /// Where it closes, if it is played round and round.
    closing: Option<Closing>,
}

impl Sequence {
    pub(super) fn new(meshes: MeshSequence, frames_per_second: f64) -> Sequence {
        Sequence { meshes, frames_per_second, closing: None }
    }

    pub(super) fn at_rate(self, frames_per_second: f64) -> Sequence {
        Sequence { frames_per_second, ..self }
    }

    pub(super) fn closed(self, closing: Closing) -> Sequence {
        Sequence { closing: Some(closing), ..self }
    }

    pub(super) fn name(&self) -> &str {
        &self.meshes.name
    }

    /// Some of its frames.
    pub(super) fn sampled_frames(&self) -> impl Iterator<Item = &Vec<Vec3>> {
        sampled_frames(&self.meshes.frames)
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.meshes.frames.first().map_or(0, Vec::len)
    }

    pub(super) fn triangles(&self) -> Vec<[u32; 3]> {
        self.meshes.triangles.clone()
    }

    /// Seconds of the first and the last frame.
    pub(super) fn clip_range(&self) -> (f64, f64) {
        let first = self.meshes.first_frame as f64;
        let last = first + self.meshes.frames.len().saturating_sub(1) as f64;
        (first / self.frames_per_second, last / self.frames_per_second)
    }

    /// Appends the vertices; the first frame serves as the bind pose.
    pub(super) fn pose(&self, moment: Moment, out: &mut Vec<Vec3>) {
        match moment {
            Moment::Bind => self.blend(0, 0, 0.0, out),
            Moment::At(seconds) => {
                let (before, after, amount) = self.frames_at(seconds);
                let from = out.len();
                self.blend(before, after, amount, out);
                self.close(seconds, &mut out[from..]);
            }
            Moment::FromBind { seconds, amount } => {
                self.pose_between([Moment::Bind, Moment::At(seconds)], amount, out);
            }
            Moment::Between { seconds, amount } => self.pose_between(seconds.map(Moment::At), amount, out),
        }
    }

    /// On the way from one pose to another, straight where the body turns little: what turns around would go through itself.
    fn pose_between(&self, ends: [Moment; 2], amount: f64, out: &mut Vec<Vec3>) {
        let [start, end] = ends.map(|moment| {
            let mut positions = Vec::new();
            self.pose(moment, &mut positions);
            positions
        });
        let whole = RigidMotion::best_fit(start.iter().zip(&end).map(|(&start, &end)| (start, end, 1.0)));
        if whole.half_cosine() > STRAIGHT {
            out.extend(start.iter().zip(&end).map(|(start, end)| start.lerp(*end, amount as f32)));
            return;
        }
        let (part, back) = (whole.part(amount), whole.inverse());
        out.extend(start.iter().zip(&end).map(|(start, end)| part.point(start.lerp(back.point(*end), amount as f32))));
    }

    /// Adds to the vertices at `seconds` what the cycle lacks to close.
    fn close(&self, seconds: f64, positions: &mut [Vec3]) {
        let Some((closing, part)) = self.closing.and_then(|c| Some((c, c.part(seconds)?))) else { return };
        let [start, end] = closing.ends.map(|seconds| {
            let (mut pose, (before, after, amount)) = (Vec::new(), self.frames_at(seconds));
            self.blend(before, after, amount, &mut pose);
            pose
        });
        for ((position, start), end) in positions.iter_mut().zip(&start).zip(&end) {
            *position += (*start - *end) * part as f32;
        }
    }

    /// The frames around `seconds` and how far between them it is.
    fn frames_at(&self, seconds: f64) -> (usize, usize, f32) {
        let last = self.meshes.frames.len().saturating_sub(1);
        let frame = (seconds * self.frames_per_second - self.meshes.first_frame as f64).clamp(0.0, last as f64);
        let before = frame.floor() as usize;
        (before, (before + 1).min(last), (frame - frame.floor()) as f32)
    }

    fn blend(&self, before: usize, after: usize, amount: f32, out: &mut Vec<Vec3>) {
        let (Some(before), Some(after)) = (self.meshes.frames.get(before), self.meshes.frames.get(after)) else {
            return;
        };
        if amount == 0.0 {
            out.extend_from_slice(before);
        } else {
            out.extend(before.iter().zip(after).map(|(before, after)| before.lerp(*after, amount)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_turns_on_its_way_to_a_pose_that_faces_back() {
        let front = vec![Vec3::X, -Vec3::X, Vec3::Z * 0.5, Vec3::Y * 2.0];
        let back: Vec<Vec3> = front.iter().map(|p| Vec3::new(-p.x, p.y, -p.z) + Vec3::X).collect();
        let meshes = MeshSequence { frames: vec![front, back], ..MeshSequence::default() };
        let sequence = Sequence::new(meshes, 1.0);
        let pose = |amount: f64| {
            let mut positions = Vec::new();
            sequence.pose(Moment::Between { seconds: [0.0, 1.0], amount }, &mut positions);
            positions
        };
        for amount in [0.0, 0.25, 0.5, 1.0] {
            let [a, b, ..] = pose(amount)[..] else { unreachable!("four points") };
            assert!((a.distance(b) - 2.0).abs() < 1e-5, "{amount}: it keeps its breadth");
        }
        assert!(pose(1.0)[2].distance(Vec3::new(1.0, 0.0, -0.5)) < 1e-5);
    }
}
