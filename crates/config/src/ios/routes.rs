//! `ip route`.

use core::net::Ipv4Addr;

use crate::commands::{Kind, Tree, Word, Words};
use crate::finding::Finding;
use crate::mask::{bits, length, refusal, slashed};
use crate::route::Route;
use crate::rules::NET003;
use crate::source::Place;

/// The static routes of a text that have an address as their next hop: `ip route NET MASK HOP`, or `ip route NET/LENGTH HOP` of
/// NX-OS; not those by an interface or of a VRF. What is wrong with their masks is added to `refused`.
pub(crate) fn static_routes(text: &str, file: usize, refused: &mut Vec<Finding>) -> Vec<Route> {
    let tree = Tree::parse(text);
    let mut routes = Vec::new();
    for number in tree.inside(None) {
        let line = &tree.lines()[number];
        let mut words = Words::new(tree.content(number), line.span.start);
        if line.kind == Kind::Statement && words.accept("ip") && words.accept("route") {
            routes.extend(route(words, file, refused));
        }
    }
    routes
}

/// A route, of the words after `ip route`.
fn route(mut words: Words<'_>, file: usize, refused: &mut Vec<Finding>) -> Option<Route> {
    let mut refuse = |word: Word<'_>, (message, remedy): (String, String)| {
        let place = Place {
            file,
            span: word.span(),
        };
        refused.push(Finding::new(&NET003, message, place, vec![remedy]));
    };
    let first = words.next()?;
    let (net, word, length) = match first.text.split_once('/') {
        Some((net, behind)) => (net, first, slashed(behind)),
        None => {
            let mask = words.next().filter(Word::is_numeral)?;
            (first.text, mask, mask.text.parse().ok().and_then(length))
        }
    };
    let net: Ipv4Addr = net.parse().ok()?;
    let Some(length) = length else {
        refuse(word, refusal(word.text));
        return None;
    };
    let hop = words.next()?;
    let beyond = net.to_bits() & !bits(length);
    // NX-OS, which writes a length, takes the rest away itself.
    if beyond != 0 && word != first {
        let whole = Ipv4Addr::from_bits(net.to_bits() & bits(length));
        let message = format!("{net} has ones where its mask {} has zeros", word.text);
        refuse(first, (message, format!("`{whole} {}`", word.text)));
    }
    Some(Route {
        to: Some((net, length)),
        hop: (
            hop.text.parse().ok()?,
            Place {
                file,
                span: hop.span(),
            },
        ),
    })
}
