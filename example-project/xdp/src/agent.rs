//! Reads what the kernel side has found until it is told to stop.

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

/// How long an empty queue is left alone.
const PAUSE: Duration = Duration::from_millis(10);

/// How many packets an agent read of each class.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Tally(BTreeMap<String, u64>);

impl Tally {
    fn count(&mut self, class: SourceAddr) {
        *self.0.entry(format!("{class:?}")).or_default() += 1;
    }

    /// How many packets of all classes there were.
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

/// Starts a thread that logs and counts what is in the queue, until `shutdown` is set.
///
/// The object goes to the thread, so its programs are detached when the agent ends, and what they
/// had queued by then is still read.
pub fn spawn_agent(
    mut ebpf: Ebpf,
    shutdown: Arc<AtomicBool>,
) -> Result<JoinHandle<Result<Tally, Error>>, Error> {
    let mut queue = object::queue(&mut ebpf)?;
    Ok(thread::spawn(move || {
        let mut tally = Tally::default();
        while !shutdown.load(Ordering::Relaxed) {
            read(&mut queue, &mut tally)?;
            thread::sleep(PAUSE);
        }
        drop(ebpf);
        read(&mut queue, &mut tally)?;
        Ok(tally)
    }))
}

fn read(queue: &mut SourceAddrQueue, tally: &mut Tally) -> Result<(), Error> {
    while let Some(class) = pop(queue)? {
        log::info!("{class:?}");
        tally.count(class);
    }
    Ok(())
}

/// Takes the oldest entry out of the queue, or `None` when it is empty.
pub fn pop(queue: &mut SourceAddrQueue) -> Result<Option<SourceAddr>, Error> {
    match queue.pop(0) {
        Ok(number) => SourceAddr::try_from(number)
            .map(Some)
            .map_err(|UnknownSourceAddr(number)| Error::UnknownSourceAddr { number }),
        Err(MapError::ElementNotFound) => Ok(None),
        Err(error) => Err(Error::Queue(error)),
    }
}
