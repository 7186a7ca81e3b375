//! The id of a page or a database, parsed from anything a person copies.
//!
//! In: an id with or without dashes, an address, a name with an id at its end. Out: an
//! [`Id`], dashed and in lower case. Must hold: a view (`v=`) or a block (`#`) is never
//! taken for a page, and no other site's address is read.

use std::fmt;

/// As in `393abc1e-edcd-81a0-9a08-d7413a049dc8`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(Box<str>);

impl Id {
    /// Of a page; a page open over a database (`p=`) comes before the database.
    pub fn of_page(text: &str) -> Option<Self> {
        let parts = Parts::of(text)?;
        let asked = || parts.query(&["page_id"]);
        parts.query(&["p"]).or_else(|| parts.path()).or_else(asked)
    }

    /// Of a database, also below a page that is open over it.
    pub fn of_database(text: &str) -> Option<Self> {
        let parts = Parts::of(text)?;
        parts.path().or_else(|| parts.query(&["database_id", "page_id", "p"]))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

struct Parts<'a> {
    path: &'a str,
    query: &'a str,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let text = text.split('#').next().unwrap_or_default();
        let (address, query) = text.split_once('?').unwrap_or((text, ""));
        let (host, path) = match address.split_once("://") {
            Some(("http" | "https" | "notion", rest)) => rest.split_once('/').unwrap_or((rest, "")),
            Some(_) => return None,
            None => match address.split_once('/') {
                Some((host, path)) if host.contains('.') => (host, path),
                _ => return Some(Self { path: address, query }),
            },
        };
        is_notion(host).then_some(Self { path, query })
    }

    /// The last part of the path that ends in an id.
    fn path(&self) -> Option<Id> {
        self.path.rsplit('/').find_map(at_end)
    }

    fn query(&self, names: &[&str]) -> Option<Id> {
        let value = |name: &&str| {
            let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.filter(|(found, _)| found == name).find_map(|(_, value)| at_end(value))
        };
        names.iter().find_map(value)
    }
}

fn is_notion(host: &str) -> bool {
    let host = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let homes = ["notion.so", "notion.site", "notion.com"];
    homes.iter().any(|home| {
        host.strip_suffix(home).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

/// The id at the end of a name such as `Burnout-post-393abc1eedcd81a09a08d7413a049dc8`.
fn at_end(name: &str) -> Option<Id> {
    [36, 32].into_iter().find_map(|length| {
        let start = name.len().checked_sub(length)?;
        let (before, id) = (name.get(..start)?, name.get(start..)?);
        let runs_on = before.ends_with(|c: char| c.is_ascii_alphanumeric());
        if runs_on { None } else { parse(id) }
    })
}

fn parse(text: &str) -> Option<Id> {
    let dashes: Vec<_> = text.match_indices('-').map(|(at, _)| at).collect();
    if !matches!(dashes.as_slice(), [] | [8, 13, 18, 23]) {
        return None;
    }
    let hex: String = text.chars().filter(|c| *c != '-').collect::<String>().to_ascii_lowercase();
    if hex.len() != 32 || !hex.chars().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    let mut id = String::with_capacity(36);
    for (index, digit) in hex.chars().enumerate() {
        if matches!(index, 8 | 12 | 16 | 20) {
            id.push('-');
        }
        id.push(digit);
    }
    Some(Id(id.into()))
}

#[cfg(test)]
mod tests;
