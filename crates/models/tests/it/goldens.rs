//! Golden files; `GHOSTHAND_GOLDENS=write` updates them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Compares with the file, key order included, or writes it.
#[track_caller]
pub(crate) fn check(path: &Path, found: &Value) {
    let found = serde_json::to_string_pretty(found).unwrap() + "\n";
    if std::env::var_os("GHOSTHAND_GOLDENS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &found).unwrap();
        return;
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == expected,
        "{} differs; `cargo xtask goldens` updates it. Found:\n{found}",
        path.display()
    );
}
