//! `toile pose`: a body at given moments as a point cache, to compare its skinning with another program's.

use std::io;

use super::arguments::PoseArguments;
use super::console::Console;
use super::failure::Failure;
use super::{print, whole_file};
use crate::body::{self, Body};
use crate::import::{self, BodyAsset, FileFrame};

/// Poses the body and writes it.
pub(super) fn run(arguments: &PoseArguments, console: &Console) -> Result<(), Failure> {
    whole_file::check_free(&arguments.out, arguments.force)?;
    let asset = import::read_body(&arguments.body, FileFrame::default())?;
    if let BodyAsset::Rig(rig) = &asset {
        console.notes(&rig.notices);
    }
    let body = Body::new(asset, arguments.animation.as_deref())?;
    whole_file::write(&arguments.out, |mut out: &mut dyn io::Write| {
        body::write_poses(&body, &arguments.times, &mut out)
    })?;
    print(&format!("{}\n", arguments.out.display()))
}
