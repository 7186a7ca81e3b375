//! What happens around a call: stopping, blocking, lost workers, bystanders, limits.

use std::sync::Arc;
use std::time::Duration;

use hosts::python::Isolation;
use hosts::{PyHostConfig, Repeat};
use policy::{Answer, Breakdown};
use serde_json::{Value, json};

use super::pad::{PATIENT, Pad};
use crate::stage::{py_config, runtime};
use crate::supervisor::{is_alive, until};

const SHORT: Duration = Duration::from_millis(300);

/// However busy the machine is, a call that can be stopped is never taken for one that cannot.
fn patient() -> PyHostConfig {
    PyHostConfig { stop_grace: Duration::from_secs(60), ..py_config() }
}

/// Runs that must be stopped, and how often a bystander in the same worker can work meanwhile.
const STOPPABLE: &[(&str, &str)] = &[
    (
        "wait.py",
        "import asyncio\nasync def execute(args, context):\n    await asyncio.sleep(1000)\n",
    ),
    ("never.py", "async def execute(args, context):\n    await context.kv.get('never')\n"),
    ("loop.py", "async def execute(args, context):\n    while True: pass\n"),
    ("sleep.py", "import time\nasync def execute(args, context):\n    time.sleep(1000)\n"),
    ("thread.py", "def execute(args, context):\n    while True: pass\n"),
    (
        "asks.py",
        "import asyncio\ndef execute(args, context):\n    asyncio.run(context.kv.get('never'))\n",
    ),
    (
        "stream.py",
        "from ghosthand import assistant_chunk\nimport asyncio\nasync def execute(args, context):\n    while True:\n        yield assistant_chunk('x')\n        await asyncio.sleep(0.01)\n",
    ),
    (
        "swallow.py",
        "import asyncio\nasync def execute(args, context):\n    while True:\n        try:\n            await asyncio.sleep(1000)\n        except Exception:\n            pass\n",
    ),
    ("import.py", "while True: pass\n"),
];

#[test]
fn at_the_limit_every_kind_of_call_is_stopped_and_its_worker_goes_on() {
    let mut files = STOPPABLE.to_vec();
    files.push(("ok.py", "def execute(): return 1"));
    let pad = Pad::with_config(patient(), &files);
    runtime().block_on(async {
        pad.host.warm(&pad.folder).await.unwrap();
        let pids = pad.host.worker_pids();
        for (file, _) in STOPPABLE {
            let finished = pad.run(file, json!({}), SHORT).await;
            assert_eq!(
                finished.answer,
                Answer::Broke(Breakdown::TimedOut { limit_ms: 300 }),
                "{file}"
            );
            assert_eq!(pad.data("ok.py", json!({})).await, json!(1), "after {file}");
        }
        assert_eq!(pad.host.worker_pids(), pids);
    });
}

#[test]
fn dropping_the_future_stops_the_handler_and_its_cleanup_runs() {
    let source = "async def execute(args, context):
    try:
        await context.kv.get('never')
    finally:
        print('cleaned')
        open('cleaned', 'w').close()
";
    let where_am_i = "import os\ndef execute(): return [os.path.exists('cleaned')]";
    let pad = Arc::new(Pad::with_config(patient(), &[("a.py", source), ("b.py", where_am_i)]));
    runtime().block_on(async {
        let task = tokio::spawn({
            let pad = Arc::clone(&pad);
            async move { pad.run("a.py", json!({}), PATIENT).await }
        });
        until(|| !pad.far.asked_for("kv.get").is_empty()).await;
        task.abort();
        let _ = task.await;
        while pad.data("b.py", json!({})).await != json!([true]) {}
        assert_eq!(pad.host.worker_pids().len(), 1);
    });
}

#[test]
fn a_call_that_cannot_be_stopped_costs_its_worker_and_nothing_else() {
    // Each of them goes on whatever is thrown at it, or where nothing can be thrown.
    let stubborn = [
        (
            "thread.py",
            "import time\ndef execute(args, context):\n    while True:\n        try:\n            while True: time.sleep(0.01)\n        except BaseException: pass\n",
        ),
        (
            "native.py",
            "import re\nasync def execute(args, context):\n    re.match('(a+)+$', 'a' * 60 + '!')\n",
        ),
    ];
    runtime().block_on(async {
        for (file, source) in stubborn {
            let slow = "import asyncio\nasync def execute(args, context):\n    await asyncio.sleep(0.2)\n    return 1\n";
            let mut config = py_config();
            config.drain_max = Duration::from_secs(1);
            let pad = Arc::new(Pad::with_config(config, &[(file, source), ("slow.py", slow)]));
            pad.host.warm(&pad.folder).await.unwrap();
            let pid = pad.host.worker_pids()[0];
            let bystander = tokio::spawn({
                let pad = Arc::clone(&pad);
                async move { pad.run_as("slow.py", json!({}), PATIENT, Repeat::Safe).await }
            });
            let finished = pad.run(file, json!({}), SHORT).await;
            assert_eq!(finished.answer, Answer::Broke(Breakdown::TimedOut { limit_ms: 300 }), "{file}");
            let bystander = bystander.await.unwrap();
            let well = json!({ "ok": true, "data": 1, "intents": [] });
            assert_eq!(bystander.answer, Answer::Returned(well), "beside {file}");
            until(|| !is_alive(pid)).await;
        }
    });
}

#[test]
fn a_blocked_loop_names_the_authors_line() {
    let source = "import time

def pause():
    time.sleep(1000)

async def execute(args, context):
    pause()
";
    let mut config = patient();
    config.limits.block_max = Duration::from_millis(300);
    let pad =
        Pad::with_config(config, &[("core/a.py", source), ("ok.py", "def execute(): return 1")]);
    runtime().block_on(async {
        let end = pad.data("core/a.py", json!({})).await;
        let expected = "broke: it used more than 300 ms of the event loop without an `await`, at core/a.py:4 `time.sleep(1000)` and was stopped";
        assert_eq!(end, expected);
        assert_eq!(pad.data("ok.py", json!({})).await, json!(1));
        assert_eq!(pad.host.worker_pids().len(), 1);
    });
}

#[test]
fn a_lost_call_runs_again_only_if_it_is_safe_and_had_asked_for_nothing() {
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
            assert_eq!(finished.answer, Answer::Broke(Breakdown::Died { because }));
            assert_eq!((finished.attempts, finished.called_out), (attempts, ask));
        }
    });
}

#[test]
fn a_file_that_lost_its_worker_gets_one_of_its_own() {
    let pad = Pad::with_files(&[
        (
            "bad.py",
            "import os\ndef execute(args): os._exit(9) if args['die'] else None; return os.getpid()",
        ),
        ("good.py", "import os\ndef execute(): return os.getpid()"),
        ("other.py", "import os\ndef execute(): return os.getpid()"),
    ]);
    runtime().block_on(async {
        let good = pad.data("good.py", json!({})).await;
        assert_eq!(pad.data("other.py", json!({})).await, good, "files share a worker");
        assert!(
            pad.data("bad.py", json!({ "die": true }))
                .await
                .as_str()
                .unwrap()
                .starts_with("broke: ")
        );
        let bad = pad.data("bad.py", json!({ "die": false })).await;
        let good = pad.data("good.py", json!({})).await;
        assert_ne!(bad, good);
        // From now on it harms nobody but itself.
        pad.data("bad.py", json!({ "die": true })).await;
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
        // Shared memory is not what the kernel counts; it is seen from outside.
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
    let source = "import time
def execute(args, context):
    end = time.monotonic() + 0.4
    while time.monotonic() < end:
        try: time.sleep(0.01)
        except BaseException: pass
    import asyncio
    asyncio.run(context.kv.set('late', 1))
    return 'late'
";
    let pad =
        Pad::with_config(patient(), &[("a.py", source), ("ok.py", "def execute(): return 1")]);
    runtime().block_on(async {
        pad.host.warm(&pad.folder).await.unwrap();
        let finished = pad.run("a.py", json!({}), SHORT).await;
        assert_eq!(finished.answer, Answer::Broke(Breakdown::TimedOut { limit_ms: 300 }));
        assert_eq!(pad.data("ok.py", json!({})).await, json!(1));
        assert_eq!(pad.far.stored("late"), None);
    });
}

#[test]
fn what_a_call_leaves_running_ends_with_it() {
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
        assert_eq!(pad.far.asked_for("kv.get").len(), 16, "so many are on their way, and no more");
        task.abort();
    });
}

#[test]
fn a_call_that_holds_up_the_loop_for_ever_ends_with_its_worker() {
    // It does not hold the interpreter's lock, but nothing can be thrown into it either.
    let source = "import hashlib
async def execute(args, context):
    hashlib.pbkdf2_hmac('sha256', b'x', b'y', 10 ** 9)
";
    let mut config = patient();
    config.limits.block_max = Duration::from_millis(200);
    config.drain_max = Duration::from_millis(100);
    let pad = Pad::with_config(config, &[("a.py", source), ("ok.py", "def execute(): return 1")]);
    runtime().block_on(async {
        let end = pad.data("a.py", json!({})).await;
        let expected = "broke: it used more than 200 ms of the event loop without an `await`, at a.py:3 `hashlib.pbkdf2_hmac('sha256', b'x', b'y', 10 ** 9)` and was stopped";
        assert_eq!(end, expected);
        assert_eq!(pad.data("ok.py", json!({})).await, json!(1));
    });
}

#[test]
fn a_worker_that_gives_no_sign_of_life_is_replaced() {
    let source =
        "import re\nasync def execute(args, context):\n    re.match('(a+)+$', 'a' * 60 + '!')\n";
    let mut config = patient();
    config.limits.silence_max = Duration::from_secs(2);
    let pad = Pad::with_config(config, &[("a.py", source), ("ok.py", "def execute(): return 1")]);
    runtime().block_on(async {
        let end = pad.data("a.py", json!({})).await;
        let expected = "broke: the process that ran it ended: it gave no sign of life for 2000 ms; it ended by signal 9";
        assert_eq!(end, expected);
        assert_eq!(pad.data("ok.py", json!({})).await, json!(1));
    });
}

#[test]
fn every_file_may_have_a_worker_of_its_own_but_there_is_a_limit() {
    let config = PyHostConfig { isolation: Isolation::EveryFile, workers_max: 2, ..patient() };
    let pid = "import os\ndef execute(): return os.getpid()";
    let waits = "async def execute(args, context): await context.kv.get('never')";
    let files = [("a.py", pid), ("b.py", pid), ("c.py", pid), ("x.py", waits), ("y.py", waits)];
    let pad = Arc::new(Pad::with_config(config, &files));
    runtime().block_on(async {
        let (a, b) = (pad.data("a.py", json!({})).await, pad.data("b.py", json!({})).await);
        assert_ne!(a, b);
        assert_eq!(pad.data("a.py", json!({})).await, a);
        // The one that was not used for longest makes room.
        pad.data("c.py", json!({})).await;
        assert_eq!(pad.data("a.py", json!({})).await, a);
        assert_ne!(pad.data("b.py", json!({})).await, b);
        let busy: Vec<_> = ["x.py", "y.py"]
            .map(|file| {
                let pad = Arc::clone(&pad);
                tokio::spawn(async move { pad.run(file, json!({}), PATIENT).await })
            })
            .into();
        until(|| pad.far.asked_for("kv.get").len() == 2).await;
        let end = pad.data("a.py", json!({})).await;
        assert_eq!(end, "broke: it could not be started: all 2 Python workers are busy");
        busy.iter().for_each(tokio::task::JoinHandle::abort);
    });
}

#[test]
fn a_folder_may_have_an_environment_of_its_own() {
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
fn a_thread_that_is_left_behind_does_not_burn_for_ever() {
    let source = "import threading
def burn():
    while True: pass
def execute():
    threading.Thread(target=burn, daemon=True).start()
    return 1
";
    let pad = Pad::with_files(&[("a.py", source)]);
    runtime().block_on(async {
        assert_eq!(pad.data("a.py", json!({})).await, json!(1));
        let pids = pad.host.worker_pids();
        assert_eq!(pids.len(), 1);
        until(|| !is_alive(pids[0])).await;
    });
}
