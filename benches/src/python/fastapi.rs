//! The same functions behind FastAPI: one process of uvicorn, asked over loopback.

use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::http::Connection;
use crate::measure::rounds::Lane;
use crate::peers::Python;
use crate::server_process::Running;

/// A running server; it ends when this is dropped.
pub(crate) struct FastApi {
    _running: Running,
    pub address: SocketAddr,
}

impl FastApi {
    /// Starts the server and waits for its first answer.
    pub(crate) async fn start(python: &Python, source: &Path) -> Result<Self> {
        let mut command = python.script("fastapi_serve.py");
        let running = Running::start(command.arg(source))?;
        let server = Self { address: running.address, _running: running };
        AddLane::at(server.address).call().await?;
        Ok(server)
    }
}

/// Asks the server repeatedly, over one connection.
pub(crate) struct AddLane {
    address: SocketAddr,
    connection: Option<Connection>,
    made: u64,
}

impl AddLane {
    pub(crate) fn at(address: SocketAddr) -> Self {
        Self { address, connection: None, made: 0 }
    }
}

impl Lane for AddLane {
    async fn call(&mut self) -> Result<()> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(Connection::open(self.address).await?),
        };
        self.made += 1;
        let body = json!({"a": self.made, "b": 1}).to_string();
        let answer = connection.post("/add", body.as_bytes()).await?;
        let answer: Value = serde_json::from_slice(&answer.body)?;
        let sum = answer.get("sum").and_then(Value::as_u64);
        ensure!(sum == Some(self.made + 1), "the server gave the sum: {answer}");
        Ok(())
    }
}

/// Streams this many pieces over an open connection.
pub(crate) async fn pieces(connection: &mut Connection, count: usize) -> Result<()> {
    let body = json!({ "count": count }).to_string();
    let answer = connection.post("/pieces", body.as_bytes()).await?;
    ensure!(answer.pieces == count, "every piece was sent by itself: {}", answer.pieces);
    Ok(())
}
