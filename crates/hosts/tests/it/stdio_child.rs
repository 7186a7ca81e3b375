//! Programs that start others leave no process behind.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use hosts::sandbox::{Accepted, Files, Gap, Sandbox, SandboxPolicy};
use hosts::spawn::{Program, StdioChild, pretend_no_namespaces, spawn_stdio_child};

use crate::harness::{program, runtime};

const FOLDER: &str = "GHOSTHAND_TEST_FOLDER";
const BARE: &str = "GHOSTHAND_TEST_BARE";
const CANARY: &str = "canary-of-the-environment";

/// A program whose grandchild leaves its session and holds a pipe open forever.
async fn start(folder: &Path) -> StdioChild {
    let read = ["/bin", "/usr", "/lib", "/lib64", "/etc/ld.so.cache"].map(Into::into).into();
    let files = Files { read, write: vec![folder.into(), "/dev/null".into()] };
    let script = "(setsid sh -c 'exec 9>pipe; echo x >&9; exec sleep 100000' & ) & cat";
    let program_of_others = Program {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: vec![("PATH".into(), "/usr/bin:/bin".into()), ("TOKEN".into(), CANARY.into())],
        dir: folder.into(),
    };
    let sandbox = Sandbox::program(files, 1 << 30, 1 << 20);
    // Without a namespace, only Landlock confines signals.
    let policy = SandboxPolicy::Accepting([Gap::Signals].into_iter().collect::<Accepted>());
    spawn_stdio_child(program(), program_of_others, sandbox, policy).await.unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let made = Command::new("mkfifo").arg("-m666").arg(folder.path().join("pipe")).status();
    assert!(made.unwrap().success());
    folder
}

/// Returns when the pipe is closed on all sides.
fn wait_for_the_end(mut pipe: File) {
    let mut rest = Vec::new();
    pipe.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"\n");
}

/// Returns when the grandchild has started.
fn wait_for_the_start(folder: &Path) -> File {
    let mut pipe = File::open(folder.join("pipe")).unwrap();
    let mut byte = [0];
    pipe.read_exact(&mut byte).unwrap();
    pipe
}

#[test]
fn processes_that_left_the_session_end_with_the_program() {
    let folder = folder();
    let runtime = runtime();
    let spawn_stdio_child = runtime.block_on(start(folder.path()));
    let pipe = wait_for_the_start(folder.path());
    drop(spawn_stdio_child);
    wait_for_the_end(pipe);
}

#[test]
fn settings_of_a_program_are_not_in_the_process_list() {
    let folder = folder();
    let runtime = runtime();
    let _running = runtime.block_on(start(folder.path()));
    let _pipe = wait_for_the_start(folder.path());
    let processes = std::fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    // Processes that are gone show nothing.
    let lines = processes.filter_map(|path| std::fs::read(path.join("cmdline")).ok());
    let lines: Vec<_> = lines.map(|line| String::from_utf8_lossy(&line).into_owned()).collect();
    assert!(lines.iter().any(|line| line.contains("__ghosthand-child")), "its supervisor is there");
    assert!(!lines.iter().any(|line| line.contains(CANARY)), "{lines:#?}");
}

#[test]
fn no_process_of_a_program_survives_us_when_we_are_killed() {
    killed("stdio_child::no_process_of_a_program_survives_us_when_we_are_killed", false);
}

#[test]
fn the_same_without_namespaces() {
    killed("stdio_child::the_same_without_namespaces", true);
}

/// The parent is this same test, which is killed.
fn killed(test: &str, is_bare: bool) {
    if let Some(folder) = std::env::var_os(FOLDER) {
        if std::env::var_os(BARE).is_some() {
            pretend_no_namespaces();
        }
        let runtime = runtime();
        let spawn_stdio_child = runtime.block_on(start(Path::new(&folder)));
        let _ = std::io::stdin().read(&mut [0]);
        drop(spawn_stdio_child);
        return;
    }
    let folder = folder();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test]).env(FOLDER, folder.path());
    if is_bare {
        command.env(BARE, "1");
    }
    let mut parent = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let pipe = wait_for_the_start(folder.path());
    parent.kill().unwrap();
    parent.wait().unwrap();
    wait_for_the_end(pipe);
}
