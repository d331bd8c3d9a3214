//! Digest: SHA-256 in hexadecimal digits.

use sha2::{Digest, Sha256};

/// SHA-256 of consecutive chunks.
pub fn sha256<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for chunk in chunks {
        hash.update(chunk);
    }
    let bytes = hash.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
