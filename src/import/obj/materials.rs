//! Colours of materials from MTL libraries.

use std::collections::HashMap;

use super::lines::{Statements, text};
use super::words::is_decimal;
use crate::import::Material;

/// Fills in `Kd` of the materials that `library` defines and that have no colour yet. Whatever else it holds is passed over:
/// the crate `obj` would refuse the whole library for one bad line and cut names at spaces.
pub(super) fn fill_colours(materials: &mut [Material], library: &[u8]) {
    let mut statements = Statements::new(library);
    let without = materials.iter().enumerate().filter(|(_, m)| m.base_colour.is_none());
    let mut wanted: HashMap<String, usize> = without.map(|(i, m)| (m.name.clone(), i)).collect();
    let mut current: Option<usize> = None;
    while statements.advance() {
        match statements.word(0) {
            b"newmtl" => current = wanted.remove(&text(statements.rest())),
            b"Kd" => {
                if let Some(material) = current.and_then(|i| materials.get_mut(i)) {
                    material.base_colour = colour(&statements);
                }
            }
            _ => {}
        }
    }
}

/// Red, green, blue in [0, 1]; a single number is a grey.
fn colour(statements: &Statements) -> Option<[f32; 3]> {
    let component = |i| {
        let word = statements.word(i);
        let number: f32 = std::str::from_utf8(word).ok().filter(|_| is_decimal(word))?.parse().ok()?;
        Some(number.clamp(0.0, 1.0))
    };
    let red = component(1)?;
    Some([red, component(2).unwrap_or(red), component(3).unwrap_or(red)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diffuse_colours_are_found_by_name() {
        let mut materials = ["red silk", "grey", "none"].map(|name| Material { name: name.into(), base_colour: None });
        fill_colours(
            &mut materials,
            b"Kd 1 1 1\nnewmtl red silk\r\nNs x\nKd 0.5 .25 2\nnewmtl grey\nKd 0.5\nnewmtl other\nKd 1 0 0",
        );
        assert_eq!(materials[0].base_colour, Some([0.5, 0.25, 1.0]));
        assert_eq!(materials[1].base_colour, Some([0.5; 3]));
        assert_eq!(materials[2].base_colour, None);
    }
}
