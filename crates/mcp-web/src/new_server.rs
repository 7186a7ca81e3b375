//! A server as a person describes it, checked before anything is sent to it.

use std::collections::BTreeMap;
use std::fmt;

use addresses::SystemResolver;
use mcp::client::{ServerName, keeps_tokens_private};
use providers::{Address, BadAddress};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::fault::McpWebFault;
use crate::stored_server::{CommandLine, LoginKind, ServerSecrets, StoredEndpoint};

/// The body of a request. Its secrets are not printed, not even by `Debug`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct GivenServer {
    /// The server's MCP endpoint, over streamable HTTP.
    #[schemars(length(max = 300))]
    pub address: Option<String>,
    /// A program that speaks MCP over standard input and output.
    pub command: Option<CommandLine>,
    /// Headers of an address, or variables of a command, with their secret values. Without them,
    /// those of before are used if the address or command is the same.
    pub secrets: Option<BTreeMap<String, String>>,
    /// Who logs in at the address.
    #[serde(default)]
    pub login: LoginKind,
    /// The client id that the login server knows; without it, we register.
    #[schemars(length(max = 1000))]
    pub client_id: Option<String>,
    #[schemars(length(max = 4096))]
    pub client_secret: Option<String>,
}

impl fmt::Debug for GivenServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GivenServer").field("login", &self.login).finish_non_exhaustive()
    }
}

/// A description without faults.
pub(crate) struct NewServer {
    pub name: ServerName,
    pub endpoint: StoredEndpoint,
    pub login: LoginKind,
    pub client_id: Option<String>,
    /// None if those of before are to be used.
    pub secrets: Option<ServerSecrets>,
}

const SECRETS_MAX: usize = 16;
const SECRET_BYTES_MAX: usize = 4_096;
const NAME_BYTES_MAX: usize = 100;
const ARGUMENT_BYTES_MAX: usize = 1_000;
const ARGUMENTS_MAX: usize = 64;
const FOLDERS_MAX: usize = 16;

impl NewServer {
    pub(crate) async fn check(name: &str, given: GivenServer) -> Result<Self, McpWebFault> {
        let GivenServer { address, command, secrets, login, client_id, client_secret } = given;
        let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let (client_id, client_secret) = (filled(client_id), filled(client_secret));
        if let Some(values) = &secrets {
            check_secrets(values)?;
        }
        let has_secrets = secrets.as_ref().is_some_and(|values| !values.is_empty());
        let endpoint = match (filled(address), command) {
            (Some(address), None) => checked_address(&address, login, has_secrets).await?,
            (None, Some(command)) => checked_command(command, login)?,
            (Some(_), Some(_)) => {
                return Err(McpWebFault::Needs("an address or a command, not both"));
            }
            (None, None) => return Err(McpWebFault::Needs("an address or a command")),
        };
        let is_authorization = |name: &String| name.eq_ignore_ascii_case("authorization");
        if login != LoginKind::None
            && secrets.iter().flatten().any(|(name, _)| is_authorization(name))
        {
            return Err(McpWebFault::Needs("a login or a header `Authorization`, not both"));
        }
        let secrets = match (secrets, client_secret) {
            (None, None) => None,
            (values, client_secret) => {
                Some(ServerSecrets { values: values.unwrap_or_default(), client_secret })
            }
        };
        Ok(Self { name: name.parse()?, endpoint, login, client_id, secrets })
    }
}

fn check_secrets(values: &BTreeMap<String, String>) -> Result<(), McpWebFault> {
    if values.len() > SECRETS_MAX {
        return Err(McpWebFault::TooMuch(format!("there are more than {SECRETS_MAX} secrets")));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    for (name, value) in values {
        if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.chars().all(plain) {
            return Err(McpWebFault::Needs("names of headers or variables in a-z, 0-9, - and _"));
        }
        if value.len() > SECRET_BYTES_MAX || value.chars().any(char::is_control) {
            return Err(McpWebFault::Needs("secrets in one line, of at most 4096 bytes"));
        }
    }
    Ok(())
}

/// Tokens and keys go to this machine, a private network, or over https.
async fn checked_address(
    typed: &str,
    login: LoginKind,
    has_secrets: bool,
) -> Result<StoredEndpoint, McpWebFault> {
    let url = typed.trim();
    if !url.contains("://") {
        return Err(BadAddress::NotAnAddress.into());
    }
    let address = Address::parse(url)?;
    if has_secrets {
        address.check_key_is_safe()?;
    }
    if login != LoginKind::None && !keeps_tokens_private(url) {
        return Err(McpWebFault::Needs("an address with https:// for a login"));
    }
    let reach = address.reach(&SystemResolver).await?;
    Ok(StoredEndpoint::Address { url: url.to_owned(), reach })
}

fn checked_command(
    mut command: CommandLine,
    login: LoginKind,
) -> Result<StoredEndpoint, McpWebFault> {
    command.program = command.program.trim().to_owned();
    if command.program.is_empty() {
        return Err(McpWebFault::Needs("a program"));
    }
    if login != LoginKind::None {
        return Err(McpWebFault::Needs("an address for a login"));
    }
    let CommandLine { program, args, read, write, network: _ } = &command;
    let texts = std::iter::once(program).chain(args).chain(read).chain(write);
    let is_bad = |text: &String| text.len() > ARGUMENT_BYTES_MAX || text.contains('\0');
    if texts.clone().any(is_bad)
        || args.len() > ARGUMENTS_MAX
        || read.len() > FOLDERS_MAX
        || write.len() > FOLDERS_MAX
    {
        return Err(McpWebFault::TooMuch("the command is too long".to_owned()));
    }
    Ok(StoredEndpoint::Command(command))
}
