//! The address of a database, as libpq writes it: `postgres://user@host/database?sslmode=…`.
//!
//! Must hold: neither `Debug`, `Display` nor an error shows the password.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

/// Why an address is not usable. The address itself is not shown: it may contain a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    #[error("the address of a store in PostgreSQL begins with `postgres://`")]
    Scheme,
    #[error("the address has no host; write `postgres://user@host/database`")]
    NoHost,
    #[error("`sslmode` is one of disable, prefer, require, verify-ca and verify-full")]
    SslMode,
    #[error(
        "the address is not valid: {0}; write `postgres://user:password@host:port/database`, and \
         characters such as `@`, `/` and `%` in the password as %40, %2F and %25"
    )]
    Syntax(String),
}

/// How the server's certificate is checked, by libpq's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TlsMode {
    /// No TLS.
    Disable,
    /// TLS if the server offers it, without a check of its certificate.
    Prefer,
    /// TLS, without a check of the certificate unless `sslrootcert` is given.
    Require,
    /// TLS with a certificate of a known authority, for whatever name.
    VerifyCa,
    /// TLS with a certificate of a known authority for the host's name.
    VerifyFull,
}

/// The address of a database, with all that is needed to connect.
#[derive(Clone)]
pub struct PostgresConfig {
    pub(crate) client: tokio_postgres::Config,
    pub(crate) tls: TlsMode,
    /// The certificates of authorities, besides the usual ones.
    pub(crate) root_certificates: Option<PathBuf>,
}

impl PostgresConfig {
    /// Sets the password, for addresses that have none.
    pub fn set_password(&mut self, password: &str) {
        self.client.password(password);
    }

    /// The same for each host alone, in the order of the address. The client tries several hosts one
    /// after the other, but waits for the answer of one that is silent as long as for all.
    pub(crate) fn hosts(&self) -> Vec<tokio_postgres::Config> {
        let all = &self.client;
        let count = all.get_hosts().len().max(all.get_hostaddrs().len());
        (0..count).map(|number| host(all, number)).collect()
    }

    /// Whether there is a password.
    pub fn has_password(&self) -> bool {
        self.client.get_password().is_some()
    }
}

impl FromStr for PostgresConfig {
    type Err = BadAddress;

    fn from_str(address: &str) -> Result<Self, BadAddress> {
        let known = ["postgres://", "postgresql://"];
        if !known.iter().any(|scheme| address.starts_with(scheme)) {
            return Err(BadAddress::Scheme);
        }
        let (base, query) = address.split_once('?').unwrap_or((address, ""));
        let (mut tls, mut root_certificates, mut rest) = (TlsMode::Prefer, None, Vec::new());
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslmode", mode)) => tls = tls_mode(mode)?,
                Some(("sslrootcert", "system")) => {}
                Some(("sslrootcert", path)) => root_certificates = Some(decoded(path)?.into()),
                Some(_) | None => rest.push(parameter),
            }
        }
        let address = match rest.is_empty() {
            true => base.to_owned(),
            false => format!("{base}?{}", rest.join("&")),
        };
        let mut client: tokio_postgres::Config = address.parse().map_err(|error| syntax(&error))?;
        if client.get_hosts().is_empty() && client.get_hostaddrs().is_empty() {
            return Err(BadAddress::NoHost);
        }
        if tls == TlsMode::Require && root_certificates.is_some() {
            tls = TlsMode::VerifyCa;
        }
        client.ssl_mode(match tls {
            TlsMode::Disable => SslMode::Disable,
            TlsMode::Prefer => SslMode::Prefer,
            TlsMode::Require | TlsMode::VerifyCa | TlsMode::VerifyFull => SslMode::Require,
        });
        // A standby would refuse every write, and its reads may be of an older moment.
        client.target_session_attrs(TargetSessionAttrs::ReadWrite);
        if client.get_connect_timeout().is_none() {
            client.connect_timeout(Duration::from_secs(5));
        }
        if client.get_application_name().is_none() {
            client.application_name("ghosthand");
        }
        // A server that vanished without a word is noticed within seconds.
        client.keepalives_idle(Duration::from_secs(10));
        client.keepalives_interval(Duration::from_secs(3));
        client.keepalives_retries(3);
        client.tcp_user_timeout(Duration::from_secs(15));
        Ok(Self { client, tls, root_certificates })
    }
}

/// The settings with one of the hosts.
fn host(all: &tokio_postgres::Config, number: usize) -> tokio_postgres::Config {
    let mut one = tokio_postgres::Config::new();
    match all.get_hosts().get(number) {
        Some(Host::Tcp(name)) => drop(one.host(name)),
        Some(Host::Unix(folder)) => drop(one.host_path(folder)),
        None => {}
    }
    if let Some(address) = all.get_hostaddrs().get(number) {
        one.hostaddr(*address);
    }
    let ports = all.get_ports();
    one.port(ports.get(number).or(ports.first()).copied().unwrap_or(5432));
    let text = |value: Option<&str>| value.map(str::to_owned);
    if let Some(user) = text(all.get_user()) {
        one.user(user);
    }
    if let Some(password) = all.get_password() {
        one.password(password);
    }
    if let Some(database) = text(all.get_dbname()) {
        one.dbname(database);
    }
    if let Some(options) = text(all.get_options()) {
        one.options(options);
    }
    if let Some(name) = text(all.get_application_name()) {
        one.application_name(name);
    }
    if let Some(time) = all.get_connect_timeout() {
        one.connect_timeout(*time);
    }
    if let Some(time) = all.get_tcp_user_timeout() {
        one.tcp_user_timeout(*time);
    }
    if let Some(time) = all.get_keepalives_interval() {
        one.keepalives_interval(time);
    }
    if let Some(tries) = all.get_keepalives_retries() {
        one.keepalives_retries(tries);
    }
    one.keepalives(all.get_keepalives())
        .keepalives_idle(all.get_keepalives_idle())
        .ssl_mode(all.get_ssl_mode())
        .ssl_negotiation(all.get_ssl_negotiation())
        .channel_binding(all.get_channel_binding())
        .target_session_attrs(all.get_target_session_attrs());
    one
}

fn tls_mode(mode: &str) -> Result<TlsMode, BadAddress> {
    match mode {
        "disable" => Ok(TlsMode::Disable),
        // libpq's `allow` begins without TLS; nobody needs that.
        "allow" | "prefer" => Ok(TlsMode::Prefer),
        "require" => Ok(TlsMode::Require),
        "verify-ca" => Ok(TlsMode::VerifyCa),
        "verify-full" => Ok(TlsMode::VerifyFull),
        _ => Err(BadAddress::SslMode),
    }
}

/// What the client's parser says, without words of the address: it names options only.
fn syntax(error: &tokio_postgres::Error) -> BadAddress {
    let cause = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    let named = ["invalid value for option `", "unknown option `"];
    match named.iter().any(|start| cause.starts_with(start)) {
        true => BadAddress::Syntax(cause),
        false => BadAddress::Syntax("it cannot be read".to_owned()),
    }
}

fn decoded(text: &str) -> Result<String, BadAddress> {
    let bad = || BadAddress::Syntax("invalid value for option `sslrootcert`".to_owned());
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                let (high, low) = digit().zip(digit()).ok_or_else(bad)?;
                u8::try_from(high * 16 + low).map_err(|_| bad())?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| bad())
}

/// The place without user and password: `postgres://one:5432,two:5432/database`.
impl fmt::Display for PostgresConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        let ports = self.client.get_ports();
        for (place, host) in self.client.get_hosts().iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            let port = ports.get(place).or(ports.first()).copied().unwrap_or(5432);
            match host {
                Host::Tcp(name) => write!(f, "{comma}{name}:{port}")?,
                Host::Unix(folder) => write!(f, "{comma}{}:{port}", folder.display())?,
            }
        }
        write!(f, "/{}", self.client.get_dbname().unwrap_or_default())
    }
}

impl fmt::Debug for PostgresConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresConfig({self})")
    }
}

#[cfg(test)]
mod tests;
