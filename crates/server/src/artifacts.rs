//! Artifacts: what a model or a tool wrote that is worth a place of its own beside the
//! conversation: pages, drawings, diagrams, tables, documents and long code.
//!
//! In: the texts of a conversation's entries, in order. Out: its artifacts, each with its
//! versions. Pure: the same entries give the same artifacts, so a reload shows the same.
//!
//! Start at [`artifacts`]; `block.rs` says which code blocks are artifacts, and `identity.rs`
//! which of them are versions of one another.

pub(crate) mod block;
mod identity;
mod kind;
mod name;

use conversation::{Entry, view};

use self::block::{CodeBlock, Labels};
use self::identity::Lines;
use crate::render::markdown::code_blocks;
use crate::stream::entry_key::EntryKeys;

pub use self::kind::Kind;

/// One artifact; its labels are those of its newest version.
#[derive(Debug, Clone)]
pub struct Artifact {
    pub title: String,
    pub kind: Kind,
    /// As in the code block; may be empty.
    pub language: String,
    /// A name to save it under, without folders.
    pub file: String,
    /// From the oldest to the newest; never empty.
    pub versions: Vec<Version>,
    /// The name in its code block, if there is one.
    name: Option<String>,
    lines: Lines,
}

/// An artifact as one answer had it.
#[derive(Debug, Clone)]
pub struct Version {
    /// The key of the entry.
    pub entry: String,
    /// Which artifact of the entry it is, from 0.
    pub block: usize,
    pub turn: u64,
    pub text: String,
}

/// Later artifacts of a conversation have no place of their own.
const ARTIFACTS_MAX: usize = 500;
const VERSIONS_MAX: usize = 200;

/// The artifacts of a conversation, in the order of their first versions.
pub fn artifacts(conversation: &conversation::Conversation) -> Vec<Artifact> {
    let (mut keys, mut found) = (EntryKeys::default(), Vec::new());
    for entry in view(conversation) {
        let key = keys.of(&entry);
        match &entry {
            Entry::Assistant { turn, text, .. } | Entry::System { turn, text, .. } => {
                add_text(&key, *turn, text, &mut found);
            }
            Entry::User { .. }
            | Entry::Thinking { .. }
            | Entry::Step(_)
            | Entry::BrokeOff { .. }
            | Entry::Ended { .. } => {}
        }
    }
    found
}

/// Adds the artifacts of one text.
fn add_text(entry: &str, turn: u64, text: &str, found: &mut Vec<Artifact>) {
    let blocks = code_blocks(text).into_iter();
    let labelled = blocks.filter_map(|block| Some((block.labels()?, block)));
    for (number, (labels, CodeBlock { code, .. })) in labelled.enumerate() {
        let version = Version { entry: entry.to_owned(), block: number, turn, text: code };
        add_version(labels, version, found);
    }
}

fn add_version(labels: Labels, version: Version, found: &mut Vec<Artifact>) {
    let lines = Lines::of(&version.text);
    let (name, language) = (labels.name.as_deref(), labels.language.as_str());
    let same = identity::same(found, &version.entry, name, language, &lines);
    if let Some(artifact) = same.and_then(|at| found.get_mut(at)) {
        artifact.add(labels, version, lines);
    } else if found.len() < ARTIFACTS_MAX {
        let Labels { kind, language, title, file, name } = labels;
        let versions = vec![version];
        found.push(Artifact { title, kind, language, file, versions, name, lines });
    }
}

impl Artifact {
    fn add(&mut self, labels: Labels, version: Version, lines: Lines) {
        if self.versions.len() >= VERSIONS_MAX {
            self.versions.remove(0);
        }
        self.versions.push(version);
        (self.kind, self.lines) = (labels.kind, lines);
        // A name is kept when a later version is written without it.
        if self.name.is_none() || labels.name.is_some() {
            (self.title, self.file, self.name) = (labels.title, labels.file, labels.name);
        }
    }
}

#[cfg(test)]
mod tests;
