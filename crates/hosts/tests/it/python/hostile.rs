//! Hostile Python: it must reach nothing, leave nothing behind and block no other call.

use hosts::PyHost;
use hosts::sandbox::Protection;
use policy::{HandlerFailure, HandlerOutcome};
use serde_json::{Value, json};

use super::harness::Pad;
use crate::failures::{is_alive, until};
use crate::harness::{py_config, runtime};

/// A handler that attempts something and reports the result.
fn attempt(body: &str) -> String {
    let body = body.replace('\n', "\n        ");
    format!(
        "import errno, os, sys, socket, subprocess, pathlib, ctypes, signal, resource, threading, mmap
async def execute(args, context):
    try:
        {body}
        return 'it worked'
    except PermissionError:
        return 'refused'
    except OSError as fault:
        return 'refused' if fault.errno == errno.EXDEV else f'failed: {{fault}}'
"
    )
}

#[test]
fn nothing_outside_is_reached() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let home = std::env::home_dir().unwrap_or("/root".into());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let socket = outside.path().join("door");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let (secret, socket, home) = (secret.display(), socket.display(), home.display());
    let attempts = [
        format!("open('{secret}').read()"),
        format!("open('{secret}', 'w').write('x')"),
        format!("os.listdir('{home}')"),
        "open('/etc/passwd').read()".to_owned(),
        "open('/proc/self/environ').read()".to_owned(),
        "os.listdir('/tmp')".to_owned(),
        format!("os.symlink('{secret}', 'link')\nopen('link').read()"),
        format!("os.link('{secret}', 'hard')\nopen('hard').read()"),
        "open(__file__, 'a').write('x')".to_owned(),
        "open('/usr/lib/ghosthand', 'w')".to_owned(),
        format!("socket.create_connection(('127.0.0.1', {port}))"),
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)".to_owned(),
        "socket.socket(socket.AF_INET6)".to_owned(),
        "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)".to_owned(),
        format!("socket.socket(socket.AF_UNIX).connect('{socket}')"),
        format!("a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\na.sendto(b'x', '{socket}')"),
        "os.fork()".to_owned(),
        "subprocess.run(['/bin/true'])".to_owned(),
        "os.posix_spawn('/bin/true', ['true'], {})".to_owned(),
        "os.kill(os.getppid(), signal.SIGKILL)".to_owned(),
        "os.kill(-1, signal.SIGKILL)".to_owned(),
        "os.kill(1, 0)".to_owned(),
        "os.killpg(os.getpgid(os.getppid()), 0)".to_owned(),
        "resource.prlimit(os.getppid(), resource.RLIMIT_CORE, (0, 0))".to_owned(),
        "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)".to_owned(),
        "os.sched_setaffinity(os.getppid(), {0})".to_owned(),
        "libc = ctypes.CDLL(None, use_errno=True)\nif libc.ptrace(16, os.getppid(), 0, 0) < 0: raise PermissionError".to_owned(),
        "libc = ctypes.CDLL(None, use_errno=True)\nif libc.unshare(0x10000000) < 0: raise PermissionError".to_owned(),
        "os.memfd_create('x')".to_owned(),
    ];
    runtime().block_on(async {
        let pad = Pad::with_files(&[]);
        for (number, body) in attempts.iter().enumerate() {
            let file = format!("t/a{number}.py");
            pad.write(&file, &attempt(body));
            assert_eq!(pad.data(&file, json!({})).await, "refused", "{body}");
        }
    });
    assert_eq!(std::fs::read_to_string(secret.to_string()).unwrap(), "secret");
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "somebody has connected");
}

#[test]
fn only_the_scratch_folder_is_writable_and_it_is_removed() {
    let source = "import os, tempfile
def execute(args):
    with open('note', 'w') as note: note.write('x')
    with tempfile.NamedTemporaryFile() as more: more.write(b'y')
    try:
        with open('big', 'wb') as big: big.write(b'x' * (65 << 20))
        large = True
    except OSError:
        large = False
    return [os.getcwd(), sorted(os.environ), large]
";
    let pad = Pad::with_files(&[("a.py", source)]);
    let runtime = runtime();
    let value = runtime.block_on(pad.data("a.py", json!({})));
    let scratch = value[0].as_str().unwrap().to_owned();
    assert_eq!(value[1], json!(["HOME", "LANG", "MALLOC_ARENA_MAX", "PATH", "TMPDIR"]));
    assert_eq!(value[2], json!(false));
    assert!(std::path::Path::new(&scratch).join("note").exists());
    assert!(!pad.folder.join("__pycache__").exists());
    drop(pad);
    runtime.block_on(until(|| !std::path::Path::new(&scratch).exists()));
}

#[test]
fn a_fork_bomb_and_a_thread_bomb_are_contained() {
    let forks = "import os
async def execute(args, context):
    refused = 0
    for _ in range(1000):
        try:
            os.fork()
        except PermissionError:
            refused += 1
    return refused
";
    let threads = "import threading
def execute(args, context):
    stop = threading.Event()
    made = 0
    try:
        while made < 100_000:
            threading.Thread(target=stop.wait, daemon=True).start(); made += 1
    except (RuntimeError, MemoryError):
        pass
    stop.set()
    return made < 100_000
";
    let pad = Pad::with_files(&[
        ("forks.py", forks),
        ("threads.py", threads),
        ("ok.py", "def execute(): return 1"),
    ]);
    runtime().block_on(async {
        assert_eq!(pad.data("forks.py", json!({})).await, json!(1000));
        let pids = pad.host.worker_pids();
        assert_eq!(pids.len(), 1);
        assert!(is_alive(pids[0]));
        let end = pad.data("threads.py", json!({})).await;
        assert!(end == json!(true) || end.to_string().contains("broke: "), "{end}");
        // Its threads and memory may not all be released. Then the worker is retired, a call that
        // arrives in between fails with it, and the next call gets a new worker.
        let next = pad.data("ok.py", json!({})).await;
        let shares = ["another thread", "broke: "].iter().any(|end| next.to_string().contains(end));
        assert!(next == json!(1) || shares, "{next}");
        assert_eq!(pad.data("ok.py", json!({})).await, json!(1));
    });
}

#[test]
fn writing_into_the_channel_affects_only_its_worker() {
    // It finds the descriptor by trying them all.
    let garbage = "import os, socket
async def execute(args, context):
    for fd in range(3, 64):
        try:
            if socket.socket(fileno=os.dup(fd)).family == socket.AF_UNIX:
                os.write(fd, args['bytes'].encode('latin-1'))
        except OSError:
            pass
    await context.assistant('still here')
    return 1
";
    let frame = |json: &str| {
        let mut text: String =
            u32::try_from(json.len()).unwrap().to_le_bytes().map(char::from).iter().collect();
        text.push_str(json);
        json!({ "bytes": text })
    };
    let pad = Pad::with_files(&[("a.py", garbage), ("ok.py", "def execute(): return 1")]);
    runtime().block_on(async {
        for bytes in [
            json!({ "bytes": "\u{ff}\u{ff}\u{ff}\u{ff}" }),
            frame("nonsense"),
            frame(r#"{"done":{"call":999,"end":{"returned":1}}}"#),
            frame(r#"{"hello":{"level":1}}"#),
            frame(r#"{"import":{"call":1,"base":"","specifier":"x"}}"#),
        ] {
            let answer = pad.answer("a.py", bytes).await;
            assert!(
                matches!(answer, HandlerOutcome::Broke(HandlerFailure::Died { .. })),
                "{answer:?}"
            );
            assert_eq!(pad.data("ok.py", json!({})).await, json!(1));
        }
    });
}

#[test]
fn without_a_complete_sandbox_nothing_runs() {
    let pad = Pad::with_files(&[]);
    runtime().block_on(async {
        let level = pad.host.warm(&pad.folder).await.unwrap();
        for (name, part) in level.parts() {
            assert!(matches!(part, Protection::Enforced(_)), "{name}: {part:?}");
        }
        let mut config = py_config();
        config.program = "/bin/true".into();
        let host = PyHost::start(config);
        let fault = host.warm(&pad.folder).await.unwrap_err();
        assert!(fault.contains("ended with code 0"), "{fault}");
        let mut config = py_config();
        config.python = "/nowhere/python3".into();
        let fault = PyHost::start(config).warm(&pad.folder).await.unwrap_err();
        assert_eq!(fault, "there is no Python at /nowhere/python3");
    });
}

#[test]
fn a_hostile_exception_is_still_reported() {
    let source = "class Odd(Exception):
    def __str__(self): raise ValueError
async def execute(args, context):
    raise Odd
";
    let pad = Pad::with_files(&[
        ("a.py", source),
        (
            "b.py",
            "def execute(args):\n    class X:\n        @property\n        def type(self): raise ValueError('trap')\n    return {'a': X()}\n",
        ),
    ]);
    let runtime = runtime();
    let end = runtime.block_on(pad.data("a.py", Value::Null));
    assert_eq!(end, "threw: the tool raised something that cannot be read");
    let end = runtime.block_on(pad.data("b.py", Value::Null));
    assert!(end.as_str().unwrap().contains("which JSON cannot represent"), "{end}");
}
