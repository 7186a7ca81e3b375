//! The `ghosthand` program: parses the command line, runs one command, exits with its code.

mod commands;
mod config;
mod exit;
mod log;
mod python;
mod render;
mod wiring;

use std::process::ExitCode;

use clap::builder::styling::{AnsiColor, Style, Styles};
use clap::{ColorChoice, Parser};

use crate::commands::Command;
use crate::render::printer::Printer;

/// Checking tools allocates many small values; mimalloc halves the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Write a tool once, run it safely under every model
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
    let program = Program::parse();
    let mut printer = Printer::new(program.color);
    exit::code(program.command.run(&mut printer), &mut printer)
}
