//! Label Switched Paths and circuit cross-connects: who hands what to whom, and where it ends.

use crate::bundle::key_of_lsp;
use crate::decode::{At, Fields};
use crate::diagnostic::Diagnostic;
use crate::model::{Ccc, Link, LinkId, Lsp, NodeId, Scenario, Way};
use crate::names::Names;

/// An LSP; every hop is a link between neighbours and no router is passed twice.
pub(crate) fn lsp(
    f: &Fields,
    names: &Names,
    scenario: &Scenario,
    faults: &mut Vec<Diagnostic>,
) -> Option<Lsp> {
    let name: String = f.get("name")?;
    let written: Vec<At<String>> = f.get("path")?;
    let path: Vec<Option<NodeId>> = written.iter().map(|n| names.router(n, faults)).collect();
    let path: Vec<NodeId> = path.into_iter().collect::<Option<_>>()?;
    if let Some(d) = route_loop(&name, &path, &written, names) {
        faults.push(d);
        return None;
    }
    let named = f.at::<Vec<At<String>>>("links");
    if let Some(named) = named
        .as_ref()
        .filter(|n| n.get_ref().len() != path.len() - 1)
    {
        let title = format!(
            "LSP `{name}` has {} hops and `links` names {}",
            path.len() - 1,
            named.get_ref().len()
        );
        faults.push(Diagnostic::new(named.span(), title).help("one link a hop, in order"));
        return None;
    }
    let mut hops = Vec::new();
    for (i, pair) in path.windows(2).enumerate() {
        let (from, to) = (pair[0], pair[1]);
        let hop = match named.as_ref().and_then(|n| n.get_ref().get(i)) {
            Some(wanted) => {
                let link = names.link(wanted, faults)?;
                hop_over(link, wanted, from, to, names, &scenario.links)
            }
            None => only_hop(&name, &written[i + 1], from, to, names, scenario),
        };
        match hop {
            Ok(hop) => hops.push(hop),
            Err(d) => {
                faults.push(d);
                return None;
            }
        }
    }
    Some(Lsp {
        name,
        path,
        hops,
        explicit_null: f.get("explicit_null").unwrap_or(false),
    })
}

/// The fault of an LSP that passes a router twice.
fn route_loop(
    name: &str,
    path: &[NodeId],
    written: &[At<String>],
    names: &Names,
) -> Option<Diagnostic> {
    let (again, first) = path.iter().enumerate().find_map(|(i, node)| {
        let first = path[..i].iter().position(|n| n == node)?;
        Some((i, first))
    })?;
    let node = names.node_name(path[again]);
    let title = format!("route loop: LSP `{name}` passes `{node}` twice");
    Some(
        Diagnostic::new(written[again].span(), title)
            .label("again")
            .see(written[first].span(), "the first time")
            .help(
                "to fold a path over a link, make one LSP a pass and stitch them with \
                 [[ccc]] kind = \"lsp-switch\"",
            ),
    )
}

/// The hop over a link that was named; a fault when it does not join the two routers.
fn hop_over(
    link: LinkId,
    written: &At<String>,
    from: NodeId,
    to: NodeId,
    names: &Names,
    links: &[Link],
) -> Result<(LinkId, Way), Diagnostic> {
    let way = links.get(link.0).and_then(|l| way(l, from, to));
    way.map(|way| (link, way)).ok_or_else(|| {
        let title = format!(
            "link `{}` does not join `{}` and `{}`",
            written.get_ref(),
            names.node_name(from),
            names.node_name(to)
        );
        Diagnostic::new(written.span(), title).help("`links` follows `path` hop by hop")
    })
}

/// The hop over the only link that joins the two routers, or over the member of the bundle that does;
/// none and several are faults at `to`.
fn only_hop(
    lsp: &str,
    written_to: &At<String>,
    from: NodeId,
    to: NodeId,
    names: &Names,
    scenario: &Scenario,
) -> Result<(LinkId, Way), Diagnostic> {
    let links = &scenario.links;
    let found: Vec<(LinkId, Way)> = links
        .iter()
        .enumerate()
        .filter_map(|(n, l)| Some((LinkId(n), way(l, from, to)?)))
        .collect();
    let (a, b) = (names.node_name(from), names.node_name(to));
    match found[..] {
        [only] => Ok(only),
        [(first, _), ..]
            if let Some(bundle) = scenario.bundle_of(first)
                && found.iter().all(|(l, _)| bundle.links.contains(l)) =>
        {
            let member = bundle.member(key_of_lsp(lsp));
            Ok((member, scenario.way_from(from, member)))
        }
        [] => Err(
            Diagnostic::new(written_to.span(), format!("no link joins `{a}` and `{b}`"))
                .label(format!("not a neighbour, in LSP `{lsp}`"))
                .help("add the routers between them to `path`, or a [[link]]"),
        ),
        _ => {
            let which: Vec<&str> = found
                .iter()
                .map(|(l, _)| links[l.0].name.as_str())
                .collect();
            let help = format!(
                "say which with `links`, one a hop; here: {}",
                which.join(", ")
            );
            let title = format!("several links join `{a}` and `{b}`");
            Err(Diagnostic::new(written_to.span(), title).help(help))
        }
    }
}

/// The way along `link` from `from` to `to`, if it joins them.
pub(crate) fn way(link: &Link, from: NodeId, to: NodeId) -> Option<Way> {
    match link.ends {
        [a, b] if a == from && b == to => Some(Way::Forward),
        [a, b] if b == from && a == to => Some(Way::Reverse),
        _ => None,
    }
}

/// A cross-connect; its LSPs start and end at its router.
pub(crate) fn ccc(
    f: &Fields,
    names: &Names,
    scenario: &Scenario,
    faults: &mut Vec<Diagnostic>,
) -> Option<Ccc> {
    let name: String = f.get("name")?;
    let router = names.router(&f.at("router")?, faults);
    let (transmit_name, receive_name) = (f.at("transmit_lsp")?, f.at("receive_lsp")?);
    let (transmit, receive) = (
        names.lsp(&transmit_name, faults),
        names.lsp(&receive_name, faults),
    );
    let (router, transmit, receive) = (router?, transmit?, receive?);
    let before = faults.len();
    let (t, r) = (scenario.lsps.get(transmit)?, scenario.lsps.get(receive)?);
    if t.path.first() != Some(&router) {
        let begins = t.path.first().map_or("", |n| names.node_name(*n));
        let title = format!(
            "`{}` does not start at `{}`",
            t.name,
            names.node_name(router)
        );
        let help = format!(
            "it starts at `{begins}`: transmit on an LSP of this router, or move the cross-connect there"
        );
        faults.push(Diagnostic::new(transmit_name.span(), title).help(help));
    }
    if r.path.last() != Some(&router) {
        let ends = r.path.last().map_or("", |n| names.node_name(*n));
        let title = format!("`{}` does not end at `{}`", r.name, names.node_name(router));
        let help = format!("it ends at `{ends}`: receive from an LSP that ends at this router");
        faults.push(Diagnostic::new(receive_name.span(), title).help(help));
    }
    let ccc = if f.get::<String>("kind")? == "lsp-switch" {
        Ccc::LspSwitch {
            name,
            router,
            transmit,
            receive,
        }
    } else {
        let (interface, vlan) = customer(f, &name, router, names, scenario, faults)?;
        Ccc::RemoteInterface {
            name,
            router,
            interface,
            vlan,
            transmit,
            receive,
        }
    };
    (faults.len() == before).then_some(ccc)
}

/// The customer's side of a cross-connect: its link, and the VLAN that is carried.
fn customer(
    f: &Fields,
    name: &str,
    router: NodeId,
    names: &Names,
    scenario: &Scenario,
    faults: &mut Vec<Diagnostic>,
) -> Option<(LinkId, Option<u16>)> {
    let written: At<String> = f.at("interface")?;
    let interface = names.link(&written, faults)?;
    let link = scenario.links.get(interface.0)?;
    if !link.ends.contains(&router) {
        let title = format!(
            "link `{}` is not an interface of `{}`",
            link.name,
            names.node_name(router)
        );
        let help = "name a link that has this router as one of its `ends`";
        faults.push(Diagnostic::new(written.span(), title).help(help));
    }
    let vlan = f.get::<i64>("vlan").and_then(|v| u16::try_from(v).ok());
    match (f.get::<String>("encapsulation").as_deref(), vlan) {
        (Some("vlan-ccc"), None) => {
            let title = format!("vlan-ccc without a VLAN in ccc `{name}`");
            faults.push(
                Diagnostic::new(f.place("encapsulation"), title)
                    .help("add `vlan = 591` or another tag"),
            );
        }
        (Some("ethernet-ccc"), Some(_)) => {
            let title = format!("a VLAN in ethernet-ccc `{name}`");
            faults.push(
                Diagnostic::new(f.place("vlan"), title)
                    .help("remove `vlan`, or write encapsulation = \"vlan-ccc\""),
            );
        }
        _ => {}
    }
    if let (Some(inner), Some(outer)) = (vlan, link.vlan.filter(|v| Some(*v) != vlan)) {
        let title = format!(
            "ccc `{name}` carries VLAN {inner}, link `{}` has VLAN {outer}",
            link.name
        );
        faults.push(
            Diagnostic::new(f.place("vlan"), title)
                .help("nothing would ever enter: give both the same tag"),
        );
    }
    Some((interface, vlan))
}

/// The parts all kinds of cross-connect share: router, transmit LSP, receive LSP.
pub(crate) fn parts(ccc: &Ccc) -> (NodeId, usize, usize) {
    match ccc {
        Ccc::RemoteInterface {
            router,
            transmit,
            receive,
            ..
        }
        | Ccc::LspSwitch {
            router,
            transmit,
            receive,
            ..
        } => (*router, *transmit, *receive),
    }
}
