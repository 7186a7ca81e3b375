//! Concrete edits: only the named part changes.

use super::Session;
use crate::feedback::{Applied, Edit, word_forms};
use crate::lint::cleaned;
use crate::session::draft::Origin;
use crate::session::ports::{Conversation, View};
use crate::session::{Shown, prompt};

impl<C, V> Session<'_, C, V>
where
    C: Conversation<Fault = V::Fault>,
    V: View,
{
    /// Changes only the named part; everything else keeps its bytes.
    pub(super) async fn edit(&mut self, edit: &Edit, line: &str) -> Result<(), V::Fault> {
        let draft = self.draft.text().to_owned();
        let text = match edit.apply(&draft) {
            Applied::Done(text) => text,
            Applied::NoPart => return self.message("session.no_part"),
            Applied::NoWords(words) => return self.no_words(&draft, &words),
            Applied::Write(span) => {
                let part = &draft[span.clone()];
                let message = match part.len() == draft.len() {
                    true => prompt::revised(&draft, line),
                    false => prompt::part(&draft, part, line),
                };
                let answer = cleaned(&self.conversation.ask(&message).await?);
                let Some(part) = edit.part_of_answer(&draft, &span, &answer) else {
                    return self.message("session.no_new_part");
                };
                let mut text = draft.clone();
                text.replace_range(span, &part);
                text
            }
            Applied::Insert { at, before, after } => {
                let message = prompt::addition(&draft, line);
                let answer = cleaned(&self.conversation.ask(&message).await?);
                let Some(added) = edit.addition_of_answer(&draft, &answer) else {
                    return self.message("session.no_new_part");
                };
                let mut text = draft.clone();
                text.insert_str(at, &format!("{before}{added}{after}"));
                text
            }
        };
        match text == draft {
            true => self.message("session.unchanged"),
            false => self.add_version(text, Origin::Edit).await,
        }
    }

    /// The words are not there as whole words: says so, and names forms that are.
    fn no_words(&mut self, draft: &str, words: &str) -> Result<(), V::Fault> {
        let forms = word_forms(draft, words);
        let text = match forms.is_empty() {
            true => self.lang.fill("session.no_words", &[("words", &words)]),
            false => {
                let forms = forms.join("», «");
                let values: [(&str, &dyn std::fmt::Display); 2] =
                    [("words", &words), ("forms", &forms)];
                self.lang.fill("session.other_forms", &values)
            }
        };
        self.view.show(&Shown::Message { text })
    }
}
