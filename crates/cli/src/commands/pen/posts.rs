//! `ghostpen posts`: searches the saved posts.

use clap::{Args, Subcommand};
use pen::Platform;
use pen::posts::Query;
use serde_json::json;

use super::context::PenContext;
use super::platform;
use crate::exit::{CommandResult, ExitStatus};
use crate::render::printer::{Printer, cyan, dim, one_line};

/// Search the saved posts
#[derive(Subcommand)]
pub(super) enum PostsCommand {
    Search(SearchArgs),
}

/// Find posts by words, in any inflected form
#[derive(Args)]
pub(super) struct SearchArgs {
    /// Words to look for
    #[arg(required = true, value_name = "WORD")]
    words: Vec<String>,
    /// Only posts for this platform
    #[arg(long, value_name = "NAME", value_parser = platform)]
    platform: Option<Platform>,
    /// Maximum results
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=500))]
    limit: u16,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl PostsCommand {
    pub(super) fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let PostsCommand::Search(args) = self;
        args.run(ctx, printer)
    }
}

impl SearchArgs {
    fn run(self, ctx: &PenContext, printer: &mut Printer) -> CommandResult {
        let query =
            Query { keywords: self.words, platform: self.platform, limit: usize::from(self.limit) };
        let (found, total) = ctx.pen.posts().search(&query);
        if self.json {
            printer.json(&json!({ "posts": found, "total_found": total }))?;
            return Ok(ExitStatus::Success);
        }
        for post in &found {
            printer.data(format!("{}  {}  {}", cyan(&post.file), post.platform, post.topic))?;
            printer.data(format!("  {}", dim(one_line(&post.preview, 100))))?;
        }
        printer.message(dim(ctx.lang.fill("posts.found", &[("count", &total)])))?;
        Ok(ExitStatus::Success)
    }
}
