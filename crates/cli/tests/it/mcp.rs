//! MCP both ways, through the whole program.

mod client;
mod fixtures;
mod importing;
mod over_http;
mod serving;
