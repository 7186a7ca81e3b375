//! `ghostpen "topic"`: a draft, feedback until it is right, then a file.
//!
//! The two rules that no prompt is trusted with stand here and in the policy: a draft can
//! only be asked for with a [`Grounded`], which only a profile that was read makes; and a
//! profile changes only through a call that a person agreed to.

mod conversation;
mod feedback_loop;
mod profile_gate;
mod sources;

use clap::Args;
use pen::Platform;
use pen::request::{PlatformChoice, Request};

use self::conversation::DeskTalk;
use self::feedback_loop::Rounds;
use self::profile_gate::Grounded;
use super::context::PenContext;
use super::platform;
use crate::exit::{CommandResult, Failure};
use crate::render::printer::{Printer, dim};
use crate::wiring::runtime::on_runtime;

/// What is written, and how.
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
    /// Where it will be published; the topic may say it too
    #[arg(long, value_name = "NAME", value_parser = platform)]
    platform: Option<Platform>,
    /// A page of Notion to write from, by its address
    #[arg(long, value_name = "URL")]
    notion: Option<String>,
    /// Look for facts and numbers on the web first
    #[arg(long)]
    facts: bool,
    /// Choose from so many openings first
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
        let request = Request::parse(&topic);
        on_runtime(async {
            let mut talk = DeskTalk::open(ctx, model, printer.is_styled())?;
            let outcome = self.write(ctx, &request, &mut talk, printer).await;
            talk.close().await;
            outcome
        })
    }

    async fn write(
        &self,
        ctx: &PenContext,
        request: &Request,
        talk: &mut DeskTalk,
        printer: &mut Printer,
    ) -> CommandResult {
        let grounded = match &self.mix {
            Some(names) => Grounded::mixed(ctx, talk, &names[0], &names[1], printer).await?,
            None => Grounded::read(ctx, talk, &self.profile).await?,
        };
        let platform = self.choose_platform(ctx, request, &grounded, printer)?;
        let mut rounds = Rounds::begin(ctx, talk, grounded, request, platform).await?;
        let outcome = rounds.run(self, printer).await;
        rounds.finish(printer).await?;
        outcome
    }

    /// The flag, else the request, else the first platform of the profile, and it is said.
    fn choose_platform(
        &self,
        ctx: &PenContext,
        request: &Request,
        grounded: &Grounded,
        printer: &mut Printer,
    ) -> Result<Platform, Failure> {
        let first = grounded.profile().platforms().first().copied().unwrap_or(Platform::Linkedin);
        let (platform, guessed) = match (self.platform, request.platform) {
            (Some(platform), _) | (None, PlatformChoice::Named(platform)) => (platform, false),
            (None, PlatformChoice::Perhaps(platform)) => (platform, true),
            (None, PlatformChoice::Unsaid) => (first, true),
        };
        if !Platform::OF_PROFILES.contains(&platform) {
            let known = "linkedin, instagram, x";
            return Err(Failure::message(
                format!(
                    "{}: `{platform}`",
                    ctx.text("профілі не знають платформи", "profiles do not know")
                ),
                format!("{} {known}", ctx.text("є", "there are")),
            ));
        }
        if guessed {
            let text = ctx.text("платформа", "platform");
            let fix = ctx.text("інша: --platform", "another: --platform");
            printer.message(dim(format!("{text}: {platform} ({fix})")))?;
        }
        Ok(platform)
    }
}

fn no_model(ctx: &PenContext) -> Failure {
    Failure::message(
        ctx.text(
            "для чернетки потрібна модель, а ключа немає",
            "a draft needs a model, and there is no key",
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
