//! Lying children and dying parents.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use hosts::{JsHost, JsHostConfig};
use policy::{HandlerFailure, HandlerOutcome};

use crate::failures::{is_alive, until};
use crate::harness::{body, runtime};

/// A program that says `hello` on its channel (descriptor 0) and then sends something else as
/// soon as it receives a message.
fn liar(folder: &Path, says: &[u8]) -> JsHostConfig {
    let enforced = |name: &str| format!(r#""{name}":{{"Enforced":"so it says"}}"#);
    let parts = ["privileges", "user", "parent_death", "limits", "files", "calls", "signals"]
        .map(enforced)
        .join(",");
    let hello = format!(r#"{{"hello":{{"level":{{{parts}}}}}}}"#);
    let mut frame = u32::try_from(hello.len()).unwrap().to_le_bytes().to_vec();
    frame.extend(hello.as_bytes());
    std::fs::write(folder.join("hello"), frame).unwrap();
    std::fs::write(folder.join("lie"), says).unwrap();
    let program = folder.join("liar");
    let script = format!(
        "#!/bin/sh\n/bin/cat {0}/hello >&0\n/usr/bin/head -c 4 >/dev/null\n/bin/cat {0}/lie >&0\n/bin/cat >/dev/null\n",
        folder.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    JsHostConfig { children: 1, ..JsHostConfig::with_program(program) }
}

fn frame(json: &str) -> Vec<u8> {
    let mut bytes = u32::try_from(json.len()).unwrap().to_le_bytes().to_vec();
    bytes.extend(json.as_bytes());
    bytes
}

#[track_caller]
fn check(says: &[u8], expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let config = liar(folder.path(), says);
    let finished = runtime().block_on(async {
        body("return 1;").never_repeated().run_on(&JsHost::start(config)).await
    });
    let HandlerOutcome::Broke(HandlerFailure::Died { because }) = finished.answer else {
        panic!("it was believed: {finished:?}");
    };
    assert!(because.contains(expected), "{because}");
    assert_eq!(finished.attempts, 1);
}

#[test]
fn a_child_that_sends_garbage_is_killed_and_its_call_has_one_end() {
    check(b"\xff\xff\xff\xff garbage", "a frame of 4294967295 bytes; the limit is 16777216");
    check(&frame("not json"), "it sent an invalid message");
    check(&frame(r#"{"unknown":{}}"#), "it sent an invalid message");
    check(&frame(r#"{"done":{"call":99,"end":"stalled"}}"#), "which does not exist");
    check(&frame(r#"{"call":{"call":7,"n":1,"name":"kv.get","args":{}}}"#), "which does not exist");
    check(&frame(r#"{"hello":{"level":{}}}"#), "it sent an invalid message");
    check(&frame(r#"{"probed":{"blocked":[],"open":[]}}"#), "it sent an unexpected message");
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let deep = format!(r#"{{"done":{{"call":1,"end":{{"returned":{deep}}}}}}}"#);
    check(&frame(&deep), "recursion limit");
    let flood =
        frame(r#"{"call":{"call":1,"n":1,"name":"kv.get","args":{"key":"never"}}}"#).repeat(1_025);
    check(&flood, "it requested more than 1024 service calls at once");
}

#[test]
fn children_die_with_a_parent_that_is_killed() {
    // The parent is this same test, which reports its children.
    if std::env::var_os("GHOSTHAND_TEST_PARENT").is_some() {
        let runtime = runtime();
        let host = runtime.block_on(async {
            let host = JsHost::start(crate::harness::config());
            until(|| host.child_pids().len() == 2).await;
            host
        });
        let pids: Vec<_> = host.child_pids().iter().map(ToString::to_string).collect();
        std::fs::write(std::env::var_os("GHOSTHAND_TEST_PARENT").unwrap(), pids.join(" ")).unwrap();
        let mut byte = [0];
        let _ = std::io::stdin().read(&mut byte);
        drop(host);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("pids");
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "orphans::children_die_with_a_parent_that_is_killed"])
        .env("GHOSTHAND_TEST_PARENT", &note)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let read = || std::fs::read_to_string(&note).unwrap_or_default();
    let runtime = runtime();
    runtime.block_on(until(|| read().contains(' ')));
    let pids: Vec<u32> = read().split(' ').map(|pid| pid.parse().unwrap()).collect();
    assert!(pids.iter().copied().all(is_alive));
    parent.kill().unwrap();
    parent.wait().unwrap();
    runtime.block_on(until(|| !pids.iter().copied().any(is_alive)));
}
