//! Hosts of their own in real time, as a user meets them. As root, or where user namespaces are allowed.

#![allow(
    clippy::disallowed_methods,
    reason = "these tests give files to a program and read those it writes"
)]

mod arranged;
mod capture;
mod command;
mod control;
mod emulated;
mod faults;
mod lab;
mod limits;
mod live;
mod place;
mod runners;
mod starts;
mod whole_run;
mod witnesses;
