//! The page's files, embedded in the program and compressed once, when the server starts.
//!
//! The page refers to its files as `/assets/VERSION/…`, where the version is a digest of all
//! of them: a versioned file never changes, so browsers cache it permanently. Without a
//! version, browsers revalidate a file each time.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::LazyLock;

use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contract::{Digest, Digester};
use flate2::Compression;
use flate2::write::GzEncoder;
use include_dir::{Dir, include_dir};

use crate::assets::icons::{self, Icon};
use crate::auth::middleware::{Admitted, admit_person};
use crate::fault::{Answer, Fault};
use crate::state::App;

static PAGE: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/page");

static FILES: LazyLock<Files> = LazyLock::new(Files::read);

struct Files {
    version: String,
    all: BTreeMap<&'static str, File>,
    index: File,
    cards: File,
}

struct File {
    kind: &'static str,
    plain: Vec<u8>,
    /// None where it would not be smaller.
    packed: Option<Vec<u8>>,
    tag: String,
}

/// How long a browser may keep a file.
#[derive(Clone, Copy)]
enum Keep {
    ForEver,
    AskFirst,
}

impl Keep {
    fn spelled(self) -> &'static str {
        match self {
            Keep::ForEver => "public, max-age=31536000, immutable",
            Keep::AskFirst => "no-cache",
        }
    }
}

const INDEX: &str = "index.html";
/// The page's own icons.
const ICONS: &str = "icons.svg";
const SVG: &str = "image/svg+xml";
const CARDS: &str = "cards/index.html";
const VERSION_CHARS: usize = 12;

/// Reads and compresses all files, so that no request waits for it.
pub(crate) fn prepare() {
    LazyLock::force(&FILES);
}

impl Files {
    fn read() -> Self {
        let mut digester = Digester::default();
        let mut all = BTreeMap::new();
        for file in files_below(&PAGE) {
            let Some(path) = file.path().to_str() else { continue };
            let Some(kind) = kind_of(path) else { continue };
            digester.part(path.as_bytes());
            digester.part(file.contents());
            all.insert(path, File::new(kind, file.contents().to_vec()));
        }
        digester.part(icons::DRAWINGS.as_bytes());
        all.insert(ICONS, File::new(SVG, icons::own().into_bytes()));
        let digest = digester.finish().to_string();
        let digest = digest.trim_start_matches("sha256:").chars().take(VERSION_CHARS);
        let version = format!("v{}", digest.collect::<String>());
        let (index, cards) = (page(INDEX, &version), page(CARDS, &version));
        Self { version, all, index, cards }
    }
}

/// A page that names its files by their version.
fn page(path: &str, version: &str) -> File {
    let text = PAGE.get_file(path).and_then(|file| file.contents_utf8()).unwrap_or_default();
    let text = text.replace("\"/assets/", &format!("\"/assets/{version}/"));
    File::new("text/html; charset=utf-8", text.into_bytes())
}

fn files_below(dir: &'static Dir<'static>) -> Vec<&'static include_dir::File<'static>> {
    let inner = dir.dirs().flat_map(files_below);
    dir.files().chain(inner).collect()
}

impl File {
    fn new(kind: &'static str, plain: Vec<u8>) -> Self {
        let packed = packed(&plain).filter(|packed| packed.len() < plain.len());
        let tag = Digest::of(&plain).to_string();
        let tag = tag.trim_start_matches("sha256:").chars().take(32).collect();
        Self { kind, plain, packed, tag }
    }

    fn answer(&'static self, headers: &HeaderMap, keep: Keep) -> Response {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let takes_packed = text(header::ACCEPT_ENCODING).is_some_and(takes_gzip);
        let packed = self.packed.as_ref().filter(|_| takes_packed);
        let tag = match packed {
            Some(_) => format!("\"{}-gz\"", self.tag),
            None => format!("\"{}\"", self.tag),
        };
        let known = text(header::IF_NONE_MATCH).is_some_and(|tags| is_among(&tag, tags));
        let mut response = match (known, packed) {
            (true, _) => StatusCode::NOT_MODIFIED.into_response(),
            (false, Some(packed)) => {
                ([(header::CONTENT_ENCODING, "gzip")], packed.as_slice()).into_response()
            }
            (false, None) => self.plain.as_slice().into_response(),
        };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep.spelled()));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if let Ok(tag) = HeaderValue::try_from(tag) {
            headers.insert(header::ETAG, tag);
        }
        response
    }
}

fn packed(plain: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).ok()?;
    encoder.finish().ok()
}

fn takes_gzip(encodings: &str) -> bool {
    encodings.split(',').any(|encoding| {
        let (name, weight) = encoding.split_once(';').unwrap_or((encoding, ""));
        let refused = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse().ok());
        name.trim().eq_ignore_ascii_case("gzip") && refused != Some(0.0)
    })
}

fn is_among(tag: &str, tags: &str) -> bool {
    tags.split(',').any(|one| one.trim().trim_start_matches("W/") == tag || one.trim() == "*")
}

/// The page itself is for those who may come in; its files are for everybody.
pub(crate) async fn index(State(app): State<App>, request: Request) -> Answer<Response> {
    shown(&app, request, &FILES.index).await
}

pub(crate) async fn cards(State(app): State<App>, request: Request) -> Answer<Response> {
    shown(&app, request, &FILES.cards).await
}

async fn shown(app: &App, request: Request, file: &'static File) -> Answer<Response> {
    let (head, _) = request.into_parts();
    let Admitted { renewed, .. } = admit_person(app, &head).await?;
    let mut response = file.answer(&head.headers, Keep::AskFirst);
    if let Some(cookie) = renewed {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Where HTML that a tool wrote is shown. It has no origin, so nothing of ours is in its reach;
/// styles are its own, and the only script is the one in the file, by its hash.
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

pub(crate) async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Answer<Response> {
    let (keep, name) = match path.split_once('/') {
        Some((version, name)) if version == FILES.version => (Keep::ForEver, name),
        // A page that was loaded before the program was replaced.
        Some((version, name)) if is_version(version) => (Keep::AskFirst, name),
        Some(_) | None => (Keep::AskFirst, path.as_str()),
    };
    if let Some(name) = name.strip_prefix("icons/").and_then(|name| name.strip_suffix(".svg")) {
        return one_icon(name, keep);
    }
    let file = FILES.all.get(name).filter(|_| name != INDEX && name != CARDS);
    let file = file.ok_or_else(|| Fault::not_found("there is no such file"))?;
    let response = file.answer(&headers, keep);
    Ok(if name == FRAME { (FRAME_HEADERS, response).into_response() } else { response })
}

/// Any icon of Lucide. What nobody has drawn yet may be drawn one day.
fn one_icon(name: &str, keep: Keep) -> Answer<Response> {
    let (svg, keep) = match icons::icon(name) {
        Some(Icon::Drawn(svg)) => (svg, keep),
        Some(Icon::Letter(svg)) => (svg, Keep::AskFirst),
        None => return Err(Fault::not_found("not the name of an icon")),
    };
    let headers = [(header::CONTENT_TYPE, SVG), (header::CACHE_CONTROL, keep.spelled())];
    Ok((headers, svg).into_response())
}

fn is_version(text: &str) -> bool {
    let digits = text.strip_prefix('v').unwrap_or_default();
    digits.len() == VERSION_CHARS && digits.chars().all(|c| c.is_ascii_hexdigit())
}

/// Files of other kinds are not served.
fn kind_of(path: &str) -> Option<&'static str> {
    match path.rsplit_once('.')?.1 {
        "html" => Some("text/html; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "svg" => Some(SVG),
        "png" => Some("image/png"),
        "ico" => Some("image/x-icon"),
        "woff2" => Some("font/woff2"),
        "json" | "webmanifest" => Some("application/json"),
        _ => None,
    }
}
