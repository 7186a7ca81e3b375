//! Joins the modules of the flashcards' page into a bundle, which imports the server's shared modules.

use bundle::{Bundles, Folder, Shared};

fn main() {
    let own = Folder { path: "page".into(), mount: "cards" };
    let folder = Folder { path: "../../../crates/server/page".into(), mount: "" };
    let shared = Some(Shared { folder, entry: "shared.js" });
    Bundles { own, shared, entries: &["app.js"], elsewhere: &[], later: None }.build();
}
