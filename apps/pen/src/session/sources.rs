//! What the session looks up before the first draft: past posts, and a Notion page.

use serde_json::{Value, json};

use super::ports::{Author, Conversation, SessionFault};
use super::request::Request;
use crate::posts::length::Platform;
use crate::posts::{FoundPost, Query};
use crate::text::language::Lang;
use crate::text::words;
use crate::tools::Pen;

/// Past posts that the model is shown.
const PAST_MAX: usize = 3;
const WORD_LETTERS_MIN: usize = 4;

/// Posts about the same topic, with their whole texts for the check against copying.
#[derive(Default)]
pub(super) struct PastPosts {
    pub found: Vec<FoundPost>,
    pub texts: Vec<String>,
}

pub(super) async fn past_posts<C, A>(
    request: &Request,
    pen: &Pen,
    conversation: &mut C,
    author: &mut A,
) -> PastPosts
where
    C: Conversation<Fault = A::Fault>,
    A: Author,
{
    let long = words(&request.topic).filter(|word| word.text.chars().count() >= WORD_LETTERS_MIN);
    let keywords: Vec<String> = long.map(|word| word.text.to_owned()).take(10).collect();
    if keywords.is_empty() || pen.posts().count() == 0 {
        return PastPosts::default();
    }
    let args = json!({ "keywords": keywords, "limit": PAST_MAX });
    let data = conversation.run("read_past_posts", args).await;
    let total = data.ok().and_then(|data| data.get("total_found")?.as_u64());
    author.step("read_past_posts", &total.unwrap_or_default().to_string());
    let query = Query { keywords, platform: None::<Platform>, limit: PAST_MAX };
    let (found, _) = pen.posts().search(&query);
    let texts = found.iter().filter_map(|post| pen.posts().text(&post.file)).collect();
    PastPosts { found, texts }
}

/// The content of a Notion page.
pub(super) async fn notion_page<C, A>(
    page: &str,
    (pen, lang): (&Pen, Lang),
    conversation: &mut C,
    author: &mut A,
) -> Result<String, A::Fault>
where
    C: Conversation<Fault = A::Fault>,
    A: Author,
{
    let paste = lang.pick(
        "вставте текст у тему, або задайте NOTION_TOKEN і перевірте адресу",
        "paste the text into the topic, or set NOTION_TOKEN and check the address",
    );
    let data = conversation.run("read_notion_page", json!({ "page_id": page })).await;
    let data = data.map_err(|message| {
        let what = match pen.remote().notion.is_none() {
            true => lang.pick("Notion не налаштований", "Notion is not set up").to_owned(),
            false => message,
        };
        author.fault(SessionFault::message(what, paste))
    })?;
    let text = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    if data.get("success") != Some(&Value::Bool(true)) {
        return Err(author.fault(SessionFault::message(text("message"), paste)));
    }
    author.step("read_notion_page", &text("title"));
    Ok(text("content"))
}
