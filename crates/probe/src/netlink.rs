//! Lists that the kernel gives over netlink.

use std::io;

use netlink_packet_core::{NLM_F_DUMP, NLM_F_REQUEST, NetlinkBuffer, NlasIterator};
use netlink_sys::{Socket, SocketAddr};

/// Length of a message's header (`struct nlmsghdr`).
const HEADER: usize = 16;

/// `NLMSG_ERROR` and `NLMSG_DONE`.
const ERROR: u16 = 2;
const DONE: u16 = 3;

/// Most datagrams of one answer: a million sockets fit.
const DATAGRAMS_MAX: usize = 100_000;

/// A socket for questions of one kind.
pub(crate) struct Netlink {
    socket: Socket,
    asked: u32,
}

impl Netlink {
    /// Opens one for a protocol, such as `NETLINK_ROUTE`.
    pub(crate) fn open(protocol: isize) -> io::Result<Netlink> {
        let mut socket = Socket::new(protocol)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(Netlink { socket, asked: 0 })
    }

    /// Asks for the whole list of a kind and hands over the body of each entry.
    pub(crate) fn list(
        &mut self,
        kind: u16,
        question: &[u8],
        mut each: impl FnMut(&[u8]),
    ) -> io::Result<()> {
        self.asked = self.asked.wrapping_add(1);
        let mut message = vec![0; HEADER + question.len()];
        let length = message.len() as u32;
        let mut packet = NetlinkBuffer::new(&mut message);
        packet.set_length(length);
        packet.set_message_type(kind);
        packet.set_flags(NLM_F_REQUEST | NLM_F_DUMP);
        packet.set_sequence_number(self.asked);
        packet.payload_mut().copy_from_slice(question);
        self.socket.send(&message, 0)?;
        for _ in 0..DATAGRAMS_MAX {
            let (bytes, _) = self.socket.recv_from_full()?;
            if self.entries(&bytes, &mut each)? {
                return Ok(());
            }
        }
        Err(io::Error::other("the kernel's list has no end"))
    }

    /// The entries of a datagram; whether it was the last.
    fn entries(&self, bytes: &[u8], each: &mut impl FnMut(&[u8])) -> io::Result<bool> {
        let mut rest = bytes;
        while let Ok(packet) = NetlinkBuffer::new_checked(rest) {
            let length = packet.length() as usize;
            let body = &rest[HEADER.min(length)..length];
            let ours = packet.sequence_number() == self.asked;
            match packet.message_type() {
                DONE if ours => return Ok(true),
                ERROR if ours => return Err(refusal(body)),
                _ if ours => each(body),
                // Left from a question that was given up.
                _ => {}
            }
            let next = length.next_multiple_of(4);
            if length < HEADER || next >= rest.len() {
                break;
            }
            rest = &rest[next..];
        }
        Ok(false)
    }
}

/// Why the kernel did not answer: a negative `errno` begins the message.
fn refusal(body: &[u8]) -> io::Error {
    let number = body.first_chunk::<4>().map(|b| i32::from_ne_bytes(*b));
    io::Error::from_raw_os_error(number.map_or(0, i32::wrapping_neg))
}

/// The attributes behind the first `fixed` bytes of an entry: kind and value.
pub(crate) fn attributes(body: &[u8], fixed: usize) -> impl Iterator<Item = (u16, &[u8])> {
    let rest = body.get(fixed..).unwrap_or_default();
    NlasIterator::new(rest)
        .map_while(Result::ok)
        .map(|nla| (nla.kind(), nla.into_inner()))
        // What an iterator gives begins with the attribute's header and may have more behind it.
        .filter_map(|(kind, whole)| {
            let length = usize::from(u16::from_ne_bytes(*whole.first_chunk::<2>()?));
            Some((kind, whole.get(4..length)?))
        })
}

/// A text that ends with a zero.
pub(crate) fn text(value: &[u8]) -> String {
    let end = value.iter().position(|b| *b == 0).unwrap_or(value.len());
    String::from_utf8_lossy(&value[..end]).into_owned()
}

/// A number of the machine's byte order.
pub(crate) fn number(value: &[u8]) -> Option<u32> {
    value.first_chunk::<4>().map(|b| u32::from_ne_bytes(*b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_end_where_their_lengths_end() {
        let mut bytes = vec![9; 4];
        bytes.extend([7_u16, 1].iter().flat_map(|n| n.to_ne_bytes()));
        bytes.extend(b"fq\0\0");
        bytes.extend([8_u16, 2].iter().flat_map(|n| n.to_ne_bytes()));
        bytes.extend(5_u32.to_ne_bytes());
        let all: Vec<(u16, &[u8])> = attributes(&bytes, 4).collect();
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].0, text(all[0].1).as_str()), (1, "fq"));
        assert_eq!((all[1].0, number(all[1].1)), (2, Some(5)));
        // One that is cut off is not read, and neither is anything of an entry that is too short.
        assert_eq!(attributes(&bytes[..14], 4).count(), 1);
        assert_eq!(attributes(&bytes, 400).count(), 0);
    }
}
