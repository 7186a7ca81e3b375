//! Tokens, each with an owner. Only digests are stored.

use std::collections::BTreeMap;
use std::fmt;

use contract::{Digest, hex};
use engine::ToolFilter;

use crate::auth::caller::Caller;

/// The owner of everything on a server without tokens.
pub const LOCAL: &str = "local";

const TOKEN_CHARS_MIN: usize = 16;
const TOKEN_CHARS_MAX: usize = 256;

/// A secret that authenticates its owner.
#[derive(Clone)]
pub struct Token {
    owner: String,
    secret: String,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token of {:?}", self.owner)
    }
}

/// Why a text is not a valid token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadToken {
    #[error("a token needs {TOKEN_CHARS_MIN} to {TOKEN_CHARS_MAX} characters of a-z A-Z 0-9 - _")]
    Secret,
    #[error("an owner's name needs 1 to 64 characters of a-z A-Z 0-9 - _")]
    Owner,
    #[error("`{0}` already has a token")]
    Twice(String),
    #[error("cannot get random bytes: {0}")]
    NoRandom(String),
}

impl Token {
    /// `SECRET`, or `OWNER=SECRET` if several people share a server.
    pub fn parse(text: &str) -> Result<Self, BadToken> {
        let (owner, secret) = text.split_once('=').unwrap_or((LOCAL, text));
        if !is_plain(secret) || !(TOKEN_CHARS_MIN..=TOKEN_CHARS_MAX).contains(&secret.len()) {
            return Err(BadToken::Secret);
        }
        check_owner(owner)?;
        Ok(Self { owner: owner.to_owned(), secret: secret.to_owned() })
    }

    /// A new random token.
    pub fn fresh() -> Result<Self, BadToken> {
        Ok(Self { owner: LOCAL.to_owned(), secret: random_name()? })
    }

    /// Printed once, in the link.
    pub fn secret(&self) -> &str {
        &self.secret
    }

    pub fn owner(&self) -> &str {
        &self.owner
    }
}

/// 32 random hexadecimal digits.
pub fn random_name() -> Result<String, BadToken> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|fault| BadToken::NoRandom(fault.to_string()))?;
    Ok(hex(&bytes))
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
}

fn check_owner(owner: &str) -> Result<(), BadToken> {
    match is_plain(owner) && (1..=64).contains(&owner.len()) {
        true => Ok(()),
        false => Err(BadToken::Owner),
    }
}

/// A program that may call some tools for an owner, and nothing else.
#[derive(Clone)]
pub struct Program {
    pub name: String,
    pub owner: String,
    pub secret: String,
    pub tools: ToolFilter,
    /// Whether it can ask the person who uses it.
    pub asks_a_person: bool,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Program {:?} of {:?}", self.name, self.owner)
    }
}

/// All tokens of a server. Without any, everybody on this machine is the local owner.
#[derive(Debug, Clone, Default)]
pub struct Tokens {
    owners: BTreeMap<String, String>,
    programs: BTreeMap<String, Caller>,
    /// The owner of the first token.
    operator: Option<String>,
}

impl Tokens {
    pub fn new(tokens: &[Token]) -> Result<Self, BadToken> {
        let mut owners = BTreeMap::new();
        for Token { owner, secret } in tokens {
            if owners.values().any(|known| known == owner) {
                return Err(BadToken::Twice(owner.clone()));
            }
            owners.insert(bearer(secret), owner.clone());
        }
        let operator = tokens.first().map(|token| token.owner.clone());
        Ok(Self { owners, programs: BTreeMap::new(), operator })
    }

    /// Adds the tokens of programs.
    pub fn with_programs(mut self, programs: &[Program]) -> Result<Self, BadToken> {
        for Program { name, owner, secret, tools, asks_a_person } in programs {
            check_owner(owner)?;
            let key = bearer(secret);
            if self.owners.contains_key(&key) || self.programs.contains_key(&key) {
                return Err(BadToken::Twice(name.clone()));
            }
            self.programs.insert(key, Caller::program(name, owner, tools.clone(), *asks_a_person));
        }
        Ok(self)
    }

    /// Whether this owner may change what affects all owners: the owner of the first token, or
    /// everybody if there are no tokens.
    pub(crate) fn is_operator(&self, owner: &str) -> bool {
        self.operator.as_deref().is_none_or(|operator| operator == owner)
    }

    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    pub(crate) fn has_programs(&self) -> bool {
        !self.programs.is_empty()
    }

    pub(crate) fn program_of_bearer(&self, secret: &str) -> Option<&Caller> {
        self.programs.get(&bearer(secret))
    }

    /// Looked up by digest, so that timing reveals nothing about tokens.
    pub(crate) fn owner_of_bearer(&self, secret: &str) -> Option<&str> {
        self.owners.get(&bearer(secret)).map(String::as_str)
    }

    /// Whether a person with this name still has a token; everybody does if there are none.
    pub(crate) fn has_owner(&self, owner: &str) -> bool {
        self.owners.is_empty() || self.owners.values().any(|known| known == owner)
    }

    /// The owner of a login: it is valid while the token is that it was made with.
    pub(crate) fn owner_of_digest(&self, digest: &str) -> Option<&str> {
        self.owners.get(digest).map(String::as_str)
    }
}

/// What is stored of a token.
pub(crate) fn bearer(secret: &str) -> String {
    Digest::of(format!("bearer\n{secret}").as_bytes()).to_string()
}
