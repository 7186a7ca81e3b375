//! The cases of the acceptance page, and more.

use super::{check, sentences};

const CASES: [(&str, &str); 5] = [
    ("lv", include_str!("lv.txt")),
    ("en", include_str!("en.txt")),
    ("uk", include_str!("uk.txt")),
    ("ru", include_str!("ru.txt")),
    ("de", include_str!("de.txt")),
];

#[test]
fn the_texts_of_five_languages_are_cut_where_a_reader_would() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for (language, cases) in CASES {
        for case in cases.lines().filter(|case| !case.is_empty()) {
            count += 1;
            let text = case.replace(" | ", " ");
            let found = sentences(&text, language).join(" | ");
            if found != case {
                wrong.push(format!("{language}: {case}\n     got {found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 150, "{count} cases");
}

#[test]
fn lines_are_only_space_unless_a_block_ends() {
    let check = |text: &str, expected: &[&str]| assert_eq!(sentences(text, "lv"), expected);
    check("Viens teikums\niet tālāk. Otrs.", &["Viens teikums\niet tālāk.", "Otrs."]);
    check("Virsraksts\n\nTeksts sākas.", &["Virsraksts", "Teksts sākas."]);
    check("Mans virsraksts\nTeksts sākas te.", &["Mans virsraksts", "Teksts sākas te."]);
    check("Viņš teica:\n– Labi.\n– Nē.", &["Viņš teica:", "– Labi.", "– Nē."]);
    check("- maize\r\n- piens\r\n", &["- maize", "- piens"]);
    check("Viens.\r\nDivi.\r\n\r\nTrīs.", &["Viens.", "Divi.", "Trīs."]);
    check("Dr.\nBērziņš nāk.", &["Dr.\nBērziņš nāk."]);
    check("", &[]);
    check(" \n\t ", &[]);
    check("* * *", &["* * *"]);
}

#[test]
fn an_abbreviation_is_a_whole_word() {
    check("lv", "Viņš ir jauks. | Viņa arī.");
    check("lv", "Tas maksā daudz. | Par daudz.");
    check("en", "He likes basil. | Philipp. | She does not.");
}

#[test]
fn a_language_without_lists_is_cut_by_unicode_alone_and_that_is_said() {
    use super::super::{SegmentRules, segment};
    let finnish = "fi".parse().unwrap();
    let found = segment("Minä olen. Sinä olet.", &finnish);
    assert_eq!((found.sentences.len(), found.engine), (2, SegmentRules::Plain));
    assert!(found.engine.warning(&finnish).unwrap().contains("Finnish"));
    assert_eq!(segment("Es esmu.", &"lv".parse().unwrap()).engine, SegmentRules::Language);
}
