//! Buffer views under `EXT_meshopt_compression` -> their bytes.
//!
//! Written from the extension's specification (its appendices A and B): attributes in version 0 of their encoding, triangles
//! and indices in version 1, and the three filters. Every read is checked, so damaged data ends in words.

use super::element::Element;
use super::error::Faults;

/// The extension's name.
pub(super) const NAME: &str = "EXT_meshopt_compression";

/// Elements that share the two bits that say how their differences are stored.
const GROUP: usize = 16;

/// Most bytes and most elements of a block of attributes.
const BLOCK_BYTES: usize = 8192;
const BLOCK_ELEMENTS: usize = 256;

/// Bytes behind the last block of attributes, at least.
const ATTRIBUTE_TAIL: usize = 32;

/// Bytes behind the indices.
const INDEX_TAIL: usize = 4;

/// Bytes behind the data of triangles: pairs of codes that occur often.
const TRIANGLE_TAIL: usize = 16;

/// What is said of data that ends too early.
const CUT_OFF: &str = "data that ends too early";

/// How the bytes of a view are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Attributes,
    Triangles,
    Indices,
}

/// What is done with decoded elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filter {
    None,
    Octahedral,
    Quaternion,
    Exponential,
}

/// What a compressed view holds.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    mode: Mode,
    filter: Filter,
    count: usize,
    stride: usize,
}

impl Layout {
    /// The layout that the extension's object states.
    pub(super) fn of(packed: &Element<'_>, faults: &mut Faults) -> Option<Layout> {
        let mode = match packed.string("mode") {
            Some("ATTRIBUTES") => Mode::Attributes,
            Some("TRIANGLES") => Mode::Triangles,
            Some("INDICES") => Mode::Indices,
            _ => {
                faults.push(packed.place_of("mode"), "none that is known", "ATTRIBUTES, TRIANGLES or INDICES");
                return None;
            }
        };
        let filter = match packed.string("filter") {
            None | Some("NONE") => Filter::None,
            Some("OCTAHEDRAL") => Filter::Octahedral,
            Some("QUATERNION") => Filter::Quaternion,
            Some("EXPONENTIAL") => Filter::Exponential,
            Some(_) => {
                let expected = "NONE, OCTAHEDRAL, QUATERNION or EXPONENTIAL";
                faults.push(packed.place_of("filter"), "none that is known", expected);
                return None;
            }
        };
        let count = packed.integer("count", faults).unwrap_or(0);
        let stride = packed.integer("byteStride", faults).unwrap_or(0);
        let fits = match (mode, filter) {
            (Mode::Triangles, Filter::None) => matches!(stride, 2 | 4) && count.is_multiple_of(3),
            (Mode::Indices, Filter::None) => matches!(stride, 2 | 4),
            (Mode::Attributes, Filter::None | Filter::Exponential) => {
                (4..=256).contains(&stride) && stride.is_multiple_of(4)
            }
            (Mode::Attributes, Filter::Octahedral) => matches!(stride, 4 | 8),
            (Mode::Attributes, Filter::Quaternion) => stride == 8,
            _ => false,
        };
        let length = count.checked_mul(stride).and_then(|length| usize::try_from(length).ok());
        if !fits || length.is_none_or(|length| length == 0) {
            let found = format_args!("{count} elements of {stride} bytes");
            faults.push(packed.place(), found, "elements as its mode and filter have them");
            return None;
        }
        Some(Layout { mode, filter, count: count as usize, stride: stride as usize })
    }

    /// Bytes once decoded.
    pub(super) fn length(&self) -> usize {
        self.count * self.stride
    }
}

/// The bytes that `source` stands for; else what is wrong with it.
pub(super) fn decode(source: &[u8], layout: &Layout) -> Result<Vec<u8>, &'static str> {
    let mut bytes = match layout.mode {
        Mode::Attributes => attributes(source, layout)?,
        Mode::Triangles => packed(&triangles(source, layout.count)?, layout.stride)?,
        Mode::Indices => packed(&indices(source, layout.count)?, layout.stride)?,
    };
    match layout.filter {
        Filter::None => {}
        Filter::Octahedral if layout.stride == 4 => bytes.as_chunks_mut::<4>().0.iter_mut().for_each(|element| {
            *element = octahedral(element.map(|byte| i32::from(byte as i8)), 127.0).map(|number| number as u8);
        }),
        Filter::Octahedral => shorts(&mut bytes, |element| octahedral(element, 32767.0)),
        Filter::Quaternion => shorts(&mut bytes, quaternion),
        Filter::Exponential => bytes.as_chunks_mut::<4>().0.iter_mut().for_each(|word| *word = exponential(*word)),
    }
    Ok(bytes)
}

/// Data that is read from its start.
#[derive(Debug)]
struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    /// The data between the header byte, which must be `header`, and a tail of `tail` bytes; and that tail.
    fn of(source: &'a [u8], header: u8, tail: usize) -> Result<(Reader<'a>, &'a [u8]), &'static str> {
        match source.split_first() {
            None => Err("no data"),
            Some((&first, _)) if first != header => Err("data in another version of the encoding"),
            Some((_, rest)) => {
                let (bytes, tail) = rest.split_at_checked(rest.len().wrapping_sub(tail)).ok_or(CUT_OFF)?;
                Ok((Reader { bytes }, tail))
            }
        }
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], &'static str> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(CUT_OFF)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, &'static str> {
        let (&byte, rest) = self.bytes.split_first().ok_or(CUT_OFF)?;
        self.bytes = rest;
        Ok(byte)
    }

    /// Seven bits a byte, lowest first, in at most five bytes.
    fn varint(&mut self) -> Result<u32, &'static str> {
        let mut number = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            number |= u32::from(byte & 127) << shift;
            if byte < 128 {
                break;
            }
        }
        Ok(number)
    }
}

/// 0, -1, 1, -2, ...
fn unzigzag(number: u32) -> u32 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

/// Elements of bytes, of which each is stored as the difference from that of the element before.
fn attributes(source: &[u8], layout: &Layout) -> Result<Vec<u8>, &'static str> {
    let Layout { count, stride, .. } = *layout;
    let (mut reader, tail) = Reader::of(source, 0xA0, stride.max(ATTRIBUTE_TAIL))?;
    let mut previous = tail.get(tail.len() - stride..).unwrap_or_default().to_vec();
    let mut elements = vec![0; count * stride];
    let block = ((BLOCK_BYTES / stride) & !(GROUP - 1)).clamp(GROUP, BLOCK_ELEMENTS);
    for elements in elements.chunks_mut(block * stride) {
        for (byte, previous) in previous.iter_mut().enumerate() {
            let groups = (elements.len() / stride).div_ceil(GROUP);
            let codes = reader.take(groups.div_ceil(4))?;
            let differences = (0..groups).map(|group| {
                let code = codes.get(group / 4).map_or(0, |code| code >> (2 * (group % 4)) & 3);
                differences(&mut reader, code)
            });
            let mut slots = elements.iter_mut().skip(byte).step_by(stride);
            for group in differences {
                for (slot, difference) in slots.by_ref().take(GROUP).zip(group?) {
                    *previous = previous.wrapping_add((difference >> 1) ^ (difference & 1).wrapping_neg());
                    *slot = *previous;
                }
            }
        }
    }
    if reader.bytes.is_empty() { Ok(elements) } else { Err("data that goes on behind its last element") }
}

/// The differences of a group: all none, in two or four bits with what is larger behind, or in bytes.
fn differences(reader: &mut Reader<'_>, code: u8) -> Result<[u8; GROUP], &'static str> {
    let mut group = [0; GROUP];
    let bits = match code {
        0 => return Ok(group),
        1 => 2,
        2 => 4,
        _ => {
            group.copy_from_slice(reader.take(GROUP)?);
            return Ok(group);
        }
    };
    let (each, escape) = (8 / bits, (1 << bits) - 1);
    let short = reader.take(GROUP / each)?;
    let numbers = short.iter().flat_map(|&byte| (1..=each).map(move |i| byte >> (8 - i * bits) & escape));
    for (slot, number) in group.iter_mut().zip(numbers) {
        *slot = if number == escape { reader.byte()? } else { number };
    }
    Ok(group)
}

/// The last things of a kind that were met.
#[derive(Debug)]
struct Recent<T> {
    items: [T; 16],
    next: usize,
}

impl<T: Copy> Recent<T> {
    fn new(filler: T) -> Recent<T> {
        Recent { items: [filler; 16], next: 0 }
    }

    fn push(&mut self, item: T) {
        if let Some(slot) = self.items.get_mut(self.next % 16) {
            *slot = item;
        }
        self.next = (self.next + 1) % 16;
    }

    /// What was met `age` things before the last.
    fn get(&self, age: usize, filler: T) -> T {
        self.items.get((self.next + 31 - age) % 16).copied().unwrap_or(filler)
    }
}

/// Corners of triangles, which are coded by edges and corners met shortly before.
fn triangles(source: &[u8], count: usize) -> Result<Vec<u32>, &'static str> {
    let (mut reader, often) = Reader::of(source, 0xE1, TRIANGLE_TAIL)?;
    let codes = reader.take(count / 3)?;
    let mut work = Triangles {
        reader,
        edges: Recent::new((0, 0)),
        corners: Recent::new(0),
        fresh: 0,
        last: 0,
        indices: Vec::with_capacity(count),
    };
    for &code in codes {
        if code < 0xF0 {
            work.on_edge(code)?;
        } else {
            work.alone(code, often)?;
        }
    }
    if work.reader.bytes.is_empty() { Ok(work.indices) } else { Err("data that goes on behind its last triangle") }
}

/// Triangles while they are decoded.
#[derive(Debug)]
struct Triangles<'a> {
    reader: Reader<'a>,
    edges: Recent<(u32, u32)>,
    corners: Recent<u32>,
    /// The lowest index not met yet, as far as indices come in order.
    fresh: u32,
    /// The last index that was stored as a number.
    last: u32,
    indices: Vec<u32>,
}

impl Triangles<'_> {
    /// A triangle on an edge met before.
    fn on_edge(&mut self, code: u8) -> Result<(), &'static str> {
        let (a, b) = self.edges.get(usize::from(code >> 4), (0, 0));
        let corner = code & 15;
        let c = match corner {
            0 => self.next_fresh(),
            1..=12 => self.corners.get(usize::from(corner), 0),
            13 => self.stored(|last, _| Ok(last.wrapping_sub(1)))?,
            14 => self.stored(|last, _| Ok(last.wrapping_add(1)))?,
            _ => self.stored(by_difference)?,
        };
        if !(1..=12).contains(&corner) {
            self.corners.push(c);
        }
        self.indices.extend([a, b, c]);
        self.edges.push((c, b));
        self.edges.push((a, c));
        Ok(())
    }

    /// A triangle on no such edge.
    fn alone(&mut self, code: u8, often: &[u8]) -> Result<(), &'static str> {
        let is_listed = code < 0xFE;
        let pair =
            if is_listed { often.get(usize::from(code & 15)).copied().ok_or(CUT_OFF)? } else { self.reader.byte()? };
        if !is_listed && pair == 0 {
            self.fresh = 0;
        }
        // Ages are those before this triangle, so its own corners are kept until all are known.
        let first = if code == 0xFF { 15 } else { 0 };
        let nibbles = [first, pair >> 4, pair & 15];
        let mut triangle = nibbles.map(|nibble| match nibble {
            0 => self.next_fresh(),
            _ => self.corners.get(usize::from(nibble) - 1, 0),
        });
        if !is_listed {
            for (corner, &nibble) in triangle.iter_mut().zip(&nibbles) {
                if nibble == 15 {
                    *corner = self.stored(by_difference)?;
                }
            }
        }
        for (position, (&corner, &nibble)) in triangle.iter().zip(&nibbles).enumerate() {
            if position == 0 || nibble == 0 || (nibble == 15 && !is_listed) {
                self.corners.push(corner);
            }
        }
        let [a, b, c] = triangle;
        self.indices.extend(triangle);
        for edge in [(b, a), (c, b), (a, c)] {
            self.edges.push(edge);
        }
        Ok(())
    }

    fn next_fresh(&mut self) -> u32 {
        let fresh = self.fresh;
        self.fresh = fresh.wrapping_add(1);
        fresh
    }

    /// An index that follows from the last that was stored.
    fn stored(
        &mut self,
        step: impl Fn(u32, &mut Reader<'_>) -> Result<u32, &'static str>,
    ) -> Result<u32, &'static str> {
        self.last = step(self.last, &mut self.reader)?;
        Ok(self.last)
    }
}

fn by_difference(last: u32, reader: &mut Reader<'_>) -> Result<u32, &'static str> {
    Ok(last.wrapping_add(unzigzag(reader.varint()?)))
}

/// Indices, each as the difference from one of two before.
fn indices(source: &[u8], count: usize) -> Result<Vec<u32>, &'static str> {
    let (mut reader, _) = Reader::of(source, 0xD1, INDEX_TAIL)?;
    if count > reader.bytes.len() {
        return Err(CUT_OFF);
    }
    let (mut even, mut odd) = (0_u32, 0_u32);
    let mut indices = Vec::with_capacity(count);
    for _ in 0..count {
        let code = reader.varint()?;
        let last = if code & 1 == 0 { &mut even } else { &mut odd };
        *last = last.wrapping_add(unzigzag(code >> 1));
        indices.push(*last);
    }
    if reader.bytes.is_empty() { Ok(indices) } else { Err("data that goes on behind its last index") }
}

/// Indices of two or four bytes each.
fn packed(indices: &[u32], stride: usize) -> Result<Vec<u8>, &'static str> {
    if stride == 4 {
        return Ok(indices.iter().flat_map(|index| index.to_le_bytes()).collect());
    }
    let short = |&index: &u32| u16::try_from(index).map(u16::to_le_bytes);
    let shorts: Result<Vec<[u8; 2]>, _> = indices.iter().map(short).collect();
    shorts.map(|shorts| shorts.into_flattened()).map_err(|_| "an index beyond two bytes")
}

/// Does something with elements of four shorts.
fn shorts(bytes: &mut [u8], filter: impl Fn([i32; 4]) -> [i32; 4]) {
    for element in bytes.as_chunks_mut::<8>().0 {
        let [a, b, c, d, e, f, g, h] = *element;
        let numbers = [[a, b], [c, d], [e, f], [g, h]].map(|short| i32::from(i16::from_le_bytes(short)));
        let filtered = filter(numbers).map(|number| (number as i16).to_le_bytes());
        element.copy_from_slice(filtered.as_flattened());
    }
}

/// To the nearest whole number, halves away from zero.
fn round(number: f32) -> i32 {
    (number + if number >= 0.0 { 0.5 } else { -0.5 }) as i32
}

/// A direction on an octahedron -> on the sphere; the fourth number stays.
fn octahedral([x, y, one, fourth]: [i32; 4], full: f32) -> [i32; 4] {
    let (x, y) = (x as f32, y as f32);
    let z = one as f32 - x.abs() - y.abs();
    let fold = |number: f32| number + if number >= 0.0 { z.min(0.0) } else { -z.min(0.0) };
    let (x, y) = (fold(x), fold(y));
    let scale = full / (x * x + y * y + z * z).sqrt();
    [round(x * scale), round(y * scale), round(z * scale), fourth]
}

/// Three components of a quaternion, and which of the four is the largest, which follows from them.
fn quaternion([a, b, c, code]: [i32; 4]) -> [i32; 4] {
    let largest = (code & 3) as usize;
    let scale = std::f32::consts::FRAC_1_SQRT_2 / (code | 3) as f32;
    let [a, b, c] = [a, b, c].map(|number| number as f32 * scale);
    let rest = (1.0 - a * a - b * b - c * c).max(0.0).sqrt();
    let mut quaternion = [rest, a, b, c].map(|number| round(number * 32767.0));
    quaternion.rotate_right(largest);
    quaternion
}

/// A whole number of 24 bits times a power of two -> a float.
fn exponential(word: [u8; 4]) -> [u8; 4] {
    let word = u32::from_le_bytes(word);
    let (mantissa, exponent) = ((word << 8) as i32 >> 8, word as i32 >> 24);
    libm::ldexpf(mantissa as f32, exponent).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    // The data and what it stands for come from meshoptimizer 1.2's own encoder and decoder.

    fn bytes(hex: &str) -> Vec<u8> {
        let pair = |at: usize| u8::from_str_radix(hex.get(at..at + 2).unwrap_or_default(), 16).expect("digits");
        (0..hex.len()).step_by(2).map(pair).collect()
    }

    fn layout(mode: Mode, filter: Filter, count: usize, stride: usize) -> Layout {
        Layout { mode, filter, count, stride }
    }

    const TRIANGLES: &str = "e1f010ff1dfeff1fff1f1fff0eda07d50700fff0f0040203e2d403ffd7c5080202d6c50803007687566778a9866589689801\
        690000";

    fn numbers(decoded: &[u8]) -> Vec<u32> {
        decoded.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
    }

    #[test]
    fn triangles_are_those_that_were_encoded() {
        let decoded = decode(&bytes(TRIANGLES), &layout(Mode::Triangles, Filter::None, 30, 4)).unwrap();
        let corners = [
            [0, 1, 2],
            [2, 1, 3],
            [7, 500, 9],
            [9, 500, 8],
            [0, 1, 2],
            [40000, 40001, 39999],
            [39999, 40001, 70000],
            [4, 5, 6],
            [6, 5, 70001],
            [70001, 5, 69999],
        ];
        assert_eq!(numbers(&decoded), corners.as_flattened());
        let short = decode(&bytes(TRIANGLES), &layout(Mode::Triangles, Filter::None, 30, 2));
        assert_eq!(short, Err("an index beyond two bytes"));
    }

    #[test]
    fn indices_are_those_that_were_encoded() {
        let data = bytes("d10004080291030514e9fc0f0aeffc0f00000000");
        let decoded = decode(&data, &layout(Mode::Indices, Filter::None, 10, 4)).unwrap();
        assert_eq!(numbers(&decoded), [0, 1, 3, 2, 100, 101, 7, 65535, 4, 99]);
    }

    #[test]
    fn filters_give_what_the_reference_gives() {
        let cases = [
            (
                Filter::Quaternion,
                4,
                8,
                "a0013f0000006ddf3b013f0000000c1714010f000000b26f010f0000000b0e010f000000b12c010f0000000a0f\
                010f000000050400000000000000000000000000000000000000000000000000000000000000ff07",
                "000000000000ff7fcd4c0000000065660f4006c006c0fa3fc70c66e63473e22f",
            ),
            (
                Filter::Octahedral,
                4,
                4,
                "a0013f0000006ceea6013f00000092264a00013f000000fefdfe000000000000000000000000000000000000\
                0000000000000000000000007f00",
                "00007f004c66007fc44cae000081007f",
            ),
            (
                Filter::Octahedral,
                4,
                8,
                "a0013f000000dabc6a013f00000006110c013f000000db647a013b000000081900000119000000013f000000\
                fefdfe00000000000000000000000000000000000000000000000000000000ff070000",
                "00000000ff7f0000c54c6b660000ff7f97c2ca4c0dae0000000001800000ff7f",
            ),
            (
                Filter::Exponential,
                2,
                12,
                "a001300000001201300000007a0001300000002801300000002b01300000003c0001300000001f00013000\
                000010000130000000070000000000000000000000000000000000000000000000f2002000f300d8fff4",
                "000000000000803f000020c00024744900a8fb37000000be",
            ),
        ];
        for (filter, count, stride, data, expected) in cases {
            let decoded = decode(&bytes(data), &layout(Mode::Attributes, filter, count, stride));
            assert_eq!(decoded.unwrap(), bytes(expected), "{filter:?} of {stride} bytes");
        }
    }

    #[test]
    fn data_that_was_cut_is_refused_wherever_the_cut_is() {
        let (triangles, layout) = (bytes(TRIANGLES), layout(Mode::Triangles, Filter::None, 30, 4));
        for length in 0..triangles.len() {
            assert!(decode(triangles.get(..length).unwrap_or_default(), &layout).is_err(), "{length}");
        }
    }
}
