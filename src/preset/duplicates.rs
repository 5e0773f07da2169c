//! Keys that stand twice in an object: JSON allows them, and readers keep the first or the last as they like.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::error::{Fault, Problem};

/// Most duplicates that are named.
const NAMED: usize = 10;

/// The keys of `json` that stand twice, by path; empty for what is no JSON.
pub(super) fn faults(json: &str) -> Vec<Fault> {
    let faults = RefCell::new(Vec::new());
    let reader = Reader { place: None, faults: &faults };
    match reader.deserialize(&mut serde_json::Deserializer::from_str(json)) {
        Ok(()) => faults.into_inner(),
        Err(_) => Vec::new(),
    }
}

/// Where the reader is, from the inside out.
struct Place<'a> {
    above: Option<&'a Place<'a>>,
    step: Step<'a>,
}

enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(above) = self.above {
            above.fmt(out)?;
        }
        match self.step {
            Step::Key(key) if self.above.is_some() => write!(out, ".{key}"),
            Step::Key(key) => out.write_str(key),
            Step::Index(index) => write!(out, "[{index}]"),
        }
    }
}

/// Walks a value and keeps nothing of it but its duplicate keys.
#[derive(Clone, Copy)]
struct Reader<'a> {
    place: Option<&'a Place<'a>>,
    faults: &'a RefCell<Vec<Fault>>,
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        for index in 0.. {
            let place = Place { above: self.place, step: Step::Index(index) };
            if items.next_element_seed(Reader { place: Some(&place), faults: self.faults })?.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            let place = Place { above: self.place, step: Step::Key(&key) };
            if seen.contains(&key) && self.faults.borrow().len() < NAMED {
                self.faults.borrow_mut().push(Fault::new(place.to_string(), Problem::DuplicateKey));
            }
            entries.next_value_seed(Reader { place: Some(&place), faults: self.faults })?;
            seen.insert(key);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::faults;

    #[test]
    fn keys_that_stand_twice_are_named_with_their_path() {
        let json = r#"{"a": 1, "b": [{}, {"c": {"d": 1, "d": null}}], "a": "x", "e": {"a": 1}}"#;
        let paths: Vec<_> = faults(json).into_iter().map(|fault| fault.path).collect();
        assert_eq!(paths, ["b[1].c.d", "a"]);
    }
}
