//! The page's files, embedded in the program and compressed once, when the server starts.
//!
//! The page refers to its files as `/assets/VERSION/…`, where the version is a digest of all
//! of them: a versioned file never changes, so browsers cache it permanently. Without a
//! version, browsers revalidate a file each time.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use axum::body::Bytes;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contract::{Digest, Digester};
use flate2::Compression;
use flate2::write::GzEncoder;
use include_dir::{Dir, include_dir};

use crate::assets::icons::{self, Icon};
use crate::assets::words::{self, Language};
use crate::assets::{artifact_frame, mermaid, theme};
use crate::auth::middleware::{Authenticated, PAGE_POLICY, authenticate_person};
use crate::extension::{Assets, Extension};
use crate::fault::{Fault, HandlerResult};
use crate::routes::settings::settings_of;
use crate::state::AppState;

static PAGE: Dir<'static> = include_dir!("$OUT_DIR/page");

/// All files of the server and its extensions.
pub(crate) struct StaticFiles {
    version: String,
    assets: BTreeMap<String, File>,
    /// HTML pages; all but the public ones require a login. Those of extensions without texts
    /// `{{…}}` are in English only here.
    pages: BTreeMap<(String, Language), File>,
    /// The content security policy of the pages.
    page_policy: HeaderValue,
    /// Assets that are service workers, with the path that each may serve.
    workers: BTreeMap<&'static str, &'static str>,
}

pub(super) struct File {
    kind: &'static str,
    plain: Bytes,
    /// None if compression does not make it smaller.
    gzipped: Option<Bytes>,
    tag: String,
}

/// How a browser may cache a file.
#[derive(Clone, Copy)]
enum CachePolicy {
    Immutable,
    Revalidate,
}

impl CachePolicy {
    fn header_value(self) -> &'static str {
        match self {
            CachePolicy::Immutable => "public, max-age=31536000, immutable",
            CachePolicy::Revalidate => "no-cache",
        }
    }
}

const INDEX: &str = "index.html";
const THEME: &str = "theme.js";
/// The scripts of the first load.
const FIRST_BUNDLES: [&str; 2] = ["shared.js", "app.js"];
/// What the service worker shows without a server.
const OFFLINE_PAGE: &str = "install/offline.html";
/// The server's own service worker, and the path that it may serve.
const OFFLINE: (&str, &str) = ("install/offline.js", "/");
/// The page's own icons.
const ICONS: &str = "icons.svg";
const SVG: &str = "image/svg+xml";
pub(super) const HTML: &str = "text/html; charset=utf-8";
const VERSION_CHARS: usize = 12;

impl StaticFiles {
    /// Reads and compresses all files at startup, so that no request waits for it.
    pub(crate) fn load(extensions: &[Extension]) -> Self {
        let mut digester = Digester::default();
        let (mut assets, mut pages) = (BTreeMap::new(), BTreeMap::new());
        let page_files =
            extensions.iter().flat_map(|one| one.pages.iter().chain(&one.public_pages));
        let page_files = page_files.map(|page| page.file);
        let page_files: BTreeSet<_> = page_files.chain([INDEX]).collect();
        for (path, file) in all_files(extensions) {
            let Some(kind) = kind_of(&path) else { continue };
            digester.part(path.as_bytes());
            digester.part(file.contents());
            match page_files.contains(path.as_str()) {
                true => drop(pages.insert(path, file)),
                false if path == OFFLINE_PAGE => assets.extend(offline_pages(file)),
                false => drop(assets.insert(path, File::new(kind, file.contents().to_vec()))),
            }
        }
        digester.part(icons::DRAWINGS.as_bytes());
        assets.insert(ICONS.to_owned(), File::new(SVG, icons::own().into_bytes()));
        let own_text =
            |path| PAGE.get_file(path).and_then(EmbeddedFile::contents_utf8).unwrap_or_default();
        let first = FIRST_BUNDLES.map(own_text);
        for (path, json) in words::later(&first) {
            digester.part(json.as_bytes());
            assets.insert(path, File::new("application/json", json.into_bytes()));
        }
        let version = format!("v{}", digester.finish().hex(VERSION_CHARS));
        let script = own_text(THEME);
        let made = |(path, file): (String, &EmbeddedFile)| {
            let page = versioned(file.contents_utf8().unwrap_or_default(), script, &version);
            in_languages(path, &page, &first)
        };
        let pages = pages.into_iter().flat_map(made).collect();
        let workers = extensions.iter().flat_map(|one| &one.workers);
        let workers = workers.map(|worker| (worker.file, worker.scope)).chain([OFFLINE]).collect();
        let page_policy = HeaderValue::try_from(theme::policy(script))
            .unwrap_or(HeaderValue::from_static(PAGE_POLICY));
        Self { assets, pages, page_policy, workers, version }
    }
}

/// A page with its theme script, and versioned paths to its files.
fn versioned(page: &str, script: &str, version: &str) -> String {
    theme::inlined(page, script).replace("\"/assets/", &format!("\"/assets/{version}/"))
}

/// A page with texts `{{…}}` in each language; another one of an extension as it is. A page of an
/// extension has the texts of `shared.js`, and loads others if it needs them.
fn in_languages(path: String, page: &str, first: &[&str]) -> Vec<((String, Language), File)> {
    let file = |page: String| File::new(HTML, page.into_bytes());
    if !page.contains("{{") {
        return vec![((path, Language::En), file(page.to_owned()))];
    }
    let first = if path == INDEX { first } else { &first[..1] };
    let made = |one| words::with_table(&words::translated(page, one), one, first);
    Language::ALL.map(|one| ((path.clone(), one), file(made(one)))).into()
}

/// `install/offline.uk.html` and so on; the service worker takes that of its language.
fn offline_pages(file: &EmbeddedFile) -> Vec<(String, File)> {
    let page = file.contents_utf8().unwrap_or_default();
    let made = |one: Language| {
        let path = OFFLINE_PAGE.replace(".html", &format!(".{}.html", one.code()));
        (path, File::new(HTML, words::translated(page, one).into_bytes()))
    };
    Language::ALL.map(made).into()
}

type EmbeddedFile = include_dir::File<'static>;

/// The server's files, then those of the extensions in their folders.
fn all_files(extensions: &[Extension]) -> Vec<(String, &'static EmbeddedFile)> {
    let path_of = |file: &EmbeddedFile| file.path().to_str().map(str::to_owned);
    let own = files_below(&PAGE).into_iter();
    let mut all: Vec<_> = own.filter_map(|file| Some((path_of(file)?, file))).collect();
    for Assets { folder, files } in extensions.iter().filter_map(|one| one.assets) {
        let files = files_below(files).into_iter();
        all.extend(files.filter_map(|file| Some((format!("{folder}/{}", path_of(file)?), file))));
    }
    all
}

fn files_below(dir: &'static Dir<'static>) -> Vec<&'static EmbeddedFile> {
    let inner = dir.dirs().flat_map(files_below);
    dir.files().chain(inner).collect()
}

impl File {
    fn new(kind: &'static str, plain: Vec<u8>) -> Self {
        Self::compressed(kind, plain, Compression::best())
    }

    pub(super) fn compressed(kind: &'static str, plain: Vec<u8>, level: Compression) -> Self {
        let gzipped = gzip(&plain, level).filter(|gzipped| gzipped.len() < plain.len());
        let tag = Digest::of(&plain).hex(32);
        Self { kind, plain: plain.into(), gzipped: gzipped.map(Bytes::from), tag }
    }

    fn answer(&self, headers: &HeaderMap, cache: CachePolicy) -> Response {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let accepts = text(header::ACCEPT_ENCODING).is_some_and(accepts_gzip);
        let gzipped = self.gzipped.as_ref().filter(|_| accepts);
        let tag = match gzipped {
            Some(_) => format!("\"{}-gz\"", self.tag),
            None => format!("\"{}\"", self.tag),
        };
        let is_cached = text(header::IF_NONE_MATCH).is_some_and(|tags| matches_any(&tag, tags));
        let mut response = match (is_cached, gzipped) {
            (true, _) => StatusCode::NOT_MODIFIED.into_response(),
            (false, Some(gzipped)) => {
                ([(header::CONTENT_ENCODING, "gzip")], gzipped.clone()).into_response()
            }
            (false, None) => self.plain.clone().into_response(),
        };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache.header_value()));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if let Ok(tag) = HeaderValue::try_from(tag) {
            headers.insert(header::ETAG, tag);
        }
        response
    }
}

fn gzip(plain: &[u8], level: Compression) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(plain).ok()?;
    encoder.finish().ok()
}

fn accepts_gzip(encodings: &str) -> bool {
    encodings.split(',').any(|encoding| {
        let (name, weight) = encoding.split_once(';').unwrap_or((encoding, ""));
        let refused = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse().ok());
        name.trim().eq_ignore_ascii_case("gzip") && refused != Some(0.0)
    })
}

fn matches_any(tag: &str, tags: &str) -> bool {
    tags.split(',').any(|one| one.trim().trim_start_matches("W/") == tag || one.trim() == "*")
}

/// The page requires a login; its files are public.
pub(crate) async fn index(app: State<AppState>, request: Request) -> HandlerResult<Response> {
    page(app, INDEX, request).await
}

/// The server's own page, or one of an extension.
pub(crate) async fn page(
    State(app): State<AppState>,
    file: &'static str,
    request: Request,
) -> HandlerResult<Response> {
    let (head, _) = request.into_parts();
    let Authenticated { renewed, caller } = authenticate_person(&app, &head).await?;
    let chosen = settings_of(&app, &caller.owner).await?.language;
    let language = chosen.unwrap_or_else(|| Language::preferred(&head.headers));
    let mut response = page_answer(&app, file, language, &head.headers)?;
    if let Some(cookie) = Language::cookie(chosen, &head.headers) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    if let Some(cookie) = renewed {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// A page that anybody may open.
pub(crate) async fn public_page(
    State(app): State<AppState>,
    file: &'static str,
    headers: HeaderMap,
) -> HandlerResult<Response> {
    page_answer(&app, file, Language::of_browser(&headers), &headers)
}

fn page_answer(
    app: &AppState,
    file: &str,
    language: Language,
    headers: &HeaderMap,
) -> HandlerResult<Response> {
    let pages = &app.files.pages;
    let translated = pages.get(&(file.to_owned(), language));
    let file = translated.or_else(|| pages.get(&(file.to_owned(), Language::En)));
    let mut response = file.ok_or_else(no_file)?.answer(headers, CachePolicy::Revalidate);
    let headers = response.headers_mut();
    headers.append(header::VARY, HeaderValue::from_static("accept-language, cookie"));
    headers.insert(header::CONTENT_SECURITY_POLICY, app.files.page_policy.clone());
    Ok(response)
}

fn no_file() -> Fault {
    Fault::not_found("there is no such file")
}

/// Shows HTML that a tool wrote. Its origin is opaque, so it cannot reach the page; it may have
/// any style, and the only script is the one in the file, allowed by its hash.
const FRAME: &str = "components/sealed_frame.html";

const FRAME_HEADERS: [(HeaderName, &str); 2] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
         script-src 'sha256-FqlLWw7MUiLZyexazxWfcLLbCBMZ7o7+iq9KSOJMARU='; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'self'",
    ),
    (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
];

pub(crate) async fn asset(
    State(app): State<AppState>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> HandlerResult<Response> {
    let (cache, name) = match path.split_once('/') {
        Some((version, name)) if version == app.files.version => (CachePolicy::Immutable, name),
        // A page that was loaded before the program was updated.
        Some((version, name)) if is_version(version) => (CachePolicy::Revalidate, name),
        Some(_) | None => (CachePolicy::Revalidate, path.as_str()),
    };
    if let Some(name) = name.strip_prefix("icons/").and_then(|name| name.strip_suffix(".svg")) {
        return lucide_icon(name, cache);
    }
    let file = match name {
        mermaid::FRAME_FILE => mermaid::frame().await?,
        _ => app.files.assets.get(name).ok_or_else(no_file)?,
    };
    let mut response = file.answer(&headers, cache);
    if let Some(scope) = app.files.workers.get(name) {
        let name = HeaderName::from_static("service-worker-allowed");
        response.headers_mut().insert(name, HeaderValue::from_static(scope));
    }
    Ok(match name {
        FRAME => (FRAME_HEADERS, response).into_response(),
        artifact_frame::FILE => (artifact_frame::HEADERS, response).into_response(),
        mermaid::FRAME_FILE => (mermaid::FRAME_HEADERS, response).into_response(),
        _ => response,
    })
}

/// Any Lucide icon. An unknown name is not cached permanently: a later version may know it.
fn lucide_icon(name: &str, cache: CachePolicy) -> HandlerResult<Response> {
    let (svg, cache) = match icons::icon(name) {
        Some(Icon::Drawn(svg)) => (svg, cache),
        Some(Icon::Letter(svg)) => (svg, CachePolicy::Revalidate),
        None => return Err(Fault::not_found("not the name of an icon")),
    };
    let headers = [(header::CONTENT_TYPE, SVG), (header::CACHE_CONTROL, cache.header_value())];
    Ok((headers, svg).into_response())
}

fn is_version(text: &str) -> bool {
    let digits = text.strip_prefix('v').unwrap_or_default();
    digits.len() == VERSION_CHARS && digits.chars().all(|c| c.is_ascii_hexdigit())
}

/// The content type; other files are not served.
fn kind_of(path: &str) -> Option<&'static str> {
    match path.rsplit_once('.')?.1 {
        "html" => Some(HTML),
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "svg" => Some(SVG),
        "png" => Some("image/png"),
        "ico" => Some("image/x-icon"),
        "woff2" => Some("font/woff2"),
        "json" => Some("application/json"),
        "webmanifest" => Some("application/manifest+json"),
        _ => None,
    }
}
