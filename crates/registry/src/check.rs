//! Checks one tool directory and returns the [`Tool`], or its faults.
//!
//! Every check runs on what earlier checks left usable; none stops the others. Start at
//! [`check_dir`]; each file of this folder checks one part of a tool.

mod contract_fields;
mod document;
mod fixtures;
mod handler;
mod network_hosts;
mod parameters;
mod rules;
mod summary;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use contract::{BUILTIN_TOOLS, Code, Contract, Digest, Digester, ToolId, canonical_bytes};
use dialect::Arguments;

pub(crate) use contract_fields::DESCRIPTION_CHARS_MAX;
pub(crate) use fixtures::check_module as check_module_fixtures;
pub(crate) use handler::check as check_handler_text;
pub(crate) use parameters::is_known_keyword;
pub(crate) use summary::{CHARS_MAX as SUMMARY_CHARS_MAX, LINES_MAX as SUMMARY_LINES_MAX};

use crate::code::{Loaded, Sources, javascript};
use crate::environment::{Environment, needs};
use crate::fault::Faults;
use crate::schema_order::arranged;
use crate::source::json::{Node, parse};
use crate::source::text::Text;
use crate::source::{File, ToolDir};
use crate::tool::{Digests, Features, Handler, HandlerKind, Tool};

/// One directory after every check that needs no compiler.
pub(crate) struct CheckedDir {
    pub tool: Option<Tool>,
    pub faults: Faults,
    /// The handler, valid or not.
    pub handler: Option<FoundHandler>,
}

/// The handler of a directory.
pub(crate) struct FoundHandler {
    pub handler: Handler,
    /// The text of its file, for messages.
    pub text: Option<Arc<Text>>,
    /// Every file of the directory, by its name below the directory of all tools.
    pub files: Vec<String>,
    /// What a JavaScript handler can load; others get theirs when all files are known.
    pub code: Arc<Code>,
    pub loaded: Loaded,
}

/// Checks the directory at `path`, which messages call `shown`.
pub(crate) fn check_dir(
    path: &Path,
    shown: &Path,
    natives: &BTreeSet<ToolId>,
    sources: &Sources,
) -> CheckedDir {
    let mut faults = Faults::default();
    let dir = ToolDir::read(path, shown, sources, &mut faults);
    if !dir.is_tool() && !faults.has_errors() {
        let mut faults = Faults::default();
        faults.no_tool(&dir.shown, dir.files.is_empty());
        return CheckedDir { tool: None, faults, handler: None };
    }
    let id = directory_id(&dir, &mut faults);
    let handler = find_handler(path, &dir, id.as_ref(), natives, &mut faults);
    let found = handler.clone().map(|handler| found(handler, &dir, sources));
    let schema = dir.text(File::Schema).and_then(|text| read_json(text, &mut faults));
    let checked = schema.as_ref().zip(dir.text(File::Schema)).map(|(root, text)| {
        let contract = contract_fields::read(text, root, id.as_ref(), &mut faults);
        rules::check(text, root, &mut faults);
        let form = rules::form(text, root, &dir, &mut faults);
        let arguments = parameters::check(text, root, &mut faults);
        (contract, form, arguments)
    });
    let (contract, ui, arguments) = checked.unwrap_or_default();
    let summary = dir.text(File::Summary).map(|text| summary::check(text, &mut faults));
    let examples = dir.text(File::Doc).map(|text| document::check(text, &arguments, &mut faults));
    document::check_leftovers(&dir, &mut faults);
    fixtures::check(path, &dir.shown, &mut faults);
    if !faults.has_errors()
        && let (Some(mut contract), Some(summary), Some(doc), Some(handler), Some(root)) =
            (contract, summary, dir.text(File::Doc), handler, schema)
    {
        let digests = digests(&dir, &root, &summary, &doc.content, &handler);
        contract.parameters = arranged(&contract.parameters);
        contract.returns = contract.returns.as_ref().map(arranged);
        let documentation = doc.content.clone();
        let examples = examples.unwrap_or_default();
        let tool = Tool {
            contract,
            summary,
            documentation,
            examples,
            handler,
            features: Features::default(),
            ui,
            ui_handlers: Vec::new(),
            order: 0,
            digests,
            code: Arc::default(),
        };
        return CheckedDir { tool: Some(tool), faults, handler: found };
    }
    CheckedDir { tool: None, faults, handler: found }
}

fn found(handler: Handler, dir: &ToolDir, sources: &Sources) -> FoundHandler {
    let (code, loaded) = match handler.kind {
        HandlerKind::JavaScript => javascript(handler.file(), sources),
        HandlerKind::Python | HandlerKind::Native => Default::default(),
    };
    let file = match handler.kind {
        HandlerKind::JavaScript => Some(File::HandlerJs),
        HandlerKind::Python => Some(File::HandlerPy),
        HandlerKind::Native => None,
    };
    let text = file.and_then(|file| dir.text(file)).cloned();
    FoundHandler { handler, text, files: dir.files.clone(), code: Arc::new(code), loaded }
}

/// Checks the fields, the rules and the schemas of a contract that has no directory.
pub(crate) fn check_contract(text: &Text, root: &Node, faults: &mut Faults) -> Option<Contract> {
    let contract = contract_fields::read(text, root, None, faults);
    rules::check(text, root, faults);
    parameters::check(text, root, faults);
    contract
}

pub(crate) fn is_object(value: &serde_json::Value) -> bool {
    matches!(value, serde_json::Value::Object(_))
}

/// The two schemas of a contract, ready to check examples with.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    pub parameters: Option<Arguments>,
    pub returns: Option<Arguments>,
}

fn directory_id(dir: &ToolDir, faults: &mut Faults) -> Option<ToolId> {
    match ToolId::from_directory(&dir.name) {
        Ok(id) if BUILTIN_TOOLS.contains(&id.as_str()) => {
            faults.own_id(&dir.shown, id.as_str());
            Some(id)
        }
        Ok(id) if !dir.name.contains('.') => Some(id),
        Ok(_) => {
            faults.bad_directory_name(&dir.shown, "it contains a `.`");
            None
        }
        Err(bad) => {
            faults.bad_directory_name(&dir.shown, &bad.to_string());
            None
        }
    }
}

/// The packages of a Python handler: its own folder's, or those of all tools.
fn environment(path: &Path, dir: &ToolDir, faults: &mut Faults) -> Option<Environment> {
    let tools_dir = path.parent().unwrap_or(Path::new("."));
    needs(tools_dir, &path.join(File::HandlerPy.name()), dir.text(File::HandlerPy)?, faults)
}

fn find_handler(
    path: &Path,
    dir: &ToolDir,
    id: Option<&ToolId>,
    natives: &BTreeSet<ToolId>,
    faults: &mut Faults,
) -> Option<Handler> {
    let fixes = [
        (File::Schema, "write the contract, or create a new tool with `ghosthand new`"),
        (File::Summary, "say in one to four lines what the model must know"),
        (File::Doc, "write the seven sections; `ghosthand faults T070` lists them"),
    ];
    for (file, fix) in fixes {
        if !dir.has(file) {
            faults.missing_file(&dir.shown, file.name(), fix);
        }
    }
    let made = |kind, file: File| Handler {
        kind,
        path: format!("{}/{}", dir.name, file.name()),
        environment: None,
    };
    match (dir.has(File::HandlerJs), dir.has(File::HandlerPy)) {
        (true, true) => {
            faults.two_handlers(&dir.shown);
            None
        }
        (true, false) => Some(made(HandlerKind::JavaScript, File::HandlerJs)),
        (false, true) => {
            let environment = environment(path, dir, faults).map(|environment| environment.id);
            Some(Handler { environment, ..made(HandlerKind::Python, File::HandlerPy) })
        }
        (false, false) if id.is_some_and(|id| natives.contains(id)) => {
            Some(Handler { kind: HandlerKind::Native, path: String::new(), environment: None })
        }
        (false, false) => {
            let fix = "write `handler.js` or `handler.py` with an `execute` function";
            faults.missing_file(&dir.shown, "handler.js", fix);
            None
        }
    }
}

/// Parses a JSON file, and reports duplicate keys and inexact numbers.
pub(crate) fn read_json(text: &Text, faults: &mut Faults) -> Option<Node> {
    let root = parse(&text.content).map_err(|fault| faults.bad_json(text, &fault)).ok()?;
    walk(text, &root, faults);
    Some(root)
}

fn walk(text: &Text, node: &Node, faults: &mut Faults) {
    if let crate::source::json::Kind::Number(crate::source::json::Exactness::Rounded, _) = node.kind
    {
        faults.inexact_number(text, node.span.clone());
    }
    let mut seen = BTreeSet::new();
    for entry in node.entries() {
        if !seen.insert(entry.key.as_str()) {
            faults.duplicate_key(text, entry.key_span.clone(), &entry.key);
        }
        walk(text, &entry.value, faults);
    }
    node.items().iter().for_each(|item| walk(text, item, faults));
}

fn digests(dir: &ToolDir, root: &Node, summary: &str, doc: &str, made: &Handler) -> Digests {
    let file = match made.kind {
        HandlerKind::JavaScript => Some(File::HandlerJs),
        HandlerKind::Python => Some(File::HandlerPy),
        HandlerKind::Native => None,
    };
    let mut handler = Digester::default();
    for file in file.into_iter().chain([File::Ui]) {
        if let Some(text) = dir.text(file) {
            handler.part(file.name().as_bytes());
            handler.part(text.content.as_bytes());
        }
    }
    handler.part(dir.extra.to_string().as_bytes());
    if let Some(environment) = &made.environment {
        handler.part(environment.as_str().as_bytes());
    }
    Digests {
        schema: Digest::of(&canonical_bytes(&root.to_value())),
        summary: Digest::of(summary.as_bytes()),
        doc: Digest::of(doc.as_bytes()),
        handler: handler.finish(),
        shared: None,
    }
}
