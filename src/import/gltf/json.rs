//! JSON text -> [`Value`], with the memory it takes limited while it grows.
//!
//! `serde_json` limits the depth (128) but not the number of values, and `[[],[],...]` takes ten times its text.
//! Of duplicate keys the last one counts, as in every browser.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::error::GltfError;
use super::limits::MAX_JSON_MEMORY;

/// Estimated bytes of a value in an array (vectors grow to twice their need).
const VALUE_BYTES: usize = 64;
/// Estimated bytes of an object with up to eleven keys: one tree node.
const OBJECT_BYTES: usize = 700;
/// Estimated bytes of a key beside its text.
const KEY_BYTES: usize = 32;

/// Takes `text` apart.
pub(super) fn parse(text: &[u8]) -> Result<Value, GltfError> {
    let budget = Cell::new(MAX_JSON_MEMORY);
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = Limited(&budget).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Builds a value and takes its size off a budget.
#[derive(Clone, Copy)]
struct Limited<'a>(&'a Cell<usize>);

impl Limited<'_> {
    fn take<E: Error>(self, bytes: usize) -> Result<(), E> {
        let left = self.0.get().checked_sub(bytes);
        self.0.set(left.ok_or_else(|| E::custom("too many values, expected less than 256 MiB of them"))?);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Limited<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.take(VALUE_BYTES)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Limited<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        self.take(value.len())?;
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        self.take(OBJECT_BYTES)?;
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            self.take(KEY_BYTES + key.len())?;
            object.insert(key, entries.next_value_seed(self)?);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_duplicate_keys_counts() {
        assert_eq!(parse(br#"{"a": 1, "a": 2}"#).unwrap()["a"], 2);
    }

    #[test]
    fn depth_and_number_of_values_are_limited() {
        assert!(parse("[".repeat(100_000).as_bytes()).is_err());
        let many = format!("[{}{{}}]", "{},".repeat(500_000));
        assert!(parse(many.as_bytes()).unwrap_err().to_string().contains("too many values"));
    }

    #[test]
    fn text_behind_the_document_is_an_error() {
        assert!(parse(b"{} {}").is_err());
    }
}
