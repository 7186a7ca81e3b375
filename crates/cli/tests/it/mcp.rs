//! MCP both ways, through the whole program.

mod client;
mod fixtures;
mod importing;
mod listening;
mod over_http;
mod peers;
mod serving;
