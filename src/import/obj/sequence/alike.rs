//! Later files of a sequence that say what the first one says, but for places: read without taking their faces apart again.
//!
//! ```text
//!   mtllib w_1.mtl     mtllib w_2.mtl     names and comments may differ,
//!   v 0 1 2            v 0 1.1 2          places are read,
//!   vn 0 0 1           vn 0 0.1 0.9       normals and texture coordinates do not matter to a body, nor how many they are,
//!                      vn 0 1 0
//!   f 1//1 2//1 3//1   f 1//1 2//2 3//1   faces have the same vertices
//! ```
//!
//! Whatever is not that simple is left to the thorough reader, which also says what is wrong.

use std::ops::Range;

use super::super::scan::MAX_COORDINATE;
use super::super::words::{Counts, corner, is_decimal};
use crate::geometry::Vec3;
use crate::import::ObjCorner;

/// What a line is to a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Place,
    Texcoord,
    Normal,
    /// Names and comments.
    Name,
    /// Faces.
    Face,
}

/// Lines of one kind that follow each other.
#[derive(Debug)]
struct Run {
    kind: Kind,
    lines: usize,
    /// Where they are in the file, with their ends.
    bytes: Range<usize>,
    /// What their corners refer to.
    largest: Attributes,
}

/// Numbers of texture coordinates and normals: how many there are, or the last ones that corners refer to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Attributes {
    texcoords: u32,
    normals: u32,
}

impl Attributes {
    fn of(corner: ObjCorner) -> Attributes {
        let number = |index: Option<u32>| index.map_or(0, |index| index.saturating_add(1));
        Attributes { texcoords: number(corner.texcoord), normals: number(corner.normal) }
    }

    fn max(self, other: Attributes) -> Attributes {
        Attributes { texcoords: self.texcoords.max(other.texcoords), normals: self.normals.max(other.normals) }
    }
}

/// The first file of a sequence, if it has nothing but lines that are simple.
#[derive(Debug)]
pub(super) struct Mould {
    text: Vec<u8>,
    runs: Vec<Run>,
}

impl Mould {
    pub(super) fn of(text: &[u8]) -> Option<Mould> {
        let mut runs: Vec<Run> = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let (line, next) = line_at(text, at);
            let kind = kind_of(line)?;
            let referred = if kind == Kind::Face { alike(line, line)? } else { Attributes::default() };
            match runs.last_mut().filter(|run| run.kind == kind) {
                Some(run) => {
                    (run.lines, run.bytes.end, run.largest) = (run.lines + 1, next, run.largest.max(referred));
                }
                None => runs.push(Run { kind, lines: 1, bytes: at..next, largest: referred }),
            }
            at = next;
        }
        Some(Mould { text: text.to_vec(), runs })
    }

    /// The places in another file, as it has them; none if that is not like this one.
    pub(super) fn places(&self, text: &[u8]) -> Option<Vec<Vec3>> {
        let (mut places, mut there, mut largest) = (Vec::new(), Attributes::default(), Attributes::default());
        let mut at = 0;
        for run in &self.runs {
            match run.kind {
                Kind::Place => {
                    for _ in 0..run.lines {
                        let (line, next) = line_at(text, at);
                        places.push(place(line)?);
                        at = next;
                    }
                }
                Kind::Face => {
                    let (referred, next) = self.faces(run, text, at)?;
                    (largest, at) = (largest.max(referred), next);
                }
                Kind::Texcoord | Kind::Normal | Kind::Name => {
                    let (lines, next) = lines_of(run.kind, text, at)?;
                    match run.kind {
                        Kind::Texcoord => there.texcoords += lines,
                        Kind::Normal => there.normals += lines,
                        _ => {}
                    }
                    at = next;
                }
            }
        }
        // The thorough reader says which corner refers to nothing.
        (at == text.len() && there.max(largest) == there).then_some(places)
    }

    /// What the faces of a run refer to in another file, where they begin at a place, and where they end there.
    fn faces(&self, run: &Run, text: &[u8], start: usize) -> Option<(Attributes, usize)> {
        let end = start + run.bytes.len();
        if text.get(start..end) == Some(&self.text[run.bytes.clone()]) {
            return Some((run.largest, end));
        }
        let (mut largest, mut ours, mut theirs) = (Attributes::default(), run.bytes.start, start);
        for _ in 0..run.lines {
            let ((our_line, our_next), (their_line, their_next)) = (line_at(&self.text, ours), line_at(text, theirs));
            if kind_of(their_line)? != Kind::Face {
                return None;
            }
            largest = largest.max(alike(our_line, their_line)?);
            (ours, theirs) = (our_next, their_next);
        }
        Some((largest, theirs))
    }
}

/// What the corners of a face refer to, if it has the vertices of the first.
fn alike(first: &[u8], other: &[u8]) -> Option<Attributes> {
    // What counts backwards is left to the thorough reader.
    let corner = |word: &[u8]| corner(word, Counts::default()).ok();
    let (mut ours, mut theirs) = (words_of(first), words_of(other));
    let mut largest = Attributes::default();
    loop {
        match (ours.next(), theirs.next()) {
            (Some(our), Some(their)) => {
                let (vertex, referred) = corner(their)?;
                if corner(our)?.0 != vertex {
                    return None;
                }
                largest = largest.max(Attributes::of(referred));
            }
            (None, None) => return Some(largest),
            _ => return None,
        }
    }
}

/// The words of a line behind its keyword of one letter.
fn words_of(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line[1..].split(|&byte| byte == b' ').filter(|word| !word.is_empty())
}

/// How many lines of a kind begin at a place, one behind the other, and where they end.
fn lines_of(kind: Kind, text: &[u8], mut at: usize) -> Option<(u32, usize)> {
    let mut lines = 0;
    while at < text.len() {
        let (line, next) = line_at(text, at);
        if kind_of(line)? != kind {
            break;
        }
        (lines, at) = (lines + 1, next);
    }
    Some((lines, at))
}

/// The line that begins at a place, without its end, and where the next one begins.
fn line_at(text: &[u8], at: usize) -> (&[u8], usize) {
    let rest = text.get(at..).unwrap_or_default();
    match rest.iter().position(|&byte| byte == b'\n') {
        Some(length) => (rest[..length].strip_suffix(b"\r").unwrap_or(&rest[..length]), at + length + 1),
        None => (rest, text.len()),
    }
}

/// None of what is not simple: other statements, lines that go on in the next one, lone carriage returns.
fn kind_of(line: &[u8]) -> Option<Kind> {
    let kind = match line {
        [] => return Some(Kind::Name),
        [b'v', b' ', ..] => return Some(Kind::Place), // its words are looked at when they are read
        [b'v', b't', b' ', ..] => Kind::Texcoord,
        [b'v', b'n', b' ', ..] => Kind::Normal,
        [b'f', b' ', ..] => Kind::Face,
        [b'#', ..] | [b'o' | b'g' | b's', b' ', ..] => Kind::Name,
        _ if line.starts_with(b"usemtl ") || line.starts_with(b"mtllib ") => Kind::Name,
        _ => return None,
    };
    let goes_on = line.iter().any(|byte| matches!(byte, b'\\' | b'\r'));
    (!goes_on).then_some(kind)
}

/// The three numbers of a `v` line that has nothing else.
fn place(line: &[u8]) -> Option<Vec3> {
    let mut words = line.starts_with(b"v ").then(|| words_of(line))?;
    let mut number = || {
        let word = words.next().filter(|word| is_decimal(word))?;
        let number: f32 = std::str::from_utf8(word).ok()?.parse().ok()?;
        (number.abs() <= MAX_COORDINATE).then_some(number)
    };
    let place = Vec3::new(number()?, number()?, number()?);
    words.next().is_none().then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "# one\nmtllib a_1.mtl\no a\nv 0 1 2\nv 1 0 0\r\nv 0 0 1\nvn 0 0 1\ns off\nf 1//1 2//1 3//1\n";

    fn places(first: &str, other: &str) -> Option<Vec<Vec3>> {
        Mould::of(first.as_bytes())?.places(other.as_bytes())
    }

    #[test]
    fn places_are_read_where_nothing_else_that_matters_differs() {
        let other = FIRST.replace("v 0 1 2", "v  -1.5e0 +1 .25 ").replace("a_1", "a_2").replace("vn 0 0 1", "vn 0 1 0");
        let expected = Some(vec![Vec3::new(-1.5, 1.0, 0.25), Vec3::X, Vec3::Z]);
        assert_eq!(places(FIRST, &other), expected);
        // Other normals, and corners that refer to them; other names, or none.
        let other = other.replace("vn 0 1 0\n", "vn 0 1 0\nvn 1 0 0\n").replace("2//1 3//1", "2//2  3");
        assert_eq!(places(FIRST, &other), expected);
        assert_eq!(places(FIRST, &other.replace("s off\n", "").replace("# one\n", "# one\n# two\n")), expected);
    }

    #[test]
    fn what_differs_or_is_not_simple_is_not_read() {
        for (what, by) in [
            ("f 1//1 2//1 3//1", "f 1//1 3//1 2//1"),
            ("f 1//1 2//1 3//1\n", ""),
            ("2//1", "2//2"),
            ("2//1", "2/1/1"),
            ("2//1", "2//-1"),
            ("2//1", "2//1/1"),
            ("2//1", "2//x"),
            ("vn 0 0 1\n", ""),
            (" 3//1", ""),
            ("3//1\n", "3//1\nf 1 2 3\n"),
            ("v 0 1 2", "v 0 1 nan"),
            ("v 0 1 2", "v 0 1 2e9"),
            ("v 0 1 2", "v 0 1"),
            ("v 0 1 2", "v 0 1 2 0.5 0.5 0.5"),
            ("v 0 1 2", "v 0 1 2 # here"),
            ("v 0 1 2", "v 0 1 \\\n2"),
            ("v 0 1 2\n", ""),
            ("v 0 1 2\n", "v 0 1 2\nv 0 1 2\n"),
            ("# one\n", "# one\rv 1 1 1\n"),
            ("o a", "o a\\"),
            ("s off", " v 0 0 0"),
            ("s off\n", "l 1 2\n"),
        ] {
            let other = FIRST.replacen(what, by, 1);
            assert_ne!(other, FIRST);
            assert_eq!(places(FIRST, &other), None, "{by}");
        }
    }

    #[test]
    fn a_first_file_that_is_not_simple_is_no_mould() {
        for line in ["\tv 0 0 0", "f 1 2 \\", "vp 1", "v\u{a0}1 1 1", "usemtl\ta", "f\u{b}1 2 3"] {
            assert!(Mould::of(format!("{FIRST}{line}\n").as_bytes()).is_none(), "{line}");
        }
    }
}
