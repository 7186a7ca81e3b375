//! Taking turns back: the log keeps them, and nothing is made of them any more.
//!
//! Must hold: what calls have done stays in the ledger, so that the same write in a turn
//! that is said again is known as a repetition; what tools answered in those turns is not
//! remembered for later ones.

use std::ops::RangeInclusive;

use policy::ConversationId;
use store::AppendResult;

use super::event::TalkEvent;
use super::opening::{TalkFault, named};
use super::record::Talk;
use crate::engine::Engine;
use crate::keys;

/// What becomes of the turns after one that is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Later {
    Stay,
    Go,
}

impl Engine {
    /// Takes a turn back, and those after it if they shall go.
    pub async fn take_back(
        &self,
        id: &ConversationId,
        turn: u64,
        later: Later,
    ) -> Result<(), TalkFault> {
        let hold = self.hold(id).await?;
        let taken = self.take_back_held(id, turn, later).await;
        drop(hold);
        taken.map(|_| ())
    }

    /// Takes a turn and all after it back, and says its words again, or others. Without a
    /// number it is the last turn.
    pub async fn say_again(
        &self,
        id: &ConversationId,
        turn: Option<u64>,
        text: Option<&str>,
    ) -> Result<u64, TalkFault> {
        text.map_or(Ok(()), |text| self.check_said(text))?;
        let hold = self.hold(id).await?;
        let said = self.say_again_held(id, turn, text).await;
        drop(hold);
        said
    }

    async fn say_again_held(
        &self,
        id: &ConversationId,
        turn: Option<u64>,
        text: Option<&str>,
    ) -> Result<u64, TalkFault> {
        let talk = self.talk(id).await?;
        let wanted = turn.or(talk.turns.last().map(|turn| turn.number)).unwrap_or(1);
        let before = self.take_back_held(id, wanted, Later::Go).await?;
        let said = before.turns.iter().find(|turn| turn.number == wanted);
        let text = text.or(said.map(|turn| turn.said.as_str())).unwrap_or_default();
        self.say_held(id, text).await
    }

    /// What tools answered in these turns serves no later call.
    async fn forget_turns(&self, id: &ConversationId, turns: RangeInclusive<u64>) {
        // Without notes there is nothing to forget; a store that fails says so elsewhere.
        if self.session(id, *turns.end()).await.is_ok() {
            self.update_session(id, *turns.end(), |session| session.memory.forget(&turns));
            self.save_session(id).await;
        }
    }

    /// Gives the conversation as it was before.
    async fn take_back_held(
        &self,
        id: &ConversationId,
        first: u64,
        later: Later,
    ) -> Result<Talk, TalkFault> {
        let talk = self.talk(id).await?;
        if !talk.turns.iter().any(|turn| turn.number == first) {
            return Err(TalkFault::NoTurn(first));
        }
        let last = match later {
            Later::Stay => first,
            Later::Go => talk.newest,
        };
        if talk.open_turn().is_some_and(|open| !(first..=last).contains(&open.number)) {
            return Err(TalkFault::Waits);
        }
        self.move_on(id, &talk).await?;
        let log = keys::talk(id).map_err(|bad| named(&bad))?;
        match self.append(&log, &TalkEvent::TakenBack { first, last }).await? {
            AppendResult::New(_) => {}
            AppendResult::Known(_) => return Err(TalkFault::NoTurn(first)),
        }
        self.forget_turns(id, first..=last).await;
        Ok(talk)
    }
}
