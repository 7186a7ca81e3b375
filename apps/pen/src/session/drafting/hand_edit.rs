//! Edits by hand, and what is learned from them.

use super::{Next, Session};
use crate::session::Shown;
use crate::session::draft::Origin;
use crate::session::ports::{Conversation, View};
use crate::session::profile_gate::profile;
use crate::style::learn::{Suggestion, difference};

const SUGGESTIONS_MAX: usize = 3;

impl<C, V> Session<'_, C, V>
where
    C: Conversation<Fault = V::Fault>,
    V: View,
{
    /// Takes the text from the author's editor; `None` if there is no editor.
    pub async fn edited(&mut self, text: Option<String>) -> Result<Next, V::Fault> {
        match text {
            None => self.message("session.no_editor")?,
            Some(text) if text.trim().is_empty() || text.trim_end() == self.draft.text() => {
                self.message("session.unchanged")?;
            }
            Some(text) => self.add_version(text.trim_end().to_owned(), Origin::Hand).await?,
        }
        self.next_line()
    }

    /// Counts the edits by hand; repeated ones become suggestions, never changes.
    pub(super) fn learn(&mut self) -> Result<(), V::Fault> {
        // A text that no model wrote is no edit of one.
        if self.draft.model_text().is_empty() {
            return Ok(());
        }
        let change = difference(self.draft.model_text(), self.draft.text());
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
        let personal = personal.map_err(|fault| self.view.fault(fault))?;
        let suggestions = learned.suggestions(&personal);
        for Suggestion { field, value, times } in suggestions.iter().take(SUGGESTIONS_MAX) {
            let values: [(&str, &dyn std::fmt::Display); 3] =
                [("times", times), ("field", field), ("value", value)];
            let text = self.lang.fill("session.by_hand_often", &values);
            self.view.show(&Shown::Note { text })?;
        }
        Ok(())
    }
}
