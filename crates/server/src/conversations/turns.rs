//! Runs turns: at most one in a conversation, independent of readers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use contract::{AskKind, Sampling};
use conversation::{
    ConversationEvent, ConversationFault, Conversations, EventRecord, TurnOptions, TurnResult,
};
use engine::{ApprovalRecord, Cancel};
use policy::ConversationId;
use store::StoreFault;
use tokio::sync::watch;

use crate::cluster::Cluster;
use crate::conversations::answering_model::answering_model;
use crate::conversations::personalised_model::{FirstPrompt, personalised};
use crate::fault::{Fault, HandlerResult};
use crate::render::render_pool::RenderPool;
use crate::server::limits::ServerLimits;
use crate::state::AppState;
use crate::stream::broadcast::Broadcast;
use crate::telemetry::Content;
use crate::telemetry::spans::Spans;

/// The running turns and the open streams.
pub(crate) struct TurnRunner {
    conversations: Conversations,
    output_tokens_max: Option<u32>,
    limits: ServerLimits,
    render_pool: RenderPool,
    cluster: Arc<Cluster>,
    /// Streams with a reader or a running turn. Locked while one is opened, so that a conversation
    /// has only one.
    channels: tokio::sync::Mutex<BTreeMap<String, Weak<Broadcast>>>,
    /// Never held across an await.
    running: Arc<Mutex<BTreeMap<String, Running>>>,
    /// How many turns run.
    count: Arc<watch::Sender<usize>>,
}

struct Running {
    cancel: Cancel,
    /// A question was answered in the meantime: run the turn again.
    again: bool,
}

/// The right to run a turn in one conversation, until it is dropped.
pub(crate) struct Slot {
    id: String,
    cancel: Cancel,
    running: Arc<Mutex<BTreeMap<String, Running>>>,
    count: Arc<watch::Sender<usize>>,
}

impl TurnRunner {
    pub(crate) fn new(
        conversations: &Conversations,
        output_tokens_max: Option<u32>,
        limits: ServerLimits,
        render_pool: RenderPool,
        cluster: Arc<Cluster>,
    ) -> Self {
        Self {
            conversations: conversations.clone(),
            output_tokens_max,
            limits,
            render_pool,
            cluster,
            channels: tokio::sync::Mutex::default(),
            running: Arc::default(),
            count: Arc::new(watch::channel(0).0),
        }
    }

    pub(crate) fn output_tokens_max(&self) -> Option<u32> {
        self.output_tokens_max
    }

    /// Reserves the right to run a turn. A running turn is a conflict; one that has just ended or
    /// paused is waited for.
    pub(crate) async fn reserve(&self, id: &ConversationId) -> HandlerResult<Slot> {
        let channel = self.channel(id).await?;
        let (mut count, mut growth) = (self.count.subscribe(), channel.growth());
        loop {
            match self.claim(id) {
                Err(_) if self.is_running(id) && !channel.is_running() => tokio::select! {
                    _ = count.changed() => {}
                    _ = growth.changed() => {}
                },
                claimed => return claimed,
            }
        }
    }

    /// Stops a running turn, and reserves the conversation as soon as it has ended.
    pub(crate) async fn reserve_stopped(&self, id: &ConversationId) -> HandlerResult<Slot> {
        let mut count = self.count.subscribe();
        loop {
            let was_running = self.stop(id);
            match self.claim(id) {
                // The count changes when it ends; until then it is not claimed.
                Err(_) if was_running => drop(count.changed().await),
                claimed => return claimed,
            }
        }
    }

    fn claim(&self, id: &ConversationId) -> HandlerResult<Slot> {
        self.cluster.check()?;
        let mut running = lock(&self.running);
        if running.contains_key(&id.0) {
            return Err(ConversationFault::Held.into());
        }
        if running.len() >= self.limits.turns_at_once_max {
            return Err(Fault::too_many("too many turns are running"));
        }
        let cancel = Cancel::default();
        running.insert(id.0.clone(), Running { cancel: cancel.clone(), again: false });
        self.count.send_replace(running.len());
        let (running, count) = (Arc::clone(&self.running), Arc::clone(&self.count));
        Ok(Slot { id: id.0.clone(), cancel, running, count })
    }

    pub(crate) fn is_running(&self, id: &ConversationId) -> bool {
        lock(&self.running).contains_key(&id.0)
    }

    /// Stops the turn; returns whether one was running.
    pub(crate) fn stop(&self, id: &ConversationId) -> bool {
        let running = lock(&self.running);
        running.get(&id.0).map(|running| running.cancel.cancel()).is_some()
    }

    /// Whether this server receives the model's deltas of the running turn.
    pub(crate) async fn streams_deltas(&self, id: &ConversationId) -> bool {
        let channel = self.channels.lock().await.get(&id.0).and_then(Weak::upgrade);
        channel.is_some_and(|channel| channel.streams_deltas())
    }

    /// Whether readers were told that the turn waits for a person. The turn is still counted as
    /// running for a moment, and nobody would tell a reader of that moment that it ended.
    pub(crate) async fn has_paused(&self, id: &ConversationId) -> bool {
        let channel = self.channels.lock().await.get(&id.0).and_then(Weak::upgrade);
        channel.is_some_and(|channel| channel.has_paused())
    }

    /// The stream of a conversation.
    pub(crate) async fn channel(&self, id: &ConversationId) -> HandlerResult<Arc<Broadcast>> {
        let mut channels = self.channels.lock().await;
        if let Some(channel) = channels.get(&id.0).and_then(Weak::upgrade) {
            return Ok(channel);
        }
        channels.retain(|_, channel| channel.strong_count() > 0);
        let channel =
            Broadcast::open(&self.conversations, id, self.limits, &self.render_pool).await?;
        channels.insert(id.0.clone(), Arc::downgrade(&channel));
        Ok(channel)
    }

    /// Runs the open turn in the background.
    pub(crate) fn run(&self, app: &AppState, owner: &str, slot: Slot, channel: Arc<Broadcast>) {
        let (app, owner) = (app.clone(), owner.to_owned());
        let output_tokens_max = self.output_tokens_max;
        tokio::spawn(async move {
            let id = ConversationId(slot.id.clone());
            let conversation = app.conversations.get(&id).await.unwrap_or_default();
            let by = TurnOptions {
                model: answering_model(&app, &conversation).await,
                observer: channel.clone(),
                cancel: slot.cancel.clone(),
                output_tokens_max,
                sampling: Sampling::default(),
                can_ask: vec![AskKind::Person],
            };
            let settings = &conversation.settings;
            let by = personalised(&app, &owner, &id, settings, FirstPrompt::OfOwner, by.clone())
                .await
                .unwrap_or(by);
            loop {
                channel.send(|events| events.resumed());
                match when_free(&app, &id, &by).await {
                    Ok(TurnResult::Ended(_) | TurnResult::Nothing) => {}
                    Ok(TurnResult::Waiting) => channel.pause(),
                    // The summary stays open: the next server resumes the turn.
                    Ok(TurnResult::Left) => return,
                    // The holder continues, or another server does: it stays open.
                    Err(fault @ ConversationFault::Held) => {
                        channel.send(|events| events.failed(&fault.to_string()));
                        return;
                    }
                    Err(fault) => {
                        tracing::error!(%fault, "turn failed");
                        channel.send(|events| events.failed("the turn cannot continue"));
                    }
                }
                // Update the summary before others may run a turn.
                if let Err(fault) = app.index.mark_closed(&owner, &id).await {
                    tracing::debug!(?fault, "conversation was deleted during a turn");
                }
                if slot.release() {
                    return;
                }
                if let Err(fault) = app.index.mark_open(&owner, &id).await {
                    tracing::warn!(
                        ?fault,
                        "cannot mark the turn as open; a crash would leave it unfinished"
                    );
                }
            }
        });
    }

    /// A question was answered: the turn continues, now or when it pauses.
    pub(crate) async fn resume(
        &self,
        app: &AppState,
        owner: &str,
        id: &ConversationId,
    ) -> HandlerResult<()> {
        if let Some(running) = lock(&self.running).get_mut(&id.0) {
            running.again = true;
            return Ok(());
        }
        let slot = self.claim(id)?;
        let channel = self.channel(id).await?;
        app.index.mark_open(owner, id).await?;
        self.run(app, owner, slot, channel);
        Ok(())
    }

    async fn are_done_within(&self, patience: Duration) -> bool {
        let mut count = self.count.subscribe();
        tokio::time::timeout(patience, count.wait_for(|count| *count == 0)).await.is_ok()
    }

    /// Resumes the turns that the last server left open, and those whose question was answered just
    /// before it died.
    pub(crate) async fn resume_open(&self, app: &AppState) {
        let open = app.index.left_open().await.unwrap_or_default();
        let open = open.into_iter().map(|(owner, line)| (owner, ConversationId(line.id)));
        for (owner, id) in open.chain(self.answered(app).await) {
            // The server that runs it goes on; if it dies, its lease ends and is noticed.
            if self.conversations.held_by_node(&id).await.is_ok_and(|node| node.is_some()) {
                continue;
            }
            if let Err(fault) = self.resume(app, &owner, &id).await {
                tracing::warn!(?fault, "cannot resume an open turn");
            }
        }
    }

    /// Conversations whose turns wait for an answer that exists, with their owners.
    async fn answered(&self, app: &AppState) -> Vec<(String, ConversationId)> {
        let mut found = Vec::new();
        for ApprovalRecord { origin, call, .. } in
            self.conversations.engine().answered_approvals().await.unwrap_or_default()
        {
            let (owner, id) = (origin.client, origin.conversation);
            if !app.index.has(&owner, &id).await.unwrap_or_default() {
                continue;
            }
            let conversation = self.conversations.get(&id).await.unwrap_or_default();
            if conversation.open_turn().is_some_and(|turn| turn.waiting.contains_key(&call.id)) {
                found.push((owner, id));
            }
        }
        found
    }

    /// Lets running turns finish for a while, then leaves them to the next server as soon as no
    /// call runs, then cancels calls; ends every stream.
    pub(crate) async fn shut_down(&self) {
        let ServerLimits { shutdown_time_max, cancel_time_max, .. } = self.limits;
        let steps: [(_, fn(&Cancel)); 2] =
            [(shutdown_time_max, Cancel::leave), (cancel_time_max, Cancel::cancel)];
        for (patience, then) in steps {
            if self.are_done_within(patience).await {
                break;
            }
            lock(&self.running).values().for_each(|running| then(&running.cancel));
        }
        if !self.are_done_within(cancel_time_max).await {
            tracing::warn!("turns still run at shutdown; the next server resumes them");
        }
        for (id, channel) in self.channels.lock().await.iter() {
            if let Some(channel) = channel.upgrade() {
                let log = self.conversations.log(&ConversationId(id.clone())).await;
                let records = log.unwrap_or_default().records;
                // Deltas that readers received live have no position in the stream.
                let has_place = |record: &&EventRecord| {
                    !matches!(record.event, ConversationEvent::Partial { .. })
                };
                let last = records.iter().rfind(has_place);
                channel.end_after(last.map_or(0, |record| record.sequence));
            }
        }
    }
}

/// How often to retry a conversation that another process holds.
const HELD_PAUSE: Duration = Duration::from_millis(250);

/// How long to wait before a turn goes on whose store does not answer; it doubles.
const STORE_PAUSE: Duration = Duration::from_millis(500);
const STORE_PAUSE_MAX: Duration = Duration::from_secs(8);

/// Runs the turn as soon as no other process holds the conversation. A store that does not answer
/// interrupts a turn like a crash does: it goes on from its log when the store is back, here or on
/// another server.
async fn when_free(
    app: &AppState,
    id: &ConversationId,
    by: &TurnOptions,
) -> Result<TurnResult, ConversationFault> {
    let mut store_pause = STORE_PAUSE;
    loop {
        let was_cancelled = by.cancel.is_cancelled();
        match watched(app, id, by).await {
            Err(ConversationFault::Store(fault)) if !was_cancelled && is_passing(&fault) => {
                tracing::warn!(%fault, "a turn waits for the store");
                tokio::select! {
                    () = tokio::time::sleep(store_pause) => {}
                    () = by.cancel.cancelled_or_left() => {}
                }
                store_pause = (store_pause * 2).min(STORE_PAUSE_MAX);
                if by.cancel.is_left() {
                    return Ok(TurnResult::Left);
                }
            }
            Err(ConversationFault::Held) if by.cancel.is_left() => return Ok(TurnResult::Left),
            Err(ConversationFault::Held) if was_cancelled => return Err(ConversationFault::Held),
            Err(ConversationFault::Held) => tokio::select! {
                () = tokio::time::sleep(HELD_PAUSE) => {}
                () = by.cancel.cancelled_or_left() => {}
            },
            ended => return ended,
        }
    }
}

/// Whether the store may answer later.
fn is_passing(fault: &StoreFault) -> bool {
    match fault {
        StoreFault::Busy { .. } | StoreFault::Unsure { .. } | StoreFault::Unusable { .. } => true,
        StoreFault::TooLarge { .. }
        | StoreFault::NotAList { .. }
        | StoreFault::Conflict { .. }
        | StoreFault::LeaseLost { .. }
        | StoreFault::Forgotten { .. }
        | StoreFault::Erased { .. }
        | StoreFault::NoDeadLetter { .. }
        | StoreFault::Damaged { .. }
        | StoreFault::Closed => false,
    }
}

/// Runs a turn, and records its spans if they are exported.
async fn watched(
    app: &AppState,
    id: &ConversationId,
    by: &TurnOptions,
) -> Result<TurnResult, ConversationFault> {
    let Some(exporter) = &app.exporter else { return app.conversations.run_turn(id, by).await };
    let to = Arc::clone(&by.observer);
    let content = if app.temporary.has(id) { Content::Hidden } else { exporter.content };
    let spans = Spans::new(&app.engine, to, content, by.model.facts(), id);
    let spans = Arc::new(spans);
    let by = TurnOptions { observer: spans.clone(), ..by.clone() };
    let end = app.conversations.run_turn(id, &by).await;
    exporter.put(spans.finish());
    end
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Slot {
    /// Releases the conversation, unless the turn has to run again.
    fn release(&self) -> bool {
        let mut running = lock(&self.running);
        match running.get_mut(&self.id) {
            Some(one) if one.again && !one.cancel.is_cancelled() => {
                one.again = false;
                false
            }
            Some(_) | None => {
                running.remove(&self.id);
                self.count.send_replace(running.len());
                true
            }
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut running = lock(&self.running);
        // The conversation may run again by now, in another slot.
        let ours = |one: &Running| one.cancel.is_same(&self.cancel);
        if running.get(&self.id).is_some_and(ours) {
            running.remove(&self.id);
            self.count.send_replace(running.len());
        }
    }
}
