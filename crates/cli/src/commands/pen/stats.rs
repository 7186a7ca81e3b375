//! `ghostpen stats`: counts posts, sessions and feedback.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::json;

use super::context::PenContext;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::{Printer, bold, cyan};

/// Count posts, sessions and feedback
#[derive(Args)]
pub(super) struct StatsArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl StatsArgs {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let mut platforms: BTreeMap<String, usize> = BTreeMap::new();
        let mut profiles: BTreeMap<String, usize> = BTreeMap::new();
        let mut months: BTreeMap<String, usize> = BTreeMap::new();
        let mut count = 0;
        for front in ctx.workspace().fronts() {
            count += 1;
            *platforms.entry(front.platform).or_default() += 1;
            *profiles.entry(front.profile_used).or_default() += 1;
            *months.entry(front.created.chars().take(7).collect()).or_default() += 1;
        }
        let sessions = ctx.workspace().sessions();
        let feedback: BTreeMap<String, u64> = ctx
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
        let say = |key: &str| ctx.lang.say(key);
        printer.data(format!("{}: {count}", bold(say("stats.posts"))))?;
        let lists =
            [("stats.platform", platforms), ("stats.profile", profiles), ("stats.month", months)];
        for (title, counts) in lists {
            let row: Vec<_> =
                counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
            if !row.is_empty() {
                printer.data(format!("  {}: {}", cyan(say(title)), row.join(", ")))?;
            }
        }
        let values: [(&str, &dyn std::fmt::Display); 4] = [
            ("sessions", &sessions.sessions),
            ("saved", &sessions.saved),
            ("at_once", &sessions.saved_at_once),
            ("feedback", &sessions.feedback),
        ];
        let line = ctx.lang.fill("stats.sessions", &values);
        printer.data(format!("{line}; ${:.4}", sessions.cost_usd))?;
        let row: Vec<_> = feedback.iter().map(|(name, count)| format!("{name} {count}")).collect();
        if !row.is_empty() {
            printer.data(format!("{}: {}", bold(say("stats.feedback")), row.join(", ")))?;
        }
        Ok(ExitStatus::Success)
    }
}
