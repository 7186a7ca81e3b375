//! The documents, held to what they show.
//!
//! Each document is gone through from top to bottom in a scratch project: `console` and `sh`
//! blocks are run and compared, other blocks are parsed. Comments that readers do not see
//! prepare a scene or say why a block is not run; `block.rs` has them all.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test stops at the first thing that is not as it should be, and starts programs"
)]

mod background;
mod block;
mod compare;
mod parsed;
mod scratch;
mod walk;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

macro_rules! documents {
    ($($name:ident $path:literal,)*) => {
        $(#[test]
        fn $name() {
            walk::document($path);
        })*

        const DOCUMENTS: &[&str] = &[$($path),*];
    };
}

documents! {
    readme "README.md",
    contributing "CONTRIBUTING.md",
    api "docs/reference/api.md",
    asking "docs/guide/asking.md",
    voice_guide "docs/guide/voice.md",
    cards "docs/guide/cards.md",
    cluster "docs/guide/cluster.md",
    code "docs/reference/code.md",
    dialects "docs/reference/dialects.md",
    forms "docs/guide/forms.md",
    handlers "docs/guide/handlers.md",
    mcp "docs/guide/mcp.md",
    models "docs/guide/models.md",
    notion_and_search "docs/guide/notion-and-search.md",
    page "docs/reference/page.md",
    pen "docs/guide/pen.md",
    pen_lint "docs/reference/pen-lint.md",
    python "docs/guide/python.md",
    python_context "docs/reference/python-context.md",
    release "docs/reference/release.md",
    rules "docs/guide/rules.md",
    serve "docs/guide/serve.md",
    speed "docs/reference/speed.md",
    acceptance "docs/reference/acceptance.md",
    numbers "docs/reference/numbers.md",
    settings "docs/reference/settings.md",
    voice "docs/reference/voice.md",
    security "docs/reference/security.md",
    reporting "SECURITY.md",
}

/// Made by `cargo xtask goldens` from pages that are tests of their own.
const GENERATED: [&str; 1] = ["docs/reference/faults.md"];

/// The root of this repository.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

#[test]
fn every_document_is_gone_through() {
    let mut found = BTreeSet::new();
    for folder in ["docs/guide", "docs/reference"] {
        let files = std::fs::read_dir(repository().join(folder)).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let documents = names.filter(|name| name.ends_with(".md"));
        found.extend(documents.map(|name| format!("{folder}/{name}")));
    }
    let listed = DOCUMENTS.iter().chain(&GENERATED).map(|path| (*path).to_owned());
    let listed: BTreeSet<_> = listed.filter(|path| path.starts_with("docs/")).collect();
    assert_eq!(listed, found, "add the document to the list in this file");
}
