//! A session that outlives its connections: it waits a while for a client that is gone.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::extract::ws::Message;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};
use voice_session::{FromClient, ToClient};

use crate::VoiceLimits;
use crate::outbox::{Behind, Numbered, Outbox};
use crate::protocol::{ServerEvent, Side};
use crate::shown::Shown;

/// Who is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connected {
    /// The connection with this number.
    By(u64),
    NobodySince(Instant),
}

pub(crate) struct LiveSession {
    /// What a client names to come back. Nobody can guess it.
    pub name: String,
    pub owner: String,
    pub conversation: String,
    pub hears: Side,
    /// The person does not want to be heard.
    pub is_muted: AtomicBool,
    /// The browser has begun to give words.
    pub is_heard: AtomicBool,
    /// Where the browser's final words go.
    pub words: Option<mpsc::Sender<String>>,
    /// None when the session is asked to end.
    from: Mutex<Option<mpsc::Sender<FromClient>>>,
    /// Never held across an await.
    outbox: Mutex<Outbox>,
    grown: watch::Sender<()>,
    connected: watch::Sender<Connected>,
    connections: AtomicU64,
}

/// The fixed facts of a session.
pub(crate) struct Identity {
    pub name: String,
    pub owner: String,
    pub conversation: String,
    pub hears: Side,
    pub words: Option<mpsc::Sender<String>>,
}

impl LiveSession {
    pub(crate) fn new(identity: Identity, from: mpsc::Sender<FromClient>) -> Self {
        let Identity { name, owner, conversation, hears, words } = identity;
        Self {
            name,
            owner,
            conversation,
            hears,
            words,
            is_muted: AtomicBool::new(false),
            is_heard: AtomicBool::new(false),
            from: Mutex::new(Some(from)),
            outbox: Mutex::default(),
            grown: watch::channel(()).0,
            connected: watch::channel(Connected::NobodySince(Instant::now())).0,
            connections: AtomicU64::new(0),
        }
    }

    /// Takes what the session says until it ends, and ends it when nobody comes back, when it is
    /// too long, or when its client confirms nothing.
    pub(crate) async fn run(
        &self,
        mut to: mpsc::Receiver<ToClient>,
        mut shown: Shown,
        limits: VoiceLimits,
    ) {
        let too_long = Instant::now() + limits.session_time_max;
        let mut connected = self.connected.subscribe();
        loop {
            let due = match *connected.borrow_and_update() {
                Connected::By(_) => too_long,
                Connected::NobodySince(since) => too_long.min(since + limits.resume_time_max),
            };
            let is_open = lock(&self.from).is_some();
            tokio::select! {
                message = to.recv() => match message {
                    Some(message) => self.tell(message, &mut shown, limits),
                    None => return,
                },
                _ = connected.changed() => {}
                () = sleep_until(due), if is_open => self.hang_up(),
            }
        }
    }

    fn tell(&self, message: ToClient, shown: &mut Shown, limits: VoiceLimits) {
        let bytes = {
            let mut outbox = lock(&self.outbox);
            shown.take(message, &mut outbox);
            outbox.bytes()
        };
        self.grown.send_replace(());
        if bytes > limits.unconfirmed_bytes_max {
            tracing::warn!(bytes, "a voice session ends: its client confirms nothing");
            self.hang_up();
        }
    }

    pub(crate) fn say(&self, event: &ServerEvent) {
        lock(&self.outbox).event(event);
        self.grown.send_replace(());
    }

    /// Asks the session to end, as if its client were gone.
    pub(crate) fn hang_up(&self) {
        drop(lock(&self.from).take());
    }

    /// Nothing more will come.
    pub(crate) fn end(&self) {
        lock(&self.outbox).has_ended = true;
        self.grown.send_replace(());
    }

    /// Passes something on to the session; false if it is over. Waits while it is busy.
    pub(crate) async fn send(&self, message: FromClient) -> bool {
        let from = lock(&self.from).clone();
        match from {
            Some(from) => from.send(message).await.is_ok(),
            None => false,
        }
    }

    /// Audio that the session does not take in time is lost, as on a phone.
    pub(crate) fn send_audio(&self, samples: Vec<i16>) {
        if let Some(from) = lock(&self.from).as_ref() {
            drop(from.try_send(FromClient::Audio(samples)));
        }
    }

    /// A new connection takes the place of an older one.
    pub(crate) fn connect(&self) -> u64 {
        let number = self.connections.fetch_add(1, Ordering::Relaxed) + 1;
        self.connected.send_replace(Connected::By(number));
        number
    }

    pub(crate) fn disconnect(&self, number: u64) {
        self.connected.send_if_modified(|connected| {
            let is_ours = *connected == Connected::By(number);
            if is_ours {
                *connected = Connected::NobodySince(Instant::now());
            }
            is_ours
        });
    }

    pub(crate) fn connected(&self) -> watch::Receiver<Connected> {
        self.connected.subscribe()
    }

    pub(crate) fn is_connected(&self) -> bool {
        matches!(*self.connected.borrow(), Connected::By(_))
    }

    pub(crate) fn growth(&self) -> watch::Receiver<()> {
        self.grown.subscribe()
    }

    /// Whether a client that has seen this number can go on.
    pub(crate) fn check(&self, seen: u64) -> Result<(), Behind> {
        lock(&self.outbox).check(seen)
    }

    pub(crate) fn confirm(&self, seen: u64) {
        lock(&self.outbox).confirm(seen);
    }

    pub(crate) fn after(&self, sent: u64) -> Next {
        let outbox = lock(&self.outbox);
        match outbox.after(sent) {
            Some(Numbered { seq, message, .. }) => Next::Message(seq, message),
            None if outbox.has_ended => Next::End,
            None => Next::Nothing,
        }
    }
}

/// What a connection sends next.
pub(crate) enum Next {
    Message(u64, Message),
    Nothing,
    End,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
