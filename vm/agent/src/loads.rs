//! Loads: the kernel's notices of BPF program loads, `PERF_RECORD_BPF_EVENT`, in a ring
//! buffer per CPU. They wake the watcher before the loader even has its file descriptor,
//! so no program is too short-lived to be seen. They cost nothing while nothing is
//! loaded, whereas polling would put its timer into the very runs being counted.

use std::io;
use std::os::fd::BorrowedFd;

use aya_obj::generated::{perf_event_type, perf_sw_ids};

use crate::perf_ring::{PerfRing, RECORD_LOST, records, software_event};

/// A notice has 24 bytes, so pages of 4 KiB hold 1365.
const DATA_PAGES: usize = 8;

const RECORD_BPF_EVENT: u32 = perf_event_type::PERF_RECORD_BPF_EVENT as u32;
/// `PERF_BPF_EVENT_PROG_LOAD` of `linux/perf_event.h`.
const BPF_EVENT_LOAD: u16 = 1;

/// The content of the notices.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Notices {
    /// Ids of programs, in load order.
    pub loaded: Vec<u32>,
    /// Whether the ring overflowed, so that notices were lost.
    pub lost: bool,
}

/// The notices of one CPU.
#[derive(Debug)]
pub struct LoadNotices(PerfRing);

impl LoadNotices {
    /// Starts collecting on this CPU. Fails on kernels without perf events.
    pub fn start(cpu: u32) -> io::Result<Self> {
        // Wakes on every notice; `wakeup_events` would count samples only.
        let mut attr = software_event(perf_sw_ids::PERF_COUNT_SW_DUMMY, 1);
        attr.set_bpf_event(1);
        PerfRing::start(attr, cpu, DATA_PAGES).map(Self)
    }

    /// The descriptor that is readable when there are notices.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Takes all notices out of the ring.
    pub fn take(&mut self) -> Notices {
        parse(&self.0.take())
    }
}

/// Parses notices. The content of a BPF event is `u16 what, u16 flags, u32 id, u8
/// tag[8]`.
pub fn parse(bytes: &[u8]) -> Notices {
    let mut notices = Notices::default();
    for record in records(bytes) {
        match record {
            Ok(record) if record.kind == RECORD_BPF_EVENT => {
                if let [a, b, _, _, id @ .., _, _, _, _, _, _, _, _] = record.content
                    && [*a, *b] == BPF_EVENT_LOAD.to_ne_bytes()
                    && let Ok(id) = id.try_into()
                {
                    notices.loaded.push(u32::from_ne_bytes(id));
                }
            }
            Ok(record) if record.kind != RECORD_LOST => {}
            _ => notices.lost = true,
        }
    }
    notices
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: u32, what: u16, id: u32) -> Vec<u8> {
        let mut record = kind.to_ne_bytes().to_vec();
        record.extend([0, 0]);
        record.extend(24u16.to_ne_bytes());
        record.extend(what.to_ne_bytes());
        record.extend([0, 0]);
        record.extend(id.to_ne_bytes());
        record.extend([0xaa; 8]);
        record
    }

    #[test]
    fn loads_are_read_in_order_and_unloads_are_skipped() {
        let bytes = [event(18, 1, 7), event(18, 2, 7), event(18, 1, 9)].concat();
        assert_eq!(
            parse(&bytes),
            Notices {
                loaded: vec![7, 9],
                lost: false
            }
        );
    }

    #[test]
    fn an_overflow_is_reported() {
        assert!(parse(&event(2, 0, 0)).lost);
        assert!(parse(&event(18, 1, 7)[..20]).lost);
        assert_eq!(parse(&[]), Notices::default());
    }
}
