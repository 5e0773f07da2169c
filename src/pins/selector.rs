//! What `--pin` and `--pin-to` can say.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::geometry::{Aabb, Vec3};

/// A `--pin` selector: which vertices are held.
#[derive(Clone, Debug, PartialEq)]
pub enum PinSelector {
    /// `loop:top`, `loop:bottom`: a boundary loop of each separate piece; `loop:2`: one loop. `loop:top` of a piece with one
    /// outline is its upper edge.
    Loop(LoopChoice),
    /// `group:NAME`: an OBJ group or object, a glTF node, mesh or material name.
    Group(String),
    /// `attribute:NAME`: vertices whose attribute is above 0.5.
    Attribute(String),
    /// `within:METRES`: vertices closer than that to the body at the start.
    Within(f32),
    /// `joint:NAME`: vertices whose nearest body surface follows this joint.
    Joint(String),
    /// `box:x0,y0,z0,x1,y1,z1`: vertices inside the box, metres.
    Box(Aabb),
    /// `vertex:0,40` or `vertex:0..40`: input vertices by index (from 0), as inclusive ranges.
    Indices(Vec<(u32, u32)>),
    /// `vertices:FILE`: the same, one index or range a line, or several with commas or spaces.
    Vertices(PathBuf),
    /// `none`: nothing is held.
    None,
}

/// A boundary loop as `toile inspect` numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopChoice {
    /// The highest that is not one of a pair, as sleeves are; the upper edge, when it is the only one or goes from top to bottom.
    Top,
    /// The lowest.
    Bottom,
    /// By number.
    Number(usize),
}

/// What `--pin-to` says: what carries the pinned vertices.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum PinCarrier {
    /// Each follows the nearest point of the body. Without a body the same as [`PinCarrier::World`].
    #[default]
    Body,
    /// All follow one joint rigidly.
    Joint(String),
    /// They stay where they are.
    World,
}

/// A selector that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is no pin selector: {reason}; write loop:top, loop:bottom, loop:N, group:NAME, attribute:NAME, within:METRES, joint:NAME, box:x0,y0,z0,x1,y1,z1, vertex:I,J,K..L, vertices:FILE or none"
)]
pub struct SelectorError {
    text: String,
    reason: &'static str,
}

impl FromStr for PinSelector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let fail = |reason| SelectorError { text: text.to_owned(), reason };
        if text == "none" {
            return Ok(PinSelector::None);
        }
        let (kind, value) = text.split_once(':').ok_or_else(|| fail("it has no `:`"))?;
        if value.is_empty() {
            return Err(fail("nothing follows the `:`"));
        }
        match kind {
            "loop" => value.parse().map(PinSelector::Loop).map_err(|()| fail("a loop is `top`, `bottom` or a number")),
            "group" => Ok(PinSelector::Group(value.to_owned())),
            "attribute" => Ok(PinSelector::Attribute(value.to_owned())),
            "within" => match value.parse::<f32>() {
                Ok(metres) if metres.is_finite() && metres > 0.0 => Ok(PinSelector::Within(metres)),
                _ => Err(fail("`within` takes a positive number of metres")),
            },
            "joint" => Ok(PinSelector::Joint(value.to_owned())),
            "box" => parse_box(value)
                .map(PinSelector::Box)
                .ok_or_else(|| fail("`box` takes six numbers, the smaller corner first")),
            "vertex" => parse_indices(value)
                .map(PinSelector::Indices)
                .ok_or_else(|| fail("`vertex` takes indices from 0 and ranges, 0,40 or 0..40")),
            "vertices" => Ok(PinSelector::Vertices(PathBuf::from(value))),
            _ => Err(fail("the word before the `:` is unknown")),
        }
    }
}

impl fmt::Display for PinSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PinSelector::Loop(choice) => write!(f, "loop:{choice}"),
            PinSelector::Group(name) => write!(f, "group:{name}"),
            PinSelector::Attribute(name) => write!(f, "attribute:{name}"),
            PinSelector::Within(metres) => write!(f, "within:{metres}"),
            PinSelector::Joint(name) => write!(f, "joint:{name}"),
            PinSelector::Box(Aabb { min: a, max: b }) => {
                write!(f, "box:{},{},{},{},{},{}", a.x, a.y, a.z, b.x, b.y, b.z)
            }
            PinSelector::Indices(ranges) => {
                let words = ranges.iter().map(|&(first, last)| match first == last {
                    true => first.to_string(),
                    false => format!("{first}..{last}"),
                });
                write!(f, "vertex:{}", words.collect::<Vec<_>>().join(","))
            }
            PinSelector::Vertices(path) => write!(f, "vertices:{}", path.display()),
            PinSelector::None => write!(f, "none"),
        }
    }
}

impl fmt::Display for LoopChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoopChoice::Top => write!(f, "top"),
            LoopChoice::Bottom => write!(f, "bottom"),
            LoopChoice::Number(n) => write!(f, "{n}"),
        }
    }
}

impl FromStr for LoopChoice {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "top" => Ok(LoopChoice::Top),
            "bottom" => Ok(LoopChoice::Bottom),
            _ => text.parse().map(LoopChoice::Number).map_err(|_| ()),
        }
    }
}

impl FromStr for PinCarrier {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "body" => Ok(PinCarrier::Body),
            None if text == "world" => Ok(PinCarrier::World),
            Some(("joint", name)) if !name.is_empty() => Ok(PinCarrier::Joint(name.to_owned())),
            _ => Err(format!("`{text}` carries no pins; write body, world or joint:NAME")),
        }
    }
}

fn parse_box(value: &str) -> Option<Aabb> {
    let numbers: Vec<f32> =
        value.split(',').map(|n| n.trim().parse().ok().filter(|n: &f32| n.is_finite())).collect::<Option<_>>()?;
    let [x0, y0, z0, x1, y1, z1] = numbers[..] else { return None };
    let (min, max) = (Vec3::new(x0, y0, z0), Vec3::new(x1, y1, z1));
    min.cmple(max).all().then_some(Aabb { min, max })
}

/// Reads `0,5,7..9`: single indices and inclusive ranges.
pub(super) fn parse_indices(value: &str) -> Option<Vec<(u32, u32)>> {
    let range = |text: &str| {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        (first <= last).then_some((first, last))
    };
    value.split(',').map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_selector_of_the_help_is_read() {
        let read = |text: &str| text.parse::<PinSelector>().unwrap();
        assert_eq!(read("loop:top"), PinSelector::Loop(LoopChoice::Top));
        assert_eq!(read("loop:2"), PinSelector::Loop(LoopChoice::Number(2)));
        assert_eq!(read("group:belt:left"), PinSelector::Group("belt:left".into()));
        assert_eq!(read("within:0.01"), PinSelector::Within(0.01));
        assert_eq!(read("box:0,0,0,1,2,3"), PinSelector::Box(Aabb { min: Vec3::ZERO, max: Vec3::new(1.0, 2.0, 3.0) }));
        assert_eq!(read("vertex:0,40,7..9"), PinSelector::Indices(vec![(0, 0), (40, 40), (7, 9)]));
        assert_eq!(read("vertex:0,40,7..9").to_string(), "vertex:0,40,7..9");
        assert_eq!(read("none"), PinSelector::None);
    }

    #[test]
    fn nonsense_is_refused_with_the_reason() {
        for text in [
            "",
            "loop",
            "loop:",
            "loop:left",
            "within:-1",
            "within:nan",
            "box:1,0,0,0,1,1",
            "box:1,2",
            "ring:top",
            "vertex:a",
            "vertex:9..2",
            "vertex:1,,2",
            "vertex:-1",
            "vertex:99999999999",
        ] {
            let error = text.parse::<PinSelector>().unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("loop:top"), "{error}");
        }
    }
}
