//! Planted files, leftovers of a crash, and hostile content.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::*;

fn base() -> tempfile::TempDir {
    let private = fs::Permissions::from_mode(0o700);
    tempfile::Builder::new().permissions(private).tempdir().unwrap()
}

fn entries(path: &Path) -> Vec<String> {
    let names = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn folders_are_private_unpredictable_and_removed() {
    let parent = base();
    let base = parent.path().join("made/here");
    let run_dir = RunDir::new(&base).unwrap();
    let [one, two] = [(); 2].map(|()| run_dir.folder("scratch").unwrap());
    for path in [&base, one.path(), two.path(), &run_dir.path] {
        assert_eq!(fs::metadata(path).unwrap().mode() & 0o777, 0o700, "{}", path.display());
    }
    let name = one.path().file_name().unwrap().to_str().unwrap();
    let random = name.strip_prefix("scratch-").unwrap();
    assert!(random.len() == 32 && random.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
    assert!(!one.path().display().to_string().contains(&std::process::id().to_string()));
    assert_ne!(one.path(), two.path());
    drop((one, run_dir));
    assert_eq!(entries(&base).len(), 2, "the run folder lives as long as its folders");
    drop(two);
    assert_eq!(entries(&base), ["lock"]);
}

#[test]
fn a_base_that_is_not_private_is_refused() {
    let parent = base();
    let check = |path: &Path, expected: &str| {
        let fault = RunDir::new(path).unwrap_err();
        assert!(fault.contains(expected), "{fault}");
    };
    let outside = parent.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("kept"), "x").unwrap();
    let link = parent.path().join("link");
    symlink(&outside, &link).unwrap();
    check(&link, "is not a folder, or is a link to one");
    let open = parent.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
    check(&open, "others can enter");
    let shared = parent.path().join("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).unwrap();
    check(&shared.join("base"), "others can change");
    let file = parent.path().join("file");
    fs::write(&file, "").unwrap();
    check(&file, "cannot create");
    if geteuid().is_root() {
        let foreign = parent.path().join("foreign");
        fs::create_dir(&foreign).unwrap();
        std::os::unix::fs::chown(&foreign, Some(12_345), None).unwrap();
        fs::set_permissions(&foreign, fs::Permissions::from_mode(0o700)).unwrap();
        check(&foreign, "belongs to another user");
        check(&foreign.join("base"), "others can change");
    }
    assert_eq!(entries(&outside), ["kept"]);
    // The next candidate is used instead.
    let good = parent.path().join("good");
    assert_eq!(private_base(&[link, open, good.clone()]).unwrap(), good);
}

#[test]
fn leftovers_of_a_crash_are_removed_and_running_processes_are_unaffected() {
    let parent = base();
    let base = parent.path();
    let living = RunDir::new(base).unwrap();
    let living_folder = living.folder("scratch").unwrap();
    fs::write(living_folder.path().join("note"), "x").unwrap();
    // What a killed process leaves: its lock is free.
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("kept"), "x").unwrap();
    for name in ["run-dead", "run-halfmade"] {
        let stale = base.join(name);
        fs::create_dir_all(stale.join("scratch-1/deep/er")).unwrap();
        fs::write(stale.join("scratch-1/deep/er/file"), "x").unwrap();
        symlink(outside.path(), stale.join("scratch-1/link")).unwrap();
        symlink(outside.path(), stale.join("code-1")).unwrap();
    }
    fs::write(base.join("run-dead/lock"), "").unwrap();
    // And what an attacker could plant: a link named like a run folder.
    symlink(outside.path(), base.join("run-planted")).unwrap();
    let stale = stale_run_dirs(&open_base(base).unwrap()).unwrap();
    assert_eq!(stale.len(), 2);
    stale.into_iter().for_each(StaleRunDir::remove);
    assert_eq!(entries(base).len(), 3, "{:?}", entries(base));
    assert!(living_folder.path().join("note").exists());
    assert_eq!(entries(outside.path()), ["kept"]);
}

#[test]
fn any_folder_content_is_removed() {
    let parent = base();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("kept"), "x").unwrap();
    let run_dir = RunDir::new(parent.path()).unwrap();
    let folder = run_dir.folder("scratch").unwrap();
    let path = folder.path().to_owned();
    symlink(outside.path(), path.join("link")).unwrap();
    symlink("/nowhere", path.join("dangling")).unwrap();
    fs::hard_link(outside.path().join("kept"), path.join("hard")).unwrap();
    // Too deep for any path to reach the end.
    let mut at = openat(CWD, &path, FOLDER, Mode::empty()).unwrap();
    for _ in 0..1_100 {
        mkdirat(&at, "d", Mode::from_raw_mode(0o700)).unwrap();
        at = openat(&at, "d", FOLDER, Mode::empty()).unwrap();
    }
    let closed = path.join("closed");
    fs::create_dir_all(closed.join("inner")).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    drop(folder);
    assert!(!path.exists());
    assert_eq!(fs::read_to_string(outside.path().join("kept")).unwrap(), "x");
}

#[test]
fn a_quota_counts_bytes_files_and_depth() {
    let parent = base();
    let run_dir = RunDir::new(parent.path()).unwrap();
    let folder = run_dir.folder("scratch").unwrap();
    let quota = Quota { bytes_max: 1 << 20, files_max: 50 };
    assert_eq!(folder.excess(&quota), None);
    // A sparse file takes no space.
    let hole = fs::File::create(folder.path().join("hole")).unwrap();
    hole.set_len(1 << 30).unwrap();
    assert_eq!(folder.excess(&quota), None);
    fs::write(folder.path().join("big"), vec![1; 2 << 20]).unwrap();
    assert_eq!(folder.excess(&quota), Some(Excess::Bytes(1 << 20)));
    fs::remove_file(folder.path().join("big")).unwrap();
    for number in 0..60 {
        fs::write(folder.path().join(number.to_string()), "").unwrap();
    }
    assert_eq!(folder.excess(&quota), Some(Excess::Files(50)));
    let deep = run_dir.folder("scratch").unwrap();
    fs::create_dir_all(deep.path().join("d/".repeat(40))).unwrap();
    assert_eq!(deep.excess(&quota), Some(Excess::Depth));
}
