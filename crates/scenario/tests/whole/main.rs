//! Text in, typed scenarios out; what is refused, and what is forecast.

mod bundle;
mod classes;
mod configured;
mod crossing;
mod crowd;
mod defaults;
mod doubts;
mod forecast;
mod guide;
mod idle;
mod in_order;
mod junos;
mod limits;
mod mutated;
mod peaks;
mod refused;
mod schema;
mod search;
mod set;
mod shipped;
mod traced;
