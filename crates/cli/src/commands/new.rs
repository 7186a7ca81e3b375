//! `ghosthand new`: a tool to start from, which already passes every check.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use contract::ToolId;

use crate::exit::{Ending, Failure, Outcome};
use crate::printer::{Printer, cyan};

/// Make a new tool that already passes `check`
#[derive(Args)]
pub(crate) struct NewArgs {
    /// The tool's name, as in `note-add`
    name: String,
    /// What kind of tool to start from
    #[arg(long, value_enum, default_value = "utility")]
    template: Template,
    /// The language of the handler
    #[arg(long, value_enum, default_value = "js")]
    lang: Language,
    /// The directory of the tools; it is made if it is not there
    #[arg(long, default_value = "tools", value_name = "DIR")]
    dir: PathBuf,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Template {
    /// Looks something up; safe to repeat
    Retrieval,
    /// Does something, after a person agreed
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
            schema: include_str!(concat!("../../templates/", $name, "/schema.json")),
            summary: include_str!(concat!("../../templates/", $name, "/doc_summary.md")),
            doc: include_str!(concat!("../../templates/", $name, "/doc.md")),
            js: include_str!(concat!("../../templates/", $name, "/handler.js")),
            py: include_str!(concat!("../../templates/", $name, "/handler.py")),
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
    pub(crate) fn run(self, printer: &mut Printer) -> Outcome {
        let id = ToolId::from_directory(&self.name)
            .map_err(|bad| Failure::user(bad, "as in `ghosthand new note-add`"))?;
        if self.name.contains('.') {
            let what = format!("`{}` has a `.` in it", self.name);
            return Err(Failure::message(what, "as in `ghosthand new note-add`"));
        }
        let name = id.as_str().replace('_', "-");
        for taken in [&name, id.as_str()] {
            let path = self.dir.join(taken);
            if path.symlink_metadata().is_ok() {
                return Err(already_there(&path));
            }
        }
        let path = self.dir.join(&name);
        self.write(&id, &name, &path)?;
        printer.data(path.display().to_string())?;
        let dir = match self.dir.to_string_lossy() {
            dir if dir == "tools" => String::new(),
            dir => format!(" {dir}"),
        };
        printer.say(format!("next: {}", cyan(format!("ghosthand check{dir}"))))?;
        Ok(Ending::Good)
    }

    /// Writes all files to a folder beside, then puts it in place in one step.
    fn write(&self, id: &ToolId, name: &str, path: &Path) -> Result<(), Failure> {
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
        std::fs::create_dir_all(&self.dir).with_context(context)?;
        let draft =
            tempfile::Builder::new().prefix(".new-").tempdir_in(&self.dir).with_context(context)?;
        let folder = draft.path().join(name);
        std::fs::create_dir(&folder).with_context(context)?;
        for (file, template) in contents {
            let text = template
                .replace("{{tool_id}}", id.as_str())
                .replace("{{tool_name}}", name)
                .replace("{{title}}", &title(name));
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

fn already_there(path: &Path) -> Failure {
    let what = format!("`{}` is already there", path.display());
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
