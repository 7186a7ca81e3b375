//! `ghostpen drafts` lists the drafts; `ghostpen resume` goes on with one.

use clap::Args;
use pen::session::{Draft, DraftStore, Status, StoredDraft};
use serde_json::json;

use super::context::PenContext;
use super::draft::{self, Work};
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, cyan, dim, one_line};
use crate::wiring::runtime::on_runtime;

/// List the drafts, newest first
#[derive(Args)]
pub(super) struct DraftsArgs {
    /// List the saved ones too
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Continue an unsaved draft
#[derive(Args)]
pub(super) struct ResumeArgs {
    /// The id of the draft, or its beginning [default: the last one that is not saved]
    id: Option<String>,
}

impl DraftsArgs {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let mut drafts = stored(ctx)?;
        drafts.retain(|stored| self.all || is_open(&stored.draft));
        if self.json {
            let line = |stored: &StoredDraft| json!({ "id": stored.id, "draft": stored.draft });
            printer.json(&drafts.iter().map(line).collect::<Vec<_>>())?;
            return Ok(ExitStatus::Success);
        }
        if drafts.is_empty() {
            printer.message(ctx.lang.say("drafts.none"))?;
        }
        for StoredDraft { id, draft } in &drafts {
            let platform = draft.started.as_ref().map(|started| started.platform.as_str());
            let values: [(&str, &dyn std::fmt::Display); 2] =
                [("versions", &draft.versions.len()), ("feedback", &draft.feedback)];
            let counts = ctx.lang.fill("drafts.counts", &values);
            let day: String = draft.updated.chars().take(16).collect::<String>().replace('T', " ");
            let status = match &draft.status {
                Status::Saved { file } => format!("  {file}"),
                Status::Open | Status::Left => String::new(),
            };
            printer.data(format!(
                "{}  {day}  {}  {}  {}{status}",
                cyan(id),
                platform.unwrap_or_default(),
                one_line(draft.topic(), 60),
                dim(counts)
            ))?;
            if !draft.text().is_empty() {
                printer.data(format!("  {}", dim(one_line(draft.text(), 100))))?;
            }
        }
        Ok(ExitStatus::Success)
    }
}

impl ResumeArgs {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let drafts = stored(ctx)?;
        let StoredDraft { id, draft } = chosen(ctx, drafts, self.id.as_deref())?;
        printer.message(dim(format!("{id}: {}", one_line(draft.topic(), 80))))?;
        draft::run(ctx, Work::Stored { id, draft: Box::new(draft) }, printer)
    }
}

fn stored(ctx: &PenContext) -> Result<Vec<StoredDraft>, Failure> {
    on_runtime(async { Ok(DraftStore::new(ctx.store()?).all().await?) })
}

fn is_open(draft: &Draft) -> bool {
    !matches!(draft.status, Status::Saved { .. })
}

/// The draft of this id or beginning, or the last one that is not saved.
fn chosen(
    ctx: &PenContext,
    drafts: Vec<StoredDraft>,
    id: Option<&str>,
) -> Result<StoredDraft, Failure> {
    let Some(id) = id else {
        let last = drafts.into_iter().find(|stored| is_open(&stored.draft));
        return last.ok_or_else(|| {
            Failure::message(ctx.lang.say("drafts.none"), ctx.lang.say("drafts.none_fix"))
        });
    };
    let begins = |stored: &StoredDraft| {
        stored.id.starts_with(id)
            || stored.id.strip_prefix("pen-").is_some_and(|rest| rest.starts_with(id))
    };
    let mut found: Vec<StoredDraft> = drafts.into_iter().filter(begins).collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        count => {
            let key = if count == 0 { "drafts.unknown" } else { "drafts.ambiguous" };
            let what = ctx.lang.fill(key, &[("id", &id)]);
            Err(Failure::message(what, ctx.lang.say("drafts.list_fix")))
        }
    }
}
