//! Reads the fields of `schema.json` into a [`Contract`].

use std::str::FromStr;

use contract::{
    AskKind, Capabilities, Category, Contract, Mode, Reuse, SideEffects, ToolId, UnknownWord,
    Version,
};

use crate::fault::Faults;
use crate::source::json::{Exactness, Kind, Node};
use crate::source::text::Text;
use contract::nearest;

/// How long a description may be: what providers pass on to the model.
pub(crate) const DESCRIPTION_CHARS_MAX: usize = 1024;

/// The contract, if every field is present and valid.
pub(crate) fn read(
    text: &Text,
    root: &Node,
    directory: Option<&ToolId>,
    faults: &mut Faults,
) -> Option<Contract> {
    if !matches!(root.kind, Kind::Object(_)) {
        faults.wrong_type(text, "schema.json", root, "an object");
        return None;
    }
    for entry in root.entries() {
        let known = |name: &&str| *name == entry.key;
        // Editors use it to find the schema of the file.
        if entry.key == "$schema" && entry.value.as_text().is_some() {
            continue;
        }
        if !Contract::REQUIRED.iter().chain(&Contract::OPTIONAL).any(known) {
            faults.unknown_field(text, entry);
        }
    }
    for field in Contract::REQUIRED {
        if root.get(field).is_none() {
            faults.missing_field(text, root, field, directory.map(ToolId::as_str));
        }
    }
    let mut fields = Fields { text, root, faults };
    let tool_id = fields.tool_id(directory);
    let version = fields.version();
    let description = fields.description();
    let category = fields.word::<Category>("category");
    let side_effects = fields.word::<SideEffects>("sideEffects");
    let idempotent = fields.flag("idempotent");
    let requires_confirmation = fields.flag("requiresConfirmation");
    let allowed_modes = fields.modes();
    let latency_budget_ms = fields.number("latencyBudgetMs", 1);
    let timeout_ms = fields.number("timeoutMs", latency_budget_ms.unwrap_or(1));
    let reuse = fields.word::<Reuse>("reuse").unwrap_or_default();
    let one_time = fields.flag("oneTime").unwrap_or_default();
    let auto = fields.flag("auto").unwrap_or_default();
    let capabilities = fields.capabilities();
    let asks = fields.asks();
    let ui = fields.string("ui").map(str::to_owned);
    Some(Contract {
        tool_id: tool_id?,
        version: version?,
        description: description?,
        category: category?,
        side_effects: side_effects?,
        idempotent: idempotent?,
        requires_confirmation: requires_confirmation?,
        allowed_modes: allowed_modes?,
        latency_budget_ms: latency_budget_ms?,
        parameters: root.get("parameters")?.to_value(),
        returns: root.get("returns").map(Node::to_value),
        timeout_ms,
        reuse,
        one_time,
        auto,
        capabilities: capabilities?,
        asks: asks?,
        ui,
    })
}

/// Reads fields one by one; missing ones are reported before, wrong ones here.
struct Fields<'a> {
    text: &'a Text,
    root: &'a Node,
    faults: &'a mut Faults,
}

impl<'a> Fields<'a> {
    fn string(&mut self, field: &str) -> Option<&'a str> {
        let node = self.root.get(field)?;
        let text = node.as_text();
        if text.is_none() {
            self.faults.wrong_type(self.text, field, node, "a string");
        }
        text
    }

    fn flag(&mut self, field: &str) -> Option<bool> {
        let node = self.root.get(field)?;
        match node.kind {
            Kind::Bool(value) => Some(value),
            Kind::Null | Kind::Number(..) | Kind::Text(_) | Kind::List(_) | Kind::Object(_) => {
                self.faults.wrong_type(self.text, field, node, "true or false");
                None
            }
        }
    }

    fn number(&mut self, field: &str, min: u32) -> Option<u32> {
        let node = self.root.get(field)?;
        let Kind::Number(exactness, number) = &node.kind else {
            self.faults.wrong_type(self.text, field, node, "a whole number");
            return None;
        };
        let max = Contract::TIMEOUT_MS_MAX;
        let whole = number.as_u64().filter(|_| *exactness == Exactness::Exact);
        let fits = whole.and_then(|value| u32::try_from(value).ok());
        let fits = fits.filter(|value| (min..=max).contains(value));
        if fits.is_none() {
            self.faults.out_of_range(self.text, field, node.span.clone(), (min, max));
        }
        fits
    }

    fn word<T: FromStr<Err = UnknownWord>>(&mut self, field: &str) -> Option<T> {
        let text = self.string(field)?;
        let node = self.root.get(field)?;
        text.parse()
            .map_err(|unknown| self.faults.unknown_word(self.text, field, node, &unknown))
            .ok()
    }

    fn tool_id(&mut self, directory: Option<&ToolId>) -> Option<ToolId> {
        let found = self.string("toolId")?;
        let node = self.root.get("toolId")?;
        let wanted = directory.map_or("note_add", ToolId::as_str);
        match found.parse::<ToolId>() {
            Err(bad) => {
                self.faults.bad_id(self.text, node, &bad, wanted);
                None
            }
            Ok(id) => {
                if let Some(directory) = directory.filter(|directory| **directory != id) {
                    self.faults.id_mismatch(self.text, node, found, directory.as_str());
                }
                Some(id)
            }
        }
    }

    fn version(&mut self) -> Option<Version> {
        let found = self.string("version")?;
        let node = self.root.get("version")?;
        Version::parse(found)
            .map_err(|bad| self.faults.bad_version(self.text, node, found, &bad.to_string()))
            .ok()
    }

    fn description(&mut self) -> Option<String> {
        let found = self.string("description")?;
        let chars = found.trim().chars().count();
        if !(1..=DESCRIPTION_CHARS_MAX).contains(&chars) {
            let node = self.root.get("description")?;
            self.faults.bad_description(self.text, node, chars, DESCRIPTION_CHARS_MAX);
        }
        Some(found.to_owned())
    }

    fn modes(&mut self) -> Option<Vec<Mode>> {
        let node = self.root.get("allowedModes")?;
        if matches!(node.kind, Kind::List(_)) && node.items().is_empty() {
            self.faults.no_modes(self.text, node);
        }
        self.words("allowedModes", "a list of modes")
    }

    fn asks(&mut self) -> Option<Vec<AskKind>> {
        match self.root.get("asks") {
            Some(_) => self.words("asks", "a list of whom to ask, as in [\"person\"]"),
            None => Some(Vec::new()),
        }
    }

    /// A list of unique words, in a fixed order.
    fn words<T>(&mut self, field: &str, wanted: &str) -> Option<Vec<T>>
    where
        T: FromStr<Err = UnknownWord> + Ord,
    {
        let node = self.root.get(field)?;
        if !matches!(node.kind, Kind::List(_)) {
            self.faults.wrong_type(self.text, field, node, wanted);
            return None;
        }
        let mut words: Vec<T> = Vec::new();
        for item in node.items() {
            let Some(word) = item.as_text() else {
                self.faults.wrong_type(self.text, field, item, "a string");
                continue;
            };
            match word.parse() {
                Ok(known) if words.contains(&known) => {
                    self.faults.repeated_word(self.text, field, item, word);
                }
                Ok(known) => words.push(known),
                Err(unknown) => self.faults.unknown_word(self.text, field, item, &unknown),
            }
        }
        words.sort_unstable();
        Some(words)
    }

    fn capabilities(&mut self) -> Option<Capabilities> {
        let mut capabilities = Capabilities::default();
        let Some(node) = self.root.get("capabilities") else { return Some(capabilities) };
        if !matches!(node.kind, Kind::Object(_)) {
            self.faults.wrong_type(self.text, "capabilities", node, "an object");
            return None;
        }
        for entry in node.entries() {
            let list = &entry.value;
            match entry.key.as_str() {
                "net" => capabilities.net = self.capability("net", list),
                "kv" => capabilities.kv = self.capability("kv", list),
                "secrets" => capabilities.secrets = self.capability("secrets", list),
                "files" => capabilities.files = self.capability("files", list),
                "attachments" => {
                    capabilities.attachments = self.capability("attachments", list);
                }
                unknown => {
                    let near = nearest(unknown, Capabilities::NAMES);
                    let fix = near.map_or_else(
                        || "use `net`, `kv`, `secrets`, `files` or `attachments`".to_owned(),
                        |near| format!("did you mean `{near}`?"),
                    );
                    let what = format!("`{unknown}` is not a capability");
                    self.faults.bad_capability(self.text, entry.key_span.clone(), what, &fix);
                }
            }
        }
        Some(capabilities)
    }

    fn capability<T>(&mut self, name: &str, list: &Node) -> Vec<T>
    where
        T: FromStr<Err = contract::BadCapability> + Ord,
    {
        if !matches!(list.kind, Kind::List(_)) {
            let field = format!("capabilities.{name}");
            self.faults.wrong_type(self.text, &field, list, "a list of strings");
            return Vec::new();
        }
        if list.items().len() > Capabilities::ENTRIES_MAX {
            let what = format!("`{name}` has more than {} entries", Capabilities::ENTRIES_MAX);
            let fix = "list fewer; a tool that needs so many should be several tools";
            self.faults.bad_capability(self.text, list.span.clone(), what, fix);
        }
        let mut entries = Vec::new();
        for item in list.items() {
            match item.as_text().map(str::parse::<T>) {
                Some(Ok(entry)) => entries.push(entry),
                Some(Err(bad)) => {
                    let fix = "list exactly what the handler needs";
                    let span = item.span.clone();
                    self.faults.bad_capability(self.text, span, bad.to_string(), fix);
                }
                None => {
                    let field = format!("capabilities.{name}");
                    self.faults.wrong_type(self.text, &field, item, "a string");
                }
            }
        }
        entries.sort_unstable();
        entries.dedup();
        entries
    }
}
