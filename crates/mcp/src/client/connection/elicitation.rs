//! Answers a server that asks the user something while its tool runs.

use rmcp::model::{
    ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest, InputRequests,
    InputResponses,
};
use serde_json::{Map, Value};

use crate::client::server_config::ElicitationPolicy;

/// The answer to one question.
pub(crate) fn answer(questions: ElicitationPolicy, asked: &ElicitRequestParams) -> ElicitResult {
    let proposed = match questions {
        ElicitationPolicy::Decline => None,
        ElicitationPolicy::AcceptDefaults => proposed(asked),
    };
    match proposed {
        Some(content) => {
            ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(content))
        }
        None => ElicitResult::new(ElicitationAction::Decline),
    }
}

/// The answers to all questions of an unfinished call; `None` if it asks for anything else.
pub(crate) fn answers(
    questions: ElicitationPolicy,
    asked: &InputRequests,
) -> Option<InputResponses> {
    let one = |(key, request): (&String, &InputRequest)| {
        let InputRequest::Elicitation(question) = request else { return None };
        let answer = answer(questions, &question.params);
        Some((key.clone(), serde_json::to_value(answer).ok()?))
    };
    asked.iter().map(one).collect()
}

/// The defaults of the question, if they cover every required field.
fn proposed(asked: &ElicitRequestParams) -> Option<Map<String, Value>> {
    let ElicitRequestParams::FormElicitationParams { requested_schema, .. } = asked else {
        return None;
    };
    let schema = serde_json::to_value(requested_schema).ok()?;
    let mut content = Map::new();
    for (name, property) in schema.get("properties").and_then(Value::as_object)? {
        if let Some(value) = property.get("default") {
            content.insert(name.clone(), value.clone());
        }
    }
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_said = |name: &Value| name.as_str().is_some_and(|name| content.contains_key(name));
    required.iter().all(is_said).then_some(content)
}

#[cfg(test)]
mod tests;
