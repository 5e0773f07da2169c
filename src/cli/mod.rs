//! The `toile` command: flags, terminal, exit codes. Nothing else in the library touches them.

mod arguments;
mod bake;
mod brief;
mod compare;
mod console;
mod failure;
mod heartbeat;
mod inspect;
mod interrupt;
mod map;
mod memory;
mod mesh_file;
mod pose;
mod presets;
mod preview;
mod values;
mod verify;

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use console::{Console, ProgressStyleName, Verbosity};
use failure::{Failure, exit};
use interrupt::Interrupt;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    memory::give_back_early();
    let arguments = Arguments::parse();
    let console = Console::new(verbosity(&arguments)).with_progress(progress(&arguments));
    ExitCode::from(guarded(console, || run(arguments, console)))
}

/// The exit code of `command`, that of our own fault if it panics.
fn guarded(console: Console, command: impl FnOnce() -> u8) -> u8 {
    catch_unwind(AssertUnwindSafe(command)).unwrap_or_else(|_| {
        console.bug();
        exit::INTERNAL
    })
}

fn run(arguments: Arguments, console: Console) -> u8 {
    let interrupt = match Interrupt::listen() {
        Ok(interrupt) => interrupt,
        Err(source) => return report(&Failure::System { what: "to listen for Ctrl-C", source }, console),
    };
    let done = match arguments.command {
        Command::Bake(bake) => bake::run(&bake, &console, &interrupt),
        Command::Compare(compare) => compare::run(&compare, &console, &interrupt),
        Command::Inspect(inspect) => inspect::run(&inspect),
        Command::Map(map) => map::run(&map, &console),
        Command::Figures(figures) => preview::draw_figures(&figures, &console, &interrupt),
        Command::Preview(preview) => preview::run(&preview, &console, &interrupt),
        Command::Presets(presets) => presets::run(&presets, &console, &interrupt),
        Command::Verify(verify) => verify::run(&verify, &interrupt),
        Command::Pose(pose) => pose::run(&pose, &console),
        Command::GenerateMeshes(generate) => generate_meshes(&generate.folder),
    };
    match done {
        Ok(()) => 0,
        Err(failure) if failure.is_interruption() => {
            report(&failure, console);
            interrupt.exit_code()
        }
        Err(failure) => report(&failure, console),
    }
}

/// Says why a command stopped; gives its exit code.
fn report(failure: &Failure, console: Console) -> u8 {
    console.error(failure, failure.hint());
    failure.exit_code()
}

/// How progress is shown; only a bake can be asked to show it otherwise.
fn progress(arguments: &Arguments) -> ProgressStyleName {
    match &arguments.command {
        Command::Bake(bake) => bake.output.progress,
        _ => ProgressStyleName::Auto,
    }
}

fn verbosity(arguments: &Arguments) -> Verbosity {
    match (arguments.quiet, arguments.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, false) => Verbosity::Normal,
        (false, true) => Verbosity::Verbose,
    }
}

/// Writes a result to stdout. A reader that has gone away (`toile presets list | head -1`) is no fault.
fn print(text: &str) -> Result<(), Failure> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::System { what: "to write to stdout", source: error })
        }
        _ => Ok(()),
    }
}

/// Writes a JSON document to stdout.
fn print_json(document: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(document)
        .map_err(|e| Failure::System { what: "to write JSON", source: e.into() })?;
    print(&format!("{}\n", console::printable_json(&text)))
}

fn generate_meshes(folder: &std::path::Path) -> Result<(), Failure> {
    let paths = crate::assets::generate(folder)?;
    print(&paths.iter().map(|path| format!("{}\n", path.display())).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_our_own_fault_and_has_its_exit_code() {
        let console = Console::new(Verbosity::Quiet);
        assert_eq!(guarded(console, || panic!("a fault of ours")), 70);
        assert_eq!(guarded(console, || rayon::join(|| panic!("on another thread"), || 0).1), 70);
        assert_eq!(guarded(console, || 3), 3);
    }
}
