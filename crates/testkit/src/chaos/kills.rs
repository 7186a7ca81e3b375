//! The server under test: started, killed, started again.

use std::fs::OpenOptions;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::random::Random;
use super::{Plan, Servers, pause};

/// Longer than any call takes.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(30);
const START_TIME_MAX: Duration = Duration::from_secs(120);
/// The longest life of a server that is killed before it is ready.
const YOUNG_MAX: Duration = Duration::from_millis(400);

pub(super) struct KilledServer {
    program: PathBuf,
    folder: PathBuf,
    now: Mutex<Now>,
}

#[derive(Default)]
struct Now {
    child: Option<Child>,
    address: Option<String>,
}

/// Statistics over all servers.
#[derive(Debug, Default)]
pub(super) struct KillStats {
    pub kills: u32,
    /// Of these, before the server was ready.
    pub young: u32,
    pub starts: Vec<Duration>,
    pub pauses: Vec<Duration>,
    pub findings: Vec<String>,
}

impl KilledServer {
    pub(super) fn new(program: &Path, folder: &Path) -> Self {
        let (program, folder) = (program.to_owned(), folder.to_owned());
        Self { program, folder, now: Mutex::default() }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes all kills of the plan; the last server stays.
    pub(super) fn run_kills(&self, plan: &Plan, random: &mut Random) -> io::Result<KillStats> {
        let mut stats = KillStats::default();
        for _ in 0..plan.kills {
            let is_young = random.one_in(8);
            let life = random.up_to(if is_young { YOUNG_MAX } else { plan.life_max });
            let rest = random.up_to(plan.pause_max) * if random.one_in(10) { 4 } else { 1 };
            let rest = if random.one_in(3) { Duration::ZERO } else { rest };
            // The thread that starts a server reads its output.
            let out = match is_young {
                true => Some(self.start()?),
                false => {
                    stats.starts.push(self.come_up()?);
                    None
                }
            };
            pause(life);
            stats.findings.extend(self.kill()?);
            drop(out);
            stats.kills += 1;
            stats.young += u32::from(is_young);
            pause(rest);
            stats.pauses.push(rest);
        }
        stats.starts.push(self.come_up()?);
        Ok(stats)
    }

    fn start(&self) -> io::Result<std::process::ChildStdout> {
        let stderr_file = OpenOptions::new().create(true).append(true).open(self.stderr_file())?;
        #[expect(clippy::disallowed_methods, reason = "the server lives until it is killed")]
        let mut command = Command::new(&self.program);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--token-file", "tokens.txt"])
            .current_dir(&self.folder)
            .env("HOME", &self.folder)
            .env("XDG_CONFIG_HOME", self.folder.join("home"))
            .env("NO_COLOR", "1")
            .env("FAR_KEY", "far-key")
            .env_remove("GHOSTHAND_MODEL")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(stderr_file);
        let mut child = command.spawn()?;
        let out = child.stdout.take().ok_or_else(|| io::Error::other("no output"))?;
        self.now().child = Some(child);
        Ok(out)
    }

    /// Starts a server and waits for its address.
    fn come_up(&self) -> io::Result<Duration> {
        let begun = Instant::now();
        let out = self.start()?;
        let (send, line) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(out).lines();
            lines.map_while(Result::ok).for_each(|line| drop(send.send(line)));
        });
        let line = line.recv_timeout(START_TIME_MAX).unwrap_or_default();
        let address = line.split("http://").nth(1).and_then(|link| link.split('/').next());
        let Some(address) = address else {
            let stderr_file = self.last_words();
            return Err(io::Error::other(format!("the server did not start: {line}{stderr_file}")));
        };
        self.now().address = Some(address.to_owned());
        Ok(begun.elapsed())
    }

    /// A server that ended before the kill is a finding.
    fn kill(&self) -> io::Result<Option<String>> {
        let mut now = self.now();
        now.address = None;
        let Some(mut child) = now.child.take() else { return Ok(None) };
        drop(now);
        let ended = child.try_wait()?;
        child.kill()?;
        child.wait()?;
        Ok(ended.map(|status| {
            format!("the server ended on its own with {status}: {}", self.last_words())
        }))
    }

    fn stderr_file(&self) -> PathBuf {
        self.folder.join("server.log")
    }

    fn last_words(&self) -> String {
        let text = std::fs::read_to_string(self.stderr_file()).unwrap_or_default();
        let mut lines: Vec<&str> = text.lines().rev().take(8).collect();
        lines.reverse();
        lines.join("\n")
    }

    pub(super) fn end(&self) {
        drop(self.kill());
    }
}

impl Servers for KilledServer {
    fn address(&self) -> Option<String> {
        self.now().address.clone()
    }

    fn answer_time_max(&self) -> Duration {
        ANSWER_TIME_MAX
    }
}

impl Drop for KilledServer {
    fn drop(&mut self) {
        self.end();
    }
}
