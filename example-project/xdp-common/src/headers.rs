//! Headers: reads the IPv4 source address from the bytes of a frame.

/// Length of an Ethernet header without a VLAN tag, in bytes.
pub const ETHERNET_HEADER_LEN: usize = 14;
/// Length of an IPv4 header without options, in bytes.
pub const IPV4_HEADER_LEN: usize = 20;

const ETHER_TYPE_OFFSET: usize = 12;
const ETHER_TYPE_IPV4: u16 = 0x0800;
const VERSION_AND_LENGTH_OFFSET: usize = ETHERNET_HEADER_LEN;
const SOURCE_OFFSET: usize = ETHERNET_HEADER_LEN + 12;
/// Smallest value of the header length field, which counts words of four bytes.
const MIN_HEADER_WORDS: u8 = 5;

/// The bytes of a packet, read with a bounds check each time.
///
/// User space reads a slice. The kernel side reads between the `data` and `data_end` of its
/// context, where the verifier requires the same check.
pub trait Frame {
    /// The `N` bytes that start at `offset`, or `None` if the packet ends before them.
    fn read<const N: usize>(&self, offset: usize) -> Option<[u8; N]>;
}

impl Frame for [u8] {
    #[inline]
    fn read<const N: usize>(&self, offset: usize) -> Option<[u8; N]> {
        self.get(offset..)?.first_chunk().copied()
    }
}

/// The source address of an IPv4 packet in an Ethernet frame, in host byte order.
///
/// `None` for any other kind of packet, and if the packet ends within its IPv4 header.
#[inline]
pub fn source_address<F: Frame + ?Sized>(frame: &F) -> Option<u32> {
    if u16::from_be_bytes(frame.read(ETHER_TYPE_OFFSET)?) != ETHER_TYPE_IPV4 {
        return None;
    }
    let header: [u8; IPV4_HEADER_LEN] = frame.read(ETHERNET_HEADER_LEN)?;
    let version_and_words = header[VERSION_AND_LENGTH_OFFSET - ETHERNET_HEADER_LEN];
    if version_and_words >> 4 != 4 || version_and_words & 0x0f < MIN_HEADER_WORDS {
        return None;
    }
    let source = SOURCE_OFFSET - ETHERNET_HEADER_LEN;
    Some(u32::from_be_bytes([
        header[source],
        header[source + 1],
        header[source + 2],
        header[source + 3],
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ipv4_frame() -> [u8; 60] {
        let mut frame = [0; 60];
        frame[12..14].copy_from_slice(&[0x08, 0x00]);
        frame[14] = 0x45;
        frame[26..30].copy_from_slice(&[198, 18, 0, 7]);
        frame
    }

    #[test]
    fn reads_the_source_address_in_host_byte_order() {
        assert_eq!(source_address(&ipv4_frame()[..]), Some(0xc612_0007));
    }

    #[test]
    fn a_frame_that_ends_before_its_headers_has_no_source_address() {
        let frame = ipv4_frame();
        let headers = ETHERNET_HEADER_LEN + IPV4_HEADER_LEN;
        for length in 0..headers {
            assert_eq!(source_address(&frame[..length]), None, "{length} bytes");
        }
        for length in headers..=frame.len() {
            assert!(source_address(&frame[..length]).is_some(), "{length} bytes");
        }
    }

    #[test]
    fn other_protocols_have_no_source_address() {
        for ether_type in [[0x86, 0xdd], [0x08, 0x06], [0x81, 0x00], [0x00, 0x08]] {
            let mut frame = ipv4_frame();
            frame[12..14].copy_from_slice(&ether_type);
            assert_eq!(source_address(&frame[..]), None, "{ether_type:02x?}");
        }
    }

    #[test]
    fn a_header_that_contradicts_itself_has_no_source_address() {
        for version_and_words in [0x65, 0x05, 0x44, 0x40] {
            let mut frame = ipv4_frame();
            frame[14] = version_and_words;
            assert_eq!(source_address(&frame[..]), None, "{version_and_words:#x}");
        }
    }

    #[test]
    fn options_do_not_move_the_source_address() {
        let mut frame = ipv4_frame();
        frame[14] = 0x4f;
        assert_eq!(source_address(&frame[..]), Some(0xc612_0007));
    }
}
