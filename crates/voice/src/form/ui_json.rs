//! The form of an `ui.json` or `ui_feature`, spoken.
//!
//! In: a feature with a `modal` layout. Out: a [`Form`] of its inputs, and from the answers the
//! same [`Submission`] that the page sends. What cannot be said aloud is for the page.

use serde_json::{Map, Value, json};

use crate::form::Form;

/// A feature whose inputs can be asked.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct UiForm {
    pub form: Form,
    inputs: Vec<Input>,
    buttons: Vec<Button>,
}

/// What a pressed button sends: the handler or tool, and its parameters.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Submission {
    pub target: String,
    pub params: Value,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
struct Input {
    id: String,
    /// What the page has in an untouched input.
    empty: Value,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
struct Button {
    label: String,
    target: String,
    params: Map<String, Value>,
}

/// The name of the question for the button, which no component has.
const BUTTON: &str = "button ";

pub(crate) fn is_button_choice(field: &str) -> bool {
    field == BUTTON
}

/// Where the buttons of a feature send its form, nested ones too.
pub fn form_targets(feature: &Value) -> Vec<String> {
    let mut targets = Vec::new();
    collect_targets(feature, &mut targets);
    targets.sort();
    targets.dedup();
    targets
}

fn collect_targets(value: &Value, targets: &mut Vec<String>) {
    if text(value, "type") == "tool_submit" {
        targets.push(text(value, "target").to_owned());
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_targets(item, targets)),
        Value::Object(fields) => fields.values().for_each(|one| collect_targets(one, targets)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

impl UiForm {
    /// Reads a feature; an error says why it can be used on the page only.
    pub fn read(feature: &Value) -> Result<Self, String> {
        let layout = feature.get("layout").unwrap_or(&Value::Null);
        let components = layout.get("components").and_then(Value::as_array);
        let components = components.ok_or("the form has no components to ask for")?;
        let mut properties = Map::new();
        let (mut inputs, mut buttons) = (Vec::new(), Vec::new());
        for component in components {
            match text(component, "type") {
                "text_input" | "textarea_input" | "number_input" if !is_disabled(component) => {
                    let (input, schema) = input(component);
                    properties.insert(input.id.clone(), schema);
                    inputs.push(input);
                }
                "persona_selector" | "library_loader" => {
                    return Err(format!(
                        "`{}` can be chosen on the page only",
                        text(component, "id")
                    ));
                }
                "button" => buttons.extend(button(component)?),
                _ => {}
            }
        }
        if buttons.is_empty() {
            return Err("the form has no button that sends it".to_owned());
        }
        if buttons.len() > 1 {
            let labels: Vec<&str> = buttons.iter().map(|button| button.label.as_str()).collect();
            let title = text(feature, "label");
            properties.insert(
                BUTTON.to_owned(),
                json!({ "type": "string", "title": title, "enum": labels }),
            );
        }
        let schema = json!({ "type": "object", "properties": properties });
        let message = layout.get("title").and_then(Value::as_str).unwrap_or(text(feature, "label"));
        Ok(Self { form: Form::from_schema(&sentence(message), &schema), inputs, buttons })
    }

    /// What the page would send for these answers.
    pub fn submission(&self, answers: &Value) -> Option<Submission> {
        let chosen = answers.get(BUTTON).and_then(Value::as_str);
        let button = match chosen {
            Some(label) => self.buttons.iter().find(|button| button.label == label)?,
            None => self.buttons.first()?,
        };
        let value_of = |value: &Value| {
            let input = self.inputs.iter().find(|input| value.as_str() == Some(&input.id));
            input.map_or_else(
                || value.clone(),
                |input| answers.get(&input.id).unwrap_or(&input.empty).clone(),
            )
        };
        let params = button.params.iter().map(|(name, value)| (name.clone(), value_of(value)));
        Some(Submission { target: button.target.clone(), params: Value::Object(params.collect()) })
    }
}

fn sentence(title: &str) -> String {
    let title = title.trim_end_matches(['.', ' ']);
    if title.is_empty() { String::new() } else { format!("{title}.") }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn is_disabled(component: &Value) -> bool {
    component.pointer("/props/disabled").and_then(Value::as_bool).unwrap_or_default()
}

fn input(component: &Value) -> (Input, Value) {
    let id = text(component, "id").to_owned();
    let none = json!({});
    let props = component.get("props").unwrap_or(&none);
    let label = props.get("label").or_else(|| props.get("placeholder"));
    let title =
        label.and_then(Value::as_str).map_or_else(|| id.replace(['_', '-'], " "), str::to_owned);
    let is_number = text(component, "type") == "number_input";
    let mut schema = Map::from_iter([("title".to_owned(), Value::String(title))]);
    let limits: &[(&str, &str)] = match is_number {
        true => &[("min", "minimum"), ("max", "maximum")],
        false => &[("max_length", "maxLength")],
    };
    schema.insert("type".to_owned(), if is_number { "number" } else { "string" }.into());
    for (prop, keyword) in limits {
        if let Some(limit) = props.get(*prop).filter(|limit| limit.is_number()) {
            schema.insert((*keyword).to_owned(), limit.clone());
        }
    }
    let default = props.get("default_value").filter(|value| !value.is_null());
    let empty = match (default, is_number) {
        (Some(Value::String(text)), false) => Value::String(text.clone()),
        (Some(value), false) => Value::String(value.to_string()),
        (Some(value), true) => value.clone(),
        (None, false) => Value::String(String::new()),
        (None, true) => Value::Null,
    };
    (Input { id, empty }, Value::Object(schema))
}

/// The button, if it sends the form to a tool.
fn button(component: &Value) -> Result<Option<Button>, String> {
    let actions = component.get("actions").and_then(Value::as_array).map(Vec::as_slice);
    let [action] = actions.unwrap_or_default() else { return Ok(None) };
    if text(action, "type") != "tool_submit" {
        return Ok(None);
    }
    let params = action.get("params").and_then(Value::as_object).cloned().unwrap_or_default();
    let label = component.pointer("/props/label").and_then(Value::as_str);
    let label = label.unwrap_or_else(|| text(component, "id")).to_owned();
    match text(action, "target") {
        "" => Err(format!("the button `{label}` has no target")),
        target => Ok(Some(Button { label, target: target.to_owned(), params })),
    }
}

#[cfg(test)]
mod tests;
