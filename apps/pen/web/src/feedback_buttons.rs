//! Remarks as buttons: each is a sentence that a session understands without a model.

use pen::Lang;
use serde::Serialize;

/// One button, in the author's language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct FeedbackButton {
    /// What is said when it is pressed.
    pub line: &'static str,
}

const BUTTONS: [(&str, &str); 10] = [
    ("занадто формально", "too formal"),
    ("занадто неформально", "too casual"),
    ("занадто довго", "too long"),
    ("занадто коротко", "too short"),
    ("слабкий початок", "weak opening"),
    ("не мій тон", "not my tone"),
    ("не та структура", "wrong structure"),
    ("немає заклику", "no call to action"),
    ("заклик нав'язливий", "the call to action is too pushy"),
    ("почни спочатку", "start over"),
];

pub(crate) fn feedback_buttons(lang: Lang) -> Vec<FeedbackButton> {
    BUTTONS.iter().map(|(uk, en)| FeedbackButton { line: lang.pick(uk, en) }).collect()
}

#[cfg(test)]
mod tests {
    use pen::feedback::{Category, Feedback, parse_feedback};

    use super::BUTTONS;

    #[test]
    fn every_button_is_understood_in_both_languages() {
        let expected = [
            Feedback::Style(Category::TooFormal),
            Feedback::Style(Category::TooCasual),
            Feedback::Style(Category::TooLong),
            Feedback::Style(Category::TooShort),
            Feedback::Style(Category::HookWeak),
            Feedback::Style(Category::ToneOff),
            Feedback::Style(Category::StructureWrong),
            Feedback::Style(Category::CtaMissing),
            Feedback::Style(Category::CtaTooPushy),
            Feedback::Again,
        ];
        for ((uk, en), meaning) in BUTTONS.iter().zip(expected) {
            assert_eq!(parse_feedback(uk), meaning, "{uk}");
            assert_eq!(parse_feedback(en), meaning, "{en}");
        }
    }
}
