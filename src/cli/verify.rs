//! `toile verify`: whether the outputs of a bake are what its report says.

use std::path::PathBuf;

use clap::Args;

use super::failure::Failure;
use super::interrupt::Interrupt;
use super::{print, print_json};
use crate::cli::console::printable;
use crate::import::counted;
use crate::verify::{self, FileVerdict, Search, Status, Verdict};

const EXAMPLES: &str = "\
Examples:
  toile bake skirt_walk --out walk.glb --out seq/walk.obj --report walk.json
  toile verify walk.json
  toile verify walk.json --folder /mnt/delivered --json

Outputs are looked for as the report names them, from the current folder, and then beside the report.

Exit codes:
  0 every output is what was baked    3 an output differs    65 the report cannot be read
  66 the report, or an output and nothing worse, is missing    74 input/output error";

/// `toile verify`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct VerifyArguments {
    /// Report of a bake: the JSON that --report wrote
    #[arg(value_name = "REPORT")]
    pub(crate) report: PathBuf,

    /// Folder with the outputs, /mnt/delivered say: by their paths in the report, or their names [default: as the report says]
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,

    /// Print one JSON document to stdout
    #[arg(long)]
    pub(crate) json: bool,
}

/// Reads all outputs again and says of each whether it is right.
pub(crate) fn run(arguments: &VerifyArguments, interrupt: &Interrupt) -> Result<(), Failure> {
    let search = Search { folder: arguments.folder.as_deref(), interrupted: Some(interrupt.flag()) };
    let verdict = verify::verify(&arguments.report, &search)?;
    if arguments.json {
        print_json(&verdict)?;
    } else {
        print(&verdict.outputs.iter().map(lines).collect::<String>())?;
    }
    unproven(&verdict).map_or(Ok(()), Err)
}

/// Why the outputs are not proven; none if they are.
fn unproven(verdict: &Verdict) -> Option<Failure> {
    let count = |status| verdict.outputs.iter().filter(|output| output.status == status).count();
    let (differing, missing, all) = (count(Status::Differs), count(Status::Missing), verdict.outputs.len());
    (!verdict.is_proven).then_some(Failure::Unproven { differing, missing, all })
}

/// What is told of a file: a line, and one for each fault.
fn lines(output: &FileVerdict) -> String {
    let name = printable(&output.path).replace('\n', "\\n");
    let mut lines = match output.status {
        Status::Ok => format!("ok       {name}{}\n", proof(output)),
        Status::Missing => format!("missing  {name}\n"),
        Status::Differs => String::new(),
    };
    for fault in &output.faults {
        let what = printable(&fault.to_string()).replace('\n', "\\n");
        lines += &format!("differs  {name}: {what}\n");
    }
    if output.more_faults > 0 {
        lines += &format!("differs  {name}: and {} more\n", output.more_faults);
    }
    for note in &output.notes {
        lines += &format!("         {name}: {}\n", printable(note).replace('\n', "\\n"));
    }
    lines
}

/// What was proven of a file.
fn proof(output: &FileVerdict) -> String {
    let frames = counted(output.frames, "frame");
    match output.tolerance_m {
        None => ": bytes".to_owned(),
        Some(0.0) => format!(": {frames}, positions to the bit"),
        Some(metres) => format!(": {frames}, positions within {:.4} mm", metres * 1000.0),
    }
}
