//! Parses a prompt: TOML front matter, then messages.

use std::collections::BTreeMap;
use std::path::Path;

use contract::nearest;
use serde::Deserialize;
use toml::Spanned;

use super::PROMPTS;
use super::confined::check_file;
use super::fault::LibraryFault;
use super::mime::type_of;
use super::resource::ResourceTable;
use super::template::{Template, is_name};

/// A prompt as its author wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    pub name: String,
    pub title: Option<String>,
    pub description: String,
    /// In the order of the file.
    pub arguments: Vec<Argument>,
    pub(crate) messages: Vec<Message>,
}

/// An argument that a person fills in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub required: bool,
    pub default: Option<String>,
    /// Suggestions for the client; other values are accepted too.
    pub values: Vec<String>,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    pub speaker: Speaker,
    pub what: MessageContent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    User,
    Assistant,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MessageContent {
    Text(Template),
    /// An image or audio file, by its path below the project.
    Media(String),
    /// A resource, by its URI.
    Resource(Template),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    title: Option<String>,
    description: Spanned<String>,
    #[serde(default)]
    arguments: BTreeMap<String, Spanned<HeadArgument>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeadArgument {
    title: Option<String>,
    description: Option<String>,
    required: Option<bool>,
    default: Option<String>,
    #[serde(default)]
    values: Vec<String>,
}

const DELIMITER: &str = "+++";
const ARGUMENTS_MAX: usize = 32;
const VALUES_MAX: usize = 100;

/// Parses one prompt; `None` if it has any fault.
pub(super) fn parse(
    root: &Path,
    named: &ResourceTable,
    name: &str,
    text: &str,
    faults: &mut Vec<LibraryFault>,
) -> Option<Prompt> {
    let file = format!("{PROMPTS}/{name}.md");
    let before = faults.len();
    let mut reader = Reader { root, named, file: &file, faults };
    if !is_prompt_name(name) {
        reader.faults.push(LibraryFault::bad_prompt_name(&file));
    }
    let (head, body, body_line) = reader.cut(text)?;
    let (title, description, arguments) = reader.head(head)?;
    let messages = reader.body(body, body_line);
    reader.check_slots(&arguments, &messages, text);
    let prompt = Prompt { name: name.to_owned(), title, description, arguments, messages };
    (faults.len() == before).then_some(prompt)
}

fn is_prompt_name(name: &str) -> bool {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (1..=64).contains(&name.len()) && name.chars().all(good)
}

struct Reader<'a> {
    root: &'a Path,
    named: &'a ResourceTable,
    file: &'a str,
    faults: &'a mut Vec<LibraryFault>,
}

type ReadHead = (Option<String>, String, Vec<Argument>);

impl Reader<'_> {
    /// The front matter, the body, and the line where the body begins.
    fn cut<'t>(&mut self, text: &'t str) -> Option<(&'t str, &'t str, usize)> {
        let text = text.trim_start_matches('\u{feff}');
        let mut lines = text.split_inclusive('\n');
        let first = lines.next().unwrap_or_default();
        if first.trim_end() != DELIMITER {
            self.faults.push(match first.trim_end() {
                "---" => LibraryFault::yaml_head(self.file),
                _ => LibraryFault::no_head(self.file),
            });
            return None;
        }
        let start = first.len();
        let (mut end, mut line) = (start, 2);
        for next in lines {
            line += 1;
            if next.trim_end() == DELIMITER {
                return Some((text.get(start..end)?, text.get(end + next.len()..)?, line));
            }
            end += next.len();
        }
        self.faults.push(LibraryFault::open_head(self.file));
        None
    }

    fn head(&mut self, text: &str) -> Option<ReadHead> {
        // The delimiter is the first line.
        let line_of = |at: usize| 2 + text.get(..at).unwrap_or(text).matches('\n').count();
        let head: Head = match toml::from_str(text) {
            Ok(head) => head,
            Err(error) => {
                let line = line_of(error.span().unwrap_or(0..0).start);
                self.faults.push(LibraryFault::no_toml(self.file, line, error.message()));
                return None;
            }
        };
        let Head { title, description, arguments } = head;
        if description.get_ref().trim().is_empty() {
            let line = line_of(description.span().start);
            self.faults.push(LibraryFault::empty(self.file, line, "description"));
        }
        if arguments.len() > ARGUMENTS_MAX {
            self.faults.push(LibraryFault::too_many(self.file, 1, "arguments", ARGUMENTS_MAX));
        }
        let mut arguments: Vec<_> = arguments.into_iter().collect();
        arguments.sort_by_key(|(_, argument)| argument.span().start);
        let arguments = arguments.into_iter().map(|(name, argument)| {
            let line = line_of(argument.span().start);
            self.argument(name, argument.into_inner(), line)
        });
        Some((title, description.into_inner().trim().to_owned(), arguments.collect()))
    }

    fn argument(&mut self, name: String, head: HeadArgument, line: usize) -> Argument {
        let HeadArgument { title, description, required, default, values } = head;
        if !is_name(&name) {
            self.faults.push(LibraryFault::bad_argument_name(self.file, line, &name));
        }
        if values.len() > VALUES_MAX {
            self.faults.push(LibraryFault::too_many(self.file, line, "values", VALUES_MAX));
        }
        if default.as_ref().is_some_and(|one| !values.is_empty() && !values.contains(one)) {
            self.faults.push(LibraryFault::foreign_default(self.file, line, &name));
        }
        if required == Some(true) && default.is_some() {
            self.faults.push(LibraryFault::default_of_required(self.file, line, &name));
        }
        let required = required.unwrap_or(default.is_none());
        Argument { name, title, description, required, default, values }
    }

    /// The messages. `[user]` or `[assistant]` alone on a line changes the speaker; an image
    /// alone on a line is a separate message.
    fn body(&mut self, body: &str, first_line: usize) -> Vec<Message> {
        let (mut messages, mut speaker, mut text) = (Vec::new(), Speaker::User, String::new());
        for (index, line) in body.lines().enumerate() {
            let next = match line.trim() {
                "[user]" => Some(Speaker::User),
                "[assistant]" => Some(Speaker::Assistant),
                _ => None,
            };
            let picture = picture(line);
            if next.is_none() && picture.is_none() {
                text.push_str(line);
                text.push('\n');
                continue;
            }
            push_text(&mut messages, speaker, &mut text);
            speaker = next.unwrap_or(speaker);
            if let Some(target) = picture {
                let what = self.target(target, first_line + index);
                messages.extend(what.map(|what| Message { speaker, what }));
            }
        }
        push_text(&mut messages, speaker, &mut text);
        if messages.is_empty() {
            self.faults.push(LibraryFault::says_nothing(self.file));
        }
        messages
    }

    /// The target of `![…](target)`.
    fn target(&mut self, target: &str, line: usize) -> Option<MessageContent> {
        let template = Template::parse(target);
        if template.has_slots() {
            return Some(MessageContent::Resource(template));
        }
        if target.contains("://") {
            let known = self.named.knows(target);
            if !known {
                self.faults.push(LibraryFault::no_such_resource(self.file, line, target));
            }
            return known.then_some(MessageContent::Resource(template));
        }
        let path = format!("{PROMPTS}/{target}");
        let mime = type_of(Path::new(target));
        let why = match check_file(self.root, &path) {
            Err(refused) => refused.to_string(),
            Ok(_) if !(mime.starts_with("image/") || mime.starts_with("audio/")) => {
                "is neither an image nor audio".to_owned()
            }
            Ok(_) => return Some(MessageContent::Media(path)),
        };
        self.faults.push(LibraryFault::bad_picture(self.file, line, target, &why));
        None
    }

    /// Every placeholder must be an argument, and every argument must be used.
    fn check_slots(&mut self, arguments: &[Argument], messages: &[Message], text: &str) {
        let slots: Vec<_> = messages
            .iter()
            .flat_map(|piece| match &piece.what {
                MessageContent::Text(template) | MessageContent::Resource(template) => {
                    template.slots().collect()
                }
                MessageContent::Media(_) => Vec::new(),
            })
            .collect();
        let line_of = |sought: &str| {
            let at = text.find(sought).unwrap_or_default();
            1 + text.get(..at).unwrap_or_default().matches('\n').count()
        };
        let mut reported = Vec::new();
        for slot in &slots {
            let known = arguments.iter().any(|argument| argument.name == **slot);
            if known || reported.contains(slot) {
                continue;
            }
            reported.push(*slot);
            let near = nearest(slot, arguments.iter().map(|argument| argument.name.as_str()));
            let line = line_of(&format!("{{{slot}}}"));
            self.faults.push(LibraryFault::undeclared(self.file, line, slot, near));
        }
        for Argument { name, .. } in arguments {
            if !slots.contains(&name.as_str()) && is_name(name) {
                let line = line_of(&format!("arguments.{name}"));
                self.faults.push(LibraryFault::unused(self.file, line, name));
            }
        }
    }
}

fn push_text(messages: &mut Vec<Message>, speaker: Speaker, text: &mut String) {
    let whole = std::mem::take(text);
    let whole = whole.trim();
    if !whole.is_empty() {
        messages.push(Message { speaker, what: MessageContent::Text(Template::parse(whole)) });
    }
}

/// The target of `![…](target)` alone on a line.
fn picture(line: &str) -> Option<&str> {
    let inside = line.trim().strip_prefix("![")?.strip_suffix(')')?;
    let (_, target) = inside.split_once("](")?;
    (!target.is_empty() && !target.contains(['(', ' '])).then_some(target)
}

#[cfg(test)]
mod tests;
