//! `ghosthand pen`, also `ghostpen`: drafts posts in your voice.

mod analyze;
mod context;
mod draft;
mod help;
mod init;
mod learn;
mod line_editor;
mod lint;
mod posts;
mod preview;
mod profile;
mod prompt;
mod render;
mod resume;
mod stats;
mod thread;

use clap::{Args, Subcommand};
use contract::nearest;
use pen::{Lang, Platform};

pub(crate) use self::help::{
    in_ukrainian as help_in_ukrainian, language_of as help_language, usage_fault,
};

use self::context::PenContext;
use crate::config::Config;
use crate::exit::{CommandResult, Failure};
use crate::render::printer::Printer;

/// Write posts in your own voice
///
/// `ghostpen init` learns your voice from posts; `ghostpen "topic for LinkedIn"` writes a draft,
/// takes feedback and saves what you approve. Without a model, `ghostpen prompt` prints a prompt
/// for any chat, and `init`, `lint`, `analyze`, `stats`, `posts search` and `thread` work fully.
#[derive(Args)]
#[command(subcommand_negates_reqs = true)]
pub(crate) struct PenArgs {
    #[command(subcommand)]
    command: Option<PenCommand>,
    #[command(flatten)]
    draft: draft::DraftArgs,
    /// The language of the interface [default: from the locale]
    #[arg(long, global = true, value_name = "LANG", value_parser = ["uk", "en"])]
    lang: Option<String>,
    /// The folder with profiles, posts and logs [default: data]
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<String>,
    /// The model, as provider:name
    #[arg(long, global = true, value_name = "MODEL")]
    model: Option<String>,
}

#[derive(Subcommand)]
enum PenCommand {
    Init(init::InitArgs),
    #[command(subcommand)]
    Profile(profile::ProfileCommand),
    Analyze(analyze::AnalyzeArgs),
    Lint(lint::LintArgs),
    Prompt(prompt::PromptArgs),
    Stats(stats::StatsArgs),
    #[command(subcommand)]
    Posts(posts::PostsCommand),
    Thread(thread::ThreadArgs),
    Learn(learn::LearnArgs),
    Drafts(resume::DraftsArgs),
    Resume(resume::ResumeArgs),
}

const COMMANDS: [&str; 11] = [
    "init", "profile", "analyze", "lint", "prompt", "stats", "posts", "thread", "learn", "drafts",
    "resume",
];

impl PenArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let mut config = Config::load()?;
        config.flag("pen.lang", "--lang", self.lang);
        config.flag("pen.data", "--data", self.data);
        config.flag("model", "--model", self.model);
        let ctx = PenContext::new(config);
        printer.say_faults_in(ctx.lang);
        match self.command {
            Some(PenCommand::Init(args)) => args.run(&ctx, printer),
            Some(PenCommand::Profile(command)) => command.run(&ctx, printer),
            Some(PenCommand::Analyze(args)) => args.run(&ctx, printer),
            Some(PenCommand::Lint(args)) => args.run(&ctx, printer),
            Some(PenCommand::Prompt(args)) => args.run(&ctx, printer),
            Some(PenCommand::Stats(args)) => args.run(&ctx, printer),
            Some(PenCommand::Posts(command)) => command.run(&ctx, printer),
            Some(PenCommand::Thread(args)) => args.run(&ctx, printer),
            Some(PenCommand::Learn(args)) => args.run(&ctx, printer),
            Some(PenCommand::Drafts(args)) => args.run(&ctx, printer),
            Some(PenCommand::Resume(args)) => args.run(&ctx, printer),
            None => {
                refuse_misspelt(&self.draft.topic, ctx.lang)?;
                self.draft.run(&ctx, printer)
            }
        }
    }
}

/// A misspelt command would be taken as a topic and cost a model call.
fn refuse_misspelt(topic: &[String], lang: Lang) -> Result<(), Failure> {
    let Some(first) = topic.first().filter(|first| !first.contains(' ')) else { return Ok(()) };
    match nearest(first, COMMANDS) {
        Some(near) if first.is_ascii() => Err(Failure::usage(
            lang.fill("draft.unknown_command", &[("name", first), ("near", &near)]),
            lang.fill("draft.unknown_command_fix", &[("name", first)]),
        )),
        Some(_) | None => Ok(()),
    }
}

/// A platform from a flag.
fn platform(text: &str) -> Result<Platform, String> {
    text.parse().map_err(|unknown: pen::UnknownPlatform| unknown.to_string())
}
