//! The rounds of a session: a draft is checked and shown, the person says something, again.

mod apply;
mod edit_by_hand;
mod save;

use pen::lint::{LintContext, Report, cleaned, lint};
use pen::prompt::{self, Brief};
use pen::request::Request;
use pen::session::{EventKind, SessionLog, logged};
use pen::{Now, Platform};
use serde_json::{Value, json};

use super::super::context::PenContext;
use super::super::line_editor::Lines;
use super::super::render;
use super::DraftArgs;
use super::conversation::DeskTalk;
use super::profile_gate::Grounded;
use super::sources::{Past, notes, past_posts};
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, bold, dim};
use crate::wiring::pen_tools;

/// How often a draft is mended before it is shown with its faults.
const REPAIRS_MAX: usize = 2;

pub(super) struct Rounds<'a> {
    ctx: &'a PenContext,
    talk: &'a mut DeskTalk,
    grounded: Grounded,
    request: &'a Request,
    platform: Platform,
    past: Past,
    /// What facts may come from.
    given: Vec<String>,
    log: SessionLog,
    lines: Lines,
    draft: String,
    /// The last text that the model wrote, to see what was changed by hand.
    shown: String,
    saved: Option<String>,
}

impl<'a> Rounds<'a> {
    pub(super) async fn begin(
        ctx: &'a PenContext,
        talk: &'a mut DeskTalk,
        grounded: Grounded,
        request: &'a Request,
        platform: Platform,
    ) -> Result<Self, Failure> {
        talk.begin(prompt::system(grounded.profile(), platform, grounded.mix())).await?;
        let past = past_posts(ctx, talk, request).await;
        let has_notion = ctx.pen.remote().notion.is_some();
        let mut log = SessionLog::begin(&request.text, grounded.used(), has_notion, Now::read());
        pen_tools::secrets(&ctx.config).into_iter().for_each(|secret| log.hide(secret));
        let given = vec![request.text.clone()];
        let lines = Lines::open()?;
        let (draft, shown) = (String::new(), String::new());
        Ok(Self {
            ctx,
            talk,
            grounded,
            request,
            platform,
            past,
            given,
            log,
            lines,
            draft,
            shown,
            saved: None,
        })
    }

    pub(super) async fn run(&mut self, args: &DraftArgs, printer: &mut Printer) -> CommandResult {
        let notes = match &args.notion {
            Some(page) => Some(notes(self.ctx, self.talk, page).await?),
            None => None,
        };
        self.given.extend(notes.clone());
        if args.facts && self.ctx.pen.remote().search.is_none() {
            let text = "Пошук недоступний, генерую без зовнішніх даних";
            let en = "Search is not available; going on without outside facts";
            printer.message(self.ctx.text(text, en))?;
        }
        let hook = match args.variants {
            0 => None,
            count => self.choose_hook(usize::from(count), printer).await?,
        };
        let brief = Brief {
            request: &self.request.text,
            past: &self.past.found.clone(),
            notes: notes.as_deref(),
            facts: args.facts && self.ctx.pen.remote().search.is_some(),
            hook: hook.as_deref(),
        };
        self.write(&prompt::first(&brief), printer).await?;
        self.listen(printer).await
    }

    /// Several openings, one of which the person chooses.
    async fn choose_hook(
        &mut self,
        count: usize,
        printer: &mut Printer,
    ) -> Result<Option<String>, Failure> {
        let answer = self.talk.ask(&prompt::hooks(&self.request.text, count)).await?;
        let bare = |line: &str| {
            line.trim()
                .trim_start_matches(|c: char| c.is_ascii_digit() || ".)-•* ".contains(c))
                .to_owned()
        };
        let hooks: Vec<String> =
            answer.lines().map(bare).filter(|line| !line.is_empty()).take(count).collect();
        for (index, hook) in hooks.iter().enumerate() {
            printer.data(format!("{}. {hook}", index + 1))?;
        }
        let ask = self.ctx.text("який hook? номер, або Enter", "which hook? its number, or Enter");
        printer.message(dim(ask))?;
        let line = tokio::task::block_in_place(|| self.lines.read())?.unwrap_or_default();
        let chosen = line.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        Ok(chosen.and_then(|index| hooks.get(index).cloned()))
    }

    /// Asks for a whole draft, mends what breaks hard rules, and shows it.
    async fn write(&mut self, message: &str, printer: &mut Printer) -> Result<(), Failure> {
        self.draft = cleaned(&self.talk.ask(message).await?);
        if self.draft.is_empty() {
            return Err(Failure::message(
                self.ctx.text("модель не дала тексту", "the model gave no text"),
                self.ctx.text("спробуйте ще раз", "try again"),
            ));
        }
        self.remember_found().await?;
        let mut report = self.lint();
        for repair in 1..=REPAIRS_MAX {
            if !report.has_errors() {
                break;
            }
            let count = report.errors().count();
            let mending = self.ctx.text("виправляю порушення", "mending violations");
            printer.message(dim(format!("{mending}: {count} ({repair}/{REPAIRS_MAX})")))?;
            let mended = cleaned(&self.talk.ask(&prompt::repair(&self.draft, &report)).await?);
            if mended.is_empty() {
                break;
            }
            self.draft = mended;
            report = self.lint();
        }
        self.show(&report, printer).await
    }

    fn lint(&self) -> Report {
        let past: Vec<&str> = self.past.texts.iter().map(String::as_str).collect();
        let given: Vec<&str> = self.given.iter().map(String::as_str).collect();
        let profile = self.grounded.profile();
        let platform = self.platform;
        let (past, given, lang) = (past.as_slice(), Some(given.as_slice()), self.ctx.lang);
        lint(&self.draft, &LintContext { profile, platform, past, given, lang })
    }

    /// The draft to standard output, everything about it beside it.
    async fn show(&mut self, report: &Report, printer: &mut Printer) -> Result<(), Failure> {
        self.shown.clone_from(&self.draft);
        let data = json!({ "text": self.draft, "lint": logged(report) });
        self.note(EventKind::AssistantText, data).await?;
        printer.message("")?;
        printer.data(&self.draft)?;
        printer.message("")?;
        let length = render::length(self.grounded.profile(), self.platform, &self.draft);
        printer.message(dim(length))?;
        render::findings(report, self.ctx.lang, printer)?;
        Ok(())
    }

    /// What a search found may stand in the draft.
    async fn remember_found(&mut self) -> Result<(), Failure> {
        let talk = self.talk.talk().await?;
        let rounds = talk.turns.last().into_iter().flat_map(|turn| &turn.rounds);
        for settled in rounds.flat_map(|round| round.settled.values()) {
            if settled.call.tool == "search_web" {
                self.given.push(settled.content.to_string());
            }
        }
        Ok(())
    }

    /// Writes an event into the log, after what the conversation had meanwhile.
    async fn note(&mut self, kind: EventKind, data: Value) -> Result<(), Failure> {
        let now = Now::read();
        for (kind, data) in self.talk.news().await? {
            self.log.add(kind, data, now);
        }
        self.log.add(kind, data, now);
        Ok(())
    }

    /// Usage and cost, and the session's log.
    pub(super) async fn finish(&mut self, printer: &mut Printer) -> Result<(), Failure> {
        let now = Now::read();
        for (kind, data) in self.talk.news().await? {
            self.log.add(kind, data, now);
        }
        let (usage, money) = self.talk.spent().await?;
        self.log.spend(&usage, money);
        let money = money.map(|dollars| format!(", ~${dollars:.4}")).unwrap_or_default();
        let tokens = self.ctx.text("токени", "tokens");
        printer.message(dim(format!(
            "{tokens}: {} in, {} out, {} cache{money}",
            usage.input, usage.output, usage.cache_read
        )))?;
        if let Err(fault) = self.log.finish(self.ctx.shelf(), now) {
            tracing::warn!(%fault, "the session's log is not written");
        }
        Ok(())
    }

    /// The prompt of a round.
    fn invite(&self, printer: &mut Printer) -> Result<(), Failure> {
        let invitation = self.ctx.text(
            "ok — зберегти, exit — вийти, edit — правити самому, або скажіть, що змінити",
            "ok saves, exit leaves, edit opens your editor, or say what to change",
        );
        Ok(printer.message(format!("{} {}", bold("ghostpen"), dim(invitation)))?)
    }

    /// What the person says, until it is saved or left.
    async fn listen(&mut self, printer: &mut Printer) -> CommandResult {
        loop {
            self.invite(printer)?;
            let Some(line) = tokio::task::block_in_place(|| self.lines.read())? else {
                return self.leave(printer);
            };
            if line.trim().is_empty() {
                continue;
            }
            match self.heed(&line, printer).await {
                Ok(Some(ending)) => return Ok(ending),
                Ok(None) => {}
                // A model that fails, or was stopped, costs an answer and never the draft.
                Err(fault) => {
                    fault.print(printer)?;
                    let kept = "чернетка лишилась; скажіть ще раз, або ok";
                    let en = "the draft is still there; say it again, or ok";
                    printer.message(dim(self.ctx.text(kept, en)))?;
                }
            }
        }
    }

    fn leave(&self, printer: &mut Printer) -> CommandResult {
        if self.saved.is_none() {
            printer.message(self.ctx.text("вихід без збереження", "left without saving"))?;
        }
        Ok(ExitStatus::Success)
    }
}
