//! MCP both ways, through the whole program.

mod client;
mod fixtures;
mod over_http;
mod serving;
