//! Buffers and buffer views, loaded when an accessor needs them and checked against the bytes there are.

use std::borrow::Cow;

use super::element::Element;
use super::error::Faults;
use super::meshopt;
use super::resource::Resources;

/// A checked range of a buffer's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct View {
    /// Index of the buffer, which is loaded.
    pub(super) buffer: usize,
    /// First byte.
    pub(super) start: usize,
    /// Number of bytes.
    pub(super) length: usize,
    /// Bytes from one element to the next, if given.
    pub(super) stride: Option<usize>,
}

/// The buffers of a document.
#[derive(Debug)]
pub(super) struct Buffers<'a> {
    binary: Option<&'a [u8]>,
    resources: Resources<'a>,
    /// Per buffer of the document: not asked for yet, or its bytes, or nothing because it is faulty. Then those decompressed.
    loaded: Vec<Option<Option<Cow<'a, [u8]>>>>,
    views: Vec<Option<Option<View>>>,
}

impl<'a> Buffers<'a> {
    /// The `count` buffers of a document with this binary chunk.
    pub(super) fn new(count: usize, binary: Option<&'a [u8]>, resources: Resources<'a>) -> Buffers<'a> {
        Buffers { binary, resources, loaded: vec![None; count], views: Vec::new() }
    }

    /// One more buffer, behind those of the document, with bytes that were decompressed: its index.
    pub(super) fn add(&mut self, bytes: Vec<u8>) -> usize {
        self.loaded.push(Some(Some(Cow::Owned(bytes))));
        self.loaded.len() - 1
    }

    /// For the images, which share the limit on outside data.
    pub(super) fn resources(&mut self) -> &mut Resources<'a> {
        &mut self.resources
    }

    /// Bytes of a view or of a part of it; empty if it is not loaded.
    pub(super) fn bytes(&self, buffer: usize, start: usize, length: usize) -> &[u8] {
        let whole = self.loaded.get(buffer).and_then(Option::as_ref).and_then(Option::as_deref).unwrap_or_default();
        start.checked_add(length).and_then(|end| whole.get(start..end)).unwrap_or_default()
    }

    /// Bytes of a whole view.
    pub(super) fn bytes_of(&self, view: View) -> &[u8] {
        self.bytes(view.buffer, view.start, view.length)
    }

    /// The view that `user` has to name.
    pub(super) fn view_of(&mut self, document: &Element<'_>, user: &Element<'_>, faults: &mut Faults) -> Option<View> {
        let views = document.array("bufferViews", faults).len();
        let Some(index) = user.index("bufferView", "buffer views", views, faults) else {
            faults.push(user.place_of("bufferView"), "no usable index", "the index of a buffer view");
            return None;
        };
        self.view(document, index, faults)
    }

    /// View `index` of the document; a fault is noted once.
    pub(super) fn view(&mut self, document: &Element<'_>, index: usize, faults: &mut Faults) -> Option<View> {
        if let Some(Some(known)) = self.views.get(index) {
            return *known;
        }
        let view = self.check_view(document, index, faults);
        if self.views.len() <= index {
            self.views.resize(index + 1, None);
        }
        if let Some(slot) = self.views.get_mut(index) {
            *slot = Some(view);
        }
        view
    }

    fn check_view(&mut self, document: &Element<'_>, index: usize, faults: &mut Faults) -> Option<View> {
        let view = document.item("bufferViews", index, faults)?;
        let range = match view.extension(meshopt::NAME, faults) {
            Some(packed) => self.decompress(document, &packed, faults)?,
            None => self.range(document, &view, faults)?,
        };
        let stride = view.integer("byteStride", faults);
        if let Some(stride) = stride.filter(|stride| !(4..=252).contains(stride) || stride % 4 != 0) {
            faults.push(view.place_of("byteStride"), stride, "a multiple of 4 from 4 to 252");
            return None;
        }
        Some(View { stride: stride.map(|stride| stride as usize), ..range })
    }

    /// The part of a buffer that `element` names.
    fn range(&mut self, document: &Element<'_>, element: &Element<'_>, faults: &mut Faults) -> Option<View> {
        let buffers = document.array("buffers", faults).len();
        let Some(buffer) = element.index("buffer", "buffers", buffers, faults) else {
            faults.push(element.place_of("buffer"), "no usable index", "the index of a buffer");
            return None;
        };
        let available = self.load(document, buffer, faults)?;
        let start = element.integer("byteOffset", faults).unwrap_or(0);
        let length = element.integer("byteLength", faults).unwrap_or(0);
        if length == 0 || start.checked_add(length).is_none_or(|end| end > available as u64) {
            let found = format_args!("bytes {start} + {length}");
            faults.push(element.place(), found, format_args!("a part of the {available} bytes of buffers[{buffer}]"));
            return None;
        }
        Some(View { buffer, start: start as usize, length: length as usize, stride: None })
    }

    /// What the view with extension `packed` holds, in a buffer of its own.
    fn decompress(&mut self, document: &Element<'_>, packed: &Element<'_>, faults: &mut Faults) -> Option<View> {
        let layout = meshopt::Layout::of(packed, faults)?;
        let source = self.range(document, packed, faults)?;
        if let Err(error) = self.resources.charge(layout.length()) {
            faults.push(packed.place(), error, "less");
            return None;
        }
        match meshopt::decode(self.bytes_of(source), &layout) {
            Ok(bytes) => Some(View { buffer: self.add(bytes), start: 0, length: layout.length(), stride: None }),
            Err(found) => {
                faults.push(packed.place(), found, "data that decodes: export the file again");
                None
            }
        }
    }

    /// Makes the bytes of a buffer available; their number.
    fn load(&mut self, document: &Element<'_>, index: usize, faults: &mut Faults) -> Option<usize> {
        if !matches!(self.loaded.get(index), Some(Some(_))) {
            let bytes = self.read(document, index, faults);
            if let Some(slot) = self.loaded.get_mut(index) {
                *slot = Some(bytes);
            }
        }
        self.loaded.get(index)?.as_ref()?.as_ref().map(|bytes| bytes.len())
    }

    fn read(&mut self, document: &Element<'_>, index: usize, faults: &mut Faults) -> Option<Cow<'a, [u8]>> {
        let buffer = document.item("buffers", index, faults)?;
        let bytes = match (buffer.get("uri"), self.binary) {
            (Some(uri), _) => match self.resources.read(uri.as_str().unwrap_or_default()) {
                Ok(bytes) => Cow::Owned(bytes),
                Err(error) => {
                    faults.push(buffer.place_of("uri"), error, "base64 data or a file beneath the glTF file's folder");
                    return None;
                }
            },
            (None, Some(binary)) if index == 0 => Cow::Borrowed(binary),
            (None, _) => {
                let expected =
                    "its bytes; if this is the JSON of a GLB alone, give the GLB, else export the file again";
                faults.push(buffer.place(), "no data (no uri, and no binary chunk for it)", expected);
                return None;
            }
        };
        let declared = buffer.integer("byteLength", faults).unwrap_or(bytes.len() as u64);
        if declared > bytes.len() as u64 {
            let found = format_args!("{declared} declared, but {} present", bytes.len());
            faults.push(buffer.place_of("byteLength"), found, "as many bytes as declared (is the file cut off?)");
            return None;
        }
        Some(bytes)
    }
}
