//! The personas of a conversation, by name, as tools see them.

use std::sync::Arc;

use policy::{ConversationId, ServiceFault};
use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments;
use super::fault::Code;
use super::placeholders::Names;
use super::run::Run;
use super::service::Service;
use crate::personas::{names_in, personas_in, personas_of};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NamesArgs {
    #[serde(default)]
    conversation_id: Option<String>,
}

pub(super) async fn names(run: Arc<Run>, args: Value) -> Result<Value, ServiceFault> {
    let NamesArgs { conversation_id } = arguments::parse(Service::PersonasNames, args)?;
    let id = conversation_id.map_or_else(|| run.grant.conversation.clone(), ConversationId);
    let here = personas_in(run.grant.store.as_ref(), &run.grant.owner, &id).await;
    let names: Vec<_> = here.map_err(|_| unreadable())?.into_iter().map(|one| one.name).collect();
    Ok(json!(names))
}

pub(super) async fn list(run: Arc<Run>) -> Result<Value, ServiceFault> {
    let personas = personas_of(run.grant.store.as_ref(), &run.grant.owner).await;
    Ok(json!(personas.map_err(|_| unreadable())?))
}

fn unreadable() -> ServiceFault {
    Code::Unavailable.says("the personas cannot be read now")
}

impl Run {
    /// The value with its placeholders filled, where it is read for a conversation.
    pub(super) async fn filled(
        &self,
        value: Value,
        conversation: Option<&str>,
    ) -> Result<Value, ServiceFault> {
        let text = value.to_string();
        let Some(id) = conversation.filter(|_| Names::may_be_in(&text)) else {
            return Ok(value);
        };
        let id = ConversationId(id.to_owned());
        let names = names_in(self.grant.store.as_ref(), &self.grant.owner, &id).await;
        Ok(names.map_err(|_| unreadable())?.fill_value(value))
    }
}
