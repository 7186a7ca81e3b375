//! MCP both ways, through the whole program.

mod app;
mod client;
mod fixtures;
mod importing;
mod installing;
mod listening;
mod over_http;
mod peers;
mod serving;
