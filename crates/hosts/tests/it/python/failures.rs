//! Around a call: stopping, blocking, lost workers, other calls, limits.

use std::sync::Arc;
use std::time::Duration;

use hosts::{PyHostConfig, Repeat};
use policy::{HandlerFailure, HandlerOutcome};
use serde_json::{Value, json};

use super::harness::{PATIENT, Pad};
use crate::failures::{is_alive, until};
use crate::harness::{py_config, runtime};

const SHORT: Duration = Duration::from_millis(300);

/// Long enough that a stoppable call is never taken for an unstoppable one, even on a busy
/// machine.
fn patient() -> PyHostConfig {
    PyHostConfig { stop_grace: Duration::from_secs(60), ..py_config() }
}

/// Functions that must be stopped, all in one file and thus in one worker.
const STOPPABLE: &str = "
import asyncio, os, time
from ghosthand import assistant_chunk
async def waits(): await asyncio.sleep(1000)
async def never(context): await context.kv.get('never')
async def loops():
    while True: pass
async def sleeps(): time.sleep(1000)
def thread():
    while True: pass
def asks(context): asyncio.run(context.kv.get('never'))
async def streams():
    while True:
        yield assistant_chunk('x')
        await asyncio.sleep(0.01)
async def swallows():
    while True:
        try: await asyncio.sleep(1000)
        except Exception: pass
def pid(): return os.getpid()
ALL = (waits, never, loops, sleeps, thread, asks, streams, swallows, pid)
TOOLS = [{'function': f, 'schema': {'name': f.__name__}} for f in ALL]
";

#[test]
fn at_the_limit_every_kind_of_call_is_stopped_and_its_worker_continues() {
    let pad = Pad::with_config(patient(), &[("a.py", STOPPABLE)]);
    runtime().block_on(async {
        // There is a worker already, so the limit expires during the call even on a slow machine.
        let pid = pad.data("a.py#pid", json!({})).await;
        for name in ["waits", "never", "loops", "sleeps", "thread", "asks", "streams", "swallows"] {
            let finished = pad.run(&format!("a.py#{name}"), json!({}), SHORT).await;
            let timed_out = HandlerOutcome::Broke(HandlerFailure::TimedOut { limit_ms: 300 });
            assert_eq!(finished.answer, timed_out, "{name}");
            assert_eq!(pad.data("a.py#pid", json!({})).await, pid, "after {name}");
        }
    });
}

#[test]
fn an_endless_import_is_stopped_at_the_limit() {
    // This call starts the worker, so it gets more time.
    let pad = Pad::with_config(patient(), &[("a.py", "while True: pass\n")]);
    runtime().block_on(async {
        pad.host.warm(&pad.folder).await.unwrap();
        let finished = pad.run("a.py", json!({}), Duration::from_secs(4)).await;
        assert_eq!(
            finished.answer,
            HandlerOutcome::Broke(HandlerFailure::TimedOut { limit_ms: 4_000 })
        );
    });
}

#[test]
fn dropping_the_future_stops_the_handler_and_its_cleanup_runs() {
    let source = "import os
cleaned = []
async def execute(args, context):
    if args.get('look'): return [cleaned, os.getpid()]
    try:
        await context.kv.get('never')
    finally:
        cleaned.append(os.getpid())
";
    let pad = Arc::new(Pad::with_config(patient(), &[("a.py", source)]));
    runtime().block_on(async {
        let task = tokio::spawn({
            let pad = Arc::clone(&pad);
            async move { pad.run("a.py", json!({}), PATIENT).await }
        });
        until(|| !pad.far.asked_for("kv.get").is_empty()).await;
        task.abort();
        let _ = task.await;
        loop {
            let seen = pad.data("a.py", json!({ "look": true })).await;
            if seen[0] == json!([seen[1]]) {
                break;
            }
            assert_eq!(seen[0], json!([]), "the same worker continues");
        }
    });
}

#[test]
fn a_call_that_cannot_be_stopped_costs_its_worker_and_nothing_else() {
    // Each of these continues whatever is raised in it, or cannot receive an exception.
    let source = "
import asyncio, os, re, time
def thread():
    while True:
        try:
            while True: time.sleep(0.01)
        except BaseException: pass
async def native():
    re.match('(a+)+$', 'a' * 60 + '!')
async def slow(context):
    await context.kv.get('begun')
    await asyncio.sleep(0.2)
    return os.getpid()
TOOLS = [{'function': f, 'schema': {'name': f.__name__}} for f in (thread, native, slow)]
";
    runtime().block_on(async {
        for name in ["thread", "native"] {
            let mut config = py_config();
            config.drain_max = Duration::from_secs(1);
            let pad = Arc::new(Pad::with_config(config, &[("a.py", source)]));
            let before = pad.data("a.py#slow", json!({})).await;
            let bystander = tokio::spawn({
                let pad = Arc::clone(&pad);
                async move { pad.run_as("a.py#slow", json!({}), PATIENT, Repeat::Never).await }
            });
            let finished = pad.run(&format!("a.py#{name}"), json!({}), SHORT).await;
            let timed_out = HandlerOutcome::Broke(HandlerFailure::TimedOut { limit_ms: 300 });
            assert_eq!(finished.answer, timed_out, "{name}");
            // It succeeds, or fails with the worker; no service is called twice.
            bystander.await.unwrap();
            let pid = u32::try_from(before.as_u64().unwrap()).unwrap();
            until(|| !is_alive(pid)).await;
            assert_ne!(pad.data("a.py#slow", json!({})).await, before);
        }
    });
}

#[test]
fn a_blocked_loop_names_the_authors_line() {
    let source = "import os, time

def pause():
    time.sleep(1000)

async def execute(args, context):
    if args: return os.getpid()
    pause()
";
    let mut config = patient();
    config.limits.block_max = Duration::from_secs(1);
    let pad = Pad::with_config(config, &[("core/a.py", source)]);
    runtime().block_on(async {
        let pid = pad.data("core/a.py", json!({ "pid": true })).await;
        let end = pad.data("core/a.py", json!({})).await;
        let expected = "broke: it used more than 1000 ms of the event loop without an `await`, at core/a.py:4 `time.sleep(1000)` and was stopped";
        assert_eq!(end, expected);
        assert_eq!(pad.data("core/a.py", json!({ "pid": true })).await, pid);
    });
}

#[test]
fn a_lost_call_runs_again_only_if_it_is_safe_and_used_no_service() {
    let source = "import os
async def execute(args, context):
    if args.get('ask'):
        await context.kv.get('k')
    os._exit(9)
";
    runtime().block_on(async {
        for (ask, repeat, attempts) in
            [(false, Repeat::Safe, 2), (false, Repeat::Never, 1), (true, Repeat::Safe, 1)]
        {
            let pad = Pad::with_files(&[("a.py", source)]);
            let finished = pad.run_as("a.py", json!({ "ask": ask }), PATIENT, repeat).await;
            let because = "its channel ended; it ended with code 9".to_owned();
            assert_eq!(finished.answer, HandlerOutcome::Broke(HandlerFailure::Died { because }));
            assert_eq!((finished.attempts, finished.used_services), (attempts, ask));
        }
    });
}

#[test]
fn a_lost_worker_is_replaced_and_other_files_are_unaffected() {
    let pid = "import os\ndef execute(args):\n    if args: os._exit(9)\n    return os.getpid()";
    let pad = Pad::with_files(&[("bad.py", pid), ("good.py", pid)]);
    runtime().block_on(async {
        let (good, bad) =
            (pad.data("good.py", json!({})).await, pad.data("bad.py", json!({})).await);
        assert_ne!(good, bad, "every file has its own worker");
        let end = pad.data("bad.py", json!({ "die": true })).await;
        assert_eq!(
            end,
            "broke: the process that ran it ended: its channel ended; it ended with code 9"
        );
        assert_ne!(pad.data("bad.py", json!({})).await, bad);
        assert_eq!(pad.data("good.py", json!({})).await, good);
    });
}

#[test]
fn memory_has_a_limit() {
    let source = "async def execute(args, context):\n    all = []\n    while True: all.append(bytearray(1 << 20))\n";
    let shared = "import mmap\nimport asyncio\nasync def execute(args, context):\n    held = mmap.mmap(-1, 300 << 20)\n    for at in range(0, 300 << 20, 4096): held[at] = 1\n    await asyncio.sleep(1000)\n";
    let mut config = py_config();
    config.limits.memory_bytes_max = 128 << 20;
    let pad = Pad::with_config(
        config,
        &[("a.py", source), ("b.py", shared), ("ok.py", "def execute(): return 1")],
    );
    runtime().block_on(async {
        let end = pad.data("a.py", json!({})).await;
        assert_eq!(end, "broke: it used more than 128 MiB of memory and was stopped");
        assert_eq!(pad.data("ok.py", json!({})).await, json!(1));
        // The kernel's limit does not count shared memory; the monitor does.
        let end = pad.data("b.py", json!({})).await;
        assert_eq!(
            end,
            "broke: the process that ran it ended: it used more than 128 MiB of memory"
        );
        assert_eq!(pad.data("ok.py", json!({})).await, json!(1));
    });
}

#[test]
fn a_late_result_is_never_delivered() {
    let source = "import asyncio, time
ended = []
def execute(args, context):
    if args.get('look'): return ended
    end = time.monotonic() + 0.4
    while time.monotonic() < end:
        try: time.sleep(0.01)
        except BaseException: pass
    try:
        asyncio.run(context.kv.set('late', 1))
    finally:
        ended.append(1)
    return 'late'
";
    let pad = Pad::with_config(patient(), &[("a.py", source)]);
    runtime().block_on(async {
        assert_eq!(pad.data("a.py", json!({ "look": true })).await, json!([]));
        let finished = pad.run("a.py", json!({}), SHORT).await;
        assert_eq!(
            finished.answer,
            HandlerOutcome::Broke(HandlerFailure::TimedOut { limit_ms: 300 })
        );
        while pad.data("a.py", json!({ "look": true })).await != json!([1]) {}
        assert_eq!(pad.far.stored("late"), None);
    });
}

#[test]
fn tasks_of_a_call_end_with_it() {
    let source = "import asyncio
ran = []
async def forever():
    while True:
        ran.append(1)
        await asyncio.sleep(0)
async def execute(args, context):
    if args.get('start'):
        asyncio.create_task(forever())
        await asyncio.sleep(0.01)
    before = len(ran)
    await asyncio.sleep(0.01)
    return [before > 0, len(ran) > before]
";
    let pad = Pad::with_files(&[("a.py", source)]);
    runtime().block_on(async {
        assert_eq!(pad.data("a.py", json!({ "start": true })).await, json!([true, true]));
        assert_eq!(pad.data("a.py", json!({})).await, json!([true, false]));
    });
}

#[test]
fn many_calls_of_every_kind_run_at_once() {
    let source = "import asyncio, time
from services.kv_store_service import kv_store
async def waits(n):
    await asyncio.sleep(0.01)
    await kv_store.set(f'k{n}', n)
    return await kv_store.get(f'k{n}')
def threads(n):
    time.sleep(0.001)
    return asyncio.run(kv_store.get('none', n))
async def streams(n):
    for i in range(20):
        yield assistant_chunk(str(n))
TOOLS = [{'function': f, 'schema': {'name': f.__name__}} for f in (waits, threads, streams)]
";
    let pad = Arc::new(Pad::with_files(&[("a.py", source)]));
    runtime().block_on(async {
        let tasks: Vec<_> = (0..300)
            .map(|n| {
                let pad = Arc::clone(&pad);
                let name = ["waits", "threads", "streams"][n % 3];
                tokio::spawn(async move {
                    (n, pad.data(&format!("a.py#{name}"), json!({ "n": n })).await)
                })
            })
            .collect();
        for task in tasks {
            let (n, value) = task.await.unwrap();
            let expected =
                if n % 3 == 2 { Value::from(n.to_string().repeat(20)) } else { json!(n) };
            assert_eq!(value, expected);
        }
    });
}

#[test]
fn no_worker_outlives_its_host() {
    let pad = Pad::with_files(&[("a.py", "def execute(): return 1")]);
    let runtime = runtime();
    runtime.block_on(pad.data("a.py", json!({})));
    let pids = pad.host.worker_pids();
    assert_eq!(pids.len(), 1);
    drop(pad);
    runtime.block_on(until(|| !pids.iter().copied().any(is_alive)));
}

#[test]
fn a_slow_reader_slows_the_sender_down() {
    let source = "async def execute(args, context):
    for n in range(1000):
        await context.kv.get(f'chunk {n}')
        await context.assistant('never')
";
    let pad = Arc::new(Pad::with_config(
        patient(),
        &[("a.py", source), ("ok.py", "def execute(): return 1")],
    ));
    runtime().block_on(async {
        let task = tokio::spawn({
            let pad = Arc::clone(&pad);
            async move { pad.run("a.py", json!({}), PATIENT).await }
        });
        until(|| pad.far.asked_for("kv.get").len() >= 16).await;
        for _ in 0..20 {
            assert_eq!(pad.data("ok.py", json!({})).await, json!(1));
        }
        assert_eq!(pad.far.asked_for("kv.get").len(), 16, "only this many are in flight");
        task.abort();
    });
}

#[test]
fn a_call_that_blocks_the_loop_forever_ends_with_its_worker() {
    // It releases the interpreter lock, but no exception can be raised in it.
    let source = "import hashlib
async def execute(args, context):
    hashlib.pbkdf2_hmac('sha256', b'x', b'y', 10 ** 9)
";
    let mut config = patient();
    config.limits.block_max = Duration::from_secs(1);
    config.drain_max = Duration::from_millis(100);
    let pad = Pad::with_config(config, &[("a.py", source), ("ok.py", "def execute(): return 1")]);
    runtime().block_on(async {
        let end = pad.data("a.py", json!({})).await;
        let expected = "broke: it used more than 1000 ms of the event loop without an `await`, at a.py:3 `hashlib.pbkdf2_hmac('sha256', b'x', b'y', 10 ** 9)` and was stopped";
        assert_eq!(end, expected);
        assert_eq!(pad.data("ok.py", json!({})).await, json!(1));
    });
}

#[test]
fn a_silent_worker_is_replaced() {
    let source =
        "import re\nasync def execute(args, context):\n    re.match('(a+)+$', 'a' * 60 + '!')\n";
    let mut config = patient();
    config.limits.silence_max = Duration::from_secs(2);
    let pad = Pad::with_config(config, &[("a.py", source), ("ok.py", "def execute(): return 1")]);
    runtime().block_on(async {
        let end = pad.data("a.py", json!({})).await;
        let expected = "broke: the process that ran it ended: it sent nothing for 2000 ms; it ended by signal 9";
        assert_eq!(end, expected);
        assert_eq!(pad.data("ok.py", json!({})).await, json!(1));
    });
}

#[test]
fn a_folder_may_have_its_own_environment() {
    let environment = tempfile::tempdir().unwrap();
    let packages = environment.path().join("lib/python3.11/site-packages");
    std::fs::create_dir_all(&packages).unwrap();
    std::fs::create_dir(environment.path().join("bin")).unwrap();
    std::fs::write(packages.join("colours.py"), "red = 'red'").unwrap();
    std::fs::write(environment.path().join("pyvenv.cfg"), "home = /usr/bin").unwrap();
    let python = environment.path().join("bin/python3");
    std::os::unix::fs::symlink(py_config().python, &python).unwrap();
    let files = tempfile::tempdir().unwrap();
    std::fs::write(files.path().join("a.py"), "import colours\ndef execute(): return colours.red")
        .unwrap();
    let mut config = py_config();
    config.environments.insert(files.path().into(), python);
    let pad = Pad::in_folder(config, files.path());
    runtime().block_on(async { assert_eq!(pad.data("a.py", json!({})).await, "red") });
}

#[test]
fn a_leftover_thread_does_not_run_forever() {
    let source = "import os, threading
def burn():
    while True: pass
def execute():
    threading.Thread(target=burn, daemon=True).start()
    return os.getpid()
";
    let pad = Pad::with_files(&[("a.py", source)]);
    runtime().block_on(async {
        let pid = pad.data("a.py", json!({})).await.as_u64().unwrap();
        until(|| !is_alive(u32::try_from(pid).unwrap())).await;
    });
}
