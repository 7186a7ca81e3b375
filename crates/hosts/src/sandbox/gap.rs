//! What a fence may lack, by name, and which of it the operator accepts.

use std::fmt;
use std::str::FromStr;

/// A part of the fence that a system may be unable to raise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    Privileges,
    /// It runs as root.
    Root,
    Limits,
    Files,
    Calls,
    Signals,
    /// No fault of the system: a program that must change modes and times of files gets them
    /// for all files of its user.
    Modes,
}

impl Gap {
    const ALL: [Gap; 7] =
        [Gap::Privileges, Gap::Root, Gap::Limits, Gap::Files, Gap::Calls, Gap::Signals, Gap::Modes];

    /// How the settings name it.
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

    /// How people are told of it.
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
#[error("`{0}` is no gap of the sandbox; the gaps are {all}", all = Gap::ALL.map(Gap::name).join(", "))]
pub struct UnknownGap(String);

impl FromStr for Gap {
    type Err = UnknownGap;
    fn from_str(text: &str) -> Result<Self, UnknownGap> {
        let named = Gap::ALL.into_iter().find(|gap| gap.name() == text);
        named.ok_or_else(|| UnknownGap(text.chars().take(40).collect()))
    }
}

/// The gaps an operator has accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Accepted(u8);

impl FromIterator<Gap> for Accepted {
    fn from_iter<I: IntoIterator<Item = Gap>>(gaps: I) -> Self {
        Self(gaps.into_iter().fold(0, |bits, gap| bits | gap.bit()))
    }
}

/// What to do where a required part cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sandbox {
    /// Nothing runs.
    #[default]
    Required,
    /// It runs if nothing is missing but this; only an operator may say so.
    Accepting(Accepted),
    /// It runs with what there is; only an operator may say so.
    BestEffort,
}

impl Sandbox {
    pub fn accepts(self, gap: Gap) -> bool {
        match self {
            Sandbox::Required => false,
            Sandbox::Accepting(Accepted(bits)) => bits & gap.bit() != 0,
            Sandbox::BestEffort => true,
        }
    }
}
