//! A server in its own process.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// A running server; it ends when this is dropped.
pub(crate) struct Running {
    process: Child,
    pub address: SocketAddr,
}

impl Running {
    /// Starts it and waits for the line with its port.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let output = process.stdout.take().context("its output is piped")?;
        let mut server = Self { process, address: (Ipv4Addr::LOCALHOST, 0).into() };
        let mut port = String::new();
        BufReader::new(output).read_line(&mut port)?;
        server.address.set_port(port.trim().parse().context("the server gave no port")?);
        Ok(server)
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
