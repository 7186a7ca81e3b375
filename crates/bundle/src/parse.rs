//! Reads a module with a JavaScript parser: imports, exports, and the places that a bundle
//! replaces.
//!
//! In: the text of a module. Out: a [`Module`], or faults with their lines. Must hold: what a
//! bundle cannot express (a value that changes after it was exported, `await` outside of
//! functions) is a fault.

mod exports;
mod imports;

use std::ops::Range;

use tree_sitter::{Node, Parser};

use crate::fault::Fault;
use crate::module::{Edit, Module, Replacement, Target};

/// Reads the module at `path`, which is below `/assets/`; faults name it `file`.
pub(crate) fn parse(path: &str, file: &str, text: String) -> Result<Module, Vec<Fault>> {
    let mut parser = Parser::new();
    let language = tree_sitter_javascript::LANGUAGE.into();
    let tree = match parser.set_language(&language) {
        Ok(()) => parser.parse(&text, None),
        Err(_) => None,
    };
    let Some(tree) = tree else { return Err(vec![Fault::syntax(file, 1)]) };
    let root = tree.root_node();
    if let Some(line) = first_error(root) {
        return Err(vec![Fault::syntax(file, line)]);
    }
    let mut reading = Reading::new(path, file, &text);
    reading.statements(root);
    reading.expressions(root, false);
    let Reading { imports, exports, mut edits, faults, .. } = reading;
    if !faults.is_empty() {
        return Err(faults);
    }
    // What is inside of another place goes with it.
    edits.sort_by_key(|edit| (edit.place.start, std::cmp::Reverse(edit.place.end)));
    let mut end = 0;
    edits.retain(|edit| {
        let is_outside = edit.place.start >= end;
        end = end.max(edit.place.end);
        is_outside
    });
    let (path, file) = (path.to_owned(), file.to_owned());
    Ok(Module { path, file, text, imports, exports, edits })
}

/// What was found so far.
struct Reading<'a> {
    path: &'a str,
    file: &'a str,
    text: &'a str,
    imports: Vec<crate::module::Import>,
    exports: Vec<crate::module::Export>,
    edits: Vec<Edit>,
    faults: Vec<Fault>,
    /// Names that are declared with `let` or `var` outside of functions.
    variables: Vec<String>,
}

impl<'a> Reading<'a> {
    fn new(path: &'a str, file: &'a str, text: &'a str) -> Self {
        let (imports, exports, edits) = (Vec::new(), Vec::new(), Vec::new());
        let (faults, variables) = (Vec::new(), Vec::new());
        Self { path, file, text, imports, exports, edits, faults, variables }
    }

    /// The imports and exports, which are statements of the module itself.
    fn statements(&mut self, root: Node) {
        let mut has_code = false;
        for node in children(root) {
            match node.kind() {
                "import_statement" if has_code => {
                    self.fault(node, "move this import above the code of the module");
                }
                "import_statement" => self.import(node),
                "export_statement" => {
                    has_code = true;
                    self.export(node);
                }
                "comment" => {}
                _ => {
                    has_code = true;
                    self.variables.extend(exports::changing_names(node, self.text));
                }
            }
        }
        self.check_changing_exports();
    }

    /// The places inside of statements.
    fn expressions(&mut self, node: Node, in_function: bool) {
        let kind = node.kind();
        match kind {
            "comment" => return self.comment(node),
            "import_statement" => return,
            "call_expression" if function_of(node).is_some_and(|one| one.kind() == "import") => {
                self.load(node);
                return;
            }
            "member_expression" if self.text_of(node) == "import.meta.url" => {
                return self.edit(node.byte_range(), node, Replacement::Address);
            }
            "meta_property" if self.text_of(node) == "import.meta" => {
                self.fault(node, "only `import.meta.url` works in a bundle");
            }
            "await_expression" if !in_function => {
                self.fault(node, "`await` works in functions only; write an async function");
            }
            "for_in_statement" if !in_function && has_child(node, "await") => {
                self.fault(node, "`for await` works in functions only; write an async function");
            }
            _ => {}
        }
        let in_function = in_function || is_function(kind);
        for child in children(node) {
            self.expressions(child, in_function);
        }
    }

    /// Comments are for those who read the module. One that ends a line in the middle of a
    /// statement means something, and stays.
    fn comment(&mut self, node: Node) {
        let place = comment_place(node, self.text);
        if place.start != node.start_byte() || !self.text_of(node).contains('\n') {
            self.edit(place, node, Replacement::Nothing);
        }
    }

    /// `import("./other.js")`.
    fn load(&mut self, node: Node) {
        let arguments = node.child_by_field_name("arguments").map(children).unwrap_or_default();
        let mut named = arguments.into_iter().filter(Node::is_named);
        let (first, more) = (named.next(), named.next());
        let written = first.filter(|one| one.kind() == "string" && more.is_none());
        let Some(written) = written.map(|one| self.string(one)) else {
            return self.fault(node, "`import()` takes one path in quotes here");
        };
        match Target::resolve(self.path, &written) {
            Some(target) => self.edit(node.byte_range(), node, Replacement::Load(target)),
            None => self.faults.push(Fault::unresolved(self.file, line(node), &written)),
        }
    }

    fn edit(&mut self, place: Range<usize>, node: Node, to: Replacement) {
        self.edits.push(Edit { place, line: line(node), to });
    }

    fn fault(&mut self, node: Node, message: &str) {
        self.faults.push(Fault::new(self.file, line(node), message));
    }

    fn text_of(&self, node: Node) -> &'a str {
        &self.text[node.byte_range()]
    }

    /// The value of a string without escapes, which paths do not have.
    fn string(&self, node: Node) -> String {
        self.text_of(node).trim_matches(['"', '\'']).to_owned()
    }
}

/// A comment, with its line if there is nothing else on it, else with the spaces before it.
fn comment_place(node: Node, text: &str) -> Range<usize> {
    let Range { start, end } = node.byte_range();
    let before = text[..start].trim_end_matches([' ', '\t']).len();
    let after = text[end..].trim_start_matches([' ', '\t']);
    let is_line = text[..before].is_empty() || text[..before].ends_with('\n');
    match after.strip_prefix('\n') {
        Some(rest) if is_line => before..text.len() - rest.len(),
        Some(_) => before..end,
        None => start..end,
    }
}

fn first_error(node: Node) -> Option<usize> {
    if node.is_error() || node.is_missing() {
        return Some(line(node));
    }
    if !node.has_error() {
        return None;
    }
    children(node).into_iter().find_map(first_error).or(Some(line(node)))
}

fn is_function(kind: &str) -> bool {
    matches!(
        kind,
        "function_declaration"
            | "function_expression"
            | "generator_function"
            | "generator_function_declaration"
            | "arrow_function"
            | "method_definition"
    )
}

fn function_of(node: Node) -> Option<Node> {
    node.child_by_field_name("function")
}

fn has_child(node: Node, kind: &str) -> bool {
    children(node).iter().any(|child| child.kind() == kind)
}

fn children(node: Node) -> Vec<Node> {
    node.children(&mut node.walk()).collect()
}

fn line(node: Node) -> usize {
    node.start_position().row + 1
}
