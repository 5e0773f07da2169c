//! Calls of stages that are not connected yet; each is one line once its stage is there.

use std::path::Path;

use super::failure::exit;
use crate::body::Body;
use crate::correction::CorrectionMap;
use crate::import::{BodyAsset, FileFrame, Garment, ImportError};
use crate::springs::SpringNetwork;
use crate::topology::{ParticleId, Topology};

/// Stands for [`ImportError`] until it has all variants.
pub(crate) type CannotRead = ImportError;

impl CannotRead {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            ImportError::Missing { .. } => exit::NO_INPUT,
            ImportError::Io { .. } => exit::IO,
        }
    }
}

/// Stands for `body::BodyError`.
#[derive(Debug, thiserror::Error)]
#[error("bodies are not connected yet")]
pub(crate) struct BodyError;

impl BodyError {
    pub(crate) fn exit_code(&self) -> u8 {
        exit::USAGE
    }
}

/// Stands for `topology::TopologyError`.
#[derive(Debug, thiserror::Error)]
#[error("no topology")]
pub(crate) struct TopologyError;

pub(crate) fn read_garment(path: &Path, _frame: FileFrame) -> Result<Garment, CannotRead> {
    Err(ImportError::Missing { path: path.to_owned() })
}

pub(crate) fn read_body(path: &Path, _frame: FileFrame) -> Result<BodyAsset, CannotRead> {
    Err(ImportError::Missing { path: path.to_owned() })
}

pub(crate) fn new_body(_asset: BodyAsset, _clip: Option<&str>, _frames_per_second: f64) -> Result<Body, BodyError> {
    Err(BodyError)
}

pub(crate) fn build_topology(garment: &Garment) -> Result<Topology, TopologyError> {
    if garment.polygons.is_empty() { Err(TopologyError) } else { Ok(Topology::default()) }
}

pub(crate) fn build_springs(_topology: &Topology) -> SpringNetwork {
    SpringNetwork::default()
}

pub(crate) fn build_map(
    state: &str,
    fixed: Vec<ParticleId>,
    _topology: &Topology,
    _springs: &SpringNetwork,
    _visit_limit: u32,
) -> CorrectionMap {
    CorrectionMap { state: state.to_owned(), fixed, corrections: Vec::new(), levels: 0, unreached: Vec::new() }
}
