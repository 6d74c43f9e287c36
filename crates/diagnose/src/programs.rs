//! What programs wait for: requests one by one, names, logins, servers.

pub(crate) mod each_file;
pub(crate) mod fetched;
pub(crate) mod fetches;
pub(crate) mod follow;
pub(crate) mod held_small;
pub(crate) mod idle_session;
pub(crate) mod long_requests;
pub(crate) mod one_by_one;
pub(crate) mod opened;
pub(crate) mod read_ahead;
pub(crate) mod request_times;
pub(crate) mod requests;
pub(crate) mod searched_names;
pub(crate) mod server_wait;
pub(crate) mod silent_names;
pub(crate) mod slow_login;
pub(crate) mod slow_server;
pub(crate) mod small_files;
pub(crate) mod split;
pub(crate) mod stream_window;
pub(crate) mod turns;
pub(crate) mod unasked_rate;
pub(crate) mod unrated;
