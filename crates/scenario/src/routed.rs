//! For tests: two hosts behind a router each.

use crate::Source;

/// A scenario of hosts `a` and `b` behind routers `r` and `s`, with `keys` on the link between these.
pub(crate) fn between_routers(keys: &str) -> Source {
    let mut text = "[scenario]\nname = \"x\"\n".to_owned();
    for (kind, name) in [
        ("host", "a"),
        ("host", "b"),
        ("router", "r"),
        ("router", "s"),
    ] {
        text += &format!("[[{kind}]]\nname = \"{name}\"\n");
    }
    for (ends, keys) in [(["a", "r"], ""), (["r", "s"], keys), (["s", "b"], "")] {
        let [a, b] = ends;
        text +=
            &format!("[[link]]\nname = \"{a}{b}\"\nends = {ends:?}\nframing = \"gbe\"\n{keys}\n");
    }
    Source {
        name: "x.toml".to_owned(),
        text,
    }
}
