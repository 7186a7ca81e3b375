//! Checks the text of a handler that has no compiler: whether it has `execute`, and whether its
//! imports exist.
//!
//! Reports only what is certain from the text.

use crate::fault::Faults;
use crate::source::text::Text;
use crate::tool::HandlerKind;

/// Checks the text of a handler.
pub(crate) fn check(kind: HandlerKind, text: &Text, faults: &mut Faults) {
    match kind {
        HandlerKind::JavaScript => check_js(text, faults),
        HandlerKind::Python => check_py(text, faults),
        HandlerKind::Native => {}
    }
}

fn check_js(text: &Text, faults: &mut Faults) {
    let has = |word: &str| words(&text.content).any(|found| found == word);
    if !has("execute") || !has("export") {
        let what = "the handler exports no `execute`";
        let fix = "write `export async function execute({ args, context }) { … }`";
        faults.no_execute(text, what, fix);
    }
    let mut at = 0;
    for line in text.content.split_inclusive('\n') {
        if let Some(module) = imported(line).filter(|module| !is_relative(module)) {
            let start = at + (module.as_ptr() as usize - line.as_ptr() as usize);
            let near = module.ends_with("error-types.js").then_some("../_core/error-types.js");
            faults.foreign_import(text, start..start + module.len(), module, near);
        }
        at += line.len();
    }
}

fn check_py(text: &Text, faults: &mut Faults) {
    let defines = |line: &str| {
        let line = line.strip_prefix("async ").unwrap_or(line);
        let def =
            line.strip_prefix("def execute").is_some_and(|rest| rest.starts_with(['(', ' ', '[']));
        let bound = line
            .strip_prefix("execute")
            .is_some_and(|rest| rest.trim_start().starts_with([':', '=']));
        let imported = line.starts_with("from ") && words(line).any(|word| word == "execute");
        def || bound || imported
    };
    if !text.content.lines().any(defines) {
        let what = "the handler defines no `execute`";
        let fix = "write `async def execute(args, context):` at the top level of the file";
        faults.no_execute(text, what, fix);
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
}

fn is_relative(module: &str) -> bool {
    module.starts_with("./") || module.starts_with("../")
}

/// The module that a line imports, if the line is an import.
fn imported(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let after = if code.starts_with("import ")
        || code.starts_with("import'")
        || code.starts_with("import\"")
    {
        code.rsplit_once(" from ").map_or(&code[6..], |(_, after)| after)
    } else if code.starts_with("export ") || code.starts_with('}') {
        code.rsplit_once(" from ")?.1
    } else {
        let call = code.find("require(")?;
        let free = code[..call]
            .chars()
            .next_back()
            .is_none_or(|c| !(c.is_alphanumeric() || c == '_' || c == '.'));
        if code.starts_with("//") || code.starts_with('*') || !free {
            return None;
        }
        &code[call + "require(".len()..]
    };
    let after = after.trim_start();
    let quote = after.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    after[1..].split_once(quote).map(|(module, _)| module)
}
