//! Joins the modules of the page into bundles.

use bundle::{Bundles, Folder, Wait};

fn main() {
    let own = Folder { path: "page".into(), mount: "" };
    let entries = &["shared.js", "app.js"];
    // The voice view is in another crate.
    // The texts of what is loaded later.
    let later = Some(Wait { module: "words.js", function: "loadWords" });
    Bundles { own, shared: None, entries, elsewhere: &["voice"], later }.build();
}
