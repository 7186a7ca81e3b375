//! `ghostpen analyze`: what posts show, against what the profile says.

use std::path::PathBuf;

use clap::Args;
use pen::analysis::compare;
use pen::habits::{Habits, measure};
use pen::intake::Intake;
use serde_json::json;

use super::workspace::Studio;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, bold, cyan, dim};

/// Measure posts and compare them with a profile
///
/// Takes 5 to 30 posts from a folder or a file; without one, the posts you saved. Needs no
/// model. What differs is shown as a diff, and nothing is changed.
#[derive(Args)]
pub(super) struct AnalyzeArgs {
    /// A folder or a file with posts [default: the posts you saved]
    path: Option<PathBuf>,
    /// The profile to compare with
    #[arg(long, value_name = "NAME", default_value = "default")]
    profile: String,
    /// As JSON
    #[arg(long)]
    json: bool,
}

const POSTS_MIN: usize = 5;
const POSTS_MAX: usize = 30;

impl AnalyzeArgs {
    pub(super) fn run(self, studio: &Studio, printer: &mut Printer) -> CommandResult {
        let profile = studio.profile(&self.profile)?;
        let path = self.path.unwrap_or_else(|| studio.shelf().posts_dir());
        let intake = Intake::of_path(&path).map_err(|fault| {
            let what = anyhow::Error::new(fault).context(format!("`{}`", path.display()));
            Failure::user(
                what,
                studio
                    .say("назвіть папку або файл з постами", "name a folder or a file with posts"),
            )
        })?;
        let posts: Vec<&str> = intake.posts.iter().take(POSTS_MAX).map(String::as_str).collect();
        let Some(habits) = measure(&posts) else {
            return Err(Failure::message(
                studio.say("немає жодного поста", "there is not a single post"),
                studio.say("назвіть папку з постами", "name a folder with posts"),
            ));
        };
        if posts.len() < POSTS_MIN {
            let few = studio.say("мало постів, міряйте обережно", "few posts, take it with care");
            printer.say(format!("{}: {few}", cyan(posts.len())))?;
        }
        if intake.posts.len() > POSTS_MAX {
            printer.say(dim(format!(
                "{} {POSTS_MAX} / {}",
                studio.say("взято", "taken"),
                intake.posts.len()
            )))?;
        }
        let lines = compare(&profile, &habits, studio.lang);
        if self.json {
            printer.json(&json!({ "measured": habits, "differences": lines }))?;
            return Ok(ExitStatus::Success);
        }
        summary(studio, &habits, printer)?;
        if lines.is_empty() {
            printer.data(
                studio.say("профіль збігається з постами", "the profile agrees with the posts"),
            )?;
        }
        for line in lines {
            printer.data(bold(&line.field))?;
            printer.data(format!("  - {}", line.profile))?;
            printer.data(format!("  + {}", line.measured))?;
        }
        Ok(ExitStatus::Success)
    }
}

fn summary(studio: &Studio, habits: &Habits, printer: &mut Printer) -> Result<(), Failure> {
    let words = &habits.rhythm.sentence_words;
    let rows = [
        (studio.say("постів", "posts"), habits.posts.to_string()),
        (studio.say("слів", "words"), habits.words.to_string()),
        (
            studio.say("слів у реченні", "words a sentence"),
            format!("{:.1} (p90 {:.0}, max {:.0})", words.mean, words.p90, words.max),
        ),
        (
            studio.say("фрагменти", "fragments"),
            format!("{:.0} %", habits.rhythm.fragment_share * 100.0),
        ),
        (studio.say("питання", "questions"), format!("{:.0} %", habits.question_share * 100.0)),
        ("emoji", format!("{:.1} {}", habits.emoji.per_post, habits.emoji.set.join(" "))),
        (
            studio.say("хештеги", "hashtags"),
            format!("{:.1} ({})", habits.hashtags.per_post, habits.hashtags.place),
        ),
        (studio.say("фрази", "phrases"), habits.signature_candidates.join(", ")),
    ];
    for (name, value) in rows {
        printer.data(format!("{}: {value}", cyan(name)))?;
    }
    Ok(())
}
