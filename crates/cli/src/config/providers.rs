//! The model providers: three built in, and those of the settings files.

use std::collections::BTreeMap;
use std::path::Path;

use contract::{Sight, nearest};
use models::{Key, Provider, Secret};

use super::Environment;
use crate::exit::Failure;

/// The fields of `[providers.NAME]`.
pub(super) const PROVIDER_FIELDS: [&str; 7] =
    ["wire", "base_url", "key_env", "key_file", "dialect", "rungs", "pictures"];

/// A provider with its default model.
#[derive(Debug, Clone)]
pub(crate) struct Configured {
    pub provider: Provider,
    /// Used if only the provider is named, or nothing.
    pub first_model: Option<&'static str>,
}

/// A section of a file.
#[derive(Debug)]
pub(super) struct Section {
    pub name: String,
    /// `ghosthand.toml:4`
    pub at: String,
    pub fields: BTreeMap<&'static str, String>,
}

/// The built-in providers: a key in the environment is enough.
pub(super) fn built_in(variable: Environment<'_>) -> Vec<Configured> {
    let key = |name: &str| match variable(name) {
        Some(value) => Key::Given(Secret::new(value)),
        None => Key::Missing,
    };
    vec![
        Configured {
            provider: Provider::anthropic(key("ANTHROPIC_API_KEY")),
            first_model: Some("claude-haiku-5-5"),
        },
        Configured { provider: Provider::openai(key("OPENAI_API_KEY")), first_model: None },
        Configured { provider: Provider::gemini(key("GEMINI_API_KEY")), first_model: None },
    ]
}

/// Adds the sections of a file; a known name is overridden, a new one is a compatible server.
pub(super) fn merge(
    known: &mut Vec<Configured>,
    sections: Vec<Section>,
    key: Environment<'_>,
) -> Result<(), Failure> {
    for section in sections {
        let at = known.iter().position(|one| one.provider.name == section.name);
        let mut configured = match at {
            Some(at) => known.remove(at),
            None => Configured { provider: new(&section)?, first_model: None },
        };
        apply(&mut configured.provider, &section, key)?;
        known.push(configured);
    }
    Ok(())
}

/// The variables that hold a person's keys for the built-in providers.
const OWN_KEYS: [&str; 3] = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"];

/// Adds the sections of a project's file. Somebody else may have written it, so it cannot send a
/// key from the environment to an address of its choice.
pub(super) fn merge_project(
    known: &mut Vec<Configured>,
    sections: Vec<Section>,
    (key, variable): (Environment<'_>, Environment<'_>),
) -> Result<(), Failure> {
    let chosen: Vec<(String, String)> = sections
        .iter()
        .filter(|section| section.fields.contains_key("base_url"))
        .map(|section| (section.name.clone(), section.at.clone()))
        .collect();
    merge(known, sections, key)?;
    for (name, at) in chosen {
        let Some(found) = known.iter().find(|one| one.provider.name == name) else { continue };
        let Provider { key_name, base_url, .. } = &found.provider;
        let is_own = OWN_KEYS.contains(&key_name.as_str()) && variable(key_name).is_some();
        if is_own && !found.provider.is_on_this_machine() {
            return Err(super::own_file_only(
                &at,
                &format!("`providers.{name}` sends ${key_name} to {base_url}"),
                &format!("[providers.{name}]"),
            ));
        }
    }
    Ok(())
}

fn new(section: &Section) -> Result<Provider, Failure> {
    let Section { name, at, fields } = section;
    let Some(base_url) = fields.get("base_url") else {
        let what = format!("{at}: `providers.{name}` has no `base_url`");
        return Err(Failure::message(what, "as in `base_url = \"http://127.0.0.1:8080/v1\"`"));
    };
    Ok(match name.as_str() {
        "ollama" => Provider::ollama(base_url),
        name => Provider::compatible(name, base_url, Key::NotNeeded),
    })
}

fn apply(
    provider: &mut Provider,
    section: &Section,
    variable: Environment<'_>,
) -> Result<(), Failure> {
    let Section { at, fields, .. } = section;
    if let Some(base_url) = fields.get("base_url") {
        provider.base_url.clone_from(base_url);
    }
    if let Some(wire) = fields.get("wire") {
        provider.wire = wire.parse().map_err(|unknown| {
            Failure::user(unknown, format!("{at}: correct `wire`; chat is the usual one"))
        })?;
    }
    if let Some(dialect) = fields.get("dialect") {
        provider.dialect = Some(dialect.clone());
    }
    if let Some(rungs) = fields.get("rungs") {
        let rung = |word: &str| {
            word.trim().parse().map_err(|unknown| {
                let fix = "name one or more of native, forced, automatic, best first";
                Failure::user(unknown, format!("{at}: correct `rungs`; {fix}"))
            })
        };
        provider.rungs = Some(rungs.split(',').map(rung).collect::<Result<_, Failure>>()?);
    }
    if let Some(word) = fields.get("pictures") {
        provider.sight = Some(match word.as_str() {
            "yes" => Sight::Sees,
            "no" => Sight::Blind,
            other => {
                let message = anyhow::anyhow!("`{other}` is neither yes nor no");
                return Err(Failure::user(message, format!("{at}: correct `pictures`")));
            }
        });
    }
    if let Some(name) = fields.get("key_env") {
        provider.key_name.clone_from(name);
        provider.key = match variable(name) {
            Some(value) => Key::Given(Secret::new(value)),
            None => Key::Missing,
        };
    }
    if let Some(path) = fields.get("key_file") {
        provider.key_name = format!("the file `{path}`");
        provider.key = Key::Given(key_from(Path::new(path), at)?);
    }
    Ok(())
}

/// Reads a key from a file that only its owner can read.
fn key_from(path: &Path, at: &str) -> Result<Secret, Failure> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| {
        let what = anyhow::Error::new(error).context(format!("{at}: `{shown}` cannot be read"));
        Failure::user(what, "write only the key into the file")
    };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = metadata.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            let what = format!("{at}: others can read `{shown}` (its mode is {mode:03o})");
            return Err(Failure::message(what, format!("`chmod 600 {shown}`")));
        }
    }
    if metadata.len() > 4_096 {
        return Err(Failure::message(
            format!("{at}: `{shown}` is too long to be a key"),
            "write only the key into the file",
        ));
    }
    let key = std::fs::read_to_string(path).map_err(unreadable)?;
    match key.trim() {
        "" => Err(Failure::message(
            format!("{at}: `{shown}` is empty"),
            "write only the key into the file",
        )),
        key => Ok(Secret::new(key)),
    }
}

/// The name of the built-in rehearsal.
pub(crate) const REHEARSAL: &str = "rehearsal";

/// The provider and the model that a setting or flag names; `None` for the rehearsal. A provider
/// alone stands for its default model, if it has one.
pub(crate) fn model_of<'a>(
    providers: &'a [Configured],
    wanted: &str,
) -> Result<Option<(&'a Configured, String)>, Failure> {
    if wanted == REHEARSAL || wanted == "rehearsal:rehearsal" {
        return Ok(None);
    }
    let (configured, model) = provider_of(providers, wanted)?;
    let model = model.filter(|model| !model.trim().is_empty());
    let model = model.or_else(|| configured.first_model.map(str::to_owned));
    let name = &configured.provider.name;
    let model = model.ok_or_else(|| {
        let fix = format!("write it as {name}:NAME; `ghosthand models {name}` lists the names");
        Failure::message(format!("`{wanted}` names no model of `{name}`"), fix)
    })?;
    Ok(Some((configured, model)))
}

/// Splits `provider:name` and finds the provider.
pub(crate) fn provider_of<'a>(
    providers: &'a [Configured],
    wanted: &str,
) -> Result<(&'a Configured, Option<String>), Failure> {
    let (name, model) = match wanted.split_once(':') {
        Some((name, model)) => (name, Some(model.to_owned())),
        None => (wanted, None),
    };
    let found = providers.iter().find(|one| one.provider.name == name);
    found.map(|found| (found, model)).ok_or_else(|| {
        let names = || providers.iter().map(|one| one.provider.name.as_str());
        let fix = match nearest(name, names().chain([REHEARSAL])) {
            Some(near) => format!("did you mean `{near}`? `ghosthand models` lists them"),
            None => {
                let known: Vec<_> = names().chain([REHEARSAL]).collect();
                let example = match name {
                    "ollama" => "http://127.0.0.1:11434/v1",
                    _ => "http://127.0.0.1:8080/v1",
                };
                format!(
                    "known providers: {}; add another with `[providers.{name}]` and \
                     `base_url = \"{example}\"` in ghosthand.toml",
                    known.join(", ")
                )
            }
        };
        Failure::message(format!("there is no provider `{name}`"), fix)
    })
}
