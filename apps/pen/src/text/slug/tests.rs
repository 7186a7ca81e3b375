//! The examples of resolution № 55, and topics that are difficult file names. GP-11.

use super::{slug, transliterate};

#[test]
fn gp_11_letters_follow_the_resolution() {
    let check = |from: &str, to: &str| assert_eq!(transliterate(from), to);
    check("Алушта", "Alushta");
    check("Андрій", "Andrii");
    check("Борщагівка", "Borshchahivka");
    check("Вінниця", "Vinnytsia");
    check("Гадяч", "Hadiach");
    check("Ґалаґан", "Galagan");
    check("Донецьк", "Donetsk");
    check("Єнакієве", "Yenakiieve");
    check("Згурський", "Zghurskyi");
    check("Розгон", "Rozghon");
    check("Згорани", "Zghorany");
    check("Знам'янка", "Znamianka");
    check("Знам’янка", "Znamianka");
    check("Їжакевич", "Yizhakevych");
    check("Йосипівка", "Yosypivka");
    check("Юрій", "Yurii");
    check("Яготин", "Yahotyn");
    check("Феодосія", "Feodosiia");
    check("ёлка, мы, это, объект", "elka, my, eto, obekt");
    check("kāzas, łódź, žurnāls", "kazas, lodz, zurnals");
}

#[test]
fn gp_11_a_slug_is_never_empty_and_never_more_than_letters_digits_and_dashes() {
    let check = |from: &str, to: &str| assert_eq!(slug(from), to);
    check("Вигорання на роботі", "vyhorannia-na-roboti");
    check("burnout: \"why\"\n—  how?", "burnout-why-how");
    check("  --AI & hiring--  ", "ai-hiring");
    check("🔥🔥", "post");
    check("", "post");
    check("日本", "post");
    check("../../etc/passwd", "etc-passwd");
    check(&"дуже довга тема ".repeat(8), "duzhe-dovha-tema-duzhe-dovha-tema-duzhe-dovha-tema");
    check(&"a".repeat(80), &"a".repeat(50));
    assert!(slug(&"щщщщ ".repeat(40)).len() <= 50);
}
