//! What a page sees of a draft at work: the text as it is written, steps, messages, faults.

use std::sync::{Arc, Mutex, PoisonError};

use cancel::Cancel;
use contract::BoxFuture;
use conversation::{ConversationEvent, LiveEvent, TurnObserver};
use pen::Lang;
use pen::session::{SessionFault, Shown, TurnControl, View};
use serde::Serialize;
use tokio::sync::watch;

use crate::fault::Told;

/// Messages of one piece of work that are kept.
const SHOWN_MAX: usize = 100;
/// The longest text that is shown while it is written.
const PARTIAL_BYTES_MAX: usize = 200_000;

/// The latest state of the work on a draft.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct SeatState {
    pub busy: bool,
    /// The text that the model is writing.
    pub partial: String,
    /// The tool that runs.
    pub step: Option<String>,
    /// What the session has shown since the work began.
    pub shown: Vec<Shown>,
    pub fault: Option<Told>,
    /// Does the author want to edit the text by hand?
    pub by_hand: bool,
}

/// The page as the view of a session, and the control of its turns.
pub(crate) struct PageView {
    state: watch::Sender<SeatState>,
    /// Stops the work that runs; a new one for each piece of work. Never held across an await.
    stop: Mutex<Cancel>,
}

impl PageView {
    pub(crate) fn new() -> (Arc<Self>, watch::Receiver<SeatState>) {
        let (state, news) = watch::channel(SeatState { busy: true, ..SeatState::default() });
        (Arc::new(Self { state, stop: Mutex::default() }), news)
    }

    /// New work begins: nothing of the last one is shown any more.
    pub(crate) fn begin(&self) {
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = Cancel::default();
        self.state.send_replace(SeatState { busy: true, ..SeatState::default() });
    }

    pub(crate) fn end(&self, fault: Option<Told>, by_hand: bool) {
        self.state.send_modify(|state| {
            state.busy = false;
            state.partial.clear();
            state.step = None;
            state.fault = fault;
            state.by_hand = by_hand;
        });
    }

    /// Nobody works on the draft any more, whatever was begun.
    pub(crate) fn abandon(&self) {
        let was_busy = self.state.borrow().busy;
        if was_busy {
            let fix = "try again; the draft is as it was".to_owned();
            self.end(Some(Told { what: "the work broke off".to_owned(), fix }), false);
        }
    }

    pub(crate) fn stop(&self) {
        self.cancel().cancel();
    }

    fn cancel(&self) -> Cancel {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn show(&self, shown: &Shown) {
        self.state.send_modify(|state| {
            if state.shown.len() < SHOWN_MAX {
                state.shown.push(shown.clone());
            }
        });
    }
}

/// The session's view for one language.
pub(crate) struct SpokenView {
    pub page: Arc<PageView>,
    pub lang: Lang,
}

impl View for SpokenView {
    type Fault = Told;

    fn show(&mut self, shown: &Shown) -> Result<(), Told> {
        self.page.show(shown);
        Ok(())
    }

    fn fault(&self, fault: SessionFault) -> Told {
        Told::of_session(&fault, self.lang)
    }
}

/// A clone for the conversation.
pub(crate) struct PageTurns(pub Arc<PageView>);

impl TurnControl for PageTurns {
    fn observer(&self) -> Arc<dyn TurnObserver> {
        Arc::clone(&self.0) as Arc<dyn TurnObserver>
    }

    fn stop_wanted(&self) -> BoxFuture<'static, ()> {
        let cancel = self.0.cancel();
        Box::pin(async move { cancel.cancelled().await })
    }

    fn turn_ended(&self) {
        self.0.state.send_modify(|state| {
            state.partial.clear();
            state.step = None;
        });
    }
}

impl TurnObserver for PageView {
    fn live(&self, event: LiveEvent) {
        match event {
            LiveEvent::Text(text) => self.state.send_modify(|state| {
                if state.partial.len() + text.len() <= PARTIAL_BYTES_MAX {
                    state.partial.push_str(&text);
                }
            }),
            LiveEvent::Running { tool, .. } => self.state.send_modify(|state| {
                state.partial.clear();
                state.step = Some(tool);
            }),
            LiveEvent::Thinking(_)
            | LiveEvent::CallBegun { .. }
            | LiveEvent::Chunk { .. }
            | LiveEvent::Progress { .. }
            | LiveEvent::Message { .. }
            | LiveEvent::Console { .. } => {}
        }
    }

    fn event(&self, event: &ConversationEvent) {
        if matches!(event, ConversationEvent::Settled { .. }) {
            self.state.send_modify(|state| state.step = None);
        }
    }
}
