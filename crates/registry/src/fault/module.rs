//! Faults of Python modules, their settings and the packages they need.

use contract::BadToolId;

use super::{Code, Faults, SourceLocation, did_you_mean, list, quoted};
use crate::environment::Environment;
use crate::python_module::ModuleFault;
use crate::source::json::Span;
use crate::source::text::Text;

impl Faults {
    pub(crate) fn module_broken(&mut self, text: &Text, line: Option<Span>, fault: &ModuleFault) {
        let ModuleFault { kind, message, .. } = fault;
        let message = message.lines().next().unwrap_or_default();
        let place = line.filter(|line| !line.is_empty()).map(|line| text.place(line));
        let place = place.unwrap_or_else(|| SourceLocation::whole(&text.path));
        if kind == "item" {
            return self.bad_item(place, message, "fix it; the other tools of the file are loaded");
        }
        let (what, fix) = match kind.as_str() {
            "unavailable" => (
                format!("Python tools cannot be read: {message}"),
                "run `ghosthand doctor`; the other tools work without it",
            ),
            "timeout" | "crash" => (
                format!("the module failed during import: {message}"),
                "do not wait, exit or use the network at the top level of the file",
            ),
            kind => (
                format!("the module cannot be imported: {kind}: {message}"),
                "fix the line; until then none of the file's tools is loaded",
            ),
        };
        self.add(Code::T090, place, what, fix);
    }

    pub(crate) fn module_unread(&mut self, text: &Text, why: &str) {
        let what = format!("the module was not read: {why}");
        self.add(Code::T090, SourceLocation::whole(&text.path), what, "check the file on its own");
    }

    pub(crate) fn bad_item(&mut self, place: SourceLocation, what: impl Into<String>, fix: &str) {
        self.add(Code::T091, place, what, fix);
    }

    pub(crate) fn too_many_items(&mut self, text: &Text, count: usize, max: usize) {
        let what = format!("`TOOLS` has {count} items; at most {max} are read");
        self.add(Code::T091, SourceLocation::whole(&text.path), what, "split the file");
    }

    pub(crate) fn duplicate_item(&mut self, place: SourceLocation, id: &str, first: &str) {
        let what = format!("`{id}` is also the id of `{first}`");
        let fix = "give one of the two another name; `-`, `_` and capitals make no difference";
        self.add(Code::T092, place, what, fix);
    }

    pub(crate) fn unknown_setting(
        &mut self,
        place: SourceLocation,
        name: &str,
        near: Option<&str>,
        known: &[&str],
    ) {
        let what = format!("{} is not a setting of a tool", quoted(name));
        let fix = did_you_mean(near, &format!("delete it; the settings are {}", list(known)));
        self.add(Code::T093, place, what, fix);
    }

    pub(crate) fn settings_without_tool(
        &mut self,
        text: &Text,
        span: Span,
        name: &str,
        near: Option<&str>,
    ) {
        let what = format!("{} is not a tool of the files next to `tools.toml`", quoted(name));
        let fix = did_you_mean(near, "write the `name` of a tool's schema, or `defaults`");
        self.add(Code::T093, text.place(span), what, fix);
    }

    pub(crate) fn unknown_item_key(&mut self, place: SourceLocation, key: &str) {
        let what = format!("the key {} of the item has no meaning here", quoted(key));
        self.add(Code::T094, place, what, "delete it, or leave it for another program");
    }

    pub(crate) fn id_spelled(&mut self, place: SourceLocation, written: &str, id: &str) {
        let what = format!("{} has the id `{id}`", quoted(written));
        let fix = "rename the file or the tool with a-z, 0-9 and _, so that both are the same";
        self.add(Code::T095, place, what, fix);
    }

    pub(crate) fn bad_module_id(&mut self, place: SourceLocation, bad: &BadToolId) {
        let what = format!("the file and the name do not make a valid id: {bad}");
        self.add(Code::T091, place, what, "give the file or the tool a shorter or simpler name");
    }

    pub(crate) fn argument_not_in_schema(&mut self, place: SourceLocation, name: &str) {
        let what = format!("the function needs `{name}`, which the schema does not have");
        let fix = format!("add `{name}` to \"properties\", or give the parameter a default");
        self.add(Code::T096, place, what, fix);
    }

    pub(crate) fn argument_not_taken(
        &mut self,
        place: SourceLocation,
        name: &str,
        near: Option<&str>,
    ) {
        let what = format!("the schema requires `{name}`, which the function does not take");
        let fix = did_you_mean(near, "add it to the function, or remove it from the schema");
        self.add(Code::T097, place, what, fix);
    }

    pub(crate) fn argument_maybe_not_taken(
        &mut self,
        place: SourceLocation,
        name: &str,
        near: Option<&str>,
    ) {
        let what = format!("the schema offers `{name}`, which the function does not take");
        let fix = did_you_mean(near, "add it to the function, or remove it from the schema");
        self.add(Code::T098, place, what, fix);
    }

    pub(crate) fn argument_maybe_missing(&mut self, place: SourceLocation, name: &str) {
        let what = format!("the function needs `{name}`, but the model may leave it out");
        let fix = format!("add `{name}` to \"required\", or give the parameter a default");
        self.add(Code::T098, place, what, fix);
    }

    pub(crate) fn settings_not_toml(&mut self, text: &Text, span: Span, why: &str) {
        let what = format!("this is not valid TOML: {}", why.lines().next().unwrap_or_default());
        let fix = "write a table for each tool, as in `[calculator]`, with `key = value` below";
        self.add(Code::T099, text.place(span), what, fix);
    }

    pub(crate) fn setting_outside_a_table(&mut self, text: &Text, span: Span, name: &str) {
        let what = format!("{} is not in a table", quoted(name));
        let fix = "put it below `[defaults]`, or below a tool's name, as in `[calculator]`";
        self.add(Code::T099, text.place(span), what, fix);
    }

    pub(crate) fn setting_not_json(&mut self, text: &Text, span: Span, name: &str) {
        let what = format!("the value of `{name}` cannot be represented");
        self.add(Code::T099, text.place(span), what, "write a number that fits into 64 bits");
    }

    pub(crate) fn environment_missing(&mut self, environment: &Environment) {
        let packages: Vec<_> = environment.requirements.iter().map(String::as_str).collect();
        let named = packages.iter().take(3).copied().collect::<Vec<_>>();
        let more = if packages.len() > 3 { ", …" } else { "" };
        let what = format!("the packages it needs are not installed: {}{more}", list(&named));
        let fix = "run `ghosthand build --python-env`; nothing is installed while tools run";
        self.add(Code::T100, SourceLocation::whole(&environment.asked_in), what, fix);
    }

    pub(crate) fn bad_requirement(&mut self, text: &Text, span: Span, found: &str) {
        let what = format!("{} is not the name of a package", quoted(found));
        let fix = "write one package a line, as in `httpx>=0.27`; \
                   options belong to the settings of pip or uv";
        self.add(Code::T101, text.place(span), what, fix);
    }

    pub(crate) fn too_many_requirements(&mut self, text: &Text, count: usize, max: usize) {
        let what = format!("{count} packages are named; at most {max} are installed");
        self.add(Code::T101, SourceLocation::whole(&text.path), what, "name only what you import");
    }

    pub(crate) fn bad_script_block(&mut self, text: &Text, span: Span, why: &str) {
        let what = format!("the script metadata cannot be read: {why}");
        let fix = "write `# dependencies = [\"httpx\"]` between `# /// script` and `# ///`";
        self.add(Code::T101, text.place(span), what, fix);
    }

    pub(crate) fn keyword_left_out(&mut self, place: SourceLocation, keyword: &str) {
        let what = format!("{} has no meaning here and is left out of the schema", quoted(keyword));
        let fix = match keyword {
            "required" => {
                "list the name in \"required\" beside \"properties\"; it was read that way"
            }
            "example" => "write \"examples\": [ … ], or put it into the description",
            _ => "delete it, or put it into the description",
        };
        self.add(Code::T102, place, what, fix);
    }

    pub(crate) fn type_read_as(&mut self, place: SourceLocation, kind: &str) {
        let what = format!("the type has a Python name and is read as `{kind}`");
        self.add(Code::T102, place, what, format!("write \"type\": \"{kind}\""));
    }

    pub(crate) fn description_cut(&mut self, place: SourceLocation, chars: usize) {
        let what = format!("the description is cut after {chars} characters");
        let fix = "shorten it; providers pass no more on to the model";
        self.add(Code::T103, place, what, fix);
    }
}
