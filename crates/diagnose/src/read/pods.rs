//! Tables of Kubernetes that say which address each pod has: `kubectl get pod -o wide`.

use core::net::IpAddr;

use super::{Facts, Line, Tool};
use crate::words::whole;

/// The state of reading: the column of names, while a table goes on.
#[derive(Default)]
pub(super) struct Pods {
    column: Option<usize>,
}

impl Tool for Pods {
    fn name(&self) -> &'static str {
        "kubectl"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        if let Some(column) = column(line.bare) {
            self.column = Some(column);
            return true;
        }
        let pod = self.column.filter(|_| going);
        let Some((name, address)) = pod.and_then(|column| row(line.bare, column)) else {
            self.column = None;
            return false;
        };
        if let Some(address) = address {
            facts.owned_by(name, &address.to_string());
        }
        true
    }
}

/// The column of names of a table, if a line is its head: `NAME READY STATUS RESTARTS AGE IP NODE …`, with `NAMESPACE` before it or without.
fn column(text: &str) -> Option<usize> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let column = words.iter().position(|word| *word == "NAME")?;
    let has = |word: &str| words.contains(&word);
    let is_head = words.get(column + 1) == Some(&"READY") && has("IP") && has("NODE");
    (column <= 1 && is_head).then_some(column)
}

/// The name of a pod and its address, which one that waits for its node has not: `api-7 1/1 Running 0 3d 10.244.3.17 node4 <none> <none>`.
fn row(text: &str, column: usize) -> Option<(&str, Option<IpAddr>)> {
    let words: Vec<&str> = text.split_whitespace().skip(column).collect();
    let [name, ready, rest @ ..] = &words[..] else {
        return None;
    };
    let (up, of) = ready.split_once('/')?;
    let counts = whole(up).is_some() && whole(of).is_some();
    let address = rest.iter().find_map(|word| word.parse().ok());
    counts.then_some((*name, address))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::taken::taken;

    #[test]
    fn a_pod_has_the_address_of_its_row() {
        let table = "NAME    READY   STATUS    RESTARTS     AGE   IP            NODE     NOMINATED NODE   READINESS GATES
api-7   1/1     Running   3 (5h ago)   3d    10.244.3.17   node4    <none>           <none>
new-1   0/1     Pending   0            2s    <none>        <none>   <none>           <none>
web-2   2/2     Running   0            3d    10.244.1.5    node1    <none>           <none>";
        let facts = taken(Pods::default(), table);
        let owns = |name: &str, address: &str| {
            let pair = (name.to_owned(), address.to_owned());
            facts.prompts.owns.contains(&pair)
        };
        assert!(owns("api-7", "10.244.3.17") && owns("web-2", "10.244.1.5"));
        assert_eq!(facts.prompts.owns.len(), 2);
        let of_all = column("NAMESPACE NAME READY STATUS RESTARTS AGE IP NODE");
        assert_eq!(of_all, Some(1));
        // Without addresses, and of something else.
        assert_eq!(column("NAME READY STATUS RESTARTS AGE"), None);
        assert_eq!(row("api-7 is slow", 0), None);
    }
}
