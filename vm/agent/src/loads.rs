//! The kernel's notices of BPF program loads: `PERF_RECORD_BPF_EVENT`, in a ring
//! buffer per CPU. They wake the watcher before the loader even has its file
//! descriptor, so no program is too short-lived to be seen, and they cost
//! nothing while nothing is loaded, where polling would put its timer into the
//! very runs being counted.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::sys;

/// A power of two. A notice has 24 bytes, so pages of 4 KiB hold 1365.
const DATA_PAGES: usize = 8;

const RECORD_LOST: u32 = 2;
const RECORD_BPF_EVENT: u32 = 18;
const BPF_EVENT_LOAD: u16 = 1;
/// Offsets in `struct perf_event_mmap_page`.
const HEAD_OFFSET: usize = 1024;
const TAIL_OFFSET: usize = 1032;

/// `struct perf_event_attr`, first published size.
#[repr(C)]
#[derive(Default)]
struct Attr {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_watermark: u32,
    bp_type: u32,
    config1: u64,
}

const TYPE_SOFTWARE: u32 = 1;
const SW_DUMMY: u64 = 9;
const FLAG_WATERMARK: u64 = 1 << 14;
const FLAG_BPF_EVENT: u64 = 1 << 30;

/// What the notices said.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Notices {
    /// Ids of programs, in load order.
    pub loaded: Vec<u32>,
    /// The ring overflowed: there were more.
    pub lost: bool,
}

/// The notices of one CPU.
#[derive(Debug)]
pub struct LoadNotices {
    fd: OwnedFd,
    map: *mut u8,
    page_bytes: usize,
}

// SAFETY: the mapping belongs to this value alone and is not tied to a thread.
unsafe impl Send for LoadNotices {}

impl LoadNotices {
    /// Starts collecting on this CPU. Fails on kernels without perf events.
    pub fn start(cpu: u32) -> io::Result<Self> {
        let attr = Attr {
            kind: TYPE_SOFTWARE,
            size: size_of::<Attr>() as u32,
            config: SW_DUMMY,
            flags: FLAG_WATERMARK | FLAG_BPF_EVENT,
            // Wake on every notice; `wakeup_events` would count samples only.
            wakeup_watermark: 1,
            ..Attr::default()
        };
        const ALL_PROCESSES: libc::pid_t = -1;
        const NO_GROUP: libc::c_int = -1;
        const CLOSE_ON_EXEC: libc::c_ulong = 8;
        // SAFETY: `attr` has the size it states and outlives the call.
        let fd = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &attr,
                ALL_PROCESSES,
                cpu,
                NO_GROUP,
                CLOSE_ON_EXEC,
            )
        };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just given us this descriptor.
        let fd = unsafe { OwnedFd::from_raw_fd(fd as i32) };
        let page_bytes = sys::page_bytes();
        // SAFETY: a new mapping at an address of the kernel's choice.
        let map = unsafe {
            libc::mmap(
                ptr::null_mut(),
                page_bytes * (1 + DATA_PAGES),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                fd.as_raw_fd(),
                0,
            )
        };
        if map == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self {
            fd,
            map: map.cast(),
            page_bytes,
        })
    }

    /// Readable when there are notices.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Takes all notices out of the ring.
    pub fn take(&mut self) -> Notices {
        let head = self.position(HEAD_OFFSET).load(Ordering::Acquire);
        let tail = self.position(TAIL_OFFSET).load(Ordering::Relaxed);
        let bytes: Vec<u8> = (tail..head).map(|at| self.byte(at)).collect();
        self.position(TAIL_OFFSET).store(head, Ordering::Release);
        parse(&bytes)
    }

    fn position(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: within the first mapped page, aligned to 8, live as long as
        // `self`; the kernel accesses it atomically too.
        unsafe { AtomicU64::from_ptr(self.map.add(offset).cast()) }
    }

    fn byte(&self, at: u64) -> u8 {
        let offset = self.page_bytes + at as usize % (self.page_bytes * DATA_PAGES);
        // SAFETY: within the mapped data pages; between tail and head, where
        // the kernel does not write.
        unsafe { ptr::read_volatile(self.map.add(offset)) }
    }
}

impl Drop for LoadNotices {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `start`; no reference into it is left.
        unsafe { libc::munmap(self.map.cast(), self.page_bytes * (1 + DATA_PAGES)) };
    }
}

/// Reads whole records: `u32 type, u16 misc, u16 size`, then the content, which
/// for a BPF event is `u16 what, u16 flags, u32 id, u8 tag[8]`.
fn parse(mut bytes: &[u8]) -> Notices {
    let mut notices = Notices::default();
    while let Some((header, _)) = bytes.split_at_checked(8) {
        let kind = u32::from_ne_bytes([header[0], header[1], header[2], header[3]]);
        let size = u16::from_ne_bytes([header[6], header[7]]) as usize;
        if size < 8 || size > bytes.len() {
            notices.lost = true;
            break;
        }
        let (record, rest) = bytes.split_at(size);
        match kind {
            RECORD_BPF_EVENT if size >= 16 && record[8..10] == BPF_EVENT_LOAD.to_ne_bytes() => {
                let id = [record[12], record[13], record[14], record[15]];
                notices.loaded.push(u32::from_ne_bytes(id));
            }
            RECORD_LOST => notices.lost = true,
            _ => {}
        }
        bytes = rest;
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
    fn loads_are_taken_in_order_and_unloads_are_not() {
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
