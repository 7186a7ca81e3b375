//! Reads all modules of a tree: what the reader says, checked item by item.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::check::{Module, check_item};
use super::locate::{line_span, regions};
use super::settings::Settings;
use super::{ModuleReader, ModuleReport};
use crate::environment::EnvironmentId;
use crate::fault::{Faults, Place};
use crate::tool::Tool;
use crate::tree::ModuleFile;

/// What the modules of a tree give.
#[derive(Default)]
pub(crate) struct Modules {
    /// In the order of their registration, each with its place.
    pub tools: Vec<(Tool, Place)>,
    /// How many items and unreadable files there are.
    pub looked_at: usize,
}

/// How many items one file may have.
const ITEMS_MAX: usize = 500;

/// Reads the files, which are in the order of their names. `missing` are the environments
/// that are not installed: files that need one are not read.
pub(crate) fn read(
    root: &Path,
    files: &[ModuleFile],
    missing: &BTreeSet<&EnvironmentId>,
    reader: &dyn ModuleReader,
    faults: &mut Faults,
) -> Modules {
    let readable = |file: &&ModuleFile| {
        !file.environment.as_ref().is_some_and(|needed| missing.contains(&needed.id))
    };
    let names: Vec<_> = files.iter().filter(readable).map(|file| file.name.clone()).collect();
    if names.is_empty() {
        return Modules { looked_at: files.len(), ..Modules::default() };
    }
    let mut reports: BTreeMap<String, ModuleReport> =
        reader.read(root, &names).into_iter().map(|report| (report.file.clone(), report)).collect();
    let mut modules = Modules { looked_at: files.len() - names.len(), ..Modules::default() };
    let mut folders = Folders::default();
    for file in files.iter().filter(readable) {
        let report = reports.remove(&file.name);
        read_file(file, report, &mut folders, &mut modules, faults);
    }
    folders.check_names(faults);
    for (index, (tool, _)) in modules.tools.iter_mut().enumerate() {
        tool.order = u32::try_from(index + 1).unwrap_or(u32::MAX);
    }
    modules
}

fn read_file(
    file: &ModuleFile,
    report: Option<ModuleReport>,
    folders: &mut Folders,
    modules: &mut Modules,
    faults: &mut Faults,
) {
    let folder = folders.of(file, faults);
    let Some(mut report) = report else {
        folder.broken = true;
        modules.looked_at += 1;
        faults.module_unread(&file.text, "the reader says nothing about it");
        return;
    };
    if let Some(fault) = &report.fault {
        folder.broken = true;
        modules.looked_at += usize::from(report.items.is_empty());
        let line = fault.line.map(|line| line_span(&file.text.content, line));
        faults.module_broken(&file.text, line, fault);
    }
    if report.items.len() > ITEMS_MAX {
        faults.too_many_items(&file.text, report.items.len(), ITEMS_MAX);
        report.items.truncate(ITEMS_MAX);
    }
    report.items.sort_by_key(|item| item.order);
    modules.looked_at += report.items.len();
    let module = Module {
        file: &file.name,
        text: &file.text,
        uses: &report.uses,
        settings: folder.settings.as_ref(),
        environment: file.environment.as_ref().map(|environment| &environment.id),
    };
    let regions = regions(&file.text, &report.items);
    for (item, region) in report.items.iter().zip(&regions) {
        folder.tools.push(item.name.clone());
        let tool = check_item(&module, item, region, faults);
        modules.tools.extend(tool.map(|tool| (tool, region.item())));
    }
}

/// The folders of the files so far, each with its settings.
#[derive(Default)]
struct Folders(BTreeMap<String, Folder>);

struct Folder {
    settings: Option<Settings>,
    /// The names of all items, for settings that name none of them.
    tools: Vec<String>,
    /// Is there a file whose items nobody knows?
    broken: bool,
}

impl Folders {
    fn of(&mut self, file: &ModuleFile, faults: &mut Faults) -> &mut Folder {
        let shown = file.text.path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        self.0.entry(shown.to_owned()).or_insert_with(|| {
            let folder = file.path.parent().unwrap_or(Path::new("."));
            let settings = Settings::read(folder, shown, faults);
            Folder { settings, tools: Vec::new(), broken: false }
        })
    }

    fn check_names(&self, faults: &mut Faults) {
        for folder in self.0.values().filter(|folder| !folder.broken) {
            let tools: Vec<_> = folder.tools.iter().map(String::as_str).collect();
            if let Some(settings) = &folder.settings {
                settings.check_names(&tools, faults);
            }
        }
    }
}
