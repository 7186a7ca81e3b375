//! Joins the modules of the voice view into a bundle, which imports the server's shared modules.

use bundle::{Bundles, Folder, Shared};

fn main() {
    let own = Folder { path: "page".into(), mount: "voice" };
    let folder = Folder { path: "../../crates/server/page".into(), mount: "" };
    let shared = Some(Shared { folder, entry: "shared.js" });
    Bundles { own, shared, entries: &["talk.js"], elsewhere: &[] }.build();
}
