//! A stored token, and files that are not one.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::LocalToken;

#[test]
fn it_is_made_once_and_for_its_owner_alone() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("state/store.db");
    let first = LocalToken::beside(&store, "serve-token").unwrap();
    assert_eq!(first.file.metadata().unwrap().mode() & 0o777, 0o600);
    let again = LocalToken::beside(&store, "serve-token").unwrap();
    assert_eq!(first.token.secret(), again.token.secret());
    let other = LocalToken::beside(&store, "mcp-token").unwrap();
    assert_ne!(first.token.secret(), other.token.secret());
    let left = std::fs::read_dir(dir.path().join("state")).unwrap().count();
    assert_eq!(left, 2, "no draft stays");
}

#[test]
fn what_others_can_read_or_put_there_is_refused_with_a_fix() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store.db");
    let refused = || match LocalToken::beside(&store, "serve-token") {
        Ok(_) => panic!("it was taken"),
        Err(failure) => format!("{failure:?}"),
    };
    let file = LocalToken::beside(&store, "serve-token").unwrap().file;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(refused().contains("is readable by others"), "{}", refused());
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::write(&file, "short").unwrap();
    assert!(refused().contains("is not a token"), "{}", refused());
    std::fs::write(&file, "x".repeat(513)).unwrap();
    assert!(refused().contains("it has more than 512 bytes"), "{}", refused());
    let elsewhere = dir.path().join("elsewhere");
    std::fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    assert!(refused().contains("is a symbolic link"), "{}", refused());
}
