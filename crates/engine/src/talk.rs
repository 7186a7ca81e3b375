//! Conversations: an append-only log of events, and the turns that write it.
//!
//! In: what a person says. Out: events in the conversation's log, from which everything
//! else is derived: what the model is sent ([`prompt`]), what a surface shows ([`view`]),
//! where a turn goes on after a crash ([`record`]). Must hold: the request for the next
//! answer extends the request for the last one; a turn can go on in another process from
//! whatever the log has; nothing but the log is needed to run it again ([`replay`]).
//!
//! Start at [`event::TalkEvent`], then `turn.rs`.

mod brought;
pub(crate) mod event;
mod hands;
mod holder;
mod holds;
mod ink;
mod notices;
mod opening;
mod partial;
mod prompt;
mod record;
mod recorded;
mod refusals;
mod replay;
mod shelf;
mod story;
mod taken;
mod turn;
mod unmade;
mod view;

pub use event::{
    HowEnded, LeftOutTool, OfferedTool, Opened, PartialKind, PromptForm, SettledCall, TalkEvent,
};
pub use hands::Heard;
pub(crate) use holds::Holds;
pub(crate) use notices::LogNotices;
pub use opening::TalkFault;
pub(crate) use opening::notice;
pub use partial::{PartialAnswer, PartialPiece};
pub use record::{LeftOut, Notice, Record, Talk, TurnRecord, WaitsFor};
pub use refusals::RefusedTool;
pub use replay::{Calls, ChangedTool, Difference, Replayed};
pub use shelf::TalkFeed;
pub use story::{BadStory, Story};
pub use taken::Later;
pub use turn::{Answerer, Audience, TurnEnd};
pub use view::{Entry, Step, StepState, left_out_in_words, view};

#[cfg(test)]
mod tests;
