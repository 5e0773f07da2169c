//! How a garment fits a body, and the bake that follows from it.
//!
//! Everything is measured as the [guess](super::guess) of units and axes has it.

use serde::Serialize;

use super::garment::held_group;
use super::guess::{Try, moment_of, posed};
use super::proposal;
use crate::body::{Body, Moment, self_contacts};
use crate::carry::simulated_particles;
use crate::cli::arguments::InspectArguments;
use crate::cli::console::on_a_line;
use crate::cli::failure::Failure;
use crate::cli::memory::{BakeSize, MemoryEstimate};
use crate::geometry::Aabb;
use crate::pins::{LoopChoice, PinSelector, paired_loops, select};
use crate::report::{BodyReport, SelfContactReport};
use crate::simulate::{Fit, StartPose, fitting_width};
use crate::topology::ParticleId;

/// Mean distance from the body within which a loop hugs it, as a part of the body's height.
const HUGS: f32 = 0.03;

/// Why a garment that the body's file holds was made for the bind pose.
const OF_BODY: &str = "the body's file holds it too, and the bake leaves it out of the body";
/// The selector of nothing, and what is to be known where it is proposed.
const NOTHING: &str = "none";
const UNPINNED: &str = "nothing that could hold it hugs the body, so that nothing is pinned: should it slide off, hold it with \
                        --pin within:0.02, box:..., or group:NAME";

/// How a garment fits a body.
#[derive(Debug, Serialize)]
pub(super) struct FitFacts {
    /// Box of the garment, metres.
    garment_size: [f32; 3],
    /// Box of the body in the pose that fits, metres.
    body_size: [f32; 3],
    /// Diagonal of the garment's box in that of the body's.
    size_ratio: f32,
    /// Flags that units and axes need.
    flags: Vec<String>,
    /// Animation that was looked at.
    animation: Option<String>,
    /// Pose that the garment was made for.
    garment_pose: StartPose,
    /// What speaks for it, in plain words.
    reason: String,
    /// What of the garment begins inside the body in that pose.
    overlap: Overlap,
    /// Boundary loops of what is worn, as `--pin loop:N` numbers them.
    loops: Vec<LoopFit>,
    /// Proposed pins.
    pin: String,
    /// Where the body touches itself in the animation.
    self_contacts: Vec<SelfContactReport>,
    /// Memory that the bake takes.
    memory: MemoryEstimate,
    /// What all this means, in plain words.
    notes: Vec<String>,
    /// The bake that follows from it.
    command: String,
}

#[derive(Debug, Serialize)]
struct Overlap {
    /// Welded vertices inside the body.
    vertices: usize,
    /// Depth of the deepest, millimetres.
    deepest_mm: f32,
    /// Name of the joint that moves the body there.
    joint: Option<String>,
    /// Whether that is so much of the garment that it is too narrow for the body.
    is_too_narrow: bool,
    /// Percent of its width and depth from which on the garment lies outside, if it is too narrow and that helps.
    fitting_width: Option<u32>,
}

#[derive(Debug, Serialize)]
struct LoopFit {
    number: usize,
    /// Mean distance from the body, millimetres.
    mean_mm: f32,
    /// Greatest distance, millimetres.
    max_mm: f32,
    /// Whether it hugs the body.
    hugs: bool,
}

impl FitFacts {
    /// Of the garment and the body that `arguments` name; none if they do not name both.
    pub(super) fn of(arguments: &InspectArguments) -> Result<Option<FitFacts>, Failure> {
        let (Some(garment), Some(body)) = (&arguments.garment, &arguments.body) else { return Ok(None) };
        let tried = Try::with_units(arguments, garment, body)?;
        let Some((tried, fits)) = tried.turned_up(arguments)? else { return Ok(None) };
        let Try { scene, inputs, .. } = &tried;
        let topology = tried.cloth();
        let Some(body) = &inputs.body else { return Ok(None) };
        let better = || if inputs.is_of_body { StartPose::Bind } else { fits.better() };
        let pose = arguments.garment_pose.unwrap_or_else(better);
        let fit = fits.of(pose);
        let [garment_box, body_box] = [Aabb::around(&topology.positions), Aabb::around(&posed(body, pose, inputs))];
        let loops = LoopFit::all(&tried, fit, body);
        let pin = proposed_pin(&tried, fit, &loops, body);
        let moments: Vec<Moment> =
            (0..inputs.timeline.len()).map(|i| Moment::At(inputs.timeline.clip_seconds(i))).collect();
        let gap = 2.0 * scene.parameters.distance_kept(topology);
        let contacts = self_contacts(body, &moments, gap);
        let told = contacts.iter().filter(|contact| !contact.is_crease).map(|contact| (contact, false));
        let contacts = BodyReport::of(told, body, inputs.timeline.first);
        let overlap = Overlap::of(&tried, fit, pose, body);
        let flags = proposal::flags(scene);
        let animation = body.clip_name().map(str::to_owned);
        let command = proposal::command(arguments, &flags, animation.as_deref(), &pin, pose);
        Ok(Some(FitFacts {
            garment_size: garment_box.size().to_array(),
            body_size: body_box.size().to_array(),
            size_ratio: garment_box.size().length() / body_box.size().length(),
            command,
            garment_pose: pose,
            reason: if inputs.is_of_body { OF_BODY.to_owned() } else { fits.reason() },
            memory: MemoryEstimate::of(&BakeSize {
                vertices: inputs.garment.positions.len(),
                particles: simulated_particles(topology, Some(body_box.size().max_element())),
                body_vertices: body.vertex_count(),
                frames: inputs.timeline.len(),
            }),
            notes: overlap
                .note()
                .into_iter()
                .chain((pin == NOTHING).then(|| UNPINNED.to_owned()))
                .chain(contacts.words())
                .chain(tried.worn.notice.clone())
                .collect(),
            self_contacts: contacts.self_contacts,
            overlap,
            loops,
            pin,
            flags,
            animation,
        }))
    }

    /// In lines, for people.
    pub(super) fn describe(&self) -> String {
        let size = |[x, y, z]: [f32; 3]| format!("{x:.3} x {y:.3} x {z:.3} m");
        let flags = if self.flags.is_empty() { "as read".to_owned() } else { self.flags.join(" ") };
        let inside = &self.overlap;
        let near = inside.joint.as_ref().map(|joint| format!(", near {}", on_a_line(joint))).unwrap_or_default();
        let mut lines = vec![
            "fit".to_owned(),
            format!("  sizes       garment {}, body {}", size(self.garment_size), size(self.body_size)),
            format!("  ratio       {:.2}, units and axes: {flags}", self.size_ratio),
            format!("  pose        made for {}: {}", self.garment_pose, self.reason),
            format!("  inside      {} vertices, up to {:.1} mm deep{near}", inside.vertices, inside.deepest_mm),
        ];
        for l in &self.loops {
            let hugs = if l.hugs { ", hugs it" } else { "" };
            let distances = format!("{:.0} mm from the body, at most {:.0} mm{hugs}", l.mean_mm, l.max_mm);
            lines.push(format!("  loop:{:<6} {distances}", l.number));
        }
        lines.push(format!("  pin         {}", self.pin));
        lines.push(format!("  memory      {}", self.memory));
        lines.extend(self.notes.iter().map(|note| format!("  note        {note}")));
        lines.push(format!("  bake        {}\n", self.command));
        lines.join("\n")
    }
}

impl Overlap {
    fn of(tried: &Try, fit: &Fit, pose: StartPose, body: &Body) -> Overlap {
        let inputs = &tried.inputs;
        let width = || fitting_width(tried.cloth(), inputs.garment.origin, body, moment_of(pose, inputs));
        let deepest = fit.places.iter().filter(|p| p.distance < 0.0).min_by(|a, b| a.distance.total_cmp(&b.distance));
        Overlap {
            vertices: fit.inside,
            deepest_mm: deepest.map_or(0.0, |p| p.distance * -1000.0),
            joint: deepest.map(|p| body.joint_name(p.joint).to_owned()),
            is_too_narrow: fit.is_too_narrow(),
            fitting_width: if fit.is_too_narrow() { width() } else { None },
        }
    }

    fn note(&self) -> Option<String> {
        let tucked = "cloth that is tucked in at its pins stays so, other cloth is brought out in the preroll";
        match self.vertices {
            0 => None,
            _ if self.is_too_narrow => Some(self.verdict()),
            _ => Some(tucked.to_owned()),
        }
    }

    /// What a garment that is too narrow needs.
    fn verdict(&self) -> String {
        let near = self.joint.as_ref().map(|joint| format!(" near {}", on_a_line(joint))).unwrap_or_default();
        let advice = match self.fitting_width {
            Some(percent) => format!("scale its width and depth about its middle to {percent} %"),
            None => format!("make it wider there, by up to {:.0} mm across", 2.0 * self.deepest_mm),
        };
        let depth = self.deepest_mm;
        format!(
            "the garment is too narrow for the body, by up to {depth:.1} mm on a side{near}: {advice}; as it is it stretches over \
             the body"
        )
    }
}

impl LoopFit {
    /// Those that are worn.
    fn all(tried: &Try, fit: &Fit, body: &Body) -> Vec<LoopFit> {
        let of = |(number, particles): (usize, &Vec<ParticleId>)| {
            Some(LoopFit::of(number, &tried.worn.particles(particles)?, fit, body))
        };
        tried.whole.boundary_loops.iter().enumerate().filter_map(of).collect()
    }

    fn of(number: usize, particles: &[ParticleId], fit: &Fit, body: &Body) -> LoopFit {
        let distances = || particles.iter().map(|p| fit.places[p.index()].distance.abs() * 1000.0);
        let mean_mm = distances().sum::<f32>() / particles.len().max(1) as f32;
        let hugs = mean_mm <= HUGS * body.height() as f32 * 1000.0;
        LoopFit { number, mean_mm, max_mm: distances().fold(0.0, f32::max), hugs }
    }
}

/// What to pin: a group that sounds held, else the upper loop if it hugs the body, else the loop that does and is no sleeve, else
/// nothing.
fn proposed_pin(tried: &Try, fit: &Fit, loops: &[LoopFit], body: &Body) -> String {
    let Try { inputs, whole, worn, .. } = tried;
    if let Some(group) = held_group(&inputs.garment, whole, |particle| worn.has(particle)) {
        return format!("group:{}", group.name);
    }
    let top = select(&[PinSelector::Loop(LoopChoice::Top)], &inputs.garment, tried.cloth(), None).unwrap_or_default();
    if !top.is_empty() && LoopFit::of(0, &top, fit, body).hugs {
        return "loop:top".to_owned();
    }
    let is_paired = paired_loops(whole);
    let hugging = loops.iter().filter(|l| l.hugs && !is_paired[l.number]);
    let nearest = hugging.min_by(|a, b| a.mean_mm.total_cmp(&b.mean_mm));
    nearest.map_or(NOTHING.to_owned(), |l| format!("loop:{}", l.number))
}
