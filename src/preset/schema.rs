//! JSON Schema (draft 2020-12) of scenes and fabrics: for editors, and for our own checks.

use serde_json::Value;

use super::fabric::FabricFile;
use super::file::SceneFile;

/// Schema of a scene.
pub fn scene() -> Value {
    schemars::schema_for!(SceneFile).to_value()
}

/// Schema of a fabric.
pub fn fabric() -> Value {
    schemars::schema_for!(FabricFile).to_value()
}
