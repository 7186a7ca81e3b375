//! Saving a draft that the person approved: a file first, then Notion.

use pen::feedback::is_yes;
use pen::session::EventKind;
use serde_json::{Value, json};

use super::super::conversation::Agreed;
use super::Rounds;
use crate::exit::{ExitStatus, Failure};
use crate::render::printer::{Printer, cyan};

impl Rounds<'_> {
    /// Saves without asking the model; the text is never lost.
    pub(crate) async fn save(
        &mut self,
        to_notion: bool,
        printer: &mut Printer,
    ) -> Result<ExitStatus, Failure> {
        let args = self.post();
        let settled = self.talk.run_agreed("save_to_file", args, &Agreed::ByWord).await?;
        let data = settled.outcome.unwrap_or_else(|error| json!({ "message": error.message }));
        let Some(path) = data.get("file_path").and_then(Value::as_str) else {
            let message = data.get("message").and_then(Value::as_str).unwrap_or_default();
            let failed = self.ctx.text("Помилка збереження", "It could not be saved");
            printer.message(format!("{failed}: {message}"))?;
            printer.message(
                self.ctx.text("Ось текст, скопіюйте його:", "Here is the text, to copy:"),
            )?;
            printer.data(&self.draft)?;
            self.note(EventKind::Error, json!({ "message": message })).await?;
            return Ok(ExitStatus::Faults);
        };
        let path = path.to_owned();
        printer.message(format!("{} {}", self.ctx.text("збережено:", "saved:"), cyan(&path)))?;
        self.note(
            EventKind::Save,
            json!({ "file": path, "text": self.draft, "shown": self.shown }),
        )
        .await?;
        self.saved = Some(path);
        self.learn(printer)?;
        self.offer_notion(to_notion, printer).await?;
        Ok(ExitStatus::Success)
    }

    fn post(&self) -> Value {
        let topic: String = self.request.topic.chars().take(300).collect();
        json!({ "content": self.draft, "platform": self.platform, "topic": topic,
                "profile_used": self.grounded.used() })
    }

    /// Asks about Notion where it is set up; says so where it is not and was wanted.
    async fn offer_notion(&mut self, wanted: bool, printer: &mut Printer) -> Result<(), Failure> {
        if self.ctx.pen.remote().notion.is_none() {
            if wanted {
                printer.message(self.ctx.text(
                    "Notion не налаштований, збережено локально (NOTION_TOKEN, NOTION_DATABASE_ID)",
                    "Notion is not set up; it is saved here (NOTION_TOKEN, NOTION_DATABASE_ID)",
                ))?;
            }
            return Ok(());
        }
        if !wanted {
            printer.message(
                self.ctx
                    .text("зберегти ще й у Notion? так / ні", "save it to Notion too? yes / no"),
            )?;
            let answer = tokio::task::block_in_place(|| self.lines.read())?.unwrap_or_default();
            if !is_yes(&answer) {
                return Ok(());
            }
        }
        let mut args = self.post();
        args["title"] = json!(self.request.topic.chars().take(200).collect::<String>());
        let settled = self.talk.run_agreed("write_to_notion", args, &Agreed::ByWord).await?;
        let data = settled.outcome.unwrap_or_else(|error| json!({ "message": error.message }));
        let text = |name: &str| data.get(name).and_then(Value::as_str);
        match (text("notion_url"), text("message")) {
            (Some(url), _) => printer.message(format!("Notion: {}", cyan(url)))?,
            (None, message) => printer.message(message.unwrap_or("Notion: ?"))?,
        }
        self.note(EventKind::ToolResult, json!({ "tool": "write_to_notion", "result": data })).await
    }
}
