//! What each kind of feedback does to the draft.

use pen::feedback::{
    Applied, Category, Edit, Feedback, Proposal, is_no, is_yes, parse_feedback, propose,
};
use pen::session::EventKind;
use pen::{Now, prompt};
use serde_json::{Value, json};

use super::super::conversation::Agreed;
use super::Rounds;
use crate::exit::{ExitStatus, Failure};
use crate::render::printer::{Printer, bold, cyan};

impl Rounds<'_> {
    /// Does what a line asks for; an ending if the session is over.
    pub(crate) async fn heed(
        &mut self,
        line: &str,
        printer: &mut Printer,
    ) -> Result<Option<ExitStatus>, Failure> {
        let said = parse_feedback(line);
        if !matches!(said, Feedback::Save | Feedback::SaveToNotion | Feedback::Leave) {
            self.note(EventKind::UserFeedback, json!({ "text": line })).await?;
        }
        match said {
            Feedback::Save => return self.save(false, printer).await.map(Some),
            Feedback::SaveToNotion => return self.save(true, printer).await.map(Some),
            Feedback::Leave => {
                self.leave(printer)?;
                return Ok(Some(ExitStatus::Success));
            }
            Feedback::ByHand => self.edit_by_hand(printer).await?,
            Feedback::Again => {
                let message = prompt::again(&self.request.text, &self.draft);
                self.write(&message, printer).await?;
            }
            Feedback::Edit(edit) => self.edit(&edit, line, printer).await?,
            Feedback::Style(category) => self.restyle(category, line, printer).await?,
            Feedback::Other => self.write(&prompt::revised(&self.draft, line), printer).await?,
        }
        Ok(None)
    }

    /// Only the named part changes; everything else keeps its bytes.
    async fn edit(
        &mut self,
        edit: &Edit,
        line: &str,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        match edit.apply(&self.draft) {
            Applied::Done(draft) => self.draft = draft,
            Applied::NoPart => {
                printer.message(
                    self.ctx.text("такої частини в тексті немає", "the text has no such part"),
                )?;
                return Ok(());
            }
            Applied::Write(span) => {
                let message = prompt::part(&self.draft, &self.draft[span.clone()], line);
                let answer = pen::lint::cleaned(&self.talk.ask(&message).await?);
                let Some(part) = edit.part_of_answer(&self.draft, &span, &answer) else {
                    let text = "модель не дала нової частини; текст лишився як був";
                    let en = "the model gave no new part; the text stays as it was";
                    printer.message(self.ctx.text(text, en))?;
                    return Ok(());
                };
                self.draft.replace_range(span, &part);
            }
        }
        let report = self.lint();
        self.show(&report, printer).await
    }

    /// A word about style: the whole text again, counted, and a proposal after the third.
    async fn restyle(
        &mut self,
        category: Category,
        line: &str,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        // Said three times in the same words, it counts three times: this is the person
        // speaking, and not a model that repeats its call.
        let tracked = self.ctx.pen.tracker().track(category, line, self.ctx.lang, Now::read());
        let tracked = match tracked {
            Ok(tracked) => Some(tracked),
            Err(fault) => {
                tracing::warn!(%fault, "feedback was not tracked");
                None
            }
        };
        if let Some(tracked) = &tracked {
            self.talk.preview.step("track_feedback", &format!("{category} {}", tracked.count));
        }
        self.write(&prompt::restyled(&self.draft, line, category), printer).await?;
        match tracked.filter(|tracked| tracked.threshold_reached) {
            Some(tracked) => self.propose(category, tracked.count, line, printer).await,
            None => Ok(()),
        }
    }

    /// Field, old and new value; nothing happens without a yes.
    async fn propose(
        &mut self,
        category: Category,
        count: u64,
        line: &str,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        let lang = self.ctx.lang;
        // Also in a mix it is the personal profile that learns.
        let personal = self.ctx.profile(self.grounded.personal())?;
        let made = propose(category, &personal, self.platform, line, lang);
        let Some(proposal) = made.filter(|_| personal.kind() == pen::profile::Kind::Personal)
        else {
            return Ok(());
        };
        self.show_proposal(category, count, &proposal, printer)?;
        let answer = tokio::task::block_in_place(|| self.lines.read())?.unwrap_or_default();
        self.note(EventKind::UserFeedback, json!({ "text": answer, "to": "proposal" })).await?;
        if is_no(&answer) {
            if let Err(fault) = self.ctx.pen.tracker().decline(category, Now::read()) {
                tracing::warn!(%fault, "the no is not kept");
            }
            printer
                .message(self.ctx.text("профіль лишився як був", "the profile stays as it was"))?;
            return Ok(());
        }
        let new =
            match (is_yes(&answer), &proposal.new) {
                (true, new) => new.clone(),
                // Their own words are the value, where a text is wanted.
                (false, Value::String(_)) => json!(answer.trim()),
                (false, _) => {
                    printer.message(self.ctx.text(
                        "не зрозуміло; профіль не змінено",
                        "not understood; nothing changed",
                    ))?;
                    return Ok(());
                }
            };
        self.change_profile(category, count, &proposal.field, new, printer).await
    }

    fn show_proposal(
        &self,
        category: Category,
        count: u64,
        proposal: &Proposal,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        let ctx = self.ctx;
        let complaint = category.complaint(ctx.lang);
        let said = ctx.text("сказано разів", "times said");
        printer.message(format!("{} {complaint} ({said}: {count})", bold("profile")))?;
        printer.message(format!("  {}", cyan(&proposal.field)))?;
        printer.message(format!("  {}: {}", ctx.text("було", "old"), shown(&proposal.old)))?;
        printer.message(format!("  {}: {}", ctx.text("стане", "new"), shown(&proposal.new)))?;
        let ask =
            ctx.text("оновити? так / ні / своє значення", "change it? yes / no / your own value");
        Ok(printer.message(ask)?)
    }

    async fn change_profile(
        &mut self,
        category: Category,
        count: u64,
        field: &str,
        new: Value,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        let reason = format!("{count}x {category}");
        let args = json!({ "profile_name": self.grounded.personal(), "changes": { field: new },
                           "reason": reason });
        let settled = self.talk.run_agreed("update_style_profile", args, &Agreed::ByWord).await?;
        let data = settled.outcome.unwrap_or_else(|error| json!({ "message": error.message }));
        match data.get("version").and_then(Value::as_u64) {
            Some(version) => {
                if let Err(fault) = self.ctx.pen.tracker().resolve(category, Now::read()) {
                    tracing::warn!(%fault, "the count is not reset");
                }
                self.grounded.renew(self.ctx)?;
                let done =
                    self.ctx.text("профіль оновлено, версія", "the profile is changed, version");
                printer.message(format!("{done} {version}"))?;
            }
            None => {
                let message = data.get("message").and_then(Value::as_str).unwrap_or_default();
                printer.message(format!(
                    "{}: {message}",
                    self.ctx.text("не змінено", "not changed")
                ))?;
            }
        }
        Ok(())
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(" | "),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}
