//! Three tools that use the network: web search and Notion. Each has an offline fallback.

use hosts::native::{NativeContext, NativeHost};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::handlers::{not_grounded, profile_used, save, text};
use super::{Pen, answer, conversation_of, failed};
use crate::clock::Now;
use crate::remote::{NOTION_TIME_MAX, NewPage, RESULTS_MAX, RemoteFault, SEARCH_TIME_MAX};

pub(super) fn add_to(host: &mut NativeHost, pen: &Pen) {
    let searching = pen.clone();
    host.add("search_web", move |args: Value, _context: NativeContext| {
        let pen = searching.clone();
        async move { Ok(answer(search_web(&pen, &args).await)) }
    });
    let reading = pen.clone();
    host.add("read_notion_page", move |args: Value, _context: NativeContext| {
        let pen = reading.clone();
        async move { Ok(answer(read_notion_page(&pen, &args).await)) }
    });
    let writing = pen.clone();
    host.add("write_to_notion", move |args: Value, context: NativeContext| {
        let pen = writing.clone();
        async move { Ok(answer(write_to_notion(&pen, &args, &conversation_of(&context)).await)) }
    });
}

async fn search_web(pen: &Pen, args: &Value) -> Value {
    let unavailable = || {
        let message = pen.inner.lang.pick(
            "Пошук недоступний, генерую без зовнішніх даних",
            "Search is not available; going on without outside facts",
        );
        failed("search_unavailable", message)
    };
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

fn not_configured(pen: &Pen) -> RemoteFault {
    let message = pen.inner.lang.pick(
        "Notion не налаштований. Додайте NOTION_TOKEN і NOTION_DATABASE_ID до середовища.",
        "Notion is not set up. Put NOTION_TOKEN and NOTION_DATABASE_ID into the environment.",
    );
    RemoteFault { code: "notion_not_configured".to_owned(), message: message.to_owned() }
}

fn too_slow() -> RemoteFault {
    RemoteFault {
        code: "notion_timeout".to_owned(),
        message: "Notion did not answer in time".to_owned(),
    }
}

async fn read_notion_page(pen: &Pen, args: &Value) -> Value {
    let read = match &pen.remote().notion {
        None => Err(not_configured(pen)),
        Some(notion) => {
            let read = timeout(NOTION_TIME_MAX, notion.read_page(text(args, "page_id"))).await;
            read.unwrap_or_else(|_| Err(too_slow()))
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

async fn write_to_notion(pen: &Pen, args: &Value, conversation: &str) -> Value {
    let version = match pen.grounded(conversation, profile_used(args)) {
        Ok(version) => version,
        Err(missing) => return not_grounded(&missing),
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
            written.unwrap_or_else(|_| Err(too_slow()))
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

/// The fallback: saves the text here, unless it was just saved.
async fn kept_locally(pen: &Pen, args: &Value, version: u64, fault: &RemoteFault) -> Value {
    let known = {
        let memory = pen.memory();
        let same = memory.saved.as_ref().filter(|(saved, _)| saved == text(args, "content"));
        same.map(|(_, path)| path.display().to_string())
    };
    let (pen_then, args_then) = (pen.clone(), args.clone());
    let saved = match known {
        Some(path) => Ok(path),
        None => tokio::task::spawn_blocking(move || save(&pen_then, &args_then, version))
            .await
            .unwrap_or_else(|_| Err(failed("internal", "the tool broke down"))),
    };
    let locally = pen.inner.lang.pick("зберігаю локально", "saved here instead");
    match saved {
        Ok(path) => json!({
            "success": false,
            "error": fault.code,
            "message": format!("{}; {locally}", fault.message.trim_end_matches('.')),
            "file_path": path,
        }),
        Err(refused) => refused,
    }
}
