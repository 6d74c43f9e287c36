//! Every check: its id, severity, title, and why it matters.

use farpath_record::{Rule, rules};

rules! {
    /// Every check, by what it is about: a text that cannot be read, circuits, quality of service, ATM
    /// circuits, the text of Junos routers and of switches, hosts.
    pub RULES:

    CONFIG001 Error "text that cannot be read"
        "what was not read was not checked";

    CCC001 Error "undefined transmit LSP"
        "A connection sends into an LSP that must start on its own router: `transmit-lsp` names one defined there.";
    CCC002 Error "dangling receive LSP"
        "A connection takes from an LSP that must end on its router: `receive-lsp` names one defined on the router at the other end.";
    CCC003 Error "tail mismatch"
        "An LSP of the right name exists, and its `to` leads to another router: nothing ever arrives.";
    CCC004 Error "open end"
        "The LSP ends on a router where no connection takes from it: frames of the circuit are lost there.";
    CCC005 Error "ambiguous"
        "An LSP or interface belongs to one connection only, and an LSP's name to one head for each tail; the router takes one and leaves the other down.";
    CCC006 Error "stitch loop"
        "The stitching leads back into an LSP of the same circuit: frames go round until their label's TTL runs out.";
    CCC007 Error "wrong far interface"
        "A circuit must lead back from its far end to where it started: forward and reverse chains are stitched apart.";
    CCC008 Error "missing reverse switch"
        "`lsp-switch` works one way. Each router that stitches the forward chain needs a second `lsp-switch` for the reverse chain.";
    CCC009 Warning "asymmetric chain"
        "Forward and reverse chain differ in length or in links. It works; the two directions have different delays and shares of the links.";
    CCC010 Error "static LSP stitched"
        "Only signalled LSPs can be stitched: `lsp-switch` with a static LSP stays down.";
    CCC011 Error "encapsulation mismatch"
        "The two ends of a circuit must be interfaces of one kind with one CCC encapsulation, and the unit's must fit the port's; what enters at one end leaves at the other as it is.";
    CCC012 Error "no MPLS or RSVP"
        "Every interface an LSP crosses needs `family mpls`, and a place under `protocols mpls` and `protocols rsvp`; otherwise the LSP never comes up.";
    CCC013 Error "MTU"
        "A circuit carries the customer's whole layer-2 frame behind a label of 4 bytes. What does not fit is dropped without a word: there is nobody to answer with ICMP.";
    CCC014 Warning "MTUs differ"
        "The two ends of a circuit, or of a link, take frames of different sizes: one direction drops what the other carries.";
    CCC015 Warning "admission"
        "RSVP admits LSPs by the bandwidth they ask for. A link crossed several times by LSPs that ask for nothing, or for too much, is overbooked.";
    CCC016 Info "shared capacity"
        "A link the circuit crosses several times is shared by all its crossings.";
    CCC017 Error "half duplex"
        "Half duplex, or a port fixed to 10 or 100 Mbit/s, on the way of a circuit: collisions and a rate nobody expects.";
    CCC018 Warning "unused"
        "The LSP or connection is on no complete circuit.";
    CCC019 Error "interface in two roles"
        "An interface of a circuit carries whole frames and can do nothing else: no addresses, no bundle.";
    CCC020 Warning "inactive part"
        "A part of the circuit is switched off: the circuit is down until it is switched on.";
    CCC021 Info "explicit null"
        "With explicit null a label stays on the frame to the last router: 4 bytes on each crossing. A circuit's frames keep theirs in any case.";
    CCC022 Info "protection"
        "While a bypass or detour carries an LSP, delay and load are not those of the plan, and one label more is pushed.";
    CCC023 Warning "tags differ"
        "A port drops frames whose tag is none of its own, without a word: two ends of a link that are in one subnet need one VLAN, unless a switch between them changes the tag.";

    CCC024 Info "end not given"
        "An LSP to an address that none of the given routers has is checked as far as its head: nobody knows whether it arrives.";

    QOS001 Error "QoS is off"
        "with QoS disabled for the whole switch every port is one FIFO and believes every mark: queues, maps, trust and policers do nothing";
    QOS002 Error "does not fit the port type"
        "a port has as many weighted queues and thresholds as its hardware; the switch refuses other numbers of weights, queues it has not and thresholds it has not";
    QOS003 Error "CoS mapped twice or not at all"
        "the last statement wins where a CoS is mapped twice; one that is not mapped stays where the card's default puts it, and cards differ";
    QOS004 Warning "idle queue or starved class"
        "a weighted queue without any CoS keeps its part of the buffer from the others; a CoS in a queue with next to no weight starves under load";
    QOS005 Error "credit below a frame"
        "weights become bytes; a queue whose bytes are fewer than a frame still sends whole frames, so that it gets more than its share, the more the larger the frames (jumbo frames above all)";
    QOS006 Warning "scavenger class misplaced"
        "the lower-effort class protects the others only if it has a queue of its own, the one with the least weight (RFC 8622)";
    QOS007 Warning "share off target"
        "what the low class gets when all queues are full is set by the weights and, where overshoot is forgotten, by the packet sizes";
    QOS008 Error "marks are not trusted"
        "an untrusted port resets every arriving mark to its default CoS, 0 unless set, so nothing behind it can tell the classes apart; a frame without tag has no CoS to trust; a routed port without trust beside one that trusts ends every class that arrives at it";
    QOS009 Warning "maps are not inverse"
        "a CoS that becomes a DSCP and a CoS again on the way out should come out as it went in; otherwise the next switch puts it into another queue";
    QOS010 Warning "marking differs along the path"
        "a class keeps its treatment only while every device keeps or carries its mark; one that rewrites it ends the class there";
    QOS011 Error "policer burst too small for TCP"
        "TCP sends a window in a burst; a bucket much smaller than rate times round-trip time drops part of every burst and holds TCP far below the policed rate";
    QOS012 Warning "policy without effect"
        "a policy that is not defined, a class nobody defines or that no frame reaches, a shaper or policer above the rate of the line, or a direction the line card does not act on does nothing, without a word from the switch";
    QOS013 Error "duplex or speed"
        "half duplex collides under load, and a speed fixed at one end only leaves the other at half duplex";
    QOS014 Warning "thresholds without effect"
        "random early detection needs a minimum below its maximum and below 100 %; tail-drop thresholds protect a class only if they rise";
    QOS015 Warning "strict queue open to hosts"
        "whoever may mark for the strict queue can starve every other class";
    QOS016 Info "longest wait of the low queue"
        "a low queue waits while every other one sends its credit; larger weights mean longer waits at the same shares";
    QOS017 Warning "pause and QoS"
        "a pause frame stops a whole port, all classes alike, and moves the queue into the device before it";
    QOS018 Warning "unequal members of a channel"
        "flows are spread over the members by a hash; with unequal queues the treatment depends on chance";
    QOS019 Warning "voice or routing control in the low queue"
        "CoS 5 carries voice and 6 and 7 routing and control; behind scavenger traffic they are lost just when the link is full, and adjacencies with them";
    QOS020 Info "weights"
        "the share of each queue when all are full, by the ratio of weights";
    QOS021 Error "queue limits exceed the buffer"
        "the parts of the transmit buffer add up to at most 100 %, the strict queue's included";
    QOS022 Warning "smaller MTU than meant"
        "a port drops, or fragments, what is larger than its MTU";
    QOS023 Warning "policer below the planned rate"
        "no transfer that a policer meets gets more than its rate, whatever the line carries";
    QOS024 Error "shares above 100 %"
        "what the classes of one policy map keep, `bandwidth percent` and `priority percent` together, is at most the whole interface, and so is what they divide of the rest; the router refuses the class that exceeds it";
    QOS025 Error "channel that does not form"
        "the ports of a channel must speak one protocol, and one end must begin: `on` speaks none, and two ends that both wait, `passive` or `auto`, never form it";
    QOS026 Error "rates above what carries them"
        "what the classes of a policy map keep, as rates or in percent, is at most what carries them: the class that is shaped above them, or the port; the router refuses the policy, or the classes share what there is as if nothing were kept. `bandwidth` of an interface sets no rate, and is what percentages of its policy are of";
    QOS027 Warning "burst out of proportion"
        "a policer's bucket of many seconds of its rate limits nothing that a test sends, one below a frame lets none pass, and a shaper's burst is in bits where a policer's is in bytes";
    QOS028 Warning "packets of a tunnel"
        "what a tunnel puts around a packet must fit the interface that carries it; else packets are fragmented, which costs the routers at both ends, or dropped, and where nothing reports that they vanish";
    QOS029 Info "storm control"
        "a port with storm control drops frames of a kind above a level, all of them for the rest of a second; of unicast frames that is a policer of every test";
    QOS030 Error "member that does not fit its channel"
        "ports of a channel need one mode, one set of VLANs, one speed and one MTU, those of the channel itself: a port that differs is suspended, and its part of the rate is missing";
    QOS031 Warning "held below the line"
        "`srr-queue bandwidth shape` holds a queue to one N-th of the port's rate, and `limit` the whole port to a percentage, whether or not anything else is sent; a queue that is shaped has no part by its share, and the first one is shaped to a twenty-fifth unless that is taken back";
    QOS032 Warning "shaper or speed below the planned rate"
        "no transfer gets more than the slowest shaper and port on its way, whatever the other lines carry";
    QOS033 Warning "queue too short for TCP"
        "TCP fills the queue before its slowest line until frames are lost; one far below rate times round-trip time ends slow start early, and leaves part of the line idle after each loss";
    QOS034 Warning "MTUs of one VLAN differ"
        "a switch takes and sends nothing that is larger than the MTU of the port; between ports of one VLAN with unlike MTUs full packets vanish, and at layer 2 nothing answers with ICMP";
    QOS035 Warning "members chosen by MAC addresses"
        "all frames between two routers have one pair of MAC addresses: a hash of these alone sends the whole of a routed path over one member, however many flows it has";
    ATM001 Error "sustainable above peak"
        "a circuit cannot keep up a cell rate above its peak; the interface refuses the contract";
    ATM002 Error "cell rate above the line"
        "the line carries fewer cells than the contract allows; what is above is lost, or waits without end";
    ATM003 Warning "burst of a variable rate circuit"
        "the largest burst must hold the cells of a frame, or the policer cuts every large frame, and one lost cell loses the frame";
    ATM004 Warning "circuits exceed the line"
        "sustained rates of the circuits of one interface add up to more than the line carries";

    JUN001 Error "undefined name"
        "a filter, policer, prefix list, policy, community, scheduler map, scheduler, drop profile, traffic control profile, classifier, rewrite rule, forwarding class or path of an LSP that nothing defines: Junos refuses to commit it";
    JUN002 Warning "policer without a contract"
        "a policer that states no rate and burst, or drops nothing, limits nothing";
    JUN003 Warning "classes and schedulers do not fit"
        "a share of a class that nothing is classed into is kept for nobody, frames of a class without scheduler have no share, and of shares above 100 %, or rates above the port's, no class gets its own under load; a code point that one classifier classes into two classes Junos refuses to commit";
    JUN004 Warning "filter that ends in a discard"
        "what no term of a filter matches is discarded without a word; where no term takes all that is left and accepts it, that is every frame nobody thought of";
    JUN005 Error "tags and units"
        "a unit with a VLAN needs `vlan-tagging` on its port, one on such a port needs a VLAN of its own, and without tags there is unit 0 alone: Junos refuses to commit anything else";
    JUN006 Error "member of a bundle"
        "a port that is a member of an aggregate has no unit of its own: Junos refuses to commit one; members of unequal rate carry unequal flows, as a hash spreads flows and not bytes";

    JUN007 Warning "segment size"
        "`tcp-mss` lowers what the ends of a connection send; above what the interface, or the tunnel in it, carries less 40 bytes of headers, 60 of IPv6, full segments still do not fit; far below it they are small, and every packet costs the same";
    JUN008 Warning "filter that discards ICMP"
        "a router says by ICMP that a packet is too large (RFC 1191, RFC 8201); where that is discarded, the sender never learns of it";
    JUN009 Warning "interface of a protocol that is not there"
        "a protocol takes any name for an interface, and does nothing with one that the router does not have: no neighbour is found, without a word";
    JUN010 Warning "buffer of a class"
        "a scheduler's queue holds a part of the port's buffer, or what the rate sends in a time; far below rate times round-trip time it loses what a connection sends at once";

    NET001 Error "address of a whole subnet"
        "the first address of a subnet stands for itself and the last one for all of its hosts; routers refuse both for an interface, except in a /31";
    NET002 Warning "next hop out of reach"
        "a static route is used while its next hop is in the subnet of an interface; else it leads nowhere";
    NET003 Error "mask or length that is none"
        "a mask is ones and then zeros, a prefix of IPv4 has at most 32 bits and one of IPv6 128 (RFC 4632 §3.1, RFC 4291 §2.3), and the address of a route has zeros behind its mask; devices refuse the line";
    NET004 Error "address twice"
        "two interfaces with one address answer for each other: a device refuses it, and in a subnet the neighbours send to whichever answered last";
    NET005 Warning "subnets that overlap"
        "a device sends to an address by the one interface whose subnet fits best; what is behind the other one is not reached. IOS and NX-OS refuse it";

    IOS001 Error "never ends"
        "a banner, certificate or macro swallows every line up to its mark; without the mark the rest of the file is lost";
    IOS002 Error "text after a command"
        "a command line holds nothing but its command; the switch marks the first word it does not know and does none of the line";
    IOS003 Error "value out of range"
        "the switch refuses the line, and what it was to set keeps its default";
    IOS004 Error "incomplete command"
        "the switch answers `% Incomplete command` and does nothing";
    IOS005 Warning "not a command"
        "listings copied from a slide or a page carry explanations between the commands; the switch refuses such lines";
    IOS006 Error "outside any interface"
        "the command belongs to an interface, and none is open: the switch refuses it, or it lands on whatever interface is";
    IOS007 Warning "segment size"
        "`ip tcp adjust-mss` lowers what the ends of a connection send; above the interface's MTU less 40 bytes of headers (60 of IPv6) full segments still do not fit, and where nothing reports that they vanish; far below it they are small, and every packet costs the same";
    IOS008 Warning "ICMP that is kept back"
        "a router says by ICMP that a packet is too large (RFC 1191, RFC 8201); where an access list denies that, or `no ip unreachables` keeps it back, the sender never learns of it";
    IOS009 Warning "undefined name"
        "a device takes the name of an access list, route map or prefix list that nothing defines, and of a VLAN: packets and routes pass, or a port stays down, without a word";
    IOS010 Error "unknown word"
        "a command takes the words it knows; the device marks any other and does none of the line, and what it was to set keeps its default";
    IOS011 Warning "mask in place of a wildcard"
        "an access list compares the bits that are zero in the wildcard; with a mask in its place it is of other addresses than those of the subnet";
    IOS012 Error "feature that is not on"
        "NX-OS knows the commands of a feature once `feature` has switched it on; before, it refuses them";

    HOST001 Info "mark of a test"
        "the TOS byte's upper six bits are the DSCP, its upper three the precedence (RFC 2474 §3)";
    HOST002 Warning "odd buffer size"
        "buffer sizes are powers of two by custom; one that nearly is, is probably mistyped";
    HOST003 Warning "window limits the path"
        "a connection has at most one window in flight per round trip, whatever the line carries";
    HOST004 Error "buffer setting"
        "sizes are plain numbers up to 2147483647, and of tcp_rmem and tcp_wmem least, default and most in this order; the kernel refuses or misuses others";
    HOST005 Error "window that cannot grow"
        "without window scaling a window ends at 65 535 bytes, and without tuning the receive buffer stays at its default: either carries little over a long path";
    HOST006 Warning "selective acknowledgements off"
        "without them a sender learns of one lost segment a round trip, and many are lost at once when a queue overflows";
    HOST007 Warning "timestamps off"
        "timestamps tell an old segment from a new one once sequence numbers have come round, and measure round trips while data is lost";
    HOST008 Info "path MTU probing off"
        "where a router's answer does not come back, full segments vanish and the connection stands still";
    HOST009 Warning "congestion control"
        "what a loss costs on a long, fat path depends on the congestion control; reno takes half a window of round trips";
    HOST010 Info "slow start after idle"
        "a connection that pauses begins anew: requests with pauses never reach the path's rate";
    HOST011 Warning "MTU of a host"
        "an MTU that a protocol does not work with";
    HOST012 Warning "queue of a host"
        "what a host sends in a burst waits in its own queue, txqueuelen frames of it or the limit of its discipline";
    HOST013 Warning "MTUs of hosts differ"
        "the larger frames of one end need an answer from whichever router cannot pass them on";
    HOST014 Info "interface of a host"
        "at 10 Gbit/s single frames, short rings and half duplex cost more than the path does";
    HOST015 Warning "emulated delay without room"
        "netem holds what is under way in its queue; what does not fit is lost";
    HOST016 Warning "no such setting"
        "sysctl says `cannot stat` and sets nothing: the host keeps what it had";
    HOST017 Info "set again"
        "settings are made line by line; the last one stays";
    HOST018 Warning "memory of all connections"
        "above the second number of tcp_mem the kernel lets no buffer grow, and above the third it drops";
    HOST019 Warning "limit of a host below the planned rate"
        "no transfer gets more than the host's own shaper or interface lets out, whatever the path carries";
    HOST020 Warning "unknown queue discipline"
        "the kernel finds a discipline by its name; one that it has not is refused, and the host keeps what it had";
    HOST021 Warning "impairment of a host"
        "netem delays, loses, damages, doubles or reorders what an interface sends until it is taken away: one that a test left behind is part of every path";
    HOST022 Error "rate that tc refuses"
        "tc takes bit, kbit, mbit, gbit and tbit, and bps with these letters of bytes; it refuses any other unit, and the host keeps what it had";
    HOST023 Info "bucket of a host's shaper"
        "a tbf drops frames that are larger than its bucket, and where the kernel waits in ticks the bucket must hold what passes in one (tc-tbf, 8: rate / HZ)";
    HOST024 Warning "part of a buffer that is window"
        "before Linux 6.6 a tcp_adv_win_scale of -n leaves one part in 2^n of a receive buffer as window; the rest is kept for headers and bookkeeping";
    HOST025 Info "rate of tc in bytes"
        "to tc, kbps, mbps and gbps are kB, MB and GB a second (tc, 8, RATES); elsewhere the same letters are of bits, an eighth of that";
}

/// What is wrong with the text of a switch, before anyone asks what it means.
pub(crate) mod faults {
    pub(crate) use super::{
        IOS001 as UNFINISHED, IOS002 as LEFT_OVER, IOS003 as RANGE, IOS004 as MISSING,
        IOS005 as PROSE, IOS006 as NOWHERE,
    };
}

/// The rule of a finding.
pub(crate) fn rule(id: &str) -> &'static Rule {
    let rule = RULES.iter().find(|r| r.id == id);
    rule.expect("findings are made of these rules")
}
