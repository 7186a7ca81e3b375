//! Pages of the same title under the same parent: finds a page again after a lost answer.
//!
//! Must hold: an older page is never taken for the new one.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::call::{Ask, Caller, Failed};
use super::fault;
use super::parent::{ResolvedParent, Source};
use super::tree;
use super::{Kind, NotionFault};

/// The ids of all pages of that title.
pub(crate) type Duplicates = BTreeSet<String>;

/// The existing pages of that title, or `None` where the connection may write but not read.
pub(crate) async fn before(
    caller: &Caller<'_>,
    at: &str,
    place: &ResolvedParent,
    title: &str,
) -> Result<Option<Duplicates>, NotionFault> {
    match find(caller, at, place, title).await {
        Ok(twins) => Ok(Some(twins)),
        Err(failed) if failed.fault.kind == Kind::Forbidden => Ok(None),
        Err(failed) => Err(failed.into()),
    }
}

pub(crate) async fn find(
    caller: &Caller<'_>,
    at: &str,
    place: &ResolvedParent,
    title: &str,
) -> Result<Duplicates, Failed> {
    let found = match place {
        ResolvedParent::Source(source) => {
            rows(caller, at, source, place.title_column(), title).await?
        }
        ResolvedParent::Page(id) => {
            let blocks = tree::list(caller, at, id.as_str(), tree::CHILDREN_MAX).await?;
            blocks.into_iter().filter(|block| block["child_page"]["title"] == title).collect()
        }
    };
    Ok(found.iter().filter_map(|page| page["id"].as_str()).map(str::to_owned).collect())
}

/// The newest rows of that title, including one that was just created.
async fn rows(
    caller: &Caller<'_>,
    at: &str,
    source: &Source,
    column: &str,
    title: &str,
) -> Result<Vec<Value>, Failed> {
    let body = json!({
        "filter": { "property": column, "title": { "equals": title } },
        "sorts": [{ "timestamp": "created_time", "direction": "descending" }],
        "page_size": 100,
    });
    let path = format!("/v1/data_sources/{}/query", source.id);
    let ask = Ask { method: "POST", path: &path, body: Some(&body), place: at };
    let mut answer = caller.read(&ask).await?;
    let Value::Array(rows) = answer["results"].take() else {
        return Err(fault::garbled(at, "a list without `results`").into());
    };
    Ok(rows)
}
