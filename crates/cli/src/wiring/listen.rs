//! Parses and binds the address of a server.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::TcpListener;

use crate::exit::Failure;

/// Parses `127.0.0.1:7777`, `localhost:7777`, `:7777` or `7777`. Without a host, it is loopback.
pub(crate) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").or(text.strip_prefix(':')).unwrap_or(text);
    let local = port.parse().map(|port| SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port));
    local.or_else(|_| text.parse()).map_err(|_| {
        "expected an address and a port, as in 127.0.0.1:7777, or only a port".to_owned()
    })
}

/// What to do about an address that others reach without a token.
pub(crate) const OPEN_FIX: &str = "omit --no-token, or listen on 127.0.0.1";

/// Refuses an address that others reach, before anything is opened, if there is no token.
pub(crate) fn check_open(address: SocketAddr, has_tokens: bool) -> Result<(), Failure> {
    let refused = server::refuse_open(address, has_tokens);
    refused.map_err(|fault| Failure::usage(fault.to_string(), OPEN_FIX))
}

/// Binds the address.
pub(crate) async fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|fault| {
        let fix = match (fault.kind(), address.port()) {
            (std::io::ErrorKind::AddrInUse, _) => {
                "another program uses it: stop that one, or pass --listen another port"
            }
            (std::io::ErrorKind::PermissionDenied, 1..1024) => "pass --listen a port above 1023",
            _ => "pass --listen another address",
        };
        let what = format!("cannot listen on {address}");
        Failure::user(anyhow::Error::new(fault).context(what), fix)
    })
}

#[cfg(test)]
mod tests;
