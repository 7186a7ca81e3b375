//! What is tried: for each target its seeds, the words of its format, and what must hold.

mod attachment;
mod card_document;
mod card_import;
mod conversation_import;
mod event_streams;
mod markdown;
mod schemas;

/// A check of one input; an error says what does not hold.
pub(crate) type Check = Box<dyn Fn(&[u8]) -> Result<(), String>>;

/// Something that reads what others wrote.
pub struct Target {
    pub name: &'static str,
    pub seeds: fn() -> Vec<Vec<u8>>,
    pub words: &'static [&'static str],
    /// Makes the check; what it needs is made once for a run.
    pub check: fn() -> Check,
}

/// Every target.
pub const TARGETS: &[Target] = &[
    schemas::TARGET,
    event_streams::TARGET,
    markdown::TARGET,
    conversation_import::TARGET,
    card_import::TARGET,
    card_document::TARGET,
    attachment::TARGET,
];

/// The target of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// The texts as seeds.
fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
