//! Valid entries, and entries that would allow too much.

use super::*;

#[track_caller]
fn check<T: FromStr>(good: &[&str], bad: &[&str]) {
    good.iter().for_each(|text| assert!(text.parse::<T>().is_ok(), "{text} should fit"));
    bad.iter().for_each(|text| assert!(text.parse::<T>().is_err(), "{text} should not fit"));
}

#[test]
fn hosts_are_names_or_addresses_and_never_everything() {
    check::<HostPattern>(
        &["api.example.com", "*.example.com", "localhost:8080", "127.0.0.1", "[::1]:443", "[::1]"],
        &[
            "",
            "*",
            "*.com",
            "*.*",
            "https://a.b",
            "a..b",
            "-a.com",
            "a.com/x",
            "a:0",
            "a:99999",
            "A.com",
            "[::1",
            "[x]",
            "[::1]x",
            "a b",
            "*.*.com",
        ],
    );
}

#[test]
fn keys_secrets_and_folders_have_their_own_rules() {
    check::<KeyPrefix>(&["notes/", "a"], &["", "a b", "a\n", &"k".repeat(129)]);
    check::<SecretName>(&["NOTION_TOKEN", "A1"], &["", "token", "1A", "A-B"]);
    check::<FileRoot>(
        &["kb", "data/calendar", "kb/"],
        &["", "/etc", "..", "a/../b", "a//b", ".", "C:", "a\\b", "~a\0"],
    );
}

#[test]
fn a_prefix_covers_what_begins_with_it_and_a_star_covers_all() {
    let notes: KeyPrefix = "notes/".parse().unwrap();
    assert!(notes.covers("notes/1") && !notes.covers("note"));
    assert!(KeyPrefix::every().covers("") && KeyPrefix::every().covers("user_balance"));
    assert_eq!("*".parse::<KeyPrefix>().unwrap(), KeyPrefix::every());
}
