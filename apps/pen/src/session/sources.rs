//! What the session looks up before the first draft: past posts, texts that must not be copied,
//! and a Notion page.

use serde_json::{Value, json};

use super::Shown;
use super::draft::Started;
use super::ports::{Conversation, SessionFault, View};
use super::profile_gate::ReadProfile;
use crate::posts::length::Platform;
use crate::posts::{FoundPost, Query};
use crate::text::language::Lang;
use crate::text::words;
use crate::tools::Pen;

/// Past posts that the model is shown.
pub(super) const PAST_MAX: usize = 3;
const WORD_LETTERS_MIN: usize = 4;
const KEYWORDS_MAX: usize = 10;
/// Saved posts that a draft is compared with, those with the most words in common.
const SIMILAR_MAX: usize = 20;

/// Posts about the same topic, and texts that a draft must not repeat.
#[derive(Default)]
pub(super) struct Sources {
    pub found: Vec<FoundPost>,
    /// Examples of the other profiles.
    examples: Vec<String>,
}

impl Sources {
    pub(super) async fn find<C, V>(
        started: &Started,
        profile: &ReadProfile,
        pen: &Pen,
        conversation: &mut C,
        view: &mut V,
    ) -> Result<Self, V::Fault>
    where
        C: Conversation<Fault = V::Fault>,
        V: View,
    {
        let examples = pen.workspace().examples_except(profile.profile().name());
        let keywords = keywords(&started.topic);
        if keywords.is_empty() || pen.posts().count() == 0 {
            return Ok(Self { found: Vec::new(), examples });
        }
        let args = json!({ "keywords": &keywords, "limit": PAST_MAX });
        let data = conversation.run("read_past_posts", args).await;
        let total = data.ok().and_then(|data| data.get("total_found")?.as_u64());
        let result = total.unwrap_or_default().to_string();
        view.show(&Shown::Step { tool: "read_past_posts".to_owned(), result })?;
        Ok(Self { found: past_posts(&started.topic, pen), examples })
    }

    /// Every text that this draft must not repeat, besides the profile's own examples. The files
    /// in which it was saved itself do not count.
    pub(super) fn not_to_copy(&self, draft: &str, own: &[String], pen: &Pen) -> Vec<String> {
        let mut texts = self.examples.clone();
        texts.extend(pen.posts().similar(draft, SIMILAR_MAX, own));
        texts
    }
}

/// The posts about this topic.
pub(super) fn past_posts(topic: &str, pen: &Pen) -> Vec<FoundPost> {
    let keywords = keywords(topic);
    match keywords.is_empty() {
        true => Vec::new(),
        false => {
            let query = Query { keywords, platform: None::<Platform>, limit: PAST_MAX };
            pen.posts().search(&query).0
        }
    }
}

/// The words of a topic that past posts are searched for.
fn keywords(topic: &str) -> Vec<String> {
    let long = words(topic).filter(|word| word.text.chars().count() >= WORD_LETTERS_MIN);
    long.map(|word| word.text.to_owned()).take(KEYWORDS_MAX).collect()
}

/// The content of a Notion page.
pub(super) async fn notion_page<C, V>(
    page: &str,
    (pen, lang): (&Pen, Lang),
    conversation: &mut C,
    view: &mut V,
) -> Result<String, V::Fault>
where
    C: Conversation<Fault = V::Fault>,
    V: View,
{
    let result = conversation.run("read_notion_page", json!({ "page_id": page })).await;
    let data = result.map_err(|failure| {
        let key = match pen.remote().notion.is_none() {
            true => "session.paste_or_set_up",
            false => "session.paste_or_check",
        };
        view.fault(SessionFault::message(failure.text(), lang.say(key)))
    })?;
    let text = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    view.show(&Shown::Step { tool: "read_notion_page".to_owned(), result: text("title") })?;
    Ok(text("content"))
}
