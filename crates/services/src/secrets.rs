//! Gives declared secrets to handlers.

pub(crate) mod redactor;

use contract::{Secret, SecretName};
use policy::ServiceFault;
use serde::Deserialize;
use serde_json::Value;

use crate::fault::FaultCode;
use crate::handler_services::arguments;
use crate::handler_services::run_state::RunState;
use crate::permissions::Service;

/// Looks up the values of secrets.
pub trait Secrets: Send + Sync {
    fn get(&self, name: &SecretName) -> Option<Secret>;
}

/// Has no secrets.
pub struct NoSecrets;

impl Secrets for NoSecrets {
    fn get(&self, _name: &SecretName) -> Option<Secret> {
        None
    }
}

/// Shorter values occur by chance everywhere and cannot be redacted.
const BYTES_MIN: usize = 4;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Get {
    name: String,
}

/// Returns a declared secret, and registers it with the [`redactor::Redactor`].
pub(crate) fn get(run: &RunState, args: Value) -> Result<Value, ServiceFault> {
    let Get { name } = arguments::parse(Service::SecretsGet, args)?;
    let declared = &run.grant.contract.capabilities.secrets;
    let name = declared.iter().find(|declared| declared.as_str() == name).ok_or_else(|| {
        FaultCode::NotAllowed.fault(format!(
            "the secret `{name}` is not declared; add it to `secrets` in the tool's `capabilities`"
        ))
    })?;
    match run.grant.secrets.get(name).filter(|secret| secret.expose().len() >= BYTES_MIN) {
        Some(secret) => {
            run.redactor.remember(name, &secret);
            Ok(Value::String(secret.expose().to_owned()))
        }
        None => Err(FaultCode::NotFound.fault(format!(
            "the secret `{name}` has no value here, or one of less than {BYTES_MIN} bytes"
        ))),
    }
}
