//! `import` statements.

use tree_sitter::Node;

use super::{Reading, children, line};
use crate::fault::Fault;
use crate::module::{Import, Imported, Replacement, Target};

impl Reading<'_> {
    pub(super) fn import(&mut self, node: Node) {
        let Some(target) = self.source(node) else { return };
        let mut import =
            Import { from: target, line: line(node), names: Vec::new(), namespace: None };
        for part in children(node) {
            match part.kind() {
                "import_clause" => self.clause(part, &mut import),
                "import_attribute" => self.fault(part, "bundles have no import attributes"),
                _ => {}
            }
        }
        self.edit(node.byte_range(), node, Replacement::Import(self.imports.len()));
        self.imports.push(import);
    }

    fn clause(&mut self, node: Node, import: &mut Import) {
        for part in children(node) {
            match part.kind() {
                "identifier" => self.fault(part, "import by name: `import { name } from …`"),
                "namespace_import" => {
                    let name = children(part).into_iter().find(|one| one.kind() == "identifier");
                    import.namespace = name.map(|name| self.text_of(name).to_owned());
                }
                "named_imports" => import.names.extend(self.specifiers(part)),
                _ => {}
            }
        }
    }

    /// `name` or `name as local`, of imports and exports.
    pub(super) fn specifiers(&self, node: Node) -> Vec<Imported> {
        let kinds = ["import_specifier", "export_specifier"];
        let parts = children(node).into_iter().filter(|part| kinds.contains(&part.kind()));
        let names = parts.filter_map(|part| {
            let name = self.text_of(part.child_by_field_name("name")?);
            let local = part.child_by_field_name("alias").map(|alias| self.text_of(alias));
            Some(Imported { name: name.to_owned(), local: local.unwrap_or(name).to_owned() })
        });
        names.collect()
    }

    /// The module that a statement names; a fault if that is not a relative path.
    pub(super) fn source(&mut self, node: Node) -> Option<Target> {
        let written = self.string(node.child_by_field_name("source")?);
        let target = Target::resolve(self.path, &written);
        if target.is_none() {
            self.faults.push(Fault::unresolved(self.file, line(node), &written));
        }
        target
    }
}
