//! What engines share: the topics of subscriptions, and the lines of exports and imports.
//!
//! Callers of a store need nothing of this.

mod export;
mod import;
mod lines;
mod topics;

pub use export::{Counts, ExportFault, ExportWriter};
pub use import::{ImportFault, ImportReader};
pub use lines::{End, ExportLine, FORMAT, Head, KvLine, LogLine, MessageLine, RecordLine};
pub use topics::{Topic, TopicWait, Topics};
