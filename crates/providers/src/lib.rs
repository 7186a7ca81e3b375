//! The model providers that people choose from.
//!
//! In: the providers of the settings, a store, the file of the sealing key. Out: the list of
//! models with what each can do, and a [`contract::Model`] for a name of that list. Must hold: a
//! key that the page sent is written only sealed, is opened only for the address that it was
//! given for, and is in no answer, log, fault or `Debug`; a key of the environment wins.
//!
//! Start at [`Providers`].

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod address;
mod embedding_model;
mod fault;
mod gone_model;
mod keep;
mod kind;
mod lines;
mod local_servers;
mod model_line;
mod model_table;
mod providers;
mod sealer;
mod stored_provider;
mod usage_book;

pub use address::{Address, BadAddress};
pub use embedding_model::EmbeddingModel;
pub use fault::ProviderFault;
pub use gone_model::GoneModel;
pub use keep::{KeptProvider, NewProvider};
pub use kind::ProviderKind;
pub use local_servers::{FoundServer, LOCAL_SERVERS, LocalServer};
pub use model_line::{ModelLine, Price};
pub use model_table::MODEL_TABLE_AS_OF;
pub use providers::{
    ConfiguredProvider, KeyFrom, ModelList, PriceBook, ProviderLine, Providers, ProvidersSetup,
    Spent, UnlistedModels,
};
pub use sealer::{SealFault, Sealer};
pub use usage_book::{HourUsage, Purpose, UsageBook};
