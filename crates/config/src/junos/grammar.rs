//! The statements farpath reads, one path a line.
//!
//! `<>` is a name the user chose, `=` one value, `*` any number of values, `**` anything below.
//! `|` parts alternatives of one word.

/// The paths; a path's prefixes are statements too.
pub(super) const GRAMMAR: &str = "
version =
system host-name =
system **
chassis|snmp|policy-options|event-options|applications|access|accounting-options|poe|virtual-chassis|vlans|bridge-domains|multi-chassis **
security zones|policies|nat|screen|ike|ipsec|log|alg|address-book|pki|idp|utm|ssh-known-hosts|forwarding-options|application-tracking **
routing-options **
protocols bgp|lldp|lldp-med|bfd|pim|igmp|igmp-snooping|mld|stp|rstp|mstp|vstp|router-advertisement|oam|layer2-control|sflow **
groups <> **
interfaces <> description =
interfaces <> disable
interfaces <> mtu =
interfaces <> speed =
interfaces <> link-mode =
interfaces <> encapsulation =
interfaces <> vlan-tagging|flexible-vlan-tagging|stacked-vlan-tagging|keepalives|no-keepalives|per-unit-scheduler|traps|no-traps
interfaces <> native-vlan-id =
interfaces <> clocking =
interfaces <> hold-time up <> down =
interfaces <> hold-time down <> up =
interfaces <> gigether-options|ether-options|fastether-options flow-control|no-flow-control|auto-negotiation|no-auto-negotiation|loopback|no-loopback
interfaces <> gigether-options|ether-options|fastether-options speed|link-mode =
interfaces <> gigether-options|ether-options|fastether-options|sonet-options 802.3ad|aggregate =
interfaces <> sonet-options fcs =
interfaces <> sonet-options payload-scrambler|no-payload-scrambler|rfc-2615|z0-increment|no-z0-increment
interfaces <> aggregated-ether-options|aggregated-sonet-options minimum-links|link-speed =
interfaces <> aggregated-ether-options lacp **
interfaces <> unit <> description =
interfaces <> unit <> disable
interfaces <> unit <> encapsulation =
interfaces <> unit <> bandwidth =
interfaces <> unit <> vlan-id =
interfaces <> unit <> vlan-id-list|vlan-id-range *
interfaces <> unit <> clear-dont-fragment-bit
interfaces <> unit <> tunnel source|destination|key|ttl|traffic-class =
interfaces <> unit <> tunnel allow-fragmentation|do-not-fragment|path-mtu-discovery|no-path-mtu-discovery
interfaces <> unit <> tunnel routing-instance **
interfaces <> unit <> vlan-tags outer <> inner =
interfaces <> unit <> vlan-tags inner <> outer =
interfaces <> unit <> input-vlan-map|output-vlan-map **
interfaces <> unit <> family inet|inet6|mpls|ccc|iso mtu =
interfaces <> unit <> family inet|inet6|mpls|ccc filter input|output|group =
interfaces <> unit <> family inet|inet6|mpls|ccc policer input|output|arp =
interfaces <> unit <> family inet|inet6 address <> primary|preferred
interfaces <> unit <> family inet no-redirects
interfaces <> unit <> family inet|inet6 rpf-check|sampling|dhcp|dhcp-client|unnumbered-address|targeted-broadcast|no-neighbor-learn **
interfaces <> unit <> family inet|inet6 address <> vrrp-group|vrrp-inet6-group|arp|ndp|virtual-gateway-address|master-only **
interfaces <> unit <> family ethernet-switching|bridge|vpls **
interfaces <> unit <> family inet|inet6 tcp-mss =
interfaces <> unit <> family iso address <>
interfaces <> unit <> family mpls maximum-labels =
interfaces interface-range <> member *
interfaces interface-range <> member-range <> to =
interfaces interface-range <> **
security flow tcp-mss all-tcp|ipsec-vpn|gre-in|gre-out mss =
routing-options router-id =
routing-options autonomous-system =
routing-options static **
protocols rsvp interface <> bandwidth =
protocols rsvp interface <> subscription =
protocols rsvp interface <> disable
protocols rsvp interface <> aggregate|no-aggregate|reliable|no-reliable
protocols rsvp interface <> hello-interval|update-threshold =
protocols rsvp interface <> link-protection **
protocols mpls explicit-null|no-propagate-ttl|no-decrement-ttl|icmp-tunneling|no-cspf|disable
protocols mpls traffic-engineering =
protocols mpls optimize-timer =
protocols mpls statistics **
protocols mpls admin-groups <> =
protocols mpls interface <> disable
protocols mpls interface <> admin-group *
protocols mpls path <> <> strict|loose
protocols mpls label-switched-path <> description|from|to|bandwidth|metric|hop-limit|class-of-service|retry-timer|retry-limit|optimize-timer =
protocols mpls label-switched-path <> no-cspf|no-decrement-ttl|ldp-tunneling|adaptive|disable|record|no-record|link-protection|node-link-protection|soft-preemption
protocols mpls label-switched-path <> fast-reroute **
protocols mpls label-switched-path <> priority <>
protocols mpls label-switched-path <> install **
protocols mpls label-switched-path <> p2mp **
protocols mpls label-switched-path <> admin-group **
protocols mpls label-switched-path <> primary|secondary <> bandwidth|hop-limit =
protocols mpls label-switched-path <> primary|secondary <> standby|no-cspf|adaptive
protocols mpls static-label-switched-path <> **
protocols connections interface-switch <> interface *
protocols connections remote-interface-switch <> interface|transmit-lsp|receive-lsp =
protocols connections lsp-switch <> transmit-lsp|receive-lsp =
protocols connections p2mp-transmit-switch|p2mp-receive-switch <> **
protocols ospf|ospf3 traffic-engineering **
protocols ospf|ospf3 area <> interface <> **
protocols isis traffic-engineering **
protocols isis interface <> **
protocols isis level <> **
protocols ldp interface <> **
protocols l2circuit neighbor <> interface <> virtual-circuit-id|encapsulation-type|mtu|description =
protocols l2circuit neighbor <> interface <> ignore-mtu-mismatch|control-word|no-control-word
class-of-service forwarding-classes class <> queue-num =
class-of-service forwarding-classes queue <> <>
class-of-service schedulers <> transmit-rate percent|remainder|exact|rate-limit <> exact|rate-limit
class-of-service schedulers <> transmit-rate <> exact|rate-limit
class-of-service schedulers <> buffer-size percent|remainder|temporal <>
class-of-service schedulers <> priority|shaping-rate =
class-of-service schedulers <> drop-profile-map **
class-of-service drop-profiles <> **
class-of-service scheduler-maps <> forwarding-class <> scheduler =
class-of-service interfaces <> scheduler-map|shaping-rate =
class-of-service interfaces <> unit <> scheduler-map|shaping-rate|forwarding-class =
class-of-service interfaces <> unit <> classifiers|rewrite-rules dscp|exp|ieee-802.1|inet-precedence <>
class-of-service classifiers|rewrite-rules dscp|exp|ieee-802.1|inet-precedence <> import =
class-of-service classifiers|rewrite-rules dscp|exp|ieee-802.1|inet-precedence <> forwarding-class <> loss-priority <> code-points|code-point *
class-of-service code-point-aliases **
firewall policer <> if-exceeding bandwidth-limit|bandwidth-percent|burst-size-limit =
firewall policer <> then discard
firewall policer <> then loss-priority|forwarding-class =
firewall policer <> logical-interface-policer|physical-interface-policer|filter-specific
firewall filter <> interface-specific|physical-interface-filter
firewall filter <> term <> from **
firewall filter <> term <> then policer|forwarding-class|loss-priority|count =
firewall filter <> term <> then accept|discard|reject|log|sample
firewall family inet|inet6|mpls|ccc|any filter <> interface-specific|physical-interface-filter
firewall family inet|inet6|mpls|ccc|any filter <> term <> from **
firewall family inet|inet6|mpls|ccc|any filter <> term <> then policer|forwarding-class|loss-priority|count =
firewall family inet|inet6|mpls|ccc|any filter <> term <> then accept|discard|reject|log|sample
";

/// The statements that make a difference to a run, and those that only name and describe, of which
/// nobody expects it. Whatever else is understood has no effect in a run.
pub(super) const EFFECT: &str = "
version **
system host-name **
groups **
interfaces <> description **
interfaces <> mtu =
interfaces <> encapsulation =
interfaces <> vlan-tagging|flexible-vlan-tagging
interfaces <> native-vlan-id =
interfaces <> unit <> description **
interfaces <> unit <> encapsulation =
interfaces <> unit <> vlan-id =
interfaces <> unit <> family inet address <>
interfaces <> unit <> family ccc|mpls
interfaces <> unit <> family mpls mtu =
interfaces <> unit <> family inet|mpls|ccc filter|policer input|output =
interfaces <> unit <> family inet|inet6 tcp-mss =
interfaces interface-range **
security flow tcp-mss all-tcp mss =
routing-options router-id =
protocols mpls explicit-null
protocols mpls path <> <>
protocols mpls label-switched-path <> description **
protocols mpls label-switched-path <> to|primary|disable **
protocols connections interface-switch **
protocols connections remote-interface-switch <> interface|transmit-lsp|receive-lsp =
protocols connections lsp-switch <> transmit-lsp|receive-lsp =
class-of-service forwarding-classes **
class-of-service schedulers <> transmit-rate percent <>
class-of-service schedulers <> transmit-rate remainder
class-of-service schedulers <> transmit-rate <>
class-of-service schedulers <> buffer-size percent|temporal <>
class-of-service schedulers <> buffer-size remainder
class-of-service schedulers <> priority =
class-of-service scheduler-maps **
class-of-service interfaces <> scheduler-map|shaping-rate =
class-of-service interfaces <> unit <> forwarding-class|shaping-rate =
class-of-service interfaces <> unit <> classifiers dscp|exp|inet-precedence <>
class-of-service classifiers dscp|exp|inet-precedence <> import =
class-of-service classifiers dscp|exp|inet-precedence <> forwarding-class <> loss-priority <> code-points|code-point *
firewall policer <> if-exceeding bandwidth-limit|bandwidth-percent|burst-size-limit =
firewall policer <> then discard
firewall filter <> term <> from **
firewall filter <> term <> then policer =
firewall filter <> term <> then accept|discard|reject
firewall family inet|mpls|ccc filter <> term <> from **
firewall family inet|mpls|ccc filter <> term <> then policer =
firewall family inet|mpls|ccc filter <> term <> then accept|discard|reject
";
