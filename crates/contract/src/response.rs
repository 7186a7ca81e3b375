//! A handler's response; the type enforces the rules of the envelope.
//!
//! In: JSON from a handler, treated as hostile. Out: [`ToolResponse`], in which `ok` cannot
//! contradict `data` or `error`, because the outcome is a `Result`. Serialised, it is the
//! envelope of the authoring guide.

pub(crate) mod artifact;
mod reported_failure;

use semver::Version;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::{Artifact, ArtifactFault, ErrorType, Intent, IntentFault, ToolId, UnknownWord};

pub use reported_failure::failure_in;

/// The version of the envelope itself.
pub const RESPONSE_SCHEMA_VERSION: &str = "1.0.0";

/// A finished call: data or an error, intents for the surface, and metadata for people.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResponse {
    pub outcome: Result<Value, ToolError>,
    pub intents: Vec<Intent>,
    /// Files for the person; only a call that succeeded has some.
    pub artifacts: Vec<Artifact>,
    pub meta: Meta,
}

/// Why a call failed, and whether it may be retried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolError {
    #[serde(rename = "type")]
    pub kind: ErrorType,
    pub message: String,
    /// Whether the same call may be retried.
    pub retryable: bool,
    /// Whether it may be retried only if the tool is idempotent.
    #[serde(default)]
    pub idempotency_required: bool,
    /// Whether it may have had effects.
    #[serde(default)]
    pub partial_side_effects: bool,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
    #[serde(default, rename = "confirmation_request", skip_serializing_if = "Value::is_null")]
    pub confirmation_request: Value,
}

/// Metadata of a call, for people. Never shown to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    pub tool_id: ToolId,
    pub tool_version: Version,
    pub registry_version: String,
    /// Milliseconds from start to end of the handler.
    pub duration: u64,
    pub response_schema_version: String,
}

impl Meta {
    /// For a call that names no tool: the name if it is valid, and no version.
    pub fn unknown(name: &str, registry_version: String) -> Self {
        Self {
            tool_id: name.parse().unwrap_or_else(|_| ToolId::unknown()),
            tool_version: Version::new(0, 0, 0),
            registry_version,
            duration: 0,
            response_schema_version: RESPONSE_SCHEMA_VERSION.to_owned(),
        }
    }
}

impl ToolError {
    /// A refusal before anything ran: no effects, and not retryable.
    pub fn before_start(kind: ErrorType, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retryable: false,
            idempotency_required: false,
            partial_side_effects: false,
            details: Value::Null,
            confirmation_request: Value::Null,
        }
    }

    /// A handler that failed or returned garbage: its effects are unknown.
    pub fn broken(message: impl Into<String>) -> Self {
        let kind = ErrorType::Internal;
        Self { partial_side_effects: true, ..Self::before_start(kind, message) }
    }

    /// A handler that ended normally and reports a failure in its data. Its effects are unknown.
    pub fn reported(message: impl Into<String>, data: Value) -> Self {
        let kind = ErrorType::Permanent;
        let error = Self { partial_side_effects: true, ..Self::before_start(kind, message) };
        error.with_details(data)
    }

    pub fn with_details(self, details: Value) -> Self {
        Self { details, ..self }
    }
}

/// Why a handler's result is not a response. The caller turns it into `INTERNAL`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MalformedResponse {
    #[error("the handler returned {0}, not an object with `ok`")]
    NotAnObject(&'static str),
    #[error("`ok` is missing or neither true nor false")]
    Ok,
    #[error("`ok` is true, but there is an `error`")]
    ErrorBesideData,
    #[error("`ok` is true, but `data` is missing")]
    NoData,
    #[error("`ok` is false, but there is `data`")]
    DataBesideError,
    #[error("`ok` is false, but `error` is missing or not an object")]
    NoError,
    #[error("`error.type`: {0}")]
    ErrorType(UnknownWord),
    #[error("`error.{0}` is missing or {1}")]
    ErrorField(&'static str, &'static str),
    #[error("`intents` must be a list of at most {} entries", Intent::COUNT_MAX)]
    Intents,
    #[error("{0}")]
    Intent(IntentFault),
    #[error("`artifacts` must be a list of at most {} entries", Artifact::COUNT_MAX)]
    Artifacts,
    #[error("{0}")]
    Artifact(ArtifactFault),
    #[error("`ok` is false, but there are `artifacts`")]
    ArtifactsBesideError,
}

impl ToolResponse {
    /// Reads what a handler returned. Unknown intents are returned as warnings.
    pub fn from_handler(
        answer: Value,
        meta: Meta,
    ) -> Result<(Self, Vec<IntentFault>), MalformedResponse> {
        let Value::Object(mut fields) = answer else {
            return Err(MalformedResponse::NotAnObject(name_of(&answer)));
        };
        let (intents, warnings) = read_intents(fields.get("intents"))?;
        let outcome = match fields.get("ok") {
            Some(Value::Bool(true)) => Ok(read_data(&mut fields)?),
            Some(Value::Bool(false)) => Err(read_error(&fields)?),
            _ => return Err(MalformedResponse::Ok),
        };
        let artifacts = read_artifacts(fields.get("artifacts"))?;
        if outcome.is_err() && !artifacts.is_empty() {
            return Err(MalformedResponse::ArtifactsBesideError);
        }
        Ok((Self { outcome, intents, artifacts, meta }, warnings))
    }

    pub fn is_ok(&self) -> bool {
        self.outcome.is_ok()
    }
}

fn read_data(fields: &mut Map<String, Value>) -> Result<Value, MalformedResponse> {
    match fields.get("error") {
        None | Some(Value::Null) => fields.remove("data").ok_or(MalformedResponse::NoData),
        Some(_) => Err(MalformedResponse::ErrorBesideData),
    }
}

fn read_error(fields: &Map<String, Value>) -> Result<ToolError, MalformedResponse> {
    if fields.get("data").is_some_and(|data| !data.is_null()) {
        return Err(MalformedResponse::DataBesideError);
    }
    let Some(Value::Object(error)) = fields.get("error") else {
        return Err(MalformedResponse::NoError);
    };
    let Some(Value::String(kind)) = error.get("type") else {
        return Err(MalformedResponse::ErrorField("type", "not a string"));
    };
    let Some(Value::String(message)) = error.get("message") else {
        return Err(MalformedResponse::ErrorField("message", "not a string"));
    };
    let Some(Value::Bool(retryable)) = error.get("retryable") else {
        return Err(MalformedResponse::ErrorField("retryable", "neither true nor false"));
    };
    let flag = |name: &'static str| match error.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(_) => Err(MalformedResponse::ErrorField(name, "neither true nor false")),
    };
    Ok(ToolError {
        kind: kind.parse().map_err(MalformedResponse::ErrorType)?,
        message: message.clone(),
        retryable: *retryable,
        idempotency_required: flag("idempotencyRequired")?,
        partial_side_effects: flag("partialSideEffects")?,
        details: error.get("details").cloned().unwrap_or_default(),
        // Only the host asks a person: a handler cannot forge the request.
        confirmation_request: Value::Null,
    })
}

type Intents = (Vec<Intent>, Vec<IntentFault>);

fn read_intents(field: Option<&Value>) -> Result<Intents, MalformedResponse> {
    let entries = match field {
        None | Some(Value::Null) => return Ok(Intents::default()),
        Some(Value::Array(entries)) if entries.len() <= Intent::COUNT_MAX => entries,
        Some(_) => return Err(MalformedResponse::Intents),
    };
    let mut intents = Intents::default();
    for (index, entry) in entries.iter().enumerate() {
        match Intent::from_entry(index, entry) {
            Ok(intent) => intents.0.push(intent),
            Err(fault) if fault.is_warning() => intents.1.push(fault),
            Err(fault) => return Err(MalformedResponse::Intent(fault)),
        }
    }
    Ok(intents)
}

fn read_artifacts(field: Option<&Value>) -> Result<Vec<Artifact>, MalformedResponse> {
    let entries = match field {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(entries)) if entries.len() <= Artifact::COUNT_MAX => entries,
        Some(_) => return Err(MalformedResponse::Artifacts),
    };
    let read = entries.iter().enumerate().map(|(index, entry)| Artifact::from_entry(index, entry));
    read.collect::<Result<_, _>>().map_err(MalformedResponse::Artifact)
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

impl Serialize for ToolResponse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("ok", &self.is_ok())?;
        match &self.outcome {
            Ok(data) => map.serialize_entry("data", data)?,
            Err(error) => map.serialize_entry("error", error)?,
        }
        map.serialize_entry("intents", &self.intents)?;
        if !self.artifacts.is_empty() {
            map.serialize_entry("artifacts", &self.artifacts)?;
        }
        map.serialize_entry("meta", &self.meta)?;
        map.end()
    }
}

#[cfg(test)]
mod tests;
