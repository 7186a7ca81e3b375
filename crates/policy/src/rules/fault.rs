//! Faults of a rule file: one function per fault; all faults are collected.

use std::ops::Range;

use serde::Serialize;

use crate::display_text::list;
use contract::nearest;

/// One fault: where, what, and how to fix it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleFault {
    pub code: &'static str,
    pub place: RulePlace,
    pub what: String,
    pub fix: String,
}

/// A place in the rule file. Lines and columns count from 1; columns count characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RulePlace {
    pub file: String,
    pub line: usize,
    pub column: usize,
    /// How many characters of the line are marked.
    pub width: usize,
    /// The line itself.
    #[serde(skip)]
    pub source: String,
}

impl std::fmt::Display for RulePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Collects the faults of one file.
pub(super) struct Faults<'a> {
    file: &'a str,
    text: &'a str,
    found: Vec<RuleFault>,
}

pub(super) type Span = Range<usize>;

impl<'a> Faults<'a> {
    pub(super) fn new(file: &'a str, text: &'a str) -> Self {
        Self { file, text, found: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub(super) fn count(&self) -> usize {
        self.found.len()
    }

    /// In the order of the file.
    pub(super) fn into_sorted(mut self) -> Vec<RuleFault> {
        self.found.sort_by(|a, b| (&a.place, a.code, &a.what).cmp(&(&b.place, b.code, &b.what)));
        self.found
    }

    pub(super) fn place(&self, span: &Span) -> RulePlace {
        let start = self.text.floor_char_boundary(span.start);
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
        let end = self.text.floor_char_boundary(span.end).clamp(start, line_end);
        RulePlace {
            file: self.file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: self.text[line_start..start].chars().count() + 1,
            width: self.text[start..end].chars().count().max(1),
            source: self.text[line_start..line_end].trim_end_matches('\r').to_owned(),
        }
    }

    fn add(
        &mut self,
        code: &'static str,
        span: &Span,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) {
        let place = self.place(span);
        self.found.push(RuleFault { code, place, what: what.into(), fix: fix.into() });
    }

    pub(super) fn not_toml(&mut self, span: &Span, message: &str) {
        let what = format!("this is not valid TOML: {}", message.trim());
        self.add("P001", span, what, "fix the syntax; until then every call is refused");
    }

    pub(super) fn too_large(&mut self, span: &Span, what: &str, max: usize) {
        let what = format!("there are more than {max} {what}");
        self.add("P002", span, what, "split or shorten the rules");
    }

    pub(super) fn unknown_key(&mut self, span: &Span, key: &str, known: &[&str]) {
        let fix = match nearest(key, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("use one of {}", list(known.iter().copied())),
        };
        self.add("P003", span, format!("`{key}` is not a known key here"), fix);
    }

    pub(super) fn missing_key(&mut self, span: &Span, key: &str, example: &str) {
        self.add("P004", span, format!("`{key}` is missing"), format!("write {example}"));
    }

    pub(super) fn wrong_kind(&mut self, span: &Span, key: &str, expected: &str) {
        let what = format!("`{key}` must be {expected}");
        self.add("P005", span, what, format!("write {expected}"));
    }

    pub(super) fn unknown_word(&mut self, span: &Span, key: &str, word: &str, known: &[&str]) {
        let what = format!("`{word}` is not a value of `{key}`");
        let fix = match nearest(word, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("use one of {}", list(known.iter().copied())),
        };
        self.add("P006", span, what, fix);
    }

    pub(super) fn bad_id(&mut self, span: &Span, id: &str) {
        let what = format!("`{id}` is not a valid rule id");
        let fix = "use 1 to 64 of a-z, 0-9 and -, as in `ask-before-mail`";
        self.add("P007", span, what, fix);
    }

    pub(super) fn same_id(&mut self, span: &Span, id: &str) {
        let what = format!("there is already a rule `{id}`");
        self.add("P008", span, what, "give each rule its own id: verdicts name it");
    }

    pub(super) fn matches_everything(&mut self, span: &Span) {
        let what = "the rule does not say which calls it matches";
        let fix = "add `tools`, `category`, `side_effects`, `capability`, `modes` or `arguments`; \
                   for every call write tools = [\"*\"]";
        self.add("P009", span, what, fix);
    }

    pub(super) fn empty_list(&mut self, span: &Span, key: &str) {
        let what = format!("`{key}` is an empty list and would match nothing");
        self.add("P010", span, what, "add an entry, or remove the key");
    }

    pub(super) fn bad_pointer(&mut self, span: &Span, because: &str) {
        self.add("P011", span, because, "write the place as `/to` or `/items/*/price`");
    }

    pub(super) fn no_test(&mut self, span: &Span, known: &[&str]) {
        let what = "the entry names an argument but has no test";
        let fix = format!("add one of {}", list(known.iter().copied()));
        self.add("P012", span, what, fix);
    }

    pub(super) fn useless_memory(&mut self, span: &Span, effect: &str) {
        let what = format!("`may_be_remembered` has no effect on a rule with `{effect}`");
        self.add("P013", span, what, "delete it, or write effect = \"ask\"");
    }

    pub(super) fn example_contradicts(&mut self, span: &Span, key: &str, rule: &str, tool: &str) {
        let (what, fix) = match key {
            "must_match" => (
                format!("rule `{rule}` does not match this call of `{tool}`, but must"),
                "loosen the rule's matchers, or move the example to `must_not_match`",
            ),
            _ => (
                format!("rule `{rule}` matches this call of `{tool}`, but must not"),
                "narrow the rule's matchers, or move the example to `must_match`",
            ),
        };
        self.add("P014", span, what, fix);
    }

    pub(super) fn example_is_silent(&mut self, span: &Span, key: &str, example: &str) {
        let what = format!("the rule needs `{key}`, and the example does not have it");
        self.add("P015", span, what, format!("add {example} to the example"));
    }
}
