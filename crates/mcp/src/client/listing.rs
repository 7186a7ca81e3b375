//! Reads a server's tool list entry by entry, so that a bad entry affects only itself.

use rmcp::model::{
    ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool as Listed,
};
use rmcp::service::ServiceError;
use rmcp::{Peer, RoleClient};
use serde_json::{Map, Value};

use super::connection::error_text::request_error;
use super::connection::fault::ConnectionFault;
use super::definition::Definition;
use super::oauth::refusal_of;
use super::sanitize::sanitize;
use super::server_config::ServerConfig;

/// The readable definitions of a server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listing {
    pub tools: Vec<Definition>,
    /// The entries that were left out and why, for people.
    pub left_out: Vec<String>,
}

const PAGES_MAX: usize = 50;
const TOOLS_MAX: usize = 500;
/// How many of them are reported.
const LEFT_OUT_MAX: usize = 50;
const NAME_CHARS_MAX: usize = 80;
/// The fields of a definition; faults in other fields are ignored.
const READ: [&str; 6] =
    ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];

impl Listing {
    /// Fetches the whole list, within limits.
    pub(crate) async fn ask(
        peer: &Peer<RoleClient>,
        config: &ServerConfig,
    ) -> Result<Self, ConnectionFault> {
        let (mut listing, mut cursor) = (Self::default(), None);
        for _ in 0..PAGES_MAX {
            let page = PaginatedRequestParams::default().with_cursor(cursor);
            let fault = |fault: ServiceError| match refusal_of(&fault) {
                Some(refusal) => refusal.fault(config),
                None => ConnectionFault::NoList(request_error(&fault)),
            };
            cursor = match peer.list_tools(Some(page.clone())).await {
                Ok(listed) => {
                    listing.tools.extend(listed.tools.into_iter().map(Definition::of));
                    listed.next_cursor
                }
                // The page does not match the protocol, so its entries are read one by one.
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
        listing.leave_out(format!("the list is too long; only its first {read} tools are read"));
        Ok(listing)
    }

    /// Reads one page entry by entry; returns the cursor of the next.
    fn read(&mut self, page: ServerResult) -> Result<Option<String>, ConnectionFault> {
        let no_list = |why: &str| ConnectionFault::NoList(why.to_owned());
        if let ServerResult::ListToolsResult(listed) = page {
            self.tools.extend(listed.tools.into_iter().map(Definition::of));
            return Ok(listed.next_cursor);
        }
        let ServerResult::CustomResult(page) = page else {
            return Err(no_list("its answer to `tools/list` is of another type"));
        };
        let Some(entries) = page.0.get("tools").and_then(Value::as_array) else {
            return Err(no_list("its answer to `tools/list` has no array `tools`"));
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
        Some(name) if !name.is_empty() => format!("`{}`", sanitize(name, NAME_CHARS_MAX)),
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
    read.map(Definition::of).map_err(|fault| sanitize(&fault.to_string(), 200))
}

/// Common mistakes, with clearer messages than serde's.
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
