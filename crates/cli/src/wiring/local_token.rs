//! The token of the local server: generated once and stored in a private file beside the store, so
//! that links, bookmarks and open pages survive a restart.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use server::Token;

use crate::exit::Failure;

/// A token and its file.
pub(crate) struct LocalToken {
    pub token: Token,
    pub file: PathBuf,
}

const BYTES_MAX: u64 = 512;

impl LocalToken {
    /// The token of this name, beside the store. A file that others can read is refused.
    pub(crate) fn beside(store: &Path, name: &str) -> Result<Self, Failure> {
        crate::exit::make_folder_of(store)?;
        let file = store.parent().unwrap_or_else(|| Path::new("")).join(name);
        let token = match read(&file)? {
            Some(token) => token,
            None => make(&file)?,
        };
        Ok(Self { token, file })
    }
}

fn read(file: &Path) -> Result<Option<Token>, Failure> {
    let shown = file.display();
    let fix = || format!("remove `{shown}`; the next start creates a new one");
    if file.is_symlink() {
        let what = format!("`{shown}` is a symbolic link, which another user may have created");
        return Err(Failure::message(what, fix()));
    }
    let opened = match File::open(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.with_context(|| format!("`{shown}` cannot be read")),
    };
    let opened = opened.map_err(|fault| Failure::user(fault, fix()))?;
    if is_open_to_others(&opened)? {
        let what = format!("`{shown}` is readable by others, so its token is not secret");
        return Err(Failure::message(what, fix()));
    }
    let bytes = files::read_bounded(opened, BYTES_MAX)
        .with_context(|| format!("`{shown}` cannot be read"))
        .map_err(|fault| Failure::user(fault, fix()))?;
    let text = String::from_utf8_lossy(&bytes);
    let token = Token::parse(text.trim()).with_context(|| format!("`{shown}` is not a token"));
    token.map(Some).map_err(|fault| Failure::user(fault, fix()))
}

/// Written atomically; of two processes that start at once, both use the first token.
fn make(file: &Path) -> Result<Token, Failure> {
    let token = Token::fresh()
        .map_err(|bad| Failure::user(bad, "check the random number source of this machine"))?;
    let written = || -> std::io::Result<()> {
        let mut draft = files::AtomicFile::new(file)?;
        writeln!(draft, "{}", token.secret())?;
        draft.create()
    };
    match written() {
        Ok(()) => Ok(token),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => read(file)?.ok_or_else(|| {
            Failure::message(format!("`{}` keeps changing", file.display()), "try again")
        }),
        Err(error) => {
            let what = format!("the token cannot be stored in `{}`", file.display());
            let fix = "check the folder, or pass --token-file";
            Err(Failure::user(anyhow::Error::new(error).context(what), fix))
        }
    }
}

#[cfg(unix)]
fn is_open_to_others(file: &File) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_: &File) -> std::io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests;
