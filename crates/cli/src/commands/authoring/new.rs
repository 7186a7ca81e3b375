//! `ghosthand new`: creates a tool that passes every check.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use contract::{BUILTIN_TOOLS, ToolId};
use files::write_atomically;

use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure, not_written};
use crate::render::printer::{Printer, cyan};

/// Create a tool that passes `check`
///
/// A JavaScript tool comes with types for editors: ghosthand.d.ts and jsconfig.json beside the
/// tools. With --module a Python tool is one file with a TOOLS list.
#[derive(Args)]
pub(crate) struct NewArgs {
    /// The tool's name, as in `note-add`
    name: String,
    /// The template
    #[arg(long, value_enum, default_value = "utility")]
    template: Template,
    /// The language of the handler
    #[arg(long, value_enum, default_value = "js")]
    lang: Language,
    /// Create one Python file with a TOOLS list instead of a directory
    #[arg(long, conflicts_with = "template")]
    module: bool,
    /// The tools directory; created if missing [default: tools]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Template {
    /// Looks something up; safe to repeat
    Retrieval,
    /// Does something, after approval
    Action,
    /// Computes the same answer from the same arguments
    Utility,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Language {
    Js,
    Py,
}

/// The files of a template: schema, summary, document, and both handlers.
struct Files {
    schema: &'static str,
    summary: &'static str,
    doc: &'static str,
    js: &'static str,
    py: &'static str,
}

macro_rules! template {
    ($name:literal) => {
        Files {
            schema: include_str!(concat!("../../../templates/", $name, "/schema.json")),
            summary: include_str!(concat!("../../../templates/", $name, "/doc_summary.md")),
            doc: include_str!(concat!("../../../templates/", $name, "/doc.md")),
            js: include_str!(concat!("../../../templates/", $name, "/handler.js")),
            py: include_str!(concat!("../../../templates/", $name, "/handler.py")),
        }
    };
}

impl Template {
    fn files(self) -> Files {
        match self {
            Template::Retrieval => template!("retrieval"),
            Template::Action => template!("action"),
            Template::Utility => template!("utility"),
        }
    }
}

impl NewArgs {
    pub(crate) fn run(self, printer: &mut Printer) -> CommandResult {
        let id = ToolId::from_directory(&self.name).map_err(|_| no_name(&self.name))?;
        if self.name.contains('.') {
            return Err(no_name(&self.name));
        }
        if BUILTIN_TOOLS.contains(&id.as_str()) {
            let what = format!("`{id}` is a built-in tool of Ghosthand");
            return Err(Failure::usage(what, "choose another name"));
        }
        let config = Config::load()?;
        let dir = self.dir.clone().or_else(|| config.path("tools.dir")).unwrap_or_default();
        let name = id.as_str().replace('_', "-");
        let module = format!("{id}.py");
        for taken in [&name, id.as_str(), &module] {
            let path = dir.join(taken);
            if path.symlink_metadata().is_ok() {
                return Err(already_there(&path));
            }
        }
        let path = match (self.module, self.lang) {
            (true, Language::Py) => {
                let path = dir.join(&module);
                write_module(&dir, &id, &name, &path)?;
                path
            }
            (true, Language::Js) => {
                let what = "a module is a Python file";
                return Err(Failure::usage(what, "give --lang py with --module"));
            }
            (false, _) => {
                let path = dir.join(&name);
                self.write(&dir, &id, &name, &path)?;
                path
            }
        };
        match self.lang {
            Language::Js => write_types(&dir, &TYPES)?,
            Language::Py => write_types(&dir, &PYTHON_TYPES)?,
        }
        printer.data(path.display().to_string())?;
        ignore_store(&config)?;
        let dir = self.dir.map(|dir| format!(" {}", dir.display())).unwrap_or_default();
        printer.message(format!("next: {}", cyan(format!("ghosthand check{dir}"))))?;
        Ok(ExitStatus::Success)
    }

    /// Writes all files to a temporary folder, then renames it into place.
    fn write(&self, dir: &Path, id: &ToolId, name: &str, path: &Path) -> Result<(), Failure> {
        let files = self.template.files();
        let (handler_name, handler) = match self.lang {
            Language::Js => ("handler.js", files.js),
            Language::Py => ("handler.py", files.py),
        };
        let contents = [
            ("schema.json", files.schema),
            ("doc_summary.md", files.summary),
            ("doc.md", files.doc),
            (handler_name, handler),
        ];
        let context = || format!("`{}` cannot be written", path.display());
        std::fs::create_dir_all(dir).with_context(context)?;
        let draft =
            tempfile::Builder::new().prefix(".new-").tempdir_in(dir).with_context(context)?;
        let folder = draft.path().join(name);
        std::fs::create_dir(&folder).with_context(context)?;
        for (file, template) in contents {
            let text = filled(template, id, name);
            std::fs::write(folder.join(file), text).with_context(context)?;
        }
        std::fs::rename(&folder, path).map_err(|error| {
            if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty) {
                return already_there(path);
            }
            anyhow::Error::new(error).context(context()).into()
        })
    }
}

fn write_module(dir: &Path, id: &ToolId, name: &str, path: &Path) -> Result<(), Failure> {
    let context = || format!("`{}` cannot be written", path.display());
    std::fs::create_dir_all(dir).with_context(context)?;
    let text = filled(include_str!("../../../templates/module/tool.py"), id, name);
    write_atomically(path, text.as_bytes()).with_context(context)?;
    Ok(())
}

/// Types for editors. Files of the user stay; an older one of ours is updated.
fn write_types(dir: &Path, types: &[(&str, &str)]) -> Result<(), Failure> {
    for (name, text) in types {
        let path = dir.join(name);
        let there = match std::fs::read_to_string(&path) {
            Ok(there) => Some(there),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            // Whatever it is, it is the user's.
            Err(_) => continue,
        };
        let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        let ours = name.ends_with(".d.ts") || name.ends_with(".pyi");
        let renew =
            there.is_none_or(|there| ours && first(&there) == first(text) && there != *text);
        if renew {
            write_atomically(&path, text.as_bytes())
                .with_context(|| format!("`{}` cannot be written", path.display()))?;
        }
    }
    Ok(())
}

/// Adds the store to the project's `.gitignore`, unless it is there already.
fn ignore_store(config: &Config) -> Result<(), Failure> {
    const LINE: &str = ".ghosthand/";
    let path = config.root().join(".gitignore");
    let there = match std::fs::read_to_string(&path) {
        Ok(there) => there,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        // Whatever it is, it is the user's.
        Err(_) => return Ok(()),
    };
    let says = |line: &str| line.trim().trim_matches('/') == LINE.trim_matches('/');
    if there.lines().any(says) {
        return Ok(());
    }
    let gap = if there.is_empty() || there.ends_with('\n') { "" } else { "\n" };
    let text = format!("{there}{gap}# Ghosthand state: conversations, calls, packages\n{LINE}\n");
    write_atomically(&path, text.as_bytes()).map_err(|error| not_written(&path, error))?;
    Ok(())
}

/// What editors read: the types of handlers, and where to look for them.
const TYPES: [(&str, &str); 3] = [
    ("ghosthand.d.ts", include_str!("../../../../hosts/types/ghosthand.d.ts")),
    ("error-types.d.ts", include_str!("../../../../hosts/types/error-types.d.ts")),
    ("jsconfig.json", include_str!("../../../templates/jsconfig.json")),
];

/// The same for Python.
const PYTHON_TYPES: [(&str, &str); 1] =
    [("ghosthand.pyi", include_str!("../../../../hosts/types/ghosthand.pyi"))];

fn filled(template: &str, id: &ToolId, name: &str) -> String {
    template
        .replace("{{tool_id}}", id.as_str())
        .replace("{{tool_name}}", name)
        .replace("{{title}}", &title(name))
}

/// The fault for a bad name, with a suggestion.
fn no_name(name: &str) -> Failure {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let words: String = name.chars().map(plain).collect();
    let words: Vec<_> = words.split('-').filter(|word| !word.is_empty()).collect();
    let meant = words.join("-");
    let meant = meant.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
    let meant = if (1..=64).contains(&meant.len()) { meant } else { "note-add" };
    Failure::usage(
        format!(
            "`{name}` is not a valid tool name: a letter first, then a-z, 0-9 and -, at most 64"
        ),
        format!("as in `ghosthand new {meant}`"),
    )
}

fn already_there(path: &Path) -> Failure {
    let what = format!("`{}` already exists", path.display());
    Failure::message(what, "choose another name, or delete it first")
}

/// `note-add` is `Note add`.
fn title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut chars = words.chars();
    chars
        .next()
        .map(|first| first.to_ascii_uppercase().to_string() + chars.as_str())
        .unwrap_or_default()
}
