//! Renders faults: for people in the style of rustc, as JSON, or as GitHub annotations.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use mcp::library::LibraryFault;
use registry::{Fault, Faults, Severity, SourceLocation};
use serde::Serialize;

/// The output format of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// With the source line, for a terminal
    Human,
    /// One JSON document
    Json,
    /// Workflow commands that GitHub shows beside the lines of a change
    Github,
}

/// Every fault in this format; empty if there are none.
pub(crate) fn faults(faults: &Faults, tools: usize, format: Format) -> String {
    whole(faults, &[], tools, format)
}

/// The same, with the faults of prompts and resources.
pub(crate) fn whole(
    faults: &Faults,
    library: &[LibraryFault],
    tools: usize,
    format: Format,
) -> String {
    match format {
        Format::Human => {
            let library = library.iter().map(|fault| human_library(fault) + "\n\n");
            faults.iter().map(|fault| human(fault) + "\n\n").chain(library).collect()
        }
        Format::Json => json(faults, library, tools),
        Format::Github => {
            let library = library.iter().map(|fault| github_library(fault) + "\n");
            faults.iter().map(|fault| github(fault) + "\n").chain(library).collect()
        }
    }
}

fn human_library(fault: &LibraryFault) -> String {
    let LibraryFault { file, line, what, fix } = fault;
    let origin = match line {
        0 => Origin::path(file.as_str()),
        line => Origin::path(file.as_str()).line(*line),
    };
    let fix = Level::HELP.with_name("fix").message(fix.as_str());
    let title = Level::ERROR.primary_title(what.as_str());
    Renderer::styled().render(&[Group::with_title(title).element(origin).element(fix)])
}

fn github_library(fault: &LibraryFault) -> String {
    let LibraryFault { file, line, what, fix } = fault;
    let place = if *line == 0 { String::new() } else { format!(",line={line}") };
    let (what, fix) = (escaped(what, false), escaped(fix, false));
    format!("::error file={}{place}::{what}; fix: {fix}", escaped(file, true))
}

/// One fault for people, with its source line.
pub(crate) fn human(fault: &Fault) -> String {
    let level = match fault.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(fault.what.as_str()).id(fault.code.as_str());
    let fix = Level::HELP.with_name("fix").message(fault.fix.as_str());
    let SourceLocation { file, line, source, .. } = &fault.place;
    let group = match line {
        0 => Group::with_title(title).element(Origin::path(file.as_str())),
        line => {
            let snippet = Snippet::source(source.as_str())
                .line_start(*line)
                .path(file.as_str())
                .annotation(AnnotationKind::Primary.span(marked(&fault.place)));
            Group::with_title(title).element(snippet)
        }
    };
    let also = fault.also.iter().map(|also| Level::NOTE.with_name("also").message(also.as_str()));
    Renderer::styled().render(&[group.elements(also).element(fix)])
}

/// The marked bytes of the line; at least one, so that there is a caret.
fn marked(place: &SourceLocation) -> std::ops::Range<usize> {
    let offset = |column: usize| {
        place.source.char_indices().nth(column).map_or(place.source.len(), |(at, _)| at)
    };
    let start = place.column.saturating_sub(1);
    offset(start)..offset(start + place.width.max(1))
}

fn json(faults: &Faults, library: &[LibraryFault], tools: usize) -> String {
    #[derive(Serialize)]
    struct Report<'a> {
        tools: usize,
        errors: usize,
        warnings: usize,
        faults: Vec<&'a Fault>,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        library: &'a [LibraryFault],
    }
    let report = Report {
        tools,
        errors: faults.count(Severity::Error) + library.len(),
        warnings: faults.count(Severity::Warning),
        faults: faults.iter().collect(),
        library,
    };
    serde_json::to_string_pretty(&report).map(|text| text + "\n").unwrap_or_default()
}

fn github(fault: &Fault) -> String {
    let level = match fault.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let SourceLocation { file, line, column, width, .. } = &fault.place;
    let place = match line {
        0 => String::new(),
        line => format!(",line={line},col={column},endColumn={}", column + (*width).max(1)),
    };
    format!(
        "::{level} file={}{place},title={}::{}; fix: {}",
        escaped(file, true),
        fault.code,
        escaped(&with_others(fault), false),
        escaped(&fault.fix, false),
    )
}

/// The message, in one line.
fn with_others(fault: &Fault) -> String {
    fault.also.iter().fold(fault.what.clone(), |what, also| format!("{what}; also {also}"))
}

/// Workflow commands end at a line break and split properties at `,` and `:`.
fn escaped(text: &str, property: bool) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    match property {
        true => text.replace(':', "%3A").replace(',', "%2C"),
        false => text,
    }
}
