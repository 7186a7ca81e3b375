//! `tools.toml` beside module files: settings that the Python file does not have.
//!
//! A table for each tool by its name, and `[defaults]` for all tools of the folder. An item's
//! own settings take precedence.

use std::collections::BTreeMap;
use std::path::Path;

use contract::{Category, Version};
use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::fault::{Faults, SourceLocation};
use crate::source::json::Span;
use crate::source::read_text;
use crate::source::text::Text;
use contract::nearest;

/// The file with the settings of modules.
pub const SETTINGS_FILE: &str = "tools.toml";
const BYTES_MAX: u64 = 256 << 10;

/// The settings of a tool, as named in modules and in a contract.
pub(crate) const SETTINGS: [(&str, &str); 11] = [
    ("version", "version"),
    ("category", "category"),
    ("side_effects", "sideEffects"),
    ("idempotent", "idempotent"),
    ("requires_confirmation", "requiresConfirmation"),
    ("allowed_modes", "allowedModes"),
    ("latency_budget_ms", "latencyBudgetMs"),
    ("timeout_ms", "timeoutMs"),
    ("capabilities", "capabilities"),
    ("asks", "asks"),
    ("returns", "returns"),
];

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    SETTINGS.iter().map(|(name, _)| *name)
}

/// Whether this key of an item belongs to another program, although it is named like a setting.
/// Other programs have their own categories and versions.
pub(crate) fn is_foreign(setting: &str, value: &Value) -> bool {
    match (setting, value) {
        ("category", Value::String(word)) => {
            nearest(word, Category::WORDS.iter().copied()).is_none()
        }
        ("version", value) => version(value).is_none(),
        ("category", _) => true,
        ("returns", value) => !value.is_object(),
        ("asks", value) => !value.is_array(),
        _ => false,
    }
}

/// A full version, also from `2` and `"1.4"`.
pub(crate) fn version(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(text) => text.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    let missing = 2_usize.saturating_sub(text.matches('.').count());
    let whole = format!("{text}{}", ".0".repeat(missing));
    [text, whole].into_iter().find(|version| Version::parse(version).is_ok())
}

/// The settings of one folder.
pub(crate) struct Settings {
    text: Text,
    tables: BTreeMap<String, Table>,
}

struct Table {
    name: Span,
    values: BTreeMap<String, (Value, Span)>,
}

const DEFAULTS: &str = "defaults";

impl Settings {
    /// Reads the file of a folder; empty settings if there is none.
    pub(crate) fn read(folder: &Path, shown: &str, faults: &mut Faults) -> Option<Self> {
        let path = format!("{shown}/{SETTINGS_FILE}");
        let raw = match read_text(&folder.join(SETTINGS_FILE), BYTES_MAX) {
            Ok(raw) => raw?,
            Err(fault) => {
                faults.not_read(&path, BYTES_MAX, &fault);
                return None;
            }
        };
        let text = Text::new(path, &raw);
        let mut settings = Settings { tables: BTreeMap::new(), text };
        match DeTable::parse(&settings.text.content) {
            Ok(root) => settings.tables = tables(&settings.text, root.get_ref(), faults),
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                faults.settings_not_toml(&settings.text, span, error.message());
            }
        }
        Some(settings)
    }

    /// The file's value for a tool: from its own table, otherwise from the defaults.
    pub(crate) fn get(&self, tool: &str, setting: &str) -> Option<(&Value, SourceLocation)> {
        let find = |table: &str| self.tables.get(table)?.values.get(setting);
        let (value, span) = find(tool).or_else(|| find(DEFAULTS))?;
        Some((value, self.text.place(span.clone())))
    }

    /// The value in the table of this tool.
    pub(crate) fn of_tool(&self, tool: &str, setting: &str) -> Option<&Value> {
        self.tables.get(tool)?.values.get(setting).map(|(value, _)| value)
    }

    /// Tables that match no tool of the folder, each with the tool of a similar name.
    pub(crate) fn check_names<'a>(&self, tools: &[&'a str]) -> Vec<(Option<&'a str>, Faults)> {
        let unread = self.tables.iter();
        let unread =
            unread.filter(|(name, _)| *name != DEFAULTS && !tools.contains(&name.as_str()));
        let fault = |(name, table): (&String, &Table)| {
            let near = nearest(name, tools.iter().copied());
            let mut found = Faults::default();
            found.settings_without_tool(&self.text, table.name.clone(), name, near);
            (near, found)
        };
        unread.map(fault).collect()
    }
}

fn tables(text: &Text, root: &DeTable<'_>, faults: &mut Faults) -> BTreeMap<String, Table> {
    let mut found = BTreeMap::new();
    for (key, value) in root {
        let name = key.get_ref().to_string();
        let Some(table) = value.get_ref().as_table() else {
            faults.setting_outside_a_table(text, key.span(), &name);
            continue;
        };
        let mut values = BTreeMap::new();
        for (key, value) in table {
            let setting = key.get_ref().to_string();
            if !names().any(|known| known == setting) {
                let known: Vec<_> = names().collect();
                let near = nearest(&setting, known.iter().copied());
                faults.unknown_setting(text.place(key.span()), &setting, near, &known);
                continue;
            }
            match json(value) {
                Some(json) => drop(values.insert(setting, (json, value.span()))),
                None => faults.setting_not_json(text, value.span(), &setting),
            }
        }
        found.insert(name, Table { name: key.span(), values });
    }
    found
}

/// A TOML value as JSON. Dates become strings.
fn json(value: &Spanned<DeValue<'_>>) -> Option<Value> {
    Some(match value.get_ref() {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(items) => Value::Array(items.iter().map(json).collect::<Option<_>>()?),
        DeValue::Table(table) => {
            let field = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
                let key: &std::borrow::Cow<'_, str> = key.get_ref();
                json(value).map(|value| (key.to_string(), value))
            };
            Value::Object(table.iter().map(field).collect::<Option<Map<_, _>>>()?)
        }
        DeValue::Integer(integer) => {
            Number::from(i64::from_str_radix(integer.as_str(), integer.radix()).ok()?).into()
        }
        DeValue::Float(float) => Number::from_f64(float.as_str().parse().ok()?)?.into(),
    })
}
