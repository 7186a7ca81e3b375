//! Answers one request from the workspace, with injected faults.

use serde_json::{Value, json};

use super::workspace::Workspace;
use super::{TOKEN, Trip, check};
use crate::web::WebAnswer;
use fake_providers::RecordedRequest;

const VERSIONS: [&str; 3] = ["2022-06-28", "2025-09-03", "2026-03-11"];
const PAGE_SIZE_MAX: usize = 100;

pub(super) fn answer(workspace: &mut Workspace, request: &RecordedRequest) -> WebAnswer {
    let line = format!("{} {}", request.method, request.path);
    let tripped = workspace.trips.iter().position(|(on, _)| shown(request).starts_with(on));
    let Some(place) = tripped else { return done(workspace, request) };
    let (_, trip) = workspace.trips.remove(place);
    match trip {
        Trip::Says { status, code, retry_after } => {
            let answer = refused(status, code, &format!("{code}, as the test requests, at {line}"));
            match retry_after {
                Some(seconds) => answer.with("retry-after", &seconds.to_string()),
                None => answer,
            }
        }
        Trip::RequestLost => WebAnswer::Lost,
        Trip::Silent(gate) => WebAnswer::Silent(gate),
        Trip::AnswerLost => {
            done(workspace, request);
            WebAnswer::Lost
        }
        Trip::DoneButSays { status } => {
            done(workspace, request);
            WebAnswer::json(status, &json!("a gateway's page"))
        }
        Trip::DoneButSilent(gate) => {
            done(workspace, request);
            WebAnswer::Silent(gate)
        }
    }
}

/// `GET /v1/pages/:id/markdown`
pub(super) fn shown(request: &RecordedRequest) -> String {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let part = |part: &str| if part.len() == 36 { ":id".to_owned() } else { part.to_owned() };
    let path: Vec<_> = path.split('/').map(part).collect();
    let more = if query.contains("start_cursor") { " next" } else { "" };
    format!("{} {}{more}", request.method, path.join("/"))
}

fn done(workspace: &mut Workspace, request: &RecordedRequest) -> WebAnswer {
    if request.header("authorization") != Some(&format!("Bearer {TOKEN}")) {
        return refused(401, "unauthorized", "API token is invalid.");
    }
    if !request.header("notion-version").is_some_and(|version| VERSIONS.contains(&version)) {
        return refused(400, "missing_version", "Notion-Version header should be defined.");
    }
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let found = match (request.method.as_str(), parts.as_slice()) {
        ("GET", ["v1", "pages", id]) => workspace.pages.get(*id).cloned().ok_or((*id, "page")),
        ("GET", ["v1", "databases", id]) => {
            workspace.databases.get(*id).cloned().ok_or((*id, "database"))
        }
        ("GET", ["v1", "data_sources", id]) => {
            workspace.sources.get(*id).cloned().ok_or((*id, "data_source"))
        }
        ("GET", ["v1", "blocks", id, "children"]) => return children(workspace, id, query),
        ("GET", ["v1", "pages", id, "markdown"]) if workspace.knows_markdown => {
            markdown(workspace, id).ok_or((*id, "page"))
        }
        ("POST", ["v1", "data_sources", id, "query"]) => {
            let wanted = &request.body["filter"]["title"]["equals"];
            return listed(&workspace.rows(id, wanted), 0, PAGE_SIZE_MAX);
        }
        ("POST", ["v1", "pages"]) => return create(workspace, request),
        ("PATCH", ["v1", "blocks", id, "children"]) => return append(workspace, id, request),
        _ => return refused(400, "invalid_request_url", "Invalid request URL."),
    };
    match found {
        Ok(object) => WebAnswer::json(200, &object),
        Err((id, kind)) => not_found(id, kind),
    }
}

fn not_found(id: &str, kind: &str) -> WebAnswer {
    let message = format!(
        "Could not find {kind} with ID: {id}. Make sure the relevant pages and databases are \
         shared with your integration \"ghosthand\"."
    );
    refused(404, "object_not_found", &message)
}

fn refused(status: u16, code: &str, message: &str) -> WebAnswer {
    WebAnswer::json(
        status,
        &json!({ "object": "error", "status": status, "code": code, "message": message,
                 "request_id": "d7a11923-e694-4dea-9924-468fe422c571" }),
    )
}

fn invalid(why: &str) -> WebAnswer {
    refused(400, "validation_error", why)
}

fn listed(all: &[Value], start: usize, size: usize) -> WebAnswer {
    let end = all.len().min(start + size);
    let next = all.get(end).map(|block| block["id"].clone());
    WebAnswer::json(
        200,
        &json!({ "object": "list", "results": all.get(start..end), "next_cursor": next,
                 "has_more": next.is_some() }),
    )
}

fn children(workspace: &Workspace, id: &str, query: &str) -> WebAnswer {
    let value = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
    };
    let none = Vec::new();
    let is_block = workspace.children.values().flatten().any(|block| block["id"] == id);
    let all = match workspace.children.get(id) {
        Some(all) => all,
        None if workspace.pages.contains_key(id) || is_block => &none,
        None => return not_found(id, "block"),
    };
    let size = value("page_size").and_then(|size| size.parse().ok()).unwrap_or(PAGE_SIZE_MAX);
    let start = match value("start_cursor") {
        None => Some(0),
        Some(cursor) => all.iter().position(|block| block["id"] == cursor),
    };
    match (start, size) {
        (Some(start), 1..=PAGE_SIZE_MAX) => listed(all, start, size),
        (_, _) => invalid("The start_cursor or page_size provided is invalid."),
    }
}

fn markdown(workspace: &Workspace, id: &str) -> Option<Value> {
    workspace.pages.get(id)?;
    let texts = || {
        let blocks = workspace.children.get(id).into_iter().flatten();
        blocks.map(super::workspace::text_of).collect::<Vec<_>>().join("\n")
    };
    let stored = workspace.markdown.get(id).cloned();
    let (text, truncated) = stored.unwrap_or_else(|| (texts(), false));
    Some(json!({ "object": "page_markdown", "id": id, "markdown": text, "truncated": truncated,
                 "unknown_block_ids": [] }))
}

fn create(workspace: &mut Workspace, request: &RecordedRequest) -> WebAnswer {
    let RecordedRequest { body, bytes, .. } = request;
    let parent = &body["parent"];
    let id = parent["data_source_id"].as_str().or(parent["page_id"].as_str()).unwrap_or_default();
    let columns = match parent["data_source_id"].is_string() {
        true => workspace.sources.get(id).map(|source| source["properties"].clone()),
        false => workspace.pages.get(id).map(|_| json!({ "title": { "type": "title" } })),
    };
    let Some(columns) = columns else { return not_found(id, "data_source") };
    let blocks = match (body["markdown"].as_str(), body.get("children")) {
        (Some(_), _) if !workspace.knows_markdown => {
            return invalid("body.markdown should be not present, instead was a string.");
        }
        (Some(_), Some(_)) => {
            return invalid("body.markdown and body.children exclude each other.");
        }
        (Some(text), None) => {
            let lines = text.lines().filter(|line| !line.is_empty());
            let block =
                |line| json!({ "paragraph": { "rich_text": [{ "text": { "content": line } }] } });
            lines.map(block).collect()
        }
        (None, children) => children.cloned().unwrap_or_default(),
    };
    let checked = check::properties(&columns, &body["properties"]);
    let is_markdown = body["markdown"].is_string();
    let checked = checked.and_then(|()| match is_markdown {
        true => Ok(()),
        false => check::blocks(bytes, &blocks),
    });
    match checked {
        Ok(()) => WebAnswer::json(200, &workspace.make_page(parent, &body["properties"], &blocks)),
        Err(why) => invalid(&why),
    }
}

fn append(workspace: &mut Workspace, id: &str, request: &RecordedRequest) -> WebAnswer {
    if !workspace.pages.contains_key(id) {
        return not_found(id, "block");
    }
    if let Err(why) = check::blocks(&request.bytes, &request.body["children"]) {
        return invalid(&why);
    }
    let added = workspace.append(id, &request.body["children"]);
    listed(&added, 0, PAGE_SIZE_MAX)
}
