//! NT-01: every form of an id.

use proptest::prelude::*;

use super::Id;

const PAGE: &str = "393abc1e-edcd-81a0-9a08-d7413a049dc8";
const OTHER: &str = "6aff91ae-c0ba-4906-82e2-27dc02cd6d98";

#[track_caller]
fn page(text: &str, expected: Option<&str>) {
    assert_eq!(Id::of_page(text).as_ref().map(Id::as_str), expected, "{text}");
}

#[track_caller]
fn database(text: &str, expected: Option<&str>) {
    assert_eq!(Id::of_database(text).as_ref().map(Id::as_str), expected, "{text}");
}

#[test]
fn nt_01_every_form_of_a_page() {
    page(PAGE, Some(PAGE));
    page("  393ABC1E-EDCD-81A0-9A08-D7413A049DC8\n", Some(PAGE));
    page("393abc1eedcd81a09a08d7413a049dc8", Some(PAGE));
    page("393ABC1EEDCD81A09A08D7413A049DC8", Some(PAGE));
    page("Burnout-post-393abc1eedcd81a09a08d7413a049dc8", Some(PAGE));
    page("https://notion.so/393abc1eedcd81a09a08d7413a049dc8", Some(PAGE));
    page("https://www.notion.so/team/Post-393abc1eedcd81a09a08d7413a049dc8", Some(PAGE));
    page("https://www.notion.so/Post-393abc1eedcd81a09a08d7413a049dc8?pvs=4", Some(PAGE));
    page("https://www.notion.so/Post-393abc1eedcd81a09a08d7413a049dc8/", Some(PAGE));
    page("https://app.notion.com/p/Test-11-12-05-393abc1eedcd81a09a08d7413a049dc8", Some(PAGE));
    page("https://ana.notion.site/Думки-393abc1eedcd81a09a08d7413a049dc8", Some(PAGE));
    page("notion://www.notion.so/Post-393abc1eedcd81a09a08d7413a049dc8", Some(PAGE));
    page("www.notion.so/Post-393abc1eedcd81a09a08d7413a049dc8", Some(PAGE));
    page("https://notion.so/a/393abc1e-edcd-81a0-9a08-d7413a049dc8", Some(PAGE));
    page("https://notion.so/team?page_id=393abc1eedcd81a09a08d7413a049dc8", Some(PAGE));
}

#[test]
fn nt_01_a_page_open_over_a_database_is_the_page() {
    let open = "https://www.notion.so/team/6aff91aec0ba490682e227dc02cd6d98\
                ?v=00000000000000000000000000000000&p=393abc1eedcd81a09a08d7413a049dc8&pm=s";
    page(open, Some(PAGE));
    database(open, Some(OTHER));
    let named = "https://www.notion.so/Plan-6aff91aec0ba490682e227dc02cd6d98\
                 ?p=393abc1eedcd81a09a08d7413a049dc8";
    page(named, Some(PAGE));
    database(named, Some(OTHER));
}

#[test]
fn nt_01_neither_a_view_nor_a_block_is_a_page() {
    let block = "#393abc1eedcd81a09a08d7413a049dc8";
    page(&format!("https://notion.so/Post-6aff91aec0ba490682e227dc02cd6d98{block}"), Some(OTHER));
    page("https://notion.so/team?v=393abc1eedcd81a09a08d7413a049dc8", None);
    database("https://notion.so/team?v=393abc1eedcd81a09a08d7413a049dc8", None);
    page(&format!("https://notion.so/team{block}"), None);
}

#[test]
fn nt_01_what_is_no_id_is_none() {
    page("", None);
    page("abc123", None);
    page("393abc1eedcd81a09a08d7413a049dc", None);
    page("0393abc1eedcd81a09a08d7413a049dc8", None);
    page("393abc1eedcd81a09a08d7413a049dcg", None);
    page("393abc1-eedcd-81a0-9a08-d7413a049dc8", None);
    page("https://evil.example/Post-393abc1eedcd81a09a08d7413a049dc8", None);
    page("https://notnotion.so/Post-393abc1eedcd81a09a08d7413a049dc8", None);
    page("https://notion.so.evil.example/393abc1eedcd81a09a08d7413a049dc8", None);
    page("file:///393abc1eedcd81a09a08d7413a049dc8", None);
    page("дуже довгий текст українською мовою без жодного номера", None);
}

proptest! {
    #[test]
    fn nt_01_any_text_is_read_and_any_id_found(
        text in "(https://|notion.so/|[-/?&=#a-f0-9]|\\PC){0,60}",
        hex in "[0-9a-f]{32}",
    ) {
        Id::of_page(&text);
        Id::of_database(&text);
        let found = Id::of_page(&format!("https://www.notion.so/Some-page-{hex}?pvs=4")).unwrap();
        prop_assert_eq!(found.as_str().replace('-', ""), hex);
        prop_assert_eq!(Id::of_page(found.as_str()), Some(found));
    }
}
