//! The arguments of a service, read strictly: a misspelt option is a fault, not ignored.

use policy::ServiceFault;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::fault::FaultCode;
use crate::permissions::Service;

/// Reads the arguments as the type the service takes.
pub(crate) fn parse<T: DeserializeOwned>(service: Service, args: Value) -> Result<T, ServiceFault> {
    serde_json::from_value(args)
        .map_err(|error| FaultCode::BadRequest.fault(format!("`{}`: {error}", service.as_str())))
}

/// What a write expects to find, as `expectedRevision` says it: not given, `null`, a revision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Expectation<R> {
    /// Only where the field is not given at all; `null` comes to `deserialize`.
    #[default]
    Any,
    Absent,
    Revision(R),
}

impl<'de, R: Deserialize<'de>> Deserialize<'de> for Expectation<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Option::<R>::deserialize(deserializer)? {
            Some(revision) => Expectation::Revision(revision),
            None => Expectation::Absent,
        })
    }
}
