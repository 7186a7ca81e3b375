//! Faults that a compiler finds in handlers.

use std::ops::Range;

use contract::{Code as Snapshot, CodeFault, CodeFaultKind};

use super::{Code, Faults, SourceLocation, quoted};
use crate::python_module::find_word;
use crate::source::text::Text;
use crate::tool::HandlerKind;

impl Faults {
    /// One fault of a compiler, at its place in the source files. `root` is the
    /// tools directory in messages.
    pub(crate) fn code_fault(
        &mut self,
        root: &str,
        code: &Snapshot,
        kind: HandlerKind,
        fault: &CodeFault,
    ) {
        let text =
            |file: &str| Text::new(format!("{root}/{file}"), code.text(file).unwrap_or_default());
        let source = text(&fault.file);
        let is_js = kind == HandlerKind::JavaScript;
        match fault.kind {
            CodeFaultKind::Syntax => {
                let what = format!("this does not parse: {}", fault.message);
                let fix = match is_js {
                    true => "correct it; a handler is a JavaScript module",
                    false => "correct it; until then the tool cannot run",
                };
                self.add(Code::T082, place(&source, fault, ""), what, fix);
            }
            CodeFaultKind::MissingPackage if is_js => {
                let near = fault.name.ends_with("error-types.js");
                let near = near.then_some("../_core/error-types.js");
                let span = imported(&source, fault);
                self.foreign_import(&source, span, &fault.name, near);
            }
            CodeFaultKind::MissingPackage => {
                let what =
                    format!("there is no package {}: {}", quoted(&fault.name), fault.message);
                let fix = "name it in a `requirements.txt` beside the handler, \
                           and run `ghosthand build --python-env`";
                self.add(Code::T081, place(&source, fault, &fault.name), what, fix);
            }
            CodeFaultKind::MissingFile => {
                let what = format!("{} cannot be imported: {}", quoted(&fault.name), fault.message);
                let place = match is_js {
                    true => source.place(imported(&source, fault)),
                    false => place(&source, fault, &fault.name),
                };
                let fix = "write that file, or correct the import";
                self.add(Code::T083, place, what, fix);
            }
            CodeFaultKind::MissingName => {
                let what = format!("{} exports no {}", quoted(&fault.file), quoted(&fault.name));
                let importer = code.files().map(|(name, _)| name).find(|name| {
                    let names = || code.text(name).and_then(|text| find_word(text, &fault.name));
                    *name != fault.file && names().is_some()
                });
                let importer = text(importer.unwrap_or(&fault.file));
                let place = match find_word(&importer.content, &fault.name) {
                    Some(at) => importer.place(at..at + fault.name.len()),
                    None => SourceLocation::whole(&importer.path),
                };
                let fix = "export it there, or correct the name";
                self.add(Code::T084, place, what, fix);
            }
            CodeFaultKind::NoExecute => self.no_function(&source, kind),
        }
    }

    fn no_function(&mut self, source: &Text, kind: HandlerKind) {
        match (kind, source.content.find("export default")) {
            (HandlerKind::JavaScript, Some(at)) => {
                let what = "the handler exports no `execute`; `default` is another name";
                let fix = "write `export async function execute({ args, context }) { … }`, \
                           or `export { execute };`";
                let span = at..at + "export default".len();
                self.add(Code::T080, source.place(span), what, fix);
            }
            (HandlerKind::JavaScript, None) => {
                let what = "the handler exports no `execute`";
                let fix = "write `export async function execute({ args, context }) { … }`";
                self.no_execute(source, what, fix);
            }
            (HandlerKind::Python | HandlerKind::Native, _) => {
                let what = "the handler defines no `execute`";
                let fix = "write `async def execute(args, context):` at the top level of the file";
                self.no_execute(source, what, fix);
            }
        }
    }

    /// The tool is not the one that was locked.
    pub(crate) fn not_as_locked(&mut self, place: SourceLocation, sentence: &str) {
        let what = format!("not as in tools.lock: {sentence}");
        self.add(Code::T087, place, what, "read the change; `ghosthand lock` accepts it");
    }

    /// There is no compiler for some handlers.
    pub(crate) fn handlers_unchecked(&mut self, root: &str, count: usize, because: &str) {
        let handlers = if count == 1 { "handler was" } else { "handlers were" };
        let what = format!("{count} {handlers} not compiled, only read: {because}");
        let fix = "fix that, then check again; until then faults may be missed";
        self.add(Code::T085, SourceLocation::whole(root), what, fix);
    }
}

/// The place that the compiler reports; `name` is the text there, if known.
fn place(source: &Text, fault: &CodeFault, name: &str) -> SourceLocation {
    let Some(line) = fault.line.checked_sub(1) else { return SourceLocation::whole(&source.path) };
    let start: usize = source.content.split_inclusive('\n').take(line).map(str::len).sum();
    let start = start.min(source.content.len());
    let rest = &source.content[start..];
    let column = fault.column.saturating_sub(1);
    let offset = rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at);
    let line_end = rest.find('\n').unwrap_or(rest.len());
    let at = offset.min(line_end);
    let named = rest[at..line_end].find(name).filter(|_| !name.is_empty());
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = rest[at..line_end].find(|c| !is_word(c)).unwrap_or(line_end - at).max(1);
    let (at, width) = named.map_or((at, word), |found| (at + found, name.len()));
    source.place(start + at..start + at + width)
}

/// The module's name in the statement that imports it.
fn imported(source: &Text, fault: &CodeFault) -> Range<usize> {
    let found = ['\'', '"'].iter().find_map(|quote| {
        let spelled = format!("{quote}{}{quote}", fault.name);
        let mut places = source.content.match_indices(&spelled).map(|(at, _)| at + 1);
        let statement = |at: &usize| {
            let before = source.content[..at.saturating_sub(1)].trim_end();
            before.ends_with("from") || before.ends_with("import")
        };
        places.find(statement)
    });
    found.map_or(0..0, |at| at..at + fault.name.len())
}
