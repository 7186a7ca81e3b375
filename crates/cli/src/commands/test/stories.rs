//! Recorded conversations as regression tests: `ghosthand test stories/`.

use std::path::{Path, PathBuf};

use engine::{Calls, Desk, Story};
use policy::ConversationId;

use crate::commands::chat::said;
use crate::desk::DeskArgs;
use crate::exit::{Ending, Failure, Outcome};
use crate::printer::{Printer, bold, count, red};

/// Is this a story, or a folder of them?
pub(super) fn are_meant(path: &Path) -> bool {
    match path.is_dir() {
        true => !path.join("schema.json").exists() && !files(path).is_empty(),
        false => is_story(path) && path.is_file(),
    }
}

fn is_story(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

/// The stories of a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> =
        entries.map(|entry| entry.path()).filter(|path| is_story(path)).collect();
    files.sort();
    files
}

/// Runs every story in a store of its own.
pub(super) fn run(path: &Path, tools: &Path, printer: &mut Printer) -> Outcome {
    let files = if path.is_dir() { files(path) } else { vec![path.to_owned()] };
    crate::commands::on_runtime(async {
        let mut failed = 0;
        for file in &files {
            let folder = tempfile::tempdir()?;
            let store = Some(folder.path().join("store.db"));
            let args = DeskArgs { dir: Some(tools.to_owned()), store, rules: None };
            let wrong = wrong(&args.open()?, file).await?;
            let word = if wrong.is_empty() { "ok  ".to_owned() } else { red("FAIL") };
            printer.data(format!("  {word}  {}", bold(file.display())))?;
            for line in &wrong {
                printer.data(format!("        {line}"))?;
            }
            failed += usize::from(!wrong.is_empty());
        }
        let stories = count(files.len(), "conversation");
        printer.say(match failed {
            0 => format!("{stories} run again as recorded"),
            failed => format!("{stories}: {failed} failed"),
        })?;
        Ok(if failed == 0 { Ending::Good } else { Ending::Faults })
    })
}

/// What came out differently, line by line.
async fn wrong(desk: &Desk, file: &Path) -> Result<Vec<String>, Failure> {
    let shown = file.display().to_string();
    let text = std::fs::read_to_string(file)?;
    let story = match Story::parse(&text) {
        Ok(story) => story,
        Err(bad) => return Ok(vec![format!("{shown}: {bad}")]),
    };
    let id = ConversationId(shown);
    let replayed = desk.replay(&id, &story.events, Calls::HarmlessMade).await.map_err(said)?;
    let mut lines = Vec::new();
    for changed in &replayed.changed {
        let now = changed.now.map_or_else(|| "gone".to_owned(), |now| now.short());
        lines.push(format!("{} changed: {} then, {now} now", changed.tool, changed.then.short()));
    }
    if let Some(difference) = &replayed.difference {
        let line = |text: &Option<String>| text.clone().unwrap_or_else(|| "(nothing)".to_owned());
        lines.push(format!("event {} came out differently", difference.event));
        lines.push(format!("  then  {}", line(&difference.recorded)));
        lines.push(format!("  now   {}", line(&difference.replayed)));
    }
    Ok(lines)
}
