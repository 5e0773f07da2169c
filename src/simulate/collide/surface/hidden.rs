//! What a particle does not see of the body.

use super::pinch::Pinch;
use super::tucked::Unseen;
use crate::body::JointId;
use crate::simulate::archive::{Archive, Archived};

/// Why a particle does not see all of the body. Most see all of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Hidden {
    /// Shells that it started inside and has not left.
    pub(super) unseen: Vec<Unseen>,
    /// Parts, by their joints, that it yields to: they cross the part it keeps to, and it has not left them.
    pub(super) yielded: Vec<JointId>,
    /// Where a bent joint pinches it.
    pub(super) pinch: Option<Pinch>,
}

/// Nothing is hidden.
pub(super) static NOTHING: Hidden = Hidden { unseen: Vec::new(), yielded: Vec::new(), pinch: None };

impl Hidden {
    /// The same, if it is anything.
    pub(super) fn boxed(self) -> Option<Box<Hidden>> {
        (self != NOTHING).then(|| Box::new(self))
    }

    /// Lets go of a particle that was pinched.
    pub(super) fn let_go(hidden: &mut Option<Box<Hidden>>) {
        *hidden = hidden.take().and_then(|hidden| Hidden { pinch: None, ..*hidden }.boxed());
    }

    /// All of it, on a body of so many shells and triangles.
    pub(super) fn archive(
        hidden: &mut Option<Box<Hidden>>,
        archive: &mut Archive<'_>,
        [shells, triangles]: [usize; 2],
    ) -> Archived {
        let mut all = hidden.take().map_or_else(Hidden::default, |hidden| *hidden);
        archive.list(&mut all.unseen, || Unseen::BLANK, |archive, unseen| unseen.archive(archive, shells))?;
        archive.list(&mut all.yielded, || JointId(0), |archive, joint| archive.u32(&mut joint.0))?;
        archive.option(&mut all.pinch, || Pinch::BLANK, |archive, pinch| pinch.archive(archive, triangles))?;
        *hidden = all.boxed();
        Ok(())
    }
}
