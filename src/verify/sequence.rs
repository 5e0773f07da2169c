//! What each file of a report is: a whole animation, or one frame of a sequence.

use std::path::Path;

use super::claim::Claim;

/// Digits that the number of a frame may have, padding included.
const MAX_DIGITS: usize = 32;

/// Places in a name at which its number may stand: more than any name of ours has.
const MAX_PLACES: usize = 64;

/// What is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// All frames, with or without a buffer beside it.
    Gltf,
    /// The buffer of a glTF: its numbers are proven with that.
    Buffer,
    /// All frames.
    Pc2,
    /// One frame; `is_named` says whether the file's name has its number, `ends_early` that later frames are missing.
    ObjFrame { index: usize, is_named: bool, ends_early: bool },
    /// Something that toile does not write.
    Unknown,
}

/// The kind of each output. Frames of a sequence follow each other, one sequence after the other.
pub(super) fn kinds(claim: &Claim) -> Vec<Kind> {
    let extension = |path: &str| Path::new(path).extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let mut kinds: Vec<Kind> = claim
        .outputs
        .iter()
        .map(|output| match extension(&output.path).as_deref() {
            Some("glb" | "gltf") => Kind::Gltf,
            Some("bin") => Kind::Buffer,
            Some("pc2") => Kind::Pc2,
            Some("obj") => Kind::ObjFrame { index: 0, is_named: false, ends_early: false },
            _ => Kind::Unknown,
        })
        .collect();
    let frames: Vec<usize> = (0..kinds.len()).filter(|&i| matches!(kinds[i], Kind::ObjFrame { .. })).collect();
    for sequence in frames.chunks(claim.frame_count()) {
        let names: Vec<&str> = sequence.iter().map(|&i| claim.outputs[i].path.as_str()).collect();
        let affixes = affixes(names[0], claim.frame_number(0));
        let fits = |index: usize, name: &str| {
            let number = claim.frame_number(index);
            affixes.iter().any(|&(before, after)| is_numbered(name, before, number, after))
        };
        for (index, (&place, name)) in sequence.iter().zip(names).enumerate() {
            let ends_early = index + 1 == sequence.len() && sequence.len() < claim.frame_count();
            kinds[place] = Kind::ObjFrame { index, is_named: fits(index, name), ends_early };
        }
    }
    kinds
}

/// What may stand before and after the number in the name of a sequence's first file.
fn affixes(name: &str, number: i64) -> Vec<(&str, &str)> {
    let start = name.rfind(['/', '\\']).map_or(0, |slash| slash + 1);
    let places = (start..name.len()).filter(|&at| name.is_char_boundary(at));
    let ends = |at: usize| {
        let most = name.len().min(at + MAX_DIGITS);
        (at + 1..=most).filter(|&end| name.is_char_boundary(end)).map(move |end| (at, end))
    };
    // Reading numbers is dear: most texts do not end like this one.
    let last = (number % 10).unsigned_abs() as u8 + b'0';
    let is_number =
        |&(at, end): &(usize, usize)| name.as_bytes()[end - 1] == last && name[at..end].parse() == Ok(number);
    places.flat_map(ends).filter(is_number).take(MAX_PLACES).map(|(at, end)| (&name[..at], &name[end..])).collect()
}

fn is_numbered(name: &str, before: &str, number: i64, after: &str) -> bool {
    let rest = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    rest.is_some_and(|digits| digits.parse() == Ok(number))
}
