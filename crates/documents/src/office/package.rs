//! The package: a ZIP archive whose parts are unpacked within the budget.

use std::io::{Cursor, Read as _};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::budget::Budget;
use crate::{Kind, Unreadable};

/// More parts than any document has.
const PARTS_MAX: usize = 20_000;

pub(crate) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
}

impl<'a> Package<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, Unreadable> {
        let damaged = |_| Unreadable::Damaged("it is not a complete ZIP archive");
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
        match archive.len() <= PARTS_MAX {
            true => Ok(Self { archive }),
            false => Err(Unreadable::TooComplicated),
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.archive.index_for_name(name).is_some()
    }

    /// The names of parts between a prefix and a suffix that are a number, in its order.
    pub(crate) fn numbered(&self, prefix: &str, suffix: &str) -> Vec<String> {
        let number =
            |name: &str| name.strip_prefix(prefix)?.strip_suffix(suffix)?.parse::<u32>().ok();
        let names = self.archive.file_names().filter_map(Result::ok);
        let mut found: Vec<_> =
            names.filter_map(|name| Some((number(&name)?, name.into_owned()))).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, name)| name).collect()
    }

    /// The text of a part; none if it does not exist.
    pub(crate) fn part(
        &mut self,
        name: &str,
        budget: &mut Budget,
    ) -> Result<Option<String>, Unreadable> {
        let part = match self.archive.by_name(name) {
            Ok(part) => part,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(ZipError::UnsupportedArchive(_)) => return Err(Unreadable::Encrypted),
            Err(_) => return Err(Unreadable::Damaged("a part of it cannot be unpacked")),
        };
        // One more byte shows that there is more than allowed.
        let limit = u64::try_from(budget.unpacked_left()).unwrap_or(u64::MAX).saturating_add(1);
        let mut unpacked = Vec::new();
        let read = part.take(limit).read_to_end(&mut unpacked);
        read.map_err(|_| Unreadable::Damaged("a part of it cannot be unpacked"))?;
        budget.unpacked(unpacked.len())?;
        Ok(Some(String::from_utf8_lossy(&unpacked).into_owned()))
    }
}

/// The kind of an archive.
pub(crate) fn kind(bytes: &[u8]) -> Result<Kind, Unreadable> {
    let package = Package::open(bytes)?;
    let kinds = [
        ("word/document.xml", Kind::Word),
        ("xl/workbook.xml", Kind::Sheet),
        ("ppt/presentation.xml", Kind::Slides),
    ];
    let known = kinds.into_iter().find(|(part, _)| package.has(part));
    match known {
        Some((_, kind)) => Ok(kind),
        None if package.has("mimetype") && package.has("content.xml") => Ok(Kind::OpenDocument),
        None => Err(Unreadable::Kind),
    }
}
