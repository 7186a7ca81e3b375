//! What the server takes on. No `Default`: whoever opens one says.

use std::time::Duration;

/// Ceilings of one server.
#[derive(Debug, Clone, Copy)]
pub struct ServerLimits {
    pub connections_max: usize,
    /// Connections that have not shown that they may come in; a further one takes the place
    /// of the oldest.
    pub unauthenticated_max: usize,
    /// Connections from one address, behind which there may be many people.
    pub connections_per_peer_max: usize,
    pub body_bytes_max: usize,
    /// How long a client may take to send its head, and to begin the next.
    pub head_time_max: Duration,
    /// How long a client may take to send its body; a file may take ten times as long.
    pub body_time_max: Duration,
    /// How long a client may take nothing of an answer or a stream.
    pub stall_time_max: Duration,
    /// How long an answer may take; streams are not answers.
    pub answer_time_max: Duration,
    /// Requests of one caller that look at something: so many at once, and so many more each
    /// second.
    pub reads_burst: u32,
    pub reads_per_second: u32,
    /// The same for those that change something.
    pub writes_burst: u32,
    pub writes_per_second: u32,
    /// Wrong tokens from one address; the right one is never refused.
    pub wrong_tokens_burst: u32,
    pub wrong_tokens_per_second: u32,
    pub streams_per_owner_max: usize,
    /// Texts that the model changes or proposes at once.
    pub ai_edits_per_owner_max: usize,
    pub conversations_per_owner_max: usize,
    /// A conversation that is brought along as a file.
    pub import_bytes_max: usize,
    pub import_entries_max: usize,
    pub turns_at_once_max: usize,
    /// What is kept of a running turn for readers that come back.
    pub replay_events_max: usize,
    pub replay_bytes_max: usize,
    /// How long running turns may go on when the server ends, before they are left to the
    /// next one.
    pub shutdown_time_max: Duration,
    /// How long their calls may go on after that, before they are stopped.
    pub cancel_time_max: Duration,
}

impl ServerLimits {
    /// For a program on one machine.
    pub fn machine() -> Self {
        Self {
            connections_max: 4_096,
            unauthenticated_max: 512,
            connections_per_peer_max: 3_072,
            body_bytes_max: 2 << 20,
            head_time_max: Duration::from_secs(10),
            body_time_max: Duration::from_secs(30),
            stall_time_max: Duration::from_secs(30),
            answer_time_max: Duration::from_secs(60),
            reads_burst: 4_000,
            reads_per_second: 1_000,
            writes_burst: 2_000,
            writes_per_second: 500,
            wrong_tokens_burst: 20,
            wrong_tokens_per_second: 1,
            streams_per_owner_max: 2_048,
            ai_edits_per_owner_max: 2,
            conversations_per_owner_max: 10_000,
            import_bytes_max: 16 << 20,
            import_entries_max: 20_000,
            turns_at_once_max: 1_024,
            replay_events_max: 4_096,
            replay_bytes_max: 4 << 20,
            shutdown_time_max: Duration::from_secs(5),
            cancel_time_max: Duration::from_secs(5),
        }
    }
}
