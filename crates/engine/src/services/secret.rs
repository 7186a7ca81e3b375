//! A secret, which is never printed, and where secrets come from.

use std::fmt;

use contract::SecretName;
use policy::ServiceFault;
use serde::Deserialize;
use serde_json::Value;

use super::arguments;
use super::fault::Code;
use super::run::Run;
use super::service::Service;

/// The value of a secret. `Debug` prints `[secret]`, and there is no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

impl Secret {
    pub fn new(value: impl Into<Box<str>>) -> Self {
        Secret(value.into())
    }

    /// The value itself, for the one who is meant to have it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// Where the values of secrets are kept.
pub trait Secrets: Send + Sync {
    fn get(&self, name: &SecretName) -> Option<Secret>;
}

/// Less could not be kept secret: it would be found, and taken out, everywhere.
const BYTES_MIN: usize = 4;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Get {
    name: String,
}

/// Hands a declared secret out, and remembers it for [`super::redactor::Redactor`].
pub(super) fn get(run: &Run, args: Value) -> Result<Value, ServiceFault> {
    let Get { name } = arguments::parse(Service::SecretsGet, args)?;
    let declared = &run.grant.contract.capabilities.secrets;
    let name = declared.iter().find(|declared| declared.as_str() == name).ok_or_else(|| {
        Code::NotAllowed.says(format!(
            "the secret `{name}` is not declared; add it to `secrets` in the tool's `capabilities`"
        ))
    })?;
    match run.grant.secrets.get(name).filter(|secret| secret.expose().len() >= BYTES_MIN) {
        Some(secret) => {
            run.redactor.remember(name, &secret);
            Ok(Value::String(secret.expose().to_owned()))
        }
        None => Err(Code::NotFound.says(format!(
            "the secret `{name}` has no value here, or one of less than {BYTES_MIN} bytes"
        ))),
    }
}
