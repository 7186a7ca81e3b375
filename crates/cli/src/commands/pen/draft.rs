//! `ghostpen "topic"`: a draft, feedback until it is right, then a file.
//!
//! The session itself is [`pen::session`]; here are its two ports.

mod conversation;
mod terminal;

use std::sync::Arc;

use clap::Args;
use pen::Platform;
use pen::request::Request;
use pen::session::{DraftOptions, ProfileSource, SessionEnd, draft};

use self::conversation::EngineConversation;
use self::terminal::TerminalAuthor;
use super::context::PenContext;
use super::platform;
use super::preview::Preview;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::Printer;
use crate::wiring::pen_tools;
use crate::wiring::runtime::on_runtime;

/// What to write, and how.
#[derive(Args)]
pub(super) struct DraftArgs {
    /// What to write about: "напиши пост про вигорання для LinkedIn"
    #[arg(value_name = "TOPIC")]
    pub topic: Vec<String>,
    /// The profile to write with
    #[arg(long, value_name = "NAME", default_value = "default", conflicts_with = "mix")]
    profile: String,
    /// The voice of the first profile with the techniques of the second
    #[arg(long, num_args = 2, value_names = ["BASE", "TECHNIQUES"])]
    mix: Option<Vec<String>>,
    /// The target platform [default: from the topic or the profile]
    #[arg(long, value_name = "NAME", value_parser = platform)]
    platform: Option<Platform>,
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

impl DraftArgs {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let topic = self.topic.join(" ");
        if topic.trim().is_empty() {
            return Err(Failure::message(
                ctx.text("немає теми", "there is no topic"),
                ctx.text(
                    "напишіть: ghostpen \"пост про вигорання для LinkedIn\", або ghostpen --help",
                    "write: ghostpen \"a post about burnout for LinkedIn\", or ghostpen --help",
                ),
            ));
        }
        let Some(model) = ctx.model()? else { return Err(no_model(ctx)) };
        let profile = match self.mix.as_deref() {
            Some([base, techniques]) => ProfileSource::Mix(base.clone(), techniques.clone()),
            Some(_) | None => ProfileSource::One(self.profile),
        };
        let options = DraftOptions {
            request: Request::parse(&topic),
            profile,
            platform: self.platform,
            notion: self.notion,
            facts: self.facts,
            variants: usize::from(self.variants),
            secrets: pen_tools::secrets(&ctx.config),
        };
        on_runtime(async {
            let preview = Arc::new(Preview::new(printer.is_styled()));
            let mut conversation = EngineConversation::open(ctx, model, Arc::clone(&preview))?;
            let mut author = TerminalAuthor::new(ctx, preview, printer)?;
            let end = draft(options, (&ctx.pen, ctx.lang), &mut conversation, &mut author).await;
            conversation.close().await;
            Ok(match end? {
                SessionEnd::Done => ExitStatus::Success,
                SessionEnd::NotSaved => ExitStatus::Faults,
            })
        })
    }
}

fn no_model(ctx: &PenContext) -> Failure {
    Failure::message(
        ctx.text(
            "для чернетки потрібна модель, а ключа немає",
            "a draft needs a model, and there is no API key",
        ),
        ctx.text(
            "задайте ANTHROPIC_API_KEY, OPENAI_API_KEY або GEMINI_API_KEY, чи власний сервер: \
             `[providers.ollama]` у ghosthand.toml і --model ollama:NAME; \
             init, lint, analyze, stats, posts search і thread працюють і без моделі",
            "set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or your own server: \
             `[providers.ollama]` in ghosthand.toml and --model ollama:NAME; \
             init, lint, analyze, stats, posts search and thread work without one",
        ),
    )
}
