//! The feedback loop: a draft is checked and shown, the author answers, and it starts again.
//!
//! Two rules do not depend on a prompt: a draft needs a [`ReadProfile`], and a profile changes only
//! through a call that the author approved.

mod apply;
mod edit_by_hand;
mod save;

use contract::Secret;
use serde_json::{Value, json};

use super::ports::{Author, Conversation, SessionFault};
use super::profile_gate::{ProfileSource, ReadProfile};
use super::prompt::{self, Brief};
use super::request::{PlatformChoice, Request};
use super::sources::{PastPosts, notion_page, past_posts};
use super::{EventKind, SessionLog, logged};
use crate::clock::Now;
use crate::lint::{LintContext, Report, cleaned, lint};
use crate::posts::length::Platform;
use crate::text::language::Lang;
use crate::tools::Pen;

/// How often a draft is repaired before it is shown with its violations.
const REPAIRS_MAX: usize = 2;

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

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    /// The draft was saved, or the author left.
    Done,
    /// The draft could not be saved.
    NotSaved,
}

/// Runs a drafting session, from reading the profile to the session log.
pub async fn draft<C, A>(
    options: DraftOptions,
    (pen, lang): (&Pen, Lang),
    conversation: &mut C,
    author: &mut A,
) -> Result<SessionEnd, A::Fault>
where
    C: Conversation<Fault = A::Fault>,
    A: Author,
{
    let profile = ReadProfile::read(&options.profile, (pen, lang), conversation, author).await?;
    let platform = choose_platform(&options, &profile, lang, author)?;
    let system = prompt::system(profile.profile(), platform, profile.mix());
    conversation.begin(system).await?;
    let past = past_posts(&options.request, pen, conversation, author).await;
    let has_notion = pen.remote().notion.is_some();
    let text = options.request.text.clone();
    let mut log = SessionLog::begin(&text, profile.used(), has_notion, Now::read());
    options.secrets.iter().for_each(|secret| log.hide(secret.clone()));
    let mut session = Session {
        pen,
        lang,
        conversation,
        author,
        profile,
        request: options.request.clone(),
        platform,
        past,
        sources: vec![text],
        log,
        draft: String::new(),
        shown: String::new(),
        saved: None,
    };
    let end = session.run(&options).await;
    session.finish().await?;
    end
}

/// The option, else the request, else the first platform of the profile, which is reported.
fn choose_platform<A: Author>(
    options: &DraftOptions,
    profile: &ReadProfile,
    lang: Lang,
    author: &mut A,
) -> Result<Platform, A::Fault> {
    let first = profile.profile().platforms().first().copied().unwrap_or(Platform::Linkedin);
    let (platform, is_guess) = match (options.platform, options.request.platform) {
        (Some(platform), _) | (None, PlatformChoice::Named(platform)) => (platform, false),
        (None, PlatformChoice::Perhaps(platform)) => (platform, true),
        (None, PlatformChoice::Unsaid) => (first, true),
    };
    if !Platform::OF_PROFILES.contains(&platform) {
        let what = lang.pick("профілі не знають платформи", "profiles do not support");
        let known = lang.pick("є", "supported:");
        return Err(author.fault(SessionFault::message(
            format!("{what}: `{platform}`"),
            format!("{known} linkedin, instagram, x"),
        )));
    }
    if is_guess {
        let text = lang.pick("платформа", "platform");
        let fix = lang.pick("інша: --platform", "another: --platform");
        author.note(&format!("{text}: {platform} ({fix})"))?;
    }
    Ok(platform)
}

struct Session<'a, C, A> {
    pen: &'a Pen,
    lang: Lang,
    conversation: &'a mut C,
    author: &'a mut A,
    profile: ReadProfile,
    request: Request,
    platform: Platform,
    past: PastPosts,
    /// Texts that facts may come from.
    sources: Vec<String>,
    log: SessionLog,
    draft: String,
    /// The last text of the model, to find what was edited by hand.
    shown: String,
    saved: Option<String>,
}

impl<C, A> Session<'_, C, A>
where
    C: Conversation<Fault = A::Fault>,
    A: Author,
{
    async fn run(&mut self, options: &DraftOptions) -> Result<SessionEnd, A::Fault> {
        let notes = match &options.notion {
            Some(page) => {
                let known = (self.pen, self.lang);
                Some(notion_page(page, known, self.conversation, self.author).await?)
            }
            None => None,
        };
        self.sources.extend(notes.clone());
        let has_search = self.pen.remote().search.is_some();
        if options.facts && !has_search {
            self.message(
                "Пошук недоступний, генерую без зовнішніх даних",
                "Search is not available; continuing without external facts",
            )?;
        }
        let hook = match options.variants {
            0 => None,
            count => self.choose_hook(count).await?,
        };
        let brief = Brief {
            request: &self.request.text,
            past: &self.past.found,
            notes: notes.as_deref(),
            facts: options.facts && has_search,
            hook: hook.as_deref(),
        };
        let message = prompt::first(&brief);
        self.write(&message).await?;
        self.read_feedback().await
    }

    /// Shows several openings and lets the author choose one.
    async fn choose_hook(&mut self, count: usize) -> Result<Option<String>, A::Fault> {
        let answer = self.conversation.ask(&prompt::hooks(&self.request.text, count)).await?;
        let bare = |line: &str| {
            line.trim()
                .trim_start_matches(|c: char| c.is_ascii_digit() || ".)-•* ".contains(c))
                .to_owned()
        };
        let hooks: Vec<String> =
            answer.lines().map(bare).filter(|line| !line.is_empty()).take(count).collect();
        for (index, hook) in hooks.iter().enumerate() {
            self.author.text(&format!("{}. {hook}", index + 1))?;
        }
        let ask = self.lang.pick("який hook? номер, або Enter", "which hook? its number, or Enter");
        self.author.note(ask)?;
        let line = self.author.read_line()?.unwrap_or_default();
        let chosen = line.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        Ok(chosen.and_then(|index| hooks.get(index).cloned()))
    }

    /// Asks for a whole draft, repairs violations of hard rules, and shows it.
    async fn write(&mut self, message: &str) -> Result<(), A::Fault> {
        self.draft = cleaned(&self.conversation.ask(message).await?);
        if self.draft.is_empty() {
            return Err(self.author.fault(SessionFault::message(
                self.lang.pick("модель не дала тексту", "the model gave no text"),
                self.lang.pick("спробуйте ще раз", "try again"),
            )));
        }
        self.add_search_results().await?;
        let mut report = self.lint();
        for repair in 1..=REPAIRS_MAX {
            if !report.has_errors() {
                break;
            }
            let count = report.errors().count();
            let repairing = self.lang.pick("виправляю порушення", "fixing violations");
            self.author.note(&format!("{repairing}: {count} ({repair}/{REPAIRS_MAX})"))?;
            let message = prompt::repair(&self.draft, &report);
            let repaired = cleaned(&self.conversation.ask(&message).await?);
            if repaired.is_empty() {
                break;
            }
            self.draft = repaired;
            report = self.lint();
        }
        self.show(&report).await
    }

    fn lint(&self) -> Report {
        let past: Vec<&str> = self.past.texts.iter().map(String::as_str).collect();
        let given: Vec<&str> = self.sources.iter().map(String::as_str).collect();
        let profile = self.profile.profile();
        let platform = self.platform;
        let (past, given, lang) = (past.as_slice(), Some(given.as_slice()), self.lang);
        lint(&self.draft, &LintContext { profile, platform, past, given, lang })
    }

    /// Shows the draft with its findings.
    async fn show(&mut self, report: &Report) -> Result<(), A::Fault> {
        self.shown.clone_from(&self.draft);
        let data = json!({ "text": self.draft, "lint": logged(report) });
        self.log_event(EventKind::AssistantText, data).await?;
        self.author.message("")?;
        self.author.text(&self.draft)?;
        self.author.message("")?;
        self.author.findings(&self.draft, self.profile.profile(), self.platform, report)
    }

    /// Facts from a web search may appear in the draft.
    async fn add_search_results(&mut self) -> Result<(), A::Fault> {
        let results = self.conversation.last_results("search_web").await?;
        self.sources.extend(results.iter().map(Value::to_string));
        Ok(())
    }

    /// Logs an event, after the new events of the conversation.
    async fn log_event(&mut self, kind: EventKind, data: Value) -> Result<(), A::Fault> {
        let now = Now::read();
        for (kind, data) in self.conversation.new_events().await? {
            self.log.add(kind, data, now);
        }
        self.log.add(kind, data, now);
        Ok(())
    }

    /// Shows usage and cost, and writes the session log.
    async fn finish(&mut self) -> Result<(), A::Fault> {
        let now = Now::read();
        for (kind, data) in self.conversation.new_events().await? {
            self.log.add(kind, data, now);
        }
        let (usage, money) = self.conversation.spent().await?;
        self.log.spend(&usage, money);
        let money = money.map(|dollars| format!(", ~${dollars:.4}")).unwrap_or_default();
        let tokens = self.lang.pick("токени", "tokens");
        self.author.note(&format!(
            "{tokens}: {} in, {} out, {} cache{money}",
            usage.input, usage.output, usage.cache_read
        ))?;
        if let Err(fault) = self.log.finish(self.pen.workspace(), now) {
            tracing::warn!(%fault, "cannot write the session log");
        }
        Ok(())
    }

    /// Reads feedback until the draft is saved or the author leaves.
    async fn read_feedback(&mut self) -> Result<SessionEnd, A::Fault> {
        loop {
            self.author.invite(self.lang.pick(
                "ok — зберегти, exit — вийти, edit — правити самому, або скажіть, що змінити",
                "ok saves, exit leaves, edit opens your editor, or say what to change",
            ))?;
            let Some(line) = self.author.read_line()? else { return self.leave() };
            if line.trim().is_empty() {
                continue;
            }
            match self.apply(&line).await {
                Ok(Some(end)) => return Ok(end),
                Ok(None) => {}
                // A failed or stopped model loses an answer, never the draft.
                Err(fault) => {
                    self.author.show_fault(&fault)?;
                    self.author.note(self.lang.pick(
                        "чернетка лишилась; скажіть ще раз, або ok",
                        "the draft is still there; try again, or ok",
                    ))?;
                }
            }
        }
    }

    fn leave(&mut self) -> Result<SessionEnd, A::Fault> {
        if self.saved.is_none() {
            self.message("вихід без збереження", "left without saving")?;
        }
        Ok(SessionEnd::Done)
    }

    /// A message in the language of the interface.
    fn message(&mut self, uk: &str, en: &str) -> Result<(), A::Fault> {
        self.author.message(self.lang.pick(uk, en))
    }
}
