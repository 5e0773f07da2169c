//! How faults and names from files are put into messages.

use std::fmt;

/// Longest piece of a file that a message repeats, characters.
const SHOWN_CHARACTERS: usize = 40;

/// A word of a file between back-quotes: control characters escaped, shortened when long.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.get(..4 * SHOWN_CHARACTERS).unwrap_or(bytes));
    let shown: String = text.chars().take(SHOWN_CHARACTERS).flat_map(char::escape_debug).collect();
    let more = if text.chars().nth(SHOWN_CHARACTERS).is_some() { "..." } else { "" };
    format!("`{shown}{more}`")
}

/// How many of a `thing` there are: `1 frame`, `2 frames`.
pub(crate) fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// The first `most` of these names in a line, between back-quotes.
pub(crate) fn listed(names: &[impl AsRef<str>], most: usize) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let more = names.len().saturating_sub(most);
    let shown: Vec<String> =
        names.iter().take(most).map(|name| format!("`{}`", name.as_ref().escape_debug())).collect();
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

/// A few items of many, one a line; a single one stands alone.
pub(crate) struct List {
    /// What is shown.
    pub(crate) items: Vec<String>,
    /// How many there are in all.
    pub(crate) count: usize,
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let ([only], 1) = (self.items.as_slice(), self.count) {
            return f.write_str(only);
        }
        write!(f, "{} faults", self.count)?;
        for item in &self.items {
            write!(f, "\n  {item}")?;
        }
        match self.count - self.items.len().min(self.count) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_word_is_short_and_printable() {
        assert_eq!(quoted(b"1\0x\x1b"), "`1\\0x\\u{1b}`");
        assert_eq!(quoted(&[b'a'; 1000]).len(), 40 + 5);
    }

    #[test]
    fn names_are_listed_up_to_a_number() {
        let listed = |names: &[&str]| listed(names, 2);
        assert_eq!(listed(&[]), "none");
        assert_eq!(listed(&["a", "b\n"]), "`a`, `b\\n`");
        assert_eq!(listed(&["a", "b", "c", "d"]), "`a`, `b` and 2 more");
    }

    #[test]
    fn a_list_says_how_many_are_not_shown() {
        assert_eq!(List { items: vec!["x".into()], count: 1 }.to_string(), "x");
        assert_eq!(List { items: vec!["x".into()], count: 3 }.to_string(), "3 faults\n  x\n  and 2 more");
    }
}
