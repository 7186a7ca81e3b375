//! Takes turns back: they stay in the log, but are not used any more. A turn that is sent again
//! is kept as a version, which a person may choose.
//!
//! Must hold: the effects of calls stay in the ledger, so that the same write in a turn that
//! is sent again is recognised as a repetition; results of tools in those turns are not
//! remembered for later ones.

use policy::ConversationId;
use store::AppendResult;

use crate::conversations::Conversations;
use crate::conversations::lease::LeaseGuard;
use crate::conversations::open::NewMessage;
use crate::event::ConversationEvent;
use crate::fault::ConversationFault;

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
        let taken = self.take_back_with_lease(id, turn, later, &lease).await;
        drop(lease);
        taken
    }

    /// Sends the message of a turn again, or another one with the same files: another version of
    /// the turn, used in place of it and all later ones. Without a number it is the last turn; a
    /// model answers instead of the conversation's.
    pub async fn say_again(
        &self,
        id: &ConversationId,
        turn: Option<u64>,
        text: Option<&str>,
        model: Option<&str>,
    ) -> Result<u64, ConversationFault> {
        let lease = self.lease(id).await?;
        let sent = self.say_again_with_lease(id, turn, text, model, &lease).await;
        drop(lease);
        sent
    }

    async fn say_again_with_lease(
        &self,
        id: &ConversationId,
        turn: Option<u64>,
        text: Option<&str>,
        model: Option<&str>,
        lease: &LeaseGuard,
    ) -> Result<u64, ConversationFault> {
        let conversation = self.get_with_lease(id, lease).await?;
        let first = turn.or(conversation.turns.last().map(|turn| turn.number)).unwrap_or(1);
        let before = conversation.turns.iter().find(|turn| turn.number == first);
        let before = before.ok_or(ConversationFault::NoTurn(first))?;
        let (text, files) = (text.unwrap_or(&before.message), &before.files);
        self.check_message(text, files)?;
        self.move_on(id, &conversation, lease).await?;
        let (last, turn) = (conversation.newest, conversation.newest + 1);
        self.append_with_lease(id, &ConversationEvent::SentAgain { first, last, turn }, lease)
            .await?;
        self.engine.forget_turns(id, first..=last).await;
        self.say_with_lease(id, NewMessage { text, files, model }, lease).await
    }

    /// Uses the version of a turn that begins with this one, with the turns that followed it.
    /// Nothing happens if it is in use.
    pub async fn choose_version(
        &self,
        id: &ConversationId,
        turn: u64,
    ) -> Result<(), ConversationFault> {
        let lease = self.lease(id).await?;
        let chosen = self.choose_with_lease(id, turn, &lease).await;
        drop(lease);
        chosen
    }

    async fn choose_with_lease(
        &self,
        id: &ConversationId,
        turn: u64,
        lease: &LeaseGuard,
    ) -> Result<(), ConversationFault> {
        let conversation = self.get_with_lease(id, lease).await?;
        if conversation.turns.iter().any(|used| used.number == turn) {
            return Ok(());
        }
        let used = conversation.version_instead_of(turn).ok_or(ConversationFault::NoTurn(turn))?;
        self.move_on(id, &conversation, lease).await?;
        let choice = conversation.versions.choices + 1;
        self.append_with_lease(id, &ConversationEvent::Chosen { turn, choice }, lease).await?;
        self.engine.forget_turns(id, used..=conversation.newest).await;
        Ok(())
    }

    async fn take_back_with_lease(
        &self,
        id: &ConversationId,
        first: u64,
        later: LaterTurns,
        lease: &LeaseGuard,
    ) -> Result<(), ConversationFault> {
        let conversation = self.get_with_lease(id, lease).await?;
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
        self.move_on(id, &conversation, lease).await?;
        match self
            .append_with_lease(id, &ConversationEvent::TakenBack { first, last }, lease)
            .await?
        {
            AppendResult::New(_) => {}
            AppendResult::Known(_) => return Err(ConversationFault::NoTurn(first)),
        }
        self.engine.forget_turns(id, first..=last).await;
        Ok(())
    }
}
