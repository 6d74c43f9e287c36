//! What IOS XR and NX-OS have besides IOS, and that has no bearing on queues, classes and circuits.

/// Of the configuration itself, of IOS XR; such a line takes its section with it.
pub(super) const OF_XR: &str = "as-path-set|bfd|bgp|commit|community-set|controller|dhcp|domain|ethernet|evpn|extcommunity-set|fpd|flow|grpc|group|hw-module|install|ipv4|l2vpn|lacp|lawful-intercept|monitor-session|multicast-routing|nsr|performance-measurement|prefix-set|rd-set|root|route-policy|rp|rsvp|sampler-map|segment-routing|ssh|taskgroup|tcp|telemetry|telnet|tpa|usergroup|virtual-instance|xml";

/// Of the configuration itself, of NX-OS.
pub(super) const OF_NXOS: &str = "bfd|callhome|cfs|cli|copp|ethernet|evpn|fabric|feature|feature-set|fex|hardware|icam|install|ipqos|lacp|nv|nxapi|password|peer-keepalive|port-profile|role|rmon|slot|ssh|telemetry|vdc|vpc|xml";

/// On interfaces of IOS XR and NX-OS.
pub(super) const ON_INTERFACES: [&str; 3] = [
    "bfd|bundle|dampening|damping|ethernet|fabric|fec|fex|flow|forwarding-instance|frequency|hardware|hsrp|ipv4|l2protocol|l2transport|link",
    "mac-accounting|medium|member|negotiate|nve|performance-measurement|priority-flow-control|private-vlan|propagate|ptp|rewrite|router|segment-routing",
    "source-interface|telemetry|transceiver|tunnel-te|vpc|beacon|transport-mode|monitor-session|logging|host-reachability|no-shutdown",
];
