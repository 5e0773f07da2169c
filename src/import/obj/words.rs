//! Single words of a statement: numbers and face corners.

use super::error::{Element, ObjFault};
use crate::import::ObjCorner;

/// Whether `word` is a decimal number as OBJ writes them (`-1.5e-3`, `.5`, `1.`): what `f32::from_str` reads, without
/// `nan` and `inf`.
pub(super) fn is_decimal(word: &[u8]) -> bool {
    let unsigned = |w: &[u8]| w.strip_prefix(b"-").or(w.strip_prefix(b"+")).map_or(w.len(), <[u8]>::len);
    let word = &word[word.len() - unsigned(word)..];
    let (mantissa, exponent) = match word.iter().position(|b| b.eq_ignore_ascii_case(&b'e')) {
        Some(e) => (&word[..e], Some(&word[e + 1..])),
        None => (word, None),
    };
    let digits = mantissa.iter().filter(|b| b.is_ascii_digit()).count();
    let dots = mantissa.iter().filter(|&&b| b == b'.').count();
    let exponent_is_whole = exponent.is_none_or(|e| {
        let e = &e[e.len() - unsigned(e)..];
        !e.is_empty() && e.iter().all(u8::is_ascii_digit)
    });
    digits > 0 && dots <= 1 && digits + dots == mantissa.len() && exponent_is_whole
}

/// How many elements of each kind stand above a line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) vertices: usize,
    pub(super) texcoords: usize,
    pub(super) normals: usize,
}

impl Counts {
    pub(super) fn of(self, element: Element) -> usize {
        match element {
            Element::Vertex => self.vertices,
            Element::Texcoord => self.texcoords,
            Element::Normal => self.normals,
        }
    }
}

/// A face corner with indices from 0. Positive ones may still lie beyond the end of the file.
pub(super) fn corner(word: &[u8], above: Counts) -> Result<(u32, ObjCorner), ObjFault> {
    let mut parts = word.split(|&b| b == b'/');
    let mut next = |element| match parts.next() {
        None | Some([]) => Ok(None),
        Some(part) => index(part, element, above.of(element)).map(Some),
    };
    let bad = || ObjFault::NotACorner { word: word.to_vec() };
    let blame_word = |fault| if matches!(fault, ObjFault::NotACorner { .. }) { bad() } else { fault };
    let vertex = next(Element::Vertex).map_err(blame_word)?.ok_or_else(bad)?;
    let texcoord = next(Element::Texcoord).map_err(blame_word)?;
    let normal = next(Element::Normal).map_err(blame_word)?;
    if parts.next().is_some() {
        return Err(bad());
    }
    Ok((vertex, ObjCorner { texcoord, normal }))
}

fn index(part: &[u8], element: Element, above: usize) -> Result<u32, ObjFault> {
    let number: Option<i64> = std::str::from_utf8(part).ok().and_then(|text| text.parse().ok());
    match number {
        None => Err(ObjFault::NotACorner { word: part.to_vec() }),
        Some(0) => Err(ObjFault::ZeroIndex { element }),
        Some(index @ 1..) => u32::try_from(index - 1).map_err(|_| ObjFault::BeyondEnd { element, index, count: above }),
        Some(index) => i64::try_from(above)
            .ok()
            .and_then(|above| above.checked_add(index))
            .and_then(|index| u32::try_from(index).ok())
            .ok_or(ObjFault::BeforeStart { element, index, count: above }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_numbers_are_what_the_standard_library_reads() {
        for word in ["0", "-1.5", "+.5", "1.", "1e5", "1E+5", "-2.e-3", "1e39"] {
            assert!(is_decimal(word.as_bytes()) && word.parse::<f32>().is_ok(), "{word}");
        }
        for word in ["", "-", ".", "e5", "1e", "1e+", "nan", "inf", "1,5", "0x1", "1.2.3", "1\0", "--1", "1e5.0"] {
            assert!(!is_decimal(word.as_bytes()), "{word}");
        }
    }

    #[test]
    fn corners_come_in_four_forms_and_count_backwards_when_negative() {
        let above = Counts { vertices: 4, texcoords: 2, normals: 1 };
        let read = |word: &[u8]| corner(word, above).map(|(v, c)| (v, c.texcoord, c.normal));
        assert_eq!(read(b"1"), Ok((0, None, None)));
        assert_eq!(read(b"2/1"), Ok((1, Some(0), None)));
        assert_eq!(read(b"2//1"), Ok((1, None, Some(0))));
        assert_eq!(read(b"-1/-2/-1"), Ok((3, Some(0), Some(0))));
        assert_eq!(read(b"3//"), Ok((2, None, None)));
    }

    #[test]
    fn impossible_corners_are_refused() {
        let above = Counts { vertices: 4, ..Counts::default() };
        for word in ["", "/1", "1/2/3/4", "x", "1.5", "0", "-5", "-9223372036854775808", "99999999999", "1/0", "1/-1"] {
            assert!(corner(word.as_bytes(), above).is_err(), "{word}");
        }
    }
}
