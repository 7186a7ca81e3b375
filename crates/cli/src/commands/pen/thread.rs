//! `ghostpen thread`: splits a text into numbered posts.

use std::path::PathBuf;

use clap::Args;
use pen::Platform;
use pen::length::thread;
use pen::posts::split;
use serde_json::{Value, json};

use super::context::PenContext;
use super::platform;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, dim};

/// Split a text into numbered posts for X
#[derive(Args)]
pub(super) struct ThreadArgs {
    /// The text; `-` is standard input
    file: PathBuf,
    /// The platform, for its length limit
    #[arg(long, value_name = "NAME", value_parser = platform, default_value = "x")]
    platform: Platform,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const TEXT_BYTES_MAX: usize = 1 << 20;

impl ThreadArgs {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let text = ctx.text_of(&self.file, TEXT_BYTES_MAX)?;
        let posts = thread(split(&text).1, self.platform)
            .map_err(|fault| Failure::message(fault.text(ctx.lang), ctx.lang.say("thread.fix")))?;
        if self.json {
            let counted =
                |post: &String| json!({ "text": post, "length": self.platform.count(post) });
            printer.json(&posts.iter().map(counted).collect::<Vec<Value>>())?;
            return Ok(ExitStatus::Success);
        }
        for (index, post) in posts.iter().enumerate() {
            if index > 0 {
                printer.data("\n---\n")?;
            }
            printer.data(post)?;
        }
        let lengths: Vec<_> =
            posts.iter().map(|post| self.platform.count(post).to_string()).collect();
        printer.message(dim(format!("{} {}", self.platform, lengths.join(" "))))?;
        Ok(ExitStatus::Success)
    }
}
