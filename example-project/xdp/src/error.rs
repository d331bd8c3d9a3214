//! Errors of user space: one variant per fix.

use std::{error::Error as StdError, io};

/// Why the XDP example cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fix: name an existing interface.
    #[error("cannot attach to {iface:?}: there is no such network interface")]
    NoSuchInterface {
        /// The requested name.
        iface: String,
    },
    /// Fix: run with more privileges.
    #[error("cannot {action}: not permitted (run as root, or with CAP_BPF and CAP_NET_ADMIN)")]
    NotPermitted {
        /// The failed action.
        action: String,
        /// The kernel's error.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Fix: correct the program, or use a kernel that can run it.
    #[error("cannot load {what:?}")]
    Load {
        /// The program, map or object.
        what: String,
        /// The kernel's error, with the end of the verifier's log if that refused it.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Fix: free the interface, or use one whose driver has XDP.
    #[error("cannot attach to {iface:?}")]
    Attach {
        /// The interface.
        iface: String,
        /// The kernel's error.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Fix: build both sides from the same source.
    #[error("cannot read the queue: {number} is not the number of a source address class")]
    UnknownSourceAddr {
        /// The number that the kernel side sent.
        number: u32,
    },
    /// Fix: see the cause.
    #[error("cannot read the queue")]
    Queue(#[source] aya::maps::MapError),
}

impl Error {
    pub(crate) fn load(what: &str, source: impl StdError + Send + Sync + 'static) -> Self {
        if is_not_permitted(&source) {
            return Self::NotPermitted {
                action: format!("load {what:?}"),
                source: source.into(),
            };
        }
        Self::Load {
            what: what.to_owned(),
            source: source.into(),
        }
    }

    pub(crate) fn attach(iface: &str, source: impl StdError + Send + Sync + 'static) -> Self {
        if is_not_permitted(&source) {
            return Self::NotPermitted {
                action: format!("attach to {iface:?}"),
                source: source.into(),
            };
        }
        Self::Attach {
            iface: iface.to_owned(),
            source: source.into(),
        }
    }

    /// The last of the causes: the kernel's error.
    pub(crate) fn root_cause(&self) -> &(dyn StdError + 'static) {
        let mut cause: &(dyn StdError + 'static) = self;
        while let Some(next) = cause.source() {
            cause = next;
        }
        cause
    }
}

/// Whether a privilege is missing. The kernel returns EPERM then; with EACCES the verifier refuses
/// a program, whatever the privileges.
fn is_not_permitted(error: &(dyn StdError + 'static)) -> bool {
    const EPERM: i32 = 1;
    std::iter::successors(Some(error), |&error| error.source())
        .filter_map(|error| error.downcast_ref::<io::Error>())
        .any(|error| error.raw_os_error() == Some(EPERM))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(errno: i32) -> Error {
        Error::load("fun_xdp", io::Error::from_raw_os_error(errno))
    }

    #[test]
    fn missing_privileges_and_a_refused_program_are_distinguished() {
        assert!(matches!(refused(1), Error::NotPermitted { .. }));
        assert!(matches!(refused(13), Error::Load { .. }));
    }
}
