//! Office documents: packages of XML files.

mod open_document;
mod package;
mod sheet;
mod slides;
mod word;

pub(crate) use open_document::open_document;
pub(crate) use package::kind;
pub(crate) use sheet::sheet;
pub(crate) use slides::slides;
pub(crate) use word::word;
