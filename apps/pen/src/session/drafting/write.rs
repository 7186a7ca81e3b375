//! Writes, checks, repairs and shows texts; each one becomes a version of the draft.

use serde_json::{Value, json};

use super::{Next, Session};
use crate::clock::Now;
use crate::lint::{LintContext, Report, cleaned, lint, new_findings};
use crate::session::check_text::length_max;
use crate::session::draft::{DraftEvent, Origin, Version};
use crate::session::ports::{Conversation, SessionFault, View};
use crate::session::prompt::{self, Brief};
use crate::session::{EventKind, Shown, logged};
use crate::text::diff::{LineChange, line_changes};

/// How often a draft is repaired before it is shown with its violations.
const REPAIRS_MAX: usize = 2;

impl<C, V> Session<'_, C, V>
where
    C: Conversation<Fault = V::Fault>,
    V: View,
{
    /// Asks for the first draft.
    pub(super) async fn write_first(&mut self, hook: Option<&str>) -> Result<Next, V::Fault> {
        let brief = Brief {
            request: &self.started.request,
            past: &self.sources.found,
            notes: self.draft.notes.as_deref(),
            facts: self.started.facts && self.pen.remote().search.is_some(),
            hook,
        };
        let message = prompt::first(&brief);
        self.write(&message).await?;
        self.next_line()
    }

    /// Asks for a whole draft, repairs violations of hard rules, and shows it.
    pub(super) async fn write(&mut self, message: &str) -> Result<(), V::Fault> {
        let mut text = cleaned(&self.conversation.ask(message).await?);
        if text.is_empty() {
            let what = self.lang.say("session.no_text");
            let fix = self.lang.say("session.try_again");
            return Err(self.view.fault(SessionFault::message(what, fix)));
        }
        self.add_search_results().await?;
        let mut report = self.lint(&text);
        for repair in 1..=REPAIRS_MAX {
            if !report.has_errors() {
                break;
            }
            let count = report.errors().count();
            let values: [(&str, &dyn std::fmt::Display); 3] =
                [("count", &count), ("repair", &repair), ("most", &REPAIRS_MAX)];
            let note = self.lang.fill("session.repairing", &values);
            self.view.show(&Shown::Note { text: note })?;
            let message = prompt::repair(&text, &report);
            let repaired = cleaned(&self.conversation.ask(&message).await?);
            if repaired.is_empty() {
                break;
            }
            text = repaired;
            report = self.lint(&text);
        }
        self.add_version(text, Origin::Model).await
    }

    pub(super) fn lint(&self, text: &str) -> Report {
        let copied = self.sources.not_to_copy(text, &self.draft.files, self.pen);
        let past: Vec<&str> = copied.iter().map(String::as_str).collect();
        let given: Vec<&str> = self.draft.sources.iter().map(String::as_str).collect();
        let profile = self.profile.profile();
        let (platform, lang) = (self.started.platform, self.lang);
        let (past, given) = (past.as_slice(), Some(given.as_slice()));
        lint(text, &LintContext { profile, platform, past, given, lang })
    }

    /// Writes a new version, then shows what changed, the text and the findings.
    pub(super) async fn add_version(
        &mut self,
        text: String,
        origin: Origin,
    ) -> Result<(), V::Fault> {
        let before = self.draft.versions.get(self.draft.current).cloned();
        let report = self.lint(&text);
        let violations = report.violations.clone();
        let at = Now::read().iso();
        let version = Version { text, origin, violations, at };
        self.keep(DraftEvent::Version(version)).await?;
        let data = json!({ "text": self.draft.text(), "lint": logged(&report) });
        self.log_event(EventKind::AssistantText, data).await?;
        if let Some(before) = &before {
            self.show_changes(&before.text, origin)?;
        }
        self.show(&report)?;
        match before {
            Some(before) => self.show_new_findings(&before, &report),
            None => Ok(()),
        }
    }

    /// Shows the lines that changed; a text that is new as a whole is shown without them.
    fn show_changes(&mut self, before: &str, origin: Origin) -> Result<(), V::Fault> {
        let changes = line_changes(before, self.draft.text());
        let added = changes.iter().filter(|line| matches!(line, LineChange::Added(_))).count();
        let lines = self.draft.text().lines().filter(|line| !line.trim().is_empty()).count();
        if changes.is_empty() || origin == Origin::Model && added * 2 > lines {
            return Ok(());
        }
        self.view.show(&Shown::Diff { changes })
    }

    fn show_new_findings(&mut self, before: &Version, report: &Report) -> Result<(), V::Fault> {
        let violations = new_findings(&before.violations, &report.violations);
        if violations.is_empty() {
            return Ok(());
        }
        let count = violations.len();
        let title = self.lang.fill("session.new_findings", &[("count", &count)]);
        self.view.show(&Shown::NewFindings { title, violations })
    }

    /// Shows the draft with its findings.
    fn show(&mut self, report: &Report) -> Result<(), V::Fault> {
        let text = self.draft.text().to_owned();
        let platform = self.started.platform;
        let length_max = length_max(self.profile.profile(), platform);
        let length = platform.count(&text);
        let (version, versions) = (self.draft.current + 1, self.draft.versions.len());
        self.view.show(&Shown::Draft { text, version, versions })?;
        let report = report.clone();
        self.view.show(&Shown::Findings { platform, length, length_max, report })
    }

    /// Shows the draft that counts, checked anew.
    pub(super) async fn show_again(&mut self) -> Result<(), V::Fault> {
        let report = self.lint(self.draft.text());
        self.show(&report)
    }

    /// Facts from a web search may appear in the draft.
    async fn add_search_results(&mut self) -> Result<(), V::Fault> {
        let results = self.conversation.last_results("search_web").await?;
        for text in results.iter().map(Value::to_string) {
            if !self.draft.sources.contains(&text) {
                self.keep(DraftEvent::Source { text }).await?;
            }
        }
        Ok(())
    }
}
