//! The `toile` command: flags, terminal, exit codes. Nothing else in the library touches them.

use std::process::ExitCode;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
