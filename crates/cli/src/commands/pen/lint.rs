//! `ghostpen lint`: checks a text against a profile, with an exit code for scripts.

use std::path::{Path, PathBuf};

use clap::Args;
use pen::lint::{LintContext, lint};
use pen::posts::split;
use pen::{Platform, Profile};

use super::context::PenContext;
use super::platform;
use super::render;
use crate::commands::emit::read_text;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::{Printer, dim};

/// Check a text against a profile, without a model
///
/// Exits with 1 if a hard rule is broken. Rules that cannot be checked offline are listed, and
/// never counted as passed.
#[derive(Args)]
pub(super) struct LintArgs {
    /// The text; `-` is standard input
    file: PathBuf,
    /// The profile
    #[arg(long, value_name = "NAME", default_value = "default")]
    profile: String,
    /// The target platform [default: from the front matter]
    #[arg(long, value_name = "NAME", value_parser = platform)]
    platform: Option<Platform>,
    /// A source file for facts; repeatable
    #[arg(long, value_name = "FILE")]
    source: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const TEXT_BYTES_MAX: usize = 1 << 20;
/// Saved posts that a text is compared with, those with the most words in common.
const SIMILAR_MAX: usize = 20;

impl LintArgs {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let profile = ctx.profile(&self.profile)?;
        let text = read_text(&self.file, TEXT_BYTES_MAX)?;
        let (front, draft) = split(&text);
        let draft = draft.trim_end();
        let first = profile.platforms().first().copied().unwrap_or(Platform::Linkedin);
        let platform = self.platform.or_else(|| front.platform.parse().ok()).unwrap_or(first);
        let mut sources = Vec::new();
        for source in &self.source {
            sources.push(read_text(source, TEXT_BYTES_MAX)?);
        }
        let given: Vec<&str> = sources.iter().map(String::as_str).collect();
        let given = (!given.is_empty()).then_some(given.as_slice());
        let lang = ctx.lang;
        let past = not_to_copy(ctx, &profile, draft, &self.file);
        let past: Vec<&str> = past.iter().map(String::as_str).collect();
        let against = LintContext { profile: &profile, platform, past: &past, given, lang };
        let report = lint(draft, &against);
        if self.json {
            printer.json(&report)?;
        } else {
            printer.message(dim(render::length(&profile, platform, draft)))?;
            render::findings(&report, ctx.lang, printer)?;
            if report.violations.is_empty() {
                printer.message(ctx.lang.say("lint.none"))?;
            }
        }
        Ok(if report.has_errors() { ExitStatus::Faults } else { ExitStatus::Success })
    }
}

/// Examples of other profiles and saved posts; a saved post is not a copy of its own file.
pub(super) fn not_to_copy(
    ctx: &PenContext,
    profile: &Profile,
    draft: &str,
    file: &Path,
) -> Vec<String> {
    let same = |one: &Path, other: &Path| match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        (Ok(_) | Err(_), _) => false,
    };
    let folder = file.parent().unwrap_or(Path::new("."));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let is_saved = same(folder, &ctx.workspace().posts_dir());
    let own = file.file_name().and_then(|name| name.to_str()).filter(|_| is_saved);
    let own: Vec<String> = own.map(str::to_owned).into_iter().collect();
    let mut texts = ctx.workspace().examples_except(profile.name());
    texts.extend(ctx.pen.posts().similar(draft, SIMILAR_MAX, &own));
    texts
}
