//! Saves a draft that the author approved: a file first, then Notion.

use serde_json::{Value, json};

use super::{Next, Session, SessionEnd};
use crate::clock::Now;
use crate::intent::Intent;
use crate::session::draft::{DraftEvent, Question};
use crate::session::ports::{Conversation, View};
use crate::session::{EventKind, Shown};

const DONE: Next = Next::Done(SessionEnd::Done);

impl<C, V> Session<'_, C, V>
where
    C: Conversation<Fault = V::Fault>,
    V: View,
{
    /// Saves without the model. On failure the text is printed, so that it is not lost.
    pub(super) async fn save(&mut self, to_notion: bool) -> Result<Option<Next>, V::Fault> {
        let args = self.post();
        let result = self.conversation.run_approved("save_to_file", args).await?;
        let saved = result.map(|data| field(&data, "file_path"));
        let file = match saved {
            Ok(file) => file,
            Err(failure) => {
                let why = failure.text().to_owned();
                let text = match failure.field("error") {
                    Some("disk_error") => why.clone(),
                    Some(_) | None => self.lang.fill("session.save_failed", &[("why", &why)]),
                };
                self.view.show(&Shown::Message { text })?;
                self.message("session.copy_it")?;
                self.view.show(&Shown::Text { text: self.draft.text().to_owned() })?;
                self.log_event(EventKind::Error, json!({ "message": why })).await?;
                return Ok(Some(Next::Done(SessionEnd::NotSaved)));
            }
        };
        let label = self.lang.say("session.saved").to_owned();
        self.view.show(&Shown::Value { label, value: file.clone() })?;
        let data = json!({ "file": file, "text": self.draft.text(),
                           "shown": self.draft.model_text() });
        self.log_event(EventKind::Save, data).await?;
        self.keep(DraftEvent::Saved { file, at: Now::read().iso() }).await?;
        self.learn()?;
        self.offer_notion(to_notion).await
    }

    fn post(&self) -> Value {
        let topic: String = self.started.topic.chars().take(300).collect();
        json!({ "content": self.draft.text(), "platform": self.started.platform, "topic": topic,
                "profile_used": self.profile.used() })
    }

    /// Offers Notion if it is set up; if it is not but was requested, says what is missing.
    async fn offer_notion(&mut self, requested: bool) -> Result<Option<Next>, V::Fault> {
        let notion = self.pen.remote().notion.clone();
        match (&notion, requested) {
            (Some(notion), true) if notion.can_write() => self.write_to_notion().await,
            (Some(notion), false) if notion.can_write() => self.ask(Question::Notion).await,
            (Some(_), true) => {
                self.message("session.notion_no_database")?;
                Ok(Some(DONE))
            }
            (None, true) => {
                self.message("session.notion_not_set_up")?;
                Ok(Some(DONE))
            }
            (Some(_) | None, false) => Ok(Some(DONE)),
        }
    }

    pub(super) async fn answer_notion(&mut self, line: &str) -> Result<Option<Next>, V::Fault> {
        match Intent::of(line) {
            Some(Intent::Yes | Intent::Update | Intent::Save | Intent::SaveToNotion) => {
                self.keep(DraftEvent::Answered).await?;
                self.write_to_notion().await
            }
            Some(Intent::No | Intent::Later | Intent::Stop | Intent::Nothing) => {
                self.keep(DraftEvent::Answered).await?;
                Ok(Some(DONE))
            }
            _ => {
                self.message("session.yes_or_no")?;
                self.ask_again(&Question::Notion)?;
                Ok(Some(Next::Line))
            }
        }
    }

    async fn write_to_notion(&mut self) -> Result<Option<Next>, V::Fault> {
        let mut args = self.post();
        args["title"] = json!(self.started.topic.chars().take(200).collect::<String>());
        let result = self.conversation.run_approved("write_to_notion", args).await?;
        let data = match result {
            Ok(data) => {
                let value = field(&data, "notion_url");
                self.view.show(&Shown::Value { label: "Notion:".to_owned(), value })?;
                let notices = data.get("notices").and_then(Value::as_array);
                for notice in notices.into_iter().flatten().filter_map(Value::as_str) {
                    self.view.show(&Shown::Message { text: format!("  {notice}") })?;
                }
                data
            }
            Err(failure) => {
                self.view.show(&Shown::Message { text: failure.text().to_owned() })?;
                failure.data
            }
        };
        let data = json!({ "tool": "write_to_notion", "result": data });
        self.log_event(EventKind::ToolResult, data).await?;
        Ok(Some(DONE))
    }
}

fn field(data: &Value, name: &str) -> String {
    data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}
