//! The contracts of the tools from `apps/pen/tools`, compiled in.

use std::fs;
use std::io;
use std::path::Path;

macro_rules! contract {
    ($dir:literal) => {
        (
            $dir,
            [
                ("schema.json", include_str!(concat!("../../tools/", $dir, "/schema.json"))),
                ("doc_summary.md", include_str!(concat!("../../tools/", $dir, "/doc_summary.md"))),
                ("doc.md", include_str!(concat!("../../tools/", $dir, "/doc.md"))),
            ],
        )
    };
}

type Files = [(&'static str, &'static str); 3];

const CONTRACTS: [(&str, Files); 9] = [
    contract!("read-style-profile"),
    contract!("update-style-profile"),
    contract!("list-profiles"),
    contract!("read-past-posts"),
    contract!("save-to-file"),
    contract!("search-web"),
    contract!("read-notion-page"),
    contract!("write-to-notion"),
    contract!("track-feedback"),
];

/// Writes the contracts into a folder, for a registry to read.
pub fn unpack(folder: &Path) -> io::Result<()> {
    for (dir, files) in CONTRACTS {
        let dir = folder.join(dir);
        fs::create_dir_all(&dir)?;
        for (name, text) in files {
            fs::write(dir.join(name), text)?;
        }
    }
    Ok(())
}
