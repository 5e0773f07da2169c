//! What `--include` and `--exclude` can say.

use std::fmt;
use std::str::FromStr;

/// A part of a garment's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartSelector {
    /// `group:NAME`: faces of an OBJ group or object, a glTF node, mesh or material; `*` and `?` stand for any letters.
    Group(String),
    /// `material:NAME`: faces of a material; `*` and `?` as above.
    Material(String),
    /// `component:N` or `component:N..M`: connected pieces, as `toile inspect` numbers them.
    Components(u32, u32),
}

/// A selector that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no part of a garment: {reason}; write group:NAME, material:NAME, component:N or component:N..M")]
pub struct PartSelectorError {
    text: String,
    reason: &'static str,
}

impl FromStr for PartSelector {
    type Err = PartSelectorError;

    fn from_str(text: &str) -> Result<Self, PartSelectorError> {
        let fail = |reason| PartSelectorError { text: text.to_owned(), reason };
        let (kind, value) = text.split_once(':').ok_or_else(|| fail("it has no `:`"))?;
        if value.is_empty() {
            return Err(fail("nothing follows the `:`"));
        }
        match kind {
            "group" => Ok(PartSelector::Group(value.to_owned())),
            "material" => Ok(PartSelector::Material(value.to_owned())),
            "component" => {
                let (first, last) = value.split_once("..").unwrap_or((value, value));
                match (first.parse(), last.parse()) {
                    (Ok(first), Ok(last)) if first <= last => Ok(PartSelector::Components(first, last)),
                    _ => Err(fail("a component is a number from 0, or a range of them")),
                }
            }
            _ => Err(fail("the word before the `:` is unknown")),
        }
    }
}

impl fmt::Display for PartSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PartSelector::Group(name) => write!(f, "group:{name}"),
            PartSelector::Material(name) => write!(f, "material:{name}"),
            PartSelector::Components(first, last) if first == last => write!(f, "component:{first}"),
            PartSelector::Components(first, last) => write!(f, "component:{first}..{last}"),
        }
    }
}

/// Whether `name` fits `pattern`, in which `*` stands for any letters and `?` for one.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where the last `*` stands, and how far the name was when it was met.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => (p, n) = (p + 1, n + 1),
            _ => match &mut star {
                Some((at, met)) => {
                    *met += 1;
                    (p, n) = (*at + 1, *met);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_and_nonsense_is_refused_with_the_reason() {
        for text in ["group:Shoe*", "material:wool:dark", "component:3", "component:2..7"] {
            assert_eq!(text.parse::<PartSelector>().expect("a part").to_string(), text);
        }
        for text in ["shoes", "group:", "component:x", "component:7..2", "component:-1", "loop:top"] {
            let error = text.parse::<PartSelector>().expect_err("no part").to_string();
            assert!(error.contains(text) && error.contains("material:NAME"), "{error}");
        }
    }

    #[test]
    fn stars_stand_for_any_letters() {
        for (pattern, name) in [("Shoe*", "Shoe_L"), ("*", ""), ("*oe_?", "Shoe_L"), ("a*b*c", "aXbYbZc"), ("ä?", "äö")]
        {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("Shoe", "Shoe_L"), ("?", ""), ("a*b*c", "aXbYbZ"), ("shoe*", "Shoe"), ("", "a")] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
        let many = "*a".repeat(2000);
        assert!(!fits(&many, &"a".repeat(1999)));
    }
}
