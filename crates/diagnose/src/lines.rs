//! How fast a line is, who fills it, and what shapes or polices it.

pub(crate) mod below_line;
pub(crate) mod bloat;
pub(crate) mod burst;
pub(crate) mod conditioned;
pub(crate) mod exceeded;
pub(crate) mod filled;
pub(crate) mod filled_beside;
pub(crate) mod filled_shaper;
pub(crate) mod group;
pub(crate) mod guessed_line;
pub(crate) mod leaves;
pub(crate) mod lower_port;
pub(crate) mod named_speed;
pub(crate) mod others;
pub(crate) mod others_queue;
pub(crate) mod own_pace;
pub(crate) mod own_queue;
pub(crate) mod round_robin;
pub(crate) mod service;
pub(crate) mod shared_queue;
pub(crate) mod simple_queue;
pub(crate) mod slower_line;
pub(crate) mod sold_rate;
pub(crate) mod unnamed_line;
pub(crate) mod usual_datagrams;
pub(crate) mod varying_rate;
