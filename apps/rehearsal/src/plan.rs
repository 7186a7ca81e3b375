//! Plans the answer to a message: calls, or a sentence.
//!
//! In: the conversation and the offers. Out: a [`Plan`]. Must hold: a call is planned only
//! with arguments that fit, for a tool that clearly matches the message.
//!
//! Start at [`plan`], which shows every path.

pub(crate) mod arithmetic;
pub(crate) mod rank;
pub(crate) mod slash_command;

use contract::{Request, ToolChoice, ToolOffer};
use jiff::Zoned;
use serde_json::Value;

use crate::arguments::fill::{Filled, Known, Mode, Tool, fill, finish, learn};
use crate::arguments::value::stems;
use crate::conversation::{Conversation, Waiting};
use crate::plan::arithmetic::Arithmetic;
use crate::plan::rank::{Ranked, rank};
use crate::plan::slash_command::{JsonFault, Slash, json, known};
use crate::reply::phrases;
use crate::text::chunk::chunks;
use crate::text::language::Language;
use crate::text::lexicon::{is_greeting, is_refusal, related};
use crate::text::stem::stem;

#[derive(Debug, PartialEq)]
pub(crate) enum Plan {
    Calls(Vec<Wanted>),
    Say(String),
}

/// A planned call.
#[derive(Debug, PartialEq)]
pub(crate) struct Wanted {
    pub tool: String,
    pub args: Value,
}

pub(crate) fn plan(
    request: &Request,
    conversation: &Conversation<'_>,
    now: Option<&Zoned>,
) -> Plan {
    let planner =
        Planner { request, offers: &request.tools, language: conversation.language(), now };
    let text = conversation.text();
    let plan = if let Some(slash) = Slash::read(&text, planner.offers) {
        planner.slash(&slash)
    } else if let Some(waiting) = conversation.waiting(planner.offers) {
        planner.answer(&waiting, &text)
    } else if let ToolChoice::Tool(id) = &request.choice
        && let Some(offer) = planner.offers.iter().find(|offer| offer.id == *id)
    {
        planner.fill(offer, &text)
    } else {
        planner.several(&text).unwrap_or_else(|| planner.single(&text))
    };
    planner.permit(plan)
}

struct Planner<'a> {
    request: &'a Request,
    offers: &'a [ToolOffer],
    language: Language,
    now: Option<&'a Zoned>,
}

/// The maximum number of requests in one message.
const PARTS_MAX: usize = 5;
/// The minimum score of a candidate, relative to the best tool.
const NEAR: f64 = 0.75;
/// The same for a tool whose formats or patterns fit the message.
const NEAR_IF_TELLING: f64 = 0.6;
const CANDIDATES_MAX: usize = 3;

impl Planner<'_> {
    /// A message of several requests, if each is clear and complete.
    fn several(&self, text: &str) -> Option<Plan> {
        let parts = split(text);
        if !(2..=PARTS_MAX).contains(&parts.len()) {
            return None;
        }
        let mut all = Vec::new();
        for part in parts {
            match self.single(part) {
                Plan::Calls(calls) => all.extend(calls),
                Plan::Say(_) => return None,
            }
        }
        Some(Plan::Calls(all))
    }

    fn single(&self, text: &str) -> Plan {
        if let Some(wanted) = self.sum(text) {
            return Plan::Calls(vec![wanted]);
        }
        if let Some(offer) = self.named(text) {
            return self.fill(offer, text);
        }
        if is_greeting(text) {
            return self.greet(text);
        }
        let ranked = rank(&chunks(text), self.offers);
        match self.chosen(&ranked, text) {
            Some((offer, filled)) => self.conclude(&Tool::read(offer), filled),
            None => Plan::Say(self.abilities(&ranked)),
        }
    }

    /// A greeting is for a tool that greets, if there is one.
    fn greet(&self, text: &str) -> Plan {
        let hello = stem("hello");
        let greets =
            |offer: &&ToolOffer| stems(offer.id.as_str()).iter().any(|word| related(word, &hello));
        match self.offers.iter().find(greets) {
            Some(offer) => self.fill(offer, text),
            None => {
                let order: Vec<&ToolOffer> = self.offers.iter().collect();
                Plan::Say(phrases::greeting(self.language, &order))
            }
        }
    }

    fn sum(&self, text: &str) -> Option<Wanted> {
        let sum = Arithmetic::read(text)?;
        self.offers.iter().find_map(|offer| {
            let tool = Tool::read(offer);
            let args = sum.args_for(&tool.fields)?;
            Some(Wanted { tool: offer.id.to_string(), args })
        })
    }

    /// A tool whose id is in the message.
    fn named(&self, text: &str) -> Option<&ToolOffer> {
        let chunks = chunks(text);
        let mut bare = chunks.iter().filter(|chunk| !chunk.is_quoted()).take(NAMED_WITHIN);
        bare.find_map(|chunk| {
            let is_id = chunk.text.contains(['_', '.']);
            self.offers.iter().find(|offer| is_id && offer.id.as_str() == chunk.text)
        })
    }

    /// The best tool; among near ties one with complete arguments, and one whose formats fit before
    /// one that takes any text.
    fn chosen(&self, ranked: &[Ranked], text: &str) -> Option<(&ToolOffer, Filled)> {
        let best = ranked.first()?;
        let forced = self.request.choice == ToolChoice::Any && best.score > 0.0;
        if !best.is_clear() && !forced {
            return None;
        }
        let mut candidates = Vec::new();
        for candidate in ranked.iter().take(CANDIDATES_MAX) {
            let Some(offer) = self.offers.get(candidate.offer) else { continue };
            let tool = Tool::read(offer);
            let filled = fill(&tool, text, self.now);
            let telling = filled.gaps.is_empty() && tool.is_telling();
            let near = if telling { NEAR_IF_TELLING } else { NEAR };
            if candidate.score >= best.score * near {
                let rank = (!telling, !filled.gaps.is_empty());
                candidates.push((rank, offer, filled));
            }
        }
        candidates
            .into_iter()
            .min_by_key(|(rank, _, _)| *rank)
            .map(|(_, offer, filled)| (offer, filled))
    }

    fn fill(&self, offer: &ToolOffer, text: &str) -> Plan {
        let tool = Tool::read(offer);
        let filled = fill(&tool, text, self.now);
        self.conclude(&tool, filled)
    }

    /// Calls if nothing is missing; asks otherwise.
    fn conclude(&self, tool: &Tool<'_>, filled: Filled) -> Plan {
        let id = tool.offer.id.as_str();
        if filled.gaps.is_empty() {
            return Plan::Calls(vec![Wanted {
                tool: id.to_owned(),
                args: Value::Object(filled.args),
            }]);
        }
        let gaps: Vec<_> = filled
            .gaps
            .iter()
            .filter_map(|gap| Some((tool.fields.all.get(gap.field)?, gap.given.as_deref())))
            .collect();
        Plan::Say(match gaps.is_empty() {
            true => phrases::no_fit(self.language, id),
            false => phrases::ask(self.language, id, &gaps),
        })
    }

    /// The person answers a question, or cancels the request.
    fn answer(&self, waiting: &Waiting<'_>, text: &str) -> Plan {
        if is_refusal(&text.to_lowercase()) {
            return Plan::Say(phrases::dropped(self.language).to_owned());
        }
        let tool = Tool::read(waiting.offer);
        let mut known = self.begin(&tool, &waiting.request);
        for (names, answer) in &waiting.answers {
            let asked: Vec<usize> =
                names.iter().filter_map(|name| tool.fields.named(name)).collect();
            known = learn(&tool, answer, self.now, known, Mode::Answer(&asked));
        }
        let unanswered = known.wrong.iter().flatten().any(|given| given == text.trim());
        if unanswered && let Plan::Calls(calls) = self.single(text) {
            return Plan::Calls(calls);
        }
        self.conclude(&tool, finish(&tool, known))
    }

    /// The values of the request that led to a question.
    fn begin(&self, tool: &Tool<'_>, text: &str) -> Known {
        if let Some(Slash::Tool(_, rest)) = Slash::read(text, self.offers) {
            return known(tool, &rest, self.now).unwrap_or_default();
        }
        learn(tool, text, self.now, Known::default(), Mode::Request)
    }

    fn slash(&self, slash: &Slash<'_>) -> Plan {
        let (offer, rest) = match slash {
            Slash::Tool(offer, rest) => (*offer, rest),
            Slash::Unknown { name, nearest } => {
                let near = nearest.map(|offer| offer.id.as_str());
                let sentence = phrases::unknown_tool(self.language, name, near);
                return Plan::Say(match near {
                    Some(_) => sentence,
                    None => format!("{sentence}\n\n{}", self.abilities(&[])),
                });
            }
        };
        let tool = Tool::read(offer);
        let id = offer.id.as_str();
        if rest.starts_with('{') {
            return self.slash_json(&tool, rest);
        }
        match known(&tool, rest, self.now) {
            Ok(known) => self.conclude(&tool, finish(&tool, known)),
            Err(surplus) => Plan::Say(phrases::surplus(self.language, id, &surplus)),
        }
    }

    fn slash_json(&self, tool: &Tool<'_>, rest: &str) -> Plan {
        let id = tool.offer.id.as_str();
        match json(tool, rest) {
            Ok(args) => Plan::Calls(vec![Wanted { tool: id.to_owned(), args }]),
            Err(JsonFault::NoJson(why)) => Plan::Say(phrases::bad_json(self.language, id, &why)),
            Err(JsonFault::Misfit(at, given)) => {
                let field = tool.fields.all.iter().find(|field| field.name() == at);
                Plan::Say(match field {
                    Some(field) => phrases::ask(self.language, id, &[(field, given.as_deref())]),
                    None => phrases::surplus(self.language, id, &at),
                })
            }
        }
    }

    /// Lists the tools, the nearest first.
    fn abilities(&self, ranked: &[Ranked]) -> String {
        let mut order: Vec<&ToolOffer> =
            ranked.iter().filter_map(|it| self.offers.get(it.offer)).collect();
        if order.is_empty() {
            order = self.offers.iter().collect();
        }
        phrases::abilities(self.language, &order)
    }

    /// If calls are not allowed, describes them instead.
    fn permit(&self, plan: Plan) -> Plan {
        match plan {
            Plan::Calls(calls) if self.request.choice == ToolChoice::None => {
                let say = |call: &Wanted| phrases::would(self.language, &call.tool, &call.args);
                Plan::Say(calls.iter().map(say).collect::<Vec<_>>().join("\n\n"))
            }
            other @ (Plan::Calls(_) | Plan::Say(_)) => other,
        }
    }
}

/// How far into a message a tool id is searched.
const NAMED_WITHIN: usize = 12;

/// Splits a message into its requests.
fn split(text: &str) -> Vec<&str> {
    const JOINTS: [&str; 11] = [
        "; ",
        " and then ",
        ", then ",
        " and also ",
        " а потім ",
        " і потім ",
        " та потім ",
        " після цього ",
        " а потом ",
        " и потом ",
        " затем ",
    ];
    let mut parts = vec![text];
    for joint in JOINTS {
        parts = parts.into_iter().flat_map(|part| part.split(joint)).collect();
        if parts.len() > PARTS_MAX {
            return parts;
        }
    }
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}
