//! The resources of `resources.toml`: a URI, and its file or text.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::RESOURCES;
use super::confined::{FileFault, check_file, place_of, read_file};
use super::fault::LibraryFault;
use super::mime::type_of;
use super::template::{Template, Values};

/// A resource, or with placeholders in its URI a resource template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime_type: String,
    uri: Template,
    behind: Source,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    /// A path below the project.
    File(Template),
    Text(Template),
}

/// A resource with the values of the placeholders in its URI.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    pub resource: &'a Resource,
    pub values: Values,
}

/// The content of a resource.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    uri: Spanned<String>,
    file: Option<Spanned<String>>,
    text: Option<Spanned<String>>,
    title: Option<String>,
    description: Option<String>,
    mime_type: Option<String>,
}

const RESOURCES_MAX: usize = 1_000;
const URI_BYTES_MAX: usize = 2_048;
const SLOTS_MAX: usize = 8;
/// How many files are searched for suggestions.
const SUGGESTED_FROM_MAX: usize = 10_000;

/// The valid resources of the file, and all URIs that it names.
#[derive(Default)]
pub(super) struct ResourceTable {
    pub(super) resources: Vec<Resource>,
    pub(super) uris: BTreeSet<String>,
}

impl ResourceTable {
    /// Whether the URI is named at all. A fault is reported only where the resource is defined.
    pub(super) fn knows(&self, uri: &str) -> bool {
        self.uris.contains(uri) || self.resources.iter().any(|one| one.at(uri).is_some())
    }
}

/// Parses the file; leaves faulty entries out.
pub(super) fn parse(root: &Path, text: &str, faults: &mut Vec<LibraryFault>) -> ResourceTable {
    let line_of = |at: usize| 1 + text.get(..at).unwrap_or(text).matches('\n').count();
    let sections: BTreeMap<String, Section> = match toml::from_str(text) {
        Ok(sections) => sections,
        Err(error) => {
            let line = line_of(error.span().unwrap_or(0..0).start);
            faults.push(LibraryFault::no_toml(RESOURCES, line, error.message()));
            return ResourceTable::default();
        }
    };
    if sections.len() > RESOURCES_MAX {
        faults.push(LibraryFault::too_many(RESOURCES, 0, "resources", RESOURCES_MAX));
    }
    let (mut resources, mut uris) = (Vec::new(), BTreeSet::new());
    for (name, section) in sections.into_iter().take(RESOURCES_MAX) {
        let line = line_of(section.uri.span().start);
        if !uris.insert(section.uri.get_ref().clone()) {
            faults.push(LibraryFault::same_uri(RESOURCES, line, section.uri.get_ref()));
            continue;
        }
        match resource(root, name, section, &line_of) {
            Ok(resource) => resources.push(resource),
            Err(fault) => faults.push(fault),
        }
    }
    resources.sort_by(|a: &Resource, b| a.uri.as_str().cmp(b.uri.as_str()));
    ResourceTable { resources, uris }
}

fn resource(
    root: &Path,
    name: String,
    section: Section,
    line_of: &dyn Fn(usize) -> usize,
) -> Result<Resource, LibraryFault> {
    let Section { uri, file, text, title, description, mime_type } = section;
    let line = line_of(uri.span().start);
    let uri = checked_uri(uri.get_ref(), line)?;
    let (behind, guessed, at) = match (file, text) {
        (Some(file), None) => {
            let (at, path) = (line_of(file.span().start), file.into_inner());
            let mime = type_of(Path::new(&path));
            (Source::File(Template::parse(&path)), mime, at)
        }
        (None, Some(text)) => {
            let at = line_of(text.span().start);
            (Source::Text(Template::parse(text.get_ref())), "text/plain", at)
        }
        (Some(_), Some(_)) | (None, None) => {
            return Err(LibraryFault::file_or_text(RESOURCES, line, &name));
        }
    };
    let (Source::File(inner) | Source::Text(inner)) = &behind;
    if let Some(slot) = inner.slots().find(|slot| !uri.slots().any(|known| known == *slot)) {
        return Err(LibraryFault::foreign_slot(RESOURCES, at, slot));
    }
    if let Source::File(path) = &behind
        && !path.has_slots()
        && let Err(refused) = check_file(root, path.as_str())
    {
        let why = refused.to_string();
        return Err(LibraryFault::bad_file(RESOURCES, at, path.as_str(), &why));
    }
    let mime_type = mime_type.unwrap_or_else(|| guessed.to_owned());
    Ok(Resource { name, title, description, mime_type, uri, behind })
}

fn checked_uri(text: &str, line: usize) -> Result<Template, LibraryFault> {
    let bad = || LibraryFault::bad_uri(RESOURCES, line, text);
    let (scheme, rest) = text.split_once("://").ok_or_else(bad)?;
    let mut letters = scheme.chars();
    let good_scheme = letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let strange = |c: char| c.is_whitespace() || c.is_control();
    // `ui://` is used by the pages of tools.
    let taken = scheme.eq_ignore_ascii_case("ui");
    if !good_scheme || taken || rest.is_empty() || text.contains(strange) {
        return Err(bad());
    }
    let uri = Template::parse(text);
    if text.len() > URI_BYTES_MAX || uri.slots().count() > SLOTS_MAX {
        return Err(bad());
    }
    let once: BTreeSet<_> = uri.slots().collect();
    if uri.touches() || once.len() < uri.slots().count() {
        return Err(LibraryFault::side_by_side(RESOURCES, line, text));
    }
    Ok(uri)
}

impl Resource {
    /// As written, with placeholders if it is a template.
    pub fn uri(&self) -> &str {
        self.uri.as_str()
    }

    pub fn is_template(&self) -> bool {
        self.uri.has_slots()
    }

    /// Matches a URI.
    pub(crate) fn at(&self, uri: &str) -> Option<Found<'_>> {
        if uri.len() > URI_BYTES_MAX {
            return None;
        }
        let raw = self.uri.values(uri)?;
        let decoded = raw.into_iter().map(|(name, value)| Some((name, decoded(&value)?)));
        Some(Found { resource: self, values: decoded.collect::<Option<_>>()? })
    }

    /// The values of a placeholder that lead to a file, sorted.
    pub(crate) fn suggestions(&self, root: &Path, slot: &str) -> Vec<String> {
        let Source::File(path) = &self.behind else { return Vec::new() };
        let Some((folder, name)) = path.as_str().rsplit_once('/') else { return Vec::new() };
        let (folder, name) = (Template::parse(folder), Template::parse(name));
        if folder.has_slots() {
            return Vec::new();
        }
        let Ok(folder) = place_of(root, folder.as_str()) else { return Vec::new() };
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.take(SUGGESTED_FROM_MAX).map(|entry| entry.file_name());
        let value = |file: String| name.values(&file)?.remove(slot).filter(|one| is_plain(one));
        let mut values: Vec<_> = names.filter_map(|file| value(file.into_string().ok()?)).collect();
        values.sort();
        values.dedup();
        values
    }
}

impl Found<'_> {
    pub(crate) fn read(&self, root: &Path) -> Result<Content, FileFault> {
        match &self.resource.behind {
            Source::Text(text) => Ok(Content::Text(text.fill(&self.values))),
            Source::File(_) => {
                let (folder, path) = self.inside(root)?;
                let bytes = read_file(&folder, &path)?;
                Ok(match String::from_utf8(bytes) {
                    Ok(text) if is_text(&self.resource.mime_type) => Content::Text(text),
                    Ok(text) => Content::Bytes(text.into_bytes()),
                    Err(bytes) => Content::Bytes(bytes.into_bytes()),
                })
            }
        }
    }

    /// The path of its file, if it has one.
    pub(crate) fn file(&self, root: &Path) -> Result<Option<PathBuf>, FileFault> {
        match &self.resource.behind {
            Source::Text(_) => Ok(None),
            Source::File(_) => {
                let (folder, path) = self.inside(root)?;
                place_of(&folder, &path).map(Some)
            }
        }
    }

    /// The folder that the file must stay in, and its path there. Values from a client stay
    /// inside the folder that the author wrote.
    fn inside(&self, root: &Path) -> Result<(PathBuf, String), FileFault> {
        let Source::File(path) = &self.resource.behind else { return Err(FileFault::Missing) };
        if !path.has_slots() {
            return Ok((root.to_owned(), path.as_str().to_owned()));
        }
        if !self.values.values().all(|value| is_plain(value)) {
            return Err(FileFault::Missing);
        }
        let whole = path.fill(&self.values);
        match path.beginning().rsplit_once('/') {
            None => Ok((root.to_owned(), whole)),
            Some((folder, _)) => {
                let rest = whole.get(folder.len() + 1..).unwrap_or_default().to_owned();
                Ok((place_of(root, folder)?, rest))
            }
        }
    }
}

/// Whether a value is safe as part of a file name.
fn is_plain(value: &str) -> bool {
    !value.starts_with('.') && !value.contains(|c: char| c.is_control() || matches!(c, '/' | '\\'))
}

fn is_text(mime_type: &str) -> bool {
    let others = ["application/json", "application/toml", "application/yaml", "application/xml"];
    let (kind, _) = mime_type.split_once(';').unwrap_or((mime_type, ""));
    kind.starts_with("text/")
        || others.contains(&kind)
        || kind.ends_with("+xml")
        || kind.ends_with("+json")
}

/// Decodes `a%20b` to `a b`; `None` if it is not valid text.
fn decoded(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((first, more)) = rest.split_first() {
        if *first != b'%' {
            bytes.push(*first);
            rest = more;
            continue;
        }
        let (digits, more) = more.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = more;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
