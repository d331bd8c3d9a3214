//! Flame graphs: draws folded stacks as SVG. The host runs this on files whose size it
//! has checked. The guest controls their content, which is escaped in the picture or
//! refused.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use inferno::differential::{self, Options as DifferentialOptions};
use inferno::flamegraph::{self, Options};

/// Draws one profile, counted in `unit`.
pub fn draw(title: &OsStr, unit: &OsStr, folded: &Path, svg: &Path) -> Result<()> {
    let lines = read(folded)?;
    let subtitle = "one box for each function, as wide as its share";
    render(options(title, subtitle, unit), &lines, svg)
}

/// Draws head, coloured by its difference from base: red has grown, blue has shrunk.
/// Nothing is scaled: a sample is as many instructions in one as in the other.
pub fn draw_difference(
    title: &OsStr,
    unit: &OsStr,
    base: &Path,
    head: &Path,
    svg: &Path,
) -> Result<()> {
    let (base, head) = (read(base)?, read(head)?);
    let compared = DifferentialOptions::default();
    let mut lines = Vec::new();
    differential::from_readers(compared, base.as_bytes(), head.as_bytes(), &mut lines)
        .context("cannot compare the profiles")?;
    let lines = String::from_utf8(lines).context("cannot compare the profiles")?;
    let subtitle = format!(
        "head; red: more {} than base, blue: fewer",
        unit.to_string_lossy()
    );
    render(options(title, &subtitle, unit), &lines, svg)
}

/// Reads whole lines only, each `STACK COUNT`.
fn read(path: &Path) -> Result<String> {
    let open = || File::open(path).with_context(|| format!("cannot read {path:?}"));
    let mut text = String::new();
    for (index, line) in BufReader::new(open()?).lines().enumerate() {
        let line = line.with_context(|| format!("{path:?}:{}: no text", index + 1))?;
        let count = line.rsplit_once(' ').map(|(_, count)| count.parse::<u64>());
        ensure!(
            matches!(count, Some(Ok(_))),
            "{path:?}:{}: not a folded stack: it must end in a blank and a number",
            index + 1
        );
        text.push_str(&line);
        text.push('\n');
    }
    Ok(text)
}

fn render(mut options: Options, lines: &str, svg: &Path) -> Result<()> {
    ensure!(
        !lines.is_empty(),
        "the profile is empty: it runs too briefly to be seen"
    );
    let mut picture = Vec::new();
    flamegraph::from_lines(&mut options, lines.lines(), &mut picture).context("cannot draw")?;
    std::fs::write(svg, picture).with_context(|| format!("cannot write {svg:?}"))
}

fn options(title: &OsStr, subtitle: &str, unit: &OsStr) -> Options<'static> {
    let mut options = Options::default();
    options.title = title.to_string_lossy().into_owned();
    options.subtitle = Some(subtitle.to_owned());
    options.count_name = unit.to_string_lossy().into_owned();
    options.deterministic = true;
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &[u8]) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("bpfgate-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn only_folded_stacks_are_read() {
        let good = file("good", b"sh;main;f<u8> 3\nsh 1");
        assert_eq!(read(&good).unwrap(), "sh;main;f<u8> 3\nsh 1\n");
        for (name, text) in [
            ("no-count", &b"a;b\n"[..]),
            ("word", b"a;b 1\na;b x\n"),
            ("negative", b"a;b -1\n"),
            ("binary", b"\xff\xfe 1\n"),
        ] {
            let path = file(name, text);
            let message = format!("{:#}", read(&path).unwrap_err());
            let line = if name == "word" { ":2: " } else { ":1: " };
            assert!(message.contains(line), "{message}");
            std::fs::remove_file(path).unwrap();
        }
        std::fs::remove_file(good).unwrap();
    }

    #[test]
    fn names_cannot_break_out_of_the_picture() {
        let lines = "sh;</title><script>alert(1)</script>;\"x 5\n";
        let mut svg = Vec::new();
        let mut picture = options(OsStr::new("<b>&"), "s", OsStr::new("samples"));
        flamegraph::from_lines(&mut picture, lines.lines(), &mut svg).unwrap();
        let svg = String::from_utf8(svg).unwrap();
        assert!(!svg.contains("<script>alert"), "{svg}");
        assert!(!svg.contains("<b>&"), "{svg}");
        assert!(
            svg.contains("&lt;script&gt;alert(1)&lt;/script&gt;"),
            "{svg}"
        );
    }
}
