//! An object of the document with its JSON path: fields are taken out of it with their type checked.

use serde_json::{Map, Value};

use super::error::Faults;

/// Longest piece of a file's JSON that is repeated in a message.
const SHOWN_CHARACTERS: usize = 60;

/// An object of the document and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Element<'a> {
    object: &'a Map<String, Value>,
    path: String,
}

impl<'a> Element<'a> {
    /// The whole document.
    pub(super) fn root(document: &'a Value) -> Option<Element<'a>> {
        Some(Element { object: document.as_object()?, path: String::new() })
    }

    /// The JSON path, with the element's name behind it if it has one.
    pub(super) fn place(&self) -> String {
        match self.name() {
            Some(name) => format!("{} {:?}", self.path, name.chars().take(SHOWN_CHARACTERS).collect::<String>()),
            None => self.path.clone(),
        }
    }

    /// The place of a field.
    pub(super) fn place_of(&self, key: &str) -> String {
        let key: String = key.chars().take(SHOWN_CHARACTERS).flat_map(char::escape_debug).collect();
        if self.path.is_empty() { key } else { format!("{}.{key}", self.place()) }
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn name(&self) -> Option<&'a str> {
        self.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())
    }

    pub(super) fn string(&self, key: &str) -> Option<&'a str> {
        self.get(key).and_then(Value::as_str)
    }

    /// The keys with their values.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.object.iter()
    }

    /// The object in field `key`.
    pub(super) fn child(&self, key: &str, faults: &mut Faults) -> Option<Element<'a>> {
        match self.get(key)? {
            Value::Object(object) => Some(Element { object, path: self.path_of(key) }),
            other => {
                faults.push(self.place_of(key), shown(other), "an object");
                None
            }
        }
    }

    /// What extension `name` says of it.
    pub(super) fn extension(&self, name: &str, faults: &mut Faults) -> Option<Element<'a>> {
        self.child("extensions", faults)?.child(name, faults)
    }

    /// The array in field `key`; empty when there is none.
    pub(super) fn array(&self, key: &str, faults: &mut Faults) -> &'a [Value] {
        match self.get(key) {
            None => &[],
            Some(Value::Array(items)) => items,
            Some(other) => {
                faults.push(self.place_of(key), shown(other), "an array");
                &[]
            }
        }
    }

    /// Item `index` of the array in field `key`, which must be an object.
    pub(super) fn item(&self, key: &str, index: usize, faults: &mut Faults) -> Option<Element<'a>> {
        let value = self.get(key)?.get(index)?;
        let path = format!("{}[{index}]", self.path_of(key));
        match value {
            Value::Object(object) => Some(Element { object, path }),
            other => {
                faults.push(path, shown(other), "an object");
                None
            }
        }
    }

    /// A whole number that is not negative.
    pub(super) fn integer(&self, key: &str, faults: &mut Faults) -> Option<u64> {
        let value = self.get(key)?;
        let number = whole(value);
        if number.is_none() {
            faults.push(self.place_of(key), shown(value), "a whole number, 0 or more");
        }
        number
    }

    /// An index into a list of `length` items called `list`.
    pub(super) fn index(&self, key: &str, list: &str, length: usize, faults: &mut Faults) -> Option<usize> {
        let number = self.integer(key, faults)?;
        let index = usize::try_from(number).ok().filter(|&index| index < length);
        if index.is_none() {
            faults.push(self.place_of(key), number, format_args!("an index below {length}, the number of {list}"));
        }
        index
    }

    /// Indices into a list of `length` items called `list`.
    pub(super) fn indices(&self, key: &str, list: &str, length: usize, faults: &mut Faults) -> Vec<usize> {
        let mut indices = Vec::new();
        for (i, value) in self.array(key, faults).iter().enumerate() {
            match whole(value).and_then(|number| usize::try_from(number).ok()).filter(|&index| index < length) {
                Some(index) => indices.push(index),
                None => faults.push(
                    format_args!("{}[{i}]", self.place_of(key)),
                    shown(value),
                    format_args!("an index below {length}, the number of {list}"),
                ),
            }
        }
        indices
    }

    /// Numbers that are finite as `f32`, `length` of them if given.
    pub(super) fn numbers(&self, key: &str, length: Option<usize>, faults: &mut Faults) -> Option<Vec<f64>> {
        let value = self.get(key)?;
        let numbers: Option<Vec<f64>> = value.as_array().and_then(|items| items.iter().map(finite).collect());
        let numbers = numbers.filter(|numbers| length.is_none_or(|length| numbers.len() == length));
        if numbers.is_none() {
            let expected = length.map_or("finite numbers".to_owned(), |length| format!("{length} finite numbers"));
            faults.push(self.place_of(key), shown(value), expected);
        }
        numbers
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

/// A whole number that is not negative, also when it is written `3.0`.
pub(super) fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64().filter(|number| (0.0..9.0e15).contains(number) && number.fract() == 0.0)?;
        Some(number as u64)
    })
}

fn finite(value: &Value) -> Option<f64> {
    value.as_f64().filter(|&number| (number as f32).is_finite())
}

/// A value for a message, cut short.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) if items.len() > 16 => return format!("an array of {} items", items.len()),
        Value::Object(_) => return "an object".to_owned(),
        Value::String(text) if text.len() > SHOWN_CHARACTERS * 4 => return format!("a string of {} bytes", text.len()),
        _ => {}
    }
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
