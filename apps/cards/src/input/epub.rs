//! A book: an archive of pages, in the order that its package file gives.
//!
//! Must hold: nothing is written to disk; what an archive unpacks to is limited; a book with
//! locked pages is refused.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use ::zip::ZipArchive;
use html5ever::tokenizer::{TagKind, Token, TokenSink, TokenSinkResult};

use super::html::{self, attribute};
use crate::text::manifest::normalise;

/// What all pages of a book may have when they are unpacked.
const UNPACKED_BYTES_MAX: u64 = 128 << 20;
const PAGES_MAX: usize = 5_000;

type Archive<'a> = ZipArchive<Cursor<&'a [u8]>>;

/// An archive whose first file says so.
pub(super) fn is_epub(bytes: &[u8]) -> bool {
    const MARK: &[u8] = b"mimetypeapplication/epub+zip";
    bytes.get(30..30 + MARK.len()) == Some(MARK) || has_container(bytes)
}

fn has_container(bytes: &[u8]) -> bool {
    let archive = ZipArchive::new(Cursor::new(bytes));
    archive.is_ok_and(|archive| archive.index_for_name(CONTAINER).is_some())
}

const CONTAINER: &str = "META-INF/container.xml";

/// The text of a book, and its title.
pub(super) fn read(bytes: &[u8]) -> Result<(String, Option<String>), String> {
    let damaged = |what: &str| format!("the EPUB is damaged: {what}");
    let mut archive =
        ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error.to_string()))?;
    if archive.index_for_name("META-INF/rights.xml").is_some() {
        return Err("the EPUB is locked by its shop; only open books can be read".to_owned());
    }
    let mut left = UNPACKED_BYTES_MAX;
    let container = unpack(&mut archive, CONTAINER, &mut left)?;
    let container = html::tokenize(&container, XmlSink::default()).seen.into_inner();
    let package_path = container.package.ok_or_else(|| damaged("it names no package file"))?;
    let package = unpack(&mut archive, &package_path, &mut left)?;
    let package = html::tokenize(&package, XmlSink::default()).seen.into_inner();
    let folder = package_path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts = Vec::new();
    for id in package.spine.iter().take(PAGES_MAX) {
        let Some(href) = package.items.get(id) else { continue };
        let page = unpack(&mut archive, &joined(folder, href), &mut left)?;
        parts.push(html::read(&page).0);
    }
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() {
        return Err("the EPUB has no pages with text".to_owned());
    }
    let title = Some(normalise(&package.title)).filter(|title| !title.is_empty());
    Ok((parts.join("\n\n"), title))
}

fn unpack(archive: &mut Archive<'_>, name: &str, left: &mut u64) -> Result<String, String> {
    let file =
        archive.by_name(name).map_err(|error| format!("the EPUB is damaged: `{name}`: {error}"))?;
    let mut bytes = Vec::new();
    let read = file
        .take(*left + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("the EPUB is damaged: `{name}`: {error}"))?;
    *left = left
        .checked_sub(read as u64)
        .ok_or_else(|| format!("the EPUB unpacks to more than {} MB", UNPACKED_BYTES_MAX >> 20))?;
    Ok(encoding_rs::UTF_8.decode(&bytes).0.into_owned())
}

/// A path in the archive, from the folder of the package file.
fn joined(folder: &str, href: &str) -> String {
    let href = href.split('#').next().unwrap_or_default();
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let decoded = percent_decoded(href);
    for part in decoded.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let pair = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads the container and the package file.
#[derive(Default)]
struct XmlSink {
    seen: RefCell<Package>,
}

#[derive(Default)]
struct Package {
    /// The path of the package file.
    package: Option<String>,
    /// Pages by their id.
    items: BTreeMap<String, String>,
    spine: Vec<String>,
    title: String,
    in_title: bool,
}

impl TokenSink for XmlSink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut seen = self.seen.borrow_mut();
        match token {
            Token::TagToken(tag) => {
                let name: &str = &tag.name;
                match (tag.kind, name.rsplit(':').next().unwrap_or(name)) {
                    (TagKind::StartTag, "rootfile") if seen.package.is_none() => {
                        seen.package = attribute(&tag, "full-path");
                    }
                    (TagKind::StartTag, "item") => {
                        let page = attribute(&tag, "media-type")
                            .is_some_and(|media| media.contains("html"));
                        let (id, href) = (attribute(&tag, "id"), attribute(&tag, "href"));
                        if let (true, Some(id), Some(href)) = (page, id, href) {
                            seen.items.insert(id, href);
                        }
                    }
                    (TagKind::StartTag, "itemref") => {
                        let shown = attribute(&tag, "linear").is_none_or(|linear| linear != "no");
                        seen.spine.extend(attribute(&tag, "idref").filter(|_| shown));
                    }
                    (kind, "title") => {
                        seen.in_title = kind == TagKind::StartTag && seen.title.is_empty();
                    }
                    _ => {}
                }
            }
            Token::CharacterTokens(text) if seen.in_title => seen.title.push_str(&text),
            Token::CharacterTokens(_)
            | Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::NullCharacterToken
            | Token::EOFToken
            | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}
