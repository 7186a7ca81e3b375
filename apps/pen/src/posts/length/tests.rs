//! X's own conformance cases, and the lengths on other platforms.

use saphyr::{LoadableYamlNode as _, Yaml};
use serde::Deserialize;

use super::thread;
use super::{Platform, little_text};

#[derive(Debug, Default)]
struct Case {
    text: String,
    length: usize,
    valid: bool,
}

/// The sections of X's file that have weights and discount emoji.
fn cases() -> Vec<Case> {
    let file = Yaml::load_from_str(include_str!("../../../tests/data/x-validate.yml")).unwrap();
    let case = |case: &Yaml<'_>| Case {
        text: case["text"].as_str().unwrap().to_owned(),
        length: case["expected"]["weightedLength"].as_integer().unwrap().try_into().unwrap(),
        valid: case["expected"]["valid"].as_bool().unwrap(),
    };
    ["WeightedTweetsWithDiscountedEmojiCounterTest", "UnicodeDirectionalMarkerCounterTest"]
        .iter()
        .flat_map(|section| file[0]["tests"][*section].as_sequence().unwrap().iter().map(case))
        .collect()
}

#[test]
fn x_counts_as_its_own_conformance_file_says() {
    let cases = cases();
    assert!(cases.len() > 20, "{}", cases.len());
    for case in cases {
        let length = Platform::X.count(&case.text);
        assert_eq!(length, case.length, "{}", case.text);
        // The file calls a text with a byte-order mark invalid whatever its length.
        if !case.text.contains('\u{fffe}') {
            assert_eq!(length <= Platform::X.limit(), case.valid, "{}", case.text);
        }
    }
}

#[test]
fn the_configuration_of_x_is_read() {
    #[derive(Deserialize)]
    struct Whole {
        version: u32,
    }
    let whole: Whole = serde_json::from_str(include_str!("x-config-v3.json")).unwrap();
    assert_eq!((whole.version, Platform::X.limit()), (3, 280));
}

#[test]
fn x_weighs_signs_as_the_acceptance_says() {
    let check = |text: &str, length: usize| assert_eq!(Platform::X.count(text), length, "{text}");
    check("Привіт", 6);
    check("« » ’ — – “ ”", 13);
    for sign in ["…", "•", "→", "↓", "€", "₴", "№", "‰", "日"] {
        check(sign, 2);
    }
    check("читай example.com/дуже/довго?a=b, ок", 6 + 23 + 4);
    check("пиши на a@example.com", 21);
    check("v1.2 і т.д", 10);
    check("https://www.ukr.net/news/details/society/1.html.", 24);
}

#[test]
fn each_platform_counts_in_its_own_way() {
    let family = "👨‍👩‍👧‍👦";
    let check = |platform: Platform, text: &str, length: usize| {
        assert_eq!(platform.count(text), length, "{platform} {text}");
    };
    check(Platform::Linkedin, "так🔥", 5);
    check(Platform::Instagram, "так🔥", 4);
    check(Platform::Bluesky, family, 1);
    check(Platform::Mastodon, "см. https://example.com/a/very/long/path/indeed", 27);
    check(Platform::Telegram, family, 11);
    assert_eq!(Platform::Instagram.hashtags_max(), Some(5));
    assert_eq!(little_text("a (b) #c_d"), "a \\(b\\) \\#c\\_d");
}

#[test]
fn a_platform_is_named_or_suggested() {
    let check = |text: &str, expected: Result<Platform, &str>| {
        let found = text.parse::<Platform>().map_err(|unknown| unknown.to_string());
        assert_eq!(found, expected.map_err(str::to_owned));
    };
    check("LinkedIn", Ok(Platform::Linkedin));
    check("twitter", Ok(Platform::X));
    check("linkdin", Err("there is no platform `linkdin`; did you mean `linkedin`?"));
}

#[test]
fn a_thread_is_numbered_and_cuts_neither_words_nor_links() {
    let sentence = "Це речення про вигорання і про те, що з ним робити далі на практиці. ";
    let text = format!("{}https://example.com/a?b=c кінець", sentence.repeat(12));
    let posts = thread(&text, Platform::X).unwrap();
    assert!(posts.len() > 2);
    for (index, post) in posts.iter().enumerate() {
        assert!(post.starts_with(&format!("{}/{} ", index + 1, posts.len())), "{post}");
        assert!(Platform::X.count(post) <= 280, "{post}");
    }
    let joined: String = posts.iter().map(|post| post.split_once(' ').unwrap().1).collect();
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(bare(&joined), bare(&text));
    assert_eq!(thread("коротко", Platform::X).unwrap(), ["коротко"]);
    assert_eq!(thread("один\n---\nдва", Platform::X).unwrap(), ["1/2 один", "2/2 два"]);
    assert!(thread("  ", Platform::X).is_err());
    let long = thread(&"щ".repeat(600), Platform::X).unwrap();
    assert_eq!(long.len(), 3);
    assert!(thread(&sentence.repeat(200), Platform::X).is_err());
}
