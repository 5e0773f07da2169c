//! The browser: the only program that toile starts, and only when told to.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempPath;

use super::arguments::PreviewArguments;
use crate::cli::failure::Failure;

/// How long an opener may take to say that it failed. Some stay as long as the browser is open.
const PATIENCE: Duration = Duration::from_secs(3);
/// Time between two looks at it.
const PAUSE: Duration = Duration::from_millis(50);

/// A new file for a page, gone with what is returned unless it is kept.
pub(super) fn temporary_page(arguments: &PreviewArguments) -> Result<TempPath, Failure> {
    let subject = arguments.subject.as_deref().map(Path::new).and_then(Path::file_stem);
    let stem = subject.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let plain: String = stem.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).take(40).collect();
    let file = tempfile::Builder::new().prefix(&format!("toile-{plain}-")).suffix(".html").tempfile();
    Ok(file.map_err(refused)?.into_temp_path())
}

/// Leaves a page to the browser, which reads it when it likes.
pub(super) fn keep(page: TempPath) -> Result<(), Failure> {
    page.keep().map(|_| ()).map_err(|error| refused(error.error))
}

fn refused(source: io::Error) -> Failure {
    Failure::System { what: "a temporary file", source }
}

/// Shows a page in the user's browser.
pub(super) fn open(page: &Path) -> Result<(), Failure> {
    let failed = |why: String| Failure::NoBrowser { path: page.to_owned(), why };
    let page_name = std::path::absolute(page).map_err(|error| failed(error.to_string()))?;
    let (program, before) = opener();
    let mut command = Command::new(program);
    command.args(before).arg(&page_name).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| failed(format!("`{program}` does not start ({error})")))?;
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) => return Err(failed(format!("`{program}` found none that it could start"))),
            Ok(None) => thread::sleep(PAUSE),
            Err(error) => return Err(failed(error.to_string())),
        }
    }
    Ok(())
}

/// The system's program that opens files, and what it takes before the file.
fn opener() -> (&'static str, &'static [&'static str]) {
    if cfg!(windows) {
        // Not `cmd /C start`: that would read `&` in a name as the next command.
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else if cfg!(target_os = "macos") {
        ("open", &[])
    } else {
        ("xdg-open", &[])
    }
}
