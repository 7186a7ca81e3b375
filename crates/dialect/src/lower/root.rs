//! The root of a wire schema: arguments must be an object with fields.

use serde_json::json;

use super::field::add_required;
use super::notes;
use super::{Lowered, Lowerer, Overflow, RootRule};
use crate::graph::Rest;
use crate::loss::LossKind;
use crate::plan::Step;
use crate::schema::json_types::Types;
use crate::target::OpenObjects;

/// The field that holds arguments which are not an object with fields.
pub(crate) const WRAPPER: &str = "input";

impl Lowerer<'_> {
    pub(crate) fn root(&mut self, rule: RootRule) -> Result<Lowered, Overflow> {
        let node = self.graph.node(self.graph.root);
        let empty = node.alternatives.is_none()
            && node.types == Types::OBJECT
            && node.object.fields.is_empty()
            && matches!(node.object.rest, Rest::Unspecified)
            && self.normalised.schema.get("properties").is_some();
        if empty && rule == RootRule::Object {
            // `properties: {}` means a tool without arguments.
            return self.no_arguments();
        }
        let lowered = self.value(self.graph.root)?;
        match rule {
            RootRule::Any => Ok(lowered),
            RootRule::Object if self.is_plain_object(&lowered) => Ok(lowered),
            RootRule::Object => Ok(self.wrapped(lowered)),
        }
    }

    fn no_arguments(&mut self) -> Result<Lowered, Overflow> {
        let (schema, _) = self.wire_object("", Vec::new());
        let mut lowered = Lowered::new(schema, Step::Same);
        let node = self.graph.node(self.graph.root);
        self.note_closed(node);
        lowered.description = node.description.clone();
        Ok(lowered)
    }

    fn is_plain_object(&self, lowered: &Lowered) -> bool {
        let object = lowered.schema.get("type") == Some(&json!("object"));
        let named = lowered.schema.contains_key("properties");
        object && (named || self.rules.open != OpenObjects::Pairs)
    }

    fn wrapped(&mut self, lowered: Lowered) -> Lowered {
        let what = format!("the arguments are sent inside `{WRAPPER}`, and decoded");
        self.lose(LossKind::Reencoded, "", "", &what);
        let (inner, step) = notes::written(lowered);
        let (mut schema, _) = self.wire_object("", Vec::new());
        add_required(&mut schema, WRAPPER, inner);
        let step = Step::Wrapped { key: WRAPPER.to_owned(), inner: Box::new(step) };
        Lowered::new(schema, step)
    }
}
