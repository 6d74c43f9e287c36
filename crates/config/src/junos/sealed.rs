//! `security ipsec`: what tunnels of IPsec are sealed with.

use super::read::Reader;
use super::tree::Id;
use crate::esp::{Sealed, Transform};
use crate::tunnels::IPV4;

impl Reader<'_, '_> {
    /// Each interface that a `vpn` is bound to, and of the proposals of its policy the one that leaves least.
    pub(super) fn sealed(&self, id: Id) -> Vec<(String, Transform)> {
        let vpns = self.active(id, &["security", "ipsec", "vpn"]);
        let bound = |vpn: &Id| {
            let interface = self.word_of(*vpn, &["bind-interface"])?;
            let policy = self.word_of(*vpn, &["ike", "ipsec-policy"])?;
            let path = ["security", "ipsec", "policy", policy, "proposals"];
            let proposals = self.active(id, &path);
            let all = proposals
                .iter()
                .map(|proposal| self.proposal(id, self.tree.node(*proposal).word));
            let all: Vec<Transform> = all.collect::<Option<_>>()?;
            let least = |t: &Transform| Sealed::new(Some(t.clone()), IPV4, 0, true).fits(1500);
            let widest = all.into_iter().min_by_key(least)?;
            Some((interface.to_owned(), widest))
        };
        vpns.iter().filter_map(bound).collect()
    }

    /// The only word of a statement.
    fn word_of(&self, id: Id, path: &[&str]) -> Option<&str> {
        let value = self.active(id, path).pop()?;
        Some(self.tree.node(value).word)
    }

    /// A proposal by its name; `None` where it adds what is not known.
    fn proposal(&self, id: Id, name: &str) -> Option<Transform> {
        let at = self.at(id, &["security", "ipsec", "proposal", name])?;
        let protocol = self.word_of(at, &["protocol"]);
        if protocol.is_some_and(|p| p != "esp") {
            return None;
        }
        let cipher = self.word_of(at, &["encryption-algorithm"]);
        let hash = self.word_of(at, &["authentication-algorithm"]);
        Transform::of_junos(name, cipher, hash)
    }
}
