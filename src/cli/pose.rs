//! `toile pose`: a body at given moments as a point cache, to compare its skinning with another program's.

use super::arguments::PoseArguments;
use super::console::Console;
use super::failure::Failure;
use super::print;
use crate::bake::{self, Overwrite};
use crate::body::{self, Body};
use crate::import::{self, BodyAsset, FileFrame};

/// Poses the body and writes it.
pub(super) fn run(arguments: &PoseArguments, console: &Console) -> Result<(), Failure> {
    let overwrite = if arguments.force { Overwrite::Allow } else { Overwrite::Refuse };
    bake::check_side_file(&arguments.out, &[], std::slice::from_ref(&arguments.body), overwrite)?;
    let asset = import::read_body(&arguments.body, FileFrame::default())?;
    if let BodyAsset::Rig(rig) = &asset {
        console.notes(&rig.notices);
    }
    let body = Body::new(asset, arguments.animation.as_deref())?;
    bake::write_file(&arguments.out, |mut out| body::write_poses(&body, &arguments.times, &mut out))?;
    print(&format!("{}\n", arguments.out.display()))
}
