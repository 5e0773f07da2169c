//! A simulator from its setup.

use super::Simulator;
use super::bring_out::Inside;
use crate::body::{Body, JointId, Moment};
use crate::correction::Geodesics;
use crate::geometry::Aabb;
use crate::simulate::batch::{Bands, Kernel};
use crate::simulate::cloth::Cloth;
use crate::simulate::collide::{Between, BodySurface, Contacts, Faces, Layers, Meeting, Primitives, proxies};
use crate::simulate::energy::EnergyBudget;
use crate::simulate::enforce::{Enforcer, RootTethers, fields, nearest, slack};
use crate::simulate::forces::Forces;
use crate::simulate::guard::Guard;
use crate::simulate::integrate::Motion;
use crate::simulate::momentum::FreeParts;
use crate::simulate::pace::{self, Demand};
use crate::simulate::pin_edges::PinEdges;
use crate::simulate::schedule::Schedule;
use crate::simulate::simulation::{Setup, SimulationError};
use crate::simulate::states::{Foresight, States};
use crate::simulate::tight::Tightness;
use crate::simulate::whole::Whole;
use crate::simulate::{Integrator, sweep};
use crate::topology::{ParticleId, Topology};

/// How far around a particle the body is looked for, as a part of the body's size.
const SEARCH: f32 = 0.03;
/// Mean edge, as a part of the body's size, from which the cloth between particles collides in every substep.
const COARSE_EDGE: f32 = 0.014;

impl<'a> Simulator<'a> {
    pub(super) fn new(setup: &Setup<'a>, foresight: Option<&'a Foresight>) -> Result<Self, SimulationError> {
        let layers = || setup.parameters.self_collision.then(|| Layers::new(setup.topology));
        let (simulator, layers) = rayon::join(|| Self::without_layers(setup, foresight), layers);
        Ok(Simulator { layers, ..simulator? })
    }

    fn without_layers(setup: &Setup<'a>, foresight: Option<&'a Foresight>) -> Result<Self, SimulationError> {
        let Setup { topology, springs, body, pins, parameters, timeline, .. } = *setup;
        let schedule = Schedule::new(body, timeline, parameters.preroll, setup.start);
        let cloth = Cloth::at_rest(topology, pins, parameters.fabric.areal_density);
        let geodesics = Geodesics::new(topology);
        let slack = slack(&parameters.fabric, parameters.fabric.stretch_stiffness, &topology.positions);
        let fields = fields(pins, &geodesics, topology);
        let root_tethers = RootTethers::new(&fields, topology, &cloth, &parameters.fabric);
        let pin_tethers = nearest(&fields);
        drop(fields);
        let body_size = body_size(body, schedule.start_moment(), topology);
        let particles = topology.positions.len();
        let swept = sweep::distances(topology, &geodesics, &pin_tethers);
        let (bands, kernel) = (Bands::new(&topology.parts, &swept, &springs.stretch), Kernel::best());
        let states = States::new(setup, geodesics, &pin_tethers, foresight)?;
        let pin_joints = body.map_or(Vec::new(), |b| pins.joints(b));
        let thickness = parameters.distance_kept(topology);
        let meeting = Meeting {
            cloth: &topology.positions,
            thickness,
            edge: springs.stretch.iter().map(|spring| spring.rest_length).fold(0.0, f32::max),
            start: schedule.start_moment(),
        };
        let proxies = body.filter(|_| setup.hits_body() && pin_joints.is_empty()).and_then(|b| proxies(b, meeting));
        let hits_body = setup.hits_body() && proxies.is_none();
        let posed_body = body.filter(|_| hits_body || !pin_joints.is_empty());
        let mut surface =
            posed_body.map(|b| BodySurface::new(b, schedule.start_moment(), particles, SEARCH * body_size));
        let edge = topology.mean_edge();
        let inside = match surface.as_mut().filter(|_| hits_body) {
            Some(surface) => {
                surface.set_home(&pin_joints);
                let inside = Inside::note(surface, setup, &pin_tethers, thickness);
                if parameters.self_collision {
                    surface.note_layers(topology, thickness, Layers::gap(topology));
                }
                inside
            }
            None => Inside::default(),
        };
        let is_coarse = edge > COARSE_EDGE * body_size;
        let carries = |joint: JointId| pin_joints.binary_search(&joint).is_ok();
        let clearance = |p: &ParticleId| {
            let place = topology.positions[p.index()];
            surface.as_ref().filter(|_| hits_body).and_then(|s| s.pin_clearance(place, thickness, carries))
        };
        let pin_clearance: Vec<Option<f32>> = pins.particles.iter().map(clearance).collect();
        if let Some(surface) = &mut surface {
            for (pin, clearance) in pins.particles.iter().zip(&pin_clearance) {
                surface.note_pin(pin.index(), clearance.map_or(0.0, |clearance| clearance / thickness));
            }
        }
        let (motion, enforcer) = rayon::join(
            || Motion::new(parameters, topology, springs, &cloth, &bands, kernel),
            || Enforcer::new(parameters, (topology, springs), &cloth, slack, &bands, kernel),
        );
        Ok(Simulator {
            setup: *setup,
            schedule,
            forces: Forces::new(parameters, topology, parameters.laps.map(|_| timeline.seconds())),
            motion: motion?,
            enforcer,
            guard: Guard::new(parameters, topology),
            budget: EnergyBudget::new(parameters.gravity, &cloth),
            free_parts: match parameters.integrator {
                Integrator::Xpbd => FreeParts::new(topology, &cloth),
                _ => FreeParts::none(),
            },
            cloth,
            before: Cloth::default(),
            states,
            whole: Whole::new(topology, &pin_tethers, inside.tucked.is_some(), body_size),
            root_tethers,
            between: hits_body.then(|| Between::new(topology, is_coarse, body_size)),
            faces: hits_body.then(|| Faces::new(topology)),
            surface,
            proxies,
            primitives: Primitives::new(&parameters.colliders, body)?,
            layers: None,
            guide: None,
            contacts: Contacts::new(topology.positions.len()),
            pin_targets: Vec::new(),
            pin_clearance,
            pin_edges: PinEdges::new(pins, topology),
            pin_joints,
            inside,
            thickness,
            body_size,
            demand: Demand::of(slack),
            longest_by_edges: match parameters.integrator {
                Integrator::Xpbd => pace::longest_by_edges(&springs.stretch),
                _ => f64::INFINITY,
            },
            tightness: Tightness::none(particles),
            glides: body.is_some_and(|body| body.shortest_hold().is_some()),
            retried: Vec::new(),
            led: Vec::new(),
            cuts: Vec::new(),
        })
    }
}

/// Diagonal of the body's box; of the cloth's, when there is no body.
fn body_size(body: Option<&Body>, moment: Moment, topology: &Topology) -> f32 {
    let mut positions = Vec::new();
    if let Some(body) = body {
        body.pose(moment, &mut positions);
    }
    let points = if positions.is_empty() { &topology.positions } else { &positions };
    Aabb::around(points).size().length().max(f32::MIN_POSITIVE)
}
