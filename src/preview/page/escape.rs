//! Names of others in HTML and in JSON inside it.

/// Text for HTML, inside elements and quoted attributes.
pub(super) fn text(words: &str) -> String {
    let mut escaped = String::with_capacity(words.len());
    for c in words.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // HTML has no way to write a null.
            '\0' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// JSON for a script element: nothing in it ends the element or begins a comment there. In JSON these characters stand only inside
/// strings.
pub(super) fn json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '&' => escaped.push_str("\\u0026"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_element_or_comment_can_begin_or_end() {
        let hostile = "</script><!-- <img src=x onerror='alert(1)'> \" & \0 \u{2028}";
        let escaped = text(hostile);
        assert!(!escaped.contains(['<', '>', '"', '\'', '\0']), "{escaped}");
        let quoted = serde_json::to_string(hostile).expect("JSON");
        let safe = json(&quoted);
        assert!(!safe.contains(['<', '>', '&', '\u{2028}']), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).expect("JSON"), hostile);
    }
}
