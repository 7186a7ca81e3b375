//! Serves the project's prompts: list, fill in, complete.

pub(crate) mod prompt_arguments;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::nearest;
use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::model::{
    ContentBlock, EmbeddedResource, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    JsonObject, Prompt, PromptArgument, PromptMessage, Role,
};
use rmcp::service::RequestContext;
use serde_json::Value;

use super::caller::Caller;
use super::mcp_server::McpServer;
use super::protocol_version::Protocol;
use crate::library::{self, Library, Message, MessageContent, Speaker, media_type, read_file};
use engine::ToolFilter;
use prompt_arguments::{ask_for, entered_values};

/// The longest text of a filled-in prompt.
const FILLED_BYTES_MAX: usize = 1 << 20;

impl McpServer {
    /// The prompts that this caller may see, sorted by name.
    pub(crate) fn prompts(&self, allowed: &ToolFilter) -> Vec<Prompt> {
        let library = self.library();
        library.prompts().filter(|prompt| may_see(prompt, allowed)).map(listed).collect()
    }

    pub(crate) fn prompt(
        &self,
        request: GetPromptRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let allowed = Caller::of(context).principal.tools;
        let library = self.library();
        let prompt = find(&library, &request.name, &allowed)?;
        let mut values = values(prompt, request.arguments.unwrap_or_default())?;
        let responses = request.input_responses.as_ref();
        values.extend(entered_values(prompt, responses));
        let missing = prompt.arguments.iter().filter(|one| one.required);
        let missing: Vec<_> = missing.filter(|one| !values.contains_key(&one.name)).collect();
        if !missing.is_empty() {
            return ask_for(&prompt.name, &missing, responses, context);
        }
        for argument in &prompt.arguments {
            if let Some(default) = &argument.default {
                values.entry(argument.name.clone()).or_insert_with(|| default.clone());
            }
        }
        let says = |piece: &Message| {
            let role = match piece.speaker {
                Speaker::User => Role::User,
                Speaker::Assistant => Role::Assistant,
            };
            let content = self.content(&library, &piece.what, &values, &allowed)?;
            Ok(PromptMessage::new(role, content))
        };
        let messages = prompt.messages.iter().map(says).collect::<Result<Vec<_>, ErrorData>>()?;
        let mut result = GetPromptResult::new(messages);
        result.description = Some(prompt.description.clone());
        Protocol::of(context).sign(&mut result.meta);
        Ok(result.into())
    }

    fn content(
        &self,
        library: &Library,
        what: &MessageContent,
        values: &Values,
        allowed: &ToolFilter,
    ) -> Result<ContentBlock, ErrorData> {
        Ok(match what {
            MessageContent::Text(text) => match text.fill(values) {
                text if text.len() > FILLED_BYTES_MAX => {
                    let what = format!("the text has more than {FILLED_BYTES_MAX} bytes");
                    return Err(ErrorData::invalid_params(what, None));
                }
                text => ContentBlock::text(text),
            },
            MessageContent::Media(path) => {
                let bytes = read_file(library.root(), path).map_err(|refused| {
                    ErrorData::internal_error(format!("`{path}` {refused}"), None)
                })?;
                let (data, mime_type) = (STANDARD.encode(bytes), media_type(path));
                match mime_type.starts_with("image/") {
                    true => ContentBlock::image(data, mime_type),
                    false => ContentBlock::audio(data, mime_type),
                }
            }
            MessageContent::Resource(uri) => {
                let contents = self.contents(&uri.fill(values), allowed)?;
                ContentBlock::Resource(EmbeddedResource::new(contents))
            }
        })
    }
}

type Values = std::collections::BTreeMap<String, String>;

pub(crate) fn find<'a>(
    library: &'a Library,
    name: &str,
    allowed: &ToolFilter,
) -> Result<&'a library::Prompt, ErrorData> {
    let seen = |prompt: &&library::Prompt| may_see(prompt, allowed);
    library.prompt(name).filter(seen).ok_or_else(|| {
        let known = library.prompts().filter(seen).map(|prompt| prompt.name.as_str());
        let near = nearest(name, known);
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let name: String = name.chars().take(80).collect();
        ErrorData::invalid_params(format!("there is no prompt `{name}`{near}"), None)
    })
}

fn may_see(prompt: &library::Prompt, allowed: &ToolFilter) -> bool {
    allowed.allows(&format!("prompts/{}", prompt.name))
}

/// Checks the given arguments: each must be declared by the prompt and be a string.
fn values(prompt: &library::Prompt, arguments: JsonObject) -> Result<Values, ErrorData> {
    let one = |(name, value): (String, Value)| {
        if !prompt.arguments.iter().any(|argument| argument.name == name) {
            return Err(unknown_argument(prompt, &name));
        }
        match value {
            Value::String(text) => Ok((name, text)),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => Err(ErrorData::invalid_params(
                format!("the argument `{name}` must be a text"),
                None,
            )),
        }
    };
    arguments.into_iter().map(one).collect()
}

pub(crate) fn unknown_argument(prompt: &library::Prompt, name: &str) -> ErrorData {
    let near = nearest(name, prompt.arguments.iter().map(|argument| argument.name.as_str()));
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let name: String = name.chars().take(80).collect();
    let what = format!("the prompt `{}` has no argument `{name}`{near}", prompt.name);
    ErrorData::invalid_params(what, None)
}

fn listed(prompt: &library::Prompt) -> Prompt {
    let library::Prompt { name, title, description, arguments, .. } = prompt;
    let arguments: Vec<_> = arguments
        .iter()
        .map(|argument| {
            let mut listed = PromptArgument::new(argument.name.clone());
            listed.title = argument.title.clone();
            listed.description = argument.description.clone();
            listed.required = Some(argument.required);
            listed
        })
        .collect();
    let arguments = (!arguments.is_empty()).then_some(arguments);
    let mut listed = Prompt::new(name.clone(), Some(description.clone()), arguments);
    listed.title = title.clone();
    listed
}
