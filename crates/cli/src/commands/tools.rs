//! `ghosthand tools`: a Ghostpad folder becomes a checked, locked registry; switches.

mod asking;
mod switch;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use registry::{Build, Feature, LOCK_FILE, Lock, REGISTRY_FILE, Severity, Tool, diff};

use super::copy::{Copies, find_files};
use crate::exit::{Ending, Failure, Outcome};
use crate::printer::{Printer, bold, count, cyan, dim};
use crate::render::{self, Format};

/// Bring tools from elsewhere, and switch tools on and off
#[derive(Args)]
pub(crate) struct ToolsArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Import(ImportArgs),
    List(switch::ListArgs),
    Enable(switch::EnableArgs),
    Disable(switch::DisableArgs),
}

/// Copy a folder of Python tools here, check and lock them
///
/// DIR is Ghostpad's `tools` folder, or the folder around it. Files that are already here
/// and differ are not touched without --force. Ends with 1 if something needs attention
/// before the tools can run.
#[derive(Args)]
struct ImportArgs {
    /// The folder to take tools from
    dir: PathBuf,
    /// The directory of the tools; it is made if it is not there
    #[arg(long, default_value = "tools", value_name = "DIR")]
    into: PathBuf,
    /// Replace files that differ
    #[arg(long)]
    force: bool,
}

impl ToolsArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> Outcome {
        match self.what {
            What::Import(args) => args.run(printer),
            What::List(args) => args.run(printer),
            What::Enable(args) => args.run(printer),
            What::Disable(args) => args.run(printer),
        }
    }
}

impl ImportArgs {
    fn run(self, printer: &mut Printer) -> Outcome {
        let from = source(&self.dir)?;
        let copies = Copies::plan(&from, &self.into, find_files(&from)?)?;
        if !self.force && !copies.differing.is_empty() {
            let shown: Vec<_> = copies.differing.iter().take(5).cloned().collect();
            let what = format!(
                "{} in `{}` would be replaced: {}",
                count(copies.differing.len(), "file"),
                self.into.display(),
                shown.join(", ")
            );
            return Err(Failure::message(
                what,
                "give --force to replace them, or --into elsewhere",
            ));
        }
        copies.write()?;
        let mut build = super::read(&self.into)?;
        let imported: BTreeSet<_> = copies.names().collect();
        let asking = asking::ask_before_writing(&build, &imported, &self.into)?;
        if !asking.is_empty() {
            build = super::read(&self.into)?;
        }
        table(&build, &imported, &self.into, printer)?;
        let report = render::faults(&build.faults, build.looked_at, Format::Human);
        write!(printer.out(), "{report}")?;
        if !asking.is_empty() {
            let which = asking.join(", ");
            printer.say(format!("asked about before they write, see tools.toml: {which}"))?;
        }
        let files = count(copies.names().count(), "file");
        if build.faults.has_errors() {
            let errors = count(build.faults.count(Severity::Error), "error");
            printer.say(format!("{files} copied; {errors} to mend before the tools are locked"))?;
            return Ok(Ending::Faults);
        }
        self.lock(&build, &imported, printer)?;
        printer.say(format!("{files} copied; next: {}", cyan(self.next())))?;
        Ok(Ending::Good)
    }

    /// Locks what was imported, unless that would accept other changes along with it.
    fn lock(
        &self,
        build: &Build,
        imported: &BTreeSet<&str>,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        let bytes = build.registry.to_json(&super::build::stamp(&self.into))?;
        super::write_beside(&self.into, REGISTRY_FILE, &bytes, &build.registry, printer)?;
        let path = self.into.join(LOCK_FILE);
        let locked = Lock::load(&path).map_err(super::lock::failure)?;
        let foreign = |tool: &str| {
            let file = build.registry.get(tool).map(|tool| tool.handler.file());
            !file.is_some_and(|file| imported.contains(file))
        };
        let changes = locked.map(|lock| diff(&lock, &build.registry)).unwrap_or_default();
        if changes.iter().any(|change| foreign(&change.tool)) {
            let advice = "tools.lock was left as it is: other tools changed too; \
                          `ghosthand diff` shows them, `ghosthand lock` accepts them";
            printer.say(advice)?;
            return Ok(());
        }
        let bytes = Lock::of(&build.registry).to_json()?;
        super::write_beside(&self.into, LOCK_FILE, &bytes, &build.registry, printer)
    }

    fn next(&self) -> String {
        match self.into.to_string_lossy() {
            dir if dir == "tools" => "ghosthand show registry".to_owned(),
            dir => format!("ghosthand show registry --dir {dir}"),
        }
    }
}

/// The folder with the tools: what was named, or `tools` inside it.
fn source(dir: &Path) -> Result<PathBuf, Failure> {
    if !dir.is_dir() {
        let what = format!("there is no directory `{}`", dir.display());
        return Err(Failure::message(what, "name a folder with Python tools"));
    }
    let inside = dir.join("tools");
    Ok(if inside.is_dir() { inside } else { dir.to_owned() })
}

/// A line per tool, by file, with what each has and what wants to be looked at.
fn table(
    build: &Build,
    imported: &BTreeSet<&str>,
    into: &Path,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let mut rows = vec![["file".to_owned(), "tool".to_owned(), "has".to_owned()]];
    for name in imported.iter().filter(|name| name.ends_with(".py")) {
        let path = into.join(name).to_string_lossy().replace('\\', "/");
        let of_file = |tool: &&&std::sync::Arc<Tool>| tool.handler.file() == *name;
        let order = build.registry.in_order();
        let tools: Vec<_> = order.iter().filter(of_file).collect();
        let is_module = build.modules.contains(&path);
        for tool in &tools {
            let id = tool.contract.tool_id.to_string();
            rows.push([(*name).to_owned(), id, has(tool)]);
        }
        if tools.is_empty() && is_module {
            rows.push([(*name).to_owned(), "–".to_owned(), attention(build, &path)]);
        }
    }
    let width = |index: usize| rows.iter().map(|row| row[index].chars().count()).max();
    let (files, tools) = (width(0).unwrap_or_default(), width(1).unwrap_or_default());
    let mut before = String::new();
    for (index, [file, tool, has]) in rows.iter().enumerate() {
        let shown = if *file == before { "" } else { file.as_str() };
        let line = format!("{shown:<files$}  {tool:<tools$}  {has}");
        let line = line.trim_end();
        printer.data(if index == 0 { bold(line) } else { line.to_owned() })?;
        before.clone_from(file);
    }
    let helpers = imported.iter().filter(|name| {
        let path = into.join(name).to_string_lossy().replace('\\', "/");
        !build.modules.contains(&path)
    });
    let helpers: Vec<_> = helpers.copied().collect();
    if !helpers.is_empty() {
        printer.data(dim(format!("beside them: {}", helpers.join(", "))))?;
    }
    printer.data("")?;
    Ok(())
}

/// `streaming, asks first, keys`
fn has(tool: &Tool) -> String {
    let contract = &tool.contract;
    let mut words: Vec<&str> = Vec::new();
    let features = tool.features.0.iter().filter(|feature| **feature != Feature::Callable);
    words.extend(features.map(|feature| feature.as_str()));
    words.extend(contract.auto.then_some("auto"));
    words.extend(contract.one_time.then_some("once"));
    words.extend(tool.ui.is_some().then_some("form"));
    words.extend((!tool.has(Feature::Callable)).then_some("not for models"));
    words.extend((!contract.capabilities.kv.is_empty()).then_some("keys"));
    words.extend(contract.requires_confirmation.then_some("asks first"));
    words.join(", ")
}

fn attention(build: &Build, path: &str) -> String {
    let errors = build.faults.iter().filter(|fault| fault.place.file == path).count();
    match errors {
        0 => "no tools".to_owned(),
        errors => count(errors, "fault"),
    }
}
