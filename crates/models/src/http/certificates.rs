//! The certificate authorities that are trusted.

use contract::ModelFault;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use crate::fault;

/// The certificate authorities that an HTTP client trusts.
#[derive(Debug, Clone)]
pub struct Certificates {
    pub(crate) roots: RootCertStore,
}

impl Certificates {
    /// The authorities that browsers trust.
    pub fn usual() -> Self {
        Self { roots: webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect() }
    }

    /// Adds those of a PEM file, such as a company's own for its proxy.
    pub fn and_pem(mut self, pem: &[u8]) -> Result<Self, ModelFault> {
        let mut found = false;
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let bad = |why: String| fault::bad_authority(&why);
            let certificate = certificate.map_err(|error| bad(error.to_string()))?;
            self.roots.add(certificate).map_err(|error| bad(error.to_string()))?;
            found = true;
        }
        if found { Ok(self) } else { Err(fault::bad_authority("it contains no certificate")) }
    }
}
