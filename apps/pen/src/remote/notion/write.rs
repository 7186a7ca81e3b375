//! Writes a page: created with its first blocks, then the rest in order.
//!
//! Must hold: after a lost answer a request is repeated only if the page is not there; when the
//! rest fails, the fault names the page.

use serde_json::{Value, json};

use super::blocks;
use super::call::{Ask, Caller, Failed, Then};
use super::duplicates::{self, Duplicates};
use super::fault;
use super::fault::Partial;
use super::parent::{self, ResolvedParent};
use super::properties;
use super::tree;
use super::{Id, Notice, NotionFault, Text, Write, Written};

pub(crate) async fn write(caller: &Caller<'_>, write: &Write) -> Result<Written, NotionFault> {
    let Write { parent, title, text, properties } = write;
    // One line, so that the page can be found by exactly this title.
    let title = title.replace(char::is_control, " ");
    let title = title.trim();
    let at = format!("new page `{}`", fault::clip(title));
    if title.is_empty() {
        return Err(fault::no_title(&at));
    }
    let mut notices = Vec::new();
    let place = parent::find(caller, parent, &mut notices).await?;
    let properties = properties::spell(&place, title, properties, &mut notices);
    let known = duplicates::before(caller, &at, &place, title).await?;
    let making = Making { caller, at: &at, place: &place, title, known };
    let head = json!({ "parent": place.parent(), "properties": properties });
    if let Text::Markdown(text) = text
        && text.len() <= blocks::REQUEST_TEXT_BYTES_MAX
    {
        let mut body = head.clone();
        body["markdown"] = text.as_str().into();
        match making.create(&body).await {
            Ok(page) => return written(&at, &page, notices),
            Err(failed) if takes_no_markdown(&failed) => {}
            Err(failed) => return Err(failed.into()),
        }
    }
    let mut batches = blocks::batches(blocks::of_text(text)).into_iter();
    let mut body = head;
    body["children"] = batches.next().unwrap_or_default().into();
    let mut there = body["children"].as_array().map_or(0, Vec::len);
    let page = written(&at, &making.create(&body).await?, notices)?;
    let rest: Vec<_> = batches.collect();
    let blocks_of = there + rest.iter().map(Vec::len).sum::<usize>();
    for batch in rest {
        let count = batch.len();
        if let Err(failed) = making.append(&page.id, there, batch).await {
            let partial = Partial { page, blocks: there, blocks_of };
            let mut fault = failed.fault;
            fault.what = format!("{} of {blocks_of} blocks are written: {}", there, fault.what);
            fault.written = Some(Box::new(partial));
            return Err(fault);
        }
        there += count;
    }
    Ok(page)
}

/// A server that does not know the field rejects it; the page was not created then.
fn takes_no_markdown(failed: &Failed) -> bool {
    failed.code == "validation_error" && failed.fault.what.contains("markdown")
}

fn written(at: &str, page: &Value, notices: Vec<Notice>) -> Result<Written, NotionFault> {
    let id = page["id"].as_str().and_then(Id::of_page);
    let id = id.ok_or_else(|| fault::garbled(at, "a page without an id"))?;
    let url = page["url"].as_str().unwrap_or_default().to_owned();
    Ok(Written { id, url, notices })
}

/// A page that is being created.
struct Making<'a> {
    caller: &'a Caller<'a>,
    at: &'a str,
    place: &'a ResolvedParent,
    title: &'a str,
    /// The earlier pages of that title; `None` without the right to read.
    known: Option<Duplicates>,
}

impl Making<'_> {
    async fn create(&self, body: &Value) -> Result<Value, Failed> {
        let ask = Ask { method: "POST", path: "/v1/pages", body: Some(body), place: self.at };
        let mut tries = 0;
        loop {
            let failed = match self.caller.once(&ask).await {
                Ok(page) => return Ok(page),
                Err(failed) => failed,
            };
            let then = failed.then;
            let failed = match self.caller.pause(&mut tries, failed).await {
                Ok(failed) => failed,
                Err(failed) => return Err(self.after_all(failed)),
            };
            if then == Then::Again {
                continue;
            }
            match self.find_new().await {
                Ok(Some(page)) => return Ok(page),
                Ok(None) if then == Then::LookFirst && self.known.is_some() => {}
                Ok(None) | Err(_) => return Err(self.after_all(failed)),
            }
        }
    }

    /// Marks a fault after which the page may exist.
    fn after_all(&self, failed: Failed) -> Failed {
        match failed.then {
            Then::LookFirst | Then::Leave => fault::unsure(self.at, &failed.fault).into(),
            Then::Again | Then::Stop => failed,
        }
    }

    /// The new page of that title.
    async fn find_new(&self) -> Result<Option<Value>, Failed> {
        let Some(known) = &self.known else { return Ok(None) };
        let now = duplicates::find(self.caller, self.at, self.place, self.title).await?;
        match now.difference(known).next() {
            Some(id) => self.caller.get(self.at, &format!("/v1/pages/{id}")).await.map(Some),
            None => Ok(None),
        }
    }

    /// Adds blocks after the `there` existing ones.
    async fn append(&self, page: &Id, there: usize, batch: Vec<Value>) -> Result<(), Failed> {
        let count = batch.len();
        let body = json!({ "children": batch });
        let path = format!("/v1/blocks/{page}/children");
        let ask = Ask { method: "PATCH", path: &path, body: Some(&body), place: self.at };
        let mut tries = 0;
        loop {
            let failed = match self.caller.once(&ask).await {
                Ok(_) => return Ok(()),
                Err(failed) => self.caller.pause(&mut tries, failed).await?,
            };
            if failed.then == Then::Again {
                continue;
            }
            let found =
                tree::list(self.caller, self.at, page.as_str(), tree::CHILDREN_MAX).await?.len();
            match (failed.then, found) {
                (_, found) if found == there + count => return Ok(()),
                (Then::LookFirst, found) if found == there => {}
                (_, _) => return Err(failed),
            }
        }
    }
}
