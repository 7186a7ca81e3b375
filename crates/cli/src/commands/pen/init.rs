//! `ghostpen init`: creates a profile from posts: measured, described by a model, corrected by you.

mod correct;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use contract::Model;
use emit::{AnswerFault, Ask, EmitLimits, RefusedRungs, emit_value};
use pen::analysis::{ProfileBuilder, analysis_instructions, voice_schema};
use pen::profile::Kind;
use pen::read_posts::{POSTS_ENOUGH, Pasted, ReadPosts};
use pen::session::model_fault;
use pen::stylometry::Stylometry;
use pen::{Lang, Now, Platform, ProfileName};
use serde_json::Value;

pub(super) use self::correct::Saving;

use self::correct::Correction;
use super::context::{PenContext, has_person};
use super::platform;
use crate::exit::{CommandResult, Failure};
use crate::render::printer::{Printer, dim};
use crate::wiring::runtime::on_runtime;

/// Learn your voice from your posts
///
/// Reads a folder of .md or .txt files, one file with posts separated by `---`, a pipe, or pasted
/// text. Without a model the profile is only measured.
#[derive(Args)]
pub(super) struct InitArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Replace the existing profile; the old one stays in its history
    #[arg(long)]
    replace: bool,
    /// Replace a described profile even if the new one is less complete
    #[arg(long, requires = "replace")]
    less_complete: bool,
}

/// The source of the posts.
#[derive(Args)]
pub(super) struct SourceArgs {
    /// A folder or a file with posts [default: paste or pipe them]
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// The platform of the posts
    #[arg(long, value_name = "NAME", value_parser = platform)]
    platform: Option<Platform>,
    /// Save without prompting for corrections
    #[arg(long)]
    yes: bool,
}

/// The size limit of piped input.
const PIPE_BYTES_MAX: usize = 8 << 20;
/// The token limit of a description.
const OUTPUT_TOKENS: u32 = 8_192;
const POSTS_SHOWN_MAX: usize = 30;

impl InitArgs {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let name = ProfileName::default();
        if !self.replace && ctx.workspace().profile_file(&name).exists() {
            return Err(Failure::message(
                ctx.lang.say("init.exists"),
                ctx.lang.say("init.exists_fix"),
            ));
        }
        let saving = match self.less_complete {
            true => Saving::EvenLessComplete,
            false => Saving::AsComplete,
        };
        make(ctx, &name, Kind::Personal, &self.source, saving, printer)
    }
}

/// Creates a profile of either kind.
pub(super) fn make(
    ctx: &PenContext,
    name: &ProfileName,
    kind: Kind,
    source: &SourceArgs,
    saving: Saving,
    printer: &mut Printer,
) -> CommandResult {
    let was_piped = source.path.is_none() && !has_person();
    let intake = source.read(ctx, printer)?;
    report_intake(ctx, &intake, printer)?;
    let sketch = ProfileBuilder {
        name,
        kind,
        posts: &intake.posts,
        platform: source.platform,
        lang: ctx.lang,
        now: Now::read(),
    };
    let Some(habits) = sketch.stylometry() else { return Err(no_posts(ctx)) };
    let model = ctx.model()?;
    let described = match &model {
        Some(model) => describe(ctx, model, &habits, &posts_input(&sketch, &habits), printer)?,
        None => {
            printer.message(dim(ctx.lang.say("init.no_model")))?;
            None
        }
    };
    let correction = Correction { ctx, sketch, habits, model, saving };
    correction.finish(described, source.yes || was_piped, printer)
}

fn report_intake(
    ctx: &PenContext,
    intake: &ReadPosts,
    printer: &mut Printer,
) -> Result<(), Failure> {
    match intake.posts.len() {
        0 => return Err(no_posts(ctx)),
        few if few < POSTS_ENOUGH => {
            printer.message(ctx.lang.fill("init.few_posts", &[("count", &few)]))?;
        }
        many => printer.message(ctx.lang.fill("init.posts", &[("count", &many)]))?,
    }
    if intake.too_short > 0 {
        let text = ctx.lang.fill("init.too_short", &[("count", &intake.too_short)]);
        printer.message(dim(text))?;
    }
    Ok(())
}

fn no_posts(ctx: &PenContext) -> Failure {
    Failure::message(ctx.lang.say("init.no_posts"), ctx.lang.say("init.no_posts_fix"))
}

impl SourceArgs {
    fn read(&self, ctx: &PenContext, printer: &mut Printer) -> Result<ReadPosts, Failure> {
        if let Some(path) = &self.path {
            return ReadPosts::of_path(path).map_err(|fault| ctx.no_posts_at(path, fault));
        }
        if !has_person() {
            let text = crate::commands::emit::read_text(Path::new("-"), PIPE_BYTES_MAX)?;
            return Ok(ReadPosts::of_text(&text));
        }
        printer.message(ctx.lang.say("init.paste"))?;
        let mut pasted = Pasted::default();
        while let Some(line) = super::context::read_plain_line()? {
            if pasted.push(&line) {
                break;
            }
        }
        Ok(ReadPosts::of_text(&pasted.into_text()))
    }
}

/// The posts and measurements, for the model.
fn posts_input(sketch: &ProfileBuilder<'_>, habits: &Stylometry) -> String {
    let posts: Vec<String> = sketch
        .posts
        .iter()
        .take(POSTS_SHOWN_MAX)
        .map(|post| format!("<post>\n{post}\n</post>"))
        .collect();
    let rhythm = serde_json::to_string(&habits.rhythm).unwrap_or_default();
    format!(
        "Measured: {rhythm}\nPhrases that come back: {}\n\n{}",
        habits.signature_candidates.join("; "),
        posts.join("\n\n")
    )
}

/// The model's description of the voice; `None` if it fails, which is reported.
fn describe(
    ctx: &PenContext,
    model: &Arc<dyn Model>,
    habits: &Stylometry,
    input: &str,
    printer: &mut Printer,
) -> Result<Option<Value>, Failure> {
    let facts = model.facts();
    printer.message(dim(ctx.lang.fill("init.reading", &[("model", &facts)])))?;
    let ask = Ask {
        name: "style_profile".parse().map_err(|_| Failure::message("a bad name", "report it"))?,
        description: "How the author writes.".to_owned(),
        instructions: analysis_instructions(&habits.language),
        input: input.to_owned(),
        output_tokens: OUTPUT_TOKENS,
        output_tokens_ceiling: OUTPUT_TOKENS * 2,
        list: None,
        limits: EmitLimits { requests_max: 4, ..EmitLimits::machine() },
    };
    let emitted = on_runtime(async {
        emit_value(model.as_ref(), &RefusedRungs::default(), &voice_schema(), &ask)
            .await
            .map_err(|fault| Failure::user(fault, ctx.lang.say("init.fewer_posts")))
    })?;
    let usage = emitted.history.usage();
    let values: [(&str, &dyn std::fmt::Display); 3] =
        [("input", &usage.input), ("output", &usage.output), ("cache", &usage.cache_read)];
    printer.message(dim(ctx.lang.fill("session.tokens", &values)))?;
    match emitted.whole() {
        Ok(value) => Ok(Some(value)),
        Err(fault) => {
            let why = answer_fault(&fault, ctx.lang);
            printer.message(ctx.lang.fill("init.not_described", &[("why", &why)]))?;
            Ok(None)
        }
    }
}

/// Why there is no description, in the writer's language.
fn answer_fault(fault: &AnswerFault, lang: Lang) -> String {
    match (fault, lang) {
        (fault, Lang::En) => fault.to_string(),
        (AnswerFault::Model(fault), Lang::Uk) => {
            let (what, fix) = model_fault(fault, lang);
            format!("{what}; {fix}")
        }
        (AnswerFault::Refused { text }, Lang::Uk) => lang.fill("ask.refused", &[("text", text)]),
        (AnswerFault::ContextExceeded | AnswerFault::OutputLimit { .. }, Lang::Uk) => {
            lang.say("model.too_long").to_owned()
        }
        (
            AnswerFault::Paused { .. }
            | AnswerFault::Unfit { .. }
            | AnswerFault::Missing
            | AnswerFault::Requests { .. },
            Lang::Uk,
        ) => lang.say("ask.no_answer").to_owned(),
    }
}
