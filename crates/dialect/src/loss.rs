//! Losses: differences between a contract and what a target is sent, one [`Loss`] per location.
//!
//! Must hold: a loss names the location in the contract's own parameters, so that an author
//! finds it without knowing the target.

use serde::Serialize;

/// What happened to one keyword for a target. Without a loss it is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LossKind {
    /// Encoded differently and decoded back; nothing is lost.
    Reencoded,
    /// The wire is wider: the rule is in the description, and checked after decoding.
    Noted,
    /// The tool is sent without the provider's strict mode.
    Degraded,
    /// It cannot be sent correctly.
    Refused,
}

/// One difference between the contract and what a target receives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    pub fate: LossKind,
    /// JSON pointer into the contract's parameters.
    pub pointer: String,
    /// The keyword that could not be kept; empty for the whole tool.
    pub keyword: String,
    /// What happens, for a person.
    pub what: String,
    /// What an author can do about it; always present for [`LossKind::Refused`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl Loss {
    pub(crate) fn new(
        fate: LossKind,
        pointer: &str,
        keyword: &str,
        what: impl Into<String>,
    ) -> Self {
        Self {
            fate,
            pointer: pointer.to_owned(),
            keyword: keyword.to_owned(),
            what: what.into(),
            fix: None,
        }
    }

    pub(crate) fn refused(
        pointer: &str,
        keyword: &str,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { fix: Some(fix.into()), ..Self::new(LossKind::Refused, pointer, keyword, what) }
    }
}

impl std::fmt::Display for Loss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = if self.pointer.is_empty() { "/" } else { &self.pointer };
        write!(f, "{place}: {}", self.what)?;
        match &self.fix {
            Some(fix) => write!(f, "; {fix}"),
            None => Ok(()),
        }
    }
}
