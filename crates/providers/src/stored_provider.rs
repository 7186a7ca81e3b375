//! A provider that the page added, as the store has it.

use addresses::Reach;
use contract::{Secret, Wire};
use models::Provider;
use serde::{Deserialize, Serialize};
use store::{BadName, Key};

use crate::address::{Address, BadAddress};
use crate::kind::ProviderKind;
use crate::sealer::{SealFault, Sealer};

pub(crate) const PREFIX: &str = "providers/";

/// The value below `providers/NAME`. Its key is sealed for its name and address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredProvider {
    pub kind: ProviderKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire: Option<Wire>,
    pub address: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed: Option<String>,
    /// Answers new conversations if the server has no model of its own.
    pub first_model: String,
    /// Where the server was when it was added. One that was on the public internet is not asked
    /// when its name leads to a private network. Those added by an older program may be near.
    #[serde(default = "near")]
    pub reach: Reach,
}

fn near() -> Reach {
    Reach::Near
}

/// Why a stored provider cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unusable {
    #[error(transparent)]
    Seal(#[from] SealFault),
    #[error(transparent)]
    Address(#[from] BadAddress),
}

impl StoredProvider {
    /// The provider with its key. A key opens only for the address that it was given for.
    pub(crate) fn provider(&self, name: &str, sealer: &Sealer) -> Result<Provider, Unusable> {
        let address = Address::parse(&self.address)?;
        let key = self.key(name, &self.address, sealer)?;
        Ok(self.kind.described(name, &address, self.wire, key))
    }

    pub(crate) fn key(
        &self,
        name: &str,
        address: &str,
        sealer: &Sealer,
    ) -> Result<Option<Secret>, SealFault> {
        let Some(sealed) = &self.sealed else { return Ok(None) };
        sealer.open(sealed, &place(name, address)).map(Some)
    }
}

/// What a key is sealed for.
pub(crate) fn place(name: &str, address: &str) -> String {
    format!("{name} {address}")
}

pub(crate) fn store_key(name: &str) -> Result<Key, BadName> {
    format!("{PREFIX}{name}").parse()
}

const NAME_BYTES_MAX: usize = 32;
/// The stand-in, and a path of the API.
const RESERVED: [&str; 2] = ["rehearsal", "find"];

/// Whether a provider can have this name; `:` separates it from the model.
pub(crate) fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.len() <= NAME_BYTES_MAX
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(plain)
        && !RESERVED.contains(&name)
}
