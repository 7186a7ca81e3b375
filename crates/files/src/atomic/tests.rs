//! Replacing, creating, and leaving a file unchanged.

use std::fs;
use std::io::{ErrorKind, Write as _};

use super::{AtomicFile, write_atomically};

#[test]
fn a_file_is_replaced_and_nothing_is_left_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    write_atomically(&path, b"old").unwrap();
    write_atomically(&path, b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    write_atomically(&path, b"old").unwrap();
    assert_eq!(mode(), 0o644);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    write_atomically(&path, b"new").unwrap();
    assert_eq!(mode(), 0o600);
}

#[test]
fn a_dropped_draft_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let mut draft = AtomicFile::new(&path).unwrap();
    draft.write_all(b"half").unwrap();
    drop(draft);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn creating_does_not_overwrite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let create = |text: &[u8]| {
        let mut draft = AtomicFile::new(&path).unwrap();
        draft.write_all(text).unwrap();
        draft.create()
    };
    create(b"first").unwrap();
    assert_eq!(create(b"second").unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&path).unwrap(), b"first");
}
