//! Interpreters that exist, are too old, or are missing.

use std::os::unix::fs::symlink;

use super::*;

fn folder_with(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        std::fs::write(folder.path().join(file), "").unwrap();
    }
    folder
}

#[test]
fn the_first_interpreter_that_is_new_enough_is_found() {
    let folder = folder_with(&["python3.9", "python3.12", "python3.11"]);
    symlink("python3.9", folder.path().join("python3")).unwrap();
    let found = find_python(&[folder.path().into()]).unwrap();
    assert_eq!(found, folder.path().join("python3.12"), "`python3` itself is too old");
    let newer = folder_with(&["python3.13"]);
    symlink("python3.13", newer.path().join("python3")).unwrap();
    let found = find_python(&[newer.path().into(), folder.path().into()]).unwrap();
    assert_eq!(found, newer.path().join("python3"));
}

#[test]
fn without_an_interpreter_the_fault_says_what_is_missing() {
    let none = found_in(&search(&[])).unwrap_err();
    assert_eq!(
        none,
        "Python tools need Python 3.10 or newer, but no `python3` was found; install it or set its path"
    );
    let folder = folder_with(&["python3.9"]);
    let old = folder.path().join("python3");
    symlink("python3.9", &old).unwrap();
    let fault = found_in(&search(&[folder.path().into()])).unwrap_err();
    let expected =
        format!("Python tools need Python 3.10 or newer, but {} is older", old.display());
    assert_eq!(fault, expected);
}

#[test]
fn an_environment_has_its_packages_and_its_base_python() {
    let folder = tempfile::tempdir().unwrap();
    let (base, environment) = (folder.path().join("base"), folder.path().join("env"));
    for path in [
        "base/bin",
        "base/lib/python3.11/site-packages",
        "env/bin",
        "env/lib/python3.11/site-packages",
    ] {
        std::fs::create_dir_all(folder.path().join(path)).unwrap();
    }
    std::fs::write(base.join("bin/python3.11"), "").unwrap();
    std::fs::write(environment.join("pyvenv.cfg"), "").unwrap();
    symlink(base.join("bin/python3.11"), environment.join("bin/python3")).unwrap();
    let layout = Layout::of(&environment.join("bin/python3"));
    assert_eq!(layout.packages, [environment.join("lib/python3.11/site-packages")]);
    let base = base.canonicalize().unwrap();
    for path in [&environment, &base.join("lib"), &base.join("bin/python3.11")] {
        assert!(layout.read.contains(path), "{layout:?}");
    }
    assert!(!layout.read.contains(&base), "the rest of its folder is not readable");
    let layout = Layout::of(&base.join("bin/python3.11"));
    assert_eq!(layout.packages, [base.join("lib/python3.11/site-packages")]);
}
