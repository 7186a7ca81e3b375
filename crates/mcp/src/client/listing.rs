//! What a server says it has, entry by entry: a bad one is named and costs only itself.

use rmcp::model::{
    ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool as Listed,
};
use rmcp::service::ServiceError;
use rmcp::{Peer, RoleClient};
use serde_json::{Map, Value};

use super::clean::clean;
use super::definition::Definition;
use super::line_fault::LineFault;
use super::neighbour::Neighbour;
use super::oauth::refusal_of;
use super::unreachable::why_not_answered;

/// The definitions of a server that can be read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listing {
    pub tools: Vec<Definition>,
    /// For people: the entries that cannot, and why.
    pub left_out: Vec<String>,
}

const PAGES_MAX: usize = 50;
const TOOLS_MAX: usize = 500;
/// Entries that are said one by one.
const LEFT_OUT_MAX: usize = 50;
const NAME_CHARS_MAX: usize = 80;
/// What a definition is made of; a fault elsewhere in an entry changes nothing here.
const READ: [&str; 6] =
    ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];

impl Listing {
    /// Asks for everything a server has, within limits: a list without an end is cut.
    pub(super) async fn ask(
        peer: &Peer<RoleClient>,
        neighbour: &Neighbour,
    ) -> Result<Self, LineFault> {
        let (mut listing, mut cursor) = (Self::default(), None);
        for _ in 0..PAGES_MAX {
            let page = PaginatedRequestParams::default().with_cursor(cursor);
            let fault = |fault: ServiceError| match refusal_of(&fault) {
                Some(refusal) => refusal.fault(neighbour),
                None => LineFault::NoList(why_not_answered(&fault)),
            };
            cursor = match peer.list_tools(Some(page.clone())).await {
                Ok(listed) => {
                    listing.tools.extend(listed.tools.into_iter().map(Definition::of));
                    listed.next_cursor
                }
                // Something in the list is not as it should be: it is read again by hand.
                Err(ServiceError::UnexpectedResponse) => {
                    let request = ListToolsRequest::with_param(page);
                    let request = ClientRequest::ListToolsRequest(request);
                    listing.read(peer.send_request(request).await.map_err(fault)?)?
                }
                Err(other) => return Err(fault(other)),
            };
            if listing.tools.len() > TOOLS_MAX {
                break;
            }
            if cursor.is_none() {
                return Ok(listing);
            }
        }
        listing.tools.truncate(TOOLS_MAX);
        let read = listing.tools.len();
        listing.leave_out(format!("the list goes on; only its first {read} tools are read"));
        Ok(listing)
    }

    /// One page, entry by entry; gives the mark of the next page.
    fn read(&mut self, page: ServerResult) -> Result<Option<String>, LineFault> {
        let no_list = |why: &str| LineFault::NoList(why.to_owned());
        if let ServerResult::ListToolsResult(listed) = page {
            self.tools.extend(listed.tools.into_iter().map(Definition::of));
            return Ok(listed.next_cursor);
        }
        let ServerResult::CustomResult(page) = page else {
            return Err(no_list("it answers `tools/list` with something else"));
        };
        let Some(entries) = page.0.get("tools").and_then(Value::as_array) else {
            return Err(no_list("its answer to `tools/list` has no list of `tools`"));
        };
        for (index, entry) in entries.iter().enumerate() {
            match definition(entry) {
                Ok(definition) => self.tools.push(definition),
                Err(why) => self.leave_out(format!("{} is left out: {why}", named(entry, index))),
            }
        }
        let next = page.0.get("nextCursor").and_then(Value::as_str);
        Ok(next.filter(|cursor| !cursor.is_empty()).map(str::to_owned))
    }

    fn leave_out(&mut self, why: String) {
        if self.left_out.len() < LEFT_OUT_MAX {
            self.left_out.push(why);
        }
    }
}

fn named(entry: &Value, index: usize) -> String {
    match entry.get("name").and_then(Value::as_str) {
        Some(name) if !name.is_empty() => format!("`{}`", clean(name, NAME_CHARS_MAX)),
        Some(_) | None => format!("entry {} of its list", index + 1),
    }
}

fn definition(entry: &Value) -> Result<Definition, String> {
    let Value::Object(entry) = entry else { return Err("it is not an object".to_owned()) };
    check(entry)?;
    let known = |(key, _): &(&String, &Value)| READ.contains(&key.as_str());
    let known: Map<String, Value> =
        entry.iter().filter(known).map(|(key, value)| (key.clone(), value.clone())).collect();
    let read: Result<Listed, _> = serde_json::from_value(Value::Object(known));
    read.map(Definition::of).map_err(|fault| clean(&fault.to_string(), 200))
}

/// What is usually wrong, in words.
fn check(entry: &Map<String, Value>) -> Result<(), String> {
    let is_text =
        |key: &str| entry.get(key).is_none_or(|value| value.is_string() || value.is_null());
    match entry.get("name") {
        Some(Value::String(name)) if !name.is_empty() => {}
        Some(_) => return Err("its `name` is not a text".to_owned()),
        None => return Err("it has no `name`".to_owned()),
    }
    match entry.get("inputSchema") {
        Some(Value::Object(_)) => {}
        Some(_) => return Err("its `inputSchema` is not an object".to_owned()),
        None => return Err("it has no `inputSchema`".to_owned()),
    }
    if let Some(key) = ["title", "description"].into_iter().find(|key| !is_text(key)) {
        return Err(format!("its `{key}` is not a text"));
    }
    for key in ["outputSchema", "annotations"] {
        if entry.get(key).is_some_and(|value| !value.is_object() && !value.is_null()) {
            return Err(format!("its `{key}` is not an object"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
