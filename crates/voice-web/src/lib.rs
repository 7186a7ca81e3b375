//! Voice sessions in the browser: a WebSocket of the server, and the files of the page's view.
//!
//! In: what writes speech down and what speaks on this machine, if anything does. Out: a
//! [`server::Extension`]. Must hold: a session belongs to one owner and one conversation; one
//! client at a time is connected to it; nothing that a client sends or does not read grows
//! without a limit; keys stay on the server.
//!
//! Start at [`VoiceWeb::extension`], then `socket.rs`: one connection from its first message to
//! its last; `live_session.rs`: a session that outlives its connections; `protocol.rs`: every
//! message. `docs/reference/api.md` describes the protocol for other clients.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod browser_speech;
mod live_session;
mod outbox;
mod pace;
mod protocol;
mod sessions;
mod shown;
mod socket;
mod start;
mod status;

use std::sync::Arc;
use std::time::Duration;

use include_dir::{Dir, include_dir};
use server::{Assets, Extension, Operation};
use voice::Language;
use voice_session::{SessionOptions, Speaks, Transcribes};

use crate::sessions::Sessions;

static PAGE: Dir<'static> = include_dir!("$OUT_DIR/page");

/// What voice sessions need.
pub struct VoiceWeb {
    /// What writes speech down on the server; without it, a browser may do it.
    pub hears: Result<Arc<dyn Transcribes>, Missing>,
    /// What speaks on the server; without it, a browser may do it.
    pub speaks: Result<Arc<dyn Speaks>, Missing>,
    /// The road of sessions and its rules.
    pub options: Result<SessionOptions, Missing>,
    /// Our own language first, then others in which answers are understood.
    pub languages: Vec<Language>,
    pub limits: VoiceLimits,
}

/// Something that this machine does not have, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    pub what: String,
    pub fix: String,
}

/// Limits of voice sessions on one server.
#[derive(Debug, Clone, Copy)]
pub struct VoiceLimits {
    pub sessions_max: usize,
    pub sessions_per_owner_max: usize,
    pub session_time_max: Duration,
    /// How long a session waits for a client that is gone.
    pub resume_time_max: Duration,
    /// How long a connection may bring nothing; clients send `alive` more often.
    pub silence_time_max: Duration,
    /// One message of a client.
    pub message_bytes_max: usize,
    /// How much of a client's audio may come faster than it is spoken.
    pub audio_ahead_max: Duration,
    /// Messages of a client: the burst, and the rate after it.
    pub events_burst: u32,
    pub events_per_second: u32,
    /// What a client has not confirmed yet.
    pub unconfirmed_bytes_max: usize,
}

impl VoiceLimits {
    /// For a server on one machine.
    pub fn machine() -> Self {
        Self {
            sessions_max: 128,
            sessions_per_owner_max: 8,
            session_time_max: Duration::from_secs(3_600),
            resume_time_max: Duration::from_secs(20),
            silence_time_max: Duration::from_secs(30),
            message_bytes_max: 32 << 10,
            audio_ahead_max: Duration::from_secs(10),
            events_burst: 200,
            events_per_second: 50,
            unconfirmed_bytes_max: 16 << 20,
        }
    }
}

/// What all handlers share.
#[derive(Clone)]
pub(crate) struct VoiceState {
    services: Arc<Services>,
    sessions: Arc<Sessions>,
    limits: VoiceLimits,
}

pub(crate) struct Services {
    hears: Result<Arc<dyn Transcribes>, Missing>,
    speaks: Result<Arc<dyn Speaks>, Missing>,
    options: Result<SessionOptions, Missing>,
    languages: Vec<Language>,
}

impl VoiceWeb {
    /// The operations below `/api`, and the files of the view below `/assets/voice`.
    pub fn extension(self) -> Extension {
        let Self { hears, speaks, options, languages, limits } = self;
        let sessions = Arc::new(Sessions::new(limits));
        let services = Arc::new(Services { hears, speaks, options, languages });
        let state = VoiceState { services, sessions: Arc::clone(&sessions), limits };
        Extension {
            operations: operations().into_iter().map(|one| one.with_state(state.clone())).collect(),
            assets: Some(Assets { folder: "voice", files: &PAGE }),
            shutdown: Some(Box::new(move |time_max| {
                Box::pin(async move { sessions.shut_down(time_max).await })
            })),
            ..Extension::default()
        }
    }
}

fn operations() -> Vec<Operation<VoiceState>> {
    vec![
        Operation::get("/api/voice", status::show)
            .summary("What hears and what speaks in voice sessions of this server")
            .answer::<status::VoiceStatus>(),
        Operation::get("/api/conversations/{id}/voice", socket::open)
            .summary(
                "Talk in a conversation, over a WebSocket; docs/reference/api.md has the messages",
            )
            .status(101),
    ]
}
