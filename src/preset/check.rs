//! Checks a JSON value against the JSON Schema of what it should be, and names every fault with its path.
//!
//! The schema is the one that `toile presets schema` prints: ranges are declared once, beside the field. Understood is what
//! `schemars` writes for the types of this module, not all of JSON Schema.

use serde_json::{Map, Value};

use super::error::{Fault, Problem, closest_word};

/// Levels of arrays and objects in each other; a scene needs 6.
const DEPTH_LIMIT: usize = 16;
/// Characters of a value that a message shows.
const SHOWN: usize = 40;

/// All faults of `value`, by path; empty if it is what `schema` asks for.
pub(crate) fn faults(schema: &Value, value: &Value) -> Vec<Fault> {
    let mut check = Check { root: schema, faults: Vec::new() };
    check.value(schema, value, "", 0);
    check.faults
}

struct Check<'a> {
    root: &'a Value,
    faults: Vec<Fault>,
}

impl<'a> Check<'a> {
    fn report(&mut self, path: &str, problem: Problem) {
        self.faults.push(Fault::new(path, problem));
    }

    fn value(&mut self, schema: &'a Value, value: &Value, path: &str, depth: usize) {
        if depth > DEPTH_LIMIT {
            return self.report(path, Problem::TooDeep { limit: DEPTH_LIMIT });
        }
        let schema = self.resolve(schema);
        if let Some(words) = self.words(schema) {
            return self.word(&words, value, path);
        }
        if let Some(alternatives) = schema.get("anyOf").and_then(Value::as_array) {
            return match alternatives.iter().find(|s| self.accepts_type(s, value)) {
                Some(alternative) => self.value(alternative, value, path, depth),
                None => self.wrong_type(schema, value, path),
            };
        }
        if !self.accepts_type(schema, value) {
            return self.wrong_type(schema, value, path);
        }
        match value {
            Value::Number(_) => self.number(schema, value, path),
            Value::Array(entries) => self.array(schema, entries, path, depth),
            Value::Object(entries) => self.object(schema, entries, path, depth),
            _ => {}
        }
    }

    fn number(&mut self, schema: &Value, value: &Value, path: &str) {
        let [minimum, maximum] = ["minimum", "maximum"].map(|key| schema.get(key).and_then(Value::as_f64));
        let number = value.as_f64().unwrap_or(f64::NAN);
        let fits = minimum.is_none_or(|m| number >= m) && maximum.is_none_or(|m| number <= m);
        if !fits {
            self.report(path, Problem::OutOfRange { found: shown(value), allowed: range(minimum, maximum) });
        }
    }

    fn array(&mut self, schema: &'a Value, entries: &[Value], path: &str, depth: usize) {
        let [minimum, maximum] = ["minItems", "maxItems"].map(|key| schema.get(key).and_then(Value::as_f64));
        let length = entries.len() as f64;
        if minimum.is_some_and(|m| length < m) || maximum.is_some_and(|m| length > m) {
            let allowed = range(minimum, maximum);
            return self.report(path, Problem::WrongLength { found: entries.len(), allowed });
        }
        if let Some(items) = schema.get("items") {
            for (index, entry) in entries.iter().enumerate() {
                self.value(items, entry, &format!("{path}[{index}]"), depth + 1);
            }
        }
    }

    fn object(&mut self, schema: &'a Value, entries: &Map<String, Value>, path: &str, depth: usize) {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
        for (key, entry) in entries {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            match properties.get(key) {
                Some(property) => self.value(property, entry, &path, depth + 1),
                None => {
                    let suggestion = closest_word(key, properties.keys().map(String::as_str)).map(str::to_owned);
                    let known = properties.keys().filter(|k| !k.starts_with('$')).cloned().collect();
                    self.report(&path, Problem::UnknownKey { suggestion, known });
                }
            }
        }
        for key in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            if !entries.contains_key(key) {
                self.report(path, Problem::MissingKey { key: key.to_owned() });
            }
        }
    }

    fn word(&mut self, words: &[String], value: &Value, path: &str) {
        let Some(word) = value.as_str() else {
            let expected = format!("one of {}", words.join(", "));
            return self.report(path, Problem::WrongType { found: shown(value), kind: kind(value), expected });
        };
        if !words.iter().any(|w| w == word) {
            let suggestion = closest_word(word, words.iter().map(String::as_str)).map(str::to_owned);
            self.report(path, Problem::UnknownWord { found: shown(value), suggestion, allowed: words.to_vec() });
        }
    }

    fn wrong_type(&mut self, schema: &Value, value: &Value, path: &str) {
        let expected: Vec<&str> = self.types(schema).into_iter().filter(|&t| t != "null").map(described).collect();
        let expected = expected.join(" or ");
        self.report(path, Problem::WrongType { found: shown(value), kind: kind(value), expected });
    }

    fn accepts_type(&self, schema: &Value, value: &Value) -> bool {
        let types = self.types(schema);
        types.is_empty() || types.iter().any(|&t| has_type(value, t))
    }

    /// Types that `schema` or one of its alternatives names.
    fn types<'s>(&self, schema: &'s Value) -> Vec<&'s str>
    where
        'a: 's,
    {
        let schema = self.resolve(schema);
        if let Some(alternatives) = ["anyOf", "oneOf"].iter().find_map(|k| schema.get(k).and_then(Value::as_array)) {
            return alternatives.iter().flat_map(|s| self.types(s)).collect();
        }
        match schema.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// The words of an enumeration.
    fn words(&self, schema: &Value) -> Option<Vec<String>> {
        let word = |v: &Value| v.as_str().map(str::to_owned);
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            return words.iter().map(word).collect();
        }
        schema.get("oneOf").and_then(Value::as_array)?.iter().map(|s| word(s.get("const")?)).collect()
    }

    fn resolve<'s>(&self, schema: &'s Value) -> &'s Value
    where
        'a: 's,
    {
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|r| self.root.pointer(r.strip_prefix('#')?));
        target.unwrap_or(schema)
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => value.is_null(),
    }
}

fn described(name: &str) -> &str {
    match name {
        "integer" => "a whole number",
        "number" => "a number",
        "string" => "a text",
        "boolean" => "true or false",
        "array" => "an array",
        _ => "an object",
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(n) if n.is_f64() => "a decimal number",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

fn range(minimum: Option<f64>, maximum: Option<f64>) -> String {
    match (minimum, maximum) {
        (Some(a), Some(b)) if a == b => format!("{a}"),
        (Some(a), Some(b)) => format!("{a} to {b}"),
        (Some(a), None) => format!("at least {a}"),
        (None, Some(b)) => format!("at most {b}"),
        (None, None) => "any".to_owned(),
    }
}
