//! The connection: a new one is asked for in a quiet moment before the old one closes.

use policy::Timestamp;

use crate::command::Command;
use crate::event::SessionEvent;
use crate::session::step::Step;
use crate::state::State;
use crate::state::call::OpenCall;

/// The last moment for a new connection, before the old one closes.
const MARGIN_MS: u64 = 5_000;

pub(super) fn reconnect(step: &mut Step<'_>) -> bool {
    if !step.is_due(due(step.state())) {
        return false;
    }
    let by = step.state().link.closes_at.unwrap_or(step.now());
    step.record(SessionEvent::Reconnecting);
    step.command(Command::Reconnect { by });
    true
}

pub(super) fn due(state: &State) -> Option<Timestamp> {
    let closes_at = state.link.closes_at.filter(|_| state.is_up() && !state.link.reconnecting)?;
    let is_quiet = state.user.is_quiet()
        && state.playback.queue.is_empty()
        && !state.turn.is_active()
        && !state.calls.open.values().any(OpenCall::is_running);
    let latest = Timestamp(closes_at.0.saturating_sub(MARGIN_MS));
    Some(if is_quiet { state.now } else { latest })
}
