//! Kernel releases: the running one, and the line that names the one needed.

use std::{
    fmt, fs,
    io::{self, Write as _},
};

use crate::Error;

/// A minor version of Linux, which identifies features: `5.18`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct KernelVersion {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
}

impl KernelVersion {
    /// `KernelVersion::new(5, 18)` is Linux 5.18.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// The running kernel. Uses its release, so features backported by a distribution to an older
    /// kernel are not seen.
    ///
    /// # Errors
    /// Those of [`running_release`]; [`io::ErrorKind::InvalidData`] if the release does not begin
    /// with two numbers.
    pub fn running() -> io::Result<Self> {
        let release = running_release()?;
        Self::parse(&release).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("not a kernel release: {release:?}"),
            )
        })
    }

    /// Parses the first two numbers of a release of `uname -r`: 6.1 of `6.1.0-13-amd64`.
    pub fn parse(release: &str) -> Option<Self> {
        let mut numbers = release
            .split(|letter: char| !letter.is_ascii_digit())
            .map(str::parse);
        Some(Self {
            major: numbers.next()?.ok()?,
            minor: numbers.next()?.ok()?,
        })
    }
}

impl fmt::Display for KernelVersion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.major, self.minor)
    }
}

/// The release that `uname -r` prints.
///
/// # Errors
/// Those of reading `/proc/sys/kernel/osrelease`.
pub fn running_release() -> io::Result<String> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease")?;
    Ok(release.trim_end().to_owned())
}

/// Reports to bpfgate that a benchmark has no result because this kernel does not support it.
/// bpfgate's report then shows `needs 5.18` instead of a failure. `needs` is the first release that
/// does, `name` the benchmark's name on kernels where it has a result.
///
/// Prints one line to stdout, so the program must not be in the middle of another line.
///
/// ```
/// # use bpf_bench::{KernelVersion, print_gap};
/// print_gap(KernelVersion::new(5, 18), "kprobe.multi/empty")?;
/// // bpfgate: needs 5.18: kprobe.multi/empty
/// # Ok::<(), bpf_bench::Error>(())
/// ```
///
/// # Errors
/// A name that is empty or has a line break in it.
///
/// # Panics
/// If stdout is closed, as `println!` does.
pub fn print_gap(needs: KernelVersion, name: &str) -> Result<(), Error> {
    let line = gap_line(needs, name)?;
    // Flushed at once, since later code may end the process.
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")
        .and_then(|()| stdout.flush())
        .expect("cannot write to stdout");
    Ok(())
}

/// The line that [`print_gap`] prints, without the line break.
///
/// # Errors
/// [`Error::Name`], as for [`print_gap`].
pub fn gap_line(needs: KernelVersion, name: &str) -> Result<String, Error> {
    if name.is_empty() || name.contains(['\n', '\r', '\u{2028}', '\u{2029}']) {
        return Err(Error::Name {
            name: name.to_owned(),
        });
    }
    Ok(format!("bpfgate: needs {needs}: {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distribution_releases_are_parsed() {
        for (release, version) in [
            ("5.8.18", Some(KernelVersion::new(5, 8))),
            ("6.12.107+deb13-amd64", Some(KernelVersion::new(6, 12))),
            ("7.0-rc3", Some(KernelVersion::new(7, 0))),
            ("7", None),
            ("", None),
            ("next-20260101", None),
        ] {
            assert_eq!(KernelVersion::parse(release), version, "{release:?}");
        }
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert!(KernelVersion::new(5, 9) < KernelVersion::new(5, 18));
        assert!(KernelVersion::new(5, 18) < KernelVersion::new(6, 1));
    }

    #[test]
    fn the_gap_line_has_the_format_that_bpfgate_reads() {
        let line = gap_line(KernelVersion::new(5, 18), "kprobe.multi: empty #2").unwrap();
        assert_eq!(line, "bpfgate: needs 5.18: kprobe.multi: empty #2");
    }

    #[test]
    fn names_that_would_break_the_gap_line_are_refused() {
        for name in ["", "a\nb", "a\r"] {
            assert!(
                gap_line(KernelVersion::new(5, 18), name).is_err(),
                "{name:?}"
            );
        }
    }
}
