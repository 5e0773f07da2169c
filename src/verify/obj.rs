//! The vertices of an OBJ file, read again, a line at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::claim::Claim;
use super::fault::Fault;
use super::positions::{Numbers, Positions};
use super::{Findings, Search, VerifyError};

/// Bytes of a line that are kept. Longer ones are faces; no vertex takes as many.
const KEPT: usize = 1 << 16;
/// Vertices between two looks at whether the user wants to stop.
const LOOK: u64 = 1 << 16;

/// Compares frame `index`, which is in the file at `path`. `running` has the frames before it.
pub(super) fn check<'a>(
    claim: &'a Claim,
    index: usize,
    path: &Path,
    running: &mut Option<Positions<'a>>,
    search: &Search<'_>,
    findings: &mut Findings,
) -> Result<(), VerifyError> {
    let is_next = running.as_ref().is_some_and(|positions| positions.index() == index);
    let mut positions = match running.take() {
        Some(positions) if is_next => positions,
        _ => Positions::starting_at(claim, Numbers::Double, index),
    };
    findings.tolerance = Some(positions.tolerance());
    let file = File::open(path).map_err(VerifyError::io(path))?;
    let length = file.metadata().map_err(VerifyError::io(path))?.len();
    let file = file.take(length);
    let mut lines = Lines { reader: BufReader::with_capacity(1 << 18, file), line: 0, number: 1, ends_in_cr: false };
    let mut text = Vec::new();
    let mut vertex = 0;
    while lines.next(&mut text).map_err(VerifyError::io(path))? {
        let Some(words) = vertex_words(&text) else { continue };
        if vertex % LOOK == 0 {
            search.check_interrupt()?;
        }
        match numbers(words, claim) {
            Some(position) => positions.push(position, &mut findings.faults),
            None => {
                let frame = claim.frame_number(index);
                findings.faults.push(Fault::NotANumber { frame, vertex, line: lines.line });
                positions.skip();
            }
        }
        vertex += 1;
    }
    positions.end_frame(&mut findings.faults);
    findings.frames = 1;
    if positions.index() == claim.frame_count() {
        positions.end(&mut findings.faults);
    } else {
        *running = Some(positions);
    }
    Ok(())
}

/// What follows `v` in the text of a line; none if it is another line.
fn vertex_words(line: &[u8]) -> Option<&[u8]> {
    let start = line.iter().position(|&byte| !is_space(byte))?;
    let words = line[start..].strip_prefix(b"v")?;
    words.first().is_none_or(|&byte| is_space(byte)).then_some(words)
}

/// The first three numbers.
fn numbers(words: &[u8], claim: &Claim) -> Option<[f64; 3]> {
    let end = words.iter().position(|&byte| byte == b'#').unwrap_or(words.len());
    let mut words = words[..end].split(|&byte| is_space(byte)).filter(|word| !word.is_empty());
    // The shortest text of an `f32` is not the same number as an `f64`.
    let is_single = claim.coordinates.origin_m == [0.0; 3];
    let mut number = || {
        let word = std::str::from_utf8(words.next()?).ok()?;
        if is_single { word.parse::<f32>().ok().map(f64::from) } else { word.parse().ok() }
    };
    Some([number()?, number()?, number()?])
}

/// White space, and the bytes of wider spaces and marks: numbers have none of them.
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b || byte >= 0x80
}

/// Lines of a file, continued ones as one.
struct Lines<R> {
    reader: R,
    /// Number of the line that was read last, from 1.
    line: u64,
    /// Number of the next.
    number: u64,
    /// Whether the last line ended with a carriage return: a line feed behind it belongs to it.
    ends_in_cr: bool,
}

impl<R: BufRead> Lines<R> {
    /// Reads the next line into `text`, at most [`KEPT`] bytes of it; false at the end.
    fn next(&mut self, text: &mut Vec<u8>) -> io::Result<bool> {
        text.clear();
        self.line = self.number;
        let mut is_begun = false;
        while self.read_physical(text)? {
            is_begun = true;
            if !is_continued(text) {
                return Ok(true);
            }
            text.pop();
            text.push(b' ');
        }
        Ok(is_begun)
    }

    /// Appends what stands before the next line end; false at the end of the file.
    fn read_physical(&mut self, text: &mut Vec<u8>) -> io::Result<bool> {
        let mut is_begun = false;
        loop {
            let bytes = self.reader.fill_buf()?;
            if bytes.is_empty() {
                return Ok(is_begun);
            }
            if std::mem::take(&mut self.ends_in_cr) && bytes[0] == b'\n' {
                self.reader.consume(1);
                continue;
            }
            is_begun = true;
            let end = bytes.iter().position(|&byte| byte == b'\n' || byte == b'\r');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            let room = KEPT - text.len().min(KEPT);
            text.extend(&part[..part.len().min(room)]);
            let Some(end) = end else {
                let count = bytes.len();
                self.reader.consume(count);
                continue;
            };
            self.ends_in_cr = bytes[end] == b'\r';
            self.reader.consume(end + 1);
            self.number += 1;
            return Ok(true);
        }
    }
}

/// Whether the next line belongs to this one. Comments are not continued.
fn is_continued(text: &[u8]) -> bool {
    text.last() == Some(&b'\\') && text.len() < KEPT && !has_comment(text)
}

/// Whether a line has a comment: names of materials and groups may hold a `#` that does not stand alone.
fn has_comment(text: &[u8]) -> bool {
    let mut words = text.split(|&byte| is_space(byte)).filter(|word| !word.is_empty());
    let is_name = matches!(words.next(), Some(b"o" | b"g" | b"usemtl" | b"mtllib" | b"newmtl"));
    if is_name { words.any(|word| word == b"#") } else { text.contains(&b'#') }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_are_found_in_any_line_form() {
        let text =
            "\u{feff}v 1 2 3\r\nvt 0 0\rv\t4\u{a0}5 6 # 7\n# v 8 8 8 \\\n  v \\\r\n 9 10 \\\n 11 1.0\nvn 1 1 1\nv";
        let mut lines = Lines { reader: text.as_bytes(), line: 0, number: 1, ends_in_cr: false };
        let (mut line, mut found) = (Vec::new(), Vec::new());
        while lines.next(&mut line).unwrap() {
            if let Some(words) = vertex_words(&line) {
                found.push((
                    lines.line,
                    String::from_utf8_lossy(words).split_whitespace().collect::<Vec<_>>().join(" "),
                ));
            }
        }
        let expected = [(1, "1 2 3"), (3, "4 5 6 # 7"), (5, "9 10 11 1.0"), (9, "")];
        assert_eq!(found, expected.map(|(line, words)| (line, words.to_owned())));
    }
}
