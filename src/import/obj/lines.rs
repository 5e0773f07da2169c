//! Bytes -> statements: a keyword and its words, as byte spans of the file.
//!
//! Lines end with LF, CR LF or a lone CR. A `\` at the end of a line continues it (not in a comment). `#` starts a comment
//! anywhere, except in the name of a material or group (`usemtl Material #25`), where it must stand alone. Words are parted by
//! ASCII white space and by the spaces of Unicode and Latin-1 (no-break, em, ...). Bytes need not be UTF-8.

use std::ops::Range;

/// Words of one statement beyond which no more are kept: a statement so long is refused or ignored.
pub(super) const MAX_WORDS: usize = 1 << 16;

/// Bytes of a name that are kept.
const MAX_NAME_BYTES: usize = 256;

/// The next statement of the file; its words are spans of the bytes.
pub(super) struct Statements<'a> {
    bytes: &'a [u8],
    at: usize,
    next_line: u32,
    /// Physical line, from 1, on which the current statement starts.
    pub(super) line: u32,
    /// Words of the current statement, the keyword first; at most [`MAX_WORDS`].
    pub(super) words: Vec<Range<usize>>,
}

impl<'a> Statements<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Statements { bytes, at: 0, next_line: 1, line: 1, words: Vec::new() }
    }

    /// Moves to the next statement with at least one word; false at the end of the file.
    pub(super) fn advance(&mut self) -> bool {
        while self.at < self.bytes.len() {
            self.words.clear();
            self.line = self.next_line;
            self.read_line();
            if !self.words.is_empty() {
                return true;
            }
        }
        false
    }

    /// Bytes of word `index`, empty when there is none.
    pub(super) fn word(&self, index: usize) -> &'a [u8] {
        self.words.get(index).and_then(|span| self.bytes.get(span.clone())).unwrap_or_default()
    }

    /// Where that begins which follows the last `byte` of a word.
    pub(super) fn after_last(&self, word: &Range<usize>, byte: u8) -> Option<usize> {
        let place = self.bytes.get(word.clone())?.iter().rposition(|&b| b == byte)?;
        Some(word.start + place + 1)
    }

    /// All that follows the keyword, first word to last, trimmed.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest_from(1)
    }

    /// The same from word `index` on.
    pub(super) fn rest_from(&self, index: usize) -> &'a [u8] {
        match (self.words.get(index), self.words.last()) {
            (Some(first), Some(last)) => self.bytes.get(first.start..last.end).unwrap_or_default(),
            _ => &[],
        }
    }

    fn read_line(&mut self) {
        while self.at < self.bytes.len() {
            if let Some(length) = end_of_line(self.bytes, self.at) {
                self.at += length;
                self.next_line = self.next_line.saturating_add(1);
                return;
            }
            if let Some(length) = continuation(self.bytes, self.at) {
                self.at += length;
                self.next_line = self.next_line.saturating_add(1);
            } else if let Some(length) = space(self.bytes, self.at) {
                self.at += length;
            } else if self.at_comment() {
                while self.at < self.bytes.len() && end_of_line(self.bytes, self.at).is_none() {
                    self.at += 1;
                }
            } else {
                self.read_word();
            }
        }
    }

    fn read_word(&mut self) {
        let start = self.at;
        let named = self.in_name();
        while self.at < self.bytes.len()
            && end_of_line(self.bytes, self.at).is_none()
            && continuation(self.bytes, self.at).is_none()
            && space(self.bytes, self.at).is_none()
            && (named || self.bytes[self.at] != b'#')
        {
            self.at += character(self.bytes, self.at);
        }
        if self.words.len() < MAX_WORDS {
            self.words.push(start..self.at);
        }
    }

    fn at_comment(&self) -> bool {
        let alone = || {
            let next = self.at + 1;
            next >= self.bytes.len() || end_of_line(self.bytes, next).is_some() || space(self.bytes, next).is_some()
        };
        self.bytes[self.at] == b'#' && (!self.in_name() || alone())
    }

    fn in_name(&self) -> bool {
        matches!(self.word(0), b"o" | b"g" | b"usemtl" | b"mtllib" | b"newmtl")
    }
}

/// Length of the line end at `at`, if there is one.
fn end_of_line(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at..)? {
        [b'\r', b'\n', ..] => Some(2),
        [b'\r' | b'\n', ..] => Some(1),
        _ => None,
    }
}

/// Length of a backslash with the line end (or end of file) behind it.
fn continuation(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'\\') {
        return None;
    }
    if at + 1 == bytes.len() { Some(1) } else { end_of_line(bytes, at + 1).map(|length| length + 1) }
}

/// Length of the white space character at `at`, if there is one. A byte order mark counts as a space.
fn space(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at..)? {
        [b' ' | b'\t' | 0x0b | 0x0c, ..] => Some(1),
        [0..0x80, ..] => None,
        [0xc2, 0x85 | 0xa0, ..] => Some(2),
        [0xe1, 0x9a, 0x80, ..] | [0xe2, 0x81, 0x9f, ..] | [0xe3, 0x80, 0x80, ..] | [0xef, 0xbb, 0xbf, ..] => Some(3),
        [0xe2, 0x80, 0x80..=0x8b | 0xa8 | 0xa9 | 0xaf, ..] => Some(3),
        [0xa0, ..] => Some(1), // Latin-1 no-break space; words are walked by whole characters, so it is not part of one
        _ => None,
    }
}

/// Length of the UTF-8 character at `at`; 1 for what is not UTF-8.
fn character(bytes: &[u8], at: usize) -> usize {
    let length = match bytes[at] {
        0xc2..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf5 => 4,
        _ => 1,
    };
    let whole = bytes.get(at..at + length).is_some_and(|c| c[1..].iter().all(|b| b & 0xc0 == 0x80));
    if whole { length } else { 1 }
}

/// Text of a name: UTF-8, else Latin-1; cut after [`MAX_NAME_BYTES`].
pub(super) fn text(bytes: &[u8]) -> String {
    let bytes = bytes.get(..MAX_NAME_BYTES).unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&b| char::from(b)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(bytes: &[u8]) -> Vec<(u32, Vec<String>)> {
        let mut statements = Statements::new(bytes);
        let mut found = Vec::new();
        while statements.advance() {
            found.push((statements.line, statements.words.iter().map(|w| text(&bytes[w.clone()])).collect()));
        }
        found
    }

    fn line(number: u32, words: &str) -> (u32, Vec<String>) {
        (number, words.split('|').map(str::to_owned).collect())
    }

    #[test]
    fn every_kind_of_line_end_ends_a_line() {
        assert_eq!(statements(b"a\r\nb\rc\n\nd"), [line(1, "a"), line(2, "b"), line(3, "c"), line(5, "d")]);
    }

    #[test]
    fn a_backslash_continues_the_line_and_lines_are_still_counted() {
        assert_eq!(statements(b"f 1 2 \\\r\n3\\\n4\nv 1"), [line(1, "f|1|2|3|4"), line(4, "v|1")]);
        assert_eq!(statements(b"f 1 \\"), [line(1, "f|1")]);
    }

    #[test]
    fn a_comment_is_not_continued() {
        assert_eq!(statements(b"# C:\\coats\\\nv 1 # x \\\nv 2#y"), [line(2, "v|1"), line(3, "v|2")]);
    }

    #[test]
    fn a_name_may_hold_a_hash_that_does_not_stand_alone() {
        assert_eq!(statements(b"usemtl Material #25 # red"), [line(1, "usemtl|Material|#25")]);
    }

    #[test]
    fn odd_spaces_part_words_and_bytes_need_not_be_utf8() {
        assert_eq!(statements("\u{feff}g\u{a0}name\u{2003}x\u{3000}".as_bytes()), [line(1, "g|name|x")]);
        assert_eq!(statements(b"g caf\xe9 x\xa0y"), [line(1, "g|caf\u{e9}|x|y")]);
        assert_eq!(statements("g \u{420}\u{e0}".as_bytes()), [line(1, "g|\u{420}\u{e0}")]);
    }
}
