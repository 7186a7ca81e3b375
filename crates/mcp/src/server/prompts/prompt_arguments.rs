//! Asks the client for the missing required arguments of a prompt.

use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    GetPromptResponse, InputRequest, InputRequiredResult, InputResponses,
    PrimitiveSchemaDefinition, StringSchema,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use crate::library::{Argument, Prompt};
use crate::server::protocol_version::Protocol;

/// The key of the only question that a prompt asks.
const QUESTION: &str = "arguments";

/// Asks for the missing arguments. A client that cannot ask gets an error that names them.
pub(crate) fn ask_for(
    prompt: &str,
    missing: &[&Argument],
    responses: Option<&InputResponses>,
    context: &RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    let names: Vec<_> = missing.iter().map(|argument| format!("`{}`", argument.name)).collect();
    let names = names.join(", ");
    let elicitation = context.client_capabilities().and_then(|known| known.elicitation);
    let has_forms = elicitation.is_some_and(|known| known.form.is_some() || known.url.is_none());
    // A client that was asked and gave no answer has declined.
    let was_asked = responses.is_some_and(|responses| responses.contains_key(QUESTION));
    if Protocol::of(context) == Protocol::SessionBased || !has_forms || was_asked {
        let what = format!("the prompt `{prompt}` needs {names}");
        return Err(ErrorData::invalid_params(what, None));
    }
    let mut schema = ElicitationSchema::builder();
    for argument in missing {
        let mut text = StringSchema::new();
        text.title = argument.title.clone().map(Into::into);
        text.description = argument.description.clone().map(Into::into);
        let text = PrimitiveSchemaDefinition::String(text);
        schema = schema.required_property(argument.name.clone(), text);
    }
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!("The prompt `{prompt}` needs {names}."),
        requested_schema: schema.build_unchecked(),
    };
    let request = InputRequest::Elicitation(ElicitRequest::new(params));
    let requests = [(QUESTION.to_owned(), request)].into();
    Ok(InputRequiredResult::new(Some(requests), None).into())
}

/// The values that a person entered. They are client data like the arguments, so they need no
/// seal.
pub(crate) fn entered_values(
    prompt: &Prompt,
    responses: Option<&InputResponses>,
) -> Vec<(String, String)> {
    let response = responses.and_then(|responses| responses.get(QUESTION));
    let response =
        response.and_then(|response| serde_json::from_value::<ElicitResult>(response.clone()).ok());
    let accepted = response.filter(|response| response.action == ElicitationAction::Accept);
    let fields = accepted.and_then(|response| response.content);
    let fields = fields.as_ref().and_then(Value::as_object).into_iter().flatten();
    let known = |name: &str| prompt.arguments.iter().any(|argument| argument.name == name);
    fields
        .filter(|(name, _)| known(name))
        .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
        .collect()
}
