//! The drafts a schema can be written in, as far as they differ in meaning.

/// Which rules apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Draft {
    /// `id` names a resource; a reference hides its siblings.
    Four,
    /// Drafts 6 and 7: a reference hides its siblings.
    Seven,
    /// 2019-09, 2020-12, OpenAPI 3.1, and schemas that do not say.
    Modern,
}

impl Draft {
    /// The draft that `$schema` names; unknown ones are ignored.
    pub(crate) fn named(uri: &str) -> Option<Self> {
        let uri = uri.trim_end_matches('#');
        Some(match uri.rsplit_once("json-schema.org/").map(|(_, path)| path) {
            Some("draft-03/schema" | "draft-04/schema") => Draft::Four,
            Some("draft-06/schema" | "draft-07/schema") => Draft::Seven,
            Some("draft/2019-09/schema" | "draft/2020-12/schema" | "schema") => Draft::Modern,
            Some(_) | None => return None,
        })
    }

    pub(crate) fn reference_hides_siblings(self) -> bool {
        match self {
            Draft::Four | Draft::Seven => true,
            Draft::Modern => false,
        }
    }
}
