//! `ghostpen init`: creates a profile from posts: measured, described by a model, corrected by you.

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
/// Reads a folder of .md or .txt files, one file with posts separated by `---`, a pipe, or pasted
/// text. Without a model the profile is only measured.
#[derive(Args)]
pub(super) struct InitArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Replace the existing profile
    #[arg(long)]
    replace: bool,
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
                ctx.text("профіль `default` уже є", "the profile `default` already exists"),
                ctx.text(
                    "`ghostpen profile show` показує його, `ghostpen init --replace` замінить",
                    "`ghostpen profile show` shows it, `ghostpen init --replace` replaces it",
                ),
            ));
        }
        make(ctx, &name, Kind::Personal, &self.source, printer)
    }
}

/// Creates a profile of either kind.
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
            printer.message(dim(ctx.text(
                "моделі немає: профіль виміряно, опис голосу можна додати згодом",
                "no model: the profile is measured; a description can be added later",
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
            printer.message(format!("{}: {text}", cyan(few)))?;
        }
        many => printer.message(format!("{}: {many}", ctx.text("постів", "posts")))?,
    }
    if intake.too_short > 0 {
        let text = ctx.text("закороткі, пропущено", "too short, skipped");
        printer.message(dim(format!("{text}: {}", intake.too_short)))?;
    }
    Ok(())
}

fn no_posts(ctx: &PenContext) -> Failure {
    Failure::message(
        ctx.text("немає жодного поста", "there are no posts"),
        ctx.text(
            "дайте папку або файл: ghostpen init posts/, або вставте пости, розділені рядком ---",
            "give a folder or a file: ghostpen init posts/, or paste posts separated by ---",
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
                        "choose a folder or a file with posts",
                    ),
                )
            });
        }
        if !has_person() {
            let text = crate::commands::emit::read_text(Path::new("-"), PIPE_BYTES_MAX)?;
            return Ok(ReadPosts::of_text(&text));
        }
        printer.message(ctx.text(
            "Вставте пости, розділені рядком ---; два порожні рядки закінчують.",
            "Paste posts separated by lines of ---; two empty lines end the input.",
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
    printer.message(dim(format!("{} {}…", ctx.text("читає", "reading:"), model.facts())))?;
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
    printer.message(dim(format!(
        "{}: {} in, {} out",
        ctx.text("токени", "tokens"),
        usage.input,
        usage.output
    )))?;
    match emitted.whole() {
        Ok(value) => Ok(Some(value)),
        Err(why) => {
            let text = ctx.text("модель не описала голос", "the model did not describe the voice");
            printer.message(format!("{text}: {why}"))?;
            Ok(None)
        }
    }
}

/// A profile under correction.
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
            printer.message(ctx.text(
                "ok — зберегти, exit — скасувати, або що виправити (voice.tone = теплий)",
                "ok saves, exit cancels, or type a correction (voice.tone = warm)",
            ))?;
            let Some(line) = lines.read()? else {
                printer.message(ctx.text(
                    "не збережено; --yes зберігає без питань",
                    "not saved; --yes saves without prompting",
                ))?;
                return Ok(ExitStatus::Faults);
            };
            match parse_feedback(&line) {
                Feedback::Save => return self.save(&profile, printer),
                _ if line.trim().is_empty() => return self.save(&profile, printer),
                Feedback::Leave => {
                    printer.message(ctx.text("скасовано", "cancelled"))?;
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

    /// Applies one correction, by field or by the model. On failure the profile stays as it was.
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
                    printer.message(format!(
                        "{}: {fault}",
                        ctx.text("не виправлено", "not corrected")
                    ))?;
                    Ok(None)
                }
            };
        }
        let (Some(model), Some(before)) = (&self.model, described) else {
            printer.message(ctx.text(
                "без моделі виправляйте так: voice.tone = теплий, іронічний",
                "without a model, write it as in: voice.tone = warm, ironic",
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
        ctx.workspace().replace(profile).map_err(|fault| ctx.unreadable(fault))?;
        let path = ctx.workspace().profile_file(self.sketch.name);
        printer.message(format!(
            "{} {}",
            ctx.text("збережено:", "saved:"),
            cyan(path.display())
        ))?;
        if self.sketch.kind == Kind::Reference {
            printer.message(dim(ctx.text(
                "це прийоми для --mix, а не особа для наслідування",
                "these are techniques for --mix, not a person to imitate",
            )))?;
        }
        Ok(ExitStatus::Success)
    }
}
