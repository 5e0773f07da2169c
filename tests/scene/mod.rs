//! A sheet, what holds it and what it meets: the scenes of the tests of physics and motion.

use std::fmt::Write as _;
use std::io::Read;
use std::ops::ControlFlow;

use toile::body::Body;
use toile::correction::CorrectionMap;
use toile::geometry::Vec3;
use toile::import::{FileFrame, Garment};
use toile::pins::{PinCarrier, PinSelector, Pins, bind, select};
use toile::simulate::{
    FrameRate, Parameters, Progress, Setup, Simulation, SimulationError, Snapshot, StartPose, StateMode, Timeline,
    contact_sets, run_from,
};
use toile::springs::SpringNetwork;
use toile::topology::{self, ParticleId, Topology};

/// A square sheet of `n` x `n` vertices, 1 m wide, row by row, placed by `place`.
pub(crate) fn sheet(n: usize, place: impl Fn(f32, f32) -> Vec3) -> Garment {
    let mut text = String::new();
    let step = 1.0 / (n - 1) as f32;
    for (row, column) in (0..n * n).map(|i| (i / n, i % n)) {
        let p = place(column as f32 * step - 0.5, row as f32 * step);
        writeln!(text, "v {} {} {}", p.x, p.y, p.z).unwrap();
    }
    for (row, column) in (0..n - 1).flat_map(|r| (0..n - 1).map(move |c| (r, c))) {
        let i = row * n + column + 1;
        writeln!(text, "f {} {} {} {}", i, i + n, i + n + 1, i + 1).unwrap();
    }
    toile::import::obj::read_garment(text.as_bytes(), "sheet", FileFrame::default()).unwrap()
}

pub(crate) struct Scene {
    pub(crate) topology: Topology,
    pub(crate) springs: SpringNetwork,
    pub(crate) pins: Pins,
    pub(crate) parameters: Parameters,
    pub(crate) body: Option<Body>,
}

impl Scene {
    pub(crate) fn new(garment: Garment, pin: &str, parameters: Parameters) -> Scene {
        let topology = topology::build(&garment).unwrap();
        let pinned = select(&[pin.parse::<PinSelector>().unwrap()], &garment, &topology, None).unwrap();
        let (topology, pinned) = topology.numbered(&pinned);
        let springs = SpringNetwork::build(&topology);
        let pins = bind(pinned, &PinCarrier::World, &garment, &topology, None).unwrap();
        Scene { topology, springs, pins, parameters, body: None }
    }

    pub(crate) fn run(&self, frames: i64) -> Result<Simulation, SimulationError> {
        self.run_from(frames, None, &mut |_, _| ControlFlow::Continue(()))
    }

    /// Runs from a snapshot, if it is given.
    pub(crate) fn run_from(
        &self,
        frames: i64,
        snapshot: Option<&mut dyn Read>,
        watch: &mut dyn FnMut(Progress, &mut Snapshot<'_>) -> ControlFlow<()>,
    ) -> Result<Simulation, SimulationError> {
        let timeline = Timeline { first: 0, last: frames, fps: FrameRate::whole(60), start_frame: 1 };
        let setup = Setup {
            topology: &self.topology,
            springs: &self.springs,
            maps: &self.maps(),
            body: self.body.as_ref(),
            pins: &self.pins,
            parameters: &self.parameters,
            timeline: &timeline,
            start: StartPose::First,
        };
        run_from(&setup, snapshot, watch)
    }

    fn maps(&self) -> Vec<CorrectionMap> {
        let Parameters { states, .. } = &self.parameters;
        let held = match self.parameters.state_mode() {
            StateMode::Named => contact_sets(&self.parameters, self.body.as_ref(), &self.topology).unwrap(),
            _ => vec![Vec::new()],
        };
        let names = states.iter().map(|state| state.name.as_str()).chain(["all"]);
        let map = |(name, added): (&str, Vec<ParticleId>)| {
            let fixed = [&self.pins.particles[..], &added].concat();
            CorrectionMap::build(name, &fixed, &self.topology, &self.springs, &self.parameters.map_options())
        };
        names.zip(held).map(map).collect()
    }

    pub(crate) fn last_frame(&self, frames: i64) -> Vec<Vec3> {
        self.run(frames).unwrap().cache.frames.pop().unwrap()
    }

    pub(crate) fn stretches(&self, positions: &[Vec3]) -> Vec<f32> {
        let stretch =
            |s: &toile::springs::Spring| positions[s.a.index()].distance(positions[s.b.index()]) / s.rest_length - 1.0;
        let mut all: Vec<f32> = self.springs.stretch.iter().map(stretch).collect();
        all.sort_by(f32::total_cmp);
        all
    }
}

pub(crate) fn still() -> Parameters {
    Parameters { preroll: 0, drag: 0.0, ..Parameters::default() }
}

pub(crate) fn flat(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, 1.5, z)
}
