//! Finds the project of a command: the current folder, or a parent.
//!
//! A project is a folder with `ghosthand.toml` or `tools`. Parents are searched while they have the
//! same owner and file system, and never up to the home folder, which is not a project.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Once;

use crate::config::CONFIG_FILE;

const TOOLS: &str = "tools";
/// How many parents are searched.
const ABOVE_MAX: usize = 40;

/// The project folder: empty for the current one, else `..`, `../..` and so on. A folder other
/// than the current one is printed once.
pub(crate) fn root() -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    let steps = steps_up(&here, home.and_then(|home| home.canonicalize().ok()).as_deref());
    if steps > 0 {
        let root = here.ancestors().nth(steps).unwrap_or(&here);
        static SAID: Once = Once::new();
        SAID.call_once(|| {
            // A closed terminal does not matter.
            let _ = writeln!(std::io::stderr(), "project: {}", root.display());
        });
    }
    std::iter::repeat_n("..", steps).collect()
}

/// The fix for a missing tools directory.
pub(crate) fn no_tools_fix(dir: &Path) -> String {
    let make = "create a tool with `ghosthand new NAME`";
    let here = std::env::current_dir().unwrap_or_default();
    match dir == Path::new(TOOLS) {
        true => format!(
            "neither `{}` nor a parent has `{TOOLS}` or `{CONFIG_FILE}`; go to your \
             project, or {make}",
            here.display()
        ),
        false => format!("searched in `{}`; choose another one, or {make}", here.display()),
    }
}

/// How many folders up the project is; 0 if it is here or nowhere.
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

/// Does a parent belong to the owner of the folder alone? Others could put tools into a
/// world-writable folder.
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

/// The tools directory of a path: itself, or the `tools` of a project.
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
