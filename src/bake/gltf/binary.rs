//! The binary buffer: lengths are known when the document is planned, bytes are made when they are written.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use rayon::prelude::*;

use super::super::{Bake, BakeError};

/// Pieces made at a time, in parallel. More use the cores better and hold more frames in memory.
const BATCH: usize = 16;

/// The pieces of the buffer, one a buffer view, each padded to four bytes.
#[derive(Default)]
pub(crate) struct Binary<'a> {
    pieces: Vec<Piece<'a>>,
    length: u64,
}

struct Piece<'a> {
    content: Content<'a>,
    length: usize,
}

/// Bytes of a buffer view.
pub(super) enum Content<'a> {
    /// At hand.
    Ready(Cow<'a, [u8]>),
    /// To be made when they are written.
    Made(Box<dyn Fn() -> Vec<u8> + Send + Sync + 'a>),
}

impl<'a> Binary<'a> {
    /// Appends a piece of `length` bytes and returns its offset.
    pub(super) fn push(&mut self, length: usize, content: Content<'a>) -> u64 {
        let offset = self.length;
        self.length += length.next_multiple_of(4) as u64;
        self.pieces.push(Piece { content, length });
        offset
    }

    /// Length of all pieces with their padding.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Makes and writes all pieces.
    pub(super) fn write(&self, bake: &Bake<'_>, path: &Path, sink: &mut dyn Write) -> Result<(), BakeError> {
        for batch in self.pieces.chunks(BATCH) {
            bake.check_interrupt()?;
            let made: Vec<Cow<'_, [u8]>> = batch.par_iter().map(Piece::bytes).collect();
            for bytes in made {
                let padding = &[0; 3][..bytes.len().next_multiple_of(4) - bytes.len()];
                sink.write_all(&bytes)
                    .and_then(|()| sink.write_all(padding))
                    .map_err(BakeError::io(path, "write it"))?;
            }
        }
        Ok(())
    }
}

impl Piece<'_> {
    fn bytes(&self) -> Cow<'_, [u8]> {
        let bytes = match &self.content {
            Content::Ready(bytes) => Cow::Borrowed(&**bytes),
            Content::Made(make) => Cow::Owned(make()),
        };
        debug_assert_eq!(bytes.len(), self.length, "a buffer view has the length the document says");
        bytes
    }
}
