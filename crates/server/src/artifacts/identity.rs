//! When a code block is a new version of an artifact, and when it is another one.
//!
//! The rule, which `docs/reference/page.md` explains to people:
//!
//! 1. A block with a name belongs to the artifact with that name and language.
//! 2. A block without a name belongs to the newest artifact of its language, from an earlier
//!    entry, that shares at least half of its lines: of the longer of the two texts, at least
//!    half of the lines are in the other one too. Blank lines and lines of fewer than three
//!    characters do not count, and neither do spaces around a line.
//! 3. Anything else is a new artifact.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::Artifact;

/// So many of the newest artifacts are compared.
const COMPARED_MAX: usize = 40;
/// Further lines are not compared.
const LINES_MAX: usize = 20_000;
const LINE_CHARS_MIN: usize = 3;

/// The lines of a text that count, as sorted hashes.
#[derive(Debug, Clone, Default)]
pub(super) struct Lines(Vec<u64>);

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        let counted = text.lines().map(str::trim).filter(|line| line.len() >= LINE_CHARS_MIN);
        let mut lines: Vec<u64> = counted.take(LINES_MAX).map(hash).collect();
        lines.sort_unstable();
        Self(lines)
    }

    fn shares_half(&self, other: &Self) -> bool {
        let longer = self.0.len().max(other.0.len());
        longer > 0 && self.shared(other) * 2 >= longer
    }

    /// How many lines both have; a line that is there twice counts twice.
    fn shared(&self, other: &Self) -> usize {
        let (mut ours, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut shared = 0;
        while let (Some(our), Some(their)) = (ours.peek(), theirs.peek()) {
            match our.cmp(their) {
                std::cmp::Ordering::Less => drop(ours.next()),
                std::cmp::Ordering::Greater => drop(theirs.next()),
                std::cmp::Ordering::Equal => {
                    shared += 1;
                    ours.next();
                    theirs.next();
                }
            }
        }
        shared
    }
}

/// The same on every run: the hasher has fixed keys.
fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

/// Which of the artifacts this is a version of.
pub(super) fn same(
    found: &[Artifact],
    entry: &str,
    name: Option<&str>,
    language: &str,
    lines: &Lines,
) -> Option<usize> {
    let of_language = |artifact: &Artifact| artifact.language.eq_ignore_ascii_case(language);
    let candidates = || found.iter().enumerate().rev().filter(|(_, one)| of_language(one));
    if let Some(name) = name {
        let is_it = |(_, one): &(usize, &Artifact)| one.name.as_deref() == Some(name);
        return candidates().find(is_it).map(|(at, _)| at);
    }
    let is_earlier =
        |one: &Artifact| one.versions.last().is_some_and(|version| version.entry != entry);
    let mut compared = candidates().take(COMPARED_MAX);
    compared.find(|(_, one)| is_earlier(one) && one.lines.shares_half(lines)).map(|(at, _)| at)
}
