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
        let intake = ReadPosts::of_path(&path).map_err(|fault| ctx.no_posts_at(&path, fault))?;
        let posts: Vec<&str> = intake.posts.iter().take(POSTS_MAX).map(String::as_str).collect();
        let Some(habits) = measure(&posts) else {
            return Err(Failure::message(
                ctx.lang.say("init.no_posts"),
                ctx.lang.say("posts.path_fix"),
            ));
        };
        if posts.len() < POSTS_MIN {
            printer.message(format!("{}: {}", cyan(posts.len()), ctx.lang.say("analyze.few")))?;
        }
        if intake.posts.len() > POSTS_MAX {
            let values: [(&str, &dyn std::fmt::Display); 2] =
                [("taken", &POSTS_MAX), ("all", &intake.posts.len())];
            printer.message(dim(ctx.lang.fill("analyze.taken", &values)))?;
        }
        let lines = compare(&profile, &habits, ctx.lang);
        if self.json {
            printer.json(&json!({ "measured": habits, "differences": lines }))?;
            return Ok(ExitStatus::Success);
        }
        summary(ctx, &habits, printer)?;
        if lines.is_empty() {
            printer.data(ctx.lang.say("analyze.same"))?;
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
    let say = |key: &str| ctx.lang.say(key);
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let rows = [
        (say("analyze.posts"), habits.posts.to_string()),
        (say("analyze.words"), habits.words.to_string()),
        (
            say("analyze.sentence"),
            format!("{:.1} (p90 {:.0}, max {:.0})", words.mean, words.p90, words.max),
        ),
        (say("analyze.fragments"), percent(habits.rhythm.fragment_share)),
        (say("analyze.questions"), percent(habits.question_share)),
        ("emoji", format!("{:.1} {}", habits.emoji.per_post, habits.emoji.set.join(" "))),
        (
            say("analyze.hashtags"),
            format!("{:.1} ({})", habits.hashtags.per_post, habits.hashtags.place),
        ),
        (say("analyze.phrases"), habits.signature_candidates.join(", ")),
    ];
    for (name, value) in rows {
        printer.data(format!("{}: {value}", cyan(name)))?;
    }
    Ok(())
}
