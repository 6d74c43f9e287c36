//! IOS010: misspelt words where a command has a closed set of them.

use crate::commands::{Kind, Reader, Tree, Word, Words, fit};
use crate::finding::quoted;
use crate::near::nearest;
use crate::rules::IOS010;

/// What commands begin with, and the words that they may go on with.
const CLOSED: [(&str, &str); 22] = [
    ("~mls ~qos trust", "cos dscp ip-precedence extend device"),
    ("trust", "cos dscp ip-precedence device"),
    (
        "~switchport",
        "access autostate backup block dot1ad dot1q host mode monitor nonegotiate port-security priority private-vlan protected trunk vlan voice",
    ),
    (
        "~switchport ~mode",
        "access dot1q-tunnel dynamic fex-fabric monitor private-vlan trunk",
    ),
    (
        "~switchport ~trunk",
        "allowed encapsulation ethertype native pruning",
    ),
    ("~switchport ~trunk ~encapsulation", "dot1q isl negotiate"),
    ("~duplex", "auto full half"),
    ("~speed", "auto nonegotiate"),
    ("~flowcontrol", "receive send"),
    ("~flowcontrol ~receive|send", "desired off on"),
    ("~channel-group * mode", "active auto desirable on passive"),
    ("~bundle ~id * mode", "active inherit on passive"),
    ("~ip|ipv4|ipv6 ~access-group *", "egress in ingress out"),
    ("~ipv6 ~traffic-filter *", "in out"),
    (
        "~encapsulation",
        "aal0 aal1 aal2 aal5autoppp aal5ciscoppp aal5mux aal5nlpid aal5snap atm-dxi default dot1ad dot1q frame-relay hdlc isl l2tpv2 l2tpv3 lapb mpls ppp priority-tagged sde slip smds tcp udp untagged vxlan x25",
    ),
    (
        "~storm-control",
        "action broadcast level multicast trap unicast",
    ),
    ("srr-queue bandwidth", "limit shape share"),
    ("priority-queue", "cos-map dscp-map out queue-limit"),
    (
        "wrr-queue",
        "bandwidth cos-map dscp-map queue-limit random-detect threshold",
    ),
    (
        "shape",
        "adaptive average fecn-adapt fr-voice-adapt max max-buffers min peak percent",
    ),
    (
        "conform-action|exceed-action|violate-action",
        "drop policed-dscp policed-dscp-transmit set set-clp-transmit set-cos-inner-transmit set-cos-transmit set-discard-class-transmit set-dscp-transmit set-dscp-tunnel-transmit set-frde-transmit set-mpls-exp-imposition-transmit set-mpls-exp-topmost-transmit set-mpls-exp-transmit set-prec-transmit set-prec-tunnel-transmit set-qos-transmit transmit",
    ),
    (
        "match",
        "access-group access-list all any application as-path atm atm-clp atm-vci class-map clns community cos destination-address dhcp discard-class dscp ethertype evpn extcommunity field flow fr-de fr-dlci fvrf group input-interface interface invoke ip ipv4 ipv6 length local-preference mac-list mdt-group metadata metric mpls mpls-label nlri not packet policy-list port precedence protocol qos-group route-type rpki rtp security-group source source-address source-protocol start tag tos traffic-class transport url user-data vlan vpls vrf wlan",
    ),
];

/// IOS010, of the statements of a text.
pub(super) fn check(tree: &Tree<'_>, reader: &mut Reader) {
    let all = tree.lines().iter().enumerate();
    for (number, line) in all.filter(|(_, line)| line.kind == Kind::Statement) {
        let mut words = Words::new(tree.content(number), line.span.start);
        let _ = words.accept("no") || words.accept("default");
        for (command, known) in CLOSED {
            if let Some((.., mut rest)) = fit(command, words)
                && let Some(word) = rest.next()
            {
                slip(reader, word, known.split(' '));
            }
        }
    }
}

/// IOS010, of a word that is nearly one of `known`; the beginning of one is the word itself to IOS.
pub(super) fn slip<'k>(
    reader: &mut Reader,
    word: Word<'_>,
    known: impl Iterator<Item = &'k str> + Clone,
) {
    let text = word.text.to_ascii_lowercase();
    if word.is_numeral() || known.clone().any(|k| k.starts_with(&text)) {
        return;
    }
    let Some(meant) = nearest(known, &text) else {
        return;
    };
    let message = format!(
        "`{}` is not a word of this command; the switch refuses the whole line",
        quoted(word.text)
    );
    reader.fault(&IOS010, word.span(), message, &format!("write `{meant}`"));
}
