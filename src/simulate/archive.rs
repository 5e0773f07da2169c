//! What a run carries over the end of a frame, written down and read back.
//!
//! Each part of it names its fields once, for both ways: what is read is what was written, in the same order. All numbers are
//! little-endian, floats by their bits.
//!
//! What is read is not believed: lists that the cloth has are as long as the cloth says, others grow item by item as far as the
//! source goes, and an index must lie within what it is an index of.

use std::io::{self, Read, Write};

use crate::geometry::Vec3;
use crate::topology::ParticleId;

/// State could not be written or read back.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The operating system refused, or the source ended too soon.
    #[error("its state ends too soon or cannot be read")]
    Io(#[from] io::Error),
    /// What was read belongs to another scene.
    #[error("its {what} cannot be those of this scene")]
    Misfit {
        /// What does not fit.
        what: &'static str,
    },
}

/// The result of writing or reading.
pub(super) type Archived = Result<(), ArchiveError>;

/// State on its way to a sink or from a source.
pub(super) struct Archive<'a>(End<'a>);

enum End<'a> {
    Sink(&'a mut dyn Write),
    Source(&'a mut dyn Read),
}

impl<'a> Archive<'a> {
    /// Writes the state that it is given.
    pub(super) fn to(sink: &'a mut dyn Write) -> Archive<'a> {
        Archive(End::Sink(sink))
    }

    /// Replaces the state that it is given.
    pub(super) fn from(source: &'a mut dyn Read) -> Archive<'a> {
        Archive(End::Source(source))
    }

    /// Whether it reads.
    pub(super) fn is_source(&self) -> bool {
        matches!(self.0, End::Source(_))
    }

    fn raw<T: Copy, const N: usize>(
        &mut self,
        value: &mut T,
        to: fn(T) -> [u8; N],
        from: fn([u8; N]) -> T,
    ) -> Archived {
        match &mut self.0 {
            End::Sink(sink) => sink.write_all(&to(*value))?,
            End::Source(source) => {
                let mut bytes = [0; N];
                source.read_exact(&mut bytes)?;
                *value = from(bytes);
            }
        }
        Ok(())
    }

    pub(super) fn u8(&mut self, value: &mut u8) -> Archived {
        self.raw(value, u8::to_le_bytes, u8::from_le_bytes)
    }

    pub(super) fn u32(&mut self, value: &mut u32) -> Archived {
        self.raw(value, u32::to_le_bytes, u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, value: &mut u64) -> Archived {
        self.raw(value, u64::to_le_bytes, u64::from_le_bytes)
    }

    pub(super) fn i64(&mut self, value: &mut i64) -> Archived {
        self.raw(value, i64::to_le_bytes, i64::from_le_bytes)
    }

    pub(super) fn f32(&mut self, value: &mut f32) -> Archived {
        self.raw(value, f32::to_le_bytes, f32::from_le_bytes)
    }

    pub(super) fn f64(&mut self, value: &mut f64) -> Archived {
        self.raw(value, f64::to_le_bytes, f64::from_le_bytes)
    }

    pub(super) fn bool(&mut self, value: &mut bool) -> Archived {
        self.raw(value, |is| [u8::from(is)], |[byte]| byte != 0)
    }

    pub(super) fn vec3(&mut self, value: &mut Vec3) -> Archived {
        let to = |v: Vec3| {
            let mut bytes = [0; 12];
            for (place, number) in bytes.chunks_exact_mut(4).zip(v.to_array()) {
                place.copy_from_slice(&number.to_le_bytes());
            }
            bytes
        };
        let from = |bytes: [u8; 12]| {
            let number = |i: usize| f32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]);
            Vec3::new(number(0), number(4), number(8))
        };
        self.raw(value, to, from)
    }

    /// An index of one of `count` things.
    pub(super) fn index(&mut self, value: &mut u32, count: usize, what: &'static str) -> Archived {
        self.u32(value)?;
        fits((*value as usize) < count, what)
    }

    /// The same as a `usize`.
    pub(super) fn place(&mut self, value: &mut usize, count: usize, what: &'static str) -> Archived {
        let mut wide = *value as u64;
        self.u64(&mut wide)?;
        *value = usize::try_from(wide).unwrap_or(usize::MAX);
        fits(*value < count, what)
    }

    /// A particle of `count`.
    pub(super) fn particle(&mut self, value: &mut ParticleId, count: usize) -> Archived {
        self.index(&mut value.0, count, "particles")
    }

    /// A number that must be what it was.
    pub(super) fn same(&mut self, number: usize, what: &'static str) -> Archived {
        let mut found = number as u64;
        self.u64(&mut found)?;
        fits(found == number as u64, what)
    }

    /// Items of a list whose length is known.
    pub(super) fn each<T>(&mut self, items: &mut [T], mut item: impl FnMut(&mut Self, &mut T) -> Archived) -> Archived {
        items.iter_mut().try_for_each(|it| item(self, it))
    }

    /// A list of any length, of items that take a byte at least; `blank` makes one to be read into.
    pub(super) fn list<T>(
        &mut self,
        items: &mut Vec<T>,
        blank: impl Fn() -> T,
        mut item: impl FnMut(&mut Self, &mut T) -> Archived,
    ) -> Archived {
        let mut length = items.len() as u64;
        self.u64(&mut length)?;
        if !self.is_source() {
            return self.each(items, item);
        }
        items.clear();
        for _ in 0..length {
            let mut it = blank();
            item(self, &mut it)?;
            items.push(it);
        }
        Ok(())
    }

    /// A list of numbers of any length.
    pub(super) fn numbers(&mut self, numbers: &mut Vec<f32>) -> Archived {
        self.list(numbers, || 0.0, Self::f32)
    }

    /// A list of indices of `count` things.
    pub(super) fn indices(&mut self, indices: &mut Vec<u32>, count: usize, what: &'static str) -> Archived {
        self.list(indices, || 0, |archive, index| archive.index(index, count, what))
    }

    /// Frames of so many places, with so many frames if that is known.
    pub(super) fn frames(&mut self, frames: &mut Vec<Vec<Vec3>>, places: usize, count: Option<usize>) -> Archived {
        self.list(frames, Vec::new, |archive, frame| {
            // The frame's own length, so that one of no places takes a byte, too.
            archive.same(places, "frames")?;
            if archive.is_source() {
                frame.reserve_exact(places);
                for _ in 0..places {
                    let mut place = Vec3::ZERO;
                    archive.vec3(&mut place)?;
                    frame.push(place);
                }
                return fits(frame.iter().all(|place| place.is_finite()), "frames");
            }
            archive.each(frame, Self::vec3)
        })?;
        fits(count.is_none_or(|count| count == frames.len()), "frames")
    }

    /// Something that may not be there.
    pub(super) fn option<T>(
        &mut self,
        value: &mut Option<T>,
        blank: impl FnOnce() -> T,
        item: impl FnOnce(&mut Self, &mut T) -> Archived,
    ) -> Archived {
        let mut is_some = value.is_some();
        self.bool(&mut is_some)?;
        if !is_some {
            *value = None;
            return Ok(());
        }
        item(self, value.get_or_insert_with(blank))
    }

    /// Words.
    pub(super) fn words(&mut self, words: &mut String) -> Archived {
        let mut bytes = std::mem::take(words).into_bytes();
        self.list(&mut bytes, || 0, Self::u8)?;
        *words = String::from_utf8(bytes).map_err(|_| ArchiveError::Misfit { what: "words" })?;
        Ok(())
    }
}

/// Stops what is read where it cannot be true.
pub(super) fn fits(is: bool, what: &'static str) -> Archived {
    if is { Ok(()) } else { Err(ArchiveError::Misfit { what }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, Default, PartialEq)]
    struct State {
        places: Vec<Vec3>,
        frames: Vec<Vec<Vec3>>,
        numbers: Vec<f32>,
        words: String,
        limit: f64,
        found: Option<i64>,
        index: u32,
    }

    impl State {
        fn of(places: usize) -> State {
            State { places: vec![Vec3::ZERO; places], ..State::default() }
        }

        fn archive(&mut self, archive: &mut Archive<'_>) -> Archived {
            archive.each(&mut self.places, Archive::vec3)?;
            archive.frames(&mut self.frames, self.places.len(), None)?;
            archive.numbers(&mut self.numbers)?;
            archive.words(&mut self.words)?;
            archive.f64(&mut self.limit)?;
            archive.option(&mut self.found, || 0, Archive::i64)?;
            archive.index(&mut self.index, 5, "indices")
        }
    }

    fn written(mut state: State) -> Vec<u8> {
        let mut bytes = Vec::new();
        state.archive(&mut Archive::to(&mut bytes)).expect("memory takes everything");
        bytes
    }

    fn sample() -> State {
        State {
            places: vec![Vec3::new(1.0, -0.0, f32::MIN_POSITIVE), Vec3::splat(0.1)],
            frames: vec![vec![Vec3::X, Vec3::Y]; 3],
            numbers: vec![f32::INFINITY, 0.1],
            words: "caf\u{e9}".to_owned(),
            limit: f64::INFINITY,
            found: Some(-7),
            index: 4,
        }
    }

    #[test]
    fn what_is_read_is_what_was_written_to_the_bit() {
        let mut back = State { frames: vec![vec![]; 9], numbers: vec![3.0], found: None, ..State::of(2) };
        back.archive(&mut Archive::from(&mut written(sample()).as_slice())).expect("what was written");
        assert_eq!(back, sample());
        assert!(back.places[0].y.is_sign_negative());
    }

    #[test]
    fn what_ends_too_soon_or_does_not_fit_is_refused() {
        let bytes = written(sample());
        for length in 0..bytes.len() {
            let short = State::of(2).archive(&mut Archive::from(&mut &bytes[..length]));
            assert!(short.is_err(), "{length} of {} bytes", bytes.len());
        }
        let of_another_cloth = State::of(1).archive(&mut Archive::from(&mut bytes.as_slice()));
        assert!(matches!(of_another_cloth, Err(ArchiveError::Misfit { what: "frames" } | ArchiveError::Io(_))));
        let index = bytes.len() - size_of::<u32>();
        let beyond = [&bytes[..index], &5_u32.to_le_bytes()].concat();
        let outside = State::of(2).archive(&mut Archive::from(&mut beyond.as_slice()));
        assert!(matches!(outside, Err(ArchiveError::Misfit { what: "indices" })));
        let broken = State { frames: vec![vec![Vec3::NAN, Vec3::X]], ..sample() };
        assert!(State::of(2).archive(&mut Archive::from(&mut written(broken).as_slice())).is_err());
    }

    #[test]
    fn a_length_that_lies_takes_no_memory() {
        let bytes = u64::MAX.to_le_bytes();
        let mut numbers = Vec::new();
        assert!(Archive::from(&mut bytes.as_slice()).numbers(&mut numbers).is_err());
        assert!(numbers.capacity() < 64);
    }
}
