//! The stream of one conversation while somebody reads it or a turn runs in it.
//!
//! Two things come in: what the running turn says at once, and what the log has, by
//! whatever process it was written. They are put in one order: an event is passed on when
//! the log has it, and what was heard after it waits for it. Readers pull from a bounded
//! buffer, each at its own place, so that a slow one holds up nobody.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use engine::{Audience, Desk, Heard, TalkEvent, TalkFault};
use policy::ConversationId;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::frame::{Event, Frame, Place};
use crate::limits::ServerLimits;
use crate::scene::Scene;

/// One conversation's stream.
pub(crate) struct Channel {
    /// Held for single steps only, never while anything waits.
    state: Mutex<State>,
    grown: watch::Sender<()>,
    follower: Mutex<Option<AbortHandle>>,
}

struct State {
    scene: Scene,
    /// What was heard after an event that the log does not have yet.
    waiting: VecDeque<Waiting>,
    /// Events that the log had before the turn told of them.
    early: VecDeque<TalkEvent>,
    frames: VecDeque<Arc<Frame>>,
    bytes: usize,
    /// Tells this opening of the stream from others.
    epoch: u32,
    /// The place just before the oldest frame that is kept.
    first: Place,
    last: Place,
    /// The log cannot be followed any more, or the server ends: nothing comes after this
    /// event.
    ends_after: Option<u64>,
    limits: ServerLimits,
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
    Behind(Place),
    Over,
}

/// What may wait for the log; it is behind by moments only.
const WAITING_MAX: usize = 16_384;

/// The log is never further ahead of the turn than a batch of its writer.
const EARLY_MAX: usize = 128;

/// How much a reader gets at once.
const FRAMES_READ_MAX: usize = 128;

impl Channel {
    pub(crate) async fn open(
        desk: &Desk,
        id: &ConversationId,
        limits: ServerLimits,
    ) -> Result<Arc<Self>, TalkFault> {
        let records = desk.talk_events(id).await?;
        let last = records.last().map_or(0, |record| record.sequence);
        if last == 0 {
            return Err(TalkFault::NoTalk(id.0.clone()));
        }
        let place = Place::at(last);
        let state = State {
            scene: Scene::new(&id.0, records.iter().map(|record| &record.event)),
            waiting: VecDeque::new(),
            early: VecDeque::new(),
            frames: VecDeque::new(),
            bytes: 0,
            epoch: epoch(),
            first: place,
            last: place,
            ends_after: None,
            limits,
        };
        let (state, grown) = (Mutex::new(state), watch::channel(()).0);
        let channel = Arc::new(Self { state, grown, follower: Mutex::default() });
        let mut feed = desk.follow_talk(id, last).await?;
        let reader = Arc::downgrade(&channel);
        let follower = tokio::spawn(async move {
            loop {
                match feed.next().await {
                    Ok(record) => match reader.upgrade() {
                        Some(channel) => channel.written(record.sequence, &record.event),
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
        *lock(&channel.follower) = Some(follower.abort_handle());
        Ok(channel)
    }

    /// The log has an event.
    fn written(&self, sequence: u64, event: &TalkEvent) {
        self.change(|state| {
            let expected = |waiting: &Waiting| match waiting {
                Waiting::Event(known) => **known == *event,
                Waiting::Heard(_) | Waiting::Rest => false,
            };
            // What was heard before it comes before it, even if an event got lost between.
            if let Some(at) = state.waiting.iter().position(expected) {
                let before: Vec<_> = state.waiting.drain(..=at).collect();
                before.into_iter().for_each(|waiting| state.pass(waiting));
            } else {
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
    }

    /// Says something to all readers that the log will not have.
    pub(crate) fn tell(&self, say: impl FnOnce(&mut Scene) -> Vec<Event>) {
        self.change(|state| {
            let frames = say(&mut state.scene);
            frames.iter().for_each(|frame| state.live(frame));
        });
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
    pub(crate) fn read(&self, after: Place) -> Read {
        let state = self.lock();
        let is_foreign = after.live > 0 && after.epoch != state.epoch;
        if after < state.first || is_foreign {
            return Read::Behind(state.first);
        }
        let from = state.frames.partition_point(|frame| frame.place <= after);
        let frames: Vec<_> =
            state.frames.iter().skip(from).take(FRAMES_READ_MAX).cloned().collect();
        let is_over = state.ends_after.is_some_and(|end| state.last.sequence >= end);
        match (frames.is_empty(), is_over) {
            (true, true) => Read::Over,
            (true, false) | (false, _) => Read::Frames(frames),
        }
    }

    pub(crate) fn last(&self) -> Place {
        self.lock().last
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

/// Without random bytes readers that come back are told to reload.
fn epoch() -> u32 {
    getrandom::u32().unwrap_or_default()
}

fn over(channel: &Weak<Channel>) {
    if let Some(channel) = channel.upgrade() {
        channel.end_after(0);
    }
}

impl State {
    fn pass(&mut self, waiting: Waiting) {
        let frames = match waiting {
            Waiting::Event(_) => return,
            Waiting::Heard(heard) => self.scene.heard(&heard),
            Waiting::Rest => self.scene.rests(),
        };
        frames.iter().for_each(|frame| self.live(frame));
    }

    /// The last frame of an event has the event's own place; the others come before it.
    fn durable(&mut self, sequence: u64, frames: &[Event]) {
        if let Some((last, before)) = frames.split_last() {
            before.iter().for_each(|frame| self.live(frame));
            self.put(Place::at(sequence), last);
        }
        self.last = Place::at(sequence);
    }

    fn live(&mut self, event: &Event) {
        self.put(self.last.next_live(self.epoch), event);
    }

    fn put(&mut self, place: Place, event: &Event) {
        let frame = Frame::new(place, event);
        self.bytes += frame.data.len();
        self.last = place;
        self.frames.push_back(Arc::new(frame));
        let ServerLimits { frames_max, frames_bytes_max, .. } = self.limits;
        while self.frames.len() > frames_max || self.bytes > frames_bytes_max {
            let Some(oldest) = self.frames.pop_front() else { return };
            self.bytes -= oldest.data.len();
            self.first = oldest.place;
        }
    }
}

impl Audience for Channel {
    fn hear(&self, heard: Heard) {
        self.change(|state| match state.waiting.is_empty() {
            true => state.pass(Waiting::Heard(heard)),
            // The log is far behind: its events say the same, later.
            false if state.waiting.len() >= WAITING_MAX => {}
            false => state.waiting.push_back(Waiting::Heard(heard)),
        });
    }

    fn event(&self, event: &TalkEvent) {
        let mut state = self.lock();
        match state.early.iter().position(|early| early == event) {
            Some(at) => drop(state.early.remove(at)),
            None => state.waiting.push_back(Waiting::Event(Box::new(event.clone()))),
        }
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        if let Some(follower) = lock(&self.follower).take() {
            follower.abort();
        }
    }
}
