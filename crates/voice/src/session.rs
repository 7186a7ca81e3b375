//! One voice session: inputs with their time in, commands out.
//!
//! In: [`Input`]s and the time. Out: [`Command`]s, of which every `Record` goes to the log before
//! the others are done. Must hold: nothing here waits, reads a clock or keeps anything that the
//! log does not have.
//!
//! An input is first recorded as a fact (`take.rs`); then the [`RULES`] are tried in their order
//! until none applies. A rule looks at the state and the time, and records what it decides, which
//! makes it stop applying. Rules that depend on time also say when they are due.

mod asking;
mod calling;
mod ending;
mod filler;
mod forms;
mod intents;
mod interrupt;
mod linking;
mod playing;
mod speech;
mod step;
mod take;
mod turns;
mod wanted;

use policy::Timestamp;

use crate::command::Command;
use crate::event::{LogEntry, Opened, SessionEvent, VoiceEvent};
use crate::input::Input;
use crate::state::State;
use step::Step;
use wanted::Wanted;

/// A rule; says whether it applied.
type Rule = fn(&mut Step<'_>) -> bool;

/// Every rule, in the order in which they are tried.
const RULES: [Rule; 32] = [
    speech::confirm,
    speech::pause,
    speech::give_up_transcript,
    interrupt::interrupt,
    asking::hear,
    speech::ignore,
    playing::heard,
    playing::stalled,
    playing::starved,
    playing::stuck,
    playing::suppress,
    playing::drop_silent,
    calling::cancel_late,
    calling::answer,
    calling::inform,
    ending::finish,
    ending::give_up_model,
    ending::say_farewell,
    asking::expire,
    forms::close_finished,
    asking::to_button,
    asking::give_up,
    asking::repeat_unheard,
    asking::open,
    asking::say,
    turns::request,
    turns::request_pending,
    turns::recover,
    calling::start,
    turns::go_on,
    turns::no_answer,
    playing::start,
];

/// Rules that never make another apply.
const LAST_RULES: [Rule; 4] =
    [calling::over_budget, filler::tone, filler::phrase, linking::reconnect];

/// When a rule that waits will apply.
type Due = fn(&State) -> Option<Timestamp>;

const DUE: [Due; 15] = [
    speech::confirm_due,
    speech::transcript_due,
    speech::ignore_due,
    playing::stalled_due,
    playing::starved_due,
    playing::stuck_due,
    calling::cancel_due,
    calling::budget_due,
    ending::due,
    asking::expiry_due,
    asking::silence_due,
    turns::request_due,
    turns::no_answer_due,
    filler::due,
    linking::due,
];

/// More steps than any input can need: a guard against rules that undo each other.
const STEPS_MAX: usize = 1_000;

/// Why a session does not open.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("this person is blocked for another {} s", .until.ms_since(*.now).div_ceil(1000))]
    Blocked { until: Timestamp, now: Timestamp },
}

/// A voice session.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    state: State,
}

impl Session {
    /// Opens a session, unless the person is blocked until later.
    pub fn open(
        now: Timestamp,
        opened: Opened,
        blocked_until: Option<Timestamp>,
    ) -> Result<(Self, Vec<Command>), Refused> {
        if let Some(until) = blocked_until.filter(|until| now < *until) {
            return Err(Refused::Blocked { until, now });
        }
        let state = State::opened(now, &opened);
        let event = VoiceEvent::Session(SessionEvent::Opened(Box::new(opened)));
        Ok((Self { state }, vec![Command::Record(LogEntry { at: now, event })]))
    }

    /// Goes on from a log, in this process or another. The commands start again what was under
    /// way: the calls (the ledger answers those that ran), the speech, the transcripts.
    pub fn resume(now: Timestamp, log: &[LogEntry]) -> Option<(Self, Vec<Command>)> {
        let mut session = Self { state: State::replay(log)? };
        let mut commands = session.handle(now, Input::ConnectionLost);
        for (call, result) in forms::unsure(&session.state) {
            commands.extend(session.handle(now, Input::CallSettled { call, result }));
        }
        commands.extend(wanted::restart(&session.state));
        Some((session, commands))
    }

    /// Takes one input at its time. Time that goes back counts as standing still.
    pub fn handle(&mut self, now: Timestamp, input: Input) -> Vec<Command> {
        let now = now.max(self.state.now);
        let before = Wanted::of(&self.state);
        let mut step = Step::new(&mut self.state, now);
        settle(&mut step);
        if !step.state().is_over() {
            take::take(&mut step, input);
            settle(&mut step);
        }
        let mut commands = step.into_commands();
        commands.extend(Wanted::of(&self.state).since(&before, &self.state));
        commands
    }

    /// When the session wants a [`Input::Tick`], if nothing else happens before.
    pub fn deadline(&self) -> Option<Timestamp> {
        if self.state.is_over() {
            return None;
        }
        DUE.iter().filter_map(|due| due(&self.state)).min()
    }

    pub fn state(&self) -> &State {
        &self.state
    }
}

/// Tries the rules until none applies.
fn settle(step: &mut Step<'_>) {
    for _ in 0..STEPS_MAX {
        let may_go_on = !step.state().is_over();
        let applied = may_go_on
            && (RULES.iter().any(|rule| rule(step)) || LAST_RULES.iter().any(|rule| rule(step)));
        if !applied {
            return;
        }
    }
    step.note("the session did not come to rest; this is a fault in its rules");
}
