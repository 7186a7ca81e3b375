//! The kinds of artifacts: how each is shown, and the ends of their file names.

use schemars::JsonSchema;
use serde::Serialize;

/// How an artifact is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A page, with its scripts, in a sealed frame.
    Html,
    /// A drawing, without scripts.
    Svg,
    /// A diagram that the library draws.
    Mermaid,
    /// A table.
    Csv,
    /// A document.
    Markdown,
    /// Any other text, shown as it is.
    Code,
}

impl Kind {
    pub(crate) const ALL: [Kind; 6] =
        [Kind::Html, Kind::Svg, Kind::Mermaid, Kind::Csv, Kind::Markdown, Kind::Code];

    /// By the language of a code block, and for XML by what it says.
    pub(crate) fn of(language: &str, code: &str) -> Self {
        match language.to_ascii_lowercase().as_str() {
            "html" | "htm" | "xhtml" => Kind::Html,
            "svg" => Kind::Svg,
            "xml" if is_svg(code) => Kind::Svg,
            "mermaid" | "mmd" => Kind::Mermaid,
            "csv" | "tsv" => Kind::Csv,
            "markdown" | "md" => Kind::Markdown,
            _ => Kind::Code,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Html => "html",
            Kind::Svg => "svg",
            Kind::Mermaid => "mermaid",
            Kind::Csv => "csv",
            Kind::Markdown => "markdown",
            Kind::Code => "code",
        }
    }

    /// Whether it is shown as something other than text.
    pub(super) fn is_drawn(self) -> bool {
        match self {
            Kind::Html | Kind::Svg | Kind::Mermaid | Kind::Csv => true,
            Kind::Markdown | Kind::Code => false,
        }
    }
}

fn is_svg(code: &str) -> bool {
    let after_prolog = match code.trim_start().strip_prefix("<?xml") {
        Some(rest) => rest.split_once("?>").map_or("", |(_, rest)| rest),
        None => code,
    };
    after_prolog.trim_start().starts_with("<svg")
}

/// The end of a file with code in this language.
pub(super) fn extension(language: &str) -> &'static str {
    let language = language.to_ascii_lowercase();
    let known = EXTENSIONS.iter().find(|(_, names)| names.split(' ').any(|name| name == language));
    known.map_or("txt", |(extension, _)| extension)
}

/// Ends of files, and the languages that have them.
const EXTENSIONS: &[(&str, &str)] = &[
    ("html", "html htm xhtml"),
    ("svg", "svg"),
    ("xml", "xml"),
    ("mmd", "mermaid mmd"),
    ("csv", "csv"),
    ("tsv", "tsv"),
    ("md", "markdown md"),
    ("py", "python py"),
    ("js", "javascript js mjs"),
    ("jsx", "jsx"),
    ("ts", "typescript ts"),
    ("tsx", "tsx"),
    ("rs", "rust rs"),
    ("go", "go golang"),
    ("c", "c"),
    ("h", "h"),
    ("cpp", "cpp c++ cc"),
    ("cs", "csharp cs c#"),
    ("java", "java"),
    ("kt", "kotlin kt"),
    ("swift", "swift"),
    ("rb", "ruby rb"),
    ("php", "php"),
    ("sh", "sh bash shell zsh"),
    ("ps1", "powershell ps1"),
    ("sql", "sql"),
    ("css", "css"),
    ("scss", "scss"),
    ("json", "json"),
    ("yaml", "yaml yml"),
    ("toml", "toml"),
    ("ini", "ini"),
    ("tex", "latex tex"),
    ("r", "r"),
    ("lua", "lua"),
    ("diff", "diff patch"),
];
