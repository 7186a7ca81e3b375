//! Replays stories: recorded conversations in Markdown, where tools without effects really run.

use std::fs;
use std::path::{Path, PathBuf};

use conversation::{Conversations, ReplayCalls, Story};
use policy::ConversationId;

use crate::commands::chat;
use crate::commands::records::replay;
use crate::config::Config;
use crate::exit::{CommandResult, ExitStatus, Failure, not_read};
use crate::render::printer::{Printer, bold};
use crate::wiring::engine_setup::EngineArgs;
use crate::wiring::open_store::StoreUse;

/// At most this many stories are run.
const STORIES_MAX: usize = 10_000;

/// The stories of an argument: a file, or all `.md` files of a folder.
pub(super) fn found(name: &str) -> Result<Option<Vec<PathBuf>>, Failure> {
    let path = Path::new(name);
    let is_story = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "md");
    if path.is_file() && is_story(&path.to_owned()) {
        return Ok(Some(vec![path.to_owned()]));
    }
    if !path.exists() && is_story(&path.to_owned()) {
        let what = format!("there is no file `{name}`");
        let fix = "give a story that `ghosthand replay ID --export FILE` wrote";
        return Err(Failure::message(what, fix));
    }
    if path.is_file() && !name.ends_with(".py") {
        let what = format!("`{name}` is neither a tool nor a story");
        let fix = "a story is a Markdown file that `ghosthand replay ID --export FILE.md` wrote";
        return Err(Failure::message(what, fix));
    }
    if !path.is_dir() || path.join("schema.json").exists() {
        return Ok(None);
    }
    let entries = fs::read_dir(path).map_err(|error| not_read(path, error))?.take(STORIES_MAX);
    let mut stories = Vec::new();
    for entry in entries {
        stories.push(entry?.path());
    }
    stories.retain(is_story);
    stories.sort();
    Ok((!stories.is_empty()).then_some(stories))
}

/// Replays each story; a changed tool is reported, and only a different outcome is a fault.
pub(super) async fn run(
    tools: &Path,
    stories: &[PathBuf],
    config: &Config,
    printer: &mut Printer,
) -> CommandResult {
    let folder = tempfile::tempdir()?;
    let store = Some(folder.path().join("store.db"));
    let engine = EngineArgs { dir: Some(tools.to_owned()), store, rules: None };
    let conversations = Conversations::new(engine.open_unlocked(config, StoreUse::Read)?);
    let mut failed = 0;
    for path in stories {
        printer.data(bold(path.display()))?;
        let text = fs::read_to_string(path).map_err(|error| not_read(path, error))?;
        let story = Story::parse(&text).map_err(|bad| {
            let fix = "correct the file, or write it again with `ghosthand replay ID --export`";
            Failure::user(anyhow::Error::new(bad).context(path.display().to_string()), fix)
        })?;
        let id = ConversationId(story.title);
        let replayed = conversations.replay(&id, &story.events, ReplayCalls::RunHarmless).await;
        let replayed = replayed.map_err(chat::conversation_failure)?;
        replay::say(&replayed, printer)?;
        failed += usize::from(replayed.difference.is_some());
    }
    let total = stories.len();
    match failed {
        0 if total == 1 => printer.message("1 story passed")?,
        0 => printer.message(format!("{total} stories passed"))?,
        failed => printer.message(format!("{failed} of {total} stories failed"))?,
    }
    Ok(if failed == 0 { ExitStatus::Success } else { ExitStatus::Faults })
}
