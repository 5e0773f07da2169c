//! stderr: progress, notes and errors. Results go to stdout, elsewhere.

use std::cell::Cell;
use std::error::Error;
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::brief::brief;
use super::heartbeat::Heartbeat;
use crate::simulate::Progress;

/// Time between two progress lines when stderr is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);
/// Notes of one file that are shown; `-v` shows all.
const NOTES_SHOWN: usize = 10;
/// Characters of a name that are shown.
const NAME_SHOWN: usize = 200;

/// How much is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verbosity {
    /// Errors only.
    Quiet,
    /// Progress, notes and the summary.
    Normal,
    /// Also what each stage found.
    Verbose,
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressStyleName {
    /// A bar on a terminal, lines elsewhere
    #[default]
    Auto,
    /// A line every few seconds
    Lines,
    /// A JSON document a second; messages are JSON too
    Json,
    /// Nothing
    None,
}

/// Where a running command reports to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    verbosity: Verbosity,
    is_terminal: bool,
    is_coloured: bool,
    progress: ProgressStyleName,
}

impl Console {
    /// The process's stderr. Coloured only on a terminal and without `NO_COLOR`.
    pub(crate) fn new(verbosity: Verbosity) -> Console {
        let is_terminal = stderr().is_terminal();
        let is_coloured = is_terminal && std::env::var_os("NO_COLOR").is_none();
        Console { verbosity, is_terminal, is_coloured, progress: ProgressStyleName::Auto }
    }

    /// The same with progress in another style.
    pub(crate) fn with_progress(self, progress: ProgressStyleName) -> Console {
        Console { progress, ..self }
    }

    /// Tells every second that a part of the work is under way, where that is asked for.
    pub(crate) fn heartbeat(&self, stage: &'static str) -> Option<Heartbeat> {
        (self.progress == ProgressStyleName::Json).then(|| Heartbeat::start(stage))
    }

    /// Says what is being done.
    pub(crate) fn stage(&self, words: &str) {
        if self.verbosity >= Verbosity::Normal {
            self.tell("message", "", words);
        }
    }

    /// Says something that only `-v` wants to know.
    pub(crate) fn detail(&self, words: &str) {
        if self.verbosity >= Verbosity::Verbose {
            self.tell("detail", "", words);
        }
    }

    /// Says what is odd but no error.
    pub(crate) fn notes(&self, notes: &[String]) {
        if self.verbosity == Verbosity::Quiet {
            return;
        }
        let shown = if self.verbosity == Verbosity::Verbose { notes.len() } else { NOTES_SHOWN };
        for note in notes.iter().take(shown) {
            self.tell("note", "33", note);
        }
        if notes.len() > shown {
            self.tell("note", "33", &format!("and {} more; -v shows them", notes.len() - shown));
        }
    }

    /// Says what went wrong, with its causes and what to do.
    pub(crate) fn error(&self, error: &dyn Error, hint: Option<&str>) {
        let words = brief(&error.to_string());
        let mut causes = Vec::new();
        let mut cause = error.source();
        while let Some(error) = cause {
            causes.push(brief(&error.to_string()));
            cause = error.source();
        }
        if self.progress == ProgressStyleName::Json {
            let document = serde_json::json!({ "error": words, "causes": causes, "hint": hint });
            return self.print(&document.to_string());
        }
        for line in words.lines() {
            // A line that is set in belongs to the one above.
            let head = if line.starts_with(' ') { String::new() } else { self.coloured("1;31", "error:") + " " };
            self.print(&format!("{head}{}", printable(line)));
        }
        for cause in causes {
            self.print(&format!("  caused by: {}", printable(&cause)));
        }
        if let Some(hint) = hint {
            self.print(&format!("  {} {}", self.coloured("36", "hint:"), printable(hint)));
        }
    }

    /// Says that toile itself failed; the panic message stands above.
    pub(crate) fn bug(&self) {
        if self.progress == ProgressStyleName::Json {
            return self.tell("error", "", "this is a fault of toile, not of your files");
        }
        self.print(&format!("{} this is a fault of toile, not of your files", self.coloured("1;31", "error:")));
        self.print(&format!(
            "  {} please report it with the command line and the message above",
            self.coloured("36", "hint:")
        ));
    }

    /// Progress over `frames` frames.
    pub(crate) fn progress(&self, frames: u64) -> FrameProgress {
        self.progress_from(0, frames)
    }

    /// Progress over `frames` frames, of which so many were done `before`.
    pub(crate) fn progress_from(&self, before: u64, frames: u64) -> FrameProgress {
        let speaks = self.verbosity >= Verbosity::Normal;
        let has_bar = speaks && self.is_terminal && self.progress == ProgressStyleName::Auto;
        let target = if has_bar { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let template = "{msg} [{bar:30}] {pos}/{len} frames, {per_sec}, ETA {eta}";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(Some(frames), target).with_style(style.progress_chars("=> "));
        let lines = match self.progress {
            ProgressStyleName::Auto => speaks && !self.is_terminal,
            ProgressStyleName::Lines => speaks,
            ProgressStyleName::Json | ProgressStyleName::None => false,
        };
        bar.set_position(before);
        FrameProgress {
            console: *self,
            bar,
            lines,
            is_brief: false,
            heartbeat: self.heartbeat("building"),
            frames,
            begin: Cell::new(None),
            last_line: Cell::new(None),
        }
    }

    /// Progress over `frames` frames of one of many runs: those that are short have no lines.
    pub(crate) fn brief_progress(&self, frames: u64) -> FrameProgress {
        FrameProgress { is_brief: true, last_line: Cell::new(Some(Instant::now())), ..self.progress(frames) }
    }

    /// Writes `words`, which are of the given kind; a coloured kind stands before them.
    fn tell(&self, kind: &str, colour: &str, words: &str) {
        let words = &brief(words);
        if self.progress == ProgressStyleName::Json {
            self.print(&serde_json::json!({ kind: words }).to_string());
        } else if colour.is_empty() {
            self.print(&printable(words));
        } else {
            self.print(&format!("{} {}", self.coloured(colour, &format!("{kind}:")), printable(words)));
        }
    }

    /// Writes a line.
    fn print(&self, words: &str) {
        // Nobody is left to tell when stderr is closed.
        let _ = writeln!(stderr(), "{words}");
    }

    fn coloured(&self, code: &str, word: &str) -> String {
        if self.is_coloured { format!("\x1b[{code}m{word}\x1b[0m") } else { word.to_owned() }
    }
}

/// `text` with control characters other than line ends as escapes: names come from files, and must not steer the terminal.
pub(crate) fn printable(text: &str) -> String {
    let escape = |c: char| if steers(c) && c != '\n' { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escape).collect()
}

/// A name from a file as a part of a line: without line ends of its own, and with an end.
pub(crate) fn on_a_line(name: &str) -> String {
    let more = if name.chars().nth(NAME_SHOWN).is_some() { "..." } else { "" };
    name.chars().take(NAME_SHOWN).collect::<String>().replace('\n', "\\n") + more
}

/// The text of a JSON document with the same characters as escapes of JSON: there they stand in strings only.
pub(crate) fn printable_json(text: &str) -> String {
    let escape = |c: char| if steers(c) && c != '\n' { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    text.chars().map(escape).collect()
}

/// Whether a terminal does something else with a character than showing it: controls, and marks that turn the direction of text.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A bar on a terminal, a line now and then elsewhere.
#[derive(Debug)]
pub(crate) struct FrameProgress {
    console: Console,
    bar: ProgressBar,
    lines: bool,
    /// Whether there is no line for its end.
    is_brief: bool,
    heartbeat: Option<Heartbeat>,
    frames: u64,
    /// Frames done when the first was told of, and when that was: what came before is no measure of the rest.
    begin: Cell<Option<(u64, Instant)>>,
    last_line: Cell<Option<Instant>>,
}

impl FrameProgress {
    /// `done` frames are done; `what` says of what kind.
    pub(crate) fn update(&self, done: u64, what: &str) {
        let Some((before, begin)) = self.begin.get() else {
            self.begin.set(Some((done, Instant::now())));
            self.bar.set_message(what.to_owned());
            self.bar.set_position(done);
            self.bar.reset_eta();
            return;
        };
        let per_frame = begin.elapsed().as_secs_f64() * 1000.0 / done.saturating_sub(before).max(1) as f64;
        self.bar.set_message(format!("{what}, {per_frame:.0} ms a frame"));
        self.bar.set_position(done);
        let is_due = self.last_line.get().is_none_or(|last| last.elapsed() >= LINE_INTERVAL);
        if self.lines && (is_due || done == self.frames && !self.is_brief) {
            self.last_line.set(Some(Instant::now()));
            let left = per_frame * self.frames.saturating_sub(done) as f64 / 1000.0;
            let frames = self.frames;
            self.console.print(&format!("{what}: {done}/{frames} frames, {per_frame:.0} ms a frame, {left:.0} s left"));
        }
    }

    /// The same of a simulation, for those who want every figure of it.
    pub(crate) fn beat(&self, now: Progress) {
        self.heartbeat.iter().for_each(|heartbeat| heartbeat.frame(now));
    }

    /// Takes the bar off the terminal.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{on_a_line, printable, printable_json};

    #[test]
    fn names_from_files_cannot_steer_the_terminal() {
        assert_eq!(printable("a\x1b[2Jb\tc\nd"), "a\\u{1b}[2Jb\\tc\nd");
        assert_eq!(printable("\u{202e}gnp.\u{9b}1m k\u{e4}se"), "\\u{202e}gnp.\\u{9b}1m k\u{e4}se");
        assert_eq!(on_a_line("a\nerror: b"), "a\\nerror: b");
        assert_eq!(on_a_line(&"x".repeat(1000)).len(), 203);
        let text = "{\n  \"name\": \"\u{9b}\u{2066}k\u{e4}se\"\n}";
        assert_eq!(printable_json(text), "{\n  \"name\": \"\\u009b\\u2066k\u{e4}se\"\n}");
    }
}
