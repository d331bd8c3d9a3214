//! Makes the maps of an object, as its programs and the verifier are to see them.

use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};

use aya_obj::Map;
use aya_obj::generated::bpf_map_type as kind;

use crate::bpf_load::{self, MapCreate};
use crate::object::is_constant;
use crate::sys;

/// Makes a map; `btf` describes its keys and values. The error is one line.
///
/// Pinning is left out. Where the object leaves `max_entries` to its loader, it is the
/// number of CPUs for a perf event array, a page for a ring buffer, else 1.
pub fn create(name: &str, map: &Map, btf: Option<&OwnedFd>) -> Result<OwnedFd, String> {
    let is = |wanted: kind| map.map_type() == wanted as u32;
    if is(kind::BPF_MAP_TYPE_ARENA) || is(kind::BPF_MAP_TYPE_STRUCT_OPS) {
        return Err(format!(
            "the loader cannot make map {name:?}: it lacks arenas and struct_ops"
        ));
    }
    let inner = if is(kind::BPF_MAP_TYPE_ARRAY_OF_MAPS) || is(kind::BPF_MAP_TYPE_HASH_OF_MAPS) {
        let inner = map.inner().ok_or_else(|| {
            format!("map {name:?} could not be made: the object does not say what maps it holds")
        })?;
        Some(create(&format!("{name}.inner"), &inner, btf)?)
    } else {
        None
    };
    let request = request(name, map, inner.as_ref());
    // As libbpf: not every type of map takes BTF, on every kernel.
    let described = match (map, btf) {
        (Map::Btf(definition), Some(btf)) => {
            let def = &definition.def;
            Some((btf, def.btf_key_type_id, def.btf_value_type_id))
        }
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
            format!(
                "map {name:?} could not be made: {}",
                sys::errno_name(&error)
            )
        })?;
    if map.data().iter().any(|&byte| byte != 0) {
        bpf_load::set_first(&made, &request, map.data())
            .map_err(|error| format!("map {name:?} could not be filled: {error}"))?;
    }
    if is_constant(map) {
        bpf_load::freeze(&made)
            .map_err(|error| format!("map {name:?} could not be frozen: {error}"))?;
    }
    Ok(made)
}

fn request<'a>(name: &'a str, map: &Map, inner: Option<&'a OwnedFd>) -> MapCreate<'a> {
    let is = |wanted: kind| map.map_type() == wanted as u32;
    let storage = is(kind::BPF_MAP_TYPE_SK_STORAGE)
        || is(kind::BPF_MAP_TYPE_TASK_STORAGE)
        || is(kind::BPF_MAP_TYPE_INODE_STORAGE)
        || is(kind::BPF_MAP_TYPE_CGROUP_STORAGE_DEPRECATED)
        || is(kind::BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE_DEPRECATED)
        || is(kind::BPF_MAP_TYPE_CGRP_STORAGE);
    let page = sys::page_bytes() as u32;
    let max_entries = match map.max_entries() {
        given if is(kind::BPF_MAP_TYPE_RINGBUF) || is(kind::BPF_MAP_TYPE_USER_RINGBUF) => {
            // Pages, in a power of two, as libbpf has it.
            given.max(page).checked_next_power_of_two().unwrap_or(given)
        }
        0 if storage => 0,
        0 if is(kind::BPF_MAP_TYPE_PERF_EVENT_ARRAY) => sys::online_cpus(),
        0 => 1,
        given => given,
    };
    MapCreate {
        map_type: map.map_type(),
        key_size: map.key_size(),
        value_size: map.value_size(),
        max_entries,
        flags: map.map_flags(),
        extra: map.map_extra(),
        name,
        inner,
        btf: None,
    }
}

/// What a map takes of the kernel's memory, as the kernel accounts for it; `None` when
/// it does not say.
pub fn memory(map: &OwnedFd) -> Option<u64> {
    let path = format!("/proc/self/fdinfo/{}", map.as_raw_fd());
    parse_memlock(&fs::read_to_string(path).ok()?)
}

/// `memlock` of the text that describes a file descriptor.
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
    fn sizes_left_to_the_loader() {
        let entries = |kind: kind, given| {
            let map = Map::new_from_params(kind as u32, 4, 4, given, 0);
            request("m", &map, None).max_entries
        };
        let page = sys::page_bytes() as u32;
        assert_eq!(entries(kind::BPF_MAP_TYPE_HASH, 0), 1);
        assert_eq!(entries(kind::BPF_MAP_TYPE_HASH, 7), 7);
        assert_eq!(entries(kind::BPF_MAP_TYPE_RINGBUF, 0), page);
        assert_eq!(entries(kind::BPF_MAP_TYPE_RINGBUF, page + 1), 2 * page);
        assert_eq!(entries(kind::BPF_MAP_TYPE_TASK_STORAGE, 0), 0);
        let cpus = entries(kind::BPF_MAP_TYPE_PERF_EVENT_ARRAY, 0);
        assert_eq!(cpus, sys::online_cpus());
    }
}
