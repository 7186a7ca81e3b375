//! The contract of an item as the JSON of a `schema.json`.
//!
//! In: an item, the folder's settings, the defaults. Out: a text that passes the same
//! checks as any other contract, and a map from locations in it to the author's source.

use contract::{Category, Pointer, SideEffects};
use serde_json::{Map, Value, json};

use super::ModuleItem;
use super::defaults;
use super::locate::Region;
use super::settings::{SETTINGS, Settings, is_foreign, version};
use crate::fault::{Fault, SourceLocation};
use crate::source::json::{Kind, Node};
use crate::source::text::Text;

/// The draft contract of one item.
pub(crate) struct Draft<'a> {
    item: &'a ModuleItem,
    region: &'a Region<'a>,
    settings: Option<&'a Settings>,
    fields: Map<String, Value>,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(
        item: &'a ModuleItem,
        region: &'a Region<'a>,
        settings: Option<&'a Settings>,
    ) -> Self {
        Draft { item, region, settings, fields: Map::new() }
    }

    /// The configured value of a setting: the item's, otherwise that of `tools.toml`.
    fn configured(&self, setting: &str) -> Option<&Value> {
        if setting == "requires_confirmation" {
            return self.approval_setting(setting);
        }
        let in_file = || self.settings?.get(&self.item.name, setting).map(|(value, _)| value);
        let in_item = self.item.settings.get(setting);
        in_item.filter(|value| !is_foreign(setting, value)).or_else(in_file)
    }

    /// The operator decides about approval: the tool's table in `tools.toml` takes precedence
    /// over the item, which may be third-party code. An item may always require approval.
    fn approval_setting(&self, setting: &str) -> Option<&Value> {
        let name = &self.item.name;
        let item = self.item.settings.get(setting);
        let table = self.settings.and_then(|settings| settings.of_tool(name, setting));
        let in_file = self.settings.and_then(|settings| settings.get(name, setting));
        table
            .or(item.filter(|configured| **configured != json!(false)))
            .or(in_file.map(|(value, _)| value))
            .or(item)
    }

    /// Fills in every setting, configured or default.
    pub(crate) fn fill(&mut self, uses: &[String]) {
        let word = |setting| self.configured(setting).and_then(Value::as_str);
        let category_word: Option<Category> = word("category").and_then(|word| word.parse().ok());
        let side_effects: Option<SideEffects> = match word("side_effects") {
            Some(word) => word.parse().ok(),
            None => {
                let opens = self.configured("capabilities").is_some();
                Some(defaults::side_effects(category_word, uses, opens))
            }
        };
        let capabilities = self.capabilities(uses, side_effects);
        let confirmation = defaults::requires_confirmation(side_effects, &capabilities);
        for (setting, field) in SETTINGS {
            let value = match (self.configured(setting), setting) {
                (_, "capabilities") => capabilities.clone(),
                (Some(configured), "version") => {
                    version(configured).map_or_else(|| configured.clone(), Value::String)
                }
                (Some(configured), _) => configured.clone(),
                (None, "version") => json!(defaults::VERSION),
                (None, "category") => json!(defaults::category()),
                (None, "side_effects") => json!(side_effects),
                (None, "idempotent") => json!(defaults::idempotent(category_word)),
                (None, "requires_confirmation") => json!(confirmation),
                (None, "allowed_modes") => defaults::allowed_modes(),
                (None, "latency_budget_ms") => json!(defaults::LATENCY_BUDGET_MS),
                (None, "timeout_ms") => self.timeout(),
                (None, _) => continue,
            };
            self.put(field, value);
        }
    }

    /// Lists that the author configured are kept; otherwise the keys of the store have the
    /// default.
    fn capabilities(&self, uses: &[String], side_effects: Option<SideEffects>) -> Value {
        let mut capabilities = match self.configured("capabilities") {
            Some(Value::Object(configured)) => configured.clone(),
            Some(wrong) => return wrong.clone(),
            None => Map::new(),
        };
        if let Some(keys) = defaults::kv(uses, side_effects) {
            capabilities.entry("kv").or_insert(keys);
        }
        Value::Object(capabilities)
    }

    /// A budget above the default limit raises the limit.
    fn timeout(&self) -> Value {
        let budget =
            self.configured("latency_budget_ms").and_then(Value::as_u64).unwrap_or_default();
        json!(budget.max(defaults::TIMEOUT_MS.into()))
    }

    pub(crate) fn put(&mut self, field: &str, value: Value) {
        self.fields.insert(field.to_owned(), value);
    }

    /// The text that is checked.
    pub(crate) fn text(&self) -> Text {
        let json = serde_json::to_string_pretty(&self.fields).unwrap_or_default();
        Text { path: String::new(), content: json }
    }

    /// Translates a fault in that text to the author's files and the names in modules, with its
    /// place in the contract.
    pub(crate) fn translated(&self, fault: &Fault, text: &Text, root: &Node) -> (Fault, Pointer) {
        let pointer = pointer_at(root, offset(text, &fault.place));
        let place = self.place(&pointer);
        let (code, severity) = (fault.code, fault.severity);
        let (what, fix) = (reworded(&fault.what), reworded(&fault.fix));
        let also = fault.also.iter().map(|also| reworded(also)).collect();
        (Fault { code, severity, what, also, fix, place }, pointer)
    }

    fn place(&self, pointer: &Pointer) -> SourceLocation {
        let mut steps = pointer.steps();
        let Some(field) = steps.next() else { return self.region.item() };
        if field == "parameters" {
            return self.region.parameter(pointer);
        }
        let Some((setting, _)) = SETTINGS.iter().find(|(_, known)| *known == field) else {
            return self.region.key(field);
        };
        let in_file = || self.settings?.get(&self.item.name, setting).map(|(_, place)| place);
        match self.item.settings.contains_key(*setting) {
            true => self.region.key(setting),
            false => in_file().unwrap_or_else(|| self.region.item()),
        }
    }
}

/// The byte offset of a place.
fn offset(text: &Text, place: &SourceLocation) -> usize {
    let lines = text.content.split_inclusive('\n').take(place.line.saturating_sub(1));
    let line = lines.map(str::len).sum::<usize>();
    let column = place.source.chars().take(place.column.saturating_sub(1));
    line + column.map(char::len_utf8).sum::<usize>()
}

/// The innermost value, or key, at a byte.
fn pointer_at(root: &Node, at: usize) -> Pointer {
    let mut pointer = Pointer::root();
    let mut node = root;
    loop {
        let next = match &node.kind {
            Kind::Object(entries) => entries
                .iter()
                .find(|entry| (entry.key_span.start..entry.value.span.end).contains(&at))
                .map(|entry| (pointer.join(&entry.key), &entry.value)),
            Kind::List(items) => items
                .iter()
                .enumerate()
                .find(|(_, item)| item.span.contains(&at))
                .map(|(index, item)| (pointer.join(index), item)),
            Kind::Null | Kind::Bool(_) | Kind::Number(..) | Kind::Text(_) => None,
        };
        match next {
            Some((inner, value)) => (pointer, node) = (inner, value),
            None => return pointer,
        }
    }
}

/// Modules have their own names for the fields of a contract.
fn reworded(text: &str) -> String {
    let fields = SETTINGS.iter().map(|(setting, field)| (*field, *setting));
    let others = [("\"auto\": true", "\"auto_tool\": true"), ("schema.json", "the item")];
    fields
        .chain(others)
        .fold(text.to_owned(), |text, (field, setting)| text.replace(field, setting))
}
