//! Messages repeat names from files, which may have megabytes: such names, and lines that are too long all the same, are cut.

/// Characters of a quoted name that are shown: paths on farms have some two hundred.
const NAME: usize = 400;
/// Characters of a line that are shown: more than any list of names has, or any path.
const LINE: usize = 8000;
/// Characters of them at the end, where it says what to do.
const END: usize = 1000;
/// What stands for what was cut out.
const CUT: &str = "...";

/// `message` with quoted names and lines of a bearable length.
pub(super) fn brief(message: &str) -> String {
    message.split('\n').map(|line| brief_line(&brief_names(line))).collect::<Vec<_>>().join("\n")
}

/// Cuts what stands between back-quotes or quotation marks. Names may have such marks themselves: what is not cut here is cut with its line.
fn brief_names(line: &str) -> String {
    let mut brief = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(['`', '"']) {
        let (before, quoted) = rest.split_at(start);
        let (mark, name) = quoted.split_at(1);
        let Some(end) = end_of(name, mark) else { break };
        let (name, after) = name.split_at(end);
        brief.push_str(before);
        brief.push_str(mark);
        match name.char_indices().nth(NAME) {
            Some((cut, _)) => brief.extend([&name[..cut], CUT]),
            None => brief.push_str(name),
        }
        brief.push_str(mark);
        rest = &after[1..];
    }
    brief + rest
}

/// Where the next `mark` stands that no backslash takes back.
fn end_of(text: &str, mark: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let is_end = !is_escaped && byte == mark.as_bytes()[0];
        is_escaped = !is_escaped && byte == b'\\';
        is_end
    })
}

/// Cuts out the middle.
fn brief_line(line: &str) -> String {
    if line.char_indices().nth(LINE).is_none() {
        return line.to_owned();
    }
    let start: String = line.chars().take(LINE - END).collect();
    let end: Vec<char> = line.chars().rev().take(END).collect();
    start + CUT + &end.into_iter().rev().collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_short_stays_as_it_is() {
        for message in
            ["", "a.obj: line 3: `x` is no number\n  and 2 more", "he said \"a\\\"b\" and `c", "5\" wide", "a\n\nb\n"]
        {
            assert_eq!(brief(message), message);
        }
        let path = "/deep".repeat(800);
        assert_eq!(brief(&path), path, "a path is no name");
    }

    #[test]
    fn long_names_are_cut_wherever_they_stand() {
        let name = "\u{e4}".repeat(10_000_000);
        let shown = "\u{e4}".repeat(NAME);
        assert_eq!(brief(&format!("no joint `{name}`; it has `hip`")), format!("no joint `{shown}...`; it has `hip`"));
        assert_eq!(brief(&format!("\"{name}\": \"b\"\nx")), format!("\"{shown}...\": \"b\"\nx"));
    }

    #[test]
    fn what_hides_its_length_is_cut_with_its_line() {
        let odd = "`x".repeat(1_000_000);
        let short = brief(&format!("no group {odd}; write group:NAME"));
        assert!(short.chars().count() <= LINE + CUT.len() && short.ends_with("; write group:NAME"), "{}", short.len());
        assert!(brief(&"name ".repeat(1_000_000)).len() < 10_000);
    }
}
