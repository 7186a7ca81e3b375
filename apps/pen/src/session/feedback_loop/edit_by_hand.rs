//! Edits by hand, and what is learned from them.

use super::Session;
use crate::session::ports::{Author, Conversation, Edited};
use crate::session::profile_gate::profile;
use crate::style::learn::{Suggestion, difference};

const SUGGESTIONS_MAX: usize = 3;

impl<C, A> Session<'_, C, A>
where
    C: Conversation<Fault = A::Fault>,
    A: Author,
{
    /// Opens the draft in the author's editor.
    pub(super) async fn edit_by_hand(&mut self) -> Result<(), A::Fault> {
        let text = match self.author.edit(&self.draft)? {
            Edited::Text(text) => text,
            Edited::NoEditor => {
                return self
                    .message("немає редактора: задайте EDITOR", "there is no editor: set EDITOR");
            }
            Edited::Unchanged => {
                return self.message("текст лишився як був", "the text stays as it was");
            }
        };
        // The last text of the model stays known, so that the difference is the author's.
        let written = self.shown.clone();
        text.trim_end().clone_into(&mut self.draft);
        let report = self.lint();
        self.show(&report).await?;
        self.shown = written;
        Ok(())
    }

    /// Counts the edits by hand; repeated ones become suggestions, never changes.
    pub(super) fn learn(&mut self) -> Result<(), A::Fault> {
        let change = difference(&self.shown, &self.draft);
        if change.removed.is_empty() && change.added.is_empty() {
            return Ok(());
        }
        let learned = match self.pen.workspace().learn(&change) {
            Ok(learned) => learned,
            Err(fault) => {
                tracing::warn!(%fault, "cannot store the edits by hand");
                return Ok(());
            }
        };
        let personal = profile(self.profile.personal(), self.pen);
        let personal = personal.map_err(|fault| self.author.fault(fault))?;
        let suggestions = learned.suggestions(&personal);
        for Suggestion { field, value, times } in suggestions.iter().take(SUGGESTIONS_MAX) {
            let changed =
                self.lang.pick("ви міняли це руками, разів", "you changed this by hand, times");
            self.author.note(&format!("{changed} {times}: {field} + «{value}»"))?;
        }
        Ok(())
    }
}
