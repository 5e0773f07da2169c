//! Shoes among the clothes: the body holds them, unless the user says what is simulated.
//!
//! Simulated as cloth they crumple on the feet, and hems catch on them. They are known by their names.

use super::choose::excluded;
use super::{Choice, PartSelector};
use crate::import::{Garment, listed};
use crate::topology::Topology;

/// Words, or ends of words, that footwear is called by, in the singular.
const WORDS: [&str; 7] = ["shoe", "boot", "sneaker", "sandal", "slipper", "loafer", "footwear"];
/// Names that the notice lists.
const NAMES_SHOWN: usize = 4;

/// A choice that leaves footwear out, and what to tell the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithoutFootwear {
    /// The choice with footwear excluded.
    pub choice: Choice,
    /// What was done, and how to undo it.
    pub notice: String,
}

/// `choice` without the footwear of `garment`; none if parts were chosen already, or there is none, or nothing else.
pub fn without_footwear(choice: &Choice, garment: &Garment, topology: &Topology) -> Option<WithoutFootwear> {
    if !choice.include.is_empty() || !choice.exclude.is_empty() {
        return None;
    }
    let names = footwear(garment.groups.iter().map(|group| group.name.as_str()));
    let choice = Choice { exclude: names.iter().cloned().map(PartSelector::Group).collect(), ..choice.clone() };
    let is_left_out = excluded(&choice, garment, topology).ok().flatten()?;
    let mut is_footwear = vec![false; topology.positions.len()];
    for (polygon, _) in topology.polygons.iter().zip(is_left_out).filter(|(_, out)| *out) {
        polygon.iter().for_each(|&p| is_footwear[p as usize] = true);
    }
    let vertices = topology.particle_of_vertex.iter().filter(|p| is_footwear[p.index()]).count();
    let notice = format!(
        "the body holds {} ({vertices} vertices), named like footwear; --include 'group:*' simulates it as cloth",
        listed(&names, NAMES_SHOWN)
    );
    Some(WithoutFootwear { choice, notice })
}

/// Those names that mean footwear, each once.
fn footwear<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = names.filter(|name| is_footwear(name)).map(str::to_owned).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether one of the words of `name` ends as footwear does: `Shoes`, `shoe_L`, `LeftBoot`, `rainboots.001`; no `bootcut`.
fn is_footwear(name: &str) -> bool {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphabetic() || (was_lower && letter.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphabetic()) {
            word.extend(letter.to_lowercase());
        }
        was_lower = letter.is_lowercase();
    }
    let ends_so = |word: &String| WORDS.iter().any(|end| word.strip_suffix('s').unwrap_or(word).ends_with(end));
    words.iter().any(ends_so)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{FileFrame, obj};
    use crate::topology;

    const SUIT: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 6 1 0\n";

    fn held(faces: &str, choice: &Choice) -> Option<WithoutFootwear> {
        let garment =
            obj::read_garment(format!("{SUIT}{faces}").as_bytes(), "suit", FileFrame::default()).expect("an OBJ");
        without_footwear(choice, &garment, &topology::build(&garment).expect("a mesh"))
    }

    #[test]
    fn footwear_is_known_by_its_name() {
        for name in ["Shoes", "shoe_L", "LeftBoot", "rainboots.001", "male_shoes01", "SANDALS"] {
            assert!(is_footwear(name), "{name}");
        }
        for name in ["bootcut", "Jacket", "shoelace_print", "", "trousers"] {
            assert!(!is_footwear(name), "{name}");
        }
    }

    #[test]
    fn shoes_of_a_suit_are_held_unless_parts_are_chosen() {
        let suit = "g Jacket\nf 1 2 3 4\ng Shoes\nf 5 6 7\n";
        let found = held(suit, &Choice::default()).expect("shoes");
        assert_eq!(found.choice.exclude, [PartSelector::Group("Shoes".to_owned())]);
        assert!(found.notice.contains("`Shoes` (3 vertices)") && found.notice.contains("--include 'group:*'"));
        let chosen = Choice { include: vec![PartSelector::Group("*".to_owned())], ..Choice::default() };
        assert_eq!(held(suit, &chosen), None);
    }

    #[test]
    fn shoes_are_found_by_material_and_shoes_alone_are_simulated() {
        let found = held("g suit\nusemtl wool\nf 1 2 3 4\nusemtl Boots\nf 5 6 7\n", &Choice::default()).expect("boots");
        assert_eq!(found.choice.exclude, [PartSelector::Group("Boots".to_owned())]);
        assert_eq!(held("g Shoes\nf 1 2 3 4\nf 5 6 7\n", &Choice::default()), None);
        assert_eq!(held("g Jacket\nf 1 2 3 4\n", &Choice::default()), None);
    }
}
