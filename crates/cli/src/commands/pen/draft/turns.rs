//! The turns of the model at the terminal: a preview, and Ctrl-C to stop.

use std::sync::Arc;

use contract::BoxFuture;
use conversation::TurnObserver;
use pen::session::{TurnControl, TurnFault};

use super::super::preview::Preview;
use crate::commands::chat::conversation_failure;
use crate::exit::Failure;

pub(super) struct TerminalTurns(pub Arc<Preview>);

impl TurnControl for TerminalTurns {
    fn observer(&self) -> Arc<dyn TurnObserver> {
        Arc::clone(&self.0) as Arc<dyn TurnObserver>
    }

    fn stop_wanted(&self) -> BoxFuture<'static, ()> {
        Box::pin(async { drop(tokio::signal::ctrl_c().await) })
    }

    fn turn_ended(&self) {
        self.0.clear();
    }
}

/// A fault of a turn as a failure with a fix.
pub(super) fn turn_failure(fault: TurnFault) -> Failure {
    match fault {
        TurnFault::Conversation(fault) => conversation_failure(fault),
        TurnFault::Approval(fault) => fault.into(),
        TurnFault::Draft(fault) => fault.into(),
        TurnFault::Told { what, fix } => Failure::message(what, fix),
    }
}
