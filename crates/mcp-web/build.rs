//! Joins the module of the page that a login returns to.

use bundle::{Bundles, Folder, Shared, Wait};

fn main() {
    let own = Folder { path: "page".into(), mount: "mcp" };
    let folder = Folder { path: "../../crates/server/page".into(), mount: "" };
    let shared = Some(Shared { folder, entry: "shared.js" });
    let later = Some(Wait { module: "words.js", function: "loadWords" });
    Bundles { own, shared, entries: &["logged_in.js"], elsewhere: &[], later }.build();
}
