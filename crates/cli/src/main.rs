//! The `ghosthand` program: parses the command line, runs one command, exits with its code.

mod commands;
mod config;
mod exit;
mod log;
mod python;
mod render;
mod wiring;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::builder::styling::{AnsiColor, Style, Styles};
use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser};

use crate::commands::Command;
use crate::render::printer::Printer;

/// Checking tools allocates many small values; mimalloc halves the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Write a tool once, and run it safely with any model
///
/// A tool is a directory with a contract (schema.json), a summary for the model
/// (doc_summary.md), a guide for people (doc.md) and a handler. Start with
/// `ghosthand new`, then `ghosthand check` and `ghosthand build`.
#[derive(Parser)]
#[command(name = "ghosthand", version, styles = STYLES, propagate_version = true)]
struct Program {
    #[command(subcommand)]
    command: Command,
    /// When to use colour; honours NO_COLOR
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
}

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default())
    .placeholder(Style::new());

fn main() -> ExitCode {
    // Child processes run handlers only; they do not parse commands.
    if let Some(code) = hosts::child_main(std::env::args_os().skip(1)) {
        return code;
    }
    log::start();
    config::variables::warn_about_unknown();
    let program = match parse(named_args(std::env::args_os().collect())) {
        Ok(program) => program,
        Err(code) => return code,
    };
    let mut printer = Printer::new(program.color);
    exit::code(program.command.run(&mut printer), &mut printer)
}

/// The program under the name `ghostpen`, as a link or a copy, is `ghosthand pen`.
fn named_args(mut args: Vec<OsString>) -> Vec<OsString> {
    let name = args.first().map(std::path::Path::new).and_then(std::path::Path::file_stem);
    if name == Some(std::ffi::OsStr::new("ghostpen")) {
        args.insert(1, "pen".into());
    }
    args
}

/// The command line; its help and faults are in the writer's language for `ghosthand pen`.
fn parse(args: Vec<OsString>) -> Result<Program, ExitCode> {
    if commands::pen::help_language(&args) != Some(pen::Lang::Uk) {
        return Ok(Program::parse_from(args));
    }
    let command = commands::pen::help_in_ukrainian(Program::command());
    let parsed = command.try_get_matches_from(args);
    parsed.and_then(|found| Program::from_arg_matches(&found)).map_err(|fault| {
        match commands::pen::usage_fault(&fault) {
            None => fault.exit(),
            Some(text) => {
                // Without a terminal, the exit code still reports it.
                let _ = std::io::stderr().write_all(text.as_bytes());
                ExitCode::from(2)
            }
        }
    })
}
