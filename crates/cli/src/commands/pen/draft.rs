//! `ghostpen "topic"`: a draft, feedback until it is right, then a file. `resume` goes on with one.
//!
//! The session itself is [`pen::session`]; here are its view and the loop that reads lines.

mod terminal;
mod turns;

use std::sync::Arc;

use clap::Args;
use pen::Platform;
use pen::request::Request;
use pen::session::{
    ConversationSetup, Draft, DraftOptions, EngineConversation, Next, ProfileSource, Session,
    SessionEnd, new_id,
};

use self::terminal::Terminal;
use self::turns::{TerminalTurns, turn_failure};
use super::context::PenContext;
use super::platform;
use super::preview::Preview;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::Printer;
use crate::wiring::engine_setup::EngineArgs;
use crate::wiring::open_store::StoreUse;
use crate::wiring::pen_tools;
use crate::wiring::runtime::on_runtime;

/// What to write, and how.
#[derive(Args)]
pub(super) struct DraftArgs {
    /// What to write about: "напиши пост про вигорання для LinkedIn"
    #[arg(value_name = "TOPIC")]
    pub topic: Vec<String>,
    #[command(flatten)]
    style: StyleArgs,
    /// The address of a Notion page to write from
    #[arg(long, value_name = "URL")]
    notion: Option<String>,
    /// Search the web for facts and numbers first
    #[arg(long)]
    facts: bool,
    /// Choose from this many openings first
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=5))]
    variants: u8,
}

/// Whose voice to write in, and for which platform.
#[derive(Args)]
pub(super) struct StyleArgs {
    /// The profile to write with
    #[arg(long, value_name = "NAME", default_value = "default", conflicts_with = "mix")]
    profile: String,
    /// The voice of the first profile with the techniques of the second
    #[arg(long, num_args = 2, value_names = ["BASE", "TECHNIQUES"])]
    mix: Option<Vec<String>>,
    /// The target platform [default: from the topic or the profile]
    #[arg(long, value_name = "NAME", value_parser = platform)]
    pub platform: Option<Platform>,
}

impl StyleArgs {
    pub(super) fn profile(&self) -> ProfileSource {
        match self.mix.as_deref() {
            Some([base, techniques]) => ProfileSource::Mix(base.clone(), techniques.clone()),
            Some(_) | None => ProfileSource::One(self.profile.clone()),
        }
    }
}

impl DraftArgs {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let topic = self.topic.join(" ");
        if topic.trim().is_empty() {
            return Err(no_topic(ctx));
        }
        let options = DraftOptions {
            request: Request::parse(&topic),
            profile: self.style.profile(),
            platform: self.style.platform,
            notion: self.notion,
            facts: self.facts,
            variants: usize::from(self.variants),
            secrets: pen_tools::secrets(&ctx.config),
        };
        run(ctx, Work::New(Box::new(options)), printer)
    }
}

/// A new draft, or one that goes on.
pub(super) enum Work {
    New(Box<DraftOptions>),
    Stored { id: String, draft: Box<Draft> },
}

/// Runs a session at the terminal.
pub(super) fn run(ctx: &PenContext, work: Work, printer: &mut Printer) -> CommandResult {
    let Some(model) = ctx.model()? else { return Err(no_model(ctx)) };
    on_runtime(async {
        let preview = Arc::new(Preview::new(printer.is_styled()));
        let id = match &work {
            Work::New(_) => None,
            Work::Stored { id, .. } => Some(id.clone()),
        };
        // The unpacked contracts, kept while the engine is open.
        let tools = tempfile::tempdir()?;
        pen::tools::unpack(tools.path())?;
        let args = EngineArgs { dir: Some(tools.path().to_owned()), store: None, rules: None };
        let engine = args.open_unlocked(&ctx.config, StoreUse::Write)?;
        let id = id.unwrap_or_else(|| new_id(engine.now().0));
        let setup = ConversationSetup {
            engine,
            model: Some(model),
            control: Arc::new(TerminalTurns(Arc::clone(&preview))),
            lang: ctx.lang,
            to_fault: turn_failure,
        };
        let mut conversation = EngineConversation::open(setup, id);
        let mut terminal = Terminal::new(ctx, preview, printer);
        let end = converse(ctx, work, &mut conversation, &mut terminal).await;
        conversation.close().await;
        Ok(match end? {
            SessionEnd::Done => ExitStatus::Success,
            SessionEnd::NotSaved => ExitStatus::Faults,
        })
    })
}

/// Reads lines until the session is over.
async fn converse(
    ctx: &PenContext,
    work: Work,
    conversation: &mut EngineConversation<Failure>,
    terminal: &mut Terminal<'_>,
) -> Result<SessionEnd, Failure> {
    let known = (&ctx.pen, ctx.lang);
    let mut lines = super::line_editor::Lines::open()?;
    let mut session = match work {
        Work::New(options) => Session::begin(*options, known, conversation, terminal).await?,
        Work::Stored { draft, .. } => {
            let secrets = pen_tools::secrets(&ctx.config);
            Session::resume(*draft, secrets, known, conversation, terminal).await?
        }
    };
    let mut next = session.first().await;
    let end = loop {
        next = match next {
            Ok(Next::Done(end)) => break Ok(end),
            Ok(Next::Line) => match tokio::task::block_in_place(|| lines.read())? {
                Some(line) => session.say(&line).await,
                None => session.leave().await,
            },
            Ok(Next::Editor(text)) => {
                let edited = tokio::task::block_in_place(|| terminal::edit(&text))?;
                session.edited(edited).await
            }
            // A failed or stopped model loses an answer, never the draft.
            Err(fault) if session.has_text() => {
                session.failed(|view| view.show_fault(&fault))?;
                Ok(Next::Line)
            }
            Err(fault) => break Err(fault),
        };
    };
    session.finish().await?;
    end
}

fn no_topic(ctx: &PenContext) -> Failure {
    Failure::usage(ctx.lang.say("draft.no_topic"), ctx.lang.say("draft.no_topic_fix"))
}

fn no_model(ctx: &PenContext) -> Failure {
    Failure::message(ctx.lang.say("draft.no_model"), ctx.lang.say("draft.no_model_fix"))
}
