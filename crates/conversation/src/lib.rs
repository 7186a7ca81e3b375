//! Conversations: an append-only log of events, and the turns that write it.
//!
//! In: a person's messages. Out: events in the conversation's log. Everything else is derived
//! from them: the model request (`turn/prompt.rs`), what a surface shows ([`view`]), and the next
//! step of an open turn ([`Conversation`]). Must hold: each model request extends the one before;
//! another process can continue a turn after any event; a replay needs nothing but the log.
//!
//! Start at [`ConversationEvent`], then [`Conversations`] and `turn.rs`.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]
#![cfg_attr(test, allow(clippy::wildcard_enum_match_arm, reason = "tests look at one case"))]

mod event;
mod record;
mod settings;
mod state;

mod approval_feed;
mod conversations;
mod fault;
mod notices;

mod event_writer;
mod settled_call;
mod turn;
mod versions;

mod messages;
mod replay;
mod story;
mod view;
mod voice;

mod store_keys;

pub use approval_feed::{ApprovalChange, ApprovalFeed};
pub use conversations::lease::AbandonedLease;
pub use conversations::lease::holder::Holder;
pub use conversations::log_cache::ConversationLog;
pub use conversations::open::NewMessage;
pub use conversations::questions::{AnsweredIn, FormQuestion, OpenQuestion};
pub use conversations::rewind::LaterTurns;
pub use conversations::text_answer::TextAnswer;
pub use conversations::{Conversations, EventFeed};
pub use event::{
    ConversationEvent, EndReason, LeftOutTool, OfferedTool, Opened, PartialKind, PromptForm,
    SettledCall,
};
pub use fault::ConversationFault;
pub use notices::LogNotices;
pub use record::EventRecord;
pub use replay::{ChangedTool, Difference, ReplayCalls, Replayed};
pub use settings::ConversationSettings;
pub use state::{Conversation, LeftOut, Notice, TurnState, WaitsFor};
pub use story::{Story, StoryFault};
pub use turn::live_event::LiveEvent;
pub use turn::partial::{PartialAnswer, PartialPiece};
pub use turn::{NoObserver, TurnObserver, TurnOptions, TurnResult};
pub use versions::Versions;
pub use view::{Entry, Step, StepState, left_out_in_words, view};
pub use voice::VoiceSession;
pub use voice::answers::ApprovalAnswers;
pub use voice::calls::VoiceCallEnd;
pub use voice::form_target::{FormTarget, filled_form, form_arguments, form_reply};
pub use voice::log::{VoiceLog, VoiceStart};
pub use voice::questions::QuestionChanges;

#[cfg(test)]
mod tests;
