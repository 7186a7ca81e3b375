//! What the author is told about a page that was written differently from what was asked.

use crate::text::language::Lang;

/// One notice, in data; [`Notice::text`] says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The database has no such column.
    NoProperty(String),
    /// The column does not take the value.
    Unfit { property: String, why: Unfit },
    /// The database has several sources, and the first was taken.
    SeveralSources { taken: String, others: Vec<String> },
}

/// Why a column does not take a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    NoStatus(String),
    NotNumber(String),
    Type(String),
}

impl Notice {
    /// The notice in the writer's language.
    pub fn text(&self, lang: Lang) -> String {
        match self {
            Notice::NoProperty(name) => lang.fill("notion.no_property", &[("name", name)]),
            Notice::Unfit { property, why } => {
                let (key, value) = match why {
                    Unfit::NoStatus(value) => ("notion.no_status", value),
                    Unfit::NotNumber(value) => ("notion.not_number", value),
                    Unfit::Type(value) => ("notion.other_type", value),
                };
                lang.fill(key, &[("name", property), ("value", value)])
            }
            Notice::SeveralSources { taken, others } => {
                let (count, others) = (others.len() + 1, others.join(", "));
                let values: [(&str, &dyn std::fmt::Display); 3] =
                    [("count", &count), ("taken", taken), ("others", &others)];
                lang.fill("notion.several_sources", &values)
            }
        }
    }
}
