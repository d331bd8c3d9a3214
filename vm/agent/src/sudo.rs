//! sudo: runs its arguments. In the guest every command is root already, and the host's
//! own sudo cannot read its settings. Test runners ask for it, such as `runner = "sudo
//! -E"` in `.cargo/config.toml`. vm/initramfs/init and vm/virtme-ng/start link it to the
//! agent.
//!
//! The environment is kept with and without `-E`, since every command is root anyway.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::read_to_string;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};

use crate::sys;

/// The name of the program.
pub const NAME: &str = "sudo";

/// The request on the command line.
#[derive(Debug, Default, PartialEq)]
struct Request {
    user: Option<String>,
    group: Option<String>,
    folder: Option<OsString>,
    /// `-s` or `-i`: a shell, or the command by way of one.
    shell: Option<Shell>,
    /// `-E` or `--preserve-env`: keeps `HOME` too.
    keeps_home: bool,
    sets_home: bool,
    in_background: bool,
    variables: Vec<(OsString, OsString)>,
    /// Program and arguments.
    command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shell {
    Plain,
    Login,
}

#[derive(Debug, PartialEq)]
enum Asked {
    Run(Request),
    /// `-v`, `-k`, `-K`, `-l` alone: there is nothing to ask, forget or refuse.
    Nothing,
    Version,
}

/// Options with a value, which is ignored except for those in [`Request`].
const WITH_VALUE: [(char, &str); 10] = [
    ('u', "user"),
    ('g', "group"),
    ('D', "chdir"),
    ('C', "close-from"),
    ('p', "prompt"),
    ('r', "role"),
    ('t', "type"),
    ('T', "command-timeout"),
    ('U', "other-user"),
    ('h', "host"),
];

const FLAGS: [(char, &str); 17] = [
    ('A', "askpass"),
    ('b', "background"),
    ('B', "bell"),
    ('E', "preserve-env"),
    ('H', "set-home"),
    ('i', "login"),
    ('K', "remove-timestamp"),
    ('k', "reset-timestamp"),
    ('l', "list"),
    ('n', "non-interactive"),
    ('N', "no-update"),
    ('P', "preserve-groups"),
    ('s', "shell"),
    ('S', "stdin"),
    ('v', "validate"),
    ('V', "version"),
    ('?', "help"),
];

/// Runs as `sudo` with these arguments. Returns only if there is nothing to run, it runs
/// in the background, or it cannot be run.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    match parse(arguments).and_then(carry_out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sudo: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: Vec<OsString>) -> Result<Asked> {
    let mut request = Request::default();
    let mut alone = None;
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy().into_owned();
        if text == "--" {
            request.command.extend(rest.by_ref());
        } else if let Some(long) = text.strip_prefix("--") {
            let (name, given) = match long.split_once('=') {
                Some((name, value)) => (name, Some(OsString::from(value))),
                None => (long, None),
            };
            if let Some((option, _)) = WITH_VALUE.iter().find(|(_, known)| *known == name) {
                let value = given.or_else(|| rest.next());
                set_value(&mut request, *option, value)?;
            } else {
                let (option, _) = FLAGS
                    .iter()
                    .find(|(_, known)| *known == name)
                    .with_context(|| format!("unknown option --{name} in bpfgate's guest"))?;
                set_flag(&mut request, &mut alone, *option)?;
            }
        } else if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            for (at, option) in letters.char_indices() {
                if WITH_VALUE.iter().any(|(known, _)| *known == option) {
                    let attached = &letters[at + option.len_utf8()..];
                    let value = if attached.is_empty() {
                        rest.next()
                    } else {
                        Some(attached.into())
                    };
                    set_value(&mut request, option, value)?;
                    break;
                }
                ensure!(
                    FLAGS.iter().any(|(known, _)| *known == option),
                    "unknown option -{option} in bpfgate's guest"
                );
                set_flag(&mut request, &mut alone, option)?;
            }
        } else if let Some(variable) = as_variable(&argument) {
            request.variables.push(variable);
        } else {
            request.command.push(argument);
            request.command.extend(rest.by_ref());
        }
    }
    if request.command.is_empty() && request.shell.is_none() {
        return alone.context("no command to run");
    }
    Ok(Asked::Run(request))
}

fn set_value(request: &mut Request, option: char, value: Option<OsString>) -> Result<()> {
    let value = value.with_context(|| format!("option -{option} needs a value"))?;
    let text = || value.to_string_lossy().into_owned();
    match option {
        'u' => request.user = Some(text()),
        'g' => request.group = Some(text()),
        'D' => request.folder = Some(value),
        // Prompts, time limits, hosts and roles have no meaning here.
        _ => {}
    }
    Ok(())
}

fn set_flag(request: &mut Request, alone: &mut Option<Asked>, option: char) -> Result<()> {
    match option {
        'E' => request.keeps_home = true,
        'H' => request.sets_home = true,
        'b' => request.in_background = true,
        's' => request.shell = Some(Shell::Plain),
        'i' => request.shell = Some(Shell::Login),
        'v' | 'k' | 'K' | 'l' => *alone = Some(Asked::Nothing),
        'V' | '?' => *alone = Some(Asked::Version),
        _ => {}
    }
    Ok(())
}

/// Parses `NAME=value`, as before a command.
fn as_variable(argument: &OsStr) -> Option<(OsString, OsString)> {
    let bytes = argument.as_bytes();
    let at = bytes.iter().position(|byte| *byte == b'=')?;
    let name = &bytes[..at];
    let is_name = name.first().is_some_and(|byte| !byte.is_ascii_digit())
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    is_name.then(|| {
        (
            OsString::from_vec(name.to_vec()),
            OsString::from_vec(bytes[at + 1..].to_vec()),
        )
    })
}

fn carry_out(asked: Asked) -> Result<()> {
    let request = match asked {
        Asked::Run(request) => request,
        Asked::Nothing => return Ok(()),
        Asked::Version => {
            println!("sudo of bpfgate's guest {}", env!("CARGO_PKG_VERSION"));
            return Ok(());
        }
    };
    ensure!(
        sys::is_root(),
        "only root can use the sudo of bpfgate's guest, in which every command begins as root"
    );
    let user = User::find(request.user.as_deref().unwrap_or("root"))?;
    let mut command = make_command(&request, &user);
    if user.id != 0 || request.group.is_some() {
        let group = match request.group.as_deref() {
            Some(name) => find_group(&read_to_string("/etc/group").unwrap_or_default(), name)?,
            None => user.group,
        };
        sys::become_user(user.id, group, &user.groups()).context("cannot change the user")?;
    }
    let program = command.get_program().to_string_lossy().into_owned();
    let error = if request.in_background {
        match command.spawn() {
            Ok(_) => return Ok(()),
            Err(error) => error,
        }
    } else {
        command.exec()
    };
    if error.kind() == std::io::ErrorKind::NotFound {
        bail!("{program}: command not found");
    }
    bail!("{program}: {error}")
}

fn make_command(request: &Request, user: &User) -> Command {
    let mut command = match (request.shell, request.command.split_first()) {
        (None, Some((program, arguments))) => {
            let mut command = Command::new(program);
            command.args(arguments);
            command
        }
        (shell, _) => {
            let program = match shell {
                Some(Shell::Login) => OsString::from(&user.shell),
                _ => std::env::var_os("SHELL").unwrap_or_else(|| "/bin/sh".into()),
            };
            let mut command = Command::new(&program);
            if shell == Some(Shell::Login) {
                let name = Path::new(&program).file_name().unwrap_or_default();
                let mut login = OsString::from("-");
                login.push(name);
                command.arg0(login).current_dir(&user.home);
            }
            if !request.command.is_empty() {
                command.arg("-c").arg(quote_all(&request.command));
            }
            command
        }
    };
    let is_other = user.id != 0 && !request.keeps_home;
    if is_other || request.sets_home || request.shell == Some(Shell::Login) {
        command
            .env("HOME", &user.home)
            .env("USER", &user.name)
            .env("LOGNAME", &user.name);
    }
    command.envs(request.variables.iter().map(|(name, value)| (name, value)));
    if let Some(folder) = &request.folder {
        command.current_dir(folder);
    }
    command
}

/// Quotes words to one line with which a shell runs a program with exactly these
/// arguments.
fn quote_all(words: &[OsString]) -> OsString {
    let mut line = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            line.push(b' ');
        }
        line.push(b'\'');
        for byte in word.as_bytes() {
            match byte {
                b'\'' => line.extend(b"'\\''"),
                _ => line.push(*byte),
            }
        }
        line.push(b'\'');
    }
    OsString::from_vec(line)
}

/// A line of `/etc/passwd`. The agent is linked statically, so the C library's look-up is
/// not available.
#[derive(Debug, PartialEq)]
struct User {
    name: String,
    id: u32,
    group: u32,
    home: String,
    shell: String,
}

impl User {
    fn find(wanted: &str) -> Result<Self> {
        Self::find_in(&read_to_string("/etc/passwd").unwrap_or_default(), wanted)
    }

    /// `wanted` is a name, or `#` and an id.
    fn find_in(passwd: &str, wanted: &str) -> Result<Self> {
        let id = wanted
            .strip_prefix('#')
            .map(|id| id.parse::<u32>().context("a user's id is a number"))
            .transpose()?;
        let found = passwd.lines().find_map(|line| {
            let fields: Vec<_> = line.split(':').collect();
            let [name, _, own_id, group, _, home, shell] = fields[..] else {
                return None;
            };
            let own_id = own_id.parse().ok()?;
            let is_wanted = id.map_or(name == wanted, |id| id == own_id);
            is_wanted.then(|| {
                Some(Self {
                    name: name.to_owned(),
                    id: own_id,
                    group: group.parse().ok()?,
                    home: home.to_owned(),
                    shell: if shell.is_empty() { "/bin/sh" } else { shell }.to_owned(),
                })
            })?
        });
        match (found, id) {
            (Some(user), _) => Ok(user),
            (None, Some(id)) => Ok(Self::nameless(id)),
            (None, None) if wanted == "root" => Ok(Self::nameless(0)),
            (None, None) => bail!("unknown user {wanted}"),
        }
    }

    fn nameless(id: u32) -> Self {
        Self {
            name: if id == 0 {
                "root".into()
            } else {
                id.to_string()
            },
            id,
            group: id,
            home: if id == 0 { "/root" } else { "/" }.to_owned(),
            shell: "/bin/sh".to_owned(),
        }
    }

    /// Groups that list the user.
    fn groups(&self) -> Vec<u32> {
        let text = read_to_string("/etc/group").unwrap_or_default();
        let listed = text.lines().filter_map(|line| {
            let mut fields = line.split(':').skip(2);
            let id = fields.next()?.parse().ok()?;
            fields
                .next()?
                .split(',')
                .any(|name| name == self.name)
                .then_some(id)
        });
        let all: BTreeSet<u32> = listed.chain([self.group]).collect();
        all.into_iter().collect()
    }
}

/// A group's id, by its name or `#` and the id itself.
fn find_group(groups: &str, wanted: &str) -> Result<u32> {
    if let Some(id) = wanted.strip_prefix('#') {
        return id.parse().context("a group's id is a number");
    }
    groups
        .lines()
        .find_map(|line| {
            let mut fields = line.split(':');
            (fields.next()? == wanted).then(|| fields.nth(1)?.parse().ok())?
        })
        .with_context(|| format!("unknown group {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Asked> {
        parse(arguments.iter().map(OsString::from).collect())
    }

    fn request(arguments: &[&str]) -> Request {
        match parsed(arguments).unwrap() {
            Asked::Run(request) => request,
            other => panic!("{other:?}"),
        }
    }

    fn words(list: &[&str]) -> Vec<OsString> {
        list.iter().map(OsString::from).collect()
    }

    #[test]
    fn a_command_keeps_its_own_options_and_variables() {
        for options in [
            &["-E"][..],
            &["-nE"],
            &["-u", "root"],
            &["-Eu", "root"],
            &["-uroot", "-n"],
            &["--user=root", "--preserve-env=A,B"],
            &["--user", "root", "--non-interactive", "--"],
            &["-p", "word: ", "-C", "3", "-T", "5", "-k", "-S", "-H"],
        ] {
            let all = [options, &["prog", "-v", "X=1", "--", "-u"]].concat();
            let found = request(&all);
            let expected = words(&["prog", "-v", "X=1", "--", "-u"]);
            assert_eq!(found.command, expected, "{options:?}");
            assert_eq!(found.variables, []);
        }
        assert_eq!(request(&["-Eu", "nobody", "x"]).user.unwrap(), "nobody");
    }

    #[test]
    fn variables_come_before_the_command() {
        let found = request(&["A=1", "-E", "B=x=y", "prog", "C=2"]);
        let pair = |name: &str, value: &str| (name.into(), value.into());
        assert_eq!(found.variables, [pair("A", "1"), pair("B", "x=y")]);
        assert_eq!(found.command, words(&["prog", "C=2"]));
        assert_eq!(request(&["./a=b"]).command, words(&["./a=b"]));
    }

    #[test]
    fn without_a_command_there_is_an_option_or_an_error() {
        for option in ["-v", "-k", "-K", "-l", "-nv", "--validate"] {
            assert_eq!(parsed(&[option]).unwrap(), Asked::Nothing, "{option}");
        }
        assert_eq!(parsed(&["-V"]).unwrap(), Asked::Version);
        assert_eq!(request(&["-i"]).shell, Some(Shell::Login));
        for (arguments, message) in [
            (&[][..], "no command to run"),
            (&["A=1"], "no command to run"),
            (&["-e", "file"], "unknown option -e in bpfgate's guest"),
            (&["--edit"], "unknown option --edit in bpfgate's guest"),
            (&["-u"], "option -u needs a value"),
        ] {
            assert_eq!(parsed(arguments).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn users_and_groups_are_found_by_name_and_number() {
        let passwd = "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65533::/none:\n";
        let nobody = User::find_in(passwd, "nobody").unwrap();
        assert_eq!(
            (nobody.id, nobody.group, nobody.shell.as_str()),
            (65534, 65533, "/bin/sh")
        );
        assert_eq!(User::find_in(passwd, "#65534").unwrap(), nobody);
        assert_eq!(User::find_in(passwd, "#7").unwrap(), User::nameless(7));
        assert_eq!(User::find_in("", "root").unwrap(), User::nameless(0));
        assert!(User::find_in(passwd, "no").is_err());
        assert_eq!(find_group("a:x:5:\nb:x:6:root\n", "b").unwrap(), 6);
        assert_eq!(find_group("", "#9").unwrap(), 9);
        assert!(find_group("a:x:5:\n", "c").is_err());
    }

    #[test]
    fn a_shell_gets_the_arguments_unchanged() {
        assert_eq!(quote_all(&words(&["a b", "it's"])), r"'a b' 'it'\''s'");
    }
}
