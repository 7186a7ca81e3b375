//! Rules one by one, and the report on the golden profile's own posts. GP-20.

mod quality;

use super::avoid_rule::{Checkable, Thing, read};
use super::{Level, LintContext, Report, Rule, cleaned, lint};
use crate::posts::length::Platform;
use crate::style::profile::Profile;
use crate::text::language::Lang;

const GOLDEN: &str = include_str!("../../tests/data/golden-profile.json");

fn report(draft: &str, platform: Platform) -> Report {
    let profile = Profile::parse(GOLDEN).unwrap();
    lint(
        draft,
        &LintContext { profile: &profile, platform, past: &[], given: Some(&[]), lang: Lang::En },
    )
}

#[test]
fn gp_20_the_golden_examples_are_judged_honestly() {
    let profile = Profile::parse(GOLDEN).unwrap();
    for example in profile.examples() {
        let platform = example.platform.parse().unwrap();
        let report = report(&example.text, platform);
        let errors: Vec<_> = report.errors().map(|finding| finding.rule).collect();
        assert_eq!(errors, [Rule::Copying], "{}: it is its own copy, and nothing else", example.id);
        let own: Vec<_> =
            report.violations.iter().filter(|finding| finding.rule == Rule::AvoidWord).collect();
        // It breaks one of its own rules, twice, and is told so.
        let expected = if example.id == "ex_001" { 2 } else { 0 };
        assert_eq!(own.len(), expected, "{own:#?}");
        assert!(own.iter().all(|finding| finding.level == Level::Warn));
    }
}

#[test]
fn gp_20_abstract_rules_are_listed_and_never_passed() {
    let report = report("Плани не працюють.", Platform::X);
    let has = |text: &str| report.unchecked.iter().any(|line| line.contains(text));
    assert!(has("пасивний стан") && has("канцеляризми") && has("мотиваційні кліше"));
    assert!(!has("хештеги всередині") && !has("більше 3 emoji") && !has("звертання 'друзі'"));
    assert!(!has("слово 'контент'"), "{:?}", report.unchecked);
}

#[test]
fn a_rule_is_read_as_far_as_it_can_be_checked() {
    let check = |rule: &str, checks: &[Checkable]| assert_eq!(read(rule).checks, checks, "{rule}");
    let phrase = |text: &str| Checkable::Phrase(text.to_owned());
    check("слово 'контент' — каже 'пости' або 'тексти'", &[phrase("контент")]);
    check("канцеляризми ('в рамках', 'з метою')", &[phrase("в рамках"), phrase("з метою")]);
    check("більше 3 emoji на пост", &[Checkable::AtMost(3, Thing::Emoji)]);
    check("more than 2 hashtags", &[Checkable::AtMost(2, Thing::Hashtag)]);
    check("хештеги всередині тексту", &[Checkable::None(Thing::HashtagInside)]);
    check("exclamation marks", &[Checkable::None(Thing::Exclamation)]);
    check("марковані списки", &[Checkable::None(Thing::ListLine)]);
    check("пасивний стан", &[]);
    check("the word \"leverage\"", &[phrase("leverage")]);
    check("слова «п'ятірка», «don't»", &[phrase("п'ятірка"), phrase("don't")]);
}

#[test]
fn an_answer_is_cleaned_of_what_stands_around_the_draft() {
    let check = |answer: &str, draft: &str| assert_eq!(cleaned(answer), draft, "{answer}");
    check("Ось ваш пост:\n\nТекст.\n\nДалі.", "Текст.\n\nДалі.");
    check("Here's your post:\n---\nText\n---\nWant me to change anything?", "Text");
    check("```\nТекст\n```", "Текст");
    check("Ось у чому штука: усе просто.\nТак.", "Ось у чому штука: усе просто.\nТак.");
    check(
        "Sure, nobody reads plans.\nMe neither, and that is why I stopped long ago",
        "Sure, nobody reads plans.\nMe neither, and that is why I stopped long ago",
    );
    check("один рядок", "один рядок");
}

#[test]
fn a_finding_has_a_place_and_a_hint() {
    let draft = "Друзі, плани не працюють.";
    let report = report(draft, Platform::X);
    let finding = report.errors().next().unwrap();
    assert_eq!(&draft[finding.span.start..finding.span.end], "Друзі");
    assert_eq!(finding.fix_hint, "the rule is: звертання 'друзі' до аудиторії");
}

#[test]
fn a_profile_that_wants_more_hashtags_than_instagram_allows_is_told() {
    let report = report("Плани не працюють.", Platform::Instagram);
    let warned = report.violations.iter().any(|finding| {
        finding.rule == Rule::Hashtags && finding.fix_hint.contains("instagram allows 5")
    });
    assert!(warned, "{report:#?}");
}

#[test]
fn hints_are_in_the_language_of_the_writer() {
    let profile = Profile::parse(GOLDEN).unwrap();
    let draft = "Ось план: **роби**.\n\n#a #b #c #d #e #f";
    let hints = |lang| {
        let platform = Platform::Linkedin;
        let against = LintContext { profile: &profile, platform, past: &[], given: None, lang };
        let report = lint(draft, &against);
        let hint = |rule| {
            let found = report.violations.iter().find(|one| one.rule == rule);
            found.unwrap().fix_hint.clone()
        };
        (hint(Rule::Hygiene), hint(Rule::Hashtags))
    };
    let (markup, tags) = hints(Lang::Uk);
    assert_eq!(markup, "соцмережі не показують Markdown: приберіть розмітку");
    assert_eq!(tags, "у профілі: 3-5 в кінці через порожній рядок");
    let (markup, tags) = hints(Lang::En);
    assert_eq!(markup, "posts have no Markdown: write the words plainly");
    assert_eq!(tags, "the profile says: 3-5 в кінці через порожній рядок");
}

#[test]
fn gp_20_a_copy_is_found_whole_or_in_part() {
    let profile = Profile::parse(GOLDEN).unwrap();
    let examples = profile.examples();
    let copied = |draft: &str, past: &[&str]| {
        let platform = Platform::Linkedin;
        let against =
            LintContext { profile: &profile, platform, past, given: Some(&[]), lang: Lang::En };
        lint(draft, &against).violations.iter().any(|finding| finding.rule == Rule::Copying)
    };
    for example in &examples {
        assert!(copied(&example.text, &[]), "{}: a verbatim copy", example.id);
        assert!(copied(&example.text.to_uppercase(), &[]), "{}: in capitals", example.id);
    }
    let past = "Я звільнився у п'ятницю. Не попередив нікого, забрав кружку і пішов. Досі соромно.";
    assert!(copied(past, &[past]));
    assert!(copied(&format!("Новий початок.\n\n{past}\n\nНовий кінець."), &[past]));
    assert!(copied("Коротко і чесно.", &["Коротко і чесно."]), "a short post too");
    assert!(!copied("Зовсім інший текст про каву зранку.", &[past]));
}

#[test]
fn one_place_has_one_finding() {
    let found = |draft: &str| {
        let report = report(draft, Platform::Linkedin);
        let about = report.violations.into_iter().filter(|one| {
            matches!(
                one.rule,
                Rule::Emoji | Rule::AvoidNumber | Rule::AvoidStructure | Rule::Hashtags
            ) && one.span.end > 0
        });
        about.map(|one| (one.rule, one.text)).collect::<Vec<_>>()
    };
    let fire = "🔥".to_owned();
    assert_eq!(
        found("Плани 🔥🔥🔥🔥🔥"),
        [(Rule::AvoidNumber, fire)],
        "the golden profile: 1-2, and 3"
    );
    assert_eq!(
        found("Про #план мовчу.\n\n#a #b #c"),
        [(Rule::AvoidStructure, "#план".to_owned())],
        "inside the text, and not at the end"
    );
}

#[test]
fn the_number_of_hashtags_is_told_beside_their_place() {
    let report = report("Про #один #два #три #чотири #п_ять #шість мовчу.", Platform::Linkedin);
    let inside = report.violations.iter().filter(|one| one.rule == Rule::AvoidStructure);
    assert_eq!(inside.count(), 6);
    let count = report.violations.iter().find(|one| one.rule == Rule::Hashtags).unwrap();
    assert_eq!((count.level, count.text.as_str()), (Level::Error, "hashtags: 6"));
}

#[test]
fn a_dash_that_begins_a_line_is_no_dash_of_machines() {
    let tells = |draft: &str| {
        let report = report(draft, Platform::Linkedin);
        report.violations.iter().filter(|one| one.rule == Rule::Tell).count()
    };
    assert_eq!(tells("Беру:\n— каву\n— тишу\n  — ніч\n— сон\n— блокнот"), 0);
    assert_eq!(tells("Кава — це ніч. Тиша — це сон. План — це страх. Ніч — це я."), 1);
}

#[test]
fn russisms_are_found_unless_the_author_writes_so() {
    let mut value: serde_json::Value = serde_json::from_str(GOLDEN).unwrap();
    let found = |value: &serde_json::Value, draft: &str| {
        let profile = Profile::from_value(value).unwrap();
        let platform = Platform::Linkedin;
        let lang = Lang::Uk;
        let against = LintContext { profile: &profile, platform, past: &[], given: None, lang };
        let report = lint(draft, &against);
        let found = report.violations.into_iter().filter(|one| one.rule == Rule::Russism);
        found.map(|one| format!("{}: {}", one.text, one.fix_hint)).collect::<Vec<_>>()
    };
    let draft = "Я приймаю участь на протязі дня. Тоже ы.";
    assert_eq!(
        found(&value, draft),
        [
            "приймаю участь: русизм; краще: брати участь",
            "на протязі: русизм; краще: протягом",
            "Тоже: русизм; краще: теж",
            "ы: російське слово: такої літери в українській немає",
        ]
    );
    assert_eq!(found(&value, "Прийми. Участь потім. Протяг. Чую."), [""; 0]);
    value["examples"][0]["text"] = "Я теж жив на протязі року.".into();
    assert_eq!(found(&value, "На протязі дня."), [""; 0], "the author's own habit");
    value["language"] = "en".into();
    assert_eq!(found(&value, draft), [""; 0], "not for other languages");
}
