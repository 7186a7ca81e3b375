//! What each kind of feedback does to the draft.

use serde_json::{Value, json};

use super::{Session, SessionEnd};
use crate::clock::Now;
use crate::feedback::{
    Applied, Category, Edit, Feedback, Proposal, is_no, is_yes, parse_feedback, propose,
};
use crate::lint::cleaned;
use crate::session::ports::{Author, Conversation};
use crate::session::profile_gate::profile;
use crate::session::{EventKind, prompt};
use crate::style::profile::Kind;

impl<C, A> Session<'_, C, A>
where
    C: Conversation<Fault = A::Fault>,
    A: Author,
{
    /// Applies a line of feedback; returns the end if the session is over.
    pub(super) async fn apply(&mut self, line: &str) -> Result<Option<SessionEnd>, A::Fault> {
        let feedback = parse_feedback(line);
        if !matches!(feedback, Feedback::Save | Feedback::SaveToNotion | Feedback::Leave) {
            self.log_event(EventKind::UserFeedback, json!({ "text": line })).await?;
        }
        match feedback {
            Feedback::Save => return self.save(false).await.map(Some),
            Feedback::SaveToNotion => return self.save(true).await.map(Some),
            Feedback::Leave => return self.leave().map(Some),
            Feedback::ByHand => self.edit_by_hand().await?,
            Feedback::Again => {
                let message = prompt::again(&self.request.text, &self.draft);
                self.write(&message).await?;
            }
            Feedback::Edit(edit) => self.edit(&edit, line).await?,
            Feedback::Style(category) => self.restyle(category, line).await?,
            Feedback::Other => self.write(&prompt::revised(&self.draft, line)).await?,
        }
        Ok(None)
    }

    /// Changes only the named part; everything else keeps its bytes.
    async fn edit(&mut self, edit: &Edit, line: &str) -> Result<(), A::Fault> {
        match edit.apply(&self.draft) {
            Applied::Done(draft) => self.draft = draft,
            Applied::NoPart => {
                return self.message("такої частини в тексті немає", "the text has no such part");
            }
            Applied::Write(span) => {
                let message = prompt::part(&self.draft, &self.draft[span.clone()], line);
                let answer = cleaned(&self.conversation.ask(&message).await?);
                let Some(part) = edit.part_of_answer(&self.draft, &span, &answer) else {
                    return self.message(
                        "модель не дала нової частини; текст лишився як був",
                        "the model gave no new part; the text stays as it was",
                    );
                };
                self.draft.replace_range(span, &part);
            }
        }
        let report = self.lint();
        self.show(&report).await
    }

    /// Style feedback: rewrites the whole text, counts it, and proposes a change at the third time.
    async fn restyle(&mut self, category: Category, line: &str) -> Result<(), A::Fault> {
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
            self.author.step("track_feedback", &format!("{category} {}", tracked.count));
        }
        self.write(&prompt::restyled(&self.draft, line, category)).await?;
        match tracked.filter(|tracked| tracked.threshold_reached) {
            Some(tracked) => self.propose(category, tracked.count, line).await,
            None => Ok(()),
        }
    }

    /// Proposes a profile change: field, old and new value. Nothing changes without a yes.
    async fn propose(
        &mut self,
        category: Category,
        count: u64,
        line: &str,
    ) -> Result<(), A::Fault> {
        // In a mix it is still the personal profile that learns.
        let personal = profile(self.profile.personal(), self.pen);
        let personal = personal.map_err(|fault| self.author.fault(fault))?;
        let proposed = propose(category, &personal, self.platform, line, self.lang);
        let Some(proposal) = proposed.filter(|_| personal.kind() == Kind::Personal) else {
            return Ok(());
        };
        self.show_proposal(category, count, &proposal)?;
        let answer = self.author.read_line()?.unwrap_or_default();
        let data = json!({ "text": answer, "to": "proposal" });
        self.log_event(EventKind::UserFeedback, data).await?;
        if is_no(&answer) {
            if let Err(fault) = self.pen.tracker().decline(category, Now::read()) {
                tracing::warn!(%fault, "failed to record the rejection");
            }
            return self.message("профіль лишився як був", "the profile stays as it was");
        }
        let new = match (is_yes(&answer), &proposal.new) {
            (true, new) => new.clone(),
            // For a text field, the answer may be the value itself.
            (false, Value::String(_)) => json!(answer.trim()),
            (false, _) => {
                return self.message(
                    "не зрозуміло; профіль не змінено",
                    "not understood; nothing changed",
                );
            }
        };
        self.change_profile(category, count, &proposal.field, new).await
    }

    fn show_proposal(
        &mut self,
        category: Category,
        count: u64,
        proposal: &Proposal,
    ) -> Result<(), A::Fault> {
        let lang = self.lang;
        let complaint = category.complaint(lang);
        let times = lang.pick("сказано разів", "times said");
        let why = format!("{complaint} ({times}: {count})");
        let old = format!("{}: {}", lang.pick("було", "old"), shown(&proposal.old));
        let new = format!("{}: {}", lang.pick("стане", "new"), shown(&proposal.new));
        self.author.proposal(&why, &proposal.field, &[old, new])?;
        self.message("оновити? так / ні / своє значення", "change it? yes / no / your own value")
    }

    async fn change_profile(
        &mut self,
        category: Category,
        count: u64,
        field: &str,
        new: Value,
    ) -> Result<(), A::Fault> {
        let reason = format!("{count}x {category}");
        let args = json!({ "profile_name": self.profile.personal(), "changes": { field: new },
                           "reason": reason });
        let result = self.conversation.run_approved("update_style_profile", args).await?;
        let data = result.unwrap_or_else(|message| json!({ "message": message }));
        match data.get("version").and_then(Value::as_u64) {
            Some(version) => {
                if let Err(fault) = self.pen.tracker().resolve(category, Now::read()) {
                    tracing::warn!(%fault, "cannot reset the feedback count");
                }
                let reloaded = self.profile.reload(self.pen);
                reloaded.map_err(|fault| self.author.fault(fault))?;
                let done = self.lang.pick("профіль оновлено, версія", "profile updated, version");
                self.author.message(&format!("{done} {version}"))
            }
            None => {
                let message = data.get("message").and_then(Value::as_str).unwrap_or_default();
                let failed = self.lang.pick("не змінено", "not changed");
                self.author.message(&format!("{failed}: {message}"))
            }
        }
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(" | "),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}
