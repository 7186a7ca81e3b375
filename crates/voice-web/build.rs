//! Joins the modules of the voice view into a bundle, which imports the server's shared modules.

use bundle::{Bundles, Folder, Shared, Wait};

fn main() {
    let own = Folder { path: "page".into(), mount: "voice" };
    let folder = Folder { path: "../../crates/server/page".into(), mount: "" };
    let shared = Some(Shared { folder, entry: "shared.js" });
    let later = Some(Wait { module: "words.js", function: "loadWords" });
    Bundles { own, shared, entries: &["talk.js"], elsewhere: &[], later }.build();
}
