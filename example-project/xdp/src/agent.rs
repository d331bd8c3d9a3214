//! Agent: reads the kernel side's results until it is stopped.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use aya::{
    Ebpf,
    maps::{MapData, MapError, Queue},
};
use xdp_common::{SourceAddr, UnknownSourceAddr};

use crate::{Error, object};

/// The queue between the two sides; its values are numbers of [`SourceAddr`].
pub type SourceAddrQueue = Queue<MapData, u32>;

/// The pause after the queue was empty.
const PAUSE: Duration = Duration::from_millis(10);

/// The number of entries read between checks whether to stop: the capacity of the queue. A queue
/// that is filled as fast as it is read must not keep an agent from ending.
const BATCH: usize = 1024;

/// The number of packets that an agent read of each class.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Tally(BTreeMap<String, u64>);

impl Tally {
    fn count(&mut self, class: SourceAddr) {
        *self.0.entry(format!("{class:?}")).or_default() += 1;
    }

    /// The number of packets of all classes.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} packets", self.total())?;
        for (class, count) in &self.0 {
            write!(out, ", {count} {class}")?;
        }
        Ok(())
    }
}

/// Starts a thread that logs and counts the queue's entries, until `shutdown` is set.
///
/// The thread owns the object, so its programs are detached when the agent ends. It still reads the
/// entries that they have queued by then.
///
/// # Errors
///
/// [`Error::Load`] without a queue in the object. The thread returns [`Error::Queue`] and
/// [`Error::UnknownSourceAddr`].
pub fn spawn_agent(
    mut ebpf: Ebpf,
    shutdown: Arc<AtomicBool>,
) -> Result<JoinHandle<Result<Tally, Error>>, Error> {
    let mut queue = object::queue(&mut ebpf)?;
    Ok(thread::spawn(move || {
        let mut tally = Tally::default();
        read_until(&shutdown, &mut tally, || pop(&mut queue))?;
        drop(ebpf);
        read(&mut tally, || pop(&mut queue))?;
        Ok(tally)
    }))
}

fn read_until(
    shutdown: &AtomicBool,
    tally: &mut Tally,
    mut pop: impl FnMut() -> Result<Option<SourceAddr>, Error>,
) -> Result<(), Error> {
    while !shutdown.load(Ordering::Relaxed) {
        if read(tally, &mut pop)? < BATCH {
            thread::sleep(PAUSE);
        }
    }
    Ok(())
}

/// Reads up to a batch and returns how many entries there were; fewer if the queue is then empty.
fn read(
    tally: &mut Tally,
    mut pop: impl FnMut() -> Result<Option<SourceAddr>, Error>,
) -> Result<usize, Error> {
    for read in 0..BATCH {
        let Some(class) = pop()? else {
            return Ok(read);
        };
        log::info!("{class:?}");
        tally.count(class);
    }
    Ok(BATCH)
}

/// Takes the oldest entry out of the queue; `None` if it is empty.
pub fn pop(queue: &mut SourceAddrQueue) -> Result<Option<SourceAddr>, Error> {
    match queue.pop(0) {
        Ok(number) => SourceAddr::try_from(number)
            .map(Some)
            .map_err(|UnknownSourceAddr(number)| Error::UnknownSourceAddr { number }),
        Err(MapError::ElementNotFound) => Ok(None),
        Err(error) => Err(Error::Queue(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_ends_although_its_queue_is_never_empty() {
        const SET_AT: u64 = 5_000;
        let shutdown = AtomicBool::new(false);
        let mut tally = Tally::default();
        let mut popped = 0;
        read_until(&shutdown, &mut tally, || {
            popped += 1;
            assert!(popped < 1_000_000, "it goes on and on");
            if popped == SET_AT {
                shutdown.store(true, Ordering::Relaxed);
            }
            Ok(Some(SourceAddr::Fizz))
        })
        .unwrap();
        assert_eq!(tally.total(), popped, "what was taken is counted");
        assert!(popped < SET_AT + BATCH as u64, "{popped}");
    }

    #[test]
    fn queued_addresses_are_counted_by_class() {
        let mut queue = [SourceAddr::Fizz, SourceAddr::Buzz, SourceAddr::Fizz].into_iter();
        let mut tally = Tally::default();
        assert_eq!(read(&mut tally, || Ok(queue.next())).unwrap(), 3);
        assert_eq!(tally.to_string(), "3 packets, 1 Buzz, 2 Fizz");
    }
}
