//! `doc.md`: the seven sections, and the JSON examples, checked against the tool's schemas.

use contract::Pointer;
use dialect::{Arguments, Complaint, UnknownArguments};

use crate::check::Compiled;
use crate::fault::Faults;
use crate::source::json::{Node, Span, SyntaxFault, parse};
use crate::source::markdown::{Fence, FenceEnd, Heading, Outline, outline};
use crate::source::text::Text;
use crate::source::{File, ToolDir};
use crate::tool::{Example, ExampleKind};
use contract::nearest;

/// The sections every document has, in any order.
pub(crate) const SECTIONS: [&str; 7] = [
    "Summary",
    "Preconditions",
    "Postconditions",
    "Invariants",
    "Failure Modes",
    "Examples",
    "Common Mistakes",
];

/// Checks the document and returns the examples as values.
pub(crate) fn check(text: &Text, compiled: &Compiled, faults: &mut Faults) -> Vec<Example> {
    let outline = outline(&text.content);
    for fence in outline.fences.iter().filter(|fence| fence.end == FenceEnd::EndOfFile) {
        faults.unclosed_fence(text, fence.open.clone());
    }
    check_sections(text, &outline, faults);
    let Some(section) = section_named(&outline, "Examples") else { return Vec::new() };
    let body = body_of(text, &outline, section);
    let fences = outline.fences.iter().filter(|fence| body.contains(&fence.open.start));
    let mut fences = fences.filter(|fence| fence.info.split_whitespace().next() == Some("json"));
    let mut numbers = Numbers::default();
    let examples: Vec<_> = fences
        .by_ref()
        .filter_map(|fence| {
            let kind = kind_of(text, fence);
            let title = title_of(&outline, section, fence, numbers.next(kind));
            check_example(text, fence, kind, title, compiled, faults)
        })
        .collect();
    if numbers.arguments == 0 && !is_blank(text, &body) {
        faults.no_example(text, section.span.clone());
    }
    examples
}

/// A section's name without a remark in brackets: `Common Mistakes (Do Not)`.
fn section_name(heading: &Heading) -> &str {
    heading.title.split(" (").next().unwrap_or_default().trim()
}

fn sections(outline: &Outline) -> impl Iterator<Item = &Heading> {
    outline.headings.iter().filter(|heading| heading.level == 2)
}

fn section_named<'a>(outline: &'a Outline, name: &str) -> Option<&'a Heading> {
    sections(outline).find(|heading| section_name(heading) == name)
}

fn check_sections(text: &Text, outline: &Outline, faults: &mut Faults) {
    for name in SECTIONS {
        let mut found = sections(outline).filter(|heading| section_name(heading) == name);
        match found.next() {
            None => {
                let near = near_heading(text, outline, name);
                faults.missing_section(text, name, near);
            }
            Some(heading) => {
                if is_blank(text, &body_of(text, outline, heading)) {
                    faults.empty_section(text, heading.span.clone(), name);
                }
            }
        }
        for again in found {
            faults.repeated_section(text, again.span.clone(), name);
        }
    }
}

/// A heading that is probably the section: another level, another case, a typo.
fn near_heading<'a>(text: &'a Text, outline: &Outline, name: &str) -> Option<(&'a str, Span)> {
    let unknown =
        |heading: &&Heading| !SECTIONS.contains(&section_name(heading)) || heading.level != 2;
    let heading = outline
        .headings
        .iter()
        .filter(unknown)
        .find(|heading| nearest(section_name(heading), [name]).is_some())?;
    Some((&text.content[heading.span.clone()], heading.span.clone()))
}

/// From after the heading to the next heading of the same or a higher level.
fn body_of(text: &Text, outline: &Outline, heading: &Heading) -> Span {
    let next = outline
        .headings
        .iter()
        .find(|other| other.span.start > heading.span.start && other.level <= heading.level);
    heading.span.end..next.map_or(text.content.len(), |next| next.span.start)
}

fn is_blank(text: &Text, span: &Span) -> bool {
    text.content[span.clone()].trim().is_empty()
}

/// `json result` and `json invalid` say what they are; so does a line that ends in
/// `Result:` right above the fence.
fn kind_of(text: &Text, fence: &Fence) -> ExampleKind {
    match fence.info.split_whitespace().nth(1) {
        Some("result") => return ExampleKind::Result,
        Some("invalid") => return ExampleKind::Invalid,
        _ => {}
    }
    let above = text.content[..fence.open.start].trim_end().lines().next_back().unwrap_or_default();
    let word = above.trim_matches(|c: char| !c.is_alphabetic());
    match word.split(|c: char| !c.is_alphabetic()).next() {
        Some("Result" | "Results" | "Returns" | "Response" | "Output") => ExampleKind::Result,
        _ => ExampleKind::Arguments,
    }
}

#[derive(Default)]
struct Numbers {
    arguments: usize,
    invalid: usize,
}

impl Numbers {
    fn next(&mut self, kind: ExampleKind) -> String {
        match kind {
            ExampleKind::Arguments => {
                self.arguments += 1;
                format!("example {}", self.arguments)
            }
            ExampleKind::Invalid => {
                self.invalid += 1;
                format!("invalid example {}", self.invalid)
            }
            ExampleKind::Result => format!("example {}", self.arguments.max(1)),
        }
    }
}

/// The heading above the fence inside the section, otherwise its number.
fn title_of(outline: &Outline, section: &Heading, fence: &Fence, number: String) -> String {
    let inside = |heading: &&Heading| {
        heading.span.start > section.span.start && heading.span.start < fence.open.start
    };
    match outline.headings.iter().rfind(inside) {
        Some(heading) => format!("{number}: {}", without_number(&heading.title)),
        None => number,
    }
}

/// Removes the author's own number, as in `Example 2: Extreme abuse`, because we add ours.
fn without_number(title: &str) -> &str {
    match title.split_once(": ") {
        Some((label, rest)) if label.starts_with("Example") => rest,
        _ => title,
    }
}

fn check_example(
    text: &Text,
    fence: &Fence,
    kind: ExampleKind,
    title: String,
    compiled: &Compiled,
    faults: &mut Faults,
) -> Option<Example> {
    let offset = fence.body.start;
    let shifted = |span: &Span| span.start + offset..span.end + offset;
    let node = match parse(&text.content[fence.body.clone()]) {
        Ok(node) => node,
        Err(fault) => {
            let fault = SyntaxFault { span: shifted(&fault.span), ..fault };
            faults.example_not_json(text, &fault, &title);
            return None;
        }
    };
    let value = node.to_value();
    let line = text.place(shifted(&node.span)).line;
    let complaints = match kind {
        ExampleKind::Arguments | ExampleKind::Invalid => complaints(&compiled.parameters, &value),
        ExampleKind::Result => complaints(&compiled.returns, &value),
    };
    let mut wrong: Vec<(Span, String)> = complaints
        .iter()
        .map(|complaint| (shifted(&place_of(&node, complaint)), complaint.to_string()))
        .collect();
    wrong.sort_by_key(|(span, _)| span.start);
    match kind {
        ExampleKind::Invalid if compiled.parameters.is_some() && complaints.is_empty() => {
            faults.invalid_example_accepted(text, fence.open.clone(), &title);
        }
        ExampleKind::Invalid => {}
        ExampleKind::Arguments => faults.example_rejected(text, &title, &wrong),
        ExampleKind::Result => faults.result_rejected(text, &title, &wrong),
    }
    Some(Example { title, kind, value, line })
}

fn complaints(schema: &Option<Arguments>, value: &serde_json::Value) -> Vec<Complaint> {
    match schema.as_ref().map(|schema| schema.check(value.clone(), UnknownArguments::Refuse)) {
        Some(Err(rejection)) => rejection.0,
        Some(Ok(_)) | None => Vec::new(),
    }
}

/// An unknown property is reported at its name, everything else at its value.
fn place_of(node: &Node, complaint: &Complaint) -> Span {
    let pointer: Pointer = complaint.pointer.parse().unwrap_or_default();
    let key = (complaint.keyword == "additionalProperties").then(|| node.key_span(&pointer));
    key.flatten().unwrap_or_else(|| {
        let span = &node.nearest(&pointer).span;
        match complaint.keyword.as_str() {
            "required" => span.start..span.start + 1,
            _ => span.clone(),
        }
    })
}

/// The beginnings of the placeholder lines that `ghosthand new` writes.
const LEFTOVERS: [&str; 3] =
    ["Replace this with ", "Replace these with ", "Replace the examples with "];

/// Lines of the template in the documents of a tool with a new handler.
pub(super) fn check_leftovers(dir: &ToolDir, faults: &mut Faults) {
    const IN_HANDLER: &str = "Replace the ";
    let handler = dir.text(File::HandlerJs).or_else(|| dir.text(File::HandlerPy));
    if handler.is_none_or(|handler| handler.content.contains(IN_HANDLER)) {
        return;
    }
    for text in [File::Summary, File::Doc].into_iter().filter_map(|file| dir.text(file)) {
        let (mut start, mut spans) = (0, Vec::new());
        for line in text.content.split_inclusive('\n') {
            if LEFTOVERS.iter().any(|begins| line.starts_with(begins)) {
                spans.push(start..start + line.trim_end().len());
            }
            start += line.len();
        }
        faults.template_text(text, &spans);
    }
}
