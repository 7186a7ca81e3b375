//! Opening a conversation: reading its log, and taking what a person says.

use policy::{ConversationId, Timestamp};
use serde::Deserialize;
use store::{AppendResult, LogName, PageRequest, Sequence, Store, StoreFault};

use super::event::{HowEnded, Opened, TalkEvent};
use super::ink::entry;
use super::record::{Record, Talk};
use super::unmade::ended_early;
use crate::call::origin::CallOrigin;
use crate::engine::Engine;
use crate::keys;

/// Why a conversation cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum TalkFault {
    #[error("there is no conversation `{0}`")]
    NoTalk(String),
    #[error("there is a conversation `{0}` already")]
    Known(String),
    #[error("another program is answering in this conversation; try again in a moment")]
    Held,
    #[error("event {sequence} of the conversation cannot be read: {because}")]
    Unreadable { sequence: u64, because: String },
    #[error("a message may have at most {max} bytes; this one has {bytes}")]
    TooLong { bytes: usize, max: usize },
    #[error("the message is empty")]
    Empty,
    #[error("the conversation has no turn {0}")]
    NoTurn(u64),
    #[error("entry {entry} {because}")]
    BadEntry { entry: usize, because: &'static str },
    #[error("a call in a later turn waits for a person; answer it first")]
    Waits,
    #[error(transparent)]
    Store(#[from] StoreFault),
}

/// An event as it stands in the log.
#[derive(Deserialize)]
pub(super) struct Stamped {
    pub at: Timestamp,
    #[serde(flatten)]
    pub event: TalkEvent,
}

pub(super) fn named(bad: &store::BadName) -> TalkFault {
    TalkFault::Store(StoreFault::Unusable { because: bad.to_string() })
}

impl Engine {
    /// Begins a conversation, unless it has begun already.
    pub async fn open_talk(&self, id: &ConversationId, opened: Opened) -> Result<(), TalkFault> {
        let log = keys::talk(id).map_err(|bad| named(&bad))?;
        self.append(&log, &TalkEvent::Opened(opened)).await?;
        Ok(())
    }

    /// The events of a conversation, in order.
    pub async fn talk_events(&self, id: &ConversationId) -> Result<Vec<Record>, TalkFault> {
        let log = keys::talk(id).map_err(|bad| named(&bad))?;
        let mut records = Vec::new();
        let mut from = Sequence::FIRST;
        loop {
            let page = self.store().log().read(&log, from, 1_000).await?;
            let Some(last) = page.last().map(|record| record.sequence) else { break };
            for record in page {
                let sequence = record.sequence.0;
                let Stamped { at, event } = record
                    .body
                    .to()
                    .map_err(|bad| TalkFault::Unreadable { sequence, because: bad.to_string() })?;
                records.push(Record { sequence, at, event });
            }
            from = last.next();
        }
        Ok(records)
    }

    pub async fn talk(&self, id: &ConversationId) -> Result<Talk, TalkFault> {
        let records = self.talk_events(id).await?;
        match records.is_empty() {
            true => Err(TalkFault::NoTalk(id.0.clone())),
            false => Ok(Talk::read(records.iter().map(|record| &record.event))),
        }
    }

    /// The ids of all conversations.
    pub async fn talks(&self) -> Result<Vec<ConversationId>, TalkFault> {
        let prefix = keys::talks().map_err(|bad| named(&bad))?;
        let mut ids = Vec::new();
        let mut page = PageRequest::first(500);
        loop {
            let found = self.store().log().logs(&prefix, page).await?;
            ids.extend(found.items.iter().filter_map(keys::talk_id));
            match found.next {
                Some(next) => page = PageRequest::after(next, 500),
                None => return Ok(ids),
            }
        }
    }

    /// Copies the events up to and including `last` into a new conversation.
    pub async fn fork(
        &self,
        id: &ConversationId,
        last: u64,
        to: &ConversationId,
    ) -> Result<usize, TalkFault> {
        let log = keys::talk(to).map_err(|bad| named(&bad))?;
        let mut copied = 0;
        for record in self.talk_events(id).await?.into_iter().take_while(|r| r.sequence <= last) {
            match self.append(&log, &record.event).await? {
                AppendResult::New(_) => copied += 1,
                AppendResult::Known(_) => return Err(TalkFault::Known(to.0.clone())),
            }
        }
        Ok(copied)
    }

    /// Takes what a person said: it is on the disk when this returns, and a turn is open.
    /// Whatever still waited for an answer is withdrawn: the person moved on.
    pub async fn say(&self, id: &ConversationId, text: &str) -> Result<u64, TalkFault> {
        self.check_said(text)?;
        let hold = self.hold(id).await?;
        let said = self.say_held(id, text).await;
        drop(hold);
        said
    }

    pub(super) fn check_said(&self, text: &str) -> Result<(), TalkFault> {
        let max = self.wiring().limits.said_bytes_max;
        match text.len() {
            0 => Err(TalkFault::Empty),
            bytes if bytes > max => Err(TalkFault::TooLong { bytes, max }),
            _ => Ok(()),
        }
    }

    pub(super) async fn say_held(&self, id: &ConversationId, text: &str) -> Result<u64, TalkFault> {
        let talk = self.talk(id).await?;
        self.move_on(id, &talk).await?;
        let turn = talk.newest + 1;
        let log = keys::talk(id).map_err(|bad| named(&bad))?;
        let said = TalkEvent::Said { turn, text: text.to_owned() };
        match self.append(&log, &said).await? {
            AppendResult::New(_) => Ok(turn),
            AppendResult::Known(_) => Err(TalkFault::Held),
        }
    }

    /// Gives every call that still waits its end, and ends the turn.
    pub(super) async fn move_on(&self, id: &ConversationId, talk: &Talk) -> Result<(), TalkFault> {
        let Some(turn) = talk.open_turn() else { return Ok(()) };
        let log = keys::talk(id).map_err(|bad| named(&bad))?;
        let origin = self.origin_of(id, talk, turn.number);
        self.withdraw_approvals(&origin)
            .await
            .map_err(|fault| StoreFault::Unusable { because: fault.to_string() })?;
        for event in ended_early(turn, HowEnded::MovedOn) {
            self.append(&log, &event).await?;
        }
        Ok(())
    }

    /// Stops an open turn that no program runs; says whether one was open.
    pub async fn stop_talk(&self, id: &ConversationId) -> Result<bool, TalkFault> {
        let hold = self.hold(id).await?;
        let stopped = self.stop_held(id).await;
        drop(hold);
        stopped
    }

    async fn stop_held(&self, id: &ConversationId) -> Result<bool, TalkFault> {
        let talk = self.talk(id).await?;
        let Some(turn) = talk.open_turn() else { return Ok(false) };
        let log = keys::talk(id).map_err(|bad| named(&bad))?;
        let origin = self.origin_of(id, &talk, turn.number);
        self.withdraw_approvals(&origin)
            .await
            .map_err(|fault| StoreFault::Unusable { because: fault.to_string() })?;
        for event in ended_early(turn, HowEnded::Cancelled) {
            self.append(&log, &event).await?;
        }
        Ok(true)
    }

    pub(super) fn origin_of(&self, id: &ConversationId, talk: &Talk, turn: u64) -> CallOrigin {
        let opened = talk.opened.as_ref();
        CallOrigin {
            conversation: id.clone(),
            client: opened.map_or_else(String::new, |opened| opened.client.clone()),
            mode: opened.map_or(contract::Mode::Text, |opened| opened.mode),
            turn,
            somebody_to_ask: true,
            can_ask: Vec::new(),
            model: opened.map(|opened| opened.model.clone()),
            active: true,
        }
    }

    pub(super) async fn append(
        &self,
        log: &LogName,
        event: &TalkEvent,
    ) -> Result<AppendResult, TalkFault> {
        let (body, key) = entry(self.now(), event)?;
        Ok(self.store().log().append(log, body, Some(key)).await?)
    }
}

/// Leaves a message in a conversation of the same client, beside its turns.
pub(crate) async fn notice(
    store: &dyn Store,
    id: &ConversationId,
    client: &str,
    message: &str,
    text: String,
    at: Timestamp,
) -> Result<(), TalkFault> {
    let log = keys::talk(id).map_err(|bad| named(&bad))?;
    let first = store.log().read(&log, Sequence::FIRST, 1).await?;
    let opened = first.first().and_then(|record| record.body.to::<Stamped>().ok());
    match opened.map(|stamped| stamped.event) {
        Some(TalkEvent::Opened(opened)) if opened.client == client => {}
        _ => return Err(TalkFault::NoTalk(id.0.clone())),
    }
    let event = TalkEvent::Noticed { id: message.to_owned(), text };
    let (body, key) = entry(at, &event)?;
    store.log().append(&log, body, Some(key)).await?;
    Ok(())
}
