//! `ghostpen profile`: creates, lists, shows, compares, moves and restores profiles.

mod history;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use pen::profile::Kind;
use pen::{Now, Profile, ProfileName};
use serde_json::{Value, json};

use self::history::{HistoryArgs, RestoreArgs};
use super::context::PenContext;
use super::init::{Saving, SourceArgs, make};
use super::line_editor::Lines;
use super::render;
use crate::commands::emit::read_text;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, bold, cyan, dim};

/// Manage style profiles
#[derive(Subcommand)]
pub(super) enum ProfileCommand {
    Create(CreateArgs),
    List(ListArgs),
    Show(ShowArgs),
    Delete(DeleteArgs),
    Diff(DiffArgs),
    Export(ExportArgs),
    Import(ImportArgs),
    History(HistoryArgs),
    Restore(RestoreArgs),
}

/// Create a reference profile from someone's posts, for --mix
#[derive(Args)]
pub(super) struct CreateArgs {
    /// Its name, as in competitor-alex
    name: String,
    #[command(flatten)]
    source: SourceArgs,
}

/// List the profiles
#[derive(Args)]
pub(super) struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Show a profile
#[derive(Args)]
pub(super) struct ShowArgs {
    #[arg(default_value = "default")]
    name: String,
    /// Print the JSON file unchanged
    #[arg(long)]
    json: bool,
}

/// Delete a reference profile
#[derive(Args)]
pub(super) struct DeleteArgs {
    name: String,
    /// Delete without prompting
    #[arg(long)]
    yes: bool,
}

/// Show where two profiles differ
#[derive(Args)]
pub(super) struct DiffArgs {
    one: String,
    other: String,
}

/// Write a profile to a file or to standard output
#[derive(Args)]
pub(super) struct ExportArgs {
    #[arg(default_value = "default")]
    name: String,
    /// The output file [default: standard output]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// Import a profile from a file; `-` is standard input
#[derive(Args)]
pub(super) struct ImportArgs {
    file: PathBuf,
    /// Replace a profile of the same name
    #[arg(long)]
    replace: bool,
}

const IMPORT_BYTES_MAX: usize = 1 << 20;

impl ProfileCommand {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        match self {
            ProfileCommand::Create(args) => args.run(ctx, printer),
            ProfileCommand::List(args) => args.run(ctx, printer),
            ProfileCommand::Show(args) => args.run(ctx, printer),
            ProfileCommand::Delete(args) => args.run(ctx, printer),
            ProfileCommand::Diff(args) => args.run(ctx, printer),
            ProfileCommand::Export(args) => args.run(ctx, printer),
            ProfileCommand::Import(args) => args.run(ctx, printer),
            ProfileCommand::History(args) => args.run(ctx, printer),
            ProfileCommand::Restore(args) => args.run(ctx, printer),
        }
    }
}

impl CreateArgs {
    fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let name = ctx.name(&self.name)?;
        if name.is_default() {
            return Err(Failure::message(
                ctx.lang.say("profile.own"),
                ctx.lang.say("profile.fix_init"),
            ));
        }
        if ctx.workspace().profile_file(&name).exists() {
            return Err(ctx.unreadable(pen::WorkspaceFault::Exists(name.to_string())));
        }
        make(ctx, &name, Kind::Reference, &self.source, Saving::AsComplete, printer)
    }
}

impl ListArgs {
    fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let list = ctx.workspace().list(ctx.lang);
        if self.json {
            printer.json(&json!({ "profiles": list, "total": list.len() }))?;
            return Ok(ExitStatus::Success);
        }
        if list.is_empty() {
            printer.message(ctx.lang.say("tools.no_profiles"))?;
            return Ok(ExitStatus::Success);
        }
        let width = list.iter().map(|line| line.name.chars().count()).max().unwrap_or(4).max(5);
        let title = |key: &str| ctx.lang.say(key);
        printer.data(dim(format!(
            "{:<width$}  {:<10}  {:<10}  {}",
            title("profile.column_name"),
            title("profile.column_type"),
            title("profile.column_updated"),
            title("profile.column_tone")
        )))?;
        for line in list {
            let day: String = line.updated_at.chars().take(10).collect();
            let day = if day.is_empty() { "?".to_owned() } else { day };
            let tone = match line.broken {
                Some(why) => ctx.lang.fill("profile.broken", &[("why", &why)]),
                None => line.tone_summary,
            };
            let name = format!("{:<width$}", line.name);
            printer.data(format!("{}  {:<10}  {day:<10}  {tone}", cyan(name), line.kind))?;
        }
        Ok(ExitStatus::Success)
    }
}

impl ShowArgs {
    fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let profile = ctx.profile(&self.name)?;
        match self.json {
            true => printer.out().write_all(profile.text().as_bytes())?,
            false => render::show(&profile, ctx.lang, printer)?,
        }
        Ok(ExitStatus::Success)
    }
}

impl DeleteArgs {
    fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let name = ctx.name(&self.name)?;
        if name.is_default() {
            return Err(Failure::message(
                ctx.lang.say("profile.not_deletable"),
                ctx.lang.say("profile.not_deletable_fix"),
            ));
        }
        ctx.profile_exists(&name)?;
        if !self.yes {
            printer.message(ctx.lang.fill("profile.delete", &[("name", &name)]))?;
            let answer = Lines::open()?.read()?.unwrap_or_default();
            if !pen::intent::Intent::is_yes(&answer) {
                printer.message(ctx.lang.say("profile.not_deleted"))?;
                return Ok(ExitStatus::Success);
            }
        }
        let deleted = ctx.workspace().delete(&name, Now::read());
        deleted.map_err(|fault| ctx.unreadable(fault))?;
        printer.message(ctx.lang.fill("profile.deleted", &[("name", &name)]))?;
        Ok(ExitStatus::Success)
    }
}

impl DiffArgs {
    fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let (one, other) = (ctx.profile(&self.one)?, ctx.profile(&self.other)?);
        let mut differences = 0;
        for field in ["language", "voice", "platforms"] {
            let (old, new) = (one.value().get(field), other.value().get(field));
            compare(field, old, new, &mut |path, old, new| {
                differences += 1;
                printer.data(bold(path))?;
                printer.data(format!("  - {}", plain(old)))?;
                printer.data(format!("  + {}", plain(new)))
            })?;
        }
        if differences == 0 {
            printer.message(ctx.lang.say("profile.no_difference"))?;
        }
        Ok(ExitStatus::Success)
    }
}

type Report<'a> = dyn FnMut(&str, Option<&Value>, Option<&Value>) -> std::io::Result<()> + 'a;

/// Lists the leaves in which two values differ.
fn compare(
    path: &str,
    one: Option<&Value>,
    other: Option<&Value>,
    report: &mut Report<'_>,
) -> std::io::Result<()> {
    if one == other {
        return Ok(());
    }
    let (Some(Value::Object(left)), Some(Value::Object(right))) = (one, other) else {
        return report(path, one, other);
    };
    let mut keys: Vec<&String> = left.keys().collect();
    keys.extend(right.keys().filter(|key| !left.contains_key(*key)));
    for key in keys {
        compare(&format!("{path}.{key}"), left.get(key), right.get(key), report)?;
    }
    Ok(())
}

fn plain(value: Option<&Value>) -> String {
    match value {
        None => "–".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) => {
            items.iter().map(|item| plain(Some(item))).collect::<Vec<_>>().join(" | ")
        }
        Some(other) => other.to_string(),
    }
}

impl ExportArgs {
    fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let profile = ctx.profile(&self.name)?;
        match &self.file {
            None => printer.out().write_all(profile.text().as_bytes())?,
            Some(file) => {
                files::write_atomically(file, profile.text().as_bytes())?;
                let path = file.display();
                printer.message(ctx.lang.fill("profile.written", &[("path", &path)]))?;
            }
        }
        Ok(ExitStatus::Success)
    }
}

impl ImportArgs {
    fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let text = read_text(&self.file, IMPORT_BYTES_MAX)?;
        let profile = Profile::parse(&text).map_err(|fault| {
            Failure::message(fault.text(ctx.lang), ctx.lang.say("profile.fix_fields"))
        })?;
        let name: ProfileName = ctx.name(profile.name())?;
        let put = match self.replace {
            true => ctx.workspace().replace(&profile, Now::read()),
            false => ctx.workspace().create(&profile),
        };
        put.map_err(|fault| ctx.unreadable(fault))?;
        let values: [(&str, &dyn std::fmt::Display); 2] =
            [("name", &name), ("version", &profile.version())];
        printer.message(ctx.lang.fill("profile.imported", &values))?;
        Ok(ExitStatus::Success)
    }
}
