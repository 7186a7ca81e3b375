//! What a call runs on: who hears its handler, and who may stop it.

use std::sync::Arc;

use tokio::sync::watch;

use crate::services::Surface;

/// The surface of one call or one turn. Clones share it.
#[derive(Clone)]
pub struct Stage {
    pub surface: Arc<dyn Surface>,
    pub cancel: Cancel,
    pub paid_by: PaidBy,
}

/// Whose budget a call is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaidBy {
    /// The turn's.
    Turn,
    /// Nobody's: a person runs a tool by hand, and wants it run: nothing is answered from
    /// memory.
    Person,
}

/// A switch that stops whatever runs on it. Clones share it.
#[derive(Debug, Clone)]
pub struct Cancel(Arc<watch::Sender<Switch>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Switch {
    Open,
    /// The program ends: a turn is left where its log stands, and calls may finish.
    Left,
    /// A person wants no more of it.
    Thrown,
}

impl Default for Cancel {
    fn default() -> Self {
        Self(Arc::new(watch::channel(Switch::Open).0))
    }
}

impl Cancel {
    /// A person stops it.
    pub fn cancel(&self) {
        self.0.send_replace(Switch::Thrown);
    }

    /// The program ends: what waits for a model is left for the next program.
    pub fn leave(&self) {
        self.0.send_modify(|switch| *switch = (*switch).max(Switch::Left));
    }

    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow() == Switch::Thrown
    }

    /// Has the program begun to end?
    pub fn is_left(&self) -> bool {
        *self.0.borrow() == Switch::Left
    }

    /// Are they clones of one switch?
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Waits until a person stops it.
    pub async fn cancelled(&self) {
        self.at_least(Switch::Thrown).await;
    }

    /// Waits until it is stopped or left.
    pub async fn cancelled_or_left(&self) {
        self.at_least(Switch::Left).await;
    }

    async fn at_least(&self, wanted: Switch) {
        let mut switched = self.0.subscribe();
        // The sender lives in `self`, so the wait ends only when it is switched.
        let _ = switched.wait_for(|switch| *switch >= wanted).await;
    }
}
