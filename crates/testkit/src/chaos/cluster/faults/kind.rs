//! The kinds of faults.

/// What is done to the servers, the database, or what lies between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    KillNode,
    KillAtCommit,
    KillAll,
    Terminate,
    Freeze,
    Cut,
    Silent,
    Slow,
    Failover,
    DatabaseCrash,
    PoolExhausted,
    NoConnections,
    DiskFull,
    ClockJump,
}

impl FaultKind {
    pub const ALL: [Self; 14] = [
        Self::KillNode,
        Self::KillAtCommit,
        Self::KillAll,
        Self::Terminate,
        Self::Freeze,
        Self::Cut,
        Self::Silent,
        Self::Slow,
        Self::Failover,
        Self::DatabaseCrash,
        Self::PoolExhausted,
        Self::NoConnections,
        Self::DiskFull,
        Self::ClockJump,
    ];

    /// All but the kills of servers, and one kill of all.
    pub fn others() -> &'static [Self] {
        &Self::ALL[2..]
    }

    pub fn index(self) -> usize {
        Self::ALL.iter().position(|kind| *kind == self).unwrap_or_default()
    }

    pub(crate) fn is_kill(self) -> bool {
        self.kills() > 0
    }

    /// How many servers it kills.
    pub(crate) fn kills(self) -> u32 {
        match self {
            Self::KillNode | Self::KillAtCommit => 1,
            Self::KillAll => 3,
            Self::Terminate
            | Self::Freeze
            | Self::Cut
            | Self::Silent
            | Self::Slow
            | Self::Failover
            | Self::DatabaseCrash
            | Self::PoolExhausted
            | Self::NoConnections
            | Self::DiskFull
            | Self::ClockJump => 0,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::KillNode => "kill -9 of a server",
            Self::KillAtCommit => "kill -9 at a commit",
            Self::KillAll => "kill -9 of all servers",
            Self::Terminate => "SIGTERM to a server",
            Self::Freeze => "a server frozen for 5 to 7 s",
            Self::Cut => "connections cut and refused",
            Self::Silent => "connections silent",
            Self::Slow => "connections slow",
            Self::Failover => "kill -9 of the primary, promotion",
            Self::DatabaseCrash => "kill -9 of the primary, restart",
            Self::PoolExhausted => "pool exhausted",
            Self::NoConnections => "PostgreSQL out of connections",
            Self::DiskFull => "disk full under PostgreSQL",
            Self::ClockJump => "clock jumps by an hour",
        }
    }
}
