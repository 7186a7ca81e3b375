//! Wakes the subscriptions that a write concerns, and no others. For engines.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::fault::StoreFault;
use crate::name::{LogName, QueueName};

/// What a write changes and a subscription waits for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Topic {
    Kv,
    Log(LogName),
    Queue(QueueName),
}

/// The open subscriptions of one store.
#[derive(Default)]
pub struct Topics {
    /// Locked briefly, by the writer and by subscriptions that begin or end.
    state: Mutex<State>,
}

#[derive(Default)]
enum State {
    #[default]
    Empty,
    Open(HashMap<Topic, watch::Sender<()>>),
    Closed,
}

impl Topics {
    pub fn subscribe(self: &Arc<Self>, topic: Topic) -> Result<TopicWait, StoreFault> {
        let mut state = self.state();
        if matches!(*state, State::Empty) {
            *state = State::Open(HashMap::new());
        }
        let State::Open(senders) = &mut *state else { return Err(StoreFault::Closed) };
        let sender = senders.entry(topic.clone()).or_insert_with(|| watch::channel(()).0);
        let receiver = sender.subscribe();
        Ok(TopicWait { topic, receiver, topics: Arc::clone(self) })
    }

    /// Wakes everything that waits for one of these.
    pub fn touch(&self, touched: &HashSet<Topic>) {
        self.wake(|topic| touched.contains(topic));
    }

    /// Wakes everything: another process wrote, and it is unknown what.
    pub fn touch_all(&self) {
        self.wake(|_| true);
    }

    /// Wakes everything that waits for a message: one may have become claimable.
    pub fn touch_queues(&self) {
        self.wake(|topic| matches!(topic, Topic::Queue(_)));
    }

    /// Whether there are subscriptions.
    pub fn is_watched(&self) -> bool {
        matches!(&*self.state(), State::Open(senders) if !senders.is_empty())
    }

    /// What subscriptions wait for now.
    pub fn watched(&self) -> Vec<Topic> {
        match &*self.state() {
            State::Open(senders) => senders.keys().cloned().collect(),
            State::Empty | State::Closed => Vec::new(),
        }
    }

    /// Ends all subscriptions.
    pub fn close(&self) {
        *self.state() = State::Closed;
    }

    fn wake(&self, wanted: impl Fn(&Topic) -> bool) {
        if let State::Open(senders) = &*self.state() {
            for (_, sender) in senders.iter().filter(|(topic, _)| wanted(topic)) {
                sender.send_replace(());
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A wait for one topic. Use: [`TopicWait::mark`], then read, then
/// [`TopicWait::changed`]; what is written after the mark ends the wait.
pub struct TopicWait {
    topic: Topic,
    receiver: watch::Receiver<()>,
    topics: Arc<Topics>,
}

impl TopicWait {
    pub fn mark(&mut self) {
        self.receiver.borrow_and_update();
    }

    pub async fn changed(&mut self) -> Result<(), StoreFault> {
        self.receiver.changed().await.map_err(|_| StoreFault::Closed)
    }
}

impl Drop for TopicWait {
    fn drop(&mut self) {
        if let State::Open(senders) = &mut *self.topics.state()
            && senders.get(&self.topic).is_some_and(|sender| sender.receiver_count() <= 1)
        {
            senders.remove(&self.topic);
        }
    }
}
