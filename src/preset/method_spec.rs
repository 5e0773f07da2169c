//! A method by the words of `--methods`.

use std::fmt;
use std::str::FromStr;

use super::Method;
use crate::simulate::{Enforcement, Parameters};

/// A method to compare: `tethers`, `provot:5`, `directional:2`.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodSpec {
    text: String,
    method: Method,
    number: Option<u32>,
}

/// A method that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no method; write none, provot[:PASSES], directional[:LIMIT] or tethers[:PASSES]")]
pub struct MethodError(String);

impl FromStr for MethodSpec {
    type Err = MethodError;

    fn from_str(text: &str) -> Result<Self, MethodError> {
        let fail = || MethodError(text.to_owned());
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => {
                let number = number.parse::<u32>().ok().filter(|n| (1..=1000).contains(n));
                (name, Some(number.ok_or_else(fail)?))
            }
            None => (text, None),
        };
        let method = match name {
            "none" if number.is_none() => Method::None,
            "provot" => Method::Provot,
            "directional" => Method::Directional,
            "tethers" => Method::Tethers,
            _ => return Err(fail()),
        };
        Ok(MethodSpec { text: text.to_owned(), method, number })
    }
}

impl fmt::Display for MethodSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl MethodSpec {
    /// Sets the method; its tolerance is that of the scene's own.
    pub fn apply(&self, parameters: &mut Parameters) {
        let tolerance = match parameters.enforcement {
            Enforcement::Provot { threshold, .. } => Some(threshold),
            Enforcement::Directional { tolerance } => Some(tolerance),
            _ => None,
        };
        parameters.enforcement = self.method.with(self.number, tolerance);
    }

    /// How often a goal of a correction map may be corrected, for methods that use one.
    pub fn visit_limit(&self) -> Option<u32> {
        (self.method == Method::Directional).then(|| self.number.unwrap_or(1))
    }
}
