//! Our own speech, sentence by sentence: the next one is made while the first is played.
//!
//! Must hold: sentences come out in the order in which they went in; what was cut is not made.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use voice::UtteranceId;

use super::{Done, OUTPUT_RATE};
use crate::resample::resample;
use crate::speech::{Pcm, Speaks, SpeechFault};

/// How many sentences are made at once.
const AT_ONCE: usize = 2;

/// A sentence that was made.
pub(crate) struct Sentence {
    pub utterance: UtteranceId,
    pub sentence: u32,
    /// At [`OUTPUT_RATE`].
    pub sound: Result<Pcm, SpeechFault>,
}

struct Job {
    utterance: UtteranceId,
    sentence: u32,
    text: String,
}

/// Sentences that wait to be spoken.
pub(crate) struct SpeechQueue {
    jobs: mpsc::UnboundedSender<Job>,
    cut: Arc<Mutex<BTreeSet<UtteranceId>>>,
}

impl SpeechQueue {
    pub(crate) fn start(speaks: Arc<dyn Speaks>, done: mpsc::UnboundedSender<Done>) -> Self {
        // Bounded by the session: an answer has a limit, and a cut empties it.
        let (jobs, waiting) = mpsc::unbounded_channel();
        let cut = Arc::new(Mutex::new(BTreeSet::new()));
        tokio::spawn(make(speaks, waiting, done, Arc::clone(&cut)));
        Self { jobs, cut }
    }

    pub(crate) fn add(&self, utterance: UtteranceId, sentence: u32, text: String) {
        // The task ends with the session only.
        let _ = self.jobs.send(Job { utterance, sentence, text });
    }

    pub(crate) fn cut(&self, utterance: UtteranceId) {
        self.cut.lock().unwrap_or_else(PoisonError::into_inner).insert(utterance);
    }
}

async fn make(
    speaks: Arc<dyn Speaks>,
    mut jobs: mpsc::UnboundedReceiver<Job>,
    done: mpsc::UnboundedSender<Done>,
    cut: Arc<Mutex<BTreeSet<UtteranceId>>>,
) {
    let is_cut = |id: UtteranceId| cut.lock().unwrap_or_else(PoisonError::into_inner).contains(&id);
    let mut making: VecDeque<(UtteranceId, JoinHandle<Sentence>)> = VecDeque::new();
    loop {
        let has_room = making.len() < AT_ONCE;
        // The oldest is waited for; more begin while there is room.
        let oldest = async {
            match making.front_mut() {
                Some((_, task)) => task.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            made = oldest => {
                let utterance = making.pop_front().map(|(utterance, _)| utterance);
                // A task that panicked says nothing; the session waits a while and goes on.
                if let Ok(sentence) = made && !utterance.is_some_and(is_cut) {
                    let _ = done.send(Done::Spoken(sentence));
                }
            }
            job = jobs.recv(), if has_room => match job {
                Some(job) if is_cut(job.utterance) => {}
                Some(job) => {
                    let (speaks, utterance) = (Arc::clone(&speaks), job.utterance);
                    making.push_back((utterance, tokio::spawn(speak(speaks, job))));
                }
                None => return making.iter().for_each(|(_, task)| task.abort()),
            },
        }
    }
}

async fn speak(speaks: Arc<dyn Speaks>, job: Job) -> Sentence {
    let Job { utterance, sentence, text } = job;
    let sound = speaks.speak(&text).await.map(|sound| Pcm {
        rate: OUTPUT_RATE,
        samples: resample(&sound.samples, sound.rate, OUTPUT_RATE),
    });
    Sentence { utterance, sentence, sound }
}
