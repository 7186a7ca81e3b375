//! Proposed changes of the profile: field, old and new value, and the author's answer.
//!
//! Must hold: the profile changes only after a yes to exactly the value that was shown.

use serde_json::{Value, json};

use super::{Next, Session};
use crate::clock::Now;
use crate::feedback::{Answer, Category, parse_answer, propose};
use crate::intent::Intent;
use crate::session::draft::{DraftEvent, ProfileChange, Question};
use crate::session::ports::{Conversation, View};
use crate::session::profile_gate::profile;
use crate::session::{EventKind, Shown};
use crate::style::profile::Kind;
use crate::text::diff::line_changes;
use crate::text::language::Lang;

/// After this many unclear answers nothing changes.
const UNCLEAR_MAX: usize = 3;

impl<C, V> Session<'_, C, V>
where
    C: Conversation<Fault = V::Fault>,
    V: View,
{
    /// Proposes a profile change: field, old and new value. Nothing changes without a yes.
    pub(super) async fn propose(
        &mut self,
        category: Category,
        count: u64,
        line: &str,
    ) -> Result<Option<Next>, V::Fault> {
        // In a mix it is still the personal profile that learns.
        let personal = profile(self.profile.personal(), self.pen);
        let personal = personal.map_err(|fault| self.view.fault(fault))?;
        let proposed = propose(category, &personal, self.started.platform, line, self.lang);
        let Some(proposal) = proposed.filter(|_| personal.kind() == Kind::Personal) else {
            return Ok(None);
        };
        let (field, old, new) = (proposal.field, proposal.old, proposal.new);
        self.ask(Question::Proposal(ProfileChange { category, count, field, old, new })).await
    }

    pub(super) fn show_proposal(&mut self, change: &ProfileChange) -> Result<(), V::Fault> {
        self.view.show(&proposal_shown(change, self.lang))
    }

    pub(super) async fn answer_proposal(
        &mut self,
        change: ProfileChange,
        line: &str,
    ) -> Result<Option<Next>, V::Fault> {
        self.log_event(EventKind::UserFeedback, json!({ "text": line, "to": "proposal" })).await?;
        match parse_answer(line, &change.new) {
            Answer::Yes => self.change_profile(change).await,
            Answer::No | Answer::Later => self.keep_profile(&change).await,
            Answer::Stop => {
                self.keep(DraftEvent::Answered).await?;
                self.message("session.profile_unchanged")?;
                self.leave().await.map(Some)
            }
            Answer::Value(new) if new == change.old => self.keep_profile(&change).await,
            Answer::Value(new) => self.ask(Question::Value(ProfileChange { new, ..change })).await,
            Answer::Help => {
                self.message("session.proposal_help")?;
                self.ask_again(&Question::Proposal(change))?;
                Ok(Some(Next::Line))
            }
            Answer::Unclear => {
                self.not_understood(Question::Proposal(change), "session.proposal_help").await
            }
        }
    }

    /// The author's own value is written only after a yes to it.
    pub(super) async fn answer_value(
        &mut self,
        change: ProfileChange,
        line: &str,
    ) -> Result<Option<Next>, V::Fault> {
        self.log_event(EventKind::UserFeedback, json!({ "text": line, "to": "value" })).await?;
        match Intent::of(line) {
            Some(Intent::Yes | Intent::Update | Intent::Save) => self.change_profile(change).await,
            Some(Intent::No | Intent::Later) => self.keep_profile(&change).await,
            Some(Intent::Stop) => {
                self.keep(DraftEvent::Answered).await?;
                self.message("session.profile_unchanged")?;
                self.leave().await.map(Some)
            }
            _ => self.not_understood(Question::Value(change), "session.value_help").await,
        }
    }

    /// Asks again, a few times; then nothing changes.
    async fn not_understood(
        &mut self,
        question: Question,
        help: &str,
    ) -> Result<Option<Next>, V::Fault> {
        self.unclear += 1;
        if self.unclear >= UNCLEAR_MAX {
            self.keep(DraftEvent::Answered).await?;
            self.message("session.profile_unchanged")?;
            return Ok(None);
        }
        self.message(help)?;
        self.ask_again(&question)?;
        Ok(Some(Next::Line))
    }

    async fn keep_profile(&mut self, change: &ProfileChange) -> Result<Option<Next>, V::Fault> {
        if let Err(fault) = self.pen.tracker().decline(change.category, Now::read()) {
            tracing::warn!(%fault, "failed to record the rejection");
        }
        self.keep(DraftEvent::Answered).await?;
        self.message("session.profile_unchanged")?;
        Ok(None)
    }

    async fn change_profile(&mut self, change: ProfileChange) -> Result<Option<Next>, V::Fault> {
        let reason = format!("{}x {}", change.count, change.category);
        let args = json!({ "profile_name": self.profile.personal(),
                           "changes": { change.field.as_str(): change.new }, "reason": reason });
        let result = self.conversation.run_approved("update_style_profile", args).await?;
        self.keep(DraftEvent::Answered).await?;
        match result {
            Ok(data) => {
                let version = data.get("version").and_then(Value::as_u64).unwrap_or_default();
                let reloaded = self.profile.reload(self.pen);
                reloaded.map_err(|fault| self.view.fault(fault))?;
                let text = self.lang.fill("session.profile_updated", &[("version", &version)]);
                self.view.show(&Shown::Message { text })?;
            }
            Err(failure) => {
                let text = self.lang.fill("session.not_changed", &[("why", &failure.text())]);
                self.view.show(&Shown::Message { text })?;
            }
        }
        Ok(None)
    }
}

/// A proposed change with its reason and the lines that differ.
pub fn proposal_shown(change: &ProfileChange, lang: Lang) -> Shown {
    let complaint = change.category.complaint(lang);
    let values: [(&str, &dyn std::fmt::Display); 2] =
        [("complaint", &complaint), ("count", &change.count)];
    let why = lang.fill("session.said_often", &values);
    let changes = line_changes(&shown(&change.old), &shown(&change.new));
    Shown::Proposal { why, field: change.field.clone(), changes }
}

/// A value as lines: a list has one line for each item.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join("\n"),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}
