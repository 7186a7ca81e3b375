//! What a target cannot say as the contract says it: one [`Loss`] per place.
//!
//! In: nothing. Out: the words of the loss report. Must hold: a loss names the place in
//! the contract's own parameters, so that an author finds it without knowing the target.

use serde::Serialize;

/// What became of one keyword on the way to a target. No loss at all means exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LossKind {
    /// Spelled another way and decoded back; nothing is lost.
    Reencoded,
    /// The wire is wider: the rule is said in the description and checked by us.
    Noted,
    /// The tool is sent without the provider's strict mode.
    Degraded,
    /// There is no sound way to send this.
    Refused,
}

/// One difference between the contract and what a target receives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    pub fate: LossKind,
    /// JSON pointer into the contract's parameters.
    pub pointer: String,
    /// The keyword that could not be kept as it is; empty when it is the whole tool.
    pub keyword: String,
    /// What happens, for a person.
    pub what: String,
    /// What an author can do about it; always there when the fate is [`LossKind::Refused`].
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
