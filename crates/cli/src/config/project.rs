//! Finds the project that a command works in: the current folder, or one around it.
//!
//! A project is a folder with `ghosthand.toml` or with `tools`. The folders above are looked
//! at in turn, as far as they are the same person's and on the same disk, and never as far as
//! the home folder: what lies about there is nobody's project.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Once;

use crate::config::CONFIG_FILE;

const TOOLS: &str = "tools";
/// Deeper nobody works.
const ABOVE_MAX: usize = 40;

/// The project's folder: empty for the current one, else `..`, `../..` and so on. What is
/// not the current folder is said once.
pub(crate) fn root() -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    let steps = steps_up(&here, home.and_then(|home| home.canonicalize().ok()).as_deref());
    if steps > 0 {
        let root = here.ancestors().nth(steps).unwrap_or(&here);
        static SAID: Once = Once::new();
        SAID.call_once(|| {
            // A terminal that is gone changes nothing about the project.
            let _ = writeln!(std::io::stderr(), "project: {}", root.display());
        });
    }
    std::iter::repeat_n("..", steps).collect()
}

/// What to do where there are no tools, and where they were looked for.
pub(crate) fn no_tools_fix(dir: &Path) -> String {
    let make = "make a first one with `ghosthand new NAME`";
    let here = std::env::current_dir().unwrap_or_default();
    match dir == Path::new(TOOLS) {
        true => format!(
            "neither `{}` nor a folder above it has `{TOOLS}` or `{CONFIG_FILE}`; go to your \
             project, or {make}",
            here.display()
        ),
        false => format!("looked for in `{}`; name another one, or {make}", here.display()),
    }
}

/// How many folders up the project is; 0 if it is here, or nowhere.
fn steps_up(here: &Path, home: Option<&Path>) -> usize {
    if is_project(here) || home == Some(here) {
        return 0;
    }
    let above = here.ancestors().enumerate().skip(1).take(ABOVE_MAX);
    let reachable = above.take_while(|(_, folder)| home != Some(*folder) && belongs(here, folder));
    reachable.filter(|(_, folder)| is_project(folder)).map(|(steps, _)| steps).next().unwrap_or(0)
}

pub(crate) fn is_project(folder: &Path) -> bool {
    folder.join(CONFIG_FILE).is_file() || folder.join(TOOLS).is_dir()
}

/// Does a folder above belong to whoever owns the folder below, and to nobody else? Others
/// could put tools into a folder that everybody may write.
#[cfg(unix)]
fn belongs(here: &Path, above: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    const OTHERS_WRITE: u32 = 0o002;
    let (Ok(here), Ok(above)) = (here.metadata(), above.metadata()) else { return false };
    here.dev() == above.dev() && here.uid() == above.uid() && above.mode() & OTHERS_WRITE == 0
}

#[cfg(not(unix))]
fn belongs(_: &Path, _: &Path) -> bool {
    true
}

/// The tools directory that a person means by a path: itself, or the one of the project
/// that the path is.
pub(crate) fn tools_in(path: &Path) -> PathBuf {
    let holds = |folder: &Path, name: &str| folder.join(name).exists();
    if path.is_file() {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        return if holds(folder, "schema.json") { folder.to_owned() } else { path.to_owned() };
    }
    let inside = path.join(TOOLS);
    let is_tools = || {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.take(10_000).any(|entry| holds(&entry.path(), "schema.json"))
    };
    match holds(path, "schema.json") || !inside.is_dir() || is_tools() {
        true => path.to_owned(),
        false => inside,
    }
}

#[cfg(test)]
mod tests;
