//! Protections that a sandbox may lack, and which of these gaps the operator accepts.

use std::fmt;
use std::str::FromStr;

/// A protection that a system may be unable to provide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    Privileges,
    /// It runs as root.
    Root,
    Limits,
    Files,
    Calls,
    Signals,
    /// Not a limitation of the system: a program that needs to change modes and times of files
    /// may do so for all files of its user.
    Modes,
}

impl Gap {
    const ALL: [Gap; 7] =
        [Gap::Privileges, Gap::Root, Gap::Limits, Gap::Files, Gap::Calls, Gap::Signals, Gap::Modes];

    /// Its name in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Gap::Privileges => "privileges",
            Gap::Root => "root",
            Gap::Limits => "limits",
            Gap::Files => "files",
            Gap::Calls => "calls",
            Gap::Signals => "signals",
            Gap::Modes => "modes",
        }
    }

    /// Its name in messages.
    pub fn what(self) -> &'static str {
        match self {
            Gap::Calls => "system calls",
            Gap::Root => "another user",
            Gap::Privileges | Gap::Limits | Gap::Files | Gap::Signals | Gap::Modes => self.name(),
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a gap of the sandbox; the gaps are {all}", all = Gap::ALL.map(Gap::name).join(", "))]
pub struct UnknownGap(String);

impl FromStr for Gap {
    type Err = UnknownGap;
    fn from_str(text: &str) -> Result<Self, UnknownGap> {
        let named = Gap::ALL.into_iter().find(|gap| gap.name() == text);
        named.ok_or_else(|| UnknownGap(text.chars().take(40).collect()))
    }
}

/// The gaps that an operator accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Accepted(u8);

impl FromIterator<Gap> for Accepted {
    fn from_iter<I: IntoIterator<Item = Gap>>(gaps: I) -> Self {
        Self(gaps.into_iter().fold(0, |bits, gap| bits | gap.bit()))
    }
}

/// What to do if a required protection is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SandboxPolicy {
    /// Do not run.
    #[default]
    Required,
    /// Run if only these are missing; only an operator may choose this.
    Accepting(Accepted),
    /// Run with what is available; only an operator may choose this.
    BestEffort,
}

impl SandboxPolicy {
    pub fn accepts(self, gap: Gap) -> bool {
        match self {
            SandboxPolicy::Required => false,
            SandboxPolicy::Accepting(Accepted(bits)) => bits & gap.bit() != 0,
            SandboxPolicy::BestEffort => true,
        }
    }
}
