//! Saves a draft that the author approved: a file first, then Notion.

use serde_json::{Value, json};

use super::{Session, SessionEnd};
use crate::feedback::is_yes;
use crate::session::EventKind;
use crate::session::ports::{Author, Conversation};

impl<C, A> Session<'_, C, A>
where
    C: Conversation<Fault = A::Fault>,
    A: Author,
{
    /// Saves without the model. On failure the text is printed, so that it is not lost.
    pub(super) async fn save(&mut self, to_notion: bool) -> Result<SessionEnd, A::Fault> {
        let args = self.post();
        let result = self.conversation.run_approved("save_to_file", args).await?;
        let data = result.unwrap_or_else(|message| json!({ "message": message }));
        let Some(path) = data.get("file_path").and_then(Value::as_str) else {
            let message = data.get("message").and_then(Value::as_str).unwrap_or_default();
            let failed = self.lang.pick("Помилка збереження", "It could not be saved");
            self.author.message(&format!("{failed}: {message}"))?;
            self.message("Ось текст, скопіюйте його:", "Here is the text, to copy:")?;
            self.author.text(&self.draft)?;
            self.log_event(EventKind::Error, json!({ "message": message })).await?;
            return Ok(SessionEnd::NotSaved);
        };
        let path = path.to_owned();
        self.author.value(self.lang.pick("збережено:", "saved:"), &path)?;
        let data = json!({ "file": path, "text": self.draft, "shown": self.shown });
        self.log_event(EventKind::Save, data).await?;
        self.saved = Some(path);
        self.learn()?;
        self.offer_notion(to_notion).await?;
        Ok(SessionEnd::Done)
    }

    fn post(&self) -> Value {
        let topic: String = self.request.topic.chars().take(300).collect();
        json!({ "content": self.draft, "platform": self.platform, "topic": topic,
                "profile_used": self.profile.used() })
    }

    /// Offers Notion if it is set up; if it is not but was requested, says so.
    async fn offer_notion(&mut self, requested: bool) -> Result<(), A::Fault> {
        if self.pen.remote().notion.is_none() {
            return match requested {
                true => self.message(
                    "Notion не налаштований, збережено локально (NOTION_TOKEN, NOTION_DATABASE_ID)",
                    "Notion is not set up; saved locally (NOTION_TOKEN, NOTION_DATABASE_ID)",
                ),
                false => Ok(()),
            };
        }
        if !requested {
            self.message("зберегти ще й у Notion? так / ні", "save it to Notion too? yes / no")?;
            if !is_yes(&self.author.read_line()?.unwrap_or_default()) {
                return Ok(());
            }
        }
        let mut args = self.post();
        args["title"] = json!(self.request.topic.chars().take(200).collect::<String>());
        let result = self.conversation.run_approved("write_to_notion", args).await?;
        let data = result.unwrap_or_else(|message| json!({ "message": message }));
        let text = |name: &str| data.get(name).and_then(Value::as_str);
        match (text("notion_url"), text("message")) {
            (Some(url), _) => self.author.value("Notion:", url)?,
            (None, message) => self.author.message(message.unwrap_or("Notion: ?"))?,
        }
        let data = json!({ "tool": "write_to_notion", "result": data });
        self.log_event(EventKind::ToolResult, data).await
    }
}
