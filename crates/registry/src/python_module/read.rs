//! Reads all modules of a tree: the reader's reports, checked item by item.

use std::collections::BTreeMap;
use std::path::Path;

use super::check::{Module, check_item};
use super::id::tool_id;
use super::locate::{line_span, regions};
use super::settings::Settings;
use super::{ModuleFault, ModuleReader, ModuleReport};
use crate::check::check_module_fixtures;
use crate::environment::EnvironmentId;
use crate::excluded::ExcludedTool;
use crate::fault::{Faults, SourceLocation};
use crate::source::tree::ModuleFile;
use crate::tool::Tool;

/// The result of reading the modules of a tree.
#[derive(Default)]
pub(crate) struct Modules {
    /// In the order of registration, each with its location.
    pub tools: Vec<(Tool, SourceLocation)>,
    pub left_out: Vec<ExcludedTool>,
    /// How many items and unreadable files there are.
    pub looked_at: usize,
}

/// How many items one file may have.
const ITEMS_MAX: usize = 500;

/// Reads the files, sorted by name. `missing` are the environments
/// that are not installed: files that need one are not read.
pub(crate) fn read(
    root: &Path,
    files: &[ModuleFile],
    missing: &BTreeMap<&EnvironmentId, Faults>,
    reader: &dyn ModuleReader,
    faults: &mut Faults,
) -> Modules {
    let mut modules = Modules::default();
    let mut readable = Vec::new();
    for file in files {
        let needed = file.environment.as_ref().and_then(|needed| missing.get(&needed.id));
        let mut found = file.faults.clone();
        needed.into_iter().for_each(|missing| found.append(missing.clone()));
        match found.has_errors() {
            true => modules.without_file(file, &found),
            false => readable.push(file),
        }
    }
    let names: Vec<_> = readable.iter().map(|file| file.name.clone()).collect();
    if names.is_empty() {
        return modules;
    }
    let mut reports: BTreeMap<String, ModuleReport> =
        reader.read(root, &names).into_iter().map(|report| (report.file.clone(), report)).collect();
    let mut folders = Folders::default();
    for file in readable {
        let report = reports.remove(&file.name);
        read_file(file, report, &mut folders, &mut modules, faults);
    }
    folders.check_names(&mut modules, faults);
    for (index, (tool, _)) in modules.tools.iter_mut().enumerate() {
        tool.order = u32::try_from(index + 1).unwrap_or(u32::MAX);
    }
    modules
}

impl Modules {
    /// A file whose tools are unknown.
    fn without_file(&mut self, file: &ModuleFile, found: &Faults) {
        self.looked_at += 1;
        self.left_out.extend(ExcludedTool::new(file.name.as_str(), file.text.path.as_str(), found));
    }

    /// One entry of a file's `TOOLS`.
    fn without_item(&mut self, file: &ModuleFile, name: &str, found: &Faults) {
        self.left_out.extend(ExcludedTool::new(name, file.text.path.as_str(), found));
    }
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
        let mut found = Faults::default();
        found.module_unread(&file.text, "the reader did not report on it");
        modules.without_file(file, &found);
        faults.append(found);
        return;
    };
    let place = |fault: &ModuleFault| fault.line.map(|line| line_span(&file.text.content, line));
    if let Some(fault) = &report.fault {
        folder.broken = true;
        let mut found = Faults::default();
        found.module_broken(&file.text, place(fault), fault);
        modules.without_file(file, &found);
        faults.append(found);
        return;
    }
    for fault in &report.item_faults {
        folder.broken = true;
        modules.looked_at += 1;
        let mut found = Faults::default();
        found.module_broken(&file.text, place(fault), fault);
        let name = match &fault.item {
            Some(name) => item_name(file, name),
            None => format!("{}[{}]", file.name, fault.order.unwrap_or_default()),
        };
        modules.without_item(file, &name, &found);
        faults.append(found);
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
    let unread = report.item_faults.iter().filter_map(|fault| fault.item.as_deref());
    let names: Vec<_> = report.items.iter().map(|item| item.name.as_str()).chain(unread).collect();
    let mut wrong = Faults::default();
    check_module_fixtures(&file.path, &file.text.path, &names, &mut wrong);
    for (item, region) in report.items.iter().zip(&regions) {
        folder.tools.push(item.name.clone());
        let mut found = folder.found.clone();
        found.append(wrong.clone());
        let tool = check_item(&module, item, region, &mut found);
        match tool {
            Some(tool) if !found.has_errors() => modules.tools.push((tool, region.item())),
            _ => modules.without_item(file, &item_name(file, &item.name), &found),
        }
        faults.append(found);
    }
}

/// The id of an item, or the file and its name if they make no valid id.
fn item_name(file: &ModuleFile, name: &str) -> String {
    let (id, _) = tool_id(&file.name, name);
    id.map_or_else(|_| format!("{}#{name}", file.name), |id| id.to_string())
}

/// The folders of the files so far, each with its settings.
#[derive(Default)]
struct Folders(BTreeMap<String, Folder>);

struct Folder {
    settings: Option<Settings>,
    /// Faults of the settings: they may have required approval, so no tool of the folder runs
    /// without them.
    found: Faults,
    /// The names of all items, to find settings without a tool.
    tools: Vec<String>,
    /// Whether there is a file whose items are unknown.
    broken: bool,
}

impl Folders {
    fn of(&mut self, file: &ModuleFile, faults: &mut Faults) -> &mut Folder {
        let shown = file.text.path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        self.0.entry(shown.to_owned()).or_insert_with(|| {
            let folder = file.path.parent().unwrap_or(Path::new("."));
            let mut found = Faults::default();
            let settings = Settings::read(folder, shown, &mut found);
            faults.append(found.clone());
            Folder { settings, found, tools: Vec::new(), broken: false }
        })
    }

    /// Settings that name no tool are a fault. If a tool has a similar name, they were probably
    /// meant for it, and it does not run without them.
    fn check_names(&self, modules: &mut Modules, faults: &mut Faults) {
        for (shown, folder) in self.0.iter().filter(|(_, folder)| !folder.broken) {
            let tools: Vec<_> = folder.tools.iter().map(String::as_str).collect();
            let Some(settings) = &folder.settings else { continue };
            for (meant, found) in settings.check_names(&tools) {
                let is_meant = |(tool, place): &(Tool, SourceLocation)| {
                    let inside = place.file.rsplit_once('/').map_or(".", |(folder, _)| folder);
                    tool.item_name() == meant && meant.is_some() && inside == shown.as_str()
                };
                for (tool, place) in modules.tools.extract_if(.., |one| is_meant(one)) {
                    let id = tool.contract.tool_id.as_str();
                    modules.left_out.extend(ExcludedTool::new(id, place.file, &found));
                }
                faults.append(found);
            }
        }
    }
}
