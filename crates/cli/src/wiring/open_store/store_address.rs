//! Where the store is: a file, or a database in PostgreSQL.
//!
//! In order: `--store`, `$GHOSTHAND_STORE`, the setting `store.url`, the setting `store.file`. Must
//! hold: a password is in no message, in no setting and in no process list.

use std::path::{Path, PathBuf};

use postgres::PostgresConfig;

use crate::config::Config;
use crate::exit::Failure;

/// The variable with the store of every command.
pub(crate) const STORE_VARIABLE: &str = "GHOSTHAND_STORE";
/// The variable with the password, as for other programs of PostgreSQL.
pub(crate) const PASSWORD_VARIABLE: &str = "PGPASSWORD";

const NO_PASSWORD_FIX: &str = "leave the password out, and set $PGPASSWORD, or name another \
                               variable with the setting `store.password_env`; or put the whole \
                               address into $GHOSTHAND_STORE";

/// The place of a store.
#[derive(Debug, Clone)]
pub(crate) enum StoreAddress {
    File(PathBuf),
    Postgres(Box<PostgresConfig>),
}

impl StoreAddress {
    /// The store of a command with this `--store`.
    pub(crate) fn of(flag: Option<&Path>, config: &Config) -> Result<Self, Failure> {
        #[expect(clippy::disallowed_methods, reason = "the address may contain a password")]
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self::chosen(flag, config, &variable)
    }

    fn chosen(
        flag: Option<&Path>,
        config: &Config,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, Failure> {
        if let Some(flag) = flag {
            let Some(address) = flag.to_str().filter(|text| is_address(text)) else {
                return Ok(Self::File(flag.to_owned()));
            };
            let parsed = parse(address, "--store")?;
            if parsed.has_password() {
                let what =
                    "a password on the command line is visible to every user of this machine";
                return Err(Failure::usage(what, NO_PASSWORD_FIX));
            }
            return with_password(parsed, config, variable);
        }
        match variable(STORE_VARIABLE) {
            Some(address) if is_address(&address) => {
                with_password(parse(&address, "$GHOSTHAND_STORE")?, config, variable)
            }
            Some(file) => Ok(Self::File(PathBuf::from(file))),
            None => match config.get("store.url") {
                Some(address) => with_password(parse(address, "`store.url`")?, config, variable),
                None => Ok(Self::File(config.path("store.file").unwrap_or_default())),
            },
        }
    }

    /// The place as people read it, without user and password.
    pub(crate) fn place(&self) -> String {
        match self {
            Self::File(file) => file.display().to_string(),
            Self::Postgres(address) => address.to_string(),
        }
    }

    /// The file beside which other state of the project is kept.
    pub(crate) fn state_file(&self, config: &Config) -> PathBuf {
        match self {
            Self::File(file) => file.clone(),
            Self::Postgres(_) => config.path("store.file").unwrap_or_default(),
        }
    }
}

/// Whether a text is the address of a database, and not a path.
pub(crate) fn is_address(text: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme))
}

/// The fix, if a setting is not an address or contains a password.
pub(crate) fn check_setting(text: &str) -> Result<(), String> {
    match text.parse::<PostgresConfig>() {
        Ok(address) if address.has_password() => Err(NO_PASSWORD_FIX.to_owned()),
        Ok(_) => Ok(()),
        Err(bad) => Err(bad.to_string()),
    }
}

/// The address is not shown: it may contain a password.
fn parse(address: &str, source: &str) -> Result<PostgresConfig, Failure> {
    address.parse().map_err(|bad| {
        Failure::user(
            anyhow::Error::new(bad).context(format!("{source} cannot be used")),
            "correct it",
        )
    })
}

fn with_password(
    mut address: PostgresConfig,
    config: &Config,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<StoreAddress, Failure> {
    if !address.has_password() {
        let password = match config.get("store.password_env") {
            Some(name) => Some(variable(name).ok_or_else(|| {
                let what = format!("${name}, which `store.password_env` names, is not set");
                Failure::message(what, "set it to the password of the database")
            })?),
            None => variable(PASSWORD_VARIABLE),
        };
        if let Some(password) = password {
            address.set_password(&password);
        }
    }
    Ok(StoreAddress::Postgres(Box::new(address)))
}

#[cfg(test)]
mod tests;
