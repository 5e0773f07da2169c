//! Later files of a sequence that say what the first one says, but for places: read without taking their faces apart again.
//!
//! ```text
//!   mtllib w_1.mtl     mtllib w_2.mtl     names and comments may differ,
//!   v 0 1 2            v 0 1.1 2          places are read,
//!   vn 0 0 1           vn 0 0.1 0.9       normals and texture coordinates do not matter to a body,
//!   f 1//1 2//2 3//3   f 1//1 2//2 3//3   faces are the same byte for byte
//! ```
//!
//! Whatever is not that simple is left to the thorough reader, which also says what is wrong.

use std::ops::Range;

use super::super::scan::MAX_COORDINATE;
use super::super::words::is_decimal;
use crate::geometry::Vec3;

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
            match runs.last_mut().filter(|run| run.kind == kind) {
                Some(run) => (run.lines, run.bytes.end) = (run.lines + 1, next),
                None => runs.push(Run { kind, lines: 1, bytes: at..next }),
            }
            at = next;
        }
        Some(Mould { text: text.to_vec(), runs })
    }

    /// The places in another file, as it has them; none if that is not like this one.
    pub(super) fn places(&self, text: &[u8]) -> Option<Vec<Vec3>> {
        let mut places = Vec::new();
        let mut at = 0;
        for Run { kind, lines, bytes } in &self.runs {
            if *kind == Kind::Face {
                let end = at + bytes.len();
                if text.get(at..end)? != &self.text[bytes.clone()] {
                    return None;
                }
                at = end;
                continue;
            }
            for _ in 0..*lines {
                let (line, next) = line_at(text, at);
                if kind_of(line)? != *kind {
                    return None;
                }
                if *kind == Kind::Place {
                    places.push(place(line)?);
                }
                at = next;
            }
        }
        (at == text.len()).then_some(places)
    }
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
        [b'v', b' ', ..] => return Some(Kind::Place), // its words are looked at as they are read
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
    let mut words = line[1..].split(|&byte| byte == b' ').filter(|word| !word.is_empty());
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
        let found = places(FIRST, &other).expect("it is alike");
        assert_eq!(found, [Vec3::new(-1.5, 1.0, 0.25), Vec3::X, Vec3::Z]);
    }

    #[test]
    fn what_differs_or_is_not_simple_is_not_read() {
        for (what, by) in [
            ("f 1//1 2//1 3//1", "f 1//1 3//1 2//1"),
            ("f 1//1 2//1 3//1\n", ""),
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
