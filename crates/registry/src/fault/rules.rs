//! Faults of rules across fields.

use super::{Code, Faults, SourceLocation, list};
use crate::source::json::Span;
use crate::source::text::Text;

impl Faults {
    pub(crate) fn retrieval_not_idempotent(&mut self, text: &Text, span: Span) {
        let what = "a retrieval tool must be idempotent";
        let fix = "write \"idempotent\": true, or make it an action";
        self.add(Code::T030, text.place(span), what, fix);
    }

    pub(crate) fn retrieval_writes(&mut self, text: &Text, span: Span) {
        let what = "a retrieval tool must not write";
        let fix = "write \"sideEffects\": \"read_only\" or \"none\", or make it an action";
        self.add(Code::T031, text.place(span), what, fix);
    }

    pub(crate) fn utility_with_effects(&mut self, text: &Text, span: Span, found: &str) {
        let what = format!("a utility tool should have no effects, but this one has `{found}`");
        let fix = "make it a retrieval or an action, or remove its effects";
        self.add(Code::T032, text.place(span), what, fix);
    }

    pub(crate) fn capabilities_without_effects(&mut self, text: &Text, span: Span, kinds: &[&str]) {
        let what = format!("`sideEffects` is `none`, but `capabilities` has {}", list(kinds));
        let fix = "delete the capabilities, or write \"sideEffects\": \"read_only\" or \"writes\"";
        self.add(Code::T033, text.place(span), what, fix);
    }

    pub(crate) fn slow_for_voice(&mut self, text: &Text, span: Span, budget: u32, advised: u32) {
        let what = format!("{budget} ms is long for a tool in voice mode; aim for {advised}");
        let fix = "lower the budget, or remove `voice` from `allowedModes`";
        self.add(Code::T034, text.place(span), what, fix);
    }

    pub(crate) fn auto_needs_arguments(&mut self, text: &Text, span: Span, names: &[&str]) {
        let what = format!("an auto tool runs without arguments, but {} required", are(names));
        let fix = "make them optional, or delete \"auto\": true";
        self.add(Code::T035, text.place(span), what, fix);
    }

    pub(crate) fn auto_asks(&mut self, text: &Text, span: Span, or: &str) {
        let what = "an auto tool runs before every answer, so it cannot ask a person each time";
        let fix = format!("delete \"auto\": true, or {or}");
        self.add(Code::T036, text.place(span), what, fix);
    }

    pub(crate) fn host_closed(&mut self, place: SourceLocation, tool: &str, host: &str) {
        let what = format!("`{host}` is private or local, so `{tool}` cannot reach it here");
        let fix = format!("open it with `[net] allow = [\"{host}\"]` in ghosthand.toml");
        self.add(Code::T110, place, what, fix);
    }

    pub(crate) fn bad_ui(&mut self, text: &Text, span: Span, what: &str, fix: &str) {
        self.add(Code::T037, text.place(span), what, fix);
    }
}

fn are(names: &[&str]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", list(names))
}
