//! Three tools that use the network: web search and Notion. Each has an offline fallback.

use serde_json::{Value, json};
use tokio::time::timeout;

use super::handlers::{profile_used, save, text};
use super::{Pen, blocking, failed};
use crate::clock::Now;
use crate::posts::length::Platform;
use crate::remote::{NOTION_TIME_MAX, NewPage, RESULTS_MAX, RemoteFault, SEARCH_TIME_MAX};

pub(super) async fn search_web(pen: &Pen, args: &Value, _conversation: &str) -> Value {
    let unavailable = || failed("search_unavailable", pen.lang().say("session.no_search"));
    let Some(search) = &pen.remote().search else { return unavailable() };
    let query = text(args, "query");
    match timeout(SEARCH_TIME_MAX, search.search(query, RESULTS_MAX)).await {
        Ok(Ok(mut results)) => {
            results.truncate(RESULTS_MAX);
            json!({ "success": true, "results": results })
        }
        Ok(Err(fault)) => {
            tracing::info!(code = fault.code, "a search gave nothing");
            unavailable()
        }
        Err(_) => unavailable(),
    }
}

/// The code of a missing setting.
const NOT_CONFIGURED: &str = "notion_not_configured";

fn not_configured(pen: &Pen) -> RemoteFault {
    let message = pen.lang().fill("notion.not_configured", &[("name", &"NOTION_TOKEN")]);
    RemoteFault { code: NOT_CONFIGURED.to_owned(), message }
}

fn too_slow(pen: &Pen) -> RemoteFault {
    let message = pen.lang().say("notion.timed_out").to_owned();
    RemoteFault { code: "notion_timeout".to_owned(), message }
}

pub(super) async fn read_notion_page(pen: &Pen, args: &Value, _conversation: &str) -> Value {
    let read = match &pen.remote().notion {
        None => Err(not_configured(pen)),
        Some(notion) => {
            let read = timeout(NOTION_TIME_MAX, notion.read_page(text(args, "page_id"))).await;
            read.unwrap_or_else(|_| Err(too_slow(pen)))
        }
    };
    match read {
        Ok(page) => json!({
            "success": true,
            "title": page.title,
            "content": page.text,
            "last_edited": page.last_edited,
            "truncated": page.truncated,
        }),
        Err(fault) => failed(&fault.code, &fault.message),
    }
}

pub(super) async fn write_to_notion(pen: &Pen, args: &Value, conversation: &str) -> Value {
    let version = match pen.grounded(conversation, profile_used(args)).await {
        Ok(version) => version,
        Err(refused) => return refused,
    };
    let written = match &pen.remote().notion {
        None => Err(not_configured(pen)),
        Some(notion) => {
            let page = NewPage {
                title: text(args, "title").to_owned(),
                text: text(args, "content").to_owned(),
                platform: text(args, "platform").to_owned(),
                topic: text(args, "topic").to_owned(),
                profile: profile_used(args).to_owned(),
                created: Now::read().date(),
            };
            let written = timeout(NOTION_TIME_MAX, notion.write_page(&page)).await;
            written.unwrap_or_else(|_| Err(too_slow(pen)))
        }
    };
    match written {
        Ok(written) => {
            let mut data = json!(written);
            data["success"] = json!(true);
            data
        }
        Err(fault) => kept_locally(pen, args, version, &fault).await,
    }
}

/// The fallback: saves the text here, unless it is saved already.
async fn kept_locally(pen: &Pen, args: &Value, version: u64, fault: &RemoteFault) -> Value {
    let args = args.clone();
    let saved = blocking(pen, move |pen| match saved_before(pen, &args) {
        Some(path) => Ok(path),
        None => save(pen, &args, version),
    });
    let path = match saved.await {
        Ok(Ok(path)) => path,
        Ok(Err(refused)) | Err(refused) => return refused,
    };
    let key = match fault.code.as_str() {
        NOT_CONFIGURED => "notion.not_configured_kept",
        _ => "notion.failed_kept",
    };
    let why = fault.message.trim_end_matches('.');
    let message = pen.lang().fill(key, &[("why", &why)]);
    json!({ "success": false, "error": fault.code, "message": message, "file_path": path })
}

/// Where this very post was saved today. Looked up on the disk, so that it holds for every process.
fn saved_before(pen: &Pen, args: &Value) -> Option<String> {
    let platform = text(args, "platform").parse::<Platform>().ok()?;
    let (content, topic) = (text(args, "content"), text(args, "topic"));
    let found = pen.workspace().saved_as(content, topic, platform, Now::read())?;
    Some(found.display().to_string())
}
