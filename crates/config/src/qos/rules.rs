//! The checks of quality of service, by number.

use crate::finding::{Rule, Severity};

const fn rule(
    id: &'static str,
    name: &'static str,
    severity: Severity,
    explanation: &'static str,
) -> Rule {
    Rule {
        id,
        name,
        severity,
        explanation,
    }
}

use Severity::{Error, Info, Warning};

macro_rules! rules {
    ($($id:ident $severity:ident $name:literal $why:literal;)*) => {
        $(pub(crate) static $id: Rule = rule(stringify!($id), $name, $severity, $why);)*

        /// Every check of quality of service and of ATM circuits, by number.
        pub static RULES: &[&Rule] = &[$(&$id),*];
    };
}

rules! {
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
        "an untrusted port resets every arriving mark to its default CoS, 0 unless set, so nothing behind it can tell the classes apart; a frame without tag has no CoS to trust";
    QOS009 Warning "maps are not inverse"
        "a CoS that becomes a DSCP and a CoS again on the way out should come out as it went in; otherwise the next switch puts it into another queue";
    QOS010 Warning "marking differs along the path"
        "a class keeps its treatment only while every device keeps or carries its mark; one that rewrites it ends the class there";
    QOS011 Error "policer burst too small for TCP"
        "TCP sends a window in a burst; a bucket much smaller than rate times round-trip time drops part of every burst and holds TCP far below the policed rate";
    QOS012 Warning "policy without effect"
        "a policy that is not defined, a class nobody defines, or a direction the line card does not act on does nothing, without a word from the switch";
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
        "flows are spread over the members by a hash; with unequal queues the treatment depends on luck";
    QOS019 Warning "voice or routing control in the low queue"
        "CoS 5 carries voice and 6 and 7 routing and control; behind scavenger traffic they are lost just when the link is full, and adjacencies with them";
    QOS020 Info "weights"
        "the share of each queue when all are full, by the ratio of weights";
    QOS021 Error "queue limits exceed the buffer"
        "the parts of the transmit buffer add up to at most 100 %, the strict queue's included";
    QOS022 Warning "smaller MTU than meant"
        "a port drops, or fragments, what is larger than its MTU";
    ATM001 Error "sustainable above peak"
        "a circuit cannot keep up a cell rate above its peak; the interface refuses the contract";
    ATM002 Error "cell rate above the line"
        "the line carries fewer cells than the contract allows; what is above is lost, or waits without end";
    ATM003 Warning "burst of a variable rate circuit"
        "the largest burst must hold the cells of a frame, or the policer cuts every large frame, and one lost cell loses the frame";
    ATM004 Warning "circuits exceed the line"
        "sustained rates of the circuits of one interface add up to more than the line carries";
}
