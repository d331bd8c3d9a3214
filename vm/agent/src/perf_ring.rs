//! Perf ring: ring buffers of `perf_event_open(2)`. The kernel writes the events of one
//! CPU as records of a type, a size and a content.

use std::io;
use std::mem::offset_of;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use aya_obj::generated::{
    PERF_EVENT_IOC_ID, PERF_EVENT_IOC_SET_OUTPUT, PERF_FLAG_FD_CLOEXEC, perf_event_attr,
    perf_event_mmap_page, perf_event_type, perf_sw_ids, perf_type_id,
};

use crate::sys;

const HEAD_OFFSET: usize = offset_of!(perf_event_mmap_page, data_head);
const TAIL_OFFSET: usize = offset_of!(perf_event_mmap_page, data_tail);

/// The ring was full, and records are missing.
pub const RECORD_LOST: u32 = perf_event_type::PERF_RECORD_LOST as u32;

/// Attributes of an event without any values.
pub fn no_event() -> perf_event_attr {
    // SAFETY: plain data, for which all zero is valid.
    let mut attr: perf_event_attr = unsafe { std::mem::zeroed() };
    attr.size = size_of::<perf_event_attr>() as u32;
    attr
}

/// An event that the kernel itself counts. Its ring wakes the reader by bytes, not by
/// samples: it is readable from `wakeup_bytes` on.
pub fn software_event(config: perf_sw_ids, wakeup_bytes: u32) -> perf_event_attr {
    let mut attr = no_event();
    attr.type_ = perf_type_id::PERF_TYPE_SOFTWARE as u32;
    attr.config = config as u64;
    attr.set_watermark(1);
    attr.__bindgen_anon_2.wakeup_watermark = wakeup_bytes;
    attr
}

/// The ring of one CPU, for all processes.
#[derive(Debug)]
pub struct PerfRing {
    fd: OwnedFd,
    /// Further events, which write to the same ring.
    others: Vec<OwnedFd>,
    map: *mut u8,
    page_bytes: usize,
    data_pages: usize,
}

// SAFETY: the mapping belongs to this value alone and is not tied to a thread.
unsafe impl Send for PerfRing {}

impl PerfRing {
    /// Starts collecting on a CPU. `data_pages` is the ring's size, a power of two. Fails
    /// on kernels without perf events.
    pub fn start(attr: perf_event_attr, cpu: u32, data_pages: usize) -> io::Result<Self> {
        let fd = open(attr, cpu)?;
        let page_bytes = sys::page_bytes();
        // SAFETY: a new mapping at an address of the kernel's choice.
        let map = unsafe {
            libc::mmap(
                ptr::null_mut(),
                page_bytes * (1 + data_pages),
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
            others: Vec::new(),
            map: map.cast(),
            page_bytes,
            data_pages,
        })
    }

    /// Adds another event of the same CPU, which writes to this ring in the order of the
    /// events. Returns its id, by which its samples differ from those of the first event.
    pub fn add(&mut self, attr: perf_event_attr, cpu: u32) -> io::Result<u64> {
        let fd = open(attr, cpu)?;
        let output = self.fd.as_raw_fd();
        // SAFETY: an integer argument, and both descriptors are open.
        sys::check(unsafe { libc::ioctl(fd.as_raw_fd(), PERF_EVENT_IOC_SET_OUTPUT as _, output) })?;
        let id = id_of(&fd)?;
        self.others.push(fd);
        Ok(id)
    }

    /// Readable when there are enough records.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Takes all records out of the ring, as bytes; see [`records`].
    pub fn take(&mut self) -> Vec<u8> {
        let head = self.position(HEAD_OFFSET).load(Ordering::Acquire);
        let tail = self.position(TAIL_OFFSET).load(Ordering::Relaxed);
        let size = self.page_bytes * self.data_pages;
        let (start, length) = (tail as usize % size, (head - tail) as usize);
        // The rest wraps around to the beginning.
        let to_end = length.min(size - start);
        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(self.data(start, to_end));
        bytes.extend_from_slice(self.data(0, length - to_end));
        self.position(TAIL_OFFSET).store(head, Ordering::Release);
        bytes
    }

    /// A part of the data between tail and head.
    fn data(&self, start: usize, length: usize) -> &[u8] {
        // SAFETY: within the mapped data pages; between tail and head the kernel does not
        // write before the tail is moved, for which `take` holds `self` exclusively.
        unsafe { std::slice::from_raw_parts(self.map.add(self.page_bytes + start), length) }
    }

    fn position(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: within the first mapped page, aligned to 8, live as long as
        // `self`; the kernel accesses it atomically too.
        unsafe { AtomicU64::from_ptr(self.map.add(offset).cast()) }
    }
}

/// Opens an event of all processes on a CPU.
pub fn open(attr: perf_event_attr, cpu: u32) -> io::Result<OwnedFd> {
    const ALL_PROCESSES: libc::pid_t = -1;
    const NO_GROUP: libc::c_int = -1;
    // SAFETY: `attr` has the size it states and outlives the call.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &attr,
            ALL_PROCESSES,
            cpu,
            NO_GROUP,
            libc::c_ulong::from(PERF_FLAG_FD_CLOEXEC),
        )
    };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just returned this descriptor.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

fn id_of(fd: &OwnedFd) -> io::Result<u64> {
    let mut id = 0_u64;
    // SAFETY: the kernel writes eight bytes, the size of `id`.
    sys::check(unsafe { libc::ioctl(fd.as_raw_fd(), PERF_EVENT_IOC_ID as _, &mut id) })?;
    Ok(id)
}

impl Drop for PerfRing {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `start`; no reference into it is left.
        unsafe { libc::munmap(self.map.cast(), self.page_bytes * (1 + self.data_pages)) };
    }
}

/// One record.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub struct RingRecord<'a> {
    /// `PERF_RECORD_*`.
    pub kind: u32,
    /// `PERF_RECORD_MISC_*`.
    pub misc: u16,
    /// The bytes after the header.
    pub content: &'a [u8],
}

/// Reads whole records: `u32 type, u16 misc, u16 size`, then the content. A record that
/// does not fit is an error, and the last item.
pub fn records(mut bytes: &[u8]) -> impl Iterator<Item = Result<RingRecord<'_>, CutShort>> {
    std::iter::from_fn(move || {
        let (header, _) = bytes.split_at_checked(8)?;
        let size = u16::from_ne_bytes([header[6], header[7]]) as usize;
        if size < 8 || size > bytes.len() {
            bytes = &[];
            return Some(Err(CutShort));
        }
        let (record, rest) = bytes.split_at(size);
        bytes = rest;
        Some(Ok(RingRecord {
            kind: u32::from_ne_bytes([header[0], header[1], header[2], header[3]]),
            misc: u16::from_ne_bytes([header[4], header[5]]),
            content: &record[8..],
        }))
    })
}

/// The bytes end within a record.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub struct CutShort;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_one_by_one() {
        let mut bytes = Vec::new();
        for (kind, content) in [(3_u32, &[1_u8, 2, 3, 4, 5, 6, 7, 8][..]), (9, &[])] {
            bytes.extend(kind.to_ne_bytes());
            bytes.extend(7_u16.to_ne_bytes());
            bytes.extend((8 + content.len() as u16).to_ne_bytes());
            bytes.extend(content);
        }
        let of = |kind, content| {
            Ok(RingRecord {
                kind,
                misc: 7,
                content,
            })
        };
        let all: Vec<_> = records(&bytes).collect();
        assert_eq!(all, [of(3, &[1, 2, 3, 4, 5, 6, 7, 8][..]), of(9, &[][..])]);
    }

    #[test]
    fn a_truncated_record_is_the_last() {
        let mut bytes = vec![0; 8];
        bytes[6] = 24;
        assert_eq!(records(&bytes).collect::<Vec<_>>(), [Err(CutShort)]);
        bytes[6] = 7;
        assert_eq!(records(&bytes).collect::<Vec<_>>(), [Err(CutShort)]);
        assert_eq!(records(&[]).count(), 0);
    }
}
