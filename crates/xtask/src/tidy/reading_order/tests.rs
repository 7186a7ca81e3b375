//! Which lists of modules keep the promise.

use super::is_broken;

#[test]
fn a_promised_reading_order_is_not_the_alphabet() {
    let promise = "//! Reads tools.\n//!\n//! The modules stand in reading order.\n\n";
    let check = |head: &str, modules: &str, expected| {
        assert_eq!(is_broken(&format!("{head}{modules}")), expected, "{head}{modules}");
    };
    check(promise, "mod a;\npub mod b;\n\n#[cfg(test)]\nmod tests;\n", true);
    check(promise, "mod b;\n\nmod a;\n", false);
    check("//! Reads tools.\n\n", "mod a;\nmod b;\n", false);
}
