//! What each kind of feedback does to the draft.

use serde_json::json;

use super::{Next, Session};
use crate::clock::Now;
use crate::feedback::{Category, Feedback, parse_feedback};
use crate::session::draft::DraftEvent;
use crate::session::ports::{Conversation, View};
use crate::session::{EventKind, Shown, prompt};
use crate::text::diff::line_changes;

impl<C, V> Session<'_, C, V>
where
    C: Conversation<Fault = V::Fault>,
    V: View,
{
    /// Applies a line of feedback; returns what comes next if it is not another line of feedback.
    pub(super) async fn take_feedback(&mut self, line: &str) -> Result<Option<Next>, V::Fault> {
        match parse_feedback(line) {
            Feedback::Save => return self.save(false).await,
            Feedback::SaveToNotion => return self.save(true).await,
            Feedback::Leave => return self.leave().await.map(Some),
            Feedback::ByHand => return Ok(Some(Next::Editor(self.draft.text().to_owned()))),
            Feedback::Undo => self.undo().await?,
            Feedback::Redo => self.redo().await?,
            Feedback::Help => self.message("session.help")?,
            Feedback::Unclear if line.trim().is_empty() => {}
            Feedback::Unclear => self.message("session.unclear")?,
            Feedback::Edit(edit) => {
                self.heard(line).await?;
                self.edit(&edit, line).await?;
            }
            Feedback::Style(category) => {
                self.heard(line).await?;
                return self.restyle(category, line).await;
            }
            Feedback::Again => {
                self.heard(line).await?;
                let message = prompt::again(&self.started.request, self.draft.text());
                self.write(&message).await?;
            }
            Feedback::Other => {
                self.heard(line).await?;
                self.write(&prompt::revised(self.draft.text(), line)).await?;
            }
        }
        Ok(None)
    }

    /// Records what the author said of the draft.
    async fn heard(&mut self, line: &str) -> Result<(), V::Fault> {
        self.log_event(EventKind::UserFeedback, json!({ "text": line })).await?;
        let at = Now::read().iso();
        self.keep(DraftEvent::Feedback { text: line.to_owned(), at }).await
    }

    /// Style feedback: rewrites the whole text, counts it, and proposes a change at the third time.
    async fn restyle(&mut self, category: Category, line: &str) -> Result<Option<Next>, V::Fault> {
        // The same words three times count three times: a person repeats them, not a model.
        let tracked = self.pen.tracker().track(category, line, self.lang, Now::read());
        let tracked = match tracked {
            Ok(tracked) => Some(tracked),
            Err(fault) => {
                tracing::warn!(%fault, "cannot track feedback");
                None
            }
        };
        if let Some(tracked) = &tracked {
            let result = format!("{category} {}", tracked.count);
            self.view.show(&Shown::Step { tool: "track_feedback".to_owned(), result })?;
        }
        self.write(&prompt::restyled(self.draft.text(), line, category)).await?;
        match tracked.filter(|tracked| tracked.threshold_reached) {
            Some(tracked) => self.propose(category, tracked.count, line).await,
            None => Ok(None),
        }
    }

    async fn undo(&mut self) -> Result<(), V::Fault> {
        match self.draft.current.checked_sub(1) {
            Some(version) => self.move_to(version).await,
            None => self.message("session.nothing_to_undo"),
        }
    }

    async fn redo(&mut self) -> Result<(), V::Fault> {
        let version = self.draft.current + 1;
        match version < self.draft.versions.len() {
            true => self.move_to(version).await,
            false => self.message("session.nothing_to_redo"),
        }
    }

    async fn move_to(&mut self, version: usize) -> Result<(), V::Fault> {
        let before = self.draft.text().to_owned();
        self.keep(DraftEvent::Moved { version }).await?;
        let changes = line_changes(&before, self.draft.text());
        self.view.show(&Shown::Diff { changes })?;
        self.show_again().await
    }
}
