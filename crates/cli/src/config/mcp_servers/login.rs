//! The login settings of a server: `auth` and its fields.

use std::path::{Path, PathBuf};

use contract::Secret;
use mcp::client::{Grant, LoginFile, LoginStore, OAuth, keeps_tokens_private};
use serde::Deserialize;

use super::McpServerText;
use crate::config::{Environment, user_folder};
use crate::exit::Failure;

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AuthWord {
    #[serde(rename = "oauth")]
    OAuth,
    ClientCredentials,
}

impl McpServerText {
    /// The OAuth configuration, if the server needs one.
    pub(crate) fn oauth(
        &self,
        name: &str,
        url: &str,
        variable: Environment<'_>,
    ) -> Result<Option<OAuth>, Failure> {
        let wrong = |what: &str, fix: &str| {
            Err(Failure::message(format!("[mcp.{name}]: {what}"), fix.to_owned()))
        };
        let Some(word) = self.auth else {
            let lonely = self.client_id.is_some() || self.client_secret_env.is_some();
            return match lonely || !self.scopes.is_empty() || self.redirect_port.is_some() {
                true => wrong("it has login settings but no `auth`", "add `auth = \"oauth\"`"),
                false => Ok(None),
            };
        };
        if self.headers.keys().any(|header| header.eq_ignore_ascii_case("authorization")) {
            return wrong("it has both `auth` and a header `Authorization`", "keep one of them");
        }
        if !keeps_tokens_private(url) {
            return wrong("the token would be sent unencrypted", "use https");
        }
        let client_secret = match &self.client_secret_env {
            None => None,
            Some(set) => match variable(set) {
                Some(value) => Some(Secret::new(value)),
                None => return wrong(&format!("${set} is not set"), "set it to the secret"),
            },
        };
        let grant = match word {
            AuthWord::OAuth => Grant::Person,
            AuthWord::ClientCredentials => Grant::Program,
        };
        if grant == Grant::Program && (self.client_id.is_none() || client_secret.is_none()) {
            let what = "`client_credentials` needs `client_id` and `client_secret_env`";
            return wrong(what, "add them, or use `auth = \"oauth\"`");
        }
        Ok(Some(OAuth {
            grant,
            client_id: self.client_id.clone(),
            client_secret,
            scopes: self.scopes.clone(),
            redirect_port: self.redirect_port,
            private_network: self.private_network,
            store: LoginStore::File(LoginFile::new(&folder(variable), name, url)),
        }))
    }
}

/// Beside the user's settings, so that projects never contain tokens.
fn folder(variable: Environment<'_>) -> PathBuf {
    user_folder(variable).unwrap_or_else(|| Path::new(".ghosthand").into()).join("logins")
}
