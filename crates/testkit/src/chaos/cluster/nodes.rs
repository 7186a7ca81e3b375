//! Three servers, each with its own folder and its own way to the database.
//!
//! With the rights for it, each is in a process namespace of its own: as on different machines, none
//! of them sees the death of another, and only leases tell.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead as _, BufReader};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::super::far_sides::FarSides;
use super::super::{Servers, pause, project};
use super::database::{Database, address};
use crate::proxy::Proxy;
use crate::quiet::quiet;

const START_TIME_MAX: Duration = Duration::from_secs(120);
/// A server that is asked to end takes less, also on a busy machine.
const END_TIME_MAX: Duration = Duration::from_secs(90);
/// A client then turns to another server.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(8);

pub(super) const NODES: usize = 3;

pub(super) struct Nodes {
    program: PathBuf,
    /// Whether each has a process namespace of its own.
    is_apart: bool,
    nodes: Vec<Node>,
    next: AtomicUsize,
}

pub(super) struct Node {
    folder: PathBuf,
    /// To either server of the database.
    pub proxies: [Proxy; 2],
    now: Mutex<Now>,
}

#[derive(Default)]
struct Now {
    child: Option<Child>,
    address: Option<String>,
}

impl Nodes {
    pub(super) fn start(
        program: &Path,
        folder: &Path,
        far_sides: &FarSides,
        database: &Database,
        runtime: &tokio::runtime::Runtime,
    ) -> io::Result<Self> {
        let mut nodes = Vec::new();
        for number in 0..NODES {
            let folder = folder.join(format!("node-{number}"));
            fs::create_dir_all(&folder)?;
            project::write(&folder, far_sides)?;
            let [one, other] = database.ports();
            let proxies = runtime.block_on(async {
                io::Result::Ok([Proxy::start(one).await?, Proxy::start(other).await?])
            })?;
            nodes.push(Node { folder, proxies, now: Mutex::default() });
        }
        let is_root = fs::metadata("/proc/self")?.uid() == 0;
        let is_apart = is_root && apart().arg("true").status().is_ok_and(|done| done.success());
        let program = program.to_owned();
        let all = Self { program, is_apart, nodes, next: AtomicUsize::new(0) };
        for number in 0..NODES {
            all.come_up(number)?;
        }
        Ok(all)
    }

    pub(super) fn node(&self, number: usize) -> &Node {
        &self.nodes[number % NODES]
    }

    /// Starts a server without waiting for it.
    pub(super) fn begin(&self, number: usize) -> io::Result<std::process::ChildStdout> {
        let node = self.node(number);
        let stderr = OpenOptions::new().create(true).append(true).open(node.log())?;
        #[expect(clippy::disallowed_methods, reason = "the server lives until it is killed")]
        let mut command = match self.is_apart {
            true => {
                let mut command = apart();
                command.arg(&self.program);
                command
            }
            false => Command::new(&self.program),
        };
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--token-file", "tokens.txt"])
            .current_dir(&node.folder)
            .env("GHOSTHAND_STORE", address([node.proxies[0].port, node.proxies[1].port]))
            .env("HOME", &node.folder)
            .env("XDG_CONFIG_HOME", node.folder.join("home"))
            .env("NO_COLOR", "1")
            .env("FAR_KEY", "far-key")
            .env_remove("GHOSTHAND_MODEL")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(stderr);
        let mut child = command.spawn()?;
        let out = child.stdout.take().ok_or_else(|| io::Error::other("no output"))?;
        node.now().child = Some(child);
        Ok(out)
    }

    /// Starts a server and waits for its address; one that cannot be started says why.
    pub(super) fn come_up(&self, number: usize) -> io::Result<()> {
        let out = self.begin(number)?;
        let (send, line) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(out).lines();
            lines.map_while(Result::ok).for_each(|line| drop(send.send(line)));
        });
        let line = line.recv_timeout(START_TIME_MAX).unwrap_or_default();
        let node = self.node(number);
        let address = line.split("http://").nth(1).and_then(|link| link.split('/').next());
        let Some(address) = address else {
            drop(self.kill(number));
            return Err(io::Error::other(format!("{line}{}", node.last_words())));
        };
        node.now().address = Some(address.to_owned());
        Ok(())
    }

    pub(super) fn is_up(&self, number: usize) -> bool {
        self.node(number).now().address.is_some()
    }

    /// `kill -9`. A server that had ended before is a finding.
    pub(super) fn kill(&self, number: usize) -> io::Result<Option<String>> {
        let node = self.node(number);
        let mut now = node.now();
        now.address = None;
        let Some(mut child) = now.child.take() else { return Ok(None) };
        drop(now);
        let ended = child.try_wait()?;
        // With a namespace, the server is the child of this child and dies with it.
        self.signal_child(&child, "-KILL");
        child.kill()?;
        child.wait()?;
        Ok(ended.map(|status| {
            format!("server {number} ended on its own with {status}: {}", node.last_words())
        }))
    }

    /// Asks a server to end, and waits until it has.
    pub(super) fn terminate(&self, number: usize) -> io::Result<Option<String>> {
        let node = self.node(number);
        let mut now = node.now();
        now.address = None;
        let Some(mut child) = now.child.take() else { return Ok(None) };
        drop(now);
        self.signal_child(&child, "-TERM");
        let begun = Instant::now();
        while begun.elapsed() < END_TIME_MAX {
            if let Some(status) = child.try_wait()? {
                let words = format!("server {number} ended with {status}: {}", node.last_words());
                return Ok((!status.success()).then_some(words));
            }
            pause(Duration::from_millis(50));
        }
        self.signal_child(&child, "-KILL");
        child.kill()?;
        child.wait()?;
        Ok(Some(format!("server {number} did not end after SIGTERM: {}", node.last_words())))
    }

    pub(super) fn signal(&self, number: usize, name: &str) {
        if let Some(child) = &self.node(number).now().child {
            self.signal_child(child, name);
        }
    }

    fn signal_child(&self, child: &Child, name: &str) {
        let own = child.id();
        let children = fs::read_to_string(format!("/proc/{own}/task/{own}/children"));
        let inner = children.ok().and_then(|text| text.split(' ').next()?.parse::<u32>().ok());
        let process = if self.is_apart { inner } else { Some(own) };
        if let Some(process) = process {
            drop(quiet("kill").args([name, &process.to_string()]).status());
        }
    }

    pub(super) fn end(&self) {
        for number in 0..NODES {
            drop(self.kill(number));
        }
    }
}

/// Runs a command in a process namespace that ends with it.
fn apart() -> Command {
    let mut command = quiet("unshare");
    command.args(["--pid", "--fork", "--mount-proc", "--kill-child=KILL"]);
    command
}

impl Node {
    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn address(&self) -> Option<String> {
        self.now().address.clone()
    }

    fn log(&self) -> PathBuf {
        self.folder.join("server.log")
    }

    fn last_words(&self) -> String {
        let text = fs::read_to_string(self.log()).unwrap_or_default();
        let mut lines: Vec<&str> = text.lines().rev().take(8).collect();
        lines.reverse();
        lines.join("\n")
    }
}

/// As a proxy without sticky sessions: each request goes to the next server that is there.
impl Servers for Nodes {
    fn address(&self) -> Option<String> {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        (first..first + NODES).find_map(|number| self.node(number).address())
    }

    fn answer_time_max(&self) -> Duration {
        ANSWER_TIME_MAX
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        self.end();
    }
}
