//! Animation channels and samplers, as in glTF 2.0, section 3.11. Channels that move nothing drawn are left out.

use serde_json::{Value, json};

use super::element::{Element, shown};
use super::format::Format;
use super::sanitise::Sanitiser;
use super::tree::Tree;

impl Sanitiser<'_, '_> {
    /// All animations; each channel gets a sampler of its own.
    pub(super) fn animations(&mut self, tree: &Tree) -> Vec<Value> {
        let mut animations = Vec::new();
        for index in 0..self.count("animations") {
            let Some(animation) = self.source.item("animations", index, &mut self.faults) else { continue };
            let (mut channels, mut samplers) = (Vec::new(), Vec::new());
            for number in 0..animation.array("channels", &mut self.faults).len() {
                let channel = animation.item("channels", number, &mut self.faults);
                if let Some((target, sampler)) = channel.and_then(|channel| self.channel(&animation, &channel, tree)) {
                    channels.push(json!({ "sampler": samplers.len(), "target": target }));
                    samplers.push(sampler);
                }
            }
            let mut clean = json!({ "channels": channels, "samplers": samplers });
            if let Some(name) = animation.name() {
                clean["name"] = name.into();
            }
            animations.push(clean);
        }
        animations
    }

    /// Target and sampler of a channel that moves a node in use.
    fn channel(&mut self, animation: &Element<'_>, channel: &Element<'_>, tree: &Tree) -> Option<(Value, Value)> {
        let target = channel.child("target", &mut self.faults)?;
        if target.string("path") == Some("pointer") {
            let notice =
                format!("{}: KHR_animation_pointer is not read, what it moves stands still", animation.place());
            if !self.notices.contains(&notice) {
                self.notices.push(notice);
            }
            return None;
        }
        let node = target.index("node", "nodes", tree.places.len(), &mut self.faults)?;
        tree.places.get(node).copied().flatten()?;
        let path = target.string("path").unwrap_or_default();
        let (format, values) = match path {
            "translation" | "scale" => (Format::VectorKeys, 1),
            "rotation" => (Format::RotationKeys, 1),
            "weights" => {
                (Format::WeightKeys, self.morph_targets_of(node).filter(|_| tree.drawn.get(node) == Some(&true))?)
            }
            _ => {
                let path = target.get("path").map_or("nothing".to_owned(), shown);
                self.notices.push(format!("{}: {path} is not baked, the channel is left out", target.place_of("path")));
                return None;
            }
        };
        let samplers = animation.array("samplers", &mut self.faults).len();
        let Some(index) = channel.index("sampler", "samplers", samplers, &mut self.faults) else {
            self.faults.push(channel.place_of("sampler"), "no usable index", "the index of a sampler");
            return None;
        };
        let sampler = animation.item("samplers", index, &mut self.faults)?;
        let sampler = self.sampler(&sampler, format, values)?;
        Some((json!({ "node": node, "path": path }), sampler))
    }

    /// A sampler with `values` elements a key (three times that for a spline).
    fn sampler(&mut self, sampler: &Element<'_>, format: Format, values: usize) -> Option<Value> {
        let interpolation = sampler.string("interpolation").unwrap_or("LINEAR");
        let tangents = match interpolation {
            "LINEAR" | "STEP" => 1,
            "CUBICSPLINE" => 3,
            _ => {
                let found = shown(&interpolation.into());
                self.faults.push(sampler.place_of("interpolation"), found, "LINEAR, STEP or CUBICSPLINE");
                return None;
            }
        };
        let (Some(_), Some(_)) = (sampler.get("input"), sampler.get("output")) else {
            self.faults.push(sampler.place(), "no input or no output", "accessors of key times and of key values");
            return None;
        };
        let (input, keys) = self.accessor(sampler, "input", Format::Times)?;
        let (output, count) = self.accessor(sampler, "output", format)?;
        if (keys as u64).checked_mul((tangents * values) as u64) != Some(count as u64) {
            let expected = format_args!("{} for each of {keys} keys", tangents * values);
            self.faults.push(sampler.place_of("output"), format_args!("{count} values"), expected);
            return None;
        }
        Some(json!({ "input": input, "output": output, "interpolation": interpolation }))
    }

    /// Number of morph targets of a node's mesh, if it has any.
    fn morph_targets_of(&mut self, node: usize) -> Option<usize> {
        let meshes = self.count("meshes");
        let node = self.source.item("nodes", node, &mut self.faults)?;
        let mesh = node.index("mesh", "meshes", meshes, &mut self.faults)?;
        self.morph_targets.get(&mesh).copied().filter(|&count| count > 0)
    }
}
