//! Recognises addresses, links and ids among other words.

/// Stricter than the format: a usual address.
pub(crate) fn is_email(text: &str) -> bool {
    let local = |part: &str| {
        let atom = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~-.".contains(c);
        (1..=64).contains(&part.len())
            && part.chars().all(atom)
            && !part.starts_with('.')
            && !part.ends_with('.')
            && !part.contains("..")
    };
    text.split_once('@')
        .is_some_and(|(name, host)| local(name) && host.contains('.') && is_hostname(host))
}

fn is_hostname(text: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let named = text
        .rsplit('.')
        .next()
        .is_some_and(|last| last.starts_with(|c: char| c.is_ascii_alphabetic()));
    (1..=253).contains(&text.len()) && named && text.split('.').all(label) && !text.contains("--")
}

pub(crate) fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = host.split_once(':').unwrap_or((host, "80"));
    let tail = rest.get(host.len()..).unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/?=&+,;@!$'()*:#".contains(c);
    matches!(scheme, "http" | "https" | "ftp" | "ws" | "wss" | "file")
        && is_hostname(host)
        && port.parse::<u16>().is_ok()
        && tail.matches('#').count() <= 1
        && tail.chars().all(plain)
}

pub(crate) fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}
