//! Artifacts in a terminal: one line that names each, and a file when a person asks for it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use contract::Artifact;
use files::AtomicFile;

use crate::exit::Failure;
use crate::render::printer::count;

/// `report.html  html, 41 lines`, and how to save it.
pub(crate) fn line(artifact: &Artifact, how_to_save: &str) -> String {
    let lines = count(artifact.text.lines().count(), "line");
    format!("{}  {}, {lines}; {how_to_save}", artifact.name, artifact.language)
}

/// Writes a new file; a file that is there already is not replaced.
pub(crate) fn save(folder: &Path, name: &str, text: &str) -> Result<PathBuf, Failure> {
    let path = folder.join(name);
    let written = AtomicFile::new(&path).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.create()
    });
    written.map_err(|fault| {
        let fix = match fault.kind() == io::ErrorKind::AlreadyExists {
            true => "remove or rename the file, or choose another folder",
            false => "choose a folder that exists and can be written",
        };
        Failure::message(format!("cannot write `{}`: {fault}", path.display()), fix)
    })?;
    Ok(path)
}
