//! What a capture says: of pcap and pcapng bytes, packet by packet, every TCP connection, what each segment was, and
//! what it comes to; and flows of UDP and ICMP beside them.
//!
//! [`analyse`] reads captures from whatever gives bytes and makes a [`TraceDocument`] of them. It opens no file, reads
//! no clock, and keeps a bounded amount of memory whatever it is given. What limited a connection is decided by
//! `observe`, from the flights that are seen here.

mod acks;
mod analysis;
mod capture;
mod classify;
mod clock;
mod connection;
mod describe;
mod error;
mod event;
mod exchanges;
mod filter;
mod flights;
mod flows;
mod found;
mod fragments;
mod glitches;
mod in_use;
mod index;
mod input;
mod link;
mod loss_by_size;
mod lost_answers;
mod noted;
mod observed;
mod opening;
mod overlap;
mod pairs;
mod passages;
mod peel;
mod plateau;
mod points;
mod policer;
mod probe_rtt;
mod ranges;
mod room;
mod rtt;
mod sack_benefit;
mod segment;
mod sizes;
mod spacing;
mod stream;
mod table;
mod tls;
mod trail;
mod undecided;
mod unseen_timeout;
mod work;

pub use acks::Acks;
pub use analysis::{Analysis, Source, Watch, analyse, analyse_some, compare, trail};
pub use capture::is_capture;
pub use error::TraceError;
pub use farpath_record::trace::TraceDocument;
pub use filter::Filter;
pub use found::{DirectionFound, SegmentSeen, Unanswered};
pub use pairs::Paired;
pub use trail::{Mark, Marks, Trail, Wanted};
