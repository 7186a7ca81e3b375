//! What a person answers at a prompt: a refusal changes nothing, a save word saves. GP-14, GP-17.

use std::fs;

use fake_providers::Turn;

use super::support::{BETTER, GOLDEN, GOOD, TOPIC, posts, profile, session, with_golden};
use crate::support::model_project::FarSide;

const REMARK: &str = "занадто формально";

fn profile_text(far: &FarSide) -> String {
    fs::read_to_string(far.path().join("data/profiles/default.json")).unwrap()
}

/// Three remarks, then this answer to the proposal, then the end.
fn after_proposal(answers: &[&str]) -> (FarSide, crate::support::program::Run) {
    let far = with_golden();
    far.fake.script(vec![Turn::says(GOOD); 4]);
    let lines = [&[REMARK, REMARK, REMARK][..], answers, &["exit"]].concat();
    let run = session(&far, &lines, &[TOPIC]);
    assert!(run.err.contains("voice.formality"), "{}", run.err);
    (far, run)
}

#[test]
fn gp_17_no_kind_of_refusal_changes_the_profile() {
    for answer in [
        "ні, дякую",
        "ні, не треба",
        "ні-ні, дякую",
        "потім",
        "no thanks",
        "нет",
        "нет, спасибо",
        "exit",
        "зберігай",
        "?",
        "хм",
        "не знаю",
        "зроби hook коротшим",
    ] {
        let (far, run) = after_proposal(&[answer]);
        assert_eq!(profile_text(&far), GOLDEN, "{answer}: {}", run.err);
    }
}

#[test]
fn gp_17_a_polite_yes_takes_the_proposal() {
    for answer in ["так, будь ласка", "да, давай", "yes please", "ок, оновлюй профіль", "👍"]
    {
        let (far, run) = after_proposal(&[answer]);
        let formality = &profile(&far)["voice"]["formality"];
        assert_eq!(formality, "casual, як розмова з другом", "{answer}: {}", run.err);
    }
}

#[test]
fn gp_17_a_value_is_shown_as_a_diff_and_confirmed_before_it_is_written() {
    let (far, run) = after_proposal(&["теплий, як лист", "так"]);
    assert_eq!(profile(&far)["voice"]["formality"], "теплий, як лист", "{}", run.err);
    assert!(run.err.contains("- casual але експертний"), "{}", run.err);
    assert!(run.err.contains("+ теплий, як лист"), "{}", run.err);
    let (far, run) = after_proposal(&["теплий, як лист", "ні"]);
    assert_eq!(profile_text(&far), GOLDEN, "{}", run.err);
    let (far, run) = after_proposal(&["теплий, як лист", "хто це?", "так"]);
    assert_eq!(profile(&far)["voice"]["formality"], "теплий, як лист", "{}", run.err);
}

#[test]
fn gp_17_what_is_unclear_is_asked_again() {
    let (far, run) = after_proposal(&["може", "так"]);
    assert_eq!(run.err.matches("оновити?").count(), 2, "{}", run.err);
    assert_eq!(profile(&far)["version"], 4);
}

#[test]
fn gp_14_save_words_in_a_sentence_save_without_asking_the_model() {
    for words in [
        "ок, зберігай",
        "так, зберігай",
        "все ок",
        "класно, зберігай",
        "супер, зберігай, дякую!",
        "сохраняй, пожалуйста",
        "looks good, save it",
        "готово 👍",
    ] {
        let far = with_golden();
        far.fake.then(Turn::says(GOOD));
        let run = session(&far, &[words], &[TOPIC]);
        assert_eq!(far.fake.requests().len(), 1, "{words}: the model is asked");
        assert_eq!(posts(&far).len(), 1, "{words}: {}", run.err);
        assert!(fs::read_to_string(&posts(&far)[0]).unwrap().contains(GOOD), "{words}");
    }
}

#[test]
fn gp_14_words_that_only_mention_saving_do_not_save() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD)).then(Turn::says(BETTER));
    session(&far, &["не зберігай", "додай, що план можна зберегти на потім", "exit"], &[TOPIC]);
    assert!(posts(&far).is_empty());
    far.fake.assert_used_up();
}
