//! Faults of the fields of `schema.json`.

use contract::{BadToolId, Contract, UnknownWord};

use super::{Code, Faults, did_you_mean, list, quoted};
use crate::source::json::{Member, Node, Span};
use crate::source::text::Text;
use contract::nearest;

/// A sample of each field of the contract: the fix for a missing one.
fn sample_of(field: &str) -> &'static str {
    match field {
        "version" => "\"version\": \"1.0.0\"",
        "description" => "\"description\": \"What the tool does, in a sentence.\"",
        "category" => "\"category\": \"retrieval\", \"action\" or \"utility\"",
        "sideEffects" => "\"sideEffects\": \"none\", \"read_only\" or \"writes\"",
        "idempotent" => "\"idempotent\": true if the same call may run twice without harm",
        "requiresConfirmation" => "\"requiresConfirmation\": true if a person must approve first",
        "allowedModes" => "\"allowedModes\": [\"text\", \"voice\"]",
        "latencyBudgetMs" => "\"latencyBudgetMs\": 1000",
        "parameters" => {
            "\"parameters\": {\"type\": \"object\", \"additionalProperties\": false, \
             \"properties\": {}}"
        }
        _ => "the field",
    }
}

impl Faults {
    /// `id` is the id that the directory's name requires.
    pub(crate) fn missing_field(
        &mut self,
        text: &Text,
        root: &Node,
        field: &str,
        id: Option<&str>,
    ) {
        let open = root.span.start..root.span.start + 1;
        let what = format!("the field `{field}` is missing");
        let fix = match (field, id) {
            ("toolId", Some(id)) => format!("add \"toolId\": \"{id}\""),
            ("toolId", None) => "add \"toolId\" with the directory's name".to_owned(),
            _ => format!("add {}", sample_of(field)),
        };
        self.add(Code::T010, text.place(open), what, fix);
    }

    pub(crate) fn unknown_field(&mut self, text: &Text, entry: &Member) {
        let known = Contract::REQUIRED.into_iter().chain(Contract::OPTIONAL);
        let near = nearest(&entry.key, known.clone());
        let known: Vec<_> = known.collect();
        let fix = did_you_mean(near, &format!("delete it; the fields are {}", list(&known)));
        let what = format!("the field {} is unknown", quoted(&entry.key));
        self.add(Code::T011, text.place(entry.key_span.clone()), what, fix);
    }

    pub(crate) fn wrong_type(&mut self, text: &Text, field: &str, node: &Node, wanted: &str) {
        let what = format!("`{field}` is {}, but must be {wanted}", node.kind_name());
        let fix = format!("write {wanted}{}", type_hint(node, wanted));
        self.add(Code::T012, text.place(node.span.clone()), what, fix);
    }

    pub(crate) fn id_mismatch(&mut self, text: &Text, node: &Node, found: &str, wanted: &str) {
        let what =
            format!("the id `{found}` does not match the directory, which requires `{wanted}`");
        let fix = format!("write \"toolId\": \"{wanted}\", or rename the directory");
        self.add(Code::T013, text.place(node.span.clone()), what, fix);
    }

    pub(crate) fn bad_id(&mut self, text: &Text, node: &Node, bad: &BadToolId, wanted: &str) {
        let what = format!("the id is not a name every provider accepts: {bad}");
        self.add(
            Code::T014,
            text.place(node.span.clone()),
            what,
            format!("write \"toolId\": \"{wanted}\", the name of the directory"),
        );
    }

    pub(crate) fn bad_version(&mut self, text: &Text, node: &Node, found: &str, why: &str) {
        let what = format!("{} is not a semantic version: {why}", quoted(found));
        let fix = "write three numbers, as in \"1.0.0\"";
        self.add(Code::T015, text.place(node.span.clone()), what, fix);
    }

    pub(crate) fn unknown_word(
        &mut self,
        text: &Text,
        field: &str,
        node: &Node,
        unknown: &UnknownWord,
    ) {
        let what = format!("`{field}`: {unknown}");
        let near = nearest(&unknown.found, unknown.expected.iter().copied());
        let fix = did_you_mean(near, "use one of the words in the list");
        self.add(Code::T016, text.place(node.span.clone()), what, fix);
    }

    pub(crate) fn no_modes(&mut self, text: &Text, node: &Node) {
        let fix = "write [\"text\"], [\"voice\"] or both; a tool for no mode is never offered";
        self.add(Code::T017, text.place(node.span.clone()), "`allowedModes` is empty", fix);
    }

    pub(crate) fn repeated_word(&mut self, text: &Text, field: &str, node: &Node, word: &str) {
        let what = format!("`{field}` names `{word}` twice");
        self.add(Code::T017, text.place(node.span.clone()), what, "delete one of the two");
    }

    pub(crate) fn out_of_range(&mut self, text: &Text, field: &str, span: Span, range: (u32, u32)) {
        let found = &text.content[span.clone()];
        let what = format!("`{field}` is {found}, but must be from {} to {}", range.0, range.1);
        let fix = match field {
            "timeoutMs" => "use at least the latency budget, at most 600000 (ten minutes)",
            _ => "use whole milliseconds, as in 800",
        };
        self.add(Code::T018, text.place(span), what, fix);
    }

    pub(crate) fn bad_description(&mut self, text: &Text, node: &Node, chars: usize, max: usize) {
        let what = match chars {
            0 => "the description is empty".to_owned(),
            chars => format!("the description has {chars} characters; at most {max} are allowed"),
        };
        let fix = "say in a sentence or two what the tool does";
        self.add(Code::T019, text.place(node.span.clone()), what, fix);
    }

    pub(crate) fn bad_capability(&mut self, text: &Text, span: Span, what: String, fix: &str) {
        self.add(Code::T020, text.place(span), what, fix);
    }
}

/// A hint for the most common mistake: the right value in quotes.
fn type_hint(node: &Node, wanted: &str) -> &'static str {
    match (node.as_text(), wanted) {
        (Some("true" | "false"), "true or false") => ", without quotes",
        (Some(text), "a whole number") if text.parse::<i64>().is_ok() => ", without quotes",
        _ => "",
    }
}
