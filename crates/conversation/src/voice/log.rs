//! Writes the log of a voice session into its conversation, while no one else answers there.

use std::sync::atomic::{AtomicU64, Ordering};

use engine::CallOrigin;
use policy::{ConversationId, Timestamp};
use serde_json::Value;
use services::tool_kv_prefix;
use voice::{Line, LogEntry, SessionEvent, Shown, Speaker, TurnNumber, VoiceEvent};

use super::VoiceSession;
use crate::conversations::Conversations;
use crate::conversations::lease::LeaseGuard;
use crate::event::ConversationEvent;
use crate::event_writer::{EventSink, EventWriter};
use crate::fault::{ConversationFault, bad_name};
use crate::settings::ConversationSettings;
use crate::state::Conversation;
use crate::store_keys;
use crate::view::{Entry, view};

/// How many entries of the conversation a session begins with, and how long each may be.
const HISTORY_MAX: usize = 40;
const HISTORY_CHARS_MAX: usize = 2_000;

/// The open log of a voice session. Holds the lease of the conversation until it is dropped.
pub struct VoiceLog {
    pub(crate) conversations: Conversations,
    pub(crate) id: ConversationId,
    origin: CallOrigin,
    /// How the conversation was opened: a person's own calls are made in this mode.
    opened_mode: contract::Mode,
    writer: EventWriter,
    session: u64,
    /// Of the next entry.
    number: AtomicU64,
    turns_before: u64,
    /// Of the conversation; they can switch tools off.
    pub(crate) settings: ConversationSettings,
    _lease: LeaseGuard,
}

/// What a voice session begins with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VoiceStart {
    /// What was said before, oldest first.
    pub history: Vec<Line>,
    /// Messages that wait for the next turn.
    pub pending: Vec<String>,
    /// Until when the owner of the conversation is blocked.
    pub blocked_until: Option<Timestamp>,
    /// The log of a session that another process left; go on from it.
    pub left_open: Option<Vec<LogEntry>>,
}

impl Conversations {
    /// Takes the conversation for a voice session. An open text turn ends, as it does when the
    /// person sends another message.
    pub async fn open_voice(
        &self,
        id: &ConversationId,
    ) -> Result<(VoiceLog, VoiceStart), ConversationFault> {
        let lease = self.lease(id).await?;
        let conversation = self.get_with_lease(id, &lease).await?;
        self.move_on(id, &conversation, &lease).await?;
        let hold = lease.hold().ok_or(ConversationFault::Held)?;
        let origin = self.origin_of(id, &conversation, conversation.newest);
        let left = conversation.voice.last().filter(|last| conversation.is_left_open(last));
        let (session, number, turns_before) = match left {
            Some(left) => (left.session, left.entries.len() as u64, left.turns_before),
            None => (conversation.voice.len() as u64 + 1, 0, conversation.newest),
        };
        let start = VoiceStart {
            history: history(&conversation),
            pending: pending(&conversation),
            blocked_until: self.blocked_until(&origin.client).await?,
            left_open: left.map(VoiceSession::log),
        };
        let log = store_keys::log(id).map_err(|bad| bad_name(&bad))?;
        let writer = EventWriter::start(self.engine.shared_store(), self.engine.clock(), log, hold);
        let (conversations, id) = (self.clone(), id.clone());
        let (mode, opened_mode) = (contract::Mode::Voice, origin.mode);
        let can_ask = vec![contract::AskKind::Person];
        let origin = CallOrigin { mode, can_ask, ..origin };
        let log = VoiceLog {
            conversations,
            id,
            origin,
            opened_mode,
            writer,
            session,
            number: AtomicU64::new(number),
            turns_before,
            settings: conversation.settings.clone(),
            _lease: lease,
        };
        Ok((log, start))
    }

    /// Until when a tool such as `ignore_user` has blocked this person.
    async fn blocked_until(&self, client: &str) -> Result<Option<Timestamp>, ConversationFault> {
        let name = format!("{}timeouts/{client}", tool_kv_prefix(client));
        // A client whose name cannot be a key cannot have been blocked by one.
        let Ok(key) = name.parse() else { return Ok(None) };
        let Some(entry) = self.engine.store().kv().get(&key).await? else { return Ok(None) };
        let value: Value = entry.value.to().unwrap_or_default();
        Ok(value.get("timeoutUntil").and_then(Value::as_u64).map(Timestamp))
    }
}

impl VoiceLog {
    pub fn conversation(&self) -> &ConversationId {
        &self.id
    }

    /// The time, by the clock of the engine.
    pub fn now(&self) -> Timestamp {
        self.conversations.engine.now()
    }

    /// Which session of the conversation this is, from 1.
    pub fn session(&self) -> u64 {
        self.session
    }

    /// Writes one entry. It is on disk at the latest after the next [`VoiceLog::flush`].
    pub fn write(&self, entry: &LogEntry) {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let session = self.session;
        self.writer.write(&ConversationEvent::Voice { session, number, entry: entry.clone() });
    }

    /// Waits until every entry so far is on disk. A call runs only after this.
    pub async fn flush(&self) -> Result<(), ConversationFault> {
        self.writer.flush().await
    }

    /// Where the calls of a turn of the session come from.
    pub(crate) fn origin(&self, turn: TurnNumber) -> CallOrigin {
        let turn = self.turns_before + u64::from(turn.0.max(1));
        CallOrigin { turn, ..self.origin.clone() }
    }

    /// Where a form comes from that the person sends in this turn.
    pub(crate) fn form_origin(&self, turn: TurnNumber) -> CallOrigin {
        CallOrigin { mode: self.opened_mode, ..self.origin(turn) }
    }
}

impl Conversation {
    /// Whether a voice session was left without an end.
    pub(crate) fn has_open_voice(&self) -> bool {
        self.voice.last().is_some_and(|last| self.is_left_open(last))
    }

    /// Whether a session was left without an end, and nothing came after it.
    fn is_left_open(&self, session: &VoiceSession) -> bool {
        let last_turn = self.turns.last().map_or(0, |turn| turn.number);
        !session.has_ended() && last_turn <= session.after
    }
}

/// The conversation so far, as lines.
fn history(conversation: &Conversation) -> Vec<Line> {
    let line = |entry: Entry| {
        let (speaker, text) = match entry {
            Entry::User { text, .. } => (Speaker::User, text),
            Entry::Assistant { text, .. } => (Speaker::Assistant, text),
            Entry::Thinking { .. }
            | Entry::System { .. }
            | Entry::Step(_)
            | Entry::BrokeOff { .. }
            | Entry::Ended { .. } => return None,
        };
        let text: String = text.chars().take(HISTORY_CHARS_MAX).collect();
        let (at, turn, shown) = (Timestamp(0), TurnNumber(0), Shown::Yes);
        Some(Line { at, turn, speaker, text, shown })
    };
    let mut lines: Vec<Line> = view(conversation).into_iter().filter_map(line).collect();
    let surplus = lines.len().saturating_sub(HISTORY_MAX);
    lines.drain(..surplus);
    lines
}

/// What waits for the next turn: of the last session, or of a tool of the last text turn that
/// asked for it.
fn pending(conversation: &Conversation) -> Vec<String> {
    let last_turn = conversation.turns.last();
    let last = conversation.voice.last();
    let after = last_turn.map_or(0, |turn| turn.number);
    if let Some(session) = last.filter(|session| session.after >= after && session.has_ended()) {
        return session.state().map(|state| state.pending().to_vec()).unwrap_or_default();
    }
    let settled = last_turn.into_iter().flat_map(|turn| &turn.rounds);
    let intents = settled.flat_map(|round| round.settled.values()).flat_map(|call| &call.intents);
    intents
        .filter_map(|intent| match intent {
            contract::Intent::SetPendingMessage { message } => Some(message.clone()),
            contract::Intent::EndVoiceSession { .. }
            | contract::Intent::SuppressAudio { .. }
            | contract::Intent::SuppressTranscript { .. } => None,
        })
        .collect()
}

/// Whether the entry begins a session.
pub(crate) fn is_opening(entry: &LogEntry) -> bool {
    matches!(&entry.event, VoiceEvent::Session(SessionEvent::Opened(_)))
}
