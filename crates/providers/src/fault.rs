//! Why a provider cannot be added, changed or used.

use contract::ModelFault;
use store::StoreFault;

use crate::address::BadAddress;
use crate::sealer::SealFault;

#[derive(Debug, thiserror::Error)]
pub enum ProviderFault {
    #[error(transparent)]
    Address(#[from] BadAddress),
    #[error("`{0}` cannot be the name of a provider")]
    Name(String),
    #[error("`{0}` has a key in the settings of the server, which counts first")]
    Configured(String),
    #[error("there is no provider `{0}` that the page added")]
    Unknown(String),
    #[error("this provider needs {0}")]
    Needs(&'static str),
    #[error("there are too many providers")]
    TooMany,
    #[error("{} lists no model that can chat", .0)]
    NoModel(String),
    /// The provider did not answer the small request. Its fault contains no secret.
    #[error("{}", .0.message)]
    Refused(Box<ModelFault>),
    #[error("the key cannot be kept: {0}")]
    Seal(#[from] SealFault),
    #[error("this server keeps no keys")]
    NoStore,
    #[error(transparent)]
    Store(#[from] StoreFault),
}

impl From<ModelFault> for ProviderFault {
    fn from(fault: ModelFault) -> Self {
        Self::Refused(Box::new(fault))
    }
}

impl ProviderFault {
    pub fn fix(&self) -> String {
        match self {
            Self::Address(bad) => bad.fix().to_owned(),
            Self::Name(_) => "use 1 to 32 of a-z 0-9 - and begin with a letter".to_owned(),
            Self::Configured(_) => "change or remove it there, or use another name".to_owned(),
            Self::Unknown(_) => "GET /api/providers lists them".to_owned(),
            Self::Needs(what) => format!("give {what}"),
            Self::TooMany => "remove one first".to_owned(),
            Self::NoModel(_) => "name a model of this server".to_owned(),
            Self::Refused(fault) => fault.fix.clone(),
            Self::Seal(_) => "see the message".to_owned(),
            Self::NoStore => "set the key in the environment of the server".to_owned(),
            Self::Store(_) => "try again; the server's log has more".to_owned(),
        }
    }
}
