//! From a ticket to a cause: texts that other tools printed become facts, and facts a verdict.
//!
//! [`read()`] recognises what a text is made of, also where several things were pasted into one, and gives
//! [`Facts`]: a name, a value with its error, whom it is about, and the line it was read in. [`diagnose`] makes of
//! them, for each flow, every ceiling beside the measured rate, the cause with its confidence, what is missing and
//! what to change. Connections of captures join them as [`Facts::capture`]. Nothing here opens a file or a socket, and a line
//! that is not understood is counted and left.

mod account;
mod advice;
mod around;
mod asking;
mod before_losses;
mod blackout;
mod bloat;
mod burst;
mod bypassed;
mod bystander;
mod captured;
mod cause;
mod ceiling;
mod channel;
mod cloud;
mod commanded;
mod compared;
mod conditioned;
mod contradicted;
mod core;
mod counted;
mod datagrams;
mod document;
mod dropping_port;
mod duplex;
mod duplicates;
mod either_end;
mod even;
mod evidence;
mod exceeded;
mod fact;
mod fetched;
mod filed;
mod first_hop;
mod fitted;
mod flow;
mod follow;
mod group;
mod guessed_line;
mod half_port;
mod handshake;
mod held_small;
mod history;
mod holes;
mod host;
mod incomplete;
mod infer;
mod intercepted;
mod interface;
mod intervals;
mod items;
mod known;
mod leaves;
mod located;
mod lookalike;
mod lossy_back;
mod machine;
mod member;
mod memory;
mod missing;
mod mounted;
mod negotiated;
mod observed;
mod on_the_wire;
mod opened;
mod opening;
mod options;
mod other_test;
mod outage;
mod overrun;
mod overshoot;
mod own_drops;
mod own_pace;
mod own_queue;
mod part;
mod passed;
mod pattern;
mod pauses;
mod pinged;
mod placed;
mod ports;
mod read;
mod read_again;
mod recounted;
mod recovering;
mod redact;
mod requests;
mod rest;
mod restart;
mod roles;
mod room;
mod routes;
mod seen;
mod segments;
mod shares;
mod shrunk;
mod signs;
mod slot;
mod slow_reader;
mod slower_line;
mod snapshot;
mod sockets;
mod split;
mod standing;
mod stepped;
mod stood;
mod stops;
mod stuck;
mod tally;
mod target;
mod ticket;
mod turns;
mod twin;
mod unlike_mtus;
mod unmissed;
mod unnamed_line;
mod unread;
mod verdict;
mod watched;
mod way_back;
mod weights;
mod words;

pub use account::Account;
pub use cause::Cause;
pub use document::{
    Ceiling, Change, Contradiction, Diagnosis, FlowReport, MissingFact, Observed, Piece, Ranked,
    Stream, Then, VerdictReport, Verify,
};
pub use fact::{Fact, Figure, Of, Place, Value};
pub use history::{Change as RateChange, History, shown};
pub use host::{
    Congestion, HostCeiling, HostPath, HostReport, HostVerdict, How, PathAsked, RateAt, Way, judge,
};
pub use known::{Known, System};
pub use read::{Facts, LiveFlow, LiveRow, Source, read};
pub(crate) use redact::address;
pub use redact::redact;
pub use seen::{End, Report, Side, Test};
pub use twin::{NoTwin, Run, Twin, twin};
pub use verdict::{Unfitted, diagnose, unfitted};
