//! Garment and body as they are meant: units and axes that the flags do not say are guessed from sizes and stance.

use std::path::Path;

use super::worn::Worn;
use crate::body::{Body, Moment};
use crate::carry::Choice;
use crate::cli::arguments::InspectArguments;
use crate::cli::bake::bound::is_one_file;
use crate::cli::bake::inputs::{self, Inputs};
use crate::cli::console::{Console, Verbosity};
use crate::cli::failure::Failure;
use crate::geometry::{Aabb, Vec3};
use crate::import::{FileFrame, Unit, UpAxis};
use crate::preset::{BodyChoice, MeshSource, Scene, Sizes, UnitName};
use crate::simulate::{PoseFits, StartPose};
use crate::topology::{self, Topology};

/// Diagonal of the box of a person, metres.
const PERSON: f32 = 2.2;
/// Part of the body's diagonal that garments have.
const TYPICAL: f32 = 0.6;
/// Part of the distance from the body as the file lies below which the garment lies clearly better when it is turned up.
const TURNED: f32 = 0.5;

/// Garment and body as one guess of units and axes has them.
pub(super) struct Try {
    pub(super) scene: Scene,
    pub(super) inputs: Inputs,
    /// The garment as its file has it.
    pub(super) whole: Topology,
    pub(super) worn: Worn,
}

impl Try {
    /// With the units and the body's axis that the flags say, else those that sizes and stance speak for.
    pub(super) fn with_units(arguments: &InspectArguments, garment: &Path, body: &Path) -> Result<Try, Failure> {
        let mut frames = arguments.frames();
        let tried = Try::read(arguments, garment, body, frames)?;
        let [garment_size, body_size] = tried.sizes();
        if arguments.body_units.is_none() {
            frames[1].unit = likely_unit(body_size);
        }
        if tried.inputs.body.as_ref().is_some_and(inputs::stands_on_z) {
            frames[1].up = UpAxis::Z;
        }
        if frames[0] == FileFrame::default() && is_one_file(garment, body) {
            frames[0] = frames[1];
        } else if arguments.units == UnitName::M {
            frames[0].unit = garment_unit(garment_size, body_size, frames[1].unit);
        }
        let is_as_read = [tried.scene.garment_frame, tried.body_frame()] == frames;
        if is_as_read { Ok(tried) } else { Try::read(arguments, garment, body, frames) }
    }

    /// With the garment's Z axis up, if that is not known from the body and it lies clearly better on it then; and how it lies.
    pub(super) fn turned_up(self, arguments: &InspectArguments) -> Result<Option<(Try, PoseFits)>, Failure> {
        let Some(fits) = self.fits() else { return Ok(None) };
        let frames = [FileFrame { up: UpAxis::Z, ..self.scene.garment_frame }, self.body_frame()];
        let (Some(garment), Some(file)) = (&arguments.garment, &arguments.body) else { return Ok(None) };
        if self.scene.garment_frame.up == UpAxis::Z || is_one_file(garment, file) {
            return Ok(Some((self, fits)));
        }
        let turned = Try::read(arguments, garment, file, frames)?;
        let distance = |fits: &PoseFits| fits.of(fits.better()).closest;
        let better = turned.fits().filter(|turned_fits| distance(turned_fits) < TURNED * distance(&fits));
        Ok(Some(match better {
            Some(turned_fits) => (turned, turned_fits),
            None => (self, fits),
        }))
    }

    fn fits(&self) -> Option<PoseFits> {
        let Inputs { garment, body, timeline, .. } = &self.inputs;
        body.as_ref().map(|body| PoseFits::measure(self.cloth(), garment.origin, body, timeline))
    }

    /// What of the garment is worn.
    pub(super) fn cloth(&self) -> &Topology {
        self.worn.topology(&self.whole)
    }

    fn read(
        arguments: &InspectArguments,
        garment: &Path,
        body: &Path,
        [garment_frame, frame]: [FileFrame; 2],
    ) -> Result<Try, Failure> {
        let mesh = MeshSource::File(body.to_owned());
        let scene = Scene {
            garment: Some(MeshSource::File(garment.to_owned())),
            garment_frame,
            body: Some(BodyChoice { mesh, frame, animation: arguments.animation.clone() }),
            choice: Choice {
                include: arguments.include.clone(),
                exclude: arguments.exclude.clone(),
                ..Choice::default()
            },
            sizes: Sizes::Trusted,
            access: arguments.files_read.access(),
            ..Scene::default()
        };
        let inputs = inputs::read(&scene, &Console::new(Verbosity::Quiet))?;
        let whole = topology::build(&inputs.garment)?;
        let worn = Worn::of(&scene.choice, &inputs.garment, &whole)?;
        Ok(Try { scene, inputs, whole, worn })
    }

    fn body_frame(&self) -> FileFrame {
        self.scene.body.as_ref().map_or(FileFrame::default(), |body| body.frame)
    }

    /// Diagonals of the boxes of garment and body, metres.
    fn sizes(&self) -> [f32; 2] {
        let body = self.inputs.body.as_ref().map_or(Vec::new(), |body| posed(body, StartPose::Bind, &self.inputs));
        [Aabb::around(&self.cloth().positions), Aabb::around(&body)].map(|bounds| bounds.size().length())
    }
}

/// Where the body's vertices are in a pose.
pub(super) fn posed(body: &Body, pose: StartPose, inputs: &Inputs) -> Vec<Vec3> {
    let mut positions = Vec::new();
    body.pose(moment_of(pose, inputs), &mut positions);
    positions
}

/// When the body is in a pose.
pub(super) fn moment_of(pose: StartPose, inputs: &Inputs) -> Moment {
    match pose {
        StartPose::Bind => Moment::Bind,
        StartPose::First => Moment::At(inputs.timeline.clip_seconds(0)),
    }
}

/// Unit in which a body whose file has it this large is most like a person. Characters of games are up to 20 m tall.
fn likely_unit(size: f32) -> Unit {
    let misfit = |unit: Unit| libm::logf(size * unit.metres() / PERSON).abs();
    let others = [Unit::Centimetre, Unit::Millimetre];
    others.into_iter().fold(Unit::Metre, |best, unit| if misfit(unit) < misfit(best) { unit } else { best })
}

/// Unit in which a garment has the likeliest size on a body; sizes as read. Two files of a size are in the same unit.
fn garment_unit(garment: f32, body: f32, body_unit: Unit) -> Unit {
    let misfit = |unit: Unit| libm::logf(garment * unit.metres() / (TYPICAL * body * body_unit.metres())).abs();
    let units = [body_unit, Unit::Metre, Unit::Centimetre, Unit::Millimetre, Unit::Inch];
    if inputs::SIZE_RATIOS.contains(&(garment / body)) {
        return body_unit;
    }
    units.into_iter().fold(body_unit, |best, unit| if misfit(unit) < misfit(best) { unit } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_guessed_from_sizes() {
        assert_eq!(likely_unit(1.9), Unit::Metre);
        assert_eq!(likely_unit(190.0), Unit::Centimetre);
        assert_eq!(likely_unit(1900.0), Unit::Millimetre);
        // A zebra of 7 m, a dinosaur of 15, and a doll.
        assert_eq!([11.0, 20.0, 0.2].map(likely_unit), [Unit::Metre; 3]);
        assert_eq!(garment_unit(1.1, 1.9, Unit::Metre), Unit::Metre);
        assert_eq!(garment_unit(110.0, 1.9, Unit::Metre), Unit::Centimetre);
        assert_eq!(garment_unit(1100.0, 1.9, Unit::Metre), Unit::Millimetre);
        assert_eq!(garment_unit(110.0, 190.0, Unit::Centimetre), Unit::Centimetre);
        assert_eq!(garment_unit(1.1, 190.0, Unit::Centimetre), Unit::Metre);
    }
}
