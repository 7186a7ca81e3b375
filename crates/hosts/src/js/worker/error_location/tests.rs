//! Locations of errors.

use super::*;

#[test]
fn frames_are_read_with_and_without_a_name() {
    let check = |frame, expected| assert_eq!(parse_frame(frame), expected, "{frame}");
    check("    at execute (a/handler.js:12:5)", Some(("a/handler.js", 12, 5)));
    check("    at a/handler.js:3:1", Some(("a/handler.js", 3, 1)));
    check("    at f (odd (name).js:3:1)", Some(("odd (name).js", 3, 1)));
    check("    at <anonymous> (native)", None);
    check("", None);
}
