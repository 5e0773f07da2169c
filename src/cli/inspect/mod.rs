//! `toile inspect`.
use super::arguments::InspectArguments;
use super::console::Console;
use super::failure::Failure;
pub(crate) fn run(_arguments: &InspectArguments, _console: &Console) -> Result<(), Failure> {
    Ok(())
}
