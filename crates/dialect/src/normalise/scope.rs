//! What dynamic references mean at a location: the outermost schema with each anchor on its path.
//!
//! Must hold: the root is first on every path; a schema in a scope stays in it. Equal
//! scopes are shared, and their number is limited.

use std::collections::{BTreeMap, HashMap};

use super::resources::{Anchor, Resources};

/// One scope of a document; the default has no anchors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Scope(usize);

/// The outermost schema with each anchor, as a location in the author's schema.
type Carriers = BTreeMap<Anchor, String>;

/// All scopes of a document.
pub(super) struct Scopes {
    list: Vec<Carriers>,
    entered: HashMap<(Scope, usize), Scope>,
    /// Whether there were more than the limit allows.
    pub is_full: bool,
}

/// How many scopes a document may have; one that a person wrote has a handful.
pub(super) const SCOPES_MAX: usize = 200;

impl Default for Scopes {
    fn default() -> Self {
        Self { list: vec![Carriers::new()], entered: HashMap::new(), is_full: false }
    }
}

impl Scopes {
    /// The scope after a path with this scope enters a resource.
    pub(super) fn enter(&mut self, resources: &Resources, resource: usize, scope: Scope) -> Scope {
        if let Some(known) = self.entered.get(&(scope, resource)) {
            return *known;
        }
        let mut carriers = self.list[scope.0].clone();
        for (anchor, place) in resources.shared_anchors(resource) {
            carriers.entry(anchor.clone()).or_insert_with(|| place.clone());
        }
        let found = self.list.iter().position(|known| *known == carriers);
        let entered = match found {
            Some(known) => Scope(known),
            None if self.list.len() >= SCOPES_MAX => {
                self.is_full = true;
                scope
            }
            None => {
                self.list.push(carriers);
                Scope(self.list.len() - 1)
            }
        };
        self.entered.insert((scope, resource), entered);
        entered
    }

    /// The outermost schema with an anchor, if several have it.
    pub(super) fn carrier(&self, scope: Scope, anchor: &Anchor) -> Option<&String> {
        self.list[scope.0].get(anchor)
    }
}
