//! Saved posts: searching them, counting them, splitting a text, learning from edits by hand.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use pen::Platform;
use pen::count::thread;
use pen::learn::difference;
use pen::posts::{Query, split};
use serde_json::{Value, json};

use super::platform;
use super::workspace::Studio;
use crate::commands::emit::read_text;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, bold, cyan, dim, one_line};

/// Look through the posts you saved
#[derive(Subcommand)]
pub(super) enum PostsCommand {
    Search(SearchArgs),
}

/// Find posts by words in any form
#[derive(Args)]
pub(super) struct SearchArgs {
    /// Words to look for
    #[arg(required = true, value_name = "WORD")]
    words: Vec<String>,
    /// Only posts for this platform
    #[arg(long, value_name = "NAME", value_parser = platform)]
    platform: Option<Platform>,
    /// At most so many
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=500))]
    limit: u16,
    /// As JSON
    #[arg(long)]
    json: bool,
}

impl PostsCommand {
    pub(super) fn run(self, studio: &Studio, printer: &mut Printer) -> CommandResult {
        let PostsCommand::Search(args) = self;
        args.run(studio, printer)
    }
}

impl SearchArgs {
    fn run(self, studio: &Studio, printer: &mut Printer) -> CommandResult {
        let query =
            Query { keywords: self.words, platform: self.platform, limit: usize::from(self.limit) };
        let (found, total) = studio.pen.posts().search(&query);
        if self.json {
            printer.json(&json!({ "posts": found, "total_found": total }))?;
            return Ok(ExitStatus::Success);
        }
        for post in &found {
            printer.data(format!("{}  {}  {}", cyan(&post.file), post.platform, post.topic))?;
            printer.data(format!("  {}", dim(one_line(&post.preview, 100))))?;
        }
        printer.say(dim(format!("{}: {total}", studio.say("знайдено", "found"))))?;
        Ok(ExitStatus::Success)
    }
}

/// Split a text into numbered posts for X
#[derive(Args)]
pub(super) struct ThreadArgs {
    /// The text; `-` is standard input
    file: PathBuf,
    /// Another platform with a limit
    #[arg(long, value_name = "NAME", value_parser = platform, default_value = "x")]
    platform: Platform,
    /// As JSON
    #[arg(long)]
    json: bool,
}

const TEXT_BYTES_MAX: usize = 1 << 20;

impl ThreadArgs {
    pub(super) fn run(self, studio: &Studio, printer: &mut Printer) -> CommandResult {
        let text = read_text(&self.file, TEXT_BYTES_MAX)?;
        let fix = studio.say("скоротіть текст", "shorten the text");
        let posts =
            thread(split(&text).1, self.platform).map_err(|fault| Failure::user(fault, fix))?;
        if self.json {
            let counted =
                |post: &String| json!({ "text": post, "length": self.platform.count(post) });
            printer.json(&posts.iter().map(counted).collect::<Vec<Value>>())?;
            return Ok(ExitStatus::Success);
        }
        for (index, post) in posts.iter().enumerate() {
            if index > 0 {
                printer.data("\n---\n")?;
            }
            printer.data(post)?;
        }
        let lengths: Vec<_> =
            posts.iter().map(|post| self.platform.count(post).to_string()).collect();
        printer.say(dim(format!("{} {}", self.platform, lengths.join(" "))))?;
        Ok(ExitStatus::Success)
    }
}

/// Count posts, sessions and feedback
#[derive(Args)]
pub(super) struct StatsArgs {
    /// As JSON
    #[arg(long)]
    json: bool,
}

impl StatsArgs {
    pub(super) fn run(self, studio: &Studio, printer: &mut Printer) -> CommandResult {
        let mut platforms: BTreeMap<String, usize> = BTreeMap::new();
        let mut profiles: BTreeMap<String, usize> = BTreeMap::new();
        let mut months: BTreeMap<String, usize> = BTreeMap::new();
        let mut count = 0;
        for front in studio.shelf().fronts() {
            count += 1;
            *platforms.entry(front.platform).or_default() += 1;
            *profiles.entry(front.profile_used).or_default() += 1;
            *months.entry(front.created.chars().take(7).collect()).or_default() += 1;
        }
        let sessions = studio.shelf().sessions();
        let feedback: BTreeMap<String, u64> = studio
            .pen
            .tracker()
            .all()
            .into_iter()
            .filter_map(|(name, entry)| Some((name, entry.get("count")?.as_u64()?)))
            .collect();
        if self.json {
            printer.json(&json!({ "posts": count, "platforms": platforms, "profiles": profiles,
                                  "months": months, "sessions": sessions, "feedback": feedback }))?;
            return Ok(ExitStatus::Success);
        }
        printer.data(format!("{}: {count}", bold(studio.say("пости", "posts"))))?;
        for (title, counts) in [("platform", platforms), ("profile", profiles), ("month", months)] {
            let row: Vec<_> =
                counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
            if !row.is_empty() {
                printer.data(format!("  {}: {}", cyan(title), row.join(", ")))?;
            }
        }
        printer.data(format!(
            "{}: {}; {} {}; {} {}; {} {}; ${:.4}",
            bold(studio.say("сесії", "sessions")),
            sessions.sessions,
            studio.say("збережено", "saved"),
            sessions.saved,
            studio.say("з першої чернетки", "at the first draft"),
            sessions.saved_at_once,
            studio.say("зауважень", "words of feedback"),
            sessions.feedback,
            sessions.cost_usd,
        ))?;
        let row: Vec<_> = feedback.iter().map(|(name, count)| format!("{name} {count}")).collect();
        if !row.is_empty() {
            printer.data(format!(
                "{}: {}",
                bold(studio.say("фідбек", "feedback")),
                row.join(", ")
            ))?;
        }
        Ok(ExitStatus::Success)
    }
}

/// Learn from what you changed by hand in saved posts
///
/// Compares each saved file with the draft that was saved, counts what went and came, and
/// prints suggestions for the profile. Nothing in the profile is changed.
#[derive(Args)]
pub(super) struct LearnArgs {
    /// As JSON
    #[arg(long)]
    json: bool,
}

impl LearnArgs {
    pub(super) fn run(self, studio: &Studio, printer: &mut Printer) -> CommandResult {
        let profile = studio.profile("default")?;
        let mut learned = studio.shelf().learned();
        for (file, text) in studio.shelf().saved_drafts() {
            let now = std::fs::read_to_string(&file).unwrap_or_default();
            if !now.is_empty() {
                learned.add(&difference(&text, split(&now).1));
            }
        }
        let suggestions = learned.suggestions(&profile);
        if self.json {
            printer.json(&suggestions)?;
            return Ok(ExitStatus::Success);
        }
        if suggestions.is_empty() {
            printer.say(studio.say("поки нічого не повторюється", "nothing comes back yet"))?;
        }
        for one in suggestions {
            printer.data(format!("{} + «{}»  {}×", cyan(one.field), one.value, one.times))?;
        }
        Ok(ExitStatus::Success)
    }
}
