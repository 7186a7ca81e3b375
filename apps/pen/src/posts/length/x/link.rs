//! Finds links as X does: with a protocol, or a plain domain with a known ending.

use std::ops::Range;

/// The maximum length of a domain label in ASCII.
const LABEL_BYTES_MAX: usize = 63;
/// The maximum length of a link.
const LINK_CHARS_MAX: usize = 4_096;

/// Top-level domains that need no protocol, besides those of countries.
const GENERIC: [&str; 60] = [
    "academy",
    "agency",
    "app",
    "art",
    "asia",
    "biz",
    "blog",
    "business",
    "cafe",
    "capital",
    "care",
    "cat",
    "center",
    "city",
    "cloud",
    "club",
    "codes",
    "com",
    "company",
    "design",
    "dev",
    "digital",
    "edu",
    "email",
    "events",
    "expert",
    "finance",
    "fm",
    "foundation",
    "fund",
    "games",
    "gov",
    "group",
    "guru",
    "health",
    "help",
    "info",
    "int",
    "jobs",
    "life",
    "live",
    "marketing",
    "media",
    "mil",
    "name",
    "net",
    "news",
    "ngo",
    "online",
    "org",
    "page",
    "pro",
    "report",
    "shop",
    "site",
    "store",
    "studio",
    "tech",
    "top",
    "xyz",
];

/// Country codes.
const COUNTRIES: &str = "ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi \
    bj bm bn bo br bs bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj \
    dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs \
    gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr \
    kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv \
    mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa \
    re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th \
    tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw";

/// The links of a text, in order.
pub(crate) fn links(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        let taken = found.last().is_some_and(|last| at < last.end);
        if !taken && !before.is_some_and(joins) && c.is_alphanumeric() {
            found.extend(link_at(text, at));
        }
        before = Some(c);
    }
    found
}

/// A link does not begin after these.
fn joins(before: char) -> bool {
    before.is_alphanumeric()
        || matches!(before, '@' | '＠' | '$' | '#' | '＃' | '/' | '.' | '-' | '_')
}

fn link_at(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = &text[start..];
    let protocol = ["https://", "http://"].into_iter().find(|protocol| {
        rest.get(..protocol.len()).is_some_and(|head| head.eq_ignore_ascii_case(protocol))
    });
    let host_start = start + protocol.map_or(0, str::len);
    let host_end = host_start + host_length(&text[host_start..], protocol.is_some())?;
    let end = host_end + tail_length(&text[host_end..]);
    (text[start..end].chars().count() <= LINK_CHARS_MAX).then_some(start..end)
}

/// The length of a valid domain.
fn host_length(rest: &str, has_protocol: bool) -> Option<usize> {
    let inside = |c: char| match has_protocol {
        true => c.is_alphanumeric() || matches!(c, '-' | '_' | '.'),
        false => c.is_ascii_alphanumeric() || matches!(c, '-' | '.'),
    };
    let end = rest.find(|c: char| !inside(c)).unwrap_or(rest.len());
    let host = rest[..end].trim_end_matches(['.', '-', '_']);
    // A letter of another script continues the domain.
    let goes_on = rest[host.len()..].chars().next().is_some_and(char::is_alphanumeric);
    let labels: Vec<&str> = host.split('.').collect();
    let last = labels.last()?;
    let is_good = labels.len() > 1
        && !goes_on
        && labels.iter().all(|label| is_label(label))
        && is_top(last, has_protocol);
    is_good.then_some(host.len())
}

fn is_label(label: &str) -> bool {
    let ascii_bytes = match label.is_ascii() {
        true => label.len(),
        false => match url::Host::parse(label) {
            Ok(host) => host.to_string().len(),
            Err(_) => return false,
        },
    };
    !label.is_empty()
        && !label.starts_with(['-', '_'])
        && !label.ends_with(['-', '_'])
        && ascii_bytes <= LABEL_BYTES_MAX
}

fn is_top(label: &str, has_protocol: bool) -> bool {
    let label = label.to_lowercase();
    let known = GENERIC.contains(&label.as_str())
        || label.len() == 2 && COUNTRIES.split_whitespace().any(|country| country == label);
    // With a protocol it is a link: there are more endings than this list has.
    known || has_protocol && label.chars().count() > 2 && label.chars().all(char::is_alphabetic)
}

/// The length of port, path, query and fragment together.
fn tail_length(rest: &str) -> usize {
    let port = match rest.strip_prefix(':') {
        Some(after) => {
            let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            if digits == 0 { 0 } else { digits + 1 }
        }
        None => 0,
    };
    let path = &rest[port..];
    if !path.starts_with(['/', '?']) {
        return port;
    }
    let end = path.find(|c: char| !is_path(c)).unwrap_or(path.len());
    let mut tail = &path[..end];
    loop {
        let shorter = tail.trim_end_matches(['.', ',', ':', ';', '!', '?', '\'', '"']);
        let opens = shorter.matches('(').count();
        let unpaired = shorter.ends_with(')') && shorter.matches(')').count() > opens;
        tail = if unpaired { shorter.strip_suffix(')').unwrap_or(shorter) } else { shorter };
        if !unpaired {
            return port + tail.len();
        }
    }
}

fn is_path(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '\u{00c0}'..='\u{024f}' | '\u{0400}'..='\u{04ff}')
        || "/?!*'();:=+,.$%[]-_~@|&#".contains(c)
}
