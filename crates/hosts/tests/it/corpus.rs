//! The hostile corpus: every attempt in `corpus/attempts.txt`, made by real children, on this
//! kernel and on simulated older ones, as root and as an unprivileged user.

mod attempt;
mod numbers;
mod run;
mod world;

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use hosts::sandbox::LANDLOCK_NEWEST;

use self::attempt::Attempt;

/// Set for the process that makes the attempts: its folder and simulated kernel.
const WHERE: &str = "GHOSTHAND_TEST_CORPUS";
const KERNEL: &str = "GHOSTHAND_TEST_KERNEL";
/// An unused uid.
const UNPRIVILEGED_UID: u32 = 61_061;

#[test]
fn nothing_hostile_gets_through_as_the_current_user() {
    check("corpus::nothing_hostile_gets_through_as_the_current_user", None);
}

#[test]
fn nothing_hostile_gets_through_as_an_unprivileged_user() {
    // Without root there is only the current user.
    if std::env::var_os(WHERE).is_some() || rustix::process::geteuid().is_root() {
        check(
            "corpus::nothing_hostile_gets_through_as_an_unprivileged_user",
            Some(UNPRIVILEGED_UID),
        );
    }
}

/// Makes all attempts in separate processes, which run this same test.
#[track_caller]
fn check(test: &str, user: Option<u32>) {
    if let Some(place) = std::env::var_os(WHERE) {
        return run::all(Path::new(&place), std::env::var(KERNEL).unwrap().parse().unwrap());
    }
    let mut table = BTreeMap::<String, (usize, Vec<String>)>::new();
    // The newest known version, and one that this program does not know yet.
    for kernel in (1..=LANDLOCK_NEWEST + 1).rev() {
        for (area, attempt, end) in tried(test, kernel, user) {
            let (attempts, through) = table.entry(area).or_default();
            *attempts += 1;
            through.extend(end.map(|how| format!("kernel {kernel}: {attempt}: {how}")));
        }
    }
    print(&table, user);
    let all: Vec<_> = table.values().flat_map(|(_, through)| through).collect();
    assert!(all.is_empty(), "{all:#?}");
    let areas: Vec<_> = table.keys().collect();
    assert_eq!(areas, ["control", "engine", "js", "mcp", "net", "python"]);
}

#[expect(clippy::print_stdout, reason = "people read the table")]
fn print(table: &BTreeMap<String, (usize, Vec<String>)>, user: Option<u32>) {
    let who = match user {
        None if rustix::process::geteuid().is_root() => "root",
        None | Some(_) => "somebody without rights",
    };
    println!("The hostile corpus, tried below {who}, on every kernel from Landlock 1 on:");
    println!("{:<10} | {:>8} | got through", "area", "attempts");
    for (area, (attempts, through)) in table {
        println!("{area:<10} | {attempts:>8} | {}", through.len());
    }
}

/// The attempts of one process, and those that succeeded: area, attempt, how.
fn tried(test: &str, kernel: u8, user: Option<u32>) -> Vec<(String, String, Option<String>)> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    // An unprivileged user may be unable to enter the project folder.
    let copy = |path: PathBuf, name: &str| {
        let copy = folder.path().join(name);
        std::fs::copy(path, &copy).unwrap();
        copy
    };
    let program = copy(std::env::current_exe().unwrap(), "tries");
    copy(crate::harness::program(), "worker");
    let place = folder.path().join("place");
    std::fs::create_dir(&place).unwrap();
    let mut command = Command::new(program);
    command.args(["--exact", test, "--nocapture"]).current_dir("/");
    command.env(WHERE, &place).env(KERNEL, kernel.to_string()).env("TMPDIR", &place);
    if let Some(user) = user {
        chown(&place, Some(user), Some(user)).unwrap();
        command.uid(user).gid(user);
    }
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "kernel {kernel}, user {user:?}: {errors}");
    let table = std::fs::read_to_string(place.join("table")).unwrap();
    table
        .lines()
        .map(|line| {
            let mut parts = line.splitn(3, '\t').map(str::to_owned);
            let (area, attempt) = (parts.next().unwrap(), parts.next().unwrap());
            let how = parts.next().filter(|how| how != "held");
            (area, attempt, how)
        })
        .collect()
}
