//! Files with a few things wrong: bytes flipped, pieces cut, doubled and swapped, numbers of their JSON made extreme.

use serde_json::{Value, json};

use super::glb::{glb, taken_apart};

/// Makes mutated files, the same ones each time.
pub(crate) struct Mutator {
    state: u64,
}

impl Mutator {
    pub(crate) fn new(seed: u64) -> Mutator {
        Mutator { state: seed }
    }

    /// A number below `below` (xorshift64*, Vigna 2016).
    fn below(&mut self, below: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % below.max(1)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// One of `seeds` with one to four changes.
    pub(crate) fn mutated(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = self.pick(seeds).clone();
        for _ in 0..=self.below(4) {
            let structured = self.below(3) > 0;
            match taken_apart(&bytes) {
                Some((document, binary)) if structured => bytes = self.of_document(document, binary, &bytes),
                _ => self.change_bytes(&mut bytes),
            }
        }
        bytes
    }

    fn of_document(&mut self, mut document: Value, mut binary: Vec<u8>, was: &[u8]) -> Vec<u8> {
        if self.below(4) == 0 && !binary.is_empty() {
            self.change_floats(&mut binary);
        } else {
            self.change_value(&mut document);
        }
        if was.starts_with(b"glTF") { glb(&document, &binary) } else { document.to_string().into_bytes() }
    }

    /// Puts an extreme number into one word.
    fn change_floats(&mut self, binary: &mut [u8]) {
        const NUMBERS: [f32; 12] =
            [f32::NAN, f32::INFINITY, f32::MAX, f32::MIN, f32::MIN_POSITIVE, 1e-45, -0.0, 1e9, -1e15, 1e30, 0.0, 1.0];
        let at = self.below(binary.len() / 4) * 4;
        let number = *self.pick(&NUMBERS);
        binary.iter_mut().skip(at).zip(number.to_le_bytes()).for_each(|(slot, byte)| *slot = byte);
    }

    /// Replaces, removes or doubles a value somewhere in the document.
    fn change_value(&mut self, value: &mut Value) {
        let here = self.below(4) == 0;
        match value {
            Value::Object(object) if !object.is_empty() && !here => {
                let key = self.pick(&object.keys().cloned().collect::<Vec<_>>()).clone();
                match self.below(12) {
                    0 => drop(object.remove(&key)),
                    _ => object.get_mut(&key).into_iter().for_each(|inner| self.change_value(inner)),
                }
            }
            Value::Array(items) if !items.is_empty() && !here => {
                let index = self.below(items.len());
                match self.below(16) {
                    0 => drop(items.remove(index)),
                    1 => items.push(items[index].clone()),
                    2 => items.swap(index, 0),
                    _ => self.change_value(&mut items[index]),
                }
            }
            Value::Object(_) | Value::Array(_) if self.below(8) > 0 => {}
            Value::Number(number) if self.below(3) == 0 => {
                let step = [-1, 1, 2, 4][self.below(4)];
                *value = json!(number.as_i64().unwrap_or(0).saturating_add(step));
            }
            other => *other = self.extreme(),
        }
    }

    fn extreme(&mut self) -> Value {
        let values = [
            json!(null),
            json!(-1),
            json!(0),
            json!(1),
            json!(2),
            json!(i32::MAX),
            json!(u32::MAX),
            json!(1_u64 << 53),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(0.5),
            json!(1e308),
            json!(-1e30),
            json!(1e-300),
            json!(3.0e38),
            json!(true),
            json!("2"),
            json!("\u{1b}[2J\n\u{202e}</script>"),
            json!([]),
            json!({}),
            json!([0, 0, 0]),
            json!([[], {}, null]),
        ];
        self.pick(&values).clone()
    }

    /// Changes some bytes of whatever it is.
    fn change_bytes(&mut self, bytes: &mut Vec<u8>) {
        const WORDS: [&[u8]; 22] = [
            b"nan",
            b"1e39",
            b"-1",
            b"0",
            b"99999999999",
            b"/",
            b"//",
            b"\\\n",
            b"\n",
            b"\r",
            b" ",
            b"\0",
            b"\xc2\xa0",
            b"\xff",
            b"\xef\xbb\xbf",
            b"f ",
            b"v ",
            b"g",
            b"#",
            b"\"",
            b"[[[[",
            b"1e308",
        ];
        if bytes.is_empty() {
            return;
        }
        let (at, other) = (self.below(bytes.len()), self.below(bytes.len()));
        let length = 1 + self.below(16);
        match self.below(6) {
            0 => bytes[at] = self.below(256) as u8,
            1 => bytes[at] ^= 1 << self.below(8),
            2 => bytes.truncate(at),
            3 => drop(bytes.splice(at..at, self.pick(&WORDS).iter().copied())),
            4 => drop(bytes.drain(at..(at + length).min(bytes.len()))),
            _ => {
                let piece: Vec<u8> = bytes.iter().skip(other).take(length).copied().collect();
                drop(bytes.splice(at..at, piece));
            }
        }
    }
}
