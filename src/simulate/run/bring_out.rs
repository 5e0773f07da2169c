//! Cloth that starts inside the body is brought out before the first frame of the preroll.
//!
//! The body stands in the pose that the garment was made for, drawn in under the cloth, and grows back to its full size. The
//! cloth yields to it slowly: it loses most of its speed in every substep, and nothing of this is baked.

use super::{Between, BodySurface, Setup, Simulator};
use crate::correction::Tether;
use crate::geometry::smooth_step;
use crate::simulate::collide::Start;
use crate::simulate::fit::is_too_narrow;
use crate::simulate::pace;

/// Time in which the body grows back, seconds ...
const GROWING: f64 = 0.6;
/// ... and in which the cloth comes to rest on it.
const RESTING: f64 = 0.2;
/// Time in which the cloth loses its speed, seconds.
const DAMPING: f32 = 0.03;
/// Distance from the drawn-in body at which the cloth starts, in thicknesses.
const CLEARANCE: f32 = 2.0;

/// How the cloth starts inside the body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inside {
    /// What its maker tucked into the body at its pins, if anything.
    pub(super) tucked: Option<Tucked>,
    /// What was not tucked in; the body is drawn in under it.
    brought_out: Option<BroughtOut>,
}

/// Cloth that comes out of the body.
#[derive(Clone, Copy, Debug)]
struct BroughtOut {
    particles: usize,
    /// Depth of the deepest, metres.
    deepest: f32,
    /// Whether it would not lie outside unstretched.
    is_narrow: bool,
}

impl BroughtOut {
    /// Says how that is done, in `words`.
    fn notice(self, words: &str) -> String {
        let BroughtOut { particles, deepest, is_narrow } = self;
        let depth = deepest * 1000.0;
        let narrow = format!(
            ". The garment is too narrow there: it stretches over the body, and pins leave their places; make it wider, by up to \
             {:.0} mm across, or try the other --garment-pose",
            2.0 * depth
        );
        let narrow = if is_narrow { narrow.as_str() } else { "" };
        format!("{particles} vertices of the garment begin inside the body, up to {depth:.1} mm deep; {words}{narrow}")
    }
}

/// Cloth that stays inside the body because a part of its pins starts there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tucked {
    /// Pins and particles that hang from them.
    particles: usize,
    /// Depth of the deepest, metres.
    deepest: f32,
}

impl Tucked {
    /// Says so, and what to do if it was not meant.
    fn notice(self) -> String {
        let Tucked { particles, deepest } = self;
        let depth = deepest * 1000.0;
        format!(
            "{particles} vertices of the garment, pins among them, begin inside the body, up to {depth:.1} mm deep: they are taken as \
             tucked in and stay there. If they were to lie outside the garment is too narrow: make it wider there, by up to {:.0} mm \
             across, or try the other --garment-pose",
            2.0 * depth
        )
    }
}

impl Inside {
    /// Finds out, draws the body in, and notes what each particle does not see of it. Without preroll the body stays.
    pub(super) fn note(
        surface: &mut BodySurface<'_>,
        setup: &Setup<'_>,
        pin_tethers: &[Option<Tether>],
        thickness: f32,
    ) -> Inside {
        let points = &setup.topology.positions;
        let mut starts = surface.starts(points, pin_tethers);
        let has_pins_inside = surface.holds_part_of(setup.pins, &starts);
        let (held, _) = Start::count_held(&starts);
        let is_narrow = has_pins_inside && setup.parameters.preroll > 0 && is_too_narrow(held, points.len());
        let is_tucked = has_pins_inside && !is_narrow;
        if is_tucked {
            Start::hold(&mut starts, setup.pins, &setup.topology.neighbours);
        } else {
            starts.iter_mut().flatten().for_each(Start::let_go);
        }
        // Cloth that comes out of the body at its pins is pulled apart where the body grows back between it and them.
        let is_drawn_in = !is_tucked && setup.parameters.preroll > 0 && surface.deflate(&starts, CLEARANCE * thickness);
        surface.note_start(points, &starts);
        let tucked = is_tucked.then(|| {
            let (particles, deepest) = Start::count_held(&starts);
            Tucked { particles, deepest }
        });
        let brought_out = is_drawn_in.then(|| {
            let (particles, deepest) = Start::count_free(&starts);
            BroughtOut { particles, deepest, is_narrow }
        });
        Inside { tucked, brought_out }
    }
}

impl Simulator<'_> {
    /// Lets the body grow back to its full size under the cloth, if it was drawn in; says so, and what stays inside.
    pub(super) fn bring_out(&mut self) -> Option<String> {
        let Some(brought_out) = self.inside.brought_out else {
            return self.inside.tucked.map(Tucked::notice);
        };
        let before = self.cloth.saved();
        let frame = -i64::from(self.setup.parameters.preroll);
        let (moment, start) = (self.schedule.start_moment(), self.setup.timeline.fps.seconds(frame));
        let substeps = pace::substeps(GROWING + RESTING, true, self.motion.longest_substep());
        let seconds = ((GROWING + RESTING) / f64::from(substeps)) as f32;
        let kept = 1.0 - (seconds / DAMPING).min(1.0);
        self.states.start_frame(self.states.fading().clone());
        self.surface.iter_mut().for_each(|surface| surface.start_frame(&self.cloth));
        let mut words = "the body is drawn in there at the start and grows back before the preroll";
        for substep in 1..=substeps {
            let grown = smooth_step(0.0, GROWING, f64::from(substep) * f64::from(seconds)) as f32;
            self.surface.iter_mut().for_each(|s| s.inflate(grown));
            let flow = self.follow(moment, start, seconds, true);
            self.cloth.velocities.iter_mut().for_each(|v| v.at *= kept);
            if flow.is_break() || self.guard.fault(&self.cloth, self.setup.springs, seconds).is_some() {
                self.cloth.restore(&before);
                self.motion.restart();
                words = "it could not be brought out gently";
                break;
            }
        }
        self.surface.iter_mut().for_each(|s| s.inflate(1.0));
        self.between.iter_mut().for_each(Between::forget);
        self.budget.reset();
        Some(brought_out.notice(words))
    }
}
