//! Seals keys for the store, with a secret outside of it: in a file, or given by the environment.
//!
//! In: a key and the place it belongs to. Out: a text for the store. Must hold: without the secret
//! the text is useless; a text that was altered or moved to another place does not open; a file
//! that others can read is refused. Servers on several machines need the same secret, so it is then
//! given; what the file has sealed before still opens where the file is.

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD as BASE64;
use contract::Secret;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};

/// The file is made with the first key, unless a secret is given.
#[derive(Clone)]
pub struct Sealer {
    file: PathBuf,
    given: Option<Secret>,
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealer")
    }
}

/// Why a key cannot be sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealFault {
    #[error("the file of the sealing key cannot be used: {0}")]
    File(String),
    #[error("this machine has no random numbers")]
    Random,
    #[error("it was sealed for another address, on another machine, or with another key")]
    NotOurs,
    #[error("the sealing key is not 32 bytes in base64")]
    BadKey,
}

const KEY_BYTES: usize = 32;
const FILE_BYTES_MAX: u64 = 256;

impl Sealer {
    /// With the secret in this file.
    pub fn new(file: PathBuf) -> Self {
        Self { file, given: None }
    }

    /// With this secret, 32 bytes in base64. What the file has sealed opens as well.
    pub fn with_key(file: PathBuf, key: &str) -> Result<Self, SealFault> {
        decoded(key).ok_or(SealFault::BadKey)?;
        Ok(Self { file, given: Some(Secret::new(key)) })
    }

    fn given(&self) -> Option<LessSafeKey> {
        self.given.as_ref().and_then(|key| decoded(key.expose()))
    }

    /// Seals a key for one place.
    pub fn seal(&self, key: &Secret, place: &str) -> Result<String, SealFault> {
        let cipher = match self.given() {
            Some(cipher) => cipher,
            None => match self.read()? {
                Some(cipher) => cipher,
                None => self.make()?,
            },
        };
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).map_err(|_| SealFault::Random)?;
        let mut sealed = key.expose().as_bytes().to_vec();
        let (unique, bound) = (Nonce::assume_unique_for_key(nonce), Aad::from(place));
        cipher
            .seal_in_place_append_tag(unique, bound, &mut sealed)
            .map_err(|_| SealFault::NotOurs)?;
        Ok(BASE64.encode([&nonce[..], &sealed].concat()))
    }

    /// Opens what was sealed for this place.
    pub fn open(&self, sealed: &str, place: &str) -> Result<Secret, SealFault> {
        if let Some(opened) = self.given().and_then(|cipher| opened(&cipher, sealed, place)) {
            return Ok(opened);
        }
        let cipher = self.read()?.ok_or(SealFault::NotOurs)?;
        opened(&cipher, sealed, place).ok_or(SealFault::NotOurs)
    }

    fn read(&self) -> Result<Option<LessSafeKey>, SealFault> {
        let bad = |why: &str| SealFault::File(format!("`{}` {why}", self.file.display()));
        if self.file.is_symlink() {
            return Err(bad("is a symbolic link; remove it"));
        }
        let file = match File::open(&self.file) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(|error| bad(&format!("cannot be read: {error}")))?,
        };
        if is_open_to_others(&file).map_err(|error| bad(&error.to_string()))? {
            return Err(bad("is readable by others; `chmod 600` it"));
        }
        let bytes = files::read_bounded(file, FILE_BYTES_MAX)
            .map_err(|fault| bad(&format!("cannot be read: {fault}")))?;
        let text = String::from_utf8_lossy(&bytes);
        let secret = BASE64.decode(text.trim()).map_err(|_| bad("is damaged"))?;
        cipher(&secret).ok_or_else(|| bad("is damaged")).map(Some)
    }

    /// Of two processes that make it at once, both use the first.
    fn make(&self) -> Result<LessSafeKey, SealFault> {
        let bad = |why: String| SealFault::File(format!("`{}` {why}", self.file.display()));
        let mut secret = [0; KEY_BYTES];
        SystemRandom::new().fill(&mut secret).map_err(|_| SealFault::Random)?;
        match write_new(&self.file, &BASE64.encode(secret)) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(bad(format!("cannot be written: {error}"))),
        }
        self.read()?.ok_or_else(|| bad("keeps changing".to_owned()))
    }
}

/// A new file that only its owner can read.
fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let mut draft = files::AtomicFile::new(path)?;
    writeln!(draft, "{text}")?;
    draft.create()
}

fn opened(cipher: &LessSafeKey, sealed: &str, place: &str) -> Option<Secret> {
    let bytes = BASE64.decode(sealed).ok()?;
    let (nonce, rest) = bytes.split_at_checked(NONCE_LEN)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
    let mut rest = rest.to_vec();
    let opened = cipher.open_in_place(nonce, Aad::from(place), &mut rest).ok()?;
    std::str::from_utf8(opened).ok().map(Secret::new)
}

/// A given secret, with or without the padding of base64.
fn decoded(key: &str) -> Option<LessSafeKey> {
    cipher(&BASE64.decode(key.trim().trim_end_matches('=')).ok()?)
}

fn cipher(secret: &[u8]) -> Option<LessSafeKey> {
    UnboundKey::new(&CHACHA20_POLY1305, secret).ok().map(LessSafeKey::new)
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
