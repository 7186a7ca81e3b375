//! Every fault of a prompt or a resource, one function each.

use std::fmt;

use serde::Serialize;

/// A mistake in a project's prompts or resources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LibraryFault {
    /// Relative to the project.
    pub file: String,
    /// Starts at 1; 0 means the whole file.
    pub line: usize,
    pub what: String,
    pub fix: String,
}

impl fmt::Display for LibraryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, what, fix } = self;
        match line {
            0 => write!(f, "{file}: {what}; {fix}"),
            line => write!(f, "{file}:{line}: {what}; {fix}"),
        }
    }
}

impl LibraryFault {
    fn new(file: &str, line: usize, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, what: what.into(), fix: fix.into() }
    }

    pub(super) fn unreadable(file: &str, error: &std::io::Error) -> Self {
        Self::new(file, 0, format!("it cannot be read: {error}"), "make it a readable UTF-8 file")
    }

    pub(super) fn too_large(file: &str, bytes: u64, bytes_max: u64) -> Self {
        Self::new(file, 0, format!("it has {bytes} bytes"), format!("at most {bytes_max} are read"))
    }

    pub(super) fn too_many_prompts(count: usize, count_max: usize) -> Self {
        let what = format!("there are {count} prompts");
        Self::new(super::PROMPTS, 0, what, format!("at most {count_max} are offered"))
    }

    pub(super) fn bad_prompt_name(file: &str) -> Self {
        let fix = "use letters, digits, `_`, `-` and `.`, at most 64, as in `review_text.md`";
        Self::new(file, 0, "this is not a valid prompt name", fix)
    }

    pub(super) fn no_head(file: &str) -> Self {
        let fix = "begin it with `+++`, `description = \"What it is for.\"`, `+++`, each on a line";
        Self::new(file, 1, "the prompt has no description", fix)
    }

    pub(super) fn yaml_head(file: &str) -> Self {
        let fix = "write TOML between two lines `+++`, as in `description = \"What it is for.\"`";
        Self::new(file, 1, "the front matter of a prompt is not YAML", fix)
    }

    pub(super) fn open_head(file: &str) -> Self {
        Self::new(file, 1, "the front matter is not closed", "close it with a line `+++`")
    }

    pub(super) fn no_toml(file: &str, line: usize, message: &str) -> Self {
        let message = message.trim().replace('\n', " ");
        Self::new(file, line, message, "correct the line; `docs/guide/mcp.md` lists the fields")
    }

    pub(super) fn bad_argument_name(file: &str, line: usize, name: &str) -> Self {
        let what = format!("`{name}` is not a valid argument name");
        Self::new(file, line, what, "start with a letter; continue with letters, digits and `_`")
    }

    pub(super) fn too_many(file: &str, line: usize, what: &str, count_max: usize) -> Self {
        let fix = format!("at most {count_max} are allowed");
        Self::new(file, line, format!("there are too many {what}"), fix)
    }

    pub(super) fn empty(file: &str, line: usize, field: &str) -> Self {
        Self::new(file, line, format!("`{field}` is empty"), "write a sentence")
    }

    pub(super) fn foreign_default(file: &str, line: usize, argument: &str) -> Self {
        let what = format!("the default of `{argument}` is not one of its values");
        Self::new(file, line, what, "add it to `values`, or choose another")
    }

    pub(super) fn default_of_required(file: &str, line: usize, argument: &str) -> Self {
        let what = format!("`{argument}` is required and has a default");
        Self::new(file, line, what, "remove one of the two")
    }

    pub(super) fn undeclared(file: &str, line: usize, slot: &str, near: Option<&str>) -> Self {
        let what = format!("there is no argument `{slot}`");
        let fix = match near {
            Some(near) => format!("did you mean `{{{near}}}`?"),
            None => {
                format!(
                    "write `[arguments.{slot}]` in the front matter, or `\\{{{slot}}}` for the text"
                )
            }
        };
        Self::new(file, line, what, fix)
    }

    pub(super) fn unused(file: &str, line: usize, argument: &str) -> Self {
        let what = format!("the argument `{argument}` is not used in the text");
        Self::new(file, line, what, format!("write `{{{argument}}}` where it belongs"))
    }

    pub(super) fn says_nothing(file: &str) -> Self {
        Self::new(file, 0, "the prompt has no text", "write it below the front matter")
    }

    pub(super) fn bad_file(file: &str, line: usize, path: &str, why: &str) -> Self {
        let fix = "use a path inside the project, relative to its folder";
        Self::new(file, line, format!("`{path}` {why}"), fix)
    }

    pub(super) fn bad_picture(file: &str, line: usize, path: &str, why: &str) -> Self {
        let fix = "use the path of an image or audio file relative to `prompts`, or the URI of a resource";
        Self::new(file, line, format!("`{path}` {why}"), fix)
    }

    pub(super) fn no_such_resource(file: &str, line: usize, uri: &str) -> Self {
        let fix = format!("name it in `{}`", super::RESOURCES);
        Self::new(file, line, format!("there is no resource `{uri}`"), fix)
    }

    pub(super) fn bad_uri(file: &str, line: usize, uri: &str) -> Self {
        let what = format!("`{uri}` is not a valid resource URI");
        Self::new(file, line, what, "write one as in `docs://style`; `ui` is reserved")
    }

    pub(super) fn same_uri(file: &str, line: usize, uri: &str) -> Self {
        Self::new(file, line, format!("`{uri}` is used twice"), "give each resource its own")
    }

    pub(super) fn file_or_text(file: &str, line: usize, name: &str) -> Self {
        let what = format!("`{name}` must have either `file` or `text`");
        Self::new(file, line, what, "keep one of them")
    }

    pub(super) fn foreign_slot(file: &str, line: usize, slot: &str) -> Self {
        let what = format!("`{{{slot}}}` is not in the `uri`");
        Self::new(file, line, what, "a placeholder gets its value from the URI")
    }

    pub(super) fn side_by_side(file: &str, line: usize, uri: &str) -> Self {
        let what = format!("two placeholders of `{uri}` touch, or one is used twice");
        Self::new(file, line, what, "put text such as `/` between them; use each once")
    }
}
