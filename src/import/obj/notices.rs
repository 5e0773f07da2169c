//! What was odd but could be read.

use std::collections::BTreeMap;

use crate::import::plain_words::quoted;

/// Kinds of unknown statements that are told apart.
const MAX_KINDS: usize = 10;

/// First line and number of something.
type Seen = Option<(u32, usize)>;

/// Oddities of one file, each kind with its first line and count.
#[derive(Debug, Default)]
pub(super) struct Notices {
    unknown: BTreeMap<Vec<u8>, (u32, usize)>,
    other_kinds: Seen,
    dropped_faces: Seen,
    bad_texcoords: Seen,
    bad_normals: Seen,
}

impl Notices {
    pub(super) fn unknown(&mut self, line: u32, keyword: &[u8]) {
        if let Some((_, count)) = self.unknown.get_mut(keyword) {
            *count += 1;
        } else if self.unknown.len() < MAX_KINDS {
            self.unknown.insert(keyword.to_vec(), (line, 1));
        } else {
            see(&mut self.other_kinds, line);
        }
    }

    pub(super) fn dropped_face(&mut self, line: u32) {
        see(&mut self.dropped_faces, line);
    }

    pub(super) fn bad_texcoord(&mut self, line: u32) {
        see(&mut self.bad_texcoords, line);
    }

    pub(super) fn bad_normal(&mut self, line: u32) {
        see(&mut self.bad_normals, line);
    }

    /// Faces left out.
    pub(super) fn dropped_faces(&self) -> usize {
        self.dropped_faces.map_or(0, |(_, count)| count)
    }

    /// All notices in plain words.
    pub(super) fn into_words(self, name: &str) -> Vec<String> {
        let mut kinds: Vec<_> = self.unknown.into_iter().map(|(keyword, seen)| (seen, quoted(&keyword))).collect();
        kinds.sort();
        let unknown = kinds
            .into_iter()
            .map(|(seen, word)| (Some(seen), format!("{word} is passed over: toile has no use for it")));
        let fixed = [
            (self.other_kinds, "further words that OBJ does not know are left out"),
            (self.dropped_faces, "a face with fewer than three different corners is left out"),
            (self.bad_texcoords, "a texture coordinate that is no finite number counts as 0"),
            (self.bad_normals, "a normal that is no finite number is left out"),
        ];
        let all = unknown.chain(fixed.into_iter().map(|(seen, what)| (seen, what.to_owned())));
        all.filter_map(|(seen, what)| seen.map(|(line, count)| words(name, line, count, &what))).collect()
    }
}

fn see(seen: &mut Seen, line: u32) {
    seen.get_or_insert((line, 0)).1 += 1;
}

fn words(name: &str, line: u32, count: usize, what: &str) -> String {
    let more = if count > 1 { format!(" ({count} such lines)") } else { String::new() };
    format!("{name}.obj: line {line}: {what}{more}")
}
