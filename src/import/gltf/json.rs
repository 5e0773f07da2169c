//! JSON text -> [`Value`], with the memory it takes limited while it grows.
//!
//! `serde_json` limits the depth (128) but not the number of values, and `[[],[],...]` takes ten times its text.
//! Of duplicate keys the last one counts, as in every browser.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::error::GltfError;

/// Estimated bytes of a value in an array (vectors grow to twice their need).
const VALUE_BYTES: usize = 64;
/// Estimated bytes of an object with up to eleven keys: one tree node.
const OBJECT_BYTES: usize = 700;
/// Estimated bytes of a key beside its text.
const KEY_BYTES: usize = 32;

/// Takes `text` apart, as long as the estimate of the memory that this takes stays within `limit` bytes.
pub(super) fn parse(text: &[u8], limit: usize) -> Result<Value, GltfError> {
    let budget = Cell::new(limit);
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = Limited { left: &budget, limit }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Builds a value and takes its size off a budget.
#[derive(Clone, Copy)]
struct Limited<'a> {
    left: &'a Cell<usize>,
    limit: usize,
}

impl Limited<'_> {
    fn take<E: Error>(self, bytes: usize) -> Result<(), E> {
        let Some(left) = self.left.get().checked_sub(bytes) else {
            let most = self.limit >> 20;
            return Err(E::custom(format_args!(
                "too many values, expected less than {most} MiB of them; a larger --max-file-mb takes more"
            )));
        };
        self.left.set(left);
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

    fn read(text: &[u8]) -> Result<Value, GltfError> {
        parse(text, 256 << 20)
    }

    #[test]
    fn the_last_of_duplicate_keys_counts() {
        assert_eq!(read(br#"{"a": 1, "a": 2}"#).unwrap()["a"], 2);
    }

    #[test]
    fn depth_and_number_of_values_are_limited() {
        assert!(read("[".repeat(100_000).as_bytes()).is_err());
        let many = format!("[{}{{}}]", "{},".repeat(500_000));
        assert!(read(many.as_bytes()).unwrap_err().to_string().contains("too many values"));
    }

    #[test]
    fn text_behind_the_document_is_an_error() {
        assert!(read(b"{} {}").is_err());
    }
}
