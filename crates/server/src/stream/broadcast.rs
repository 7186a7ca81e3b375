//! The stream of one conversation, while it has readers or a running turn.
//!
//! In: the live events of the running turn, and the events of the log, written by any process.
//! Out: both in one order: an event is sent when the log has it, and live events after it wait
//! for it. Readers pull from a bounded buffer, each at its own position, so that a slow one
//! delays nobody.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use conversation::{
    ConversationEvent, ConversationFault, ConversationLog, Conversations, LiveEvent, TurnObserver,
};
use policy::ConversationId;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;

use crate::render::render_pool::RenderPool;
use crate::server::limits::ServerLimits;
use crate::stream::agui_events::AguiEvents;
use crate::stream::event::{Event, Frame, Position};
use crate::stream::replay_buffer::{Expired, ReplayBuffer};

/// One conversation's stream.
pub(crate) struct Broadcast {
    /// Never held across an await.
    state: Mutex<State>,
    grown: watch::Sender<()>,
    /// There is new text to render.
    new_text: Arc<Notify>,
    /// The tasks that follow the log and render.
    tasks: Mutex<Vec<AbortHandle>>,
}

struct State {
    events: AguiEvents,
    /// What came after an event that the log does not have yet.
    waiting: VecDeque<Waiting>,
    /// Events that the log had before the turn reported them.
    early: VecDeque<ConversationEvent>,
    buffer: ReplayBuffer,
    /// Distinguishes this stream from earlier ones of the conversation.
    epoch: u32,
    last: Position,
    /// The log cannot be followed any more, or the server shuts down: nothing follows this event.
    ends_after: Option<u64>,
}

enum Waiting {
    Event(Box<ConversationEvent>),
    Live(LiveEvent),
    /// The turn pauses until a person has answered.
    Pause,
}

/// What a reader gets.
pub(crate) enum Read {
    Frames(Vec<Arc<Frame>>),
    /// The reader's position is no longer buffered; the oldest one that is.
    Behind(Position),
    Over,
}

/// How much may wait for the log, which is only moments behind.
const WAITING_MAX: usize = 16_384;

/// The log is at most one batch of its writer ahead of the turn.
const EARLY_MAX: usize = 128;

/// People cannot read faster than this.
const PACE: Duration = Duration::from_millis(80);
const RENDERED_BYTES_PER_MS: u64 = 256;

/// How much a reader gets at once.
const FRAMES_READ_MAX: usize = 128;

impl Broadcast {
    pub(crate) async fn open(
        conversations: &Conversations,
        id: &ConversationId,
        limits: ServerLimits,
        render_pool: &RenderPool,
    ) -> Result<Arc<Self>, ConversationFault> {
        let ConversationLog { records, conversation } = conversations.log(id).await?;
        let last = records.last().map_or(0, |record| record.sequence);
        if last == 0 {
            return Err(ConversationFault::NotFound(id.0.clone()));
        }
        let place = Position::at(last);
        let state = State {
            events: AguiEvents::new(&id.0, conversation),
            waiting: VecDeque::new(),
            early: VecDeque::new(),
            buffer: ReplayBuffer::new(place, limits.replay_events_max, limits.replay_bytes_max),
            epoch: epoch(),
            last: place,
            ends_after: None,
        };
        let (state, grown) = (Mutex::new(state), watch::channel(()).0);
        let new_text = Arc::new(Notify::new());
        let channel = Arc::new(Self {
            state,
            grown,
            new_text: Arc::clone(&new_text),
            tasks: Mutex::default(),
        });
        let mut feed = conversations.follow(id, &records).await?;
        let (reader, rendering) = (Arc::downgrade(&channel), render_pool.clone());
        let follower = tokio::spawn(async move {
            loop {
                match feed.next().await {
                    Ok(record) => match reader.upgrade() {
                        Some(channel) => {
                            let written = move || channel.written(record.sequence, &record.event);
                            if rendering.run(written).await.is_err() {
                                return close(&reader);
                            }
                        }
                        None => return,
                    },
                    Err(ConversationFault::Store(store::StoreFault::Busy { .. })) => {}
                    Err(fault) => {
                        tracing::debug!(%fault, "stopped following a conversation");
                        return close(&reader);
                    }
                }
            }
        });
        let renderer =
            tokio::spawn(render(Arc::downgrade(&channel), new_text, render_pool.clone()));
        lock(&channel.tasks).extend([follower.abort_handle(), renderer.abort_handle()]);
        Ok(channel)
    }

    /// The log has an event.
    fn written(&self, sequence: u64, event: &ConversationEvent) {
        if self.lock().is_known_delta(event) {
            return;
        }
        self.change(|state| {
            let expected = |waiting: &Waiting| match waiting {
                Waiting::Event(known) => **known == *event,
                Waiting::Live(_) | Waiting::Pause => false,
            };
            // What came before the event goes first, even if an event in between was lost.
            if let Some(at) = state.waiting.iter().position(expected) {
                let before: Vec<_> = state.waiting.drain(..=at).collect();
                before.into_iter().for_each(|waiting| state.pass(waiting));
            } else if !matches!(
                event,
                ConversationEvent::Partial { .. }
                    | ConversationEvent::TakenOver
                    | ConversationEvent::Superseded
            ) {
                // Parts of an answer arrive as deltas; none of these is reported as an event.
                state.early.push_back(event.clone());
                if state.early.len() > EARLY_MAX {
                    state.early.pop_front();
                }
            }
            let frames = state.events.event(event);
            state.durable(sequence, &frames);
            while let Some(Waiting::Live(_) | Waiting::Pause) = state.waiting.front() {
                if let Some(live) = state.waiting.pop_front() {
                    state.pass(live);
                }
            }
        });
        self.new_text.notify_one();
    }

    /// Sends something to all readers that will not be in the log.
    pub(crate) fn send(&self, make: impl FnOnce(&mut AguiEvents) -> Vec<Event>) {
        self.change(|state| {
            let frames = make(&mut state.events);
            for frame in &frames {
                state.live(frame);
            }
        });
    }

    /// Sends the streamed texts as HTML; returns how many bytes.
    fn render(&self) -> usize {
        let mut bytes = 0;
        self.change(|state| {
            let frames = state.events.rendered();
            bytes = frames.iter().map(|frame| state.live(frame)).sum();
        });
        bytes
    }

    /// The turn pauses; sent when the log has everything before it.
    pub(crate) fn pause(&self) {
        self.change(|state| match state.waiting.is_empty() {
            true => state.pass(Waiting::Pause),
            false => state.waiting.push_back(Waiting::Pause),
        });
    }

    /// Ends the stream after this event of the log.
    pub(crate) fn end_after(&self, sequence: u64) {
        self.change(|state| state.ends_after = Some(sequence));
    }

    /// What comes after a position.
    pub(crate) fn read(&self, after: Position) -> Read {
        let state = self.lock();
        let is_foreign = after.live > 0 && after.epoch != state.epoch;
        let asked = if is_foreign { Position::at(0) } else { after };
        let frames = match state.buffer.after(asked, FRAMES_READ_MAX) {
            Ok(frames) => frames,
            Err(Expired(oldest)) => return Read::Behind(oldest),
        };
        let is_over = state.ends_after.is_some_and(|end| state.last.sequence >= end);
        match (frames.is_empty(), is_over) {
            (true, true) => Read::Over,
            (true, false) | (false, _) => Read::Frames(frames),
        }
    }

    pub(crate) fn last(&self) -> Position {
        self.lock().last
    }

    /// Whether the model's newest text arrives here as deltas.
    pub(crate) fn streams_deltas(&self) -> bool {
        self.lock().events.streams_deltas()
    }

    /// Whether a run is in progress, as far as readers know.
    pub(crate) fn is_running(&self) -> bool {
        self.lock().events.is_running()
    }

    /// Whether the run waits for a person, as far as readers know.
    pub(crate) fn has_paused(&self) -> bool {
        self.lock().events.has_paused()
    }

    pub(crate) fn growth(&self) -> watch::Receiver<()> {
        self.grown.subscribe()
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.grown.send_replace(());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Renders new text immediately, then pauses, the longer the more there was to render. So a
/// long block costs no more than a short one.
async fn render(channel: Weak<Broadcast>, new_text: Arc<Notify>, render_pool: RenderPool) {
    loop {
        new_text.notified().await;
        let Some(channel) = channel.upgrade() else { return };
        let Ok(bytes) = render_pool.run(move || channel.render()).await else { return };
        let milliseconds = u64::try_from(bytes).unwrap_or(u64::MAX) / RENDERED_BYTES_PER_MS;
        tokio::time::sleep(PACE.max(Duration::from_millis(milliseconds))).await;
    }
}

/// Without random bytes, readers that reconnect reload.
fn epoch() -> u32 {
    getrandom::u32().unwrap_or_default()
}

fn close(channel: &Weak<Broadcast>) {
    if let Some(channel) = channel.upgrade() {
        channel.end_after(0);
    }
}

impl State {
    /// A part of an answer that readers have as deltas has no position in the stream.
    fn is_known_delta(&mut self, event: &ConversationEvent) -> bool {
        let is_known = self.events.is_known_live(event);
        if is_known {
            self.events.event(event);
        }
        is_known
    }

    fn pass(&mut self, waiting: Waiting) {
        let frames = match waiting {
            Waiting::Event(_) => return,
            Waiting::Live(live) => self.events.live_event(&live),
            Waiting::Pause => self.events.paused(),
        };
        for frame in &frames {
            self.live(frame);
        }
    }

    /// The last frame of an event has the event's position; the others come before it.
    fn durable(&mut self, sequence: u64, frames: &[Event]) {
        if let Some((last, before)) = frames.split_last() {
            for frame in before {
                self.live(frame);
            }
            self.put(Position::at(sequence), last);
        }
        self.last = Position::at(sequence);
    }

    fn live(&mut self, event: &Event) -> usize {
        self.put(self.last.next_live(self.epoch), event)
    }

    /// Returns its length in bytes.
    fn put(&mut self, place: Position, event: &Event) -> usize {
        let frame = Frame::new(place, event);
        let bytes = frame.data.len();
        self.buffer.put(self.last, frame);
        self.last = place;
        bytes
    }
}

impl TurnObserver for Broadcast {
    fn live(&self, live: LiveEvent) {
        self.change(|state| match state.waiting.is_empty() {
            true => state.pass(Waiting::Live(live)),
            // The log is far behind: its events say the same later.
            false if state.waiting.len() >= WAITING_MAX => {}
            false => state.waiting.push_back(Waiting::Live(live)),
        });
        self.new_text.notify_one();
    }

    fn event(&self, event: &ConversationEvent) {
        let mut state = self.lock();
        match state.early.iter().position(|early| early == event) {
            Some(at) => drop(state.early.remove(at)),
            None => state.waiting.push_back(Waiting::Event(Box::new(event.clone()))),
        }
    }
}

impl Drop for Broadcast {
    fn drop(&mut self) {
        lock(&self.tasks).iter().for_each(AbortHandle::abort);
    }
}
