//! Limits of the server. No `Default`: callers choose explicitly.

use std::time::Duration;

use attachments::AttachmentLimits;

/// Limits of one server.
#[derive(Debug, Clone, Copy)]
pub struct ServerLimits {
    pub connections_max: usize,
    /// Connections without valid credentials so far; one more evicts the oldest.
    pub unauthenticated_max: usize,
    /// Connections from one address, which many people may share.
    pub connections_per_peer_max: usize,
    pub body_bytes_max: usize,
    /// Time to send the headers of a request, and to begin the next one.
    pub head_time_max: Duration,
    /// Time to send a body; uploads get ten times as long.
    pub body_time_max: Duration,
    /// Time without reading any of an answer or a stream.
    pub stall_time_max: Duration,
    /// Time until an answer begins.
    pub answer_time_max: Duration,
    /// Requests of one caller with a safe method: the burst, and the rate after it.
    pub reads_burst: u32,
    pub reads_per_second: u32,
    /// The same for all other methods.
    pub writes_burst: u32,
    pub writes_per_second: u32,
    /// Wrong tokens from one address; a valid token is never refused.
    pub wrong_tokens_burst: u32,
    pub wrong_tokens_per_second: u32,
    /// Requests for shared pages and their files from one address.
    pub shared_burst: u32,
    pub shared_per_second: u32,
    pub streams_per_owner_max: usize,
    /// Texts that the model edits or suggests at the same time.
    pub ai_edits_per_owner_max: usize,
    pub conversations_per_owner_max: usize,
    /// How long nobody may follow a temporary conversation before it is deleted.
    pub temporary_idle: Duration,
    /// Files of messages.
    pub attachments: AttachmentLimits,
    /// An imported conversation.
    pub import_bytes_max: usize,
    pub import_entries_max: usize,
    pub turns_at_once_max: usize,
    /// The replay buffer of a stream.
    pub replay_events_max: usize,
    pub replay_bytes_max: usize,
    /// How long running turns may continue at shutdown, before they are left to the next server.
    pub shutdown_time_max: Duration,
    /// How long their calls may continue after that, before they are cancelled.
    pub cancel_time_max: Duration,
}

impl ServerLimits {
    /// For a server on one machine.
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
            shared_burst: 200,
            shared_per_second: 20,
            streams_per_owner_max: 2_048,
            ai_edits_per_owner_max: 2,
            conversations_per_owner_max: 10_000,
            temporary_idle: Duration::from_secs(300),
            attachments: AttachmentLimits::machine(),
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
