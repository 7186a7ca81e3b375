//! Where a tool's form is sent, on every surface: a handler of the form, or a tool of its file.

use registry::{Feature, Tool};
use serde_json::{Value, json};

/// Who gets a form that is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormTarget {
    /// A handler of the tool's own.
    Handler,
    /// The tool of this id, called as a model would call it.
    Call(String),
}

impl FormTarget {
    /// A tool's own handler, or the tool of this name in the same file.
    pub fn find<'a>(
        tool: &Tool,
        name: &str,
        mut tools: impl Iterator<Item = &'a Tool>,
    ) -> Option<Self> {
        if tool.ui_handlers.iter().any(|handler| handler == name) {
            return Some(FormTarget::Handler);
        }
        let is_meant = |other: &&Tool| {
            other.handler.file() == tool.handler.file()
                && other.has(Feature::Callable)
                && (other.contract.tool_id.as_str() == name || other.item_name() == Some(name))
        };
        tools.find(is_meant).map(|meant| FormTarget::Call(meant.contract.tool_id.to_string()))
    }
}

/// Fills `{conversation_id}` into every string of a form, including field names.
pub fn filled_form(value: &Value, id: &str) -> Value {
    let fill = |text: &str| text.replace("{conversation_id}", id);
    match value {
        Value::String(text) => fill(text).into(),
        Value::Array(items) => items.iter().map(|item| filled_form(item, id)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (fill(name), filled_form(value, id)));
            Value::Object(fields.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// The arguments of a tool that a form calls. Every form sends `conversation_id`; few tools take
/// it.
pub fn form_arguments(tool: Option<&Tool>, mut params: Value) -> Value {
    let takes = |name: &str| {
        let pointer = format!("/properties/{name}");
        tool.is_some_and(|tool| tool.contract.parameters.pointer(&pointer).is_some())
    };
    if let Some(fields) = params.as_object_mut()
        && !takes("conversation_id")
    {
        fields.remove("conversation_id");
    }
    params
}

/// The answer of a form's handler; anything but an object is wrapped into one.
pub fn form_reply(reply: Result<Value, String>) -> Value {
    match reply {
        Ok(reply @ Value::Object(_)) => reply,
        Ok(Value::Null) => json!({ "success": true }),
        Ok(Value::Bool(success)) => json!({ "success": success }),
        Ok(Value::String(message)) => json!({ "success": true, "message": message }),
        Ok(content @ (Value::Number(_) | Value::Array(_))) => {
            json!({ "success": true, "content": content })
        }
        Err(because) => json!({ "success": false, "error": because }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{filled_form, form_reply};

    /// GD-12
    #[test]
    fn gd_12_the_conversation_id_is_filled_in_everywhere() {
        let ui = json!({
            "kv_key": "hp-{conversation_id}",
            "widget_config": { "max_value_key": "max-{conversation_id}" },
            "layout": { "components": [{
                "type": "modal",
                "components": [{ "data_source": {
                    "type": "persona_properties", "key": "n-{conversation_id}", "include_user": true,
                } }],
            }] },
            "by {conversation_id}": [1, null, "{other}"],
        });
        let expected = json!({
            "kv_key": "hp-c1",
            "widget_config": { "max_value_key": "max-c1" },
            "layout": { "components": [{
                "type": "modal",
                "components": [{ "data_source": {
                    "type": "persona_properties", "key": "n-c1", "include_user": true,
                } }],
            }] },
            "by c1": [1, null, "{other}"],
        });
        assert_eq!(filled_form(&ui, "c1"), expected);
    }

    /// GD-11
    #[test]
    fn gd_11_a_reply_stays_unchanged_and_other_values_are_wrapped() {
        let whole = json!({"success": false, "error": "No.", "clear_inputs": ["a"], "own": [1]});
        let check = |reply, expected| assert_eq!(form_reply(reply), expected);
        check(Ok(whole.clone()), whole);
        check(Ok(json!(null)), json!({"success": true}));
        check(Ok(json!(false)), json!({"success": false}));
        check(Ok(json!("Done.")), json!({"success": true, "message": "Done."}));
        check(Ok(json!([1])), json!({"success": true, "content": [1]}));
        check(Err("It fell.".into()), json!({"success": false, "error": "It fell."}));
    }
}
