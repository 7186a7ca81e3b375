//! FC-22: every code has a message in every language.

use std::collections::BTreeSet;

use contract::{FaultKind, ModelFault};

use super::{BANNERS, ErrorCode, LOCALES};

#[test]
fn fc_22_every_code_has_words_in_every_language() {
    let mut seen = BTreeSet::new();
    for code in ErrorCode::ALL {
        for locale in LOCALES {
            let banner = code.banner(locale);
            assert!(banner.title.len() > 5 && banner.text.len() > 15, "{code} {locale}");
            let cyrillic = banner.text.chars().any(|c| ('а'..='я').contains(&c));
            assert_eq!(cyrillic, locale != "en", "{code} {locale}");
            assert!(seen.insert(&banner.text), "{code} {locale} says what another says");
        }
    }
    assert_eq!(BANNERS.len(), ErrorCode::ALL.len(), "words for a code that is not there");
    assert_eq!(ErrorCode::Holes.banner("fr"), ErrorCode::Holes.banner("en"));
    assert_eq!(ErrorCode::Holes.banner("uk-UA"), ErrorCode::Holes.banner("uk"));
}

#[test]
fn each_fault_has_its_code() {
    let check = |kind, status, expected: &str| {
        let fault = ModelFault {
            kind,
            message: String::new(),
            fix: String::new(),
            status,
            retry_after: None,
        };
        assert_eq!(ErrorCode::of_fault(&fault).as_str(), expected);
    };
    check(FaultKind::RateLimited, Some(429), "RATE_LIMIT");
    check(FaultKind::TooLarge, Some(413), "REQUEST_TOO_LARGE");
    check(FaultKind::Overloaded, Some(529), "OVERLOADED");
    check(FaultKind::Overloaded, Some(500), "SERVER_ERROR");
    check(FaultKind::Overloaded, Some(501), "PROVIDER_DISABLED");
    check(FaultKind::Overloaded, Some(502), "PROXY_DOWN");
    check(FaultKind::SpendCap, Some(402), "QUOTA_EXHAUSTED");
    check(FaultKind::WrongKey, Some(401), "AUTH_ERROR");
    check(FaultKind::Unreachable, None, "NETWORK_ERROR");
    check(FaultKind::TimedOut, None, "TIMEOUT");
}
