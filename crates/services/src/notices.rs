//! Notices that a tool leaves in a conversation, beside the answer.

use std::sync::Arc;

use contract::{Channel, Chunk, Digester};
use policy::{BoxFuture, ConversationId, ServiceFault, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::fault::FaultCode;
use crate::handler_services::arguments;
use crate::handler_services::run_state::RunState;
use crate::permissions::Service;
use crate::surface::HandlerEvent;

/// Where notices for other conversations go.
pub trait Notices: Send + Sync {
    /// Adds the notice to its conversation, if that belongs to the same owner.
    fn leave(&self, notice: Notice) -> BoxFuture<'static, Result<(), NoticeFault>>;
}

/// A notice for a conversation that no running turn of this call serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub conversation: ConversationId,
    pub owner: String,
    pub id: String,
    pub text: String,
    pub at: Timestamp,
}

/// Why a notice was not left.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoticeFault(pub String);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct System {
    content: String,
    #[serde(default)]
    conversation_id: Option<String>,
}

/// In the conversation of the call, the notice is a chunk of the answer; in another one of the
/// same client it is logged and shown with the next turn. Returns the id of the notice.
pub(crate) async fn system(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let System { content, conversation_id } = arguments::parse(Service::MessagesSystem, args)?;
    let max = run.grant.limits.event_bytes_max;
    if content.len() > max {
        let bytes = content.len();
        return Err(
            FaultCode::TooLarge.fault(format!("the message has {bytes} bytes; {max} are allowed"))
        );
    }
    let grant = &run.grant;
    let to = conversation_id.map_or_else(|| grant.conversation.clone(), ConversationId);
    let filled = run.filled(Value::String(run.redactor.text(&content)), Some(&to.0)).await?;
    let text = filled.as_str().unwrap_or_default().to_owned();
    let now = Timestamp(grant.clock.now().as_millis());
    let mut digester = Digester::default();
    digester.part(to.0.as_bytes());
    digester.part(&now.0.to_le_bytes());
    digester.part(text.as_bytes());
    let id = format!("message-{}", digester.finish().short());
    let effect = run.effects.begin_write();
    let done = match to == grant.conversation && grant.in_turn {
        true => {
            let chunk = Chunk { channel: Channel::System, text };
            grant.surface.event(HandlerEvent::Chunk(chunk)).await
        }
        false => {
            let (id, owner) = (id.clone(), grant.owner.clone());
            let left = grant.notices.leave(Notice { conversation: to, owner, id, text, at: now });
            left.await.map_err(|fault| FaultCode::Unavailable.fault(fault.to_string()))
        }
    };
    if done.is_err() {
        effect.did_not_happen();
    }
    done.map(|()| json!(id))
}
