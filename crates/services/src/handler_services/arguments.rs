//! Parses the arguments of a service strictly: an unknown field is a fault.

use policy::ServiceFault;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::fault::FaultCode;
use crate::permissions::Service;

/// Parses the arguments.
pub(crate) fn parse<T: DeserializeOwned>(service: Service, args: Value) -> Result<T, ServiceFault> {
    serde_json::from_value(args)
        .map_err(|error| FaultCode::BadRequest.fault(format!("`{}`: {error}", service.as_str())))
}

/// The `expectedRevision` of a write: missing, `null` or a revision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Expectation<R> {
    /// The field is missing; `null` is handled by `deserialize`.
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
