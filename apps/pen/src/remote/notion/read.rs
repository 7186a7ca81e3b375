//! A page, read: its head, then its text as Notion's Markdown, or by its blocks.
//!
//! Must hold: the blocks are read where Notion has no or incomplete Markdown of the page; a
//! partial text is returned only at the time limit, and is marked as such.

use serde_json::Value;

use super::call::{Caller, Failed};
use super::fault;
use super::markdown;
use super::notion_markdown;
use super::tree;
use super::{Id, Kind, NotionFault, Page};

pub(crate) async fn read(caller: &Caller<'_>, id: &Id) -> Result<Page, NotionFault> {
    let place = format!("page {id}");
    let head = caller.get(&place, &format!("/v1/pages/{id}")).await?;
    if head["object"] != "page" {
        return Err(fault::garbled(&place, "it is not a page"));
    }
    let (text, truncated) = match own_markdown(caller, &place, id).await? {
        Own::Whole(text) => (text, false),
        Own::Partial(partial) => match by_blocks(caller, &place, id).await {
            Ok(whole) => whole,
            Err(failed) if failed.fault.kind.passes() => (partial, true),
            Err(failed) => return Err(failed.into()),
        },
        Own::Missing => by_blocks(caller, &place, id).await?,
    };
    let (text, cut) = clip(text, caller.client.limits.text_bytes_max);
    let field = |name: &str| head[name].as_str().unwrap_or_default().to_owned();
    Ok(Page {
        id: id.clone(),
        title: title(&head["properties"]),
        text,
        truncated: truncated || cut,
        url: field("url"),
        last_edited: field("last_edited_time"),
    })
}

/// Notion's own Markdown of a page.
enum Own {
    Whole(String),
    Partial(String),
    Missing,
}

async fn own_markdown(caller: &Caller<'_>, place: &str, id: &Id) -> Result<Own, NotionFault> {
    let answer = match caller.get(place, &format!("/v1/pages/{id}/markdown")).await {
        Ok(answer) => answer,
        Err(failed) if is_missing(&failed) => return Ok(Own::Missing),
        Err(failed) => return Err(failed.into()),
    };
    Ok(match answer["markdown"].as_str().map(notion_markdown::plain) {
        Some(text) if is_partial(&answer) => Own::Partial(text),
        Some(text) => Own::Whole(text),
        None => Own::Missing,
    })
}

/// The text, and whether a limit has cut it.
async fn by_blocks(caller: &Caller<'_>, place: &str, id: &Id) -> Result<(String, bool), Failed> {
    let tree = tree::below(caller, place, id.as_str()).await?;
    Ok((markdown::of_blocks(&tree.blocks), tree.cut))
}

/// Notion's Markdown drops bookmarks and embeds; the blocks have their addresses.
fn is_partial(answer: &Value) -> bool {
    let unknown = answer["unknown_block_ids"].as_array().is_some_and(|ids| !ids.is_empty());
    let text = answer["markdown"].as_str().unwrap_or_default();
    answer["truncated"] == true || unknown || text.contains("<unknown ")
}

/// The page itself was found just now, so "not found" can only mean its Markdown.
fn is_missing(failed: &Failed) -> bool {
    let is_broken = matches!(failed.fault.kind, Kind::NotFound | Kind::Unavailable);
    is_broken || matches!(failed.code.as_str(), "invalid_request_url" | "validation_error")
}

/// The property that is the title, whatever it is called.
fn title(properties: &Value) -> String {
    let properties = properties.as_object().into_iter().flatten().map(|(_, property)| property);
    let found = properties.into_iter().find(|property| property["type"] == "title");
    found.map(|property| markdown::plain(&property["title"])).unwrap_or_default()
}

fn clip(mut text: String, bytes_max: usize) -> (String, bool) {
    if text.len() <= bytes_max {
        return (text, false);
    }
    text.truncate(text.floor_char_boundary(bytes_max));
    (text, true)
}
