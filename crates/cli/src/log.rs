//! Logs to standard error.
//!
//! `GHOSTHAND_LOG` sets the level: off, error, warn (the default), info or debug.

use std::fmt::{self, Write as _};
use std::io::Write as _;

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber, span};

/// Prints events of a level and above, one line each.
struct StderrLog {
    level: Level,
    /// Without an explicit level, warnings about child processes are hidden: the call reports them.
    is_usual: bool,
}

/// The accepted values; empty is the same as not set.
const LEVELS: [&str; 6] = ["", "off", "error", "warn", "info", "debug"];

/// Starts logging.
pub(crate) fn start() {
    #[expect(clippy::disallowed_methods, reason = "settings are read here")]
    let wanted = std::env::var("GHOSTHAND_LOG").unwrap_or_default();
    let level = match wanted.as_str() {
        "off" => return,
        "error" => Level::ERROR,
        "info" => Level::INFO,
        "debug" => Level::DEBUG,
        _ => Level::WARN,
    };
    // Fails only in tests, where a subscriber is set already.
    let _ =
        tracing::subscriber::set_global_default(StderrLog { level, is_usual: wanted.is_empty() });
    if !LEVELS.contains(&wanted.as_str()) {
        tracing::warn!("GHOSTHAND_LOG is `{wanted}`; give one of off, error, warn, info or debug");
    }
}

impl Subscriber for StderrLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let (target, level) = (metadata.target(), *metadata.level());
        // We report MCP errors ourselves; detailed login events contain codes and tokens.
        let hidden = target.starts_with("rmcp::")
            && (self.level < Level::INFO || (target.contains("::auth") && level > Level::INFO));
        let inner = self.is_usual && target.starts_with("hosts") && level == Level::WARN;
        metadata.is_event() && level <= self.level && !hidden && !inner
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = LogLine { message: String::new(), fields: String::new() };
        event.record(&mut line);
        let level = event.metadata().level().as_str().to_lowercase();
        // A closed terminal does not stop the work.
        let _ = writeln!(std::io::stderr(), "{level}: {}{}", line.message, line.fields);
    }

    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// The message first, then the fields.
struct LogLine {
    message: String,
    fields: String,
}

impl Visit for LogLine {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
