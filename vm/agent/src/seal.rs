//! Seal: authenticates the agent's files for the host. Each record carries an HMAC. Its
//! key is derived from the preceding key and replaces it. The status carries one under
//! the last key. So no record can be changed, left out, doubled or moved without the key
//! of its time, and a key that is read later is useless for earlier records.
//! `src/vm/authenticate.ts` checks the HMACs.

use std::io::{self, Read};

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::sys;

/// Bytes of a key.
const KEY_BYTES: usize = 32;

/// The kind of text under an HMAC, which is authenticated too.
#[derive(Clone, Copy)]
pub enum Kind {
    /// A line of `records.jsonl`.
    Record,
    /// `status.json`.
    Status,
}

/// The key of the next record. Copies of the process share it, since they write records
/// too.
pub struct Seal(&'static mut [u8; KEY_BYTES]);

impl Seal {
    /// Reads the host's key. There is no other copy of it in memory.
    pub fn read(mut key: impl Read) -> io::Result<Self> {
        let shared: &mut [u8; KEY_BYTES] = sys::shared_bytes()?;
        key.read_exact(shared)?;
        Ok(Self(shared))
    }

    /// Adds the HMAC to a JSON object, as its last field.
    pub fn close(&self, kind: Kind, mut json: Vec<u8>) -> Vec<u8> {
        let kind = match kind {
            Kind::Record => "record\n",
            Kind::Status => "status\n",
        };
        let mac = self.mac(&[kind.as_bytes(), &json]);
        json.pop();
        json.extend_from_slice(format!(",\"mac\":\"{}\"}}", hex(&mac)).as_bytes());
        json
    }

    /// Replaces the key by the next one.
    pub fn advance(&mut self) {
        *self.0 = self.mac(&[b"next"]);
    }

    fn mac(&self, parts: &[&[u8]]) -> [u8; KEY_BYTES] {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&*self.0).expect("HMAC takes keys of any length");
        for part in parts {
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

/// SHA-256 of consecutive chunks, in hexadecimal digits.
pub fn sha256<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for chunk in chunks {
        hash.update(chunk);
    }
    hex(&hash.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `tests/vm/authenticate.test.ts` reads the same file.
    #[test]
    fn the_host_can_verify_the_seal() {
        let mut seal = Seal::read(&[7; KEY_BYTES][..]).unwrap();
        let mut closed = Vec::new();
        for (kind, json) in [
            (Kind::Record, r#"{"record":"warning","message":"a"}"#),
            (Kind::Record, r#"{"record":"warning","message":"b"}"#),
            (Kind::Status, r#"{"outcome":"measured"}"#),
        ] {
            closed.extend(seal.close(kind, json.into()));
            closed.push(b'\n');
            seal.advance();
        }
        let expected = include_str!("../tests/fixtures/sealed.jsonl");
        assert_eq!(String::from_utf8(closed).unwrap(), expected);
    }

    #[test]
    fn a_copy_of_the_process_continues_the_chain() {
        let mut seal = Seal::read(&[1; KEY_BYTES][..]).unwrap();
        let first = seal.mac(&[b"x"]);
        let pid = sys::run_in_copy(1 << 30, || seal.advance()).unwrap();
        sys::reap(pid).unwrap();
        assert_ne!(seal.mac(&[b"x"]), first);
    }

    #[test]
    fn a_hash_covers_all_chunks() {
        let whole = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256([&b"a"[..], b"bc"]), whole);
    }
}
