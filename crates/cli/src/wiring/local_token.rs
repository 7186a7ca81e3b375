//! The token of this machine's own server: made once, kept in a private file beside the store,
//! so that links, bookmarks and open pages outlive a restart.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use server::Token;

use crate::exit::Failure;

/// A token, and the file that it is in.
pub(crate) struct LocalToken {
    pub token: Token,
    pub file: PathBuf,
}

const BYTES_MAX: u64 = 512;

impl LocalToken {
    /// The token of this name, beside the store. What others can read is no secret, so such a
    /// file is refused.
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
    let fix = || format!("remove `{shown}`: a new one is made at the next start");
    if file.is_symlink() {
        let what = format!("`{shown}` is a link, and somebody else may have put it there");
        return Err(Failure::message(what, fix()));
    }
    let opened = match File::open(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.with_context(|| format!("`{shown}` cannot be read")),
    };
    let opened = opened.map_err(|fault| Failure::user(fault, fix()))?;
    if is_open_to_others(&opened)? {
        let what = format!("`{shown}` can be read by others, so the token in it is no secret");
        return Err(Failure::message(what, fix()));
    }
    let mut text = String::new();
    opened.take(BYTES_MAX).read_to_string(&mut text)?;
    let token = Token::parse(text.trim()).with_context(|| format!("`{shown}` holds no token"));
    token.map(Some).map_err(|fault| Failure::user(fault, fix()))
}

/// Whole or not at all; of two that start at once, both take the first one's.
fn make(file: &Path) -> Result<Token, Failure> {
    let token = Token::fresh().map_err(|bad| Failure::user(bad, "look at the machine"))?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let written = || -> std::io::Result<()> {
        // For its owner alone, under a name by chance.
        let mut draft = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
        writeln!(draft, "{}", token.secret())?;
        draft.as_file().sync_all()?;
        draft.persist_noclobber(file)?;
        Ok(())
    };
    match written() {
        Ok(()) => Ok(token),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => read(file)?.ok_or_else(|| {
            Failure::message(format!("`{}` comes and goes", file.display()), "start again")
        }),
        Err(error) => {
            let what = format!("the token cannot be kept in `{}`", file.display());
            let fix = "look at the folder, or give --token-file";
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
