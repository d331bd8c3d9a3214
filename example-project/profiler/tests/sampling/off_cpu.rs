//! Tests off-CPU samples of processes with known waits.

use std::{task::Poll, time::Duration};

use profiler::{End, Mode, Profile};

use crate::{can_sample, target::Target};

fn run(target: &mut Target, duration: Option<Duration>) -> Profile {
    let pid = target.pid();
    let mut begun = false;
    // Polled once the profiler has attached.
    let stop = std::future::poll_fn(|_| {
        if !std::mem::replace(&mut begun, true) {
            target.begin();
        }
        Poll::Pending
    });
    let profile = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(profiler::profile(pid, Mode::OffCpu, duration, stop))
        .unwrap();
    println!("{profile}\n{}", profile.folded);
    profile
}

#[test]
fn a_sleeper_is_found_with_the_time_it_slept() {
    if !can_sample() {
        return;
    }
    let mut target = Target::start(&["sleeper", "25"]);
    let profile = run(&mut target, None);
    assert_eq!(profile.end, End::Process);
    assert_eq!((profile.counts.lost, profile.counts.failed), (0, 0));
    assert!(profile.counts.taken >= 25, "{profile}");
    // A sleep may take longer than requested, but never less.
    let slept = profile.folded.with_frame("target::known_sleeper");
    assert!(slept >= 25 * 20_000, "{slept} us: {}", profile.folded);
    assert!(
        slept * 100 >= profile.folded.total() * 90,
        "{}",
        profile.folded
    );
}

#[test]
fn a_wait_that_does_not_end_is_counted_up_to_the_end() {
    if !can_sample() {
        return;
    }
    let mut target = Target::start(&["waiter"]);
    let duration = Duration::from_millis(500);
    let profile = run(&mut target, Some(duration));
    assert_eq!(profile.end, End::Duration);
    assert_eq!(profile.still_blocked, 1, "{}", profile.folded);
    let waited = profile.folded.with_frame("target::known_waiter");
    assert!(waited > 0, "{}", profile.folded);
    assert_eq!(waited, profile.folded.total());
}
