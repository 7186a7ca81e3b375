//! What the program looks up before the first draft: past posts, a page of notes.

use pen::Platform;
use pen::posts::{FoundPost, Query};
use pen::request::Request;
use pen::text::words;
use serde_json::{Value, json};

use super::super::context::PenContext;
use super::conversation::DeskTalk;
use crate::exit::Failure;

/// So many old posts are shown to the model.
const PAST_MAX: usize = 3;
const WORD_LETTERS_MIN: usize = 4;

/// Posts about the same topic, with their whole texts for the check against copying.
pub(super) struct Past {
    pub found: Vec<FoundPost>,
    pub texts: Vec<String>,
}

pub(super) async fn past_posts(ctx: &PenContext, talk: &mut DeskTalk, request: &Request) -> Past {
    let long = words(&request.topic).filter(|word| word.text.chars().count() >= WORD_LETTERS_MIN);
    let keywords: Vec<String> = long.map(|word| word.text.to_owned()).take(10).collect();
    if keywords.is_empty() || ctx.pen.posts().count() == 0 {
        return Past { found: Vec::new(), texts: Vec::new() };
    }
    let args = json!({ "keywords": keywords, "limit": PAST_MAX });
    let settled = talk.run("read_past_posts", args).await;
    let total = settled.outcome.ok().and_then(|data| data.get("total_found")?.as_u64());
    talk.preview.step("read_past_posts", &total.unwrap_or_default().to_string());
    let query = Query { keywords, platform: None::<Platform>, limit: PAST_MAX };
    let (found, _) = ctx.pen.posts().search(&query);
    let texts = found.iter().filter_map(|post| ctx.pen.posts().text(&post.file)).collect();
    Past { found, texts }
}

/// The page that the writer named.
pub(super) async fn notes(
    ctx: &PenContext,
    talk: &mut DeskTalk,
    page: &str,
) -> Result<String, Failure> {
    let paste = ctx.text(
        "вставте текст у тему, або задайте NOTION_TOKEN і перевірте адресу",
        "paste the text into the topic, or set NOTION_TOKEN and check the address",
    );
    let settled = talk.run("read_notion_page", json!({ "page_id": page })).await;
    let data = settled.outcome.map_err(|error| {
        let not_set_up = ctx.pen.remote().notion.is_none();
        let what = match not_set_up {
            true => ctx.text("Notion не налаштований", "Notion is not set up").to_owned(),
            false => error.message,
        };
        Failure::message(what, paste)
    })?;
    let text = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    if data.get("success") != Some(&Value::Bool(true)) {
        return Err(Failure::message(text("message"), paste));
    }
    talk.preview.step("read_notion_page", &text("title"));
    Ok(text("content"))
}
