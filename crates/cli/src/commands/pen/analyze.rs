//! `ghostpen analyze`: compares measured posts with a profile.

use std::path::PathBuf;

use clap::Args;
use pen::analysis::compare;
use pen::read_posts::ReadPosts;
use pen::stylometry::{Stylometry, measure};
use serde_json::json;

use super::context::PenContext;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, bold, cyan, dim};

/// Measure posts and compare them with a profile
///
/// Reads 5 to 30 posts from a folder or a file, or the saved posts. Needs no model. Prints the
/// differences and changes nothing.
#[derive(Args)]
pub(super) struct AnalyzeArgs {
    /// A folder or a file with posts [default: the saved posts]
    path: Option<PathBuf>,
    /// The profile to compare with
    #[arg(long, value_name = "NAME", default_value = "default")]
    profile: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const POSTS_MIN: usize = 5;
const POSTS_MAX: usize = 30;

impl AnalyzeArgs {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let profile = ctx.profile(&self.profile)?;
        let path = self.path.unwrap_or_else(|| ctx.workspace().posts_dir());
        let intake = ReadPosts::of_path(&path).map_err(|fault| {
            let what = anyhow::Error::new(fault).context(format!("`{}`", path.display()));
            Failure::user(
                what,
                ctx.text(
                    "назвіть папку або файл з постами",
                    "choose a folder or a file with posts",
                ),
            )
        })?;
        let posts: Vec<&str> = intake.posts.iter().take(POSTS_MAX).map(String::as_str).collect();
        let Some(habits) = measure(&posts) else {
            return Err(Failure::message(
                ctx.text("немає жодного поста", "there are no posts"),
                ctx.text("назвіть папку з постами", "choose a folder with posts"),
            ));
        };
        if posts.len() < POSTS_MIN {
            let few =
                ctx.text("мало постів, міряйте обережно", "few posts; the measurement is rough");
            printer.message(format!("{}: {few}", cyan(posts.len())))?;
        }
        if intake.posts.len() > POSTS_MAX {
            printer.message(dim(format!(
                "{} {POSTS_MAX} / {}",
                ctx.text("взято", "taken"),
                intake.posts.len()
            )))?;
        }
        let lines = compare(&profile, &habits, ctx.lang);
        if self.json {
            printer.json(&json!({ "measured": habits, "differences": lines }))?;
            return Ok(ExitStatus::Success);
        }
        summary(ctx, &habits, printer)?;
        if lines.is_empty() {
            printer
                .data(ctx.text("профіль збігається з постами", "the profile matches the posts"))?;
        }
        for line in lines {
            printer.data(bold(&line.field))?;
            printer.data(format!("  - {}", line.profile))?;
            printer.data(format!("  + {}", line.measured))?;
        }
        Ok(ExitStatus::Success)
    }
}

fn summary(ctx: &PenContext, habits: &Stylometry, printer: &mut Printer) -> Result<(), Failure> {
    let words = &habits.rhythm.sentence_words;
    let rows = [
        (ctx.text("постів", "posts"), habits.posts.to_string()),
        (ctx.text("слів", "words"), habits.words.to_string()),
        (
            ctx.text("слів у реченні", "words per sentence"),
            format!("{:.1} (p90 {:.0}, max {:.0})", words.mean, words.p90, words.max),
        ),
        (
            ctx.text("фрагменти", "fragments"),
            format!("{:.0} %", habits.rhythm.fragment_share * 100.0),
        ),
        (ctx.text("питання", "questions"), format!("{:.0} %", habits.question_share * 100.0)),
        ("emoji", format!("{:.1} {}", habits.emoji.per_post, habits.emoji.set.join(" "))),
        (
            ctx.text("хештеги", "hashtags"),
            format!("{:.1} ({})", habits.hashtags.per_post, habits.hashtags.place),
        ),
        (ctx.text("фрази", "phrases"), habits.signature_candidates.join(", ")),
    ];
    for (name, value) in rows {
        printer.data(format!("{}: {value}", cyan(name)))?;
    }
    Ok(())
}
