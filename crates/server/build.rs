//! Joins the modules of the page into bundles.

use bundle::{Bundles, Folder};

fn main() {
    let own = Folder { path: "page".into(), mount: "" };
    let entries = &["shared.js", "app.js"];
    // The voice view is in another crate.
    Bundles { own, shared: None, entries, elsewhere: &["voice"] }.build();
}
