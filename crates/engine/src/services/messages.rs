//! Messages of a tool's own in a conversation, beside the answer.

use std::sync::Arc;

use contract::{Channel, Chunk, Digester};
use policy::{ConversationId, ServiceFault, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments;
use super::fault::Code;
use super::run::Run;
use super::service::Service;
use super::surface::HandlerEvent;
use crate::talk::notice;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct System {
    content: String,
    #[serde(default)]
    conversation_id: Option<String>,
}

/// In the conversation of the call it is a chunk of its answer; in another one of the same
/// client it is noted there, and seen with the next turn. Answers the message's id.
pub(super) async fn system(run: Arc<Run>, args: Value) -> Result<Value, ServiceFault> {
    let System { content, conversation_id } = arguments::parse(Service::MessagesSystem, args)?;
    let max = run.grant.limits.event_bytes_max;
    if content.len() > max {
        let bytes = content.len();
        return Err(Code::TooLarge.says(format!("the message has {bytes} bytes; {max} fit")));
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
        false => notice(grant.store.as_ref(), &to, &grant.owner, &id, text, now)
            .await
            .map_err(|fault| Code::Unavailable.says(fault.to_string())),
    };
    if done.is_err() {
        effect.did_not_happen();
    }
    done.map(|()| json!(id))
}
