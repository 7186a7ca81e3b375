//! A tool's form, spoken: the same answers as on the page.

use crate::support::check;

const SETUP: &str = "tool volume reads\n\
     at 0s user says \"make it louder\" for 1.2s\n\
     at 2s provider calls volume {} as c1\n\
     at 2.2s tool c1 asks loud \"A question about the volume.\" {\"type\":\"object\",\"required\":[\"decibel\"],\
     \"properties\":{\"decibel\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":120,\"title\":\"How loud\"},\
     \"fade\":{\"type\":\"boolean\",\"default\":false}}}\n";

#[test]
fn a_handler_s_question_is_asked_and_its_answer_is_the_page_s_json() {
    let script = format!(
        "{SETUP}\
         at 8s user says \"two hundred\" for 1s\n\
         at 16s user says \"forty two\" for 1s\n\
         at 24s user says \"skip\" for 0.6s\n\
         at 32s user says \"yes\" for 0.6s\n\
         at 34s tool c1 returns {{}}\n\
         until 38s\n\
         expect c1 form opened\n\
         expect question \"A question about the volume. How loud?\"\n\
         expect form answered \"two hundred\"\n\
         expect question \"That does not fit. How loud?\"\n\
         expect form answered \"forty two\"\n\
         expect question \"fade? Yes or no? Say skip to leave it out.\"\n\
         expect question \"I have How loud: 42. Is that right?\"\n\
         expect form accept: {{\"decibel\":42}}\n\
         expect c1 handler runs with loud={{\"decibel\":42}}\n\
         expect c1 answered, Result, Speaks\n\
         expect never t2 requested\n"
    );
    check(&script);
}

#[test]
fn an_answer_may_come_before_the_question_has_ended() {
    let script = format!(
        "{SETUP}\
         at 3s user says \"forty two\" for 1s\n\
         until 8s\n\
         expect u1 cut\n\
         expect form answered \"forty two\"\n\
         expect question \"fade?\n"
    );
    check(&script);
}

#[test]
fn a_form_can_be_left_and_closes_by_itself() {
    let left = format!(
        "{SETUP}\
         at 8s user says \"never mind\" for 1s\n\
         at 12s tool c1 returns {{}}\n\
         until 14s\n\
         expect form cancel: null\n\
         expect notice \"Cancelled.\"\n\
         expect 2 times c1 handler runs\n\
         expect c1 answered\n"
    );
    check(&left);
    let silent = format!(
        "{SETUP}\
         at 90s tool c1 returns {{}}\n\
         until 100s\n\
         expect u1 heard\n\
         expect form cancel: null\n\
         expect c1 answered\n"
    );
    check(&silent);
}

#[test]
fn a_form_of_the_page_is_filled_in_by_voice() {
    let feature = "{\"id\":\"shopping\",\"type\":\"ui_v1\",\"label\":\"Shopping list\",\"layout\":{\"type\":\"modal\",\
        \"title\":\"Shopping list\",\"components\":[{\"id\":\"item\",\"type\":\"text_input\",\"props\":{\"label\":\"What to buy\"}},\
        {\"id\":\"add\",\"type\":\"button\",\"props\":{\"label\":\"Add\"},\"actions\":[{\"type\":\"tool_submit\",\"target\":\"shopping_list\",\
        \"params\":{\"item\":\"item\"}}]}]}}";
    let script = format!(
        "at 1s form of shopping_list {feature}\n\
         at 8s user says \"milk\" for 0.6s\n\
         at 14s user says \"yes\" for 0.6s\n\
         until 18s\n\
         expect question \"Shopping list. What to buy? Say skip to leave it out.\"\n\
         expect form sent to shopping_list: {{\"item\":\"milk\"}}\n\
         expect form of shopping_list sent\n\
         expect never t1 requested\n"
    );
    check(&script);
    let bare = "at 1s form of x {\"layout\":{}}\nuntil 3s\n\
                expect note: the form of `x` cannot be spoken: the form has no components to ask for\n";
    check(bare);
}
