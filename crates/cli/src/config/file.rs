//! Reads one settings file: TOML, with the place of every value.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use contract::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::providers::{PROVIDER_FIELDS, Section};
use super::settings::{Kind, SETTINGS, setting};
use super::{Source, Sourced};
use crate::exit::Failure;

/// The contents of a settings file.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub values: BTreeMap<&'static str, Sourced>,
    pub providers: Vec<Section>,
    /// The sections of `[mcp.NAME]`.
    pub servers: Vec<TextSection>,
    /// The sections of `[mcp_tokens.NAME]`.
    pub tokens: Vec<TextSection>,
    /// The whole file, to parse those sections from.
    pub text: String,
}

/// A section that its own type parses, and its place.
#[derive(Debug, Clone)]
pub(super) struct TextSection {
    pub name: String,
    pub at: String,
}

const FILE_BYTES_MAX: u64 = 1 << 20;

/// Reads a file; a missing one is empty.
pub(super) fn read(path: &Path) -> Result<Read, Failure> {
    let shown = path.display().to_string();
    let unreadable = |error: std::io::Error| {
        let what = anyhow::Error::new(error).context(format!("`{shown}` cannot be read"));
        Failure::user(what, "check that you can read it")
    };
    let text = match std::fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Read::default()),
        Err(error) => return Err(unreadable(error)),
        Ok(metadata) if metadata.len() > FILE_BYTES_MAX => {
            let what = format!("`{shown}` has {} bytes", metadata.len());
            return Err(Failure::message(what, format!("at most {FILE_BYTES_MAX} are read")));
        }
        Ok(_) => std::fs::read_to_string(path).map_err(unreadable)?,
    };
    Reader { shown: &shown, text: &text }.read()
}

struct Reader<'a> {
    shown: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    fn read(&self) -> Result<Read, Failure> {
        let table = DeTable::parse(self.text).map_err(|error| {
            let at = self.line(error.span().unwrap_or(0..0).start);
            let what = format!("{}:{at}: invalid TOML: {}", self.shown, error.message());
            Failure::message(what, "correct the line; `ghosthand config` shows the settings")
        })?;
        let mut read = Read { text: self.text.to_owned(), ..Read::default() };
        self.walk("", table.get_ref(), &mut read)?;
        Ok(read)
    }

    fn walk(&self, above: &str, table: &DeTable<'_>, read: &mut Read) -> Result<(), Failure> {
        for (key, value) in table {
            let name = match above {
                "" => key.get_ref().to_string(),
                above => format!("{above}.{}", key.get_ref()),
            };
            let line = self.line(key.span().start);
            match value.get_ref() {
                DeValue::Table(tables) if name == "providers" => {
                    for (provider, section) in tables {
                        read.providers.push(self.section(provider.get_ref(), section)?);
                    }
                }
                DeValue::Table(tables) if name == "mcp" || name == "mcp_tokens" => {
                    let known = if name == "mcp" { &mut read.servers } else { &mut read.tokens };
                    for (server, section) in tables {
                        let line = self.line(section.span().start);
                        let at = format!("{}:{line}", self.shown);
                        known.push(TextSection { name: server.get_ref().to_string(), at });
                    }
                }
                DeValue::Table(table) => self.walk(&name, table, read)?,
                value @ (DeValue::String(_)
                | DeValue::Integer(_)
                | DeValue::Float(_)
                | DeValue::Boolean(_)
                | DeValue::Datetime(_)
                | DeValue::Array(_)) => {
                    let (name, value) = self.setting(&name, value, line)?;
                    read.values.insert(name, value);
                }
            }
        }
        Ok(())
    }

    fn setting(
        &self,
        name: &str,
        value: &DeValue<'_>,
        line: usize,
    ) -> Result<(&'static str, Sourced), Failure> {
        let at = format!("{}:{line}", self.shown);
        let Some(setting) = setting(name) else {
            let near = nearest(name, SETTINGS.iter().map(|setting| setting.name));
            let fix = near.map_or_else(
                || "`ghosthand config` lists the settings".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            return Err(Failure::message(format!("{at}: there is no setting `{name}`"), fix));
        };
        let value = match (setting.kind, value) {
            (Kind::Openings | Kind::Gaps | Kind::Names, DeValue::Array(entries)) => {
                let entries: Option<Vec<_>> =
                    entries.iter().map(|entry| plain(entry.get_ref())).collect();
                entries.map(|entries| entries.join(", ")).ok_or_else(|| {
                    let what = format!("{at}: `{name}` has an entry that is not text");
                    Failure::message(what, "quote every entry")
                })?
            }
            (_, value) => plain(value).ok_or_else(|| {
                Failure::message(
                    format!("{at}: `{name}` is neither text nor a number"),
                    setting.what,
                )
            })?,
        };
        setting.check(&value).map_err(|fix| {
            let shown = setting.shown(&value);
            Failure::message(format!("{at}: `{name}` is {shown}, which is not valid"), fix)
        })?;
        let source = Source::File { path: self.shown.to_owned(), line };
        Ok((setting.name, Sourced { value, source }))
    }

    fn section(&self, name: &str, section: &Spanned<DeValue<'_>>) -> Result<Section, Failure> {
        let line = self.line(section.span().start);
        let at = format!("{}:{line}", self.shown);
        let DeValue::Table(table) = section.get_ref() else {
            let fix = format!("write `[providers.{name}]` and its fields below");
            return Err(Failure::message(format!("{at}: `providers.{name}` is not a table"), fix));
        };
        let mut fields = BTreeMap::new();
        for (key, value) in table {
            let key_name: &str = key.get_ref();
            let at = format!("{}:{}", self.shown, self.line(key.span().start));
            let Some(known) = PROVIDER_FIELDS.iter().find(|known| **known == key_name) else {
                let what = format!("{at}: a provider has no `{key_name}`");
                let fix = match key_name {
                    "key" | "api_key" => {
                        "keys do not belong in this file; name its variable with `key_env`, or a \
                         file that only you can read with `key_file`"
                            .to_owned()
                    }
                    other => nearest(other, PROVIDER_FIELDS).map_or_else(
                        || format!("known fields: {}", PROVIDER_FIELDS.join(", ")),
                        |near| format!("did you mean `{near}`?"),
                    ),
                };
                return Err(Failure::message(what, fix));
            };
            let value = plain(value.get_ref()).ok_or_else(|| {
                Failure::message(format!("{at}: `{key_name}` is not text"), "put it in quotes")
            })?;
            fields.insert(*known, value);
        }
        Ok(Section { name: name.to_owned(), at, fields })
    }

    /// The line of a byte, from 1.
    fn line(&self, byte: usize) -> usize {
        self.text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
    }
}

/// A string, number or boolean as text; `None` for lists, tables and dates.
fn plain(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(switch) => Some(switch.to_string()),
        DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}
