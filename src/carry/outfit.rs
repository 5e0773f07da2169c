//! Garment and choice -> the cloth that is simulated, its pins, and how the garment follows.

use super::fineness::{self, Fineness};
use super::original::Original;
use super::parts::{Parts, heaviest};
use super::{Carry, Choice};
use crate::body::{Body, Moment};
use crate::import::Garment;
use crate::pins::{self, BindError, Binding, PinCarrier, PinSelector, Pins, SelectError};
use crate::topology::resample::{Place, Resampled, TooManyParticles};
use crate::topology::{ParticleId, Seams, Topology};

/// What an outfit is made from.
#[derive(Clone, Copy, Debug)]
pub struct Wardrobe<'a> {
    /// What is to be simulated.
    pub choice: &'a Choice,
    /// The polygons left out, of [`super::excluded`].
    pub excluded: Option<&'a [bool]>,
    /// The garment's file.
    pub garment: &'a Garment,
    /// What is held.
    pub pins: &'a [PinSelector],
    /// What carries the pins.
    pub carrier: &'a PinCarrier,
    /// The body, as it stands when the simulation starts.
    pub body: Option<(&'a Body, Moment)>,
}

/// A garment ready to be simulated.
#[derive(Clone, Debug)]
pub struct Outfit {
    /// The simulated cloth.
    pub cloth: Topology,
    /// Its pins.
    pub pins: Pins,
    /// The rest; none if every vertex of the file is a particle of the cloth.
    pub rest: Option<Rest>,
    /// What was done, in plain words.
    pub notices: Vec<String>,
}

/// What of a garment is not simulated as it is.
#[derive(Clone, Debug)]
pub struct Rest {
    /// The garment as its file has it, without the faces that are left out.
    pub whole: Topology,
    /// How its particles follow the cloth.
    pub carry: Carry,
    /// Vertices of the file that were left out.
    pub excluded_vertices: usize,
    /// Vertices of the file that follow the cloth without being simulated: islands, other sides of thick cloth, loose ones.
    pub carried_vertices: usize,
}

/// A garment that cannot be simulated as asked.
#[derive(Debug, thiserror::Error)]
pub enum OutfitError {
    /// A pin selector that means nothing.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// Pins that nothing carries.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// Too fine a cloth.
    #[error("--simulate-as {wanted}: {source}")]
    Resample {
        /// Particles asked for.
        wanted: u32,
        /// Why not.
        source: TooManyParticles,
    },
}

/// The outfit of the garment whose topology is `whole`.
///
/// # Errors
/// Pins that cannot be, or too many particles.
pub fn outfit(wardrobe: &Wardrobe<'_>, mut whole: Topology) -> Result<Outfit, OutfitError> {
    if !wardrobe.choice.seams {
        whole.seams = Seams::default();
    }
    let mut notices = Vec::new();
    let mut parts = Parts::new(wardrobe, &whole, &mut notices)?;
    let (sub, kept) = parts.cloth(&whole);
    let sewn = sub.sewn();
    notices.extend(sub.seams.notice());
    let cloth = sewn.as_ref().unwrap_or(&sub);
    let pinned = parts.pinned(wardrobe, &whole, cloth, &kept)?;
    let held: Vec<ParticleId> = parts.held_of(&kept, &pinned);
    let body_size = wardrobe.body.map(|(body, moment)| fineness::size(body, moment));
    let (resampled, of_fineness) =
        Fineness::of(wardrobe.choice.simulate_as, cloth, body_size).resampled(cloth, &held)?;
    notices.extend(of_fineness);
    if sewn.is_none() && resampled.is_none() && sub.positions.len() == whole.positions.len() && parts.is_all_cloth() {
        let (cloth, pinned) = whole.numbered(&pinned);
        let pins = pins::bind(pinned, wardrobe.carrier, wardrobe.garment, &cloth, wardrobe.body)?;
        return Ok(Outfit { cloth, pins, rest: None, notices });
    }
    let Bound { by_user, by_body } = Bound::new(wardrobe, &whole, &parts, pinned)?;
    let all = by_body.clone().joined(by_user);
    let is_resampled = resampled.is_some();
    let as_it_is_sewn = || as_it_is(sewn.unwrap_or_else(|| sub.clone()));
    let Finished { cloth, pins, places, between } = finished(resampled.unwrap_or_else(as_it_is_sewn), &kept, &all);
    let original = if is_resampled {
        Original::resampled(sub, &cloth, places, between, [all.of_part(&kept), pins.clone()])
    } else {
        Original::as_it_is(sub, places.into_iter().map(heaviest).collect())
    };
    let (carry, loose) = parts.carry(&whole, original, &kept, by_body, wardrobe.body);
    let counts = parts.count_vertices(&whole, loose);
    let whole = parts.without_excluded(&whole);
    let rest = Rest { whole, carry, excluded_vertices: counts[0], carried_vertices: counts[1] };
    Ok(Outfit { cloth, pins, rest: Some(rest), notices })
}

/// Pins of the user and what the body holds, by the particles of the whole garment.
struct Bound {
    by_user: Pins,
    by_body: Pins,
}

impl Bound {
    fn new(
        wardrobe: &Wardrobe<'_>,
        whole: &Topology,
        parts: &Parts,
        mut pinned: Vec<ParticleId>,
    ) -> Result<Bound, BindError> {
        let Wardrobe { garment, carrier, body, .. } = *wardrobe;
        let out = (0..).zip(&parts.is_excluded).filter(|(_, out)| **out).map(|(p, _)| ParticleId(p)).collect();
        pinned.retain(|p| !parts.is_excluded[p.index()]);
        Ok(Bound {
            by_user: pins::bind(pinned, carrier, garment, whole, body)?,
            by_body: pins::bind(out, &PinCarrier::Body, garment, whole, body)?,
        })
    }
}

fn as_it_is(cloth: Topology) -> Resampled {
    let particles = || (0..cloth.positions.len() as u32).map(ParticleId);
    let places = particles().map(Place::Particle).collect();
    let between = particles().map(|p| vec![(p, 1.0)]).collect();
    Resampled { places, between, topology: cloth }
}

/// The cloth as it is simulated, and what it stands for.
struct Finished {
    cloth: Topology,
    pins: Pins,
    /// Where on it the particles of the original are.
    places: Vec<Place>,
    /// Of each of its particles, the particles of the original that it lies between.
    between: Vec<Vec<(ParticleId, f32)>>,
}

/// Numbers the cloth for being simulated. Its original has the particles `kept` of the whole garment; `bound` are pins by
/// particles of the whole garment.
fn finished(resampled: Resampled, kept: &[ParticleId], bound: &Pins) -> Finished {
    let Resampled { topology, mut places, between } = resampled;
    let binding = |between: &Vec<(ParticleId, f32)>| {
        let parts: Option<Vec<(&Binding, f32)>> =
            between.iter().map(|(p, weight)| Some((bound.binding(kept[p.index()])?, *weight))).collect();
        Binding::blended(&parts?)
    };
    let bindings: Vec<Option<Binding>> = between.iter().map(binding).collect();
    let fixed: Vec<ParticleId> =
        (0..).zip(&bindings).filter(|(_, b)| b.is_some()).map(|(p, _)| ParticleId(p)).collect();
    let (cloth, particles) = topology.numbered(&fixed);
    let number = |p: &mut ParticleId| *p = cloth.particle_of_vertex[p.index()];
    for place in &mut places {
        match place {
            Place::Particle(p) => number(p),
            Place::Surface { corners, .. } => corners.iter_mut().for_each(number),
        }
    }
    let mut held: Vec<(ParticleId, Binding)> =
        cloth.particle_of_vertex.iter().zip(bindings).filter_map(|(p, b)| Some((*p, b?))).collect();
    held.sort_by_key(|(p, _)| *p);
    let bindings = held.into_iter().map(|(_, binding)| binding).collect();
    let mut between_of = vec![Vec::new(); between.len()];
    cloth.particle_of_vertex.iter().zip(between).for_each(|(p, between)| between_of[p.index()] = between);
    let pins = Pins { particles, bindings, anchors: bound.anchors.clone() };
    Finished { cloth, pins, places, between: between_of }
}
