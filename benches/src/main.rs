//! `make bench`: each part in turn, or the ones named on the command line.

mod call;
mod cards;
mod dialect_compile;
mod http;
mod mcp;
mod measure;
mod page;
mod peers;
mod pen;
mod python;
mod registry_build;
mod registry_load;
mod server_process;
mod streams;
mod turn;
mod voice;

use std::process::ExitCode;

use anyhow::{Result, bail};

/// Checking a tool makes many small values; this allocator makes them in half the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Part = (&'static str, fn() -> Result<()>);

const PARTS: [Part; 12] = [
    ("registry_build", registry_build::run),
    ("registry_load", registry_load::run),
    ("dialect_compile", dialect_compile::run),
    ("call", call::run),
    ("python", python::run),
    ("turn", turn::run),
    ("streams", streams::run),
    ("page", page::run),
    ("cards", cards::run),
    ("mcp", mcp::run),
    ("pen", pen::run),
    ("voice", voice::run),
];

fn main() -> Result<ExitCode> {
    // The hosts start this program as their children.
    if let Some(code) = hosts::child_main(std::env::args_os().skip(1)) {
        return Ok(code);
    }
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted == [turn::CROWD_ALONE] {
        turn::crowd_alone()?;
        return Ok(ExitCode::SUCCESS);
    }
    if wanted == [streams::SERVER_ALONE] {
        streams::server_alone()?;
        return Ok(ExitCode::SUCCESS);
    }
    if wanted == [voice::in_page::SERVER_ALONE] {
        voice::in_page::server_alone()?;
        return Ok(ExitCode::SUCCESS);
    }
    if let [one] = wanted.as_slice()
        && mcp::serve_alone(one)?
    {
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(unknown) = wanted.iter().find(|name| PARTS.iter().all(|(part, _)| part != *name)) {
        let known: Vec<_> = PARTS.iter().map(|(part, _)| *part).collect();
        bail!("there is no part `{unknown}`; the parts are {}", known.join(", "));
    }
    for (name, part) in PARTS {
        if wanted.is_empty() || wanted.iter().any(|one| one == name) {
            measure::heading(name);
            part()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
