//! `ghostpen init`: a profile from posts: measured, described by a model, corrected by you.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use contract::Model;
use emit::{Ask, EmitLimits, RefusedRungs, emit_value};
use pen::analysis::{
    ProfileBuilder, analysis_instructions, correction, correction_input, voice_schema,
};
use pen::feedback::{Feedback, parse_feedback};
use pen::profile::Kind;
use pen::read_posts::{POSTS_ENOUGH, Pasted, ReadPosts};
use pen::stylometry::Stylometry;
use pen::{Now, Platform, Profile, ProfileName};
use serde_json::Value;

use super::context::{PenContext, has_person};
use super::line_editor::Lines;
use super::platform;
use super::render;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, cyan, dim};
use crate::wiring::runtime::on_runtime;

/// Learn your voice from your posts
///
/// Give a folder of .md or .txt files, one file with posts between lines of `---`, a pipe, or
/// paste them. Without a model the profile is measured; with one it is described too.
#[derive(Args)]
pub(super) struct InitArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Put the new profile in the place of the old one
    #[arg(long)]
    replace: bool,
}

/// Where posts come from.
#[derive(Args)]
pub(super) struct SourceArgs {
    /// A folder or a file with posts; without it they are pasted or piped
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// What the posts were written for
    #[arg(long, value_name = "NAME", value_parser = platform)]
    platform: Option<Platform>,
    /// Save without asking for corrections
    #[arg(long)]
    yes: bool,
}

/// What a pipe may bring.
const PIPE_BYTES_MAX: usize = 8 << 20;
/// What one description may cost.
const OUTPUT_TOKENS: u32 = 8_192;
const POSTS_SHOWN_MAX: usize = 30;

impl InitArgs {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let name = ProfileName::default();
        if !self.replace && ctx.shelf().profile_file(&name).exists() {
            return Err(Failure::message(
                ctx.text("профіль `default` уже є", "there is a profile `default` already"),
                ctx.text(
                    "`ghostpen profile show` показує його, `ghostpen init --replace` замінить",
                    "`ghostpen profile show` shows it, `ghostpen init --replace` replaces it",
                ),
            ));
        }
        make(ctx, &name, Kind::Personal, &self.source, printer)
    }
}

/// Makes a profile of either kind.
pub(super) fn make(
    ctx: &PenContext,
    name: &ProfileName,
    kind: Kind,
    source: &SourceArgs,
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
            printer.say(dim(ctx.text(
                "моделі немає: профіль виміряно, опис голосу можна додати згодом",
                "there is no model: the profile is measured; a description can be added later",
            )))?;
            None
        }
    };
    let maker = Maker { ctx, sketch, habits, model };
    maker.finish(described, source.yes || was_piped, printer)
}

fn report_intake(
    ctx: &PenContext,
    intake: &ReadPosts,
    printer: &mut Printer,
) -> Result<(), Failure> {
    match intake.posts.len() {
        0 => return Err(no_posts(ctx)),
        few if few < POSTS_ENOUGH => {
            let text = ctx.text(
                "мало постів: профіль буде приблизним, краще 5 і більше",
                "few posts: the profile will be rough; five or more are better",
            );
            printer.say(format!("{}: {text}", cyan(few)))?;
        }
        many => printer.say(format!("{}: {many}", ctx.text("постів", "posts")))?,
    }
    if intake.too_short > 0 {
        let text = ctx.text("закороткі, пропущено", "too short, left out");
        printer.say(dim(format!("{text}: {}", intake.too_short)))?;
    }
    Ok(())
}

fn no_posts(ctx: &PenContext) -> Failure {
    Failure::message(
        ctx.text("немає жодного поста", "there is not a single post"),
        ctx.text(
            "дайте папку або файл: ghostpen init posts/, або вставте пости, розділені рядком ---",
            "give a folder or a file: ghostpen init posts/, or paste posts with --- between them",
        ),
    )
}

impl SourceArgs {
    fn read(&self, ctx: &PenContext, printer: &mut Printer) -> Result<ReadPosts, Failure> {
        if let Some(path) = &self.path {
            return ReadPosts::of_path(path).map_err(|fault| {
                let what = anyhow::Error::new(fault).context(format!("`{}`", path.display()));
                Failure::user(
                    what,
                    ctx.text(
                        "назвіть папку або файл з постами",
                        "name a folder or a file with posts",
                    ),
                )
            });
        }
        if !has_person() {
            let text = crate::commands::emit::read_text(Path::new("-"), PIPE_BYTES_MAX)?;
            return Ok(ReadPosts::of_text(&text));
        }
        printer.say(ctx.text(
            "Вставте пости, розділені рядком ---; два порожні рядки закінчують.",
            "Paste posts with a line --- between them; two empty lines end.",
        ))?;
        let mut pasted = Pasted::default();
        while let Some(line) = super::context::read_plain_line()? {
            if pasted.push(&line) {
                break;
            }
        }
        Ok(ReadPosts::of_text(&pasted.into_text()))
    }
}

/// The posts and what was measured, as the model reads them.
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

/// What a model says about the voice; none if it could not, and that is told.
fn describe(
    ctx: &PenContext,
    model: &Arc<dyn Model>,
    habits: &Stylometry,
    input: &str,
    printer: &mut Printer,
) -> Result<Option<Value>, Failure> {
    printer.say(dim(format!("{} {}…", ctx.text("читає", "reading:"), model.facts())))?;
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
            .map_err(|fault| Failure::user(fault, "give fewer posts"))
    })?;
    let usage = emitted.history.usage();
    printer.say(dim(format!(
        "{}: {} in, {} out",
        ctx.text("токени", "tokens"),
        usage.input,
        usage.output
    )))?;
    match emitted.whole() {
        Ok(value) => Ok(Some(value)),
        Err(why) => {
            let text = ctx.text("модель не описала голос", "the model did not describe the voice");
            printer.say(format!("{text}: {why}"))?;
            Ok(None)
        }
    }
}

/// A profile while it is corrected.
struct Maker<'a> {
    ctx: &'a PenContext,
    sketch: ProfileBuilder<'a>,
    habits: Stylometry,
    model: Option<Arc<dyn Model>>,
}

impl Maker<'_> {
    fn finish(
        &self,
        described: Option<Value>,
        at_once: bool,
        printer: &mut Printer,
    ) -> CommandResult {
        let ctx = self.ctx;
        let mut described = described;
        let mut profile = self.profile(described.as_ref())?;
        render::show(&profile, ctx.lang, printer)?;
        if at_once {
            return self.save(&profile, printer);
        }
        let mut lines = Lines::open()?;
        loop {
            printer.say(ctx.text(
                "ok — зберегти, exit — скасувати, або що виправити (voice.tone = теплий)",
                "ok saves, exit cancels, or say what to correct (voice.tone = warm)",
            ))?;
            let Some(line) = lines.read()? else {
                printer.say(ctx.text(
                    "не збережено; --yes зберігає без питань",
                    "not saved; --yes saves without asking",
                ))?;
                return Ok(ExitStatus::Faults);
            };
            match parse_feedback(&line) {
                Feedback::Save => return self.save(&profile, printer),
                _ if line.trim().is_empty() => return self.save(&profile, printer),
                Feedback::Leave => {
                    printer.say(ctx.text("скасовано", "cancelled"))?;
                    return Ok(ExitStatus::Success);
                }
                Feedback::SaveToNotion
                | Feedback::ByHand
                | Feedback::Again
                | Feedback::Edit(_)
                | Feedback::Style(_)
                | Feedback::Other => {
                    let made = self.corrected(&profile, described.as_ref(), &line, printer)?;
                    if let Some((changed, now_described)) = made {
                        (profile, described) = (changed, now_described);
                        render::show(&profile, ctx.lang, printer)?;
                    }
                }
            }
        }
    }

    fn profile(&self, described: Option<&Value>) -> Result<Profile, Failure> {
        let fix = self.ctx.text("запустіть ще раз", "run it again");
        self.sketch.profile(&self.habits, described).map_err(|fault| Failure::user(fault, fix))
    }

    /// One correction: a field by hand, else the model's. One that fails keeps what was there.
    fn corrected(
        &self,
        profile: &Profile,
        described: Option<&Value>,
        line: &str,
        printer: &mut Printer,
    ) -> Result<Option<(Profile, Option<Value>)>, Failure> {
        let ctx = self.ctx;
        if let Some(changes) = correction(line) {
            return match profile.with_fields(&changes) {
                Ok(changed) => Ok(Some((changed, described.cloned()))),
                Err(fault) => {
                    printer
                        .say(format!("{}: {fault}", ctx.text("не виправлено", "not corrected")))?;
                    Ok(None)
                }
            };
        }
        let (Some(model), Some(before)) = (&self.model, described) else {
            printer.say(ctx.text(
                "без моделі виправляйте так: voice.tone = теплий, іронічний",
                "without a model correct it so: voice.tone = warm, ironic",
            ))?;
            return Ok(None);
        };
        let input = correction_input(before, line);
        let Some(after) = describe(ctx, model, &self.habits, &input, printer)? else {
            return Ok(None);
        };
        Ok(Some((self.profile(Some(&after))?, Some(after))))
    }

    fn save(&self, profile: &Profile, printer: &mut Printer) -> CommandResult {
        let ctx = self.ctx;
        ctx.shelf().replace(profile).map_err(|fault| ctx.unreadable(fault))?;
        let path = ctx.shelf().profile_file(self.sketch.name);
        printer.say(format!("{} {}", ctx.text("збережено:", "saved:"), cyan(path.display())))?;
        if self.sketch.kind == Kind::Reference {
            printer.say(dim(ctx.text(
                "це прийоми для --mix, а не особа для наслідування",
                "these are techniques for --mix, not a person to imitate",
            )))?;
        }
        Ok(ExitStatus::Success)
    }
}
