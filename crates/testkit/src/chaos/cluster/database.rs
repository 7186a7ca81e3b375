//! A PostgreSQL primary with a synchronous standby, either of which can be lost.

use std::io;
use std::time::{Duration, Instant};

use super::super::pause;
use crate::postgres::{PASSWORD, PostgresServer, PostgresVersion, USER};

/// The disk of each server, in memory: large enough for the trial, and filled in no time.
const DISK_BYTES: u64 = 700 << 20;
const STREAMING_TIME_MAX: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(100);

pub(super) struct Database {
    servers: [PostgresServer; 2],
    primary: usize,
    /// Whether the disks can be filled.
    pub has_own_disks: bool,
}

impl Database {
    pub(super) fn start() -> io::Result<Self> {
        let prepare = |disk| PostgresServer::prepare(PostgresVersion::Debian, SETTINGS, disk);
        let begin = |disk| -> io::Result<PostgresServer> {
            let mut server = prepare(disk)?;
            server.order("init", "initialised")?;
            Ok(server)
        };
        // Without the rights to mount, on the disk of the folder for temporary files.
        let (mut first, disk) = match begin(Some(DISK_BYTES)) {
            Ok(server) => (server, Some(DISK_BYTES)),
            Err(_) => (begin(None)?, None),
        };
        first.order("start", "started")?;
        let second = prepare(disk)?;
        let mut database =
            Self { servers: [first, second], primary: 0, has_own_disks: disk.is_some() };
        database.renew_standby()?;
        Ok(database)
    }

    /// The ports of both servers; which one is the primary changes.
    pub(super) fn ports(&self) -> [u16; 2] {
        [0, 1].map(|number: usize| self.servers[number].port())
    }

    /// The address of both, without a proxy.
    pub(super) fn address(&self) -> String {
        address(self.ports())
    }

    fn primary(&mut self) -> &mut PostgresServer {
        &mut self.servers[self.primary]
    }

    fn standby(&mut self) -> &mut PostgresServer {
        &mut self.servers[1 - self.primary]
    }

    /// Runs statements on the primary.
    pub(super) fn sql(&self, statements: &str) -> io::Result<String> {
        self.servers[self.primary].sql(statements)
    }

    /// A program of PostgreSQL as a client of the primary.
    pub(super) fn client(&self, program: &str) -> std::process::Command {
        self.servers[self.primary].client(program)
    }

    /// Makes the standby a copy of the primary, and every commit wait for it.
    fn renew_standby(&mut self) -> io::Result<()> {
        let of = self.servers[self.primary].port();
        self.standby().order(&format!("standby {of}"), "copied")?;
        self.standby().order("start", "started")?;
        let begun = Instant::now();
        let streaming = "select count(*) from pg_stat_replication where state = 'streaming'";
        while self.sql(streaming)? == "0" {
            if begun.elapsed() > STREAMING_TIME_MAX {
                return Err(io::Error::other("the standby does not follow"));
            }
            pause(LOOK_EVERY);
        }
        self.sql("alter system set synchronous_standby_names = '*'")?;
        self.sql("select pg_reload_conf()").map(drop)
    }

    /// Kills the primary, promotes the standby, and gives it a standby of its own.
    pub(super) fn fail_over(&mut self, between: Duration) -> io::Result<()> {
        self.primary().order("crash", "crashed")?;
        pause(between);
        self.standby().order("promote", "promoted")?;
        self.primary = 1 - self.primary;
        // As a cluster manager does: without any standby, commits wait for none.
        self.sql("alter system reset synchronous_standby_names")?;
        self.sql("select pg_reload_conf()")?;
        self.renew_standby()
    }

    /// Kills the primary and starts it again.
    pub(super) fn crash(&mut self, between: Duration) -> io::Result<()> {
        self.primary().order("crash", "crashed")?;
        pause(between);
        self.primary().order("start", "started")
    }

    /// Fills the disk of the primary for a time.
    pub(super) fn fill(&mut self, time: Duration) -> io::Result<()> {
        self.primary().order("fill", "filled")?;
        pause(time);
        self.primary().order("free", "freed")?;
        // PostgreSQL ends itself if it cannot write its journal, and may not come back alone.
        let begun = Instant::now();
        while self.sql("select 1").is_err() {
            if begun.elapsed() > Duration::from_secs(5) {
                return self.crash(Duration::ZERO);
            }
            pause(LOOK_EVERY);
        }
        Ok(())
    }
}

const SETTINGS: &[&str] = &[
    "fsync = on",
    "wal_level = replica",
    "max_wal_senders = 4",
    "min_wal_size = 32MB",
    "max_wal_size = 128MB",
    "wal_keep_size = 64MB",
    // A connection that a proxy keeps open without bytes must not hold locks for long.
    "wal_receiver_timeout = 5s",
    "wal_receiver_status_interval = 1s",
];

/// An address with two servers.
pub(super) fn address(ports: [u16; 2]) -> String {
    let password = PASSWORD.replace('%', "%25").replace('@', "%40").replace('/', "%2F");
    let [one, other] = ports;
    format!(
        "postgres://{USER}:{password}@127.0.0.1:{one},127.0.0.1:{other}/postgres?sslmode=disable"
    )
}
