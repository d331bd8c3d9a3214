//! Sample: turns the bytes of a sample into a stack trace. This is done for each sample.

use std::fmt;

use profiler_common::{STACK_SIZE, Sample};

use crate::Error;

/// Length of an address in the stack of a sample, in bytes.
const ADDRESS_LEN: usize = size_of::<u64>();

/// The stack of a thread, as addresses in its process.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Trace {
    /// Nanoseconds since boot, without the time during which the machine was suspended.
    pub ktime: u64,
    /// The process.
    pub pid: u32,
    /// The thread.
    pub tid: u32,
    /// The executed address first, then the return address of each caller.
    pub addresses: Vec<u64>,
}

/// Writes time, process, thread and addresses: `12.345678901 s: process 7, thread 8: 55d0 55e4`.
impl fmt::Display for Trace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NS_PER_S: u64 = 1_000_000_000;
        write!(
            out,
            "{}.{:09} s: process {}, thread {}:",
            self.ktime / NS_PER_S,
            self.ktime % NS_PER_S,
            self.pid,
            self.tid,
        )?;
        for address in &self.addresses {
            write!(out, " {address:x}")?;
        }
        Ok(())
    }
}

/// Splits one sample into its parts and logs it.
///
/// The log level is `debug`; if that is off, nothing is formatted.
///
/// # Errors
///
/// [`Error::MalformedSample`] if the header gives the stack an impossible length.
pub fn process_sample(sample: &Sample) -> Result<Trace, Error> {
    #[cfg(feature = "oops")]
    oops_boxed_sleep();

    let header = sample.header;
    let stack = usize::try_from(header.stack_len)
        .ok()
        .filter(|length| length % ADDRESS_LEN == 0)
        .and_then(|length| sample.stack.get(..length))
        .ok_or(Error::MalformedSample {
            stack_len: header.stack_len,
            stack_size: STACK_SIZE,
        })?;
    let trace = Trace {
        ktime: header.ktime,
        pid: header.pid,
        tid: header.tid,
        addresses: stack
            .as_chunks()
            .0
            .iter()
            .map(|&address| u64::from_ne_bytes(address))
            .collect(),
    };
    log::debug!("{trace}");
    Ok(trace)
}

/// The planted regression. It is slow, it allocates, and it has a frame of its own, so each kind of
/// profile shows it.
#[cfg(feature = "oops")]
#[inline(never)]
fn oops_boxed_sleep() {
    use std::{hint::black_box, thread, time::Duration};

    let pause = black_box(Box::new(Duration::from_micros(50)));
    thread::sleep(*pause);
    // Keeps the sleep from being the last action, so that this frame stays on the stack during it.
    black_box(pause);
}

#[cfg(test)]
mod tests {
    use profiler_common::SampleHeader;

    use super::*;

    fn sample(addresses: &[u64], stack_len: u64) -> Sample {
        let mut stack = [0; STACK_SIZE];
        for (slot, address) in stack.chunks_exact_mut(ADDRESS_LEN).zip(addresses) {
            slot.copy_from_slice(&address.to_ne_bytes());
        }
        Sample {
            header: SampleHeader {
                ktime: 12_345_678_901,
                pid: 7,
                tid: 8,
                stack_len,
            },
            stack,
        }
    }

    #[test]
    fn reads_as_many_addresses_as_the_header_says() {
        let trace = process_sample(&sample(&[0x55d0, 0x55e4, 0xdead], 16)).unwrap();
        assert_eq!(trace.addresses, [0x55d0, 0x55e4]);
        assert_eq!((trace.ktime, trace.pid, trace.tid), (12_345_678_901, 7, 8));
    }

    #[test]
    fn an_empty_and_a_full_stack_are_samples() {
        assert_eq!(process_sample(&sample(&[], 0)).unwrap().addresses, []);
        let full = process_sample(&sample(&[1; 127], STACK_SIZE as u64)).unwrap();
        assert_eq!(full.addresses, [1; 127]);
    }

    #[test]
    fn an_impossible_length_is_an_error() {
        for stack_len in [1, 15, STACK_SIZE as u64 + 8, u64::MAX, u64::MAX - 7] {
            let error = process_sample(&sample(&[1, 2], stack_len)).unwrap_err();
            assert!(
                matches!(error, Error::MalformedSample { stack_len: named, .. } if named == stack_len),
                "{error}"
            );
        }
    }

    #[test]
    fn is_logged_on_one_line() {
        let trace = process_sample(&sample(&[0x55d0, 0x55e4], 16)).unwrap();
        assert_eq!(
            trace.to_string(),
            "12.345678901 s: process 7, thread 8: 55d0 55e4"
        );
    }
}
