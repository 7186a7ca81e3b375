//! The examples of a rule: calls that it must or must not match, checked when it is loaded.

use contract::{Capabilities, Category, Mode, SideEffects};
use serde_json::{Map, Value};
use toml::de::DeTable;

use super::fault::{Faults, Span};
use super::matcher::Matcher;
use super::toml_value::{TomlEntry, json, one, tables, text};
use super::{ConfigRule, Subject};

/// A call as the rule's author writes it. Fields that the rule ignores may be omitted.
#[derive(Debug, Clone)]
pub(super) struct Example {
    /// `must_match` or `must_not_match`.
    pub(super) key: &'static str,
    pub(super) span: Span,
    pub(super) tool: String,
    pub(super) category: Option<Category>,
    pub(super) side_effects: Option<SideEffects>,
    pub(super) capabilities: Option<Capabilities>,
    pub(super) mode: Option<Mode>,
    pub(super) args: Value,
}

impl Example {
    pub(super) const KEYS: [&str; 6] =
        ["tool", "args", "mode", "category", "side_effects", "capabilities"];

    /// Checks the example; a contradiction is a fault.
    pub(super) fn check(&self, rule: &ConfigRule, faults: &mut Faults<'_>) {
        if let Some((key, example)) = self.silent_about(&rule.matcher) {
            faults.example_is_silent(&self.span, key, example);
            return;
        }
        let none = Capabilities::default();
        let subject = Subject {
            tool: &self.tool,
            category: self.category.unwrap_or(Category::Action),
            side_effects: self.side_effects.unwrap_or(SideEffects::Writes),
            capabilities: self.capabilities.as_ref().unwrap_or(&none),
            mode: self.mode.unwrap_or(Mode::Text),
            args: &self.args,
        };
        if rule.matcher.fits(&subject) != (self.key == "must_match") {
            let id = rule.id.as_str().strip_prefix("config.").unwrap_or(rule.id.as_str());
            faults.example_contradicts(&self.span, self.key, id, &self.tool);
        }
    }

    /// The first field that the rule needs and the example omits.
    fn silent_about(&self, matcher: &Matcher) -> Option<(&'static str, &'static str)> {
        let open = [
            (
                !matcher.categories.is_empty() && self.category.is_none(),
                ("category", "category = \"action\""),
            ),
            (
                !matcher.side_effects.is_empty() && self.side_effects.is_none(),
                ("side_effects", "side_effects = \"writes\""),
            ),
            (
                !matcher.capabilities.is_empty() && self.capabilities.is_none(),
                ("capabilities", "capabilities = { net = [\"api.example.com\"] }"),
            ),
            (!matcher.modes.is_empty() && self.mode.is_none(), ("mode", "mode = \"text\"")),
        ];
        open.into_iter().find(|(silent, _)| *silent).map(|(_, key)| key)
    }
}

/// Reads the list `must_match` or `must_not_match`.
pub(super) fn read_examples(
    value: &TomlEntry<'_>,
    key: &'static str,
    faults: &mut Faults<'_>,
) -> Vec<Example> {
    let entries = tables(value, key, faults);
    entries.into_iter().filter_map(|entry| read_example(entry, key, faults)).collect()
}

fn read_example(
    (span, table): (Span, &DeTable<'_>),
    key: &'static str,
    faults: &mut Faults<'_>,
) -> Option<Example> {
    let mut tool = None;
    let mut example = Example {
        key,
        span: span.clone(),
        tool: String::new(),
        category: None,
        side_effects: None,
        capabilities: None,
        mode: None,
        args: Value::Object(Map::new()),
    };
    for (name, value) in table {
        match name.get_ref().as_ref() {
            "tool" => tool = text(value, "tool", faults),
            "args" => example.args = json(value, faults)?,
            "mode" => example.mode = one(value, "mode", Mode::WORDS, faults),
            "category" => example.category = one(value, "category", Category::WORDS, faults),
            "side_effects" => {
                example.side_effects = one(value, "side_effects", SideEffects::WORDS, faults);
            }
            "capabilities" => match serde_json::from_value(json(value, faults)?) {
                Ok(capabilities) => example.capabilities = Some(capabilities),
                Err(_) => {
                    let expected = "a table as in schema.json, { net = [\"api.example.com\"] }";
                    faults.wrong_kind(&value.span(), "capabilities", expected);
                }
            },
            other => faults.unknown_key(&name.span(), other, &Example::KEYS),
        }
    }
    if !table.iter().any(|(name, _)| name.get_ref() == "tool") {
        faults.missing_key(&span, "tool", "tool = \"send_mail\"");
    }
    tool.map(|tool| Example { tool: tool.to_owned(), ..example })
}
