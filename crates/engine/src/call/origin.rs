//! Where a call was made: the conversation, the mode, who can be asked.

use contract::{AskKind, Mode};
use policy::{Approver, CallTurn, ConversationId};
use serde::{Deserialize, Serialize};

/// Where a call comes from. It is stored with a question, so that another process can continue
/// the call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallOrigin {
    pub conversation: ConversationId,
    pub client: String,
    pub mode: Mode,
    /// Counts the turns of the conversation.
    pub turn: u64,
    /// Whether a person can be asked for approval.
    pub somebody_to_ask: bool,
    /// Whom the caller can ask on behalf of a handler.
    #[serde(default)]
    pub can_ask: Vec<AskKind>,
    /// The model of the conversation, for handlers.
    #[serde(default)]
    pub model: Option<String>,
    /// Whether the session is active.
    pub active: bool,
}

impl CallOrigin {
    pub(crate) fn call_turn(&self) -> CallTurn {
        let conversation = self.conversation.clone();
        CallTurn { conversation, mode: self.mode, turn: self.turn }
    }

    pub(crate) fn approver(&self) -> Approver {
        if self.somebody_to_ask { Approver::Present } else { Approver::Absent }
    }
}
