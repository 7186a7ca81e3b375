//! Faults of the two documents and of the handler's text.

use super::{Code, Faults, SourceLocation, did_you_mean, quoted};
use crate::source::json::{Span, SyntaxFault};
use crate::source::text::Text;

impl Faults {
    /// One fault for an example, even if it has several problems.
    pub(crate) fn example_rejected(&mut self, text: &Text, title: &str, wrong: &[(Span, String)]) {
        let Some((span, why)) = wrong.first() else { return };
        let what = format!("{title} breaks the tool's own schema: {why}");
        let fix = "change the example, or loosen the schema of that property";
        self.add(Code::T021, text.place(span.clone()), what, fix);
        self.add_also(others(wrong));
    }

    pub(crate) fn example_not_json(&mut self, text: &Text, fault: &SyntaxFault, title: &str) {
        let what = format!("{title} is not valid JSON: {}", fault.what);
        let fix = format!("{}; a fence that is not JSON should not be marked `json`", fault.fix);
        self.add(Code::T022, text.place(fault.span.clone()), what, fix);
    }

    /// One fault for a file, even if it has several lines of the template.
    pub(crate) fn template_text(&mut self, text: &Text, spans: &[Span]) {
        let Some((first, others)) = spans.split_first() else { return };
        let what = "this line is from the template and says nothing about your tool";
        let fix = "write what it asks for, and delete it";
        self.add(Code::T074, text.place(first.clone()), what, fix);
        let lines: Vec<_> =
            others.iter().map(|span| text.place(span.clone()).line.to_string()).collect();
        self.add_also(match lines.as_slice() {
            [] => Vec::new(),
            [line] => vec![format!("so is line {line}")],
            [lines @ .., last] => vec![format!("so are the lines {} and {last}", lines.join(", "))],
        });
    }

    pub(crate) fn bad_fixture(
        &mut self,
        place: SourceLocation,
        what: impl Into<String>,
        fix: &str,
    ) {
        self.add(Code::T063, place, what, fix);
    }

    pub(crate) fn no_example(&mut self, text: &Text, span: Span) {
        let what = "there is no example to check under `## Examples`";
        let fix = "add the arguments of a call in a ```json fence";
        self.add(Code::T023, text.place(span), what, fix);
    }

    pub(crate) fn result_rejected(&mut self, text: &Text, title: &str, wrong: &[(Span, String)]) {
        let Some((span, why)) = wrong.first() else { return };
        let what = format!("the result of {title} breaks `returns`: {why}");
        let fix = "change the result, or correct `returns` in schema.json";
        self.add(Code::T024, text.place(span.clone()), what, fix);
        self.add_also(others(wrong));
    }

    pub(crate) fn invalid_example_accepted(&mut self, text: &Text, span: Span, title: &str) {
        let what = format!("{title} is marked invalid, but the schema accepts it");
        let fix = "make the schema refuse this call, or remove `invalid`";
        self.add(Code::T025, text.place(span), what, fix);
    }

    pub(crate) fn summary_empty(&mut self, text: &Text) {
        let fix = "say in one to four lines what the tool does and when to use it";
        self.add(Code::T060, SourceLocation::whole(&text.path), "the summary is empty", fix);
    }

    pub(crate) fn summary_too_long(&mut self, text: &Text, span: Span, chars: usize, max: usize) {
        let what = format!("the summary has {chars} characters; at most {max} fit the prompt");
        let fix = match chars - max {
            1 => "cut 1 character; details belong in doc.md".to_owned(),
            over => format!("cut {over} characters; details belong in doc.md"),
        };
        self.add(Code::T061, text.place(span), what, fix);
    }

    pub(crate) fn summary_lines(&mut self, text: &Text, span: Span, lines: usize, max: usize) {
        let what = format!("the summary has {lines} lines; at most {max} fit the prompt");
        self.add(Code::T062, text.place(span), what, "join lines, and move details to doc.md");
    }

    pub(crate) fn missing_section(&mut self, text: &Text, name: &str, near: Option<(&str, Span)>) {
        let what = format!("the section `## {name}` is missing");
        let (place, fix) = match near {
            Some((found, span)) => {
                let fix = format!("rename `{found}` to `## {name}`");
                (text.place(span), fix)
            }
            None => (SourceLocation::whole(&text.path), format!("add `## {name}`")),
        };
        self.add(Code::T070, place, what, fix);
    }

    pub(crate) fn empty_section(&mut self, text: &Text, span: Span, name: &str) {
        let what = format!("the section `## {name}` is empty");
        let fix = "write at least one line, such as \"None.\"";
        self.add(Code::T071, text.place(span), what, fix);
    }

    pub(crate) fn repeated_section(&mut self, text: &Text, span: Span, name: &str) {
        let what = format!("the section `## {name}` appears twice");
        self.add(Code::T072, text.place(span), what, "join the two");
    }

    pub(crate) fn unclosed_fence(&mut self, text: &Text, span: Span) {
        let what = "this code fence is not closed, so the rest of the file is code";
        self.add(Code::T073, text.place(span), what, "add a line with the same fence");
    }

    pub(crate) fn no_execute(&mut self, text: &Text, what: &str, fix: &str) {
        self.add(Code::T080, SourceLocation::whole(&text.path), what, fix);
    }

    pub(crate) fn foreign_import(
        &mut self,
        text: &Text,
        span: Span,
        module: &str,
        near: Option<&str>,
    ) {
        let what = format!("{} cannot be imported: a handler has no packages", quoted(module));
        let otherwise = "import relative files only; \
                         files, keys and the network come from `context`, by `capabilities`";
        self.add(Code::T081, text.place(span), what, did_you_mean(near, otherwise));
    }
}

/// How many further problems of one example are reported.
const ALSO_MAX: usize = 8;

/// Everything but the first, up to the limit.
fn others(wrong: &[(Span, String)]) -> Vec<String> {
    let others = wrong.get(1..).unwrap_or_default();
    let mut also: Vec<_> = others.iter().take(ALSO_MAX).map(|(_, why)| why.clone()).collect();
    if let more @ 1.. = others.len().saturating_sub(ALSO_MAX) {
        also.push(format!("and {more} more"));
    }
    also
}
