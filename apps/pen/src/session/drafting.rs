//! The session as a machine: the author says a line, the draft changes, the next line is awaited.
//!
//! Two rules do not depend on a prompt: a draft needs a [`ReadProfile`], and a profile changes only
//! through a call that the author approved. A change of the draft is written before it is shown.

mod edit;
mod feedback;
mod hand_edit;
mod hooks;
mod proposal;
mod save;
mod write;

pub use proposal::proposal_shown;

use contract::Secret;
use serde_json::Value;

use super::draft::{Draft, DraftEvent, Question, Started};
use super::platform_choice::choose;
use super::ports::{Conversation, SessionFault, View};
use super::profile_gate::{ProfileSource, ReadProfile};
use super::request::Request;
use super::sources::{Sources, notion_page};
use super::{EventKind, SessionLog, Shown, prompt};
use crate::clock::Now;
use crate::posts::length::Platform;
use crate::text::language::Lang;
use crate::tools::Pen;

/// What to write, and how.
pub struct DraftOptions {
    pub request: Request,
    pub profile: ProfileSource,
    pub platform: Option<Platform>,
    /// The address of a Notion page to write from.
    pub notion: Option<String>,
    /// Search the web for facts first.
    pub facts: bool,
    /// How many openings to choose from; 0 for none.
    pub variants: usize,
    /// Values that must not appear in the session log.
    pub secrets: Vec<Secret>,
}

/// What a session waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The author's next line.
    Line,
    /// This text, edited by the author: [`Session::edited`].
    Editor(String),
    Done(SessionEnd),
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    /// The draft was saved, or the author left.
    Done,
    /// The draft could not be saved.
    NotSaved,
}

/// A session with one draft.
pub struct Session<'a, C, V> {
    pen: &'a Pen,
    lang: Lang,
    conversation: &'a mut C,
    view: &'a mut V,
    profile: ReadProfile,
    started: Started,
    sources: Sources,
    log: SessionLog,
    draft: Draft,
    /// How often the open question was answered unclearly.
    unclear: usize,
}

impl<'a, C, V> Session<'a, C, V>
where
    C: Conversation<Fault = V::Fault>,
    V: View,
{
    /// Begins a draft: reads the profile, the past posts and the notes. [`Session::first`] goes on.
    pub async fn begin(
        options: DraftOptions,
        (pen, lang): (&'a Pen, Lang),
        conversation: &'a mut C,
        view: &'a mut V,
    ) -> Result<Self, V::Fault> {
        let profile = ReadProfile::read(&options.profile, (pen, lang), conversation, view).await?;
        let chosen = (options.platform, &options.request.platform);
        let (platform, notices) = choose(chosen, profile.profile(), lang);
        notices.iter().try_for_each(|notice| view.show(notice))?;
        let notes = match &options.notion {
            Some(page) => Some(notion_page(page, (pen, lang), conversation, view).await?),
            None => None,
        };
        let started = Started {
            request: options.request.text.clone(),
            topic: options.request.topic.clone(),
            profile: options.profile,
            profile_used: profile.used().to_owned(),
            platform,
            facts: options.facts,
            variants: options.variants,
            at: Now::read().iso(),
        };
        let mut session =
            Self::open(started.clone(), profile, (pen, lang), conversation, view).await?;
        options.secrets.into_iter().for_each(|secret| session.log.hide(secret));
        session.keep(DraftEvent::Started(started)).await?;
        if let Some(text) = notes {
            session.keep(DraftEvent::Notes { text }).await?;
        }
        Ok(session)
    }

    /// Goes on with a stored draft: reads its profile and past posts again.
    pub async fn resume(
        draft: Draft,
        secrets: Vec<Secret>,
        (pen, lang): (&'a Pen, Lang),
        conversation: &'a mut C,
        view: &'a mut V,
    ) -> Result<Self, V::Fault> {
        let Some(started) = draft.started.clone() else {
            let what = lang.say("session.empty_draft");
            let fix = lang.say("session.empty_draft_fix");
            return Err(view.fault(SessionFault::message(what, fix)));
        };
        let profile = ReadProfile::read(&started.profile, (pen, lang), conversation, view).await?;
        let mut session = Self::open(started, profile, (pen, lang), conversation, view).await?;
        secrets.into_iter().for_each(|secret| session.log.hide(secret));
        session.draft = draft;
        session.keep(DraftEvent::Resumed { at: Now::read().iso() }).await?;
        Ok(session)
    }

    async fn open(
        started: Started,
        profile: ReadProfile,
        (pen, lang): (&'a Pen, Lang),
        conversation: &'a mut C,
        view: &'a mut V,
    ) -> Result<Self, V::Fault> {
        let system = prompt::system(profile.profile(), started.platform, profile.mix());
        conversation.begin(system).await?;
        let sources = Sources::find(&started, &profile, pen, conversation, view).await?;
        let has_notion = pen.remote().notion.is_some();
        let now = Now::read();
        let log = SessionLog::begin(&started.request, profile.used(), has_notion, now);
        let draft = Draft::default();
        Ok(Self {
            pen,
            lang,
            conversation,
            view,
            profile,
            started,
            sources,
            log,
            draft,
            unclear: 0,
        })
    }

    /// Writes the first draft, or shows the one there is.
    pub async fn first(&mut self) -> Result<Next, V::Fault> {
        if let Some(question) = self.draft.question.clone() {
            if !self.draft.text().is_empty() {
                self.show_again().await?;
            }
            self.ask_again(&question)?;
            return Ok(Next::Line);
        }
        if !self.draft.text().is_empty() {
            self.show_again().await?;
            return self.next_line();
        }
        if self.started.facts && self.pen.remote().search.is_none() {
            self.message("session.no_search")?;
        }
        if self.started.variants > 0 {
            return self.offer_hooks().await;
        }
        self.write_first(None).await
    }

    /// Takes a line of the author.
    pub async fn say(&mut self, line: &str) -> Result<Next, V::Fault> {
        let answered = match self.draft.question.clone() {
            Some(Question::Hook { hooks }) => self.choose_hook(&hooks, line).await?,
            Some(Question::Proposal(change)) => self.answer_proposal(change, line).await?,
            Some(Question::Value(change)) => self.answer_value(change, line).await?,
            Some(Question::Notion) => self.answer_notion(line).await?,
            None => self.take_feedback(line).await?,
        };
        match answered {
            Some(next) => Ok(next),
            None => self.next_line(),
        }
    }

    /// The author is gone, or wants to leave: the draft stays as it is.
    pub async fn leave(&mut self) -> Result<Next, V::Fault> {
        self.keep(DraftEvent::Left { at: Now::read().iso() }).await?;
        if self.draft.status == super::Status::Left {
            self.message("session.left")?;
        }
        Ok(Next::Done(SessionEnd::Done))
    }

    /// Is there a text that a failure could not take away?
    pub fn has_text(&self) -> bool {
        !self.draft.text().is_empty()
    }

    /// Reports a fault after which the session goes on: the draft is still there.
    pub fn failed(
        &mut self,
        report: impl FnOnce(&mut V) -> Result<(), V::Fault>,
    ) -> Result<(), V::Fault> {
        report(self.view)?;
        let text = self.lang.say("session.draft_stays").to_owned();
        self.view.show(&Shown::Note { text })
    }

    /// The state of the draft.
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Shows usage and cost, and writes the session log.
    pub async fn finish(&mut self) -> Result<(), V::Fault> {
        let now = Now::read();
        for (kind, data) in self.conversation.new_events().await? {
            self.log.add(kind, data, now);
        }
        let (usage, money) = self.conversation.spent().await?;
        self.log.spend(&usage, money);
        let money = money.map(|dollars| format!(", ~${dollars:.4}")).unwrap_or_default();
        let values: [(&str, &dyn std::fmt::Display); 3] =
            [("input", &usage.input), ("output", &usage.output), ("cache", &usage.cache_read)];
        let text = format!("{}{money}", self.lang.fill("session.tokens", &values));
        self.view.show(&Shown::Note { text })?;
        if let Err(fault) = self.log.finish(self.pen.workspace(), now) {
            tracing::warn!(%fault, "cannot write the session log");
        }
        Ok(())
    }

    /// Writes an event, then applies it.
    async fn keep(&mut self, event: DraftEvent) -> Result<(), V::Fault> {
        self.conversation.keep(&event).await?;
        self.draft.apply(&event);
        Ok(())
    }

    /// Asks something; the next line is the answer.
    async fn ask(&mut self, question: Question) -> Result<Option<Next>, V::Fault> {
        self.unclear = 0;
        self.keep(DraftEvent::Asked { question: question.clone() }).await?;
        self.ask_again(&question)?;
        Ok(Some(Next::Line))
    }

    fn ask_again(&mut self, question: &Question) -> Result<(), V::Fault> {
        let key = match question {
            Question::Hook { hooks } => {
                for (index, hook) in hooks.iter().enumerate() {
                    let text = format!("{}. {hook}", index + 1);
                    self.view.show(&Shown::Text { text })?;
                }
                "session.which_hook"
            }
            Question::Proposal(change) => {
                self.show_proposal(change)?;
                "session.update_profile"
            }
            Question::Value(change) => {
                self.show_proposal(change)?;
                "session.write_value"
            }
            Question::Notion => "session.to_notion_too",
        };
        self.view.show(&Shown::Question { text: self.lang.say(key).to_owned() })
    }

    fn next_line(&mut self) -> Result<Next, V::Fault> {
        let text = self.lang.say("session.invite").to_owned();
        self.view.show(&Shown::Invite { text })?;
        Ok(Next::Line)
    }

    fn message(&mut self, key: &str) -> Result<(), V::Fault> {
        self.view.show(&Shown::Message { text: self.lang.say(key).to_owned() })
    }

    /// Logs an event, after the new events of the conversation.
    async fn log_event(&mut self, kind: EventKind, data: Value) -> Result<(), V::Fault> {
        let now = Now::read();
        for (kind, data) in self.conversation.new_events().await? {
            self.log.add(kind, data, now);
        }
        self.log.add(kind, data, now);
        Ok(())
    }
}
