//! Maps: creates the maps of an object for its programs and the verifier.

use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};

use aya_obj::Map;
use aya_obj::generated::bpf_map_type as kind;

use crate::bpf_load::{self, MapCreate};
use crate::first_kernels;
use crate::kernel;
use crate::object::is_constant;
use crate::plan::Preset;
use crate::sys;
use crate::usdt;

/// The address of an arena that does not give one; the kernel's own tests use it.
const ARENA_ADDRESS: u64 = 1 << 44;

/// Creates a map with what a preset puts into it; `extra` is its `map_extra`, and `btf` describes its keys and values.
/// `data`: the BTF id of a data section's content, if the map is one. The error is one
/// line.
///
/// Pinning is left out. If the object leaves `max_entries` to its loader, the value is
/// the number of CPUs for a perf event array or a CPU map, a page for a ring buffer,
/// otherwise 1.
pub fn create(
    name: &str,
    map: &Map,
    extra: u64,
    btf: Option<&OwnedFd>,
    data: Option<u32>,
    preset: &Preset,
) -> Result<OwnedFd, String> {
    let is = |wanted: kind| map.map_type() == wanted as u32;
    if is(kind::BPF_MAP_TYPE_STRUCT_OPS) {
        return Err(format!(
            "map {name:?} cannot be made: it needs a loader of struct_ops maps"
        ));
    }
    let inner = if is(kind::BPF_MAP_TYPE_ARRAY_OF_MAPS) || is(kind::BPF_MAP_TYPE_HASH_OF_MAPS) {
        let inner = map.inner().ok_or_else(|| {
            format!("map {name:?} could not be made: the object does not say what maps it holds")
        })?;
        let name = format!("{name}.inner");
        Some(create(
            &name,
            &inner,
            inner.map_extra(),
            btf,
            None,
            &Preset::default(),
        )?)
    } else {
        None
    };
    let request = request(name, map, extra, inner.as_ref());
    // Like libbpf: some kernels refuse BTF for some types of map.
    let described = match (map, btf) {
        (Map::Btf(definition), Some(btf)) if takes_btf(map) => {
            let def = &definition.def;
            Some((btf, def.btf_key_type_id, def.btf_value_type_id))
        }
        (Map::Legacy(_), Some(btf)) => data.map(|data| (btf, 0, data)),
        _ => None,
    };
    let made = described
        .and_then(|described| {
            let request = MapCreate {
                btf: Some(described),
                ..request
            };
            request.create().ok()
        })
        .map_or_else(|| request.create(), Ok)
        .map_err(|error| {
            let (map_type, errno) = (type_name(map.map_type()), sys::errno_name(&error));
            let why = why_refused(map, described.is_some());
            format!("map {name:?} of type {map_type} could not be made: {errno}{why}")
        })?;
    let mut data = map.data().to_vec();
    for patch in preset.data.iter().filter(|patch| patch.map == name) {
        let end = patch.at.checked_add(patch.bytes.len());
        let place = end.and_then(|end| data.get_mut(patch.at..end));
        place
            .ok_or_else(|| format!("preset {:?} does not fit map {name:?}", preset.name))?
            .copy_from_slice(&patch.bytes);
    }
    if data.iter().any(|&byte| byte != 0) {
        bpf_load::set_entry(&made, &request, &[0; 4], &data, None)
            .map_err(|error| format!("map {name:?} could not be filled: {error}"))?;
    }
    let cpus = has_values_of_cpus(map).then(sys::possible_cpus);
    for entry in preset.entries.iter().filter(|entry| entry.map == name) {
        let error = if holds_files(map) {
            Some("its values are file descriptors".to_owned())
        } else {
            let set = bpf_load::set_entry(&made, &request, &entry.key, &entry.value, cpus);
            set.err().map(|error| sys::errno_name(&error))
        };
        if let Some(error) = error {
            return Err(format!(
                "map {name:?} does not take an entry of preset {:?}: {error}",
                preset.name
            ));
        }
    }
    if let Some((key, value)) = usdt::entry(name, request.value_size as usize) {
        bpf_load::set_entry(&made, &request, &key, &value, cpus)
            .map_err(|error| format!("map {name:?} could not be filled: {error}"))?;
    }
    if is_constant(map) {
        bpf_load::freeze(&made)
            .map_err(|error| format!("map {name:?} could not be frozen: {error}"))?;
    }
    Ok(made)
}

/// The name of a type of map, without `BPF_MAP_TYPE_`.
fn type_name(map_type: u32) -> String {
    let newer = || first_kernels::map_type(map_type).map(str::to_owned);
    let known = kind::try_from(map_type).ok();
    known
        .map(|known| format!("{known:?}")["BPF_MAP_TYPE_".len()..].to_lowercase())
        .or_else(newer)
        .unwrap_or_else(|| map_type.to_string())
}

/// What a map needs that the kernel has not made, as far as it is known.
fn why_refused(map: &Map, has_btf: bool) -> String {
    let old = first_kernels::of_map(map.map_type(), map.map_flags(), kernel::version());
    let is_storage = matches!(
        kind_of(map),
        Some(
            kind::BPF_MAP_TYPE_SK_STORAGE
                | kind::BPF_MAP_TYPE_TASK_STORAGE
                | kind::BPF_MAP_TYPE_INODE_STORAGE
                | kind::BPF_MAP_TYPE_CGRP_STORAGE
        )
    );
    match old {
        Some((what, since)) => format!(": {what} needs kernel {since} or newer"),
        None if is_storage && !has_btf => {
            ": it needs BTF that the kernel accepts: compile the object with `clang -g`".into()
        }
        None => String::new(),
    }
}

fn request<'a>(name: &'a str, map: &Map, extra: u64, inner: Option<&'a OwnedFd>) -> MapCreate<'a> {
    let (key_size, value_size) = sizes(map);
    MapCreate {
        map_type: map.map_type(),
        key_size,
        value_size,
        max_entries: max_entries(map, sys::possible_cpus()),
        flags: map.map_flags(),
        extra: match kind_of(map) {
            // The verifier asks for the address. Loaders map the arena for it; this one maps
            // nothing, since arenas of the largest size exceed its memory.
            Some(kind::BPF_MAP_TYPE_ARENA) if extra == 0 => ARENA_ADDRESS,
            _ => extra,
        },
        name,
        inner,
        btf: None,
        kernel_value: 0,
    }
}

fn kind_of(map: &Map) -> Option<kind> {
    kind::try_from(map.map_type()).ok()
}

/// Bytes of a key and of a value.
///
/// Ring buffers have neither: the types that an object gives them are for code
/// generators. The values of perf event arrays, and of maps that hold maps or programs,
/// are file descriptors, whether the object says so or not.
fn sizes(map: &Map) -> (u32, u32) {
    const FD_BYTES: u32 = 4;
    let (key, value) = (map.key_size(), map.value_size());
    let or_fd = |size: u32| if size == 0 { FD_BYTES } else { size };
    match kind_of(map) {
        Some(
            kind::BPF_MAP_TYPE_RINGBUF | kind::BPF_MAP_TYPE_USER_RINGBUF | kind::BPF_MAP_TYPE_ARENA,
        ) => (0, 0),
        // The object gives the type of the events as the type of a value.
        Some(kind::BPF_MAP_TYPE_PERF_EVENT_ARRAY) => (FD_BYTES, FD_BYTES),
        Some(kind::BPF_MAP_TYPE_ARRAY_OF_MAPS | kind::BPF_MAP_TYPE_PROG_ARRAY) => {
            (or_fd(key), or_fd(value))
        }
        Some(kind::BPF_MAP_TYPE_HASH_OF_MAPS) => (key, or_fd(value)),
        _ => (key, value),
    }
}

/// Whether the object leaves the number of entries to its loader, and nothing says how
/// many there would be.
pub fn is_open(map: &Map) -> bool {
    // The number of processors does not matter.
    map.max_entries() == 0 && max_entries(map, 2) == 1
}

fn max_entries(map: &Map, cpus: u32) -> u32 {
    let page = sys::page_bytes() as u32;
    match (kind_of(map), map.max_entries()) {
        // Pages, in a power of two, as in libbpf.
        (Some(kind::BPF_MAP_TYPE_RINGBUF | kind::BPF_MAP_TYPE_USER_RINGBUF), given) => {
            given.max(page).checked_next_power_of_two().unwrap_or(given)
        }
        (Some(kind::BPF_MAP_TYPE_PERF_EVENT_ARRAY | kind::BPF_MAP_TYPE_CPUMAP), 0) => cpus,
        (
            Some(
                kind::BPF_MAP_TYPE_SK_STORAGE
                | kind::BPF_MAP_TYPE_TASK_STORAGE
                | kind::BPF_MAP_TYPE_INODE_STORAGE
                | kind::BPF_MAP_TYPE_CGROUP_STORAGE_DEPRECATED
                | kind::BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE_DEPRECATED
                | kind::BPF_MAP_TYPE_CGRP_STORAGE,
            ),
            0,
        ) => 0,
        (_, 0) => 1,
        (_, given) => given,
    }
}

/// Whether the values of a map are file descriptors, or its keys.
fn holds_files(map: &Map) -> bool {
    matches!(
        kind_of(map),
        Some(
            kind::BPF_MAP_TYPE_PROG_ARRAY
                | kind::BPF_MAP_TYPE_PERF_EVENT_ARRAY
                | kind::BPF_MAP_TYPE_CGROUP_ARRAY
                | kind::BPF_MAP_TYPE_ARRAY_OF_MAPS
                | kind::BPF_MAP_TYPE_HASH_OF_MAPS
                | kind::BPF_MAP_TYPE_SOCKMAP
                | kind::BPF_MAP_TYPE_SOCKHASH
                | kind::BPF_MAP_TYPE_XSKMAP
                | kind::BPF_MAP_TYPE_REUSEPORT_SOCKARRAY
                | kind::BPF_MAP_TYPE_SK_STORAGE
                | kind::BPF_MAP_TYPE_TASK_STORAGE
                | kind::BPF_MAP_TYPE_INODE_STORAGE
                | kind::BPF_MAP_TYPE_CGRP_STORAGE
        )
    )
}

/// Whether a map has a value for each processor.
fn has_values_of_cpus(map: &Map) -> bool {
    matches!(
        kind_of(map),
        Some(
            kind::BPF_MAP_TYPE_PERCPU_ARRAY
                | kind::BPF_MAP_TYPE_PERCPU_HASH
                | kind::BPF_MAP_TYPE_LRU_PERCPU_HASH
                | kind::BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE_DEPRECATED
        )
    )
}

/// Whether a map of this type may describe its keys and values by BTF; libbpf and Aya
/// have the same list. Such maps are tried with BTF first, then without.
fn takes_btf(map: &Map) -> bool {
    !matches!(
        kind_of(map),
        Some(
            kind::BPF_MAP_TYPE_PERF_EVENT_ARRAY
                | kind::BPF_MAP_TYPE_CGROUP_ARRAY
                | kind::BPF_MAP_TYPE_STACK_TRACE
                | kind::BPF_MAP_TYPE_ARRAY_OF_MAPS
                | kind::BPF_MAP_TYPE_HASH_OF_MAPS
                | kind::BPF_MAP_TYPE_DEVMAP
                | kind::BPF_MAP_TYPE_DEVMAP_HASH
                | kind::BPF_MAP_TYPE_CPUMAP
                | kind::BPF_MAP_TYPE_XSKMAP
                | kind::BPF_MAP_TYPE_SOCKMAP
                | kind::BPF_MAP_TYPE_SOCKHASH
                | kind::BPF_MAP_TYPE_QUEUE
                | kind::BPF_MAP_TYPE_STACK
                | kind::BPF_MAP_TYPE_RINGBUF
                | kind::BPF_MAP_TYPE_USER_RINGBUF
                | kind::BPF_MAP_TYPE_ARENA
        )
    )
}

/// The kernel memory that a map takes, as the kernel accounts for it; `None` if the
/// kernel does not report it.
pub fn memory(map: &OwnedFd) -> Option<u64> {
    let path = format!("/proc/self/fdinfo/{}", map.as_raw_fd());
    parse_memlock(&fs::read_to_string(path).ok()?)
}

/// Reads `memlock` from the kernel's description of a file descriptor.
pub fn parse_memlock(fdinfo: &str) -> Option<u64> {
    fdinfo
        .lines()
        .find_map(|line| line.strip_prefix("memlock:")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_fdinfo() {
        let text = "pos:\t0\nmap_type:\t1\nkey_size:\t4\nmemlock:\t8192\nmap_id:\t3\n";
        assert_eq!(parse_memlock(text), Some(8192));
        assert_eq!(parse_memlock("map_type:\t1\n"), None);
    }

    #[test]
    fn what_needs_another_loader_is_said() {
        let map = Map::new_from_params(kind::BPF_MAP_TYPE_STRUCT_OPS as u32, 0, 0, 1, 0);
        let error = create("m", &map, 0, None, None, &Preset::default()).unwrap_err();
        let wanted = "map \"m\" cannot be made: it needs a loader of struct_ops maps";
        assert_eq!(error, wanted);
    }

    #[test]
    fn sizes_left_to_the_loader() {
        let entries = |kind: kind, given| {
            let map = Map::new_from_params(kind as u32, 4, 4, given, 0);
            max_entries(&map, 2)
        };
        let page = sys::page_bytes() as u32;
        assert_eq!(entries(kind::BPF_MAP_TYPE_HASH, 0), 1);
        let is_open =
            |kind: kind, given| is_open(&Map::new_from_params(kind as u32, 4, 4, given, 0));
        assert!(is_open(kind::BPF_MAP_TYPE_HASH, 0) && !is_open(kind::BPF_MAP_TYPE_HASH, 1));
        assert!(!is_open(kind::BPF_MAP_TYPE_RINGBUF, 0) && !is_open(kind::BPF_MAP_TYPE_CPUMAP, 0));
        assert_eq!(entries(kind::BPF_MAP_TYPE_HASH, 7), 7);
        assert_eq!(entries(kind::BPF_MAP_TYPE_RINGBUF, 0), page);
        assert_eq!(entries(kind::BPF_MAP_TYPE_RINGBUF, page + 1), 2 * page);
        assert_eq!(entries(kind::BPF_MAP_TYPE_TASK_STORAGE, 0), 0);
        for kind in [
            kind::BPF_MAP_TYPE_PERF_EVENT_ARRAY,
            kind::BPF_MAP_TYPE_CPUMAP,
        ] {
            assert_eq!(entries(kind, 0), 2);
            // Like libbpf and Aya: the object's value is not reduced.
            assert_eq!(entries(kind, 1024), 1024);
        }
    }

    #[test]
    fn keys_and_values_that_a_type_of_map_fixes() {
        let sizes = |kind: kind, key, value| {
            let map = Map::new_from_params(kind as u32, key, value, 1, 0);
            let request = request("m", &map, 0, None);
            (request.key_size, request.value_size)
        };
        assert_eq!(sizes(kind::BPF_MAP_TYPE_HASH, 4, 24), (4, 24));
        assert_eq!(sizes(kind::BPF_MAP_TYPE_RINGBUF, 0, 24), (0, 0));
        assert_eq!(sizes(kind::BPF_MAP_TYPE_USER_RINGBUF, 4, 24), (0, 0));
        for (key, value) in [(0, 0), (4, 4), (0, 24)] {
            let sizes = sizes(kind::BPF_MAP_TYPE_PERF_EVENT_ARRAY, key, value);
            assert_eq!(sizes, (4, 4));
        }
        assert_eq!(sizes(kind::BPF_MAP_TYPE_PROG_ARRAY, 4, 0), (4, 4));
        assert_eq!(sizes(kind::BPF_MAP_TYPE_HASH_OF_MAPS, 8, 0), (8, 4));
    }

    #[test]
    fn an_arena_has_an_address() {
        let extra = |kind: kind, extra| {
            let map = Map::new_from_params(kind as u32, 0, 0, 1, 0);
            request("m", &map, extra, None).extra
        };
        assert_eq!(extra(kind::BPF_MAP_TYPE_ARENA, 0), ARENA_ADDRESS);
        assert_eq!(extra(kind::BPF_MAP_TYPE_ARENA, 1 << 32), 1 << 32);
        assert_eq!(extra(kind::BPF_MAP_TYPE_BLOOM_FILTER, 0), 0);
    }

    #[test]
    fn types_that_take_no_btf() {
        let takes = |kind: kind| takes_btf(&Map::new_from_params(kind as u32, 4, 4, 1, 0));
        assert!(takes(kind::BPF_MAP_TYPE_HASH) && takes(kind::BPF_MAP_TYPE_TASK_STORAGE));
        for kind in [
            kind::BPF_MAP_TYPE_PERF_EVENT_ARRAY,
            kind::BPF_MAP_TYPE_RINGBUF,
            kind::BPF_MAP_TYPE_STACK_TRACE,
            kind::BPF_MAP_TYPE_QUEUE,
        ] {
            assert!(!takes(kind));
        }
    }
}
