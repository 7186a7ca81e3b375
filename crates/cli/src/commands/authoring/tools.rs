//! `ghosthand tools`: imports Python tools, and switches tools on and off.

mod confirm_writes;
mod copy_tree;
mod select_files;
mod switch;

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use registry::{Build, Code, Fault, Feature, LOCK_FILE, Lock, REGISTRY_FILE, Severity, Tool, diff};

use self::copy_tree::Copies;
use self::select_files::Selection;
use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::faults::{self, Format};
use crate::render::left_out;
use crate::render::printer::{Printer, bold, count, cyan, dim};
use crate::wiring::confirm::confirmed;
use crate::wiring::read_tools::{lock_failure, read};
use crate::wiring::tools_dir::write_beside;

/// Import tools, and switch tools on and off
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

/// Import Python tools from a folder: check, list, ask, copy and lock
///
/// DIR is Ghostpad's `tools` folder, or its parent. Modules (files with a TOOLS list) are copied
/// with the files they import from below DIR and the requirements.txt and fixtures beside them;
/// --with adds other files. Everything is checked in a temporary copy first, and modules that
/// cannot be imported are skipped. Then the list is shown and you are asked; either all files are
/// written or none.
///
/// Existing files that differ are replaced only with --force. Exits with 1 if something needs
/// attention.
#[derive(Args)]
struct ImportArgs {
    /// The folder to import from
    dir: PathBuf,
    /// The tools directory; created if missing [default: tools]
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// Also copy this file, as in `data/words.csv` below DIR
    #[arg(long, value_name = "FILE")]
    with: Vec<String>,
    /// Replace files that differ
    #[arg(long)]
    force: bool,
    /// Copy without prompting
    #[arg(long)]
    yes: bool,
}

impl ToolsArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        match self.what {
            What::Import(args) => args.run(printer),
            What::List(args) => args.run(printer),
            What::Enable(args) => args.run(printer),
            What::Disable(args) => args.run(printer),
        }
    }
}

impl ImportArgs {
    fn run(self, printer: &mut Printer) -> CommandResult {
        let from = source(&self.dir)?;
        let config = Config::load()?;
        let into = match &self.into {
            Some(into) => into.clone(),
            None => config.path("tools.dir").unwrap_or_default(),
        };
        refuse_same(&from, &into)?;
        let selection = Selection::of(&from, &self.with)?;
        if selection.modules.is_empty() {
            let what =
                format!("there is no Python file with a `TOOLS` list in `{}`", self.dir.display());
            return Err(Failure::message(what, "choose a folder with Python tools"));
        }
        let copies = Copies::read(&from, selection.modules.iter().chain(&selection.beside))?;
        let (build, broken) = tried(&copies, &selection, &config)?;
        let good = selection.modules.len() - broken.len();
        let selection = selection.without(&from, &broken);
        let taken: Vec<_> = selection.modules.iter().chain(&selection.beside).collect();
        let copies = copies.only(&taken);
        let report = faults::faults(&build.faults, build.looked_at, Format::Human);
        write!(printer.out(), "{report}")?;
        if good == 0 {
            let what = format!("no module of `{}` is usable; nothing was copied", from.display());
            return Err(Failure::message(what, "correct what is shown above"));
        }
        table(&build, &selection, printer)?;
        let (differing, new) = copies.compare(&into);
        if !self.force && !differing.is_empty() {
            return Err(would_replace(&differing, &into));
        }
        let files = count(copies.names().count(), "file");
        let done = match new.is_empty() && differing.is_empty() {
            true => format!("{files} already here"),
            false => {
                self.ask(&copies, &into, printer)?;
                copies.write(&into)?;
                format!("{files} copied")
            }
        };
        let imported: BTreeSet<_> = copies.names().collect();
        let mut build = read(&into, &config)?;
        let asking = confirm_writes::ask_before_writing(&build, &imported, &into)?;
        if !asking.is_empty() {
            build = read(&into, &config)?;
            let which = asking.join(", ");
            printer
                .message(format!("these tools ask before they write, see tools.toml: {which}"))?;
        }
        left_out::print(build.registry.excluded());
        if build.faults.has_errors() {
            printer.message(format!("{done}; tools.lock is written once every fault is fixed"))?;
            return Ok(ExitStatus::Faults);
        }
        lock_imported(&build, &imported, &into, printer)?;
        printer.message(format!("{done}; next: {}", cyan(self.next())))?;
        Ok(if broken.is_empty() { ExitStatus::Success } else { ExitStatus::Faults })
    }

    /// Nothing is copied without confirmation, here or with --yes.
    fn ask(&self, copies: &Copies, into: &Path, printer: &mut Printer) -> Result<(), Failure> {
        if self.yes {
            return Ok(());
        }
        let files = count(copies.names().count(), "file");
        if !std::io::stdin().is_terminal() {
            let what = format!("nothing was copied: confirming {files} needs a terminal");
            return Err(Failure::message(what, "review the list above, then pass --yes"));
        }
        match confirmed(&format!("copy {files} into {}?", into.display()), printer)? {
            true => Ok(()),
            false => Err(Failure::message("nothing was copied", "run it again to import")),
        }
    }

    fn next(&self) -> String {
        let dir = self.into.as_deref().map(|dir| format!(" --dir {}", dir.display()));
        format!("ghosthand show registry{}", dir.unwrap_or_default())
    }
}

/// Locks the imported tools, unless that would accept other changes too.
fn lock_imported(
    build: &Build,
    imported: &BTreeSet<&str>,
    into: &Path,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let bytes = build.registry.to_json(&super::build::stamp(into)?)?;
    write_beside(into, REGISTRY_FILE, &bytes, &build.registry, printer)?;
    let path = into.join(LOCK_FILE);
    let locked = Lock::load(&path).map_err(lock_failure)?;
    let foreign = |tool: &str| {
        let file = build.registry.get(tool).map(|tool| tool.handler.file());
        !file.is_some_and(|file| imported.contains(file))
    };
    let changes = locked.map(|lock| diff(&lock, &build.registry)).unwrap_or_default();
    if changes.iter().any(|change| foreign(&change.tool)) {
        let advice = "tools.lock was not changed: other tools changed too; \
                      `ghosthand diff` shows them, `ghosthand lock` accepts them";
        printer.message(advice)?;
        return Ok(());
    }
    let bytes = Lock::of(&build.registry).to_json()?;
    write_beside(into, LOCK_FILE, &bytes, &build.registry, printer)
}

/// The given folder, or `tools` inside it.
fn source(dir: &Path) -> Result<PathBuf, Failure> {
    if !dir.is_dir() {
        let what = format!("there is no directory `{}`", dir.display());
        return Err(Failure::message(what, "choose a folder with Python tools"));
    }
    let inside = dir.join("tools");
    Ok(if inside.is_dir() { inside } else { dir.to_owned() })
}

fn refuse_same(from: &Path, into: &Path) -> Result<(), Failure> {
    let same = from.canonicalize().ok().is_some_and(|from| into.canonicalize().ok() == Some(from));
    match same {
        true => Err(Failure::message(
            format!("`{}` is already the tools directory", from.display()),
            "use `ghosthand check` and `ghosthand lock`",
        )),
        false => Ok(()),
    }
}

fn would_replace(differing: &[String], into: &Path) -> Failure {
    let shown: Vec<_> = differing.iter().take(5).cloned().collect();
    let what = format!(
        "{} in `{}` would be replaced: {}",
        count(differing.len(), "file"),
        into.display(),
        shown.join(", ")
    );
    Failure::message(what, "pass --force to replace them, or choose another --into")
}

/// Checks the files in a temporary folder. Also returns the modules that cannot be used.
fn tried(
    copies: &Copies,
    selection: &Selection,
    config: &Config,
) -> Result<(Build, BTreeSet<String>), Failure> {
    let scratch = tempfile::tempdir()?;
    let tools = scratch.path().join("tools");
    copies.put(&tools)?;
    let mut build = read(&tools, config)?;
    // Packages are installed in the project, not in this copy.
    let root = format!("{}/", tools.display()).replace('\\', "/");
    let faults = std::mem::take(&mut build.faults).into_iter();
    let faults = faults.filter(|fault| fault.code != Code::T100).map(|mut fault| {
        fault.place.file = fault.place.file.replace(&root, "");
        fault
    });
    build.faults = faults.collect();
    let needs_packages = |name: &str| {
        let left_out = build.registry.excluded().iter().filter(|one| one.name == name);
        left_out.flat_map(|one| &one.faults).all(|fault| fault.code == Code::T100)
    };
    let has_tools = |name: &str| build.registry.tools().any(|tool| tool.handler.file() == name);
    let is_listed = |name: &str| build.registry.excluded().iter().any(|one| one.name == name);
    let is_broken = |name: &&String| {
        let waits = is_listed(name) && needs_packages(name);
        !has_tools(name) && !waits && is_faulty(&build, name)
    };
    let broken = selection.modules.iter().filter(is_broken).cloned().collect();
    Ok((build, broken))
}

fn is_faulty(build: &Build, name: &str) -> bool {
    let of_file = |fault: &&Fault| fault.place.file == name && fault.severity == Severity::Error;
    build.faults.iter().any(|fault| of_file(&fault))
}

/// One line per tool, by file, with its features; then the other files, copied and skipped.
fn table(build: &Build, selection: &Selection, printer: &mut Printer) -> Result<(), Failure> {
    let mut rows = vec![["file".to_owned(), "tool".to_owned(), "has".to_owned()]];
    for name in &selection.modules {
        let order = build.registry.in_order();
        let tools: Vec<_> = order.iter().filter(|tool| tool.handler.file() == *name).collect();
        for tool in &tools {
            let id = tool.contract.tool_id.to_string();
            rows.push([name.clone(), id, has(tool)]);
        }
        if tools.is_empty() {
            rows.push([name.clone(), "–".to_owned(), attention(build, name)]);
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
    if !selection.beside.is_empty() {
        printer.data(dim(format!("with: {}", selection.beside.join(", "))))?;
    }
    if !selection.left.is_empty() {
        let shown: Vec<_> = selection.left.iter().take(LEFT_SHOWN_MAX).cloned().collect();
        let more = if selection.left.len() > shown.len() { ", …" } else { "" };
        let files = count(selection.left.len(), "other file");
        printer.data(dim(format!("skipped: {files}: {}{more}", shown.join(", "))))?;
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

/// How many skipped files are named.
const LEFT_SHOWN_MAX: usize = 10;

fn attention(build: &Build, name: &str) -> String {
    let errors = build.faults.iter().filter(|fault| fault.place.file == name).count();
    let needs = build.registry.excluded().iter().any(|one| one.name == name);
    match errors {
        0 if needs => "needs packages".to_owned(),
        0 => "no tools".to_owned(),
        errors => count(errors, "fault"),
    }
}
