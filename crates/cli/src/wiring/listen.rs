//! Where a server listens: addresses as people write them, and what is told of one that is taken.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::TcpListener;

use crate::exit::Failure;

/// An address as a person gives it: `127.0.0.1:7777`, `localhost:7777`, `:7777` or `7777`.
/// Without an address it is this machine's own, which nobody else reaches.
pub(crate) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").or(text.strip_prefix(':')).unwrap_or(text);
    let local = port.parse().map(|port| SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port));
    local.or_else(|_| text.parse()).map_err(|_| {
        "write an address and a port, as in 127.0.0.1:7777, or a port alone".to_owned()
    })
}

/// Takes the address, or says which one is taken.
pub(crate) async fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|fault| {
        let fix = match (fault.kind(), address.port()) {
            (std::io::ErrorKind::AddrInUse, _) => {
                "another program listens there: end it, or give --listen another port"
            }
            (std::io::ErrorKind::PermissionDenied, 1..1024) => "give --listen a port above 1023",
            _ => "give --listen another address",
        };
        let what = format!("nobody can listen on {address}");
        Failure::user(anyhow::Error::new(fault).context(what), fix)
    })
}

#[cfg(test)]
mod tests;
