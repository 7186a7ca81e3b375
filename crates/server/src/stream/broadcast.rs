//! The stream of one conversation while somebody reads it or a turn runs in it.
//!
//! Two things come in: what the running turn says at once, and what the log has, by
//! whatever process it was written. They are put in one order: an event is passed on when
//! the log has it, and what was heard after it waits for it. Readers pull from a bounded
//! buffer, each at its own place, so that a slow one holds up nobody.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use engine::{Audience, Engine, Heard, TalkEvent, TalkFault};
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
    /// Held for single steps only, never while anything waits.
    state: Mutex<State>,
    grown: watch::Sender<()>,
    /// There are new words to be rendered.
    said: Arc<Notify>,
    /// What follows the log, and what renders.
    tasks: Mutex<Vec<AbortHandle>>,
}

struct State {
    scene: AguiEvents,
    /// What was heard after an event that the log does not have yet.
    waiting: VecDeque<Waiting>,
    /// Events that the log had before the turn told of them.
    early: VecDeque<TalkEvent>,
    backlog: ReplayBuffer,
    /// Tells this opening of the stream from others.
    epoch: u32,
    last: Position,
    /// The log cannot be followed any more, or the server ends: nothing comes after this
    /// event.
    ends_after: Option<u64>,
}

enum Waiting {
    Event(Box<TalkEvent>),
    Heard(Heard),
    /// The turn rests until a person has answered.
    Rest,
}

/// What a reader gets.
pub(crate) enum Read {
    Frames(Vec<Arc<Frame>>),
    /// The reader's place is no longer kept; the oldest that is.
    Behind(Position),
    Over,
}

/// What may wait for the log; it is behind by moments only.
const WAITING_MAX: usize = 16_384;

/// The log is never further ahead of the turn than a batch of its writer.
const EARLY_MAX: usize = 128;

/// Faster than this nobody reads.
const PACE: Duration = Duration::from_millis(80);
const RENDERED_BYTES_PER_MS: u64 = 256;

/// How much a reader gets at once.
const FRAMES_READ_MAX: usize = 128;

impl Broadcast {
    pub(crate) async fn open(
        engine: &Engine,
        id: &ConversationId,
        limits: ServerLimits,
        renderers: &RenderPool,
    ) -> Result<Arc<Self>, TalkFault> {
        let records = engine.talk_events(id).await?;
        let last = records.last().map_or(0, |record| record.sequence);
        if last == 0 {
            return Err(TalkFault::NoTalk(id.0.clone()));
        }
        let place = Position::at(last);
        let state = State {
            scene: AguiEvents::new(&id.0, records.iter().map(|record| &record.event)),
            waiting: VecDeque::new(),
            early: VecDeque::new(),
            backlog: ReplayBuffer::new(place, limits.replay_events_max, limits.replay_bytes_max),
            epoch: epoch(),
            last: place,
            ends_after: None,
        };
        let (state, grown) = (Mutex::new(state), watch::channel(()).0);
        let said = Arc::new(Notify::new());
        let channel =
            Arc::new(Self { state, grown, said: Arc::clone(&said), tasks: Mutex::default() });
        let mut feed = engine.follow_talk(id, last).await?;
        let (reader, rendering) = (Arc::downgrade(&channel), renderers.clone());
        let follower = tokio::spawn(async move {
            loop {
                match feed.next().await {
                    Ok(record) => match reader.upgrade() {
                        Some(channel) => {
                            let written = move || channel.written(record.sequence, &record.event);
                            if rendering.run(written).await.is_err() {
                                return over(&reader);
                            }
                        }
                        None => return,
                    },
                    Err(TalkFault::Store(store::StoreFault::Busy { .. })) => {}
                    Err(fault) => {
                        tracing::debug!(%fault, "a conversation is not followed any more");
                        return over(&reader);
                    }
                }
            }
        });
        let renderer = tokio::spawn(render(Arc::downgrade(&channel), said, renderers.clone()));
        lock(&channel.tasks).extend([follower.abort_handle(), renderer.abort_handle()]);
        Ok(channel)
    }

    /// The log has an event.
    fn written(&self, sequence: u64, event: &TalkEvent) {
        if self.lock().heard_already(event) {
            return;
        }
        self.change(|state| {
            let expected = |waiting: &Waiting| match waiting {
                Waiting::Event(known) => **known == *event,
                Waiting::Heard(_) | Waiting::Rest => false,
            };
            // What was heard before it comes before it, even if an event got lost between.
            if let Some(at) = state.waiting.iter().position(expected) {
                let before: Vec<_> = state.waiting.drain(..=at).collect();
                before.into_iter().for_each(|waiting| state.pass(waiting));
            } else if !matches!(event, TalkEvent::Partial { .. }) {
                // Pieces of an answer are heard as they are said, and not told of.
                state.early.push_back(event.clone());
                if state.early.len() > EARLY_MAX {
                    state.early.pop_front();
                }
            }
            let frames = state.scene.event(event);
            state.durable(sequence, &frames);
            while let Some(Waiting::Heard(_) | Waiting::Rest) = state.waiting.front() {
                if let Some(heard) = state.waiting.pop_front() {
                    state.pass(heard);
                }
            }
        });
        self.said.notify_one();
    }

    /// Says something to all readers that the log will not have.
    pub(crate) fn tell(&self, say: impl FnOnce(&mut AguiEvents) -> Vec<Event>) {
        self.change(|state| {
            let frames = say(&mut state.scene);
            for frame in &frames {
                state.live(frame);
            }
        });
    }

    /// Tells what is being said as HTML, and how many bytes that was.
    fn render(&self) -> usize {
        let mut bytes = 0;
        self.change(|state| {
            let frames = state.scene.rendered();
            bytes = frames.iter().map(|frame| state.live(frame)).sum();
        });
        bytes
    }

    /// The turn rests; said when the log has everything before it.
    pub(crate) fn rest(&self) {
        self.change(|state| match state.waiting.is_empty() {
            true => state.pass(Waiting::Rest),
            false => state.waiting.push_back(Waiting::Rest),
        });
    }

    /// Nothing more will come but what the log has up to this event.
    pub(crate) fn end_after(&self, sequence: u64) {
        self.change(|state| state.ends_after = Some(sequence));
    }

    /// What comes after a place.
    pub(crate) fn read(&self, after: Position) -> Read {
        let state = self.lock();
        let is_foreign = after.live > 0 && after.epoch != state.epoch;
        let asked = if is_foreign { Position::at(0) } else { after };
        let frames = match state.backlog.after(asked, FRAMES_READ_MAX) {
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

    /// Are the model's newest words heard here as they are said?
    pub(crate) fn hears_model(&self) -> bool {
        self.lock().scene.hears_model()
    }

    /// Does a run go on, as far as readers know?
    pub(crate) fn is_running(&self) -> bool {
        self.lock().scene.is_running()
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

/// Renders what is being said, at once, but then not again for a moment: the longer the more
/// there was to render. So a long block costs no more than a short one.
async fn render(channel: Weak<Broadcast>, said: Arc<Notify>, renderers: RenderPool) {
    loop {
        said.notified().await;
        let Some(channel) = channel.upgrade() else { return };
        let Ok(bytes) = renderers.run(move || channel.render()).await else { return };
        let milliseconds = u64::try_from(bytes).unwrap_or(u64::MAX) / RENDERED_BYTES_PER_MS;
        tokio::time::sleep(PACE.max(Duration::from_millis(milliseconds))).await;
    }
}

/// Without random bytes readers that come back are told to reload.
fn epoch() -> u32 {
    getrandom::u32().unwrap_or_default()
}

fn over(channel: &Weak<Broadcast>) {
    if let Some(channel) = channel.upgrade() {
        channel.end_after(0);
    }
}

impl State {
    /// A piece of an answer that readers have had live takes no place in the stream.
    fn heard_already(&mut self, event: &TalkEvent) -> bool {
        let is_known = self.scene.is_known_live(event);
        if is_known {
            self.scene.event(event);
        }
        is_known
    }

    fn pass(&mut self, waiting: Waiting) {
        let frames = match waiting {
            Waiting::Event(_) => return,
            Waiting::Heard(heard) => self.scene.heard(&heard),
            Waiting::Rest => self.scene.rests(),
        };
        for frame in &frames {
            self.live(frame);
        }
    }

    /// The last frame of an event has the event's own place; the others come before it.
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

    /// Says how many bytes it was.
    fn put(&mut self, place: Position, event: &Event) -> usize {
        let frame = Frame::new(place, event);
        let bytes = frame.data.len();
        self.backlog.put(self.last, frame);
        self.last = place;
        bytes
    }
}

impl Audience for Broadcast {
    fn hear(&self, heard: Heard) {
        self.change(|state| match state.waiting.is_empty() {
            true => state.pass(Waiting::Heard(heard)),
            // The log is far behind: its events say the same, later.
            false if state.waiting.len() >= WAITING_MAX => {}
            false => state.waiting.push_back(Waiting::Heard(heard)),
        });
        self.said.notify_one();
    }

    fn event(&self, event: &TalkEvent) {
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
