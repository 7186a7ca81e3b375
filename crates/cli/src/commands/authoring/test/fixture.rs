//! `fixtures.json`: test cases with the environment of a tool and the expected result.
//!
//! In: the file beside the handler. Out: its cases, or the first fault with its place. An unknown
//! field is a fault: a misspelt expectation would always pass.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use contract::{Mode, SecretName, nearest};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use services::{StubFault, StubReply};

use crate::exit::Failure;

pub(super) const FILE: &str = "fixtures.json";

const BYTES_MAX: u64 = 4 << 20;
const CASES_MAX: usize = 500;

/// One case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fixture {
    pub name: String,
    #[serde(default)]
    pub args: Map<String, Value>,
    /// Defaults to the first mode of the tool.
    pub mode: Option<Mode>,
    #[serde(default)]
    pub session: Session,
    /// The contents of `context.kv`.
    #[serde(default)]
    pub kv: BTreeMap<String, Value>,
    /// The contents of `context.files`, in a folder made for this case.
    #[serde(default)]
    pub files: BTreeMap<FilePath, String>,
    #[serde(default)]
    pub secrets: BTreeMap<SecretName, String>,
    /// The only replies of the network.
    #[serde(default)]
    pub fetch: Vec<Exchange>,
    pub expect: Expect,
    #[serde(default)]
    pub kv_after: BTreeMap<String, Option<Value>>,
    #[serde(default)]
    pub files_after: BTreeMap<FilePath, Option<After>>,
    pub intents: Option<Vec<Value>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Session {
    pub is_active: bool,
    /// By tool: the ids that its results contained.
    pub seen_ids: BTreeMap<String, Vec<String>>,
}

impl Default for Session {
    fn default() -> Self {
        Self { is_active: true, seen_ids: BTreeMap::new() }
    }
}

/// Objects are compared by the given keys only.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Expect {
    Data(Value),
    Error(Map<String, Value>),
}

/// A file after the run: its whole text, or parts of it.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a text, `null` or {\"contains\": [texts]}")]
pub(super) enum After {
    Whole(String),
    Parts(Parts),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parts {
    pub contains: Vec<String>,
}

/// A path inside the project, with `/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct FilePath(String);

impl FilePath {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for FilePath {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_));
        match !text.is_empty() && Path::new(&text).components().all(is_inside) {
            true => Ok(Self(text)),
            false => {
                Err(format!("`{text}` is not a path inside the project, as in `data/notes.md`"))
            }
        }
    }
}

/// A network request and its reply.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Written")]
pub(super) struct Exchange(pub StubReply);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default = "get")]
    method: String,
    url: String,
    reply: Reply,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reply {
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: Option<String>,
    json: Option<Value>,
}

fn get() -> String {
    "GET".to_owned()
}

impl TryFrom<Written> for Exchange {
    type Error = String;
    fn try_from(written: Written) -> Result<Self, String> {
        let Written { method, url, reply: Reply { status, mut headers, body, json } } = written;
        let body = match (body, json) {
            (Some(_), Some(_)) => return Err("give `body` or `json`, not both".to_owned()),
            (None, Some(json)) => {
                let kind = "content-type";
                if !headers.keys().any(|name| name.eq_ignore_ascii_case(kind)) {
                    headers.insert(kind.to_owned(), "application/json".to_owned());
                }
                json.to_string()
            }
            (body, None) => body.unwrap_or_default(),
        };
        let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        StubReply::new(&method, &url, status, headers, body)
            .map(Exchange)
            .map_err(|bad: StubFault| bad.to_string())
    }
}

/// The cases of a tool that is a directory; none if it has no such file.
pub(super) fn read(path: &Path) -> Result<Vec<Fixture>, Failure> {
    let cases: Option<Vec<Fixture>> = parse(path)?;
    checked(path, cases.unwrap_or_default())
}

/// The cases of one tool of a module, whose file has a list for each.
pub(super) fn read_of(path: &Path, tool: &str) -> Result<Vec<Fixture>, Failure> {
    let cases: Option<BTreeMap<String, Vec<Fixture>>> = parse(path)?;
    checked(path, cases.and_then(|mut cases| cases.remove(tool)).unwrap_or_default())
}

fn parse<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Failure> {
    let shown = path.display();
    match path.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Ok(metadata) if metadata.len() > BYTES_MAX => {
            let what = format!("`{shown}` has more than {BYTES_MAX} bytes");
            return Err(Failure::message(what, "make it smaller"));
        }
        Ok(_) | Err(_) => {}
    }
    let text = std::fs::read_to_string(path).map_err(|error| {
        let what = anyhow::Error::new(error).context(format!("`{shown}` cannot be read"));
        Failure::user(what, "it must be JSON; check that you can read it")
    })?;
    let parsed = serde_json::from_str(&text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let what = message.split(" at line ").next().unwrap_or(&message);
        Failure::message(format!("{shown}:{line}:{column}: {what}"), fix_of(what))
    })?;
    Ok(Some(parsed))
}

fn checked(path: &Path, cases: Vec<Fixture>) -> Result<Vec<Fixture>, Failure> {
    let shown = path.display();
    let mut names = BTreeSet::new();
    if let Some(twin) = cases.iter().find(|case| !names.insert(case.name.as_str())) {
        let what = format!("{shown}: two cases are named `{}`", twin.name);
        return Err(Failure::message(what, "give each case a unique name"));
    }
    match cases.len() > CASES_MAX {
        true => {
            let what = format!("{shown} has {} cases; at most {CASES_MAX} are run", cases.len());
            Err(Failure::message(what, "remove some"))
        }
        false => Ok(cases),
    }
}

/// ``unknown field `arg`, expected one of `name`, `args` `` lists the fields for a suggestion.
fn fix_of(what: &str) -> String {
    let mut words = what.split('`').skip(1).step_by(2);
    let near = match what.starts_with("unknown field") {
        true => words.next().and_then(|wrong| nearest(wrong, words)),
        false => None,
    };
    near.map_or_else(
        || "`ghosthand test --help` shows what a case looks like".to_owned(),
        |near| format!("did you mean `{near}`?"),
    )
}
