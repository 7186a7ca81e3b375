//! Who may come in: tokens, each with an owner. Only digests are kept.

use std::collections::BTreeMap;
use std::fmt;

use contract::Digest;
use engine::ToolFilter;

use crate::auth::caller::Caller;

/// The owner of everything where no tokens are asked for.
pub const LOCAL: &str = "local";

const TOKEN_CHARS_MIN: usize = 16;
const TOKEN_CHARS_MAX: usize = 256;

/// A secret that lets its owner in.
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

/// Why a text is no token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadToken {
    #[error("a token needs {TOKEN_CHARS_MIN} to {TOKEN_CHARS_MAX} characters of a-z A-Z 0-9 - _")]
    Secret,
    #[error("an owner's name needs 1 to 64 characters of a-z A-Z 0-9 - _")]
    Owner,
    #[error("`{0}` has a token already")]
    Twice(String),
    #[error("this machine gives no random bytes: {0}")]
    NoRandom(String),
}

impl Token {
    /// `SECRET`, or `OWNER=SECRET` where several people share a server.
    pub fn parse(text: &str) -> Result<Self, BadToken> {
        let (owner, secret) = text.split_once('=').unwrap_or((LOCAL, text));
        if !is_plain(secret) || !(TOKEN_CHARS_MIN..=TOKEN_CHARS_MAX).contains(&secret.len()) {
            return Err(BadToken::Secret);
        }
        check_owner(owner)?;
        Ok(Self { owner: owner.to_owned(), secret: secret.to_owned() })
    }

    /// A new one that nobody can guess.
    pub fn fresh() -> Result<Self, BadToken> {
        Ok(Self { owner: LOCAL.to_owned(), secret: random_name()? })
    }

    /// What is printed once, and nowhere else.
    pub fn secret(&self) -> &str {
        &self.secret
    }

    pub fn owner(&self) -> &str {
        &self.owner
    }
}

/// 32 hexadecimal digits that nobody can guess.
pub(crate) fn random_name() -> Result<String, BadToken> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|fault| BadToken::NoRandom(fault.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
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

/// A program that may call some tools in the name of an owner, and do nothing else.
#[derive(Clone)]
pub struct Program {
    pub name: String,
    pub owner: String,
    pub secret: String,
    pub tools: ToolFilter,
    /// Does a person sit at it, whom it asks?
    pub asks_a_person: bool,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Program {:?} of {:?}", self.name, self.owner)
    }
}

/// All tokens of a server; none means that whoever is on this machine may come in.
#[derive(Debug, Clone, Default)]
pub struct Tokens {
    owners: BTreeMap<String, String>,
    programs: BTreeMap<String, Caller>,
    /// Whose token was named first.
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

    /// Lets programs in at the doors for programs.
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

    /// May this owner change what holds for everybody? The owner of the first token may, and
    /// whoever is on this machine where no tokens are asked for.
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

    /// Looked up by digest, so that the time it takes says nothing of a token.
    pub(crate) fn owner_of_bearer(&self, secret: &str) -> Option<&str> {
        self.owners.get(&bearer(secret)).map(String::as_str)
    }

    /// Whose a login is: it holds as long as the token does that was shown for it.
    pub(crate) fn owner_of_digest(&self, digest: &str) -> Option<&str> {
        self.owners.get(digest).map(String::as_str)
    }
}

/// What is kept of a token.
pub(crate) fn bearer(secret: &str) -> String {
    Digest::of(format!("bearer\n{secret}").as_bytes()).to_string()
}
