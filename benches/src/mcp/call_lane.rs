//! Calls a tool repeatedly, as a client of the newest revision does.

use std::net::SocketAddr;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::http::Connection;
use crate::measure::rounds::Lane;

pub(crate) struct CallLane {
    address: SocketAddr,
    tool: &'static str,
    connection: Option<Connection>,
    made: u64,
}

impl CallLane {
    pub(crate) fn new(address: SocketAddr, tool: &'static str) -> Self {
        Self { address, tool, connection: None, made: 0 }
    }
}

impl Lane for CallLane {
    async fn call(&mut self) -> Result<()> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(Connection::open(self.address).await?),
        };
        self.made += 1;
        let params = json!({ "name": self.tool, "arguments": { "a": self.made, "b": 1 } });
        let answer = ask(connection, "tools/call", Some(self.tool), params).await?;
        let sum = answer.pointer("/result/structuredContent/sum").and_then(Value::as_u64);
        ensure!(sum == Some(self.made + 1), "the server gave the sum: {answer}");
        Ok(())
    }
}

/// One request with the metadata that each must carry.
pub(crate) async fn ask(
    connection: &mut Connection,
    method: &str,
    name: Option<&str>,
    mut params: Value,
) -> Result<Value> {
    if let Value::Object(params) = &mut params {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        });
        params.insert("_meta".to_owned(), meta);
    }
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let name = name.map(|name| format!("mcp-name: {name}\r\n")).unwrap_or_default();
    let headers = format!(
        "accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\n\
         mcp-method: {method}\r\n{name}"
    );
    let answer = connection.post_with("/mcp", &headers, body.to_string().as_bytes()).await?;
    let text = String::from_utf8(answer.body)?;
    // A server that streams even one answer sends it as an event.
    let json =
        text.lines().find_map(|line| line.strip_prefix("data: {")).map(|rest| format!("{{{rest}"));
    Ok(serde_json::from_str(&json.unwrap_or(text))?)
}
