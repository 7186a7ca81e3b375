//! A set is found only if it matches its lock file.

use std::fs;
use std::path::Path;

use super::find;

#[track_caller]
fn check(repository: &Path, expected: &str) {
    let found = match find(repository, "some") {
        Ok(folder) => folder.strip_prefix(repository).unwrap().display().to_string(),
        Err(why) => why,
    };
    assert_eq!(found, expected);
}

#[test]
fn the_error_for_a_missing_or_outdated_set_says_what_to_run() {
    let dir = tempfile::tempdir().unwrap();
    let repository = dir.path();
    let manifest = repository.join("tests/packages/some");
    let folder = repository.join("target/test-packages/some");
    fs::create_dir_all(&manifest).unwrap();
    fs::create_dir_all(&folder).unwrap();
    check(repository, "there is no lock file in tests/packages/some");
    fs::write(manifest.join("requirements.txt"), "one==1\n").unwrap();
    check(repository, "the test packages `some` are not installed: run `make setup-tests`");
    fs::write(folder.join("installed"), "one==1\n").unwrap();
    check(repository, "target/test-packages/some");
    fs::write(manifest.join("requirements.txt"), "one==2\n").unwrap();
    check(repository, "the test packages `some` are out of date: run `make setup-tests`");
}
