//! Where a call was made: the conversation, the mode, who can be asked.

use contract::{AskKind, Mode};
use policy::{Approver, ConversationId};
use serde::{Deserialize, Serialize};

/// The room of a call. It can be written down, so that another process goes on with a
/// call that waited for a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallOrigin {
    pub conversation: ConversationId,
    pub client: String,
    pub mode: Mode,
    /// Counts the turns of the conversation.
    pub turn: u64,
    /// Is somebody there who can say yes?
    pub somebody_to_ask: bool,
    /// Whom the caller can ask for a handler, while the call waits.
    #[serde(default)]
    pub can_ask: Vec<AskKind>,
    /// The model of the conversation, as tools are told of it.
    #[serde(default)]
    pub model: Option<String>,
    /// Does the session still run?
    pub active: bool,
}

impl CallOrigin {
    pub(crate) fn approver(&self) -> Approver {
        if self.somebody_to_ask { Approver::Present } else { Approver::Absent }
    }
}
