//! The services that list personas, and placeholders in values.

pub(crate) mod persona;
pub(crate) mod placeholders;

use std::sync::Arc;

use policy::{ConversationId, ServiceFault};
use serde::Deserialize;
use serde_json::{Value, json};

use self::persona::{names_in, personas_in, personas_of};
use self::placeholders::PlaceholderNames;
use crate::fault::FaultCode;
use crate::handler_services::arguments;
use crate::handler_services::run_state::RunState;
use crate::permissions::Service;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NamesArgs {
    #[serde(default)]
    conversation_id: Option<String>,
}

pub(crate) async fn names(run: Arc<RunState>, args: Value) -> Result<Value, ServiceFault> {
    let NamesArgs { conversation_id } = arguments::parse(Service::PersonasNames, args)?;
    let id = conversation_id.map_or_else(|| run.grant.conversation.clone(), ConversationId);
    let here = personas_in(run.grant.store.as_ref(), &run.grant.owner, &id).await;
    let names: Vec<_> = here.map_err(|_| unreadable())?.into_iter().map(|one| one.name).collect();
    Ok(json!(names))
}

pub(crate) async fn list(run: Arc<RunState>) -> Result<Value, ServiceFault> {
    let personas = personas_of(run.grant.store.as_ref(), &run.grant.owner).await;
    Ok(json!(personas.map_err(|_| unreadable())?))
}

fn unreadable() -> ServiceFault {
    FaultCode::Unavailable.fault("the personas are not available now")
}

impl RunState {
    /// The value with its placeholders filled, if it is read for a conversation.
    pub(crate) async fn filled(
        &self,
        value: Value,
        conversation: Option<&str>,
    ) -> Result<Value, ServiceFault> {
        let text = value.to_string();
        let Some(id) = conversation.filter(|_| PlaceholderNames::may_be_in(&text)) else {
            return Ok(value);
        };
        let id = ConversationId(id.to_owned());
        let names = names_in(self.grant.store.as_ref(), &self.grant.owner, &id).await;
        Ok(names.map_err(|_| unreadable())?.fill_value(value))
    }
}
