//! Fabrics by name and in JSON.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::builtin;
use super::error::{Fault, Problem, closest_word};
use crate::preview::bytes_of_hex;
use crate::simulate::Fabric;

/// A fabric: SI values with the measurements they come from.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FabricFile {
    /// What it is and how it falls.
    pub description: String,
    /// Where the values come from.
    pub source: String,
    /// What laboratories found on such fabrics.
    #[serde(default, skip_serializing_if = "Published::is_empty")]
    pub published: Published,
    /// Its colour in previews where the garment has none, sRGB: `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^#[0-9a-f]{6}$"))]
    pub colour: Option<String>,
    /// Mass of a square metre, kg/m2.
    #[schemars(range(min = 0.005, max = 10.0))]
    pub areal_density: f64,
    /// Membrane stiffness along the threads, N/m (force per width at 100 % stretch).
    #[schemars(range(min = 1.0, max = 1e6))]
    pub stretch_stiffness: f64,
    /// Membrane stiffness in shear, N/m.
    #[schemars(range(min = 0.0, max = 1e6))]
    pub shear_stiffness: f64,
    /// Bending rigidity, N m.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub bending_rigidity: f64,
    /// Damping time of shear, seconds: the force is this times stiffness times rate; that of bending is ten times as long. Cloth: 0.001 to 0.05.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub damping: f64,
    /// Coulomb friction coefficient against bodies.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub friction: f64,
    /// Distance kept from bodies, metres.
    #[schemars(range(min = 0.0, max = 0.1))]
    pub thickness: f64,
}

/// Ranges that laboratories published; [`FabricFile::source`] says who.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Published {
    /// Drape coefficient (Cusick), 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drape_coefficient: Option<[f64; 2]>,
    /// Bending length (Peirce), millimetres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bending_length_mm: Option<[f64; 2]>,
}

impl Published {
    fn is_empty(&self) -> bool {
        *self == Published::default()
    }
}

/// The fabric of a scene: a name, or a named one with some values changed.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FabricChoice {
    /// The name of a built-in fabric.
    Named(String),
    /// Changes to a fabric.
    Changed(FabricChanges),
}

impl Default for FabricChoice {
    fn default() -> Self {
        FabricChoice::Named(super::DEFAULT_FABRIC.to_owned())
    }
}

/// Values that differ from those of a built-in fabric.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FabricChanges {
    /// Built-in fabric that gives the values not named here; cotton when not given.
    pub base: Option<String>,
    /// Mass of a square metre, kg/m2.
    #[schemars(range(min = 0.005, max = 10.0))]
    pub areal_density: Option<f64>,
    /// Membrane stiffness along the threads, N/m (force per width at 100 % stretch).
    #[schemars(range(min = 1.0, max = 1e6))]
    pub stretch_stiffness: Option<f64>,
    /// Membrane stiffness in shear, N/m.
    #[schemars(range(min = 0.0, max = 1e6))]
    pub shear_stiffness: Option<f64>,
    /// Bending rigidity, N m.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub bending_rigidity: Option<f64>,
    /// Damping time of shear, seconds: the force is this times stiffness times rate; that of bending is ten times as long. Cloth: 0.001 to 0.05.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub damping: Option<f64>,
    /// Coulomb friction coefficient against bodies.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub friction: Option<f64>,
    /// Distance kept from bodies, metres.
    #[schemars(range(min = 0.0, max = 0.1))]
    pub thickness: Option<f64>,
}

impl FabricFile {
    /// The values alone.
    pub fn fabric(&self) -> Fabric {
        Fabric {
            areal_density: self.areal_density as f32,
            stretch_stiffness: self.stretch_stiffness as f32,
            shear_stiffness: self.shear_stiffness as f32,
            bending_rigidity: self.bending_rigidity as f32,
            damping: self.damping as f32,
            friction: self.friction as f32,
            thickness: self.thickness as f32,
        }
    }
}

impl FabricChoice {
    /// The fabric that is meant.
    ///
    /// # Errors
    /// If no built-in fabric has the name.
    pub fn resolve(&self) -> Result<Fabric, Fault> {
        match self {
            FabricChoice::Named(name) => named_fabric(name).map_err(|p| Fault::new("fabric", p)),
            FabricChoice::Changed(changes) => {
                Ok(changes.applied_to(named_fabric(self.base()).map_err(|p| Fault::new("fabric.base", p))?))
            }
        }
    }
}

impl FabricChoice {
    /// The name of the built-in fabric that it is, or is made from.
    pub fn base(&self) -> &str {
        match self {
            FabricChoice::Named(name) => name,
            FabricChoice::Changed(changes) => changes.base.as_deref().unwrap_or(super::DEFAULT_FABRIC),
        }
    }
}

impl FabricChanges {
    fn applied_to(&self, base: Fabric) -> Fabric {
        let or = |change: Option<f64>, base: f32| change.map_or(base, |c| c as f32);
        Fabric {
            areal_density: or(self.areal_density, base.areal_density),
            stretch_stiffness: or(self.stretch_stiffness, base.stretch_stiffness),
            shear_stiffness: or(self.shear_stiffness, base.shear_stiffness),
            bending_rigidity: or(self.bending_rigidity, base.bending_rigidity),
            damping: or(self.damping, base.damping),
            friction: or(self.friction, base.friction),
            thickness: or(self.thickness, base.thickness),
        }
    }
}

/// The colour of the built-in fabric called `name`, sRGB; none if there is no such fabric or it has none.
pub fn fabric_colour(name: &str) -> Option<[u8; 3]> {
    let (_, file) = builtin::fabrics().into_iter().find(|(known, _)| *known == name)?;
    bytes_of_hex(&file.colour?)
}

/// The built-in fabric called `name`.
///
/// # Errors
/// If there is none; the problem lists those there are.
pub fn named_fabric(name: &str) -> Result<Fabric, Problem> {
    let fabrics = builtin::fabrics();
    if let Some((_, file)) = fabrics.iter().find(|(known, _)| *known == name) {
        return Ok(file.fabric());
    }
    let known: Vec<&str> = fabrics.iter().map(|(known, _)| *known).collect();
    Err(Problem::UnknownWord {
        found: format!("`{name}`"),
        suggestion: closest_word(name, known.iter().copied()).map(str::to_owned),
        allowed: known.into_iter().map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_fabric_has_a_colour_of_its_own() {
        let mut colours: Vec<[u8; 3]> =
            builtin::fabric_names().into_iter().map(|name| fabric_colour(name).expect("a colour")).collect();
        let count = colours.len();
        colours.sort_unstable();
        colours.dedup();
        assert_eq!(colours.len(), count);
        assert_eq!(fabric_colour("chain mail"), None);
    }
}
