//! Label Switched Paths and circuit cross-connects: who hands what to whom, and where it ends.

use crate::decode::{At, Fields};
use crate::diagnostic::Diagnostic;
use crate::model::{Ccc, Link, LinkId, Lsp, NodeId, Scenario, Way};
use crate::names::Names;

/// An LSP; every hop is a link between neighbours and no router is passed twice.
pub(crate) fn lsp(
    f: &Fields,
    names: &Names,
    links: &[Link],
    faults: &mut Vec<Diagnostic>,
) -> Option<Lsp> {
    let name: String = f.get("name")?;
    let written: Vec<At<String>> = f.get("path")?;
    let path: Vec<Option<NodeId>> = written.iter().map(|n| names.router(n, faults)).collect();
    let path: Vec<NodeId> = path.into_iter().collect::<Option<_>>()?;
    for (i, node) in path.iter().enumerate() {
        if let Some(first) = path[..i].iter().position(|n| n == node) {
            faults.push(
                Diagnostic::new(written[i].span(), format!("route loop: LSP `{name}` passes `{}` twice", names.node_name(*node)))
                    .label("again")
                    .see(written[first].span(), "the first time")
                    .help("to fold a path over a link, make one LSP a pass and stitch them with [[ccc]] kind = \"lsp-switch\""),
            );
            return None;
        }
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
        let between = |l: &Link| way(l, pair[0], pair[1]);
        if let Some(wanted) = named.as_ref().and_then(|n| n.get_ref().get(i)) {
            let link = names.link(wanted, faults)?;
            let Some(way) = links.get(link.0).and_then(between) else {
                let title = format!(
                    "link `{}` does not join `{}` and `{}`",
                    wanted.get_ref(),
                    names.node_name(pair[0]),
                    names.node_name(pair[1])
                );
                faults.push(
                    Diagnostic::new(wanted.span(), title).help("`links` follows `path` hop by hop"),
                );
                return None;
            };
            hops.push((link, way));
            continue;
        }
        let found: Vec<(LinkId, Way)> = links
            .iter()
            .enumerate()
            .filter_map(|(n, l)| Some((LinkId(n), between(l)?)))
            .collect();
        match found[..] {
            [only] => hops.push(only),
            [] => {
                let title = format!(
                    "no link joins `{}` and `{}`",
                    names.node_name(pair[0]),
                    names.node_name(pair[1])
                );
                faults.push(
                    Diagnostic::new(written[i + 1].span(), title)
                        .label(format!("not a neighbour, in LSP `{name}`"))
                        .help("add the routers between them to `path`, or a [[link]]"),
                );
                return None;
            }
            _ => {
                let title = format!(
                    "several links join `{}` and `{}`",
                    names.node_name(pair[0]),
                    names.node_name(pair[1])
                );
                let which: Vec<&str> = found
                    .iter()
                    .map(|(l, _)| links[l.0].name.as_str())
                    .collect();
                faults.push(Diagnostic::new(written[i + 1].span(), title).help(format!(
                    "say which with `links`, one a hop; here: {}",
                    which.join(", ")
                )));
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
    if f.get::<String>("kind")? == "lsp-switch" {
        return (faults.len() == before).then_some(Ccc::LspSwitch {
            name,
            router,
            transmit,
            receive,
        });
    }
    let interface_name: At<String> = f.at("interface")?;
    let interface = names.link(&interface_name, faults)?;
    let link = scenario.links.get(interface.0)?;
    if !link.ends.contains(&router) {
        let title = format!(
            "link `{}` is not an interface of `{}`",
            link.name,
            names.node_name(router)
        );
        let help = "name a link that has this router as one of its `ends`";
        faults.push(Diagnostic::new(interface_name.span(), title).help(help));
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
    (faults.len() == before).then_some(Ccc::RemoteInterface {
        name,
        router,
        interface,
        vlan,
        transmit,
        receive,
    })
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
