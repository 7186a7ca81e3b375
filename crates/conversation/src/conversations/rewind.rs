//! Takes turns back: they stay in the log, but are not used any more.
//!
//! Must hold: the effects of calls stay in the ledger, so that the same write in a turn that
//! is sent again is recognised as a repetition; results of tools in those turns are not
//! remembered for later ones.

use policy::ConversationId;
use store::AppendResult;

use crate::conversations::Conversations;
use crate::event::ConversationEvent;
use crate::fault::{ConversationFault, bad_name};
use crate::state::Conversation;
use crate::store_keys;

/// What happens to the turns after one that is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaterTurns {
    Keep,
    Remove,
}

impl Conversations {
    /// Takes a turn back, optionally with all later ones.
    pub async fn rewind(
        &self,
        id: &ConversationId,
        turn: u64,
        later: LaterTurns,
    ) -> Result<(), ConversationFault> {
        let lease = self.lease(id).await?;
        let taken = self.take_back_with_lease(id, turn, later).await;
        drop(lease);
        taken.map(|_| ())
    }

    /// Takes back a turn and all later ones, and sends its message again, or another one.
    /// Without a number it is the last turn.
    pub async fn say_again(
        &self,
        id: &ConversationId,
        turn: Option<u64>,
        text: Option<&str>,
    ) -> Result<u64, ConversationFault> {
        text.map_or(Ok(()), |text| self.check_message(text))?;
        let lease = self.lease(id).await?;
        let sent = self.say_again_with_lease(id, turn, text).await;
        drop(lease);
        sent
    }

    async fn say_again_with_lease(
        &self,
        id: &ConversationId,
        turn: Option<u64>,
        text: Option<&str>,
    ) -> Result<u64, ConversationFault> {
        let conversation = self.get(id).await?;
        let wanted = turn.or(conversation.turns.last().map(|turn| turn.number)).unwrap_or(1);
        let before = self.take_back_with_lease(id, wanted, LaterTurns::Remove).await?;
        let sent = before.turns.iter().find(|turn| turn.number == wanted);
        let text = text.or(sent.map(|turn| turn.message.as_str())).unwrap_or_default();
        self.say_with_lease(id, text).await
    }

    /// Returns the conversation as it was before.
    async fn take_back_with_lease(
        &self,
        id: &ConversationId,
        first: u64,
        later: LaterTurns,
    ) -> Result<Conversation, ConversationFault> {
        let conversation = self.get(id).await?;
        if !conversation.turns.iter().any(|turn| turn.number == first) {
            return Err(ConversationFault::NoTurn(first));
        }
        let last = match later {
            LaterTurns::Keep => first,
            LaterTurns::Remove => conversation.newest,
        };
        if conversation.open_turn().is_some_and(|open| !(first..=last).contains(&open.number)) {
            return Err(ConversationFault::Waits);
        }
        self.move_on(id, &conversation).await?;
        let log = store_keys::log(id).map_err(|bad| bad_name(&bad))?;
        match self.append(&log, &ConversationEvent::TakenBack { first, last }).await? {
            AppendResult::New(_) => {}
            AppendResult::Known(_) => return Err(ConversationFault::NoTurn(first)),
        }
        self.engine.forget_turns(id, first..=last).await;
        Ok(conversation)
    }
}
