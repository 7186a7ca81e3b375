//! Faults of the JSON Schemas in a contract: `parameters` and `returns`.

use super::{Code, Faults, did_you_mean, list, quoted};
use crate::source::json::Span;
use crate::source::text::Text;

impl Faults {
    pub(crate) fn bad_schema(&mut self, text: &Text, span: Span, why: &str) {
        let what = format!("this is not a valid JSON Schema: {why}");
        let fix = "write JSON Schema 2020-12, as in {\"type\": \"string\", \"maxLength\": 200}";
        self.add(Code::T040, text.place(span), what, fix);
    }

    pub(crate) fn root_not_object(&mut self, text: &Text, span: Span) {
        let what = "`parameters` must describe an object: the arguments by name";
        let fix = "write \"type\": \"object\", and each argument under \"properties\"";
        self.add(Code::T041, text.place(span), what, fix);
    }

    pub(crate) fn root_open(&mut self, text: &Text, span: Span) {
        let what = "`parameters` allows unknown arguments";
        let fix = "add \"additionalProperties\": false, so that invented arguments are refused";
        self.add(Code::T042, text.place(span), what, fix);
    }

    pub(crate) fn nested_open(&mut self, text: &Text, span: Span, place: &str) {
        let what = format!("the object at `{place}` allows unknown properties");
        let fix = "add \"additionalProperties\": false to it";
        self.add(Code::T043, text.place(span), what, fix);
    }

    pub(crate) fn dangling_ref(&mut self, text: &Text, span: Span, reference: &str) {
        let what = format!("the reference {} leads nowhere", quoted(reference));
        let fix = "point at something in this schema, as in \"#/$defs/address\"; \
                   the path starts at the schema, not at the file";
        self.add(Code::T044, text.place(span), what, fix);
    }

    pub(crate) fn remote_ref(&mut self, text: &Text, span: Span, reference: &str) {
        let what = format!("the reference {} leads outside this file", quoted(reference));
        let fix = "copy its target to \"$defs\" and refer to it there; nothing is fetched";
        self.add(Code::T045, text.place(span), what, fix);
    }

    pub(crate) fn unsupported_format(
        &mut self,
        text: &Text,
        span: Span,
        format: &str,
        near: Option<&str>,
        supported: &[&str],
    ) {
        let what = format!("the format {} is not checked everywhere", quoted(format));
        let otherwise = format!("use {}, or a \"pattern\"", list(supported));
        self.add(Code::T046, text.place(span), what, did_you_mean(near, &otherwise));
    }

    pub(crate) fn ghost_required(
        &mut self,
        text: &Text,
        span: Span,
        name: &str,
        near: Option<&str>,
    ) {
        let what = format!("{} is required, but not among the properties", quoted(name));
        let fix =
            did_you_mean(near, "declare it under \"properties\", or remove it from \"required\"");
        self.add(Code::T047, text.place(span), what, fix);
    }

    pub(crate) fn bad_default(&mut self, text: &Text, span: Span, why: &str) {
        let what = format!("the default breaks its own schema: {why}");
        let fix = "change the default, or loosen its schema";
        self.add(Code::T048, text.place(span), what, fix);
    }

    pub(crate) fn unknown_keyword(&mut self, text: &Text, span: Span, keyword: &str, fix: String) {
        let what = format!("{} is not a keyword of JSON Schema 2020-12", quoted(keyword));
        self.add(Code::T049, text.place(span), what, fix);
    }

    pub(crate) fn no_value_fits(&mut self, text: &Text, span: Span, why: &str) {
        let what = format!("no value can fit: {why}");
        self.add(Code::T050, text.place(span), what, "correct one of the two limits");
    }

    pub(crate) fn empty_enum(&mut self, text: &Text, span: Span) {
        let what = "no value can fit: `enum` is empty";
        self.add(Code::T050, text.place(span), what, "list the allowed values, or delete the enum");
    }

    pub(crate) fn schema_too_large(&mut self, text: &Text, span: Span, why: &str) {
        let fix = "flatten it: models fill small schemas better, and providers have limits too";
        self.add(Code::T051, text.place(span), format!("the schema is too large: {why}"), fix);
    }

    pub(crate) fn other_draft(&mut self, text: &Text, span: Span, found: &str) {
        let what = format!("{} is another draft of JSON Schema", quoted(found));
        let fix = "delete \"$schema\"; contracts are written in draft 2020-12";
        self.add(Code::T052, text.place(span), what, fix);
    }

    pub(crate) fn awkward_property(&mut self, text: &Text, span: Span, name: &str) {
        let what = format!("a provider refuses {} as the name of an argument", quoted(name));
        let fix = "use letters, digits and _, starting with a letter; \
                   otherwise it is renamed on the wire";
        self.add(Code::T053, text.place(span), what, fix);
    }

    pub(crate) fn bad_pattern(&mut self, text: &Text, span: Span, pattern: &str) {
        let what = format!("{} is not a regular expression", quoted(pattern));
        let fix = "write an ECMA-262 pattern; inside JSON a backslash is written \\\\";
        self.add(Code::T054, text.place(span), what, fix);
    }
}
