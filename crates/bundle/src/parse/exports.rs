//! `export` statements, and the rule that an exported value does not change.

use tree_sitter::Node;

use super::{Reading, children, has_child, line};
use crate::module::{Export, Exported, Imported, Replacement};

impl Reading<'_> {
    pub(super) fn export(&mut self, node: Node) {
        if has_child(node, "default") {
            return self.fault(node, "export by name: `export function name`");
        }
        if has_child(node, "*") || has_child(node, "namespace_export") {
            return self.fault(node, "list the names: `export { name } from …`");
        }
        if let Some(declaration) = node.child_by_field_name("declaration") {
            return self.declaration(node, declaration);
        }
        let clause = children(node).into_iter().find(|part| part.kind() == "export_clause");
        let names = clause.map(|clause| self.specifiers(clause)).unwrap_or_default();
        let from = match node.child_by_field_name("source") {
            Some(_) => match self.source(node) {
                Some(from) => Some(from),
                None => return,
            },
            None => None,
        };
        let exports = names.into_iter().map(|Imported { name, local }| Export {
            name: local,
            line: line(node),
            value: match from.clone() {
                Some(from) => Exported::From(from, name),
                None => Exported::Local(name),
            },
        });
        self.exports.extend(exports);
        self.edit(node.byte_range(), node, Replacement::Nothing);
    }

    /// `export const name = …`: the word `export` goes, the rest stays.
    fn declaration(&mut self, node: Node, declaration: Node) {
        let place = node.start_byte()..declaration.start_byte();
        self.edit(place, node, Replacement::Nothing);
        self.variables.extend(changing_names(declaration, self.text));
        let names = declared_names(declaration, self.text).into_iter();
        let exports = names.map(|name| Export {
            value: Exported::Local(name.clone()),
            name,
            line: line(node),
        });
        self.exports.extend(exports);
    }

    pub(super) fn check_changing_exports(&mut self) {
        for export in &self.exports {
            let Exported::Local(name) = &export.value else { continue };
            if self.variables.contains(name) {
                let message = format!(
                    "`{name}` may change after it was exported; use `const`, or export a function \
                     that returns it"
                );
                self.faults.push(crate::Fault::new(self.file, export.line, message));
            }
        }
    }
}

/// The names that a declaration makes with `let` or `var`.
pub(super) fn changing_names(node: Node, text: &str) -> Vec<String> {
    let kind = node.child_by_field_name("kind").map(|kind| &text[kind.byte_range()]);
    match (node.kind(), kind) {
        ("variable_declaration", _) | ("lexical_declaration", Some("let")) => {
            declared_names(node, text)
        }
        _ => Vec::new(),
    }
}

/// The names that a declaration makes.
fn declared_names(node: Node, text: &str) -> Vec<String> {
    let name = node.child_by_field_name("name");
    match node.kind() {
        "lexical_declaration" | "variable_declaration" => {
            let parts = children(node).into_iter();
            let declarators = parts.filter(|part| part.kind() == "variable_declarator");
            let patterns = declarators.filter_map(|part| part.child_by_field_name("name"));
            patterns.flat_map(|pattern| pattern_names(pattern, text)).collect()
        }
        _ => name.map(|name| text[name.byte_range()].to_owned()).into_iter().collect(),
    }
}

/// The names in `name`, `[name, …]` and `{ key: name, … }`.
fn pattern_names(node: Node, text: &str) -> Vec<String> {
    let below = |field| {
        let inner: Option<Node> = node.child_by_field_name(field);
        inner.map(|inner| pattern_names(inner, text)).unwrap_or_default()
    };
    match node.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => {
            vec![text[node.byte_range()].to_owned()]
        }
        "pair_pattern" => below("value"),
        "assignment_pattern" | "object_assignment_pattern" => below("left"),
        "object_pattern" | "array_pattern" | "rest_pattern" => {
            children(node).into_iter().flat_map(|part| pattern_names(part, text)).collect()
        }
        _ => Vec::new(),
    }
}
