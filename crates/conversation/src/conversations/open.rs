//! Opens and reads conversations, and adds messages to them.

use std::sync::Arc;

use contract::FileRef;
use engine::CallOrigin;
use policy::ConversationId;
use store::{AppendResult, LogName, Pages, Sequence, StoreFault};

use super::Conversations;
use super::lease::LeaseGuard;
use super::lease::fence::Admission;
use super::lease::held_key::Hold;
use super::log_cache::ConversationLog;
use crate::event::{ConversationEvent, EndReason, Opened};
use crate::fault::{ConversationFault, bad_name};
use crate::record::{EventRecord, encode};
use crate::settings::ConversationSettings;
use crate::state::{Conversation, WaitsFor};
use crate::store_keys;
use crate::turn::unrun_calls::ended_early;

/// What a person sends.
#[derive(Debug, Clone, Copy)]
pub struct NewMessage<'a> {
    pub text: &'a str,
    pub files: &'a [FileRef],
    /// Answers this message instead of the conversation's model.
    pub model: Option<&'a str>,
}

impl Conversations {
    /// Creates a conversation, unless it exists.
    pub async fn open(&self, id: &ConversationId, opened: Opened) -> Result<(), ConversationFault> {
        let log = store_keys::log(id).map_err(|bad| bad_name(&bad))?;
        self.append(&log, &ConversationEvent::Opened(opened)).await?;
        Ok(())
    }

    /// A conversation as it is now. Only what is new since the last time is read from the store.
    pub async fn log(&self, id: &ConversationId) -> Result<ConversationLog, ConversationFault> {
        let name = store_keys::log(id).map_err(|bad| bad_name(&bad))?;
        self.logs.read(self.engine.store().log(), &name).await
    }

    /// The events of a conversation, in order, all read from the store: for readers of many
    /// conversations, each once.
    pub async fn events(&self, id: &ConversationId) -> Result<Vec<EventRecord>, ConversationFault> {
        let log = store_keys::log(id).map_err(|bad| bad_name(&bad))?;
        let (mut records, mut admission) = (Vec::new(), Admission::default());
        let mut from = Sequence::FIRST;
        loop {
            let page = self.engine.store().log().read(&log, from, 1_000).await?;
            let Some(last) = page.last().map(|record| record.sequence) else { break };
            for record in page {
                records.push(admission.admit(EventRecord::decode(&record)?));
            }
            from = last.next();
        }
        Ok(records)
    }

    pub async fn get(&self, id: &ConversationId) -> Result<Arc<Conversation>, ConversationFault> {
        let ConversationLog { records, conversation } = self.log(id).await?;
        match records.is_empty() {
            true => Err(ConversationFault::NotFound(id.0.clone())),
            false => Ok(conversation),
        }
    }

    /// The ids of all conversations.
    pub async fn ids(&self) -> Result<Vec<ConversationId>, ConversationFault> {
        let prefix = store_keys::logs().map_err(|bad| bad_name(&bad))?;
        let mut ids = Vec::new();
        let mut pages = Pages::of(500);
        while let Some(request) = pages.request() {
            let logs = pages.items(self.engine.store().log().logs(&prefix, request).await?);
            ids.extend(logs.iter().filter_map(store_keys::conversation_id));
        }
        Ok(ids)
    }

    /// Copies the events up to and including `last` into a new conversation.
    pub async fn fork(
        &self,
        id: &ConversationId,
        last: u64,
        to: &ConversationId,
    ) -> Result<usize, ConversationFault> {
        let log = store_keys::log(to).map_err(|bad| bad_name(&bad))?;
        self.keep_files(id, last, to).await?;
        let mut copied = 0;
        let is_copied = |event: &ConversationEvent| {
            !matches!(event, ConversationEvent::TakenOver | ConversationEvent::Superseded)
        };
        let records = self.events(id).await?.into_iter().take_while(|r| r.sequence <= last);
        for record in records.filter(|record| is_copied(&record.event)) {
            match self.append(&log, &record.event).await? {
                AppendResult::New(_) => copied += 1,
                AppendResult::Known(_) => return Err(ConversationFault::Exists(to.0.clone())),
            }
        }
        Ok(copied)
    }

    /// Adds a person's message: it is on disk when this returns, and a turn is open.
    /// Pending requests for approval are withdrawn, because the person moved on.
    pub async fn say(&self, id: &ConversationId, text: &str) -> Result<u64, ConversationFault> {
        self.say_message(id, NewMessage { text, files: &[], model: None }).await
    }

    /// The same, with files that the caller has kept for this conversation, or for another model
    /// than the conversation's to answer.
    pub async fn say_message(
        &self,
        id: &ConversationId,
        message: NewMessage<'_>,
    ) -> Result<u64, ConversationFault> {
        self.check_message(message.text, message.files)?;
        let lease = self.lease(id).await?;
        let added = self.say_with_lease(id, message, &lease).await;
        drop(lease);
        added
    }

    /// Changes what a person chose for the conversation. A running turn goes on as it began.
    pub async fn change_settings(
        &self,
        id: &ConversationId,
        change: impl Fn(&mut ConversationSettings),
    ) -> Result<ConversationSettings, ConversationFault> {
        let log = store_keys::log(id).map_err(|bad| bad_name(&bad))?;
        loop {
            let conversation = self.get(id).await?;
            let mut settings = conversation.settings.clone();
            change(&mut settings);
            if settings == conversation.settings {
                return Ok(settings);
            }
            let number = conversation.settings_changes + 1;
            let event = ConversationEvent::SettingsChanged { number, settings: settings.clone() };
            match self.append(&log, &event).await? {
                AppendResult::New(_) => return Ok(settings),
                // Somebody else changed them first: theirs are read, and this change again.
                AppendResult::Known(_) => {}
            }
        }
    }

    /// Whether a person's message can be added to a conversation.
    pub fn check_message(&self, text: &str, files: &[FileRef]) -> Result<(), ConversationFault> {
        let max = self.engine.limits().message_bytes_max;
        match text.len() {
            _ if text.trim().is_empty() && files.is_empty() => Err(ConversationFault::Empty),
            bytes if bytes > max => Err(ConversationFault::TooLong { bytes, max }),
            _ => Ok(()),
        }
    }

    pub(crate) async fn say_with_lease(
        &self,
        id: &ConversationId,
        message: NewMessage<'_>,
        lease: &LeaseGuard,
    ) -> Result<u64, ConversationFault> {
        let conversation = self.get_with_lease(id, lease).await?;
        let ended = self.move_on(id, &conversation, lease).await?;
        let turn = conversation.newest + 1;
        let NewMessage { text, files, model } = message;
        let (text, files) = (text.to_owned(), files.to_vec());
        let added = ConversationEvent::Said { turn, text, files, model: model.map(str::to_owned) };
        let place = match self.append_with_lease(id, &added, lease).await? {
            AppendResult::New(place) => place,
            AppendResult::Known(_) => return Err(ConversationFault::Held),
        };
        if place.0 == conversation.events + ended + 1 {
            return Ok(turn);
        }
        // A process whose lease was over may have added its message a moment before: that one
        // counts.
        let records = self.log(id).await?.records;
        let first = records.iter().find(|record| {
            matches!(&record.event, ConversationEvent::Said { turn: one, .. } if *one == turn)
        });
        match first {
            Some(first) if first.sequence == place.0 => Ok(turn),
            Some(_) | None => Err(ConversationFault::Held),
        }
    }

    /// The conversation, for the holder of its lease. If another process has written to a turn that
    /// is still open, nothing that it writes from now on counts.
    pub(crate) async fn get_with_lease(
        &self,
        id: &ConversationId,
        lease: &LeaseGuard,
    ) -> Result<Arc<Conversation>, ConversationFault> {
        let hold = lease.hold().ok_or(ConversationFault::Held)?;
        let ConversationLog { records, conversation } = self.log(id).await?;
        if records.is_empty() {
            return Err(ConversationFault::NotFound(id.0.clone()));
        }
        let is_open = conversation.open_turn().is_some() || conversation.has_open_voice();
        if !is_open || Admission::after(&records).is_newest(hold.fence()) {
            return Ok(conversation);
        }
        self.append_with_lease(id, &ConversationEvent::TakenOver, lease).await?;
        Ok(self.log(id).await?.conversation)
    }

    /// Settles every waiting call as not made, and ends the turn; returns how many records that
    /// took.
    pub(crate) async fn move_on(
        &self,
        id: &ConversationId,
        conversation: &Conversation,
        lease: &LeaseGuard,
    ) -> Result<u64, ConversationFault> {
        self.end_early(id, conversation, EndReason::MovedOn, lease).await
    }

    /// Stops an open turn that no process runs; returns whether one was open.
    pub async fn stop(&self, id: &ConversationId) -> Result<bool, ConversationFault> {
        let lease = self.lease(id).await?;
        let stopped = async {
            let conversation = self.get_with_lease(id, &lease).await?;
            let ended = self.end_early(id, &conversation, EndReason::Cancelled, &lease).await?;
            Ok(ended > 0)
        };
        let stopped = stopped.await;
        lease.release().await;
        stopped
    }

    /// Ends an open turn; returns how many records that took, 0 if none was open.
    async fn end_early(
        &self,
        id: &ConversationId,
        conversation: &Conversation,
        how: EndReason,
        lease: &LeaseGuard,
    ) -> Result<u64, ConversationFault> {
        let Some(turn) = conversation.open_turn() else { return Ok(0) };
        let origin = self.origin_of(id, conversation, turn.number);
        self.engine
            .withdraw_approvals(&origin)
            .await
            .map_err(|fault| StoreFault::Unusable { because: fault.to_string() })?;
        for (call, waits) in &turn.waiting {
            if let WaitsFor::Answers { .. } = waits {
                self.engine.withdraw_questions(id, call).await?;
            }
        }
        let mut count = 0;
        for event in ended_early(turn, how) {
            self.append_with_lease(id, &event, lease).await?;
            count += 1;
        }
        Ok(count)
    }

    pub(crate) fn origin_of(
        &self,
        id: &ConversationId,
        conversation: &Conversation,
        turn: u64,
    ) -> CallOrigin {
        let opened = conversation.opened.as_ref();
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

    /// Appends what needs no lease.
    pub(crate) async fn append(
        &self,
        log: &LogName,
        event: &ConversationEvent,
    ) -> Result<AppendResult, ConversationFault> {
        let (body, key) = encode(self.engine.now(), None, event)?;
        Ok(self.engine.store().log().append(log, body, Some(key)).await?)
    }

    /// Appends under the lease, unless it was lost.
    pub(crate) async fn append_with_lease(
        &self,
        id: &ConversationId,
        event: &ConversationEvent,
        lease: &LeaseGuard,
    ) -> Result<AppendResult, ConversationFault> {
        let log = store_keys::log(id).map_err(|bad| bad_name(&bad))?;
        let hold = lease.hold().filter(Hold::is_good).ok_or(ConversationFault::Held)?;
        let (body, key) = encode(self.engine.now(), Some(hold.fence()), event)?;
        Ok(self.engine.store().log().append(&log, body, Some(key)).await?)
    }
}
