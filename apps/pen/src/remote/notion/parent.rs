//! Where a page goes: below a page, or into one data source of a database.
//!
//! Must hold: a database, a data source or an address is accepted for a database, and so is an
//! id from before databases had data sources.

use serde_json::{Map, Value, json};

use super::call::{Caller, Failed};
use super::fault;
use super::{Id, Kind, Notice, NotionFault, Parent};

pub(crate) enum ResolvedParent {
    Page(Id),
    Source(Source),
}

pub(crate) struct Source {
    pub(crate) id: String,
    /// The columns with their types.
    pub(crate) columns: Map<String, Value>,
}

impl ResolvedParent {
    /// As `POST /v1/pages` expects it.
    pub(crate) fn parent(&self) -> Value {
        match self {
            ResolvedParent::Page(id) => json!({ "type": "page_id", "page_id": id.as_str() }),
            ResolvedParent::Source(source) => {
                json!({ "type": "data_source_id", "data_source_id": source.id })
            }
        }
    }

    /// The name of the property that is the title.
    pub(crate) fn title_column(&self) -> &str {
        let ResolvedParent::Source(source) = self else { return "title" };
        let title = source.columns.iter().find(|(_, column)| column["type"] == "title");
        title.map_or("title", |(name, _)| name)
    }
}

/// Resolves the parent, and adds notices for the author.
pub(crate) async fn find(
    caller: &Caller<'_>,
    parent: &Parent,
    notices: &mut Vec<Notice>,
) -> Result<ResolvedParent, NotionFault> {
    let given = match parent {
        Parent::Page(given) => {
            let id = Id::of_page(given).ok_or_else(|| fault::no_id(given))?;
            return Ok(ResolvedParent::Page(id));
        }
        Parent::Database(given) => given,
    };
    let id = Id::of_database(given).ok_or_else(|| fault::no_id(given))?;
    let place = format!("database {id}");
    let source = match caller.get(&place, &format!("/v1/databases/{id}")).await {
        Ok(database) => source_of(&place, &database, notices)?,
        Err(failed) if is_none(&failed) => id.to_string(),
        Err(failed) => return Err(failed.into()),
    };
    let found = match caller.get(&place, &format!("/v1/data_sources/{source}")).await {
        Ok(found) => found,
        Err(failed) if is_none(&failed) => return Err(fault::no_database(failed.fault)),
        Err(failed) => return Err(failed.into()),
    };
    let columns = found["properties"].as_object().cloned();
    let columns = columns.ok_or_else(|| fault::garbled(&place, "a source without columns"))?;
    Ok(ResolvedParent::Source(Source { id: source, columns }))
}

/// Is there nothing of that sort with this id?
fn is_none(failed: &Failed) -> bool {
    failed.fault.kind == Kind::NotFound || failed.code == "validation_error"
}

fn source_of(
    place: &str,
    database: &Value,
    notices: &mut Vec<Notice>,
) -> Result<String, NotionFault> {
    let sources = database["data_sources"].as_array().cloned().unwrap_or_default();
    let mut named = sources.iter().filter_map(|source| {
        Some((source["id"].as_str()?, source["name"].as_str().unwrap_or_default()))
    });
    let (id, name) = named.next().ok_or_else(|| fault::no_source(place))?;
    let others: Vec<_> = named.map(|(id, name)| format!("`{name}` ({id})")).collect();
    if !others.is_empty() {
        notices.push(Notice::SeveralSources { taken: name.to_owned(), others });
    }
    Ok(id.to_owned())
}
