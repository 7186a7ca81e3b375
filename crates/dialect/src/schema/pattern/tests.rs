//! Which regular expressions a target accepts.

use super::{Use, scan};

#[track_caller]
fn check(pattern: &str, expected: &str) {
    let found = match scan(pattern) {
        Err(why) => why.to_owned(),
        Ok(traits) => {
            let mut words = Vec::new();
            for (word, used) in [
                ("look", traits.lookaround),
                ("back", traits.backreference),
                ("fancy", traits.fancy),
            ] {
                if used == Use::Present {
                    words.push(word.to_owned());
                }
            }
            if traits.repeat_max > 0 {
                words.push(traits.repeat_max.to_string());
            }
            words.join(" ")
        }
    };
    assert_eq!(found, expected, "{pattern}");
}

#[test]
fn traits_are_found_only_where_they_occur() {
    check("^[A-Z]{2}-[0-9]{4}$", "4");
    check("^(?!\\.)a", "look");
    check("(?<=x)y", "look");
    check("(?<name>x)\\k<name>", "back fancy");
    check("(a)\\1", "back");
    check("\\bword\\b", "fancy");
    check("[(?=]", "");
    check("\\(\\?=", "");
    check("(?:ab)+", "");
    check("a{2,300}?", "300");
    check("{\"a\"}", "");
    check("^\\p{L}+$", "fancy");
    check("[\\b]", "");
}

#[test]
fn the_fault_of_a_broken_pattern_says_why() {
    check("(a", "a `(` is not closed");
    check("a)", "a `)` has no `(` before it");
    check("[a", "a `[` is not closed");
    check("*a", "there is nothing to repeat");
    check("a\\", "it ends in a lone `\\`");
}
