//! Many files and owners, lost templates and killed hosts: how many workers run, and when they
//! end.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hosts::PyHostConfig;
use hosts::python::Isolation;
use policy::{HandlerFailure, HandlerOutcome};
use serde_json::{Value, json};

use super::harness::{PATIENT, Pad};
use crate::failures::{is_alive, until};
use crate::fake_services::FarSide;
use crate::harness::{py_config, runtime};

const PID: &str = "import os\nasync def execute(args, context):
    if args.get('wait'): await context.kv.get('never')
    return os.getpid()";

fn pid_of(value: &Value) -> u32 {
    u32::try_from(value.as_u64().unwrap()).unwrap()
}

async fn pid_for(pad: &Pad, owner: &str, file: &str) -> Value {
    match pad.answer_for(owner, &pad.far, file, json!({})).await {
        HandlerOutcome::Returned(value) => value["data"].clone(),
        other => panic!("it did not return: {other:?}"),
    }
}

#[test]
fn the_least_recently_used_worker_is_ended() {
    let config = PyHostConfig { workers_max: 2, ..py_config() };
    let pad = Pad::with_config(config, &[("a.py", PID), ("b.py", PID), ("c.py", PID)]);
    runtime().block_on(async {
        let (a, b) = (pad.data("a.py", json!({})).await, pad.data("b.py", json!({})).await);
        assert_ne!(a, b);
        assert_eq!(pad.data("a.py", json!({})).await, a);
        pad.data("c.py", json!({})).await;
        assert_eq!(pad.data("a.py", json!({})).await, a);
        assert_ne!(pad.data("b.py", json!({})).await, b);
        until(|| !is_alive(pid_of(&b))).await;
    });
}

#[test]
fn an_owner_at_the_limit_replaces_their_own_worker_or_waits() {
    let config = PyHostConfig { workers_max: 10, workers_per_owner_max: 2, ..py_config() };
    let files = [("a.py", PID), ("b.py", PID), ("c.py", PID)];
    let pad = Arc::new(Pad::with_config(config, &files));
    runtime().block_on(async {
        let bobs = pid_for(&pad, "bob", "a.py").await;
        let busy: Vec<_> = ["a.py", "b.py"]
            .map(|file| {
                let pad = Arc::clone(&pad);
                tokio::spawn(async move { pad.run(file, json!({ "wait": true }), PATIENT).await })
            })
            .into();
        until(|| pad.far.asked_for("kv.get").len() == 2).await;
        // Other owners have room, but this one must wait until a call ends.
        let short = Duration::from_millis(50);
        let refused = pad.run("c.py", json!({}), short).await.answer;
        let because = "no child was ready within 50 ms".to_owned();
        assert_eq!(refused, HandlerOutcome::Broke(HandlerFailure::NotStarted { because }));
        assert_eq!(pid_for(&pad, "bob", "a.py").await, bobs);
        let waits = tokio::spawn({
            let pad = Arc::clone(&pad);
            async move { pad.data("c.py", json!({})).await }
        });
        busy[0].abort();
        assert!(waits.await.unwrap().is_u64());
        assert_eq!(pid_for(&pad, "bob", "a.py").await, bobs);
        busy[1].abort();
    });
}

#[test]
fn three_hundred_files_and_owners_stay_below_the_limits() {
    let config = PyHostConfig { workers_max: 6, workers_per_owner_max: 4, ..py_config() };
    let names: Vec<String> = (0..30).map(|number| format!("t{number}.py")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), PID)).collect();
    let pad = Arc::new(Pad::with_config(config, &files));
    runtime().block_on(async {
        let calls: Vec<_> = (0..300)
            .map(|number| {
                let (pad, file) = (Arc::clone(&pad), names[number / 10].clone());
                let far: Arc<FarSide> = Arc::clone(&pad.far);
                tokio::spawn(async move {
                    let owner = format!("owner-{}", number % 10);
                    pad.answer_for(&owner, &far, &file, json!({})).await
                })
            })
            .collect();
        for call in calls {
            let answer = call.await.unwrap();
            assert!(matches!(answer, HandlerOutcome::Returned(_)), "{answer:?}");
            assert!(pad.host.worker_pids().len() <= 6);
        }
    });
}

#[test]
fn an_idle_worker_ends() {
    let config = PyHostConfig { idle_max: Duration::ZERO, ..py_config() };
    let pad = Pad::with_config(config, &[("a.py", PID)]);
    runtime().block_on(async {
        let first = pad.data("a.py", json!({})).await;
        until(|| !is_alive(pid_of(&first))).await;
        assert_ne!(pad.data("a.py", json!({})).await, first);
    });
}

#[test]
fn every_call_may_have_its_own_worker() {
    let config = PyHostConfig { isolation: Isolation::EveryCall, ..py_config() };
    let source = "import os\nkept = []\ndef execute():\n    kept.append(1)\n    return [len(kept), os.getpid()]";
    let pad = Pad::with_config(config, &[("a.py", source)]);
    runtime().block_on(async {
        for _ in 0..3 {
            let seen = pad.data("a.py", json!({})).await;
            assert_eq!(seen[0], json!(1));
            until(|| !is_alive(pid_of(&seen[1]))).await;
        }
        assert_eq!(pad.host.worker_pids(), Vec::<u32>::new());
    });
}

#[test]
fn a_killed_template_is_restarted() {
    let pad = Arc::new(Pad::with_files(&[("a.py", PID), ("b.py", PID)]));
    runtime().block_on(async {
        let lost = tokio::spawn({
            let pad = Arc::clone(&pad);
            async move { pad.answer("a.py", json!({ "wait": true })).await }
        });
        until(|| !pad.far.asked_for("kv.get").is_empty()).await;
        let [template] = pad.host.template_pids()[..] else { panic!("there is one") };
        until(|| !pad.host.spare_pids().is_empty()).await;
        let workers = [pad.host.worker_pids(), pad.host.spare_pids()].concat();
        kill(template);
        let because = "its channel ended; it ended by signal 9: its template has ended";
        let because = because.to_owned();
        assert_eq!(lost.await.unwrap(), HandlerOutcome::Broke(HandlerFailure::Died { because }));
        until(|| !workers.iter().copied().any(is_alive)).await;
        assert!(pad.data("b.py", json!({})).await.is_u64());
        assert_ne!(pad.host.template_pids(), [template]);
    });
}

#[test]
fn a_spare_worker_is_forked_ahead_and_serves_the_next_caller() {
    let pad = Pad::with_files(&[("a.py", PID), ("b.py", PID)]);
    runtime().block_on(async {
        pad.data("a.py", json!({})).await;
        until(|| !pad.host.spare_pids().is_empty()).await;
        let [spare] = pad.host.spare_pids()[..] else { panic!("there is one") };
        assert!(!pad.host.worker_pids().contains(&spare));
        assert_eq!(pid_for(&pad, "bob", "b.py").await, json!(spare));
        until(|| !pad.host.spare_pids().is_empty()).await;
        assert_ne!(pad.host.spare_pids(), [spare]);
        assert_ne!(pad.data("b.py", json!({})).await, json!(spare));
    });
}

#[test]
fn a_killed_spare_worker_is_not_used() {
    let pad = Pad::with_files(&[("a.py", PID), ("b.py", PID)]);
    runtime().block_on(async {
        pad.data("a.py", json!({})).await;
        until(|| !pad.host.spare_pids().is_empty()).await;
        let [spare] = pad.host.spare_pids()[..] else { panic!("there is one") };
        kill(spare);
        until(|| !is_alive(spare)).await;
        assert!(pad.data("b.py", json!({})).await.is_u64());
    });
}

fn kill(pid: u32) {
    Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
}

/// A host in a separate process, which reports its workers and is then killed.
#[test]
fn workers_and_folders_of_a_killed_host_are_removed() {
    const NAME: &str = "python::worker_lifetime::workers_and_folders_of_a_killed_host_are_removed";
    if let Some(note) = std::env::var_os("GHOSTHAND_TEST_PARENT") {
        let base = std::env::var_os("GHOSTHAND_TEST_BASE").unwrap();
        let config = PyHostConfig { scratch: base.into(), ..py_config() };
        // It tries to survive its parent.
        let source = "import ctypes, os, signal\nasync def execute():
    ctypes.CDLL(None).prctl(1, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    open('left', 'w').write('x')
    return [os.getpid(), os.getcwd()]";
        let pad = Pad::with_config(config, &[("a.py", source)]);
        let runtime = runtime();
        let seen = runtime.block_on(pad.data("a.py", json!({})));
        let report = json!([seen, pad.host.template_pids()]).to_string();
        std::fs::write(std::path::Path::new(&note).with_extension("part"), report).unwrap();
        std::fs::rename(std::path::Path::new(&note).with_extension("part"), note).unwrap();
        let _ = std::io::stdin().read(&mut [0]);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (note, base) = (folder.path().join("note"), folder.path().join("base"));
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME])
        .env("GHOSTHAND_TEST_PARENT", &note)
        .env("GHOSTHAND_TEST_BASE", &base)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let runtime = runtime();
    runtime.block_on(until(|| note.exists()));
    let report: Value = serde_json::from_str(&std::fs::read_to_string(&note).unwrap()).unwrap();
    let (worker, template) = (pid_of(&report[0][0]), pid_of(&report[1][0]));
    let scratch = std::path::PathBuf::from(report[0][1].as_str().unwrap());
    assert!(is_alive(worker) && is_alive(template) && scratch.join("left").exists());
    parent.kill().unwrap();
    parent.wait().unwrap();
    runtime.block_on(until(|| !is_alive(worker) && !is_alive(template)));
    assert!(scratch.exists(), "the host was killed before it could remove it");
    // The next host finds it.
    let pad = Pad::with_config(PyHostConfig { scratch: base, ..py_config() }, &[("a.py", PID)]);
    runtime.block_on(async {
        pad.data("a.py", json!({})).await;
        until(|| !scratch.exists()).await;
    });
}

#[test]
fn a_scratch_folder_has_a_quota_of_bytes_and_files() {
    let source = "
import asyncio, mmap, os
async def execute(args, context):
    held = []
    for number in range(10 ** 9):
        if args['how'] == 'files': open(f'f{number}', 'w').close()
        if args['how'] == 'bytes': open(f'f{number % 100}', 'ab').write(b'x' * (1 << 16))
        if args['how'] == 'unseen':
            held.append(open('f', 'wb')); os.unlink('f')
            held[-1].write(b'x' * (1 << 20)); held[-1].flush()
            del held[:-50]
        if args['how'] == 'mapped':
            with open('f', 'wb+') as file:
                file.write(b'x' * (1 << 20)); file.flush(); os.unlink('f')
                held.append(mmap.mmap(file.fileno(), 1 << 20, mmap.MAP_PRIVATE, mmap.PROT_READ))
            del held[:-50]
        if args['how'] == 'deep': os.mkdir('d'); os.chdir('d')
        await asyncio.sleep(0)
";
    let mut config = py_config();
    config.limits.scratch_bytes_max = 8 << 20;
    config.limits.scratch_files_max = 200;
    let pad = Pad::with_config(config, &[("a.py", source), ("ok.py", PID)]);
    runtime().block_on(async {
        let ok = pad.data("ok.py", json!({})).await;
        for (how, words) in [
            ("files", "it created more than 200 files"),
            ("bytes", "it wrote more than 8 MiB of files"),
            ("unseen", "it kept more than 8 MiB in deleted files"),
            ("mapped", "it kept more than 8 MiB in deleted files"),
            ("deep", "it "),
        ] {
            let end = pad.data("a.py", json!({ "how": how })).await;
            let words = format!("broke: the process that ran it ended: {words}");
            assert!(end.as_str().unwrap().starts_with(&words), "{how}: {end}");
        }
        assert_eq!(pad.data("ok.py", json!({})).await, ok);
    });
}

#[test]
fn a_worker_whose_call_was_dropped_early_is_not_left_behind() {
    let pad = Arc::new(Pad::with_files(&[("a.py", PID), ("b.py", PID)]));
    runtime().block_on(async {
        pad.data("a.py", json!({})).await;
        let [template] = pad.host.template_pids()[..] else { panic!("there is one") };
        for _ in 0..20 {
            let call = tokio::spawn({
                let pad = Arc::clone(&pad);
                async move { pad.data("b.py", json!({})).await }
            });
            tokio::task::yield_now().await;
            call.abort();
        }
        pad.data("b.py", json!({})).await;
        // One per file, the spare one, and no unknown ones.
        until(|| children_of(template) == 3).await;
        assert_eq!(pad.host.worker_pids().len(), 2);
    });
}

fn children_of(pid: u32) -> usize {
    let children = format!("/proc/{pid}/task/{pid}/children");
    std::fs::read_to_string(children).unwrap().split_whitespace().count()
}
