//! Which addresses a server may be at that a person added.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::class::AddressClass;
use crate::resolver::{Resolver, SystemResolver};

/// Where a server may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// On the public internet only.
    Public,
    /// Also on this machine or in a private network. Never link-local, never a metadata service.
    Near,
}

impl Reach {
    pub fn allows(self, address: IpAddr) -> bool {
        match AddressClass::of(address) {
            AddressClass::Public => true,
            AddressClass::Loopback | AddressClass::Private => self == Reach::Near,
            AddressClass::Metadata | AddressClass::Reserved => false,
        }
    }

    /// The reach of a server that is at these addresses now; none if it may not be there.
    pub fn of(addresses: &[IpAddr]) -> Option<Self> {
        let all = |reach: Reach| addresses.iter().all(|address| reach.allows(*address));
        [Reach::Public, Reach::Near].into_iter().find(|reach| all(*reach))
    }
}

/// Resolves names, and refuses those that lead elsewhere. Clones share the resolver.
#[derive(Clone)]
pub struct AddressGuard {
    resolver: Arc<dyn Resolver>,
    pub reach: Reach,
}

impl fmt::Debug for AddressGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AddressGuard({:?})", self.reach)
    }
}

impl AddressGuard {
    /// With the system's resolver.
    pub fn new(reach: Reach) -> Self {
        Self::with(Arc::new(SystemResolver), reach)
    }

    pub fn with(resolver: Arc<dyn Resolver>, reach: Reach) -> Self {
        Self { resolver, reach }
    }

    /// The addresses of a name, if all of them are allowed.
    pub async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let addresses = self.resolver.resolve(name).await?;
        match addresses.iter().all(|address| self.reach.allows(*address)) {
            true => Ok(addresses),
            false => Err(self.refused(name)),
        }
    }

    /// Checks a host that is an address; a name is checked when it is resolved.
    pub fn check_literal(&self, host: &str) -> io::Result<()> {
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        match bare.parse::<IpAddr>() {
            Ok(address) if !self.reach.allows(address) => Err(self.refused(host)),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn refused(&self, host: &str) -> io::Error {
        let what = match self.reach {
            Reach::Public => {
                "leads to a private, local or reserved address, and did not when it was added"
            }
            Reach::Near => "leads to an address that is link-local or hands out credentials",
        };
        io::Error::new(io::ErrorKind::PermissionDenied, format!("`{host}` {what}"))
    }
}

#[cfg(test)]
mod tests;
