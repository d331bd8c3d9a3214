//! Kernel: checks what the running kernel supports.

use std::{fs, io, path::Path};

use aya::util::KernelVersion;

use crate::Error;

const LIMIT: &str = "/proc/sys/kernel/perf_event_max_sample_rate";
/// The mount points of tracefs: its own, or the older one within debugfs.
const TRACEFS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// Refuses kernels without ring buffers, the newest feature that is needed here.
pub(crate) fn check_supported() -> Result<(), Error> {
    match KernelVersion::current() {
        Ok(version) => check_version(version),
        // An unknown version is tried.
        Err(error) => {
            log::debug!("cannot read the kernel's version: {error}");
            Ok(())
        }
    }
}

fn check_version(version: KernelVersion) -> Result<(), Error> {
    if version < KernelVersion::new(5, 8, 0) {
        let code = version.code();
        return Err(Error::UnsupportedKernel {
            release: format!("{}.{}", code >> 16, code >> 8 & 0xff),
            feature: "the BPF ring buffer",
            needed: "5.8",
        });
    }
    Ok(())
}

/// Refuses more samples a second than the kernel allows, because the kernel's error is only
/// "invalid".
pub(crate) fn check_frequency(frequency: u32) -> Result<(), Error> {
    match fs::read_to_string(LIMIT).map(|text| text.trim().parse()) {
        Ok(Ok(limit)) if frequency > limit => Err(Error::Frequency { frequency, limit }),
        _ => Ok(()),
    }
}

/// Refuses PID namespaces except the first one. The kernel side uses the process IDs of that one,
/// so filters would pass other processes, and names would be those of other processes.
pub(crate) fn check_pid_namespace(pid: u32) -> Result<(), Error> {
    match fs::read_link("/proc/self/ns/pid") {
        Ok(link) if !is_first_pid_namespace(&link) => Err(Error::PidNamespace { pid }),
        // A kernel without PID namespaces has no such link.
        _ => Ok(()),
    }
}

fn is_first_pid_namespace(link: &Path) -> bool {
    /// Fixed in the kernel as `PROC_PID_INIT_INO`.
    const FIRST: u32 = 0xEFFF_FFFC;
    link.to_str() == Some(&format!("pid:[{FIRST}]"))
}

/// Offsets of the fields of the tracepoint `sched_switch` that its program reads, in bytes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct SchedSwitch {
    pub(crate) prev_state: u32,
    pub(crate) next_pid: u32,
}

impl SchedSwitch {
    /// Reads them from the kernel. They have been the same for years, but no kernel guarantees
    /// them.
    pub(crate) fn read() -> Result<Self, Error> {
        let mut failure = io::Error::from(io::ErrorKind::NotFound);
        for tracefs in TRACEFS {
            match fs::read_to_string(format!("{tracefs}/events/sched/sched_switch/format")) {
                Ok(format) => {
                    return Self::parse(&format).ok_or_else(|| {
                        Error::Tracepoint("no prev_state and next_pid in its format".into())
                    });
                }
                Err(error) => failure = error,
            }
        }
        if failure.kind() == io::ErrorKind::PermissionDenied {
            return Err(Error::NotPermitted {
                action: "read the format of the tracepoint sched_switch".to_owned(),
                source: failure.into(),
            });
        }
        Err(Error::Tracepoint(failure.into()))
    }

    fn parse(format: &str) -> Option<Self> {
        // `field:pid_t next_pid;	offset:56;	size:4;	signed:1;`
        let offset = |field: &str, size: &str| {
            format.lines().find_map(|line| {
                let mut parts = line.trim().split(';').map(str::trim);
                let name = parts.next()?.strip_prefix("field:")?;
                let offset = parts.next()?.strip_prefix("offset:")?;
                let has_size = parts.next()?.strip_prefix("size:")? == size;
                (name.ends_with(field) && has_size)
                    .then(|| offset.parse().ok())
                    .flatten()
            })
        };
        Some(Self {
            prev_state: offset(" prev_state", "8")?,
            next_pid: offset(" next_pid", "4")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_before_5_8_are_refused_by_name() {
        let error = check_version(KernelVersion::new(5, 4, 300)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot run on Linux 5.4: the BPF ring buffer came with Linux 5.8"
        );
        assert!(check_version(KernelVersion::new(5, 7, 19)).is_err());
        assert!(check_version(KernelVersion::new(5, 8, 0)).is_ok());
        assert!(check_version(KernelVersion::new(7, 0, 0)).is_ok());
    }

    #[test]
    fn the_initial_pid_namespace_has_its_fixed_number() {
        assert!(is_first_pid_namespace(Path::new("pid:[4026531836]")));
        assert!(!is_first_pid_namespace(Path::new("pid:[4026532461]")));
    }

    const FORMAT: &str = "name: sched_switch\nID: 313\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \n\
        \tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:1;\n\
        \tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\
        \tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n\
        \tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n\
        \n\
        print fmt: \"prev_state=%s next_pid=%d\", REC->prev_state, REC->next_pid\n";

    #[test]
    fn finds_the_fields_of_the_tracepoint() {
        assert_eq!(
            SchedSwitch::parse(FORMAT),
            Some(SchedSwitch {
                prev_state: 32,
                next_pid: 56,
            })
        );
    }

    #[test]
    fn a_format_without_a_field_or_with_another_size_is_refused() {
        for (from, to) in [
            ("next_pid;", "other;"),
            ("offset:32;\tsize:8;", "offset:32;\tsize:4;"),
            ("offset:56", "offset:?"),
        ] {
            assert_ne!(FORMAT, FORMAT.replace(from, to));
            assert_eq!(SchedSwitch::parse(&FORMAT.replace(from, to)), None);
        }
    }
}
