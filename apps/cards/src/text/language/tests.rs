//! The accepted codes, and their names.

use super::Language;

#[test]
fn fc_21_a_code_is_two_or_three_letters_and_perhaps_a_region() {
    let check = |code: &str, expected: Option<&str>| {
        let read = code.parse::<Language>().ok();
        assert_eq!(read.as_ref().map(Language::name), expected, "{code}");
    };
    check("lv", Some("Latvian"));
    check(" UK ", Some("Ukrainian"));
    check("pt-br", Some("Portuguese"));
    check("ltg", Some("ltg"));
    check("l", None);
    check("latvian", None);
    check("lv-", None);
    check("lv/..", None);
    check("", None);
}
